"""The page in a real browser: python3 crates/burn-nca-web/tests/browser.py FOLDER NCA [SCREENSHOTS]

FOLDER is what build.sh made, NCA the program. Chromium is driven through chromedriver's WebDriver protocol; only the
standard library is needed.
"""

import base64
import functools
import http.server
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path
from typing import ClassVar

import colors

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,1500",
]


class Site(http.server.SimpleHTTPRequestHandler):
    """The folder on loopback, with a list of what was asked for."""

    asked: ClassVar = []
    extensions_map: ClassVar = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def log_message(self, *_):
        Site.asked.append(self.path)


class Browser:
    """A session of chromedriver."""

    def __init__(self, downloads):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        for _ in range(100):
            try:
                urllib.request.urlopen(self.base + "/status").read()
                break
            except OSError:
                time.sleep(0.1)
        options = {"args": FLAGS, "prefs": {"download.default_directory": str(downloads), "profile.default_content_setting_values.automatic_downloads": 1}}
        capabilities = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}}
        answer = self.call("POST", "/session", {"capabilities": capabilities})
        self.base += "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def wait(self, condition, seconds=60):
        """Waits until the worker has done what it was sent and the condition holds; returns the condition's value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(f"return (!window.nca || nca.sent === nca.answered) && ({condition})")
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"after {seconds} s not: {condition}; message: {self.run('return document.getElementById(`message`).textContent')}")

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)

    def choose(self, control, value):
        self.run(
            "const c = document.getElementById(arguments[0]); c.value = arguments[1]; c.dispatchEvent(new Event('change', {bubbles: true}))",
            control, value,
        )

    def drop(self, name, data, onto="body"):
        """Drops a file on the page."""
        self.run(
            """const bytes = Uint8Array.from(atob(arguments[1]), (c) => c.charCodeAt(0));
            const transfer = new DataTransfer();
            transfer.items.add(new File([bytes], arguments[0]));
            document.querySelector(arguments[2]).dispatchEvent(new DragEvent('drop', {dataTransfer: transfer, bubbles: true, cancelable: true}));""",
            name, base64.b64encode(data).decode(), onto,
        )

    def select(self, control, path):
        """Selects a file with a file control, as a keyboard or a finger does."""
        [element] = self.call("POST", "/element", {"using": "css selector", "value": control}).values()
        self.call("POST", f"/element/{element}/value", {"text": str(path)})

    def scheme(self, name):
        """Light or dark."""
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "prefers-color-scheme", "value": name}]}})
        # The page hears of it with the next frame.
        self.call("POST", "/execute/async", {"script": "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))", "args": []})

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def quit(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()


# Counts the calls of the canvas, and asks for one more picture.
COUNT_CALLS = """
const own = Object.getOwnPropertyDescriptors(CanvasRenderingContext2D.prototype);
for (const [name, { value }] of Object.entries(own)) {
  if (typeof value === 'function') CanvasRenderingContext2D.prototype[name] = function (...args) { nca.calls++; return value.apply(this, args); };
}
[nca.calls, nca.drawnBefore, nca.stale] = [0, nca.drawn, true];
"""

ENDED = "nca.slice.ended && !nca.playing"


def trained(browser):
    browser.click("#play")
    browser.wait(ENDED, 120)
    browser.wait("nca.accuracy.train.length > 0")


def table(path):
    """A CSV file of two blobs whose first two features tell, and a third that does not."""
    rows = ["a,b,noise,kind"]
    for i in range(60):
        kind = i % 2
        rows.append(f"{kind + 0.01 * (i % 7)},{2 * kind - 0.02 * (i % 5)},{(37 * i) % 11},{'yes' if kind else 'no'}")
    path.write_text("\n".join(rows) + "\n")
    return path


def mixed_table(path):
    """A table with text, missing values, a row without a class and a column to leave out."""
    rows = ["id,size,color,kind"]
    for i in range(80):
        large = i % 2
        size = "NA" if i % 13 == 0 else str(20 * large + i % 5)
        rows.append(f"r{i},{size},{['red', 'blue', 'green'][i % 3]},{'' if i == 7 else ['small', 'large'][large]}")
    path.write_text("\n".join(rows) + "\n")
    return path


def blobs(rows, columns, classes):
    """A CSV file of clusters, as bytes; the same numbers each time."""
    draw = random.Random(0)
    lines = [",".join([f"x{c}" for c in range(columns)] + ["class"])]
    for row in range(rows):
        label = row % classes
        cells = [f"{draw.gauss(2.0 if c == label else 0.0, 1.0):.3f}" for c in range(columns)]
        lines.append(",".join([*cells, f"c{label}"]))
    return ("\n".join(lines) + "\n").encode()


def saved(path, seconds=15):
    """A file that the browser saves, once it is all there."""
    for _ in range(int(seconds / 0.1)):
        if path.exists() and path.stat().st_size:
            return path
        time.sleep(0.1)
    raise AssertionError(f"{path.name} was not saved")


def main(folder, nca, pictures):
    downloads = Path(tempfile.mkdtemp())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    browser = Browser(downloads)
    checks = 0

    def check(what, true, found=""):
        nonlocal checks
        assert true, f"{what}: {found}"
        checks += 1
        print("ok:", what, found if found != "" else "", flush=True)

    try:
        # Load, twice: the second finds everything in the cache.
        browser.call("POST", "/url", {"url": url})
        browser.wait("nca.points")
        browser.call("POST", "/url", {"url": url})
        started = time.monotonic()
        browser.wait("nca.points && nca.measures.test !== null")
        check("the first picture of a warm load", True, f"{time.monotonic() - started:.2f} s")

        # Iris, to the end, and the same by the program.
        browser.choose("l2", "0.01")
        trained(browser)
        value, accuracy = browser.run("return [nca.slice.value, nca.measures.test]")
        subprocess.run(
            [nca, "fit", "iris", "--dim", "2", "--objective", "g", "--l2", "0.01", "--start-perplexity", "15", "--seed", "0", "--quiet", "--out", str(downloads / "iris")],
            check=True, capture_output=True)
        native = json.loads((downloads / "iris" / "model" / "model.json").read_text())["summary"]["value"]
        check("the objective of iris is the program's to 1e-4", abs(value - native) <= 1e-4 * abs(native), f"{value} and {native}")
        check("held-out accuracy of iris", accuracy > 0.9, accuracy)
        browser.screenshot(pictures / "iris.png")

        # A row is chosen by keyboard; its choice sums to one.
        browser.run("""document.getElementById('picture').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))""")
        browser.wait("nca.picked")
        total = browser.run("return nca.picked.choice.classes.reduce((a, b) => a + b)")
        check("the probabilities of a choice sum to 1", abs(total - 1) < 1e-9, total)

        # One's own table, and the model taken back to the program.
        mine = table(downloads / "mine.csv")
        browser.drop("mine.csv", mine.read_bytes())
        browser.wait("nca.table.name === 'mine.csv'")
        check("a dropped table is read", browser.run("return nca.table.classes") == ["no", "yes"])
        trained(browser)
        browser.run("document.getElementById('cells').value = '1.02, 1.98, 4'")
        browser.click("#place")
        browser.wait("nca.placed.rows.length && nca.picked")
        page_says = browser.run("return nca.placed.classes[0]")
        browser.click("[data-out=model]")
        browser.click("[data-out=matrix]")
        saved(downloads / "mine-A.csv")
        zipfile.ZipFile(saved(downloads / "mine-model.zip")).extractall(downloads)
        (downloads / "new.csv").write_text("a,b,noise\n1.02,1.98,4\n")
        out = subprocess.run(
            [nca, "predict", str(downloads / "model"), str(downloads / "new.csv"), "--rule", "soft", "--probabilities"],
            check=True, capture_output=True, text=True).stdout.strip().splitlines()
        program_says = dict(zip(out[0].split(","), out[1].split(",")))
        numbers = [float(v) for k, v in program_says.items() if k.endswith(("no", "yes"))]
        check("the program's prediction by the page's model is the page's", len(numbers) == 2 and all(abs(a - b) < 1e-5 for a, b in zip(numbers, page_says)), f"{numbers} {page_says}")
        check("A as CSV has the features' names", (downloads / "mine-A.csv").read_text().startswith('a,b,noise\n'))

        # New rows from a file: with other columns and in another order, dropped and chosen; they move with the map.
        (downloads / "rows.csv").write_text("kind,noise,b,a,id\nyes,4,1.98,1.02,1\n?,3,0.1,0.02,2\n")
        browser.drop("rows.csv", (downloads / "rows.csv").read_bytes(), "#zones [data-drop=rows]")
        browser.wait("nca.placed.rows.length === 2 && nca.points.length === 3 * 62 && !nca.unsaid")
        classes = browser.run("return nca.placed.classes")
        check("rows of a file have the probabilities of the row that was typed", classes[0] == page_says and classes[1][0] > 0.9, classes)
        check("the table of before is still there", browser.run("return nca.table.name") == "mine.csv")
        said = browser.run("return [document.getElementById('placedNote').textContent, ...[...document.querySelectorAll('#placed li')].map((item) => item.textContent)]")
        check("new rows are said in words", len(said) == 3 and "2 new rows" in said[0] and "yes: " in said[1] and said[2].startswith("Row 2: no"), said)
        browser.choose("l2", "0.1")
        browser.wait("nca.slice.iteration === 0")
        before = browser.run("return [...nca.points.slice(-6)]")
        browser.click("#step")
        browser.wait("nca.slice.iteration >= 1")
        check("new rows move with the map", browser.run("return [...nca.points.slice(-6)]") != before)
        browser.choose("testSize", "0.2")
        browser.wait("nca.table.rows && nca.heldOut.reduce((a, b) => a + b) === 12 && nca.points.length === 3 * 62")
        check("new rows stay when the fit starts again", browser.run("return nca.placed.rows.length") == 2)
        browser.click("#restart")
        browser.wait("nca.slice.iteration === 0 && nca.points.length === 3 * 62")
        check("and when it is restarted", browser.run("return nca.placed.rows.length") == 2)
        check("the set is one's own file", browser.run("return document.getElementById('set').selectedOptions[0].text") == "your file")
        browser.run("document.body.dispatchEvent(new DragEvent('dragover', {dataTransfer: new DataTransfer(), bubbles: true, cancelable: true}))")
        browser.wait("!nca.stale && !nca.unsaid")
        check("while a file is dragged, the page says what may become of it", browser.run("return document.getElementById('zones').checkVisibility()"))
        browser.screenshot(pictures / "own-table.png")
        browser.run("document.body.dispatchEvent(new DragEvent('dragleave', {bubbles: true}))")
        for name, data, words in [("no-b.csv", b"a,noise\n1,2\n", ["no-b.csv", "b"]), ("text.csv", b"a,b,noise\n1,x,2\n", ["text.csv", "x"])]:
            browser.run("document.getElementById('message').textContent = ''")
            browser.drop(name, data, "#newRows")
            text = browser.wait("document.getElementById('message').textContent")
            check(f"rows of {name} are refused in words", all(word in text for word in words), text)
        check("the new rows of before are still there", browser.run("return nca.placed.rows.length") == 2)
        browser.run("document.getElementById('newRows').open = true")
        browser.click("#takeOut")
        browser.wait("nca.points.length === 3 * 60")
        browser.select("#rowsFile", downloads / "rows.csv")
        browser.wait("nca.points.length === 3 * 62")
        check("rows can be chosen as a file", browser.run("return document.getElementById('message').hidden"))
        browser.choose("testSize", "0.3")
        browser.wait("nca.heldOut.reduce((a, b) => a + b) === 18")
        browser.choose("l2", "0.01")
        browser.wait("nca.slice.iteration === 0")
        browser.wait("!nca.stale && !nca.unsaid")

        # The picture and the link.
        for kind in ("svg", "png", "link"):
            browser.click(f"[data-out={kind}]")
        root = ElementTree.parse(saved(downloads / "mine.svg")).getroot()
        marks = [element for element in root.iter() if element.tag.endswith(("circle", "polygon")) and element.get("stroke") != "#d4183d" and element.get("class") != "new"]
        stars = [element for element in root.iter() if element.get("class") == "new"]
        check("the SVG holds a star for each new row", len(stars) == 2, len(stars))
        check("the SVG holds a mark for each row and each class", len(marks) == 62, len(marks))
        png = saved(downloads / "mine.png").read_bytes()
        check("the PNG is a picture", png[:8] == b"\x89PNG\r\n\x1a\n" and min(struct.unpack(">II", png[16:24])) > 200, struct.unpack(">II", png[16:24]))
        settings = json.loads(urllib.parse.unquote(browser.wait("location.hash.slice(1)")).split("&", 1)[1])
        check("the link carries the settings", settings["l2"] == 0.01 and settings["dim"] == 2, settings)

        # Text and holes, as the program reads them.
        mixed = mixed_table(downloads / "mixed.csv")
        browser.choose("ignore", "id")
        browser.drop("mixed.csv", mixed.read_bytes())
        text = browser.wait("document.getElementById('message').textContent")
        check("text is refused in words", "red" in text or "NA" in text or "missing" in text, text)
        browser.choose("missing", "mean")
        browser.choose("categorical", "auto")
        browser.wait("nca.table.name === 'mixed.csv'")
        check("what was done to the table is said", browser.run("return nca.table.remarks.length") > 0, browser.run("return nca.table.remarks"))
        check("the row without a class is left out", browser.run("return [nca.table.rows, nca.rows[7]]") == [79, 8])
        trained(browser)
        browser.run("document.getElementById('cells').value = '21, NA'")
        browser.click("#place")
        browser.wait("nca.placed.rows.length")
        page_says = browser.run("return nca.placed.classes[0]")
        browser.click("[data-out=model]")
        (downloads / "mixed").mkdir()
        zipfile.ZipFile(saved(downloads / "mixed-model.zip")).extractall(downloads / "mixed")
        (downloads / "mixed-new.csv").write_text("size,color\n21,NA\n")
        out = subprocess.run(
            [nca, "predict", str(downloads / "mixed" / "model"), str(downloads / "mixed-new.csv"), "--rule", "soft", "--probabilities"],
            check=True, capture_output=True, text=True).stdout.strip().splitlines()
        numbers = [float(v) for k, v in zip(out[0].split(","), out[1].split(",")) if k.endswith(("small", "large"))]
        check("the program prepares and predicts a raw row as the page does", len(numbers) == 2 and all(abs(a - b) < 1e-5 for a, b in zip(numbers, page_says)), f"{numbers} {page_says}")
        browser.screenshot(pictures / "text-and-holes.png")
        for control, value in [("ignore", ""), ("missing", "refuse"), ("categorical", "none")]:
            browser.run("document.getElementById(arguments[0]).value = arguments[1]", control, value)
        browser.drop("mine.csv", mine.read_bytes())
        browser.wait("nca.table.name === 'mine.csv'")

        # Bad files, in words.
        for name, data, word in [
            ("empty.csv", b"", "empty"),
            ("short.csv", b"a,b,c\n1,2,x\n1,2\n", "row"),
            ("one.csv", b"a,c\n1,x\n2,x\n3,x\n", "two classes"),
            ("binary.csv", bytes(range(256)) * 4, "binary.csv"),
        ]:
            browser.run("document.getElementById('message').textContent = ''")
            browser.drop(name, data)
            text = browser.wait("document.getElementById('message').textContent")
            check(f"{name} is refused in words", word in text, text)
            (downloads / name).write_bytes(data)
            program = subprocess.run([nca, "fit", name, "--out", "no"], cwd=downloads, capture_output=True, text=True, check=False)
            # The hint, the end of the sentence here, is a line of its own there, which may name options first.
            same = program.returncode != 0 and all(part in program.stderr for part in text.rsplit("; ", 1))
            check("the program says the same", same, program.stderr.strip()[:60])
        check("the table of before is still there", browser.run("return [nca.table.name, nca.source.name]") == ["mine.csv", "mine.csv"])

        # Every map, both criteria, three dimensions, and a collapse.
        browser.choose("set", "rings")
        browser.wait("nca.table.name === 'rings'")
        for control, value in [("map", "mlp"), ("map", "diagonal"), ("map", "linear"), ("dim", "3"), ("criterion", "F")]:
            browser.choose(control, value)
            browser.click("#step")
            browser.wait("nca.slice.iteration >= 1 || nca.slice.ended")
            check(f"{control} {value}", browser.run("return document.getElementById('message').hidden"))
        key = "document.getElementById('picture').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', shiftKey: true, bubbles: true})); return nca.turn.y"
        check("the keyboard turns three dimensions", browser.run(key) < 0.5, browser.run("return nca.turn"))
        browser.wait("!nca.stale && !nca.unsaid")
        browser.screenshot(pictures / "rings-3d.png")
        browser.choose("dim", "2")
        browser.choose("criterion", "G")
        browser.choose("l2", "1")
        trained(browser)
        check("a collapse is named", browser.run("return nca.measures.collapse"), browser.run("return nca.measures.collapse"))
        browser.choose("l2", "")

        # Digits: how fluid it is.
        browser.choose("set", "digits")
        browser.wait("nca.table.name === 'digits'")
        browser.click("#play")
        time.sleep(4)
        check("digits trains", browser.run("return nca.slice.iteration") > 0, browser.run("return `${nca.slice.iteration} steps, ${nca.slice.stepMs.toFixed(1)} ms a step, ${Math.round(nca.framesPerSecond)} pictures a second`"))
        for scheme, paper, most in [("dark", "#0d0e10", 3), ("light", "#ffffff", 2)]:
            browser.scheme(scheme)
            fills = browser.run("return [...document.querySelectorAll('#legend svg > *')].map((mark) => mark.getAttribute('fill'))")
            least, kind = colors.nearest(fills)
            check(f"ten classes have ten colors on {scheme} paper, distinguishable with color blindness too", len(set(fills)) == 10 and least > 12, f"CIEDE2000 {least:.1f} for {kind}")
            seen = min(colors.contrast(fill, paper) for fill in fills)
            check(f"they are seen on {scheme} paper", seen >= most, f"contrast {seen:.1f}")
        browser.drop("few.csv", b"a,b\n1,2\n", "#newRows")
        browser.wait("document.getElementById('message').textContent")
        check("rows that are refused do not stop the fit", browser.run("return nca.playing || nca.slice.ended"))
        browser.screenshot(pictures / "digits.png")
        browser.run("if (nca.playing) document.getElementById('play').click()")

        # Larger tables: printed, not asserted.
        browser.drop("5000x64.csv", blobs(5000, 64, 10))
        browser.wait("nca.table.name === '5000x64.csv'", 120)
        check("the objective at the start is in the curve", browser.run("return nca.objective[0][0]") == 0)
        browser.click("#play")
        time.sleep(8)
        check("5000 x 64 trains", browser.run("return nca.slice.iteration") > 0, browser.run("return `${nca.slice.iteration} steps, ${nca.slice.stepMs.toFixed(1)} ms a step, ${Math.round(nca.framesPerSecond)} pictures a second`"))
        browser.run("if (nca.playing) document.getElementById('play').click()")
        started = time.monotonic()
        browser.drop("20000x8.csv", blobs(20000, 8, 5))
        browser.wait("nca.table.name === '20000x8.csv'", 300)
        browser.wait("nca.points && nca.points.length === 60000", 60)
        check("20000 points are shown", True, f"{time.monotonic() - started:.1f} s from the drop")
        check("wrong rows are ringed there too", browser.run("return nca.measures.wrong.length") > 0, browser.run("return nca.measures.wrong.length"))
        browser.wait("!nca.stale && !nca.unsaid")
        browser.run(COUNT_CALLS)
        browser.wait("!nca.stale")
        calls = browser.run("return nca.calls / (nca.drawn - nca.drawnBefore)")
        check("a picture of 20000 points costs a few calls of the canvas", 0 < calls < 100, calls)
        browser.screenshot(pictures / "20000.png")

        # A link opened again.
        browser.call("POST", "/url", {"url": "about:blank"})
        browser.call("POST", "/url", {"url": url + "#" + urllib.parse.quote('wine&{"dim":3,"criterion":"F","l2":0.1,"map":"linear"}')})
        browser.wait("window.nca && nca.points && nca.table.name === 'wine'")
        shown = browser.run("return ['set', 'dim', 'criterion', 'l2'].map((id) => document.getElementById(id).value)")
        check("a link reproduces the settings", shown == ["wine", "3", "F", "0.1"], shown)

        # Small and dark.
        browser.scheme("dark")
        browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}})
        time.sleep(1)
        wide = browser.run("return document.documentElement.scrollWidth")
        browser.screenshot(pictures / "phone-dark.png")
        check("nothing sticks out on a phone", wide <= 390, wide)

        # Nothing left the page.
        events = [json.loads(entry["message"])["message"] for entry in browser.call("POST", "/se/log", {"type": "performance"})]
        urls = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
        strange = [u for u in urls if not u.startswith((url, "blob:", "data:"))]
        check("no request leaves the page", not strange, strange)
        errors = [entry["message"] for entry in browser.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]
        check("no error on the console", not errors, errors)
    finally:
        browser.quit()
        server.shutdown()
    print(f"{checks} checks passed")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    shots = Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp())
    shots.mkdir(parents=True, exist_ok=True)
    main(sys.argv[1], os.path.abspath(sys.argv[2]), shots)
