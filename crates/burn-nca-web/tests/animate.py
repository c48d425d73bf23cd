"""The animated picture of the README, made from the page: python3 crates/burn-nca-web/tests/animate.py FOLDER OUT.webp

FOLDER is what build.sh made. Headless Chromium trains the digits step by step; each step is a screenshot. Needs Pillow.
"""

import base64
import functools
import http.server
import io
import sys
import tempfile
import threading
import time

from PIL import Image

from browser import Browser, Site

WIDTH = 760  # pixels of the picture
STEPS = [1] * 14 + [2] * 6 + [4] * 6 + [8] * 4  # solver steps between two frames
FRAME, LAST = 180, 2500  # milliseconds


def main(folder, out):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser(tempfile.mkdtemp())
    try:
        browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": 1180, "height": 900, "deviceScaleFactor": 1, "mobile": False}})
        browser.call("POST", "/url", {"url": f"http://127.0.0.1:{server.server_port}/#digits"})
        browser.wait("window.nca && nca.points && nca.measures.test !== null && nca.table.name === 'digits'")
        # What is learned, and nothing else.
        browser.run("""for (const part of document.querySelectorAll('header, #controls, .hint, details, #tour, footer')) part.hidden = true;
            window.scrollTo(0, 0);""")
        top = browser.run("const b = document.querySelector('main').getBoundingClientRect(); return [b.left, b.top, b.width]")
        bottom = browser.run("return document.getElementById('legend').getBoundingClientRect().bottom")
        clip = {"x": top[0] - 8, "y": max(top[1] - 8, 0), "width": top[2] + 16, "height": bottom - top[1] + 24, "scale": WIDTH / (top[2] + 16)}
        frames = [frame(browser, clip)]
        for steps in STEPS:
            for _ in range(steps):
                before = browser.run("return nca.slice.iteration")
                browser.click("#step")
                browser.wait(f"nca.slice.iteration > {before} || nca.slice.ended")
            frames.append(frame(browser, clip))
            if browser.run("return nca.slice.ended"):
                break
    finally:
        browser.quit()
        server.shutdown()
    times = [1200] + [FRAME] * (len(frames) - 2) + [LAST]
    frames[0].save(out, save_all=True, append_images=frames[1:], duration=times, loop=0, quality=60, method=2)
    print(f"{out}: {len(frames)} frames of {frames[0].size}")


def frame(browser, clip):
    """A screenshot, once the points have arrived where they belong."""
    browser.wait("!nca.stale && !nca.unsaid", 30)
    # The time of a step is the machine's, and changes the length of the line.
    browser.run("const said = document.getElementById('status'); said.textContent = said.textContent.replace(/ [0-9.]+ ms a step[.]/, '')")
    time.sleep(0.05)
    shot = browser.call("POST", "/goog/cdp/execute", {"cmd": "Page.captureScreenshot", "params": {"format": "png", "clip": clip}})
    return Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
