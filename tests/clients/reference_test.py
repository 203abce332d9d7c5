#!/usr/bin/env python3
"""The reference at /docs/: pages of functions for anybody, and the same pages as a folder by `pelorus docs`."""
import subprocess
import sys
import tempfile
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases, tally  # noqa: E402
from doors_test import Server  # noqa: E402


def a_node_has_the_pages(server):
    status, text, answer = server.http("GET", "/docs/functions/wavg.html")
    assert status == 200 and "wavg(X, Y)" in text, (status, text[:200])
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"], answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert server.http("GET", "/docs")[2].headers["Location"] == "/docs/"
    assert server.http("GET", "/docs/")[0] == 200
    status, text, _ = server.http("GET", "/docs/guide/howto/bars.html")
    assert status == 200 and "<h1 id=\"make-bars\">" in text, (status, text[:200])
    for path in ("/docs/functions/nothing.html", "/docs/../etc/passwd", "/docs/%2e%2e/x", "/docs/functions/"):
        assert server.http("GET", path)[0] in (400, 404), path
    assert server.http("POST", "/docs/", "x")[0] == 405


def the_folder_has_the_same_pages(server):
    with tempfile.TemporaryDirectory(prefix="pelorus_docs_") as folder:
        said = subprocess.run([sys.argv[1], "docs", "--out", folder + "/site"], capture_output=True, text=True, timeout=60)
        assert said.returncode == 0, said.stderr
        pages = [path for path in Path(folder, "site").rglob("*") if path.is_file()]
        assert len(pages) > 1000 and said.stdout.startswith(f"{len(pages)} pages"), (len(pages), said.stdout)
        for name in ("index.html", "functions/wavg.html", "search.js", "guide/language/tables.html"):
            assert Path(folder, "site", name).read_text() == server.http("GET", "/docs/" + name)[1], name
        Path(folder, "file").touch()
        refused = subprocess.run([sys.argv[1], "docs", "--out", folder + "/file"], capture_output=True, text=True, timeout=60)
        assert refused.returncode != 0 and "Not a directory" in refused.stderr, refused


def main():
    server = Server()
    try:
        passed, failed = run_cases([a_node_has_the_pages, the_folder_has_the_same_pages], server)
    finally:
        server.stop()
    return tally(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
