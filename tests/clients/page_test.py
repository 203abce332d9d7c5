#!/usr/bin/env python3
"""The page that a node serves to browsers: what is committed is what its sources make, `webRoot` serves a folder and nothing beside
it, and a real window in Chromium (page_window.mjs).

The comparison runs where npm has installed the page's packages (`make page`); the window where `scripts/setup.sh --long` has put
playwright-core, axe-core and Chromium. Skipped elsewhere."""
import filecmp
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PELORUS = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/pelorus").resolve()
PAGE = ROOT / "clients/web/page"
MODULES = Path(os.environ.get("PELORUS_JAVASCRIPT_MODULES", ROOT / "build/clients/node_modules"))
NODE = next((str(p) for p in (ROOT / ".venv/bin/node",) if p.exists()), shutil.which("node"))
CHROMIUM = shutil.which("chromium")
SCREENSHOTS = os.environ.get("PELORUS_SCREENSHOTS")
BROWSER = {"Accept": "text/html,*/*"}
passed = failed = skipped = 0


def check(what, holds, found=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {found}")


def skip(why):
    global skipped
    skipped += 1
    print(f"SKIPPED: {why}")


class Node:
    """A node on a port that is free, with further settings."""

    def __init__(self, folder, *settings):
        config = Path(folder) / "node.cfg"
        config.write_text("\n".join(["port=0", f"dataDir={folder}/data", "adminPassword=Page-1234", *settings]) + "\n")
        self.process = subprocess.Popen([PELORUS, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rstrip(".\n").rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()

    def get(self, path, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest("GET", path, skip_accept_encoding=True)  # the path as it is, dots and all
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body


def page_of_program():
    with tempfile.TemporaryDirectory(prefix="pelorus_page_") as folder, Node(folder) as node:
        answer, body = node.get("/", BROWSER)
        check("a browser gets the page", answer.status == 200 and b"/page/page.js" in body, body[:200])
        policy = answer.headers["Content-Security-Policy"]
        check("the page allows no inline script and no frame", "unsafe" not in policy and "frame-ancestors 'none'" in policy, policy)
        check("types are not guessed", answer.headers["X-Content-Type-Options"] == "nosniff")
        answer, body = node.get("/", {"Accept": "*/*"})
        check("other clients get the text on how to connect", b"pelorus connect" in body and answer.headers["Content-Type"].startswith("text/plain"), body[:200])
        packed = 0
        for name in ("work.js", "page.css", "index.html", "icon.svg", "page.js"):
            answer, body = node.get(f"/page/{name}", {"Accept-Encoding": "gzip"})
            check(f"{name} is packed", answer.headers["Content-Encoding"] == "gzip", answer.headers)
            packed += len(body)
        print(f"figure packed page {packed / 1024:.0f} KiB, before the login {len(body) / 1024:.1f} KiB of script")
        searched, _ = node.get("/docs/functions.js", {"Accept-Encoding": "gzip"})
        check("the list that the search looks in is packed", searched.headers["Content-Encoding"] == "gzip", searched.headers)
        check("the packed page is at most 400 KB", packed <= 400_000, packed)
        check("the login needs little of it", len(body) <= 10_000, len(body))
        answer, _ = node.get("/page/page.js", {"If-None-Match": answer.headers["ETag"]})
        check("what a browser has is not sent again", answer.status == 304, answer.status)
        dashboard = (ROOT / "packaging/grafana/pelorus.json").read_text()
        asked, told = set(re.findall(r"pelorus_\w+", dashboard)), node.get("/metrics")[1].decode()
        check("the dashboard asks for figures that the node tells", len(asked) > 5 and all(f"\n{name} " in told for name in asked), asked)
        check("the dashboard is JSON with panels", len(json.loads(dashboard)["panels"]) > 5)
        for path in ("/page/", "/page/../page/page.js", "/page/x.js", "/page/page.ts"):
            answer, _ = node.get(path, BROWSER)
            check(f"{path} is nothing", answer.status in (400, 404), answer.status)
        for name, headers in (("host", {"Host": "evil.example"}), ("site", {"Sec-Fetch-Site": "cross-site"}), ("origin", {"Origin": "https://evil.example"})):
            answer, _ = node.get("/page/page.js", headers)
            check(f"a foreign {name} is refused", answer.status == 403, answer.status)


def folder_instead():
    with tempfile.TemporaryDirectory(prefix="pelorus_page_") as folder:
        root = Path(folder) / "web"
        (root / "assets").mkdir(parents=True)
        (root / "index.html").write_text("<p>of the folder")
        (root / "assets/app.js").write_text("1")
        (root / ".secret").write_text("secret")
        (Path(folder) / "secret.txt").write_text("secret")
        (root / "link.txt").symlink_to("../secret.txt")
        (root / "up").symlink_to("..")
        with Node(folder, f"webRoot={root}") as node:
            answer, body = node.get("/", BROWSER)
            check("the folder's first page is served", body == b"<p>of the folder", body)
            answer, body = node.get("/assets/app.js")
            check("files of the folder are served", body == b"1" and "javascript" in answer.headers["Content-Type"], body)
            check("a view of the folder's application is its first page", node.get("/dashboard/3", BROWSER)[1] == b"<p>of the folder")
            check("health is answered as before", node.get("/health")[1] == b"ok\n")
            attacks = ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt", "/assets/../../secret.txt", "//etc/passwd", "/%2fetc%2fpasswd", "/link.txt", "/up/secret.txt",
                       "/up%2fsecret.txt", "/.secret", "/assets/../.secret", "/data/auth", "/secret.txt%00.html", "/index.html%00", "/%c0%ae%c0%ae/secret.txt", "/" + "a/../" * 500 + "../secret.txt", "/assets"]
            for path in attacks:
                answer, body = node.get(path)
                check(f"{path[:60]} leaves the folder", answer.status in (400, 404) and b"secret" != body, (answer.status, body[:80]))


def built_is_committed():
    if not NODE or not (PAGE / "node_modules/esbuild").exists():
        return skip("the page's packages are not installed; make page installs them")
    with tempfile.TemporaryDirectory(prefix="pelorus_dist_") as folder:
        subprocess.run([NODE, PAGE / "build.mjs", folder], check=True, timeout=120)
        names = sorted(p.name for p in (PAGE / "dist").iterdir())
        check("the built page has the committed files", names == sorted(p.name for p in Path(folder).iterdir()), names)
        _, differing, missing = filecmp.cmpfiles(PAGE / "dist", folder, names, shallow=False)
        check("clients/web/page/dist is what its sources make; make page builds it", not differing and not missing, differing + missing)


def window():
    if not NODE or not CHROMIUM or not (MODULES / "playwright-core").exists():
        return skip("the window, without playwright-core or chromium; scripts/setup.sh --long installs both")
    global passed, failed
    with tempfile.TemporaryDirectory(prefix="pelorus_screenshots_") as folder:
        run = subprocess.run([NODE, HERE / "page_window.mjs", MODULES, CHROMIUM, PELORUS, SCREENSHOTS or folder], capture_output=True, text=True, timeout=540)
    passed += sum(line.startswith("ok ") for line in run.stdout.splitlines())
    for line in run.stdout.splitlines():
        if line.startswith("SKIPPED: "):
            skip(line.removeprefix("SKIPPED: "))
    if run.returncode or "FAILED" in run.stdout or "ok " not in run.stdout:
        failed += 1
        print(run.stdout + run.stderr)
    else:
        print(*(line for line in run.stdout.splitlines() if line.startswith("figure")), sep="\n")


def main():
    page_of_program()
    folder_instead()
    built_is_committed()
    window()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
