"""How fluid the page is while it trains: python3 crates/burn-nca-web/tests/fluid.py FOLDER [ROWS [COLUMNS [SECONDS]]]

FOLDER is what build.sh made. Ten classes that overlap, in headless Chromium without a graphics card; prints the pictures of
each second, what a picture costs the page's thread in milliseconds of a processor (which a loaded machine does not change
much), and the load of the machine.
"""

import functools
import http.server
import os
import random
import statistics
import sys
import tempfile
import threading
import time

from browser import Browser, Site


def overlapping(rows, columns):
    """A CSV file that a fit is not soon done with."""
    chance = random.Random(5)
    lines = [",".join([f"x{j}" for j in range(columns)] + ["kind"])]
    for row in range(rows):
        kind = row % 10
        cells = (chance.gauss(0.55 * (kind * (j + 3) % 7 == 0), 1) for j in range(columns))
        lines.append(",".join([f"{cell:.3f}" for cell in cells] + [f"c{kind}"]))
    return ("\n".join(lines) + "\n").encode()


def metrics(browser):
    """Seconds of a processor that the page's thread has worked."""
    answer = browser.call("POST", "/goog/cdp/execute", {"cmd": "Performance.getMetrics", "params": {}})
    return {metric["name"]: metric["value"] for metric in answer["metrics"]}["TaskDuration"]


def main(folder, rows=5000, columns=64, seconds=15):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser(tempfile.mkdtemp())
    try:
        url = f"http://127.0.0.1:{server.server_port}/"
        for _ in range(2):
            browser.call("POST", "/url", {"url": "about:blank"})
            begun = time.monotonic()
            browser.call("POST", "/url", {"url": url})
            browser.wait("window.nca && nca.points && nca.measures.test !== null")
        print(f"first picture of a warm load: {time.monotonic() - begun:.2f} s (load {os.getloadavg()[0]:.1f})")
        table = overlapping(rows, columns)
        begun = time.monotonic()
        browser.drop("table.csv", table)
        browser.wait(f"nca.table.name === 'table.csv' && nca.points.length === {3 * rows}", 300)
        print(f"{rows} x {columns} shown {time.monotonic() - begun:.1f} s after the drop")
        browser.choose("steps", 10000)
        browser.wait("nca.slice.iteration === 0 && !nca.stale")
        browser.click("#play")
        browser.wait("nca.slice.iteration > 0", 60)
        browser.call("POST", "/goog/cdp/execute", {"cmd": "Performance.enable", "params": {"timeDomain": "threadTicks"}})
        drawn, pictures, worked = [], -browser.run("return nca.drawn"), -metrics(browser)
        for _ in range(seconds):
            before, begun = browser.run("return nca.drawn"), time.monotonic()
            time.sleep(1)
            after, ended = browser.run("return [nca.drawn, nca.slice.ended]")
            if ended:
                break
            drawn.append((after - before) / (time.monotonic() - begun))
        pictures, worked = pictures + browser.run("return nca.drawn"), worked + metrics(browser)
        steps, step = browser.run("return [nca.slice.iteration, nca.slice.stepMs]")
    finally:
        browser.quit()
        server.shutdown()
    if not drawn:
        sys.exit(f"the fit ended within a second ({steps} steps); take more rows or columns")
    print("pictures of each second:", " ".join(f"{n:.0f}" for n in drawn), f"(median {statistics.median(drawn):.0f})")
    print(f"a picture: {1e3 * worked / max(pictures, 1):.1f} ms of a processor; {steps} steps, the last {step:.0f} ms{f'; {ended}' if ended else ''}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
