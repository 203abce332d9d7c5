#!/usr/bin/env python3
"""The language server while somebody types: completion and diagnostics in a script of 5,000 lines, and the opening of a workspace of 1,000 scripts;
and the pages of a grid of ten million rows.

    python3 scripts/bench_editor.py [PELORUS]

Each figure stands beside its limit and beside the cost of the same messages when the server has nothing to compute (a script of one line), in the same
run. The processor time of the server stands beside the time that passed: on a busy machine it alone tells something."""
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/editor"))
from lsp_client import LspClient  # noqa: E402

PELORUS = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/pelorus")
LINES = 5_000
SCRIPTS = 1_000
ROUNDS = 300
GRID_ROWS = 10_000_000
PAGES = 200
PAUSE = 0.03  # seconds between the answers to a key and the next one: twice as fast as people type


def block(number):
    """Twenty lines of what people write."""
    return f"""
// Signal number {number} from closing prices.
def signal{number}(prices, window=20) {{
    mean = mavg(prices, window)
    deviation = mstd(prices, window)
    score = (prices - mean) / deviation
    if (window < 5) {{
        return score
    }} else {{
        for (i in 0..3) {{
            score = iif(abs(score) > 3, 0.0, score) * (1 + 0.{number % 10})
        }}
    }}
    return score
}}
trades{number} = table(1..100 as id, take(`A`B`C, 100) as sym, rand(100.0, 100) as price, rand(1000, 100) as qty)
daily{number} = select sum(qty) as volume, avg(price) as vwap
    from trades{number}
    where price > 10, sym in `A`B
    group by sym
result{number} = each(signal{number}{{, 20}}, [daily{number}.vwap, daily{number}.volume])
"""


def script(lines):
    parts, count = [], 0
    while count < lines:
        parts.append(block(len(parts)))
        count += parts[-1].count("\n")
    return "".join(parts)


def processor_millis(client):
    """What the server's threads have run so far; those that have ended do not count."""
    total = 0
    for path in Path(f"/proc/{client.process.pid}/task").glob("*/schedstat"):
        try:
            total += int(path.read_text().split()[0])
        except OSError:
            pass  # the thread has just ended
    return total / 1e6


class Clock:
    """Milliseconds since it was made, as (passed, processor)."""

    def __init__(self, client):
        self.client, self.processor, self.begin = client, processor_millis(client), time.perf_counter()

    def read(self):
        passed = (time.perf_counter() - self.begin) * 1000
        return passed, processor_millis(self.client) - self.processor


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def typing(client, uri, line, text):
    """Milliseconds from a key to the completion, and to the diagnostics, of one letter after the other."""
    completions, diagnostics = [], []
    place = {"line": line, "character": 0}
    for round_ in range(ROUNDS):
        letter = text[place["character"] % len(text)]
        if place["character"] >= len(text):
            client.change(uri, [{"range": {"start": {"line": line, "character": 0}, "end": {"line": line, "character": place["character"]}}, "text": ""}])
            place["character"] = 0
            client.wait_diagnostics(uri)
            continue
        time.sleep(PAUSE)
        clock = Clock(client)
        client.change(uri, [{"range": {"start": dict(place), "end": dict(place)}, "text": letter}])
        place["character"] += 1
        if round_ % 2 == 0:
            client.request("textDocument/completion", {"textDocument": {"uri": uri}, "position": dict(place)})
            completions.append(clock.read())
            client.wait_diagnostics(uri)
        else:
            client.wait_diagnostics(uri)
            diagnostics.append(clock.read())
    return completions, diagnostics


def show(name, times, limit, share, peers=None, of="a script of one line"):
    passed, processor = (percentile([time[i] for time in times], share) for i in (0, 1))
    peer = percentile([time[0] for time in peers], share) if peers else 0
    beside = f", {passed / peer:.1f}x {of} ({peer:.1f} ms)" if peers else ""
    name += {0.5: ", median", 0.99: ", p99"}.get(share, "")
    print(f"{name:<46} {passed:8.1f} ms   processor {processor:6.1f} ms   limit {limit} ms: {passed / limit:.2f}x{beside}")
    return passed <= limit


def page_times(client, result, **order):
    """Milliseconds from the request of a page of 200 rows to its answer, at places all over the grid."""
    times = []
    for number in range(PAGES):
        offset = number * 7_919_993 % (GRID_ROWS - 200)
        clock = Clock(client)
        client.request("pelorus/page", {"handle": result["handle"], "offset": offset, "count": 200, **order}, 120)
        times.append(clock.read())
    return times


def bench_pages():
    client = LspClient(PELORUS)
    client.request("pelorus/connect", {"folder": ""})
    script = f"""n = {GRID_ROWS}
table(0..(n - 1) as id, rand(`AAPL`IBM`MSFT`ORCL, n) as sym, 2024.01.02T09:30:00.000 + 0..(n - 1) as time, rand(100.0, n) as bid, rand(100.0, n) as ask,
      rand(1000, n) as bidSize, rand(1000, n) as askSize)"""
    result = client.request("pelorus/run", {"script": script}, 120)["values"][-1]
    small = client.request("pelorus/run", {"script": "table(take(1, 200) as id)"})["values"][-1]
    floor = page_times(client, small)
    times = page_times(client, result)
    good = show(f"page of {GRID_ROWS:,} rows x 7", times, 30, 0.5, floor, "a page of 200 rows x 1")
    good &= show(f"page of {GRID_ROWS:,} rows x 7", times, 30, 0.99, floor, "a page of 200 rows x 1")
    for what, order in (("sorted by a DOUBLE", {"sort": {"column": 3}}), ("filtered", {"filter": "bid > 50 and sym == `IBM"})):
        begin = time.perf_counter()
        client.request("pelorus/page", {"handle": result["handle"], "offset": 0, "count": 200, **order}, 120)
        print(f"{'first page ' + what:<46} {(time.perf_counter() - begin) * 1000:8.1f} ms")
        times = page_times(client, result, **order)
        good &= show(f"later pages {what}", times, 30, 0.99, floor, "a page of 200 rows x 1")
    chart = client.request("pelorus/run", {"script": f"plot(cumsum(rand(2.0, {GRID_ROWS}) - 1.0))"}, 120)["values"][-1]
    begin = time.perf_counter()
    picture = client.request("pelorus/chart", {"handle": chart["handle"], "width": 1000, "height": 400}, 120)["svg"]
    print(f"chart of {GRID_ROWS:,} points, {len(picture) // 1024} KB               {(time.perf_counter() - begin) * 1000:8.1f} ms")
    client.close()
    return good


def main():
    text = script(LINES)
    client = LspClient(PELORUS)
    client.open("file:///bench/large.dos", text + "\n")
    client.open("file:///bench/small.dos", "\n")
    client.wait_diagnostics("file:///bench/small.dos")
    line = text.count("\n")
    typed = "answer = select sym, avg(price) from trades17 where qty > 3 order by sy"
    small = typing(client, "file:///bench/small.dos", 0, typed)
    large = typing(client, "file:///bench/large.dos", line, typed)
    good = True
    for name, values, peers, limit in (("completion", large[0], small[0], 20), ("diagnostics", large[1], small[1], 50)):
        good &= show(f"{name}, {line:,} lines", values, limit, 0.5, peers)
        good &= show(f"{name}, {line:,} lines", values, limit, 0.99, peers)
    begin = time.perf_counter()
    uri = {"textDocument": {"uri": "file:///bench/large.dos"}}
    tokens = client.request("textDocument/semanticTokens/full", uri)["data"]
    print(f"colours of {line:,} lines ({len(tokens) // 5:,} words)         {(time.perf_counter() - begin) * 1000:8.1f} ms")
    begin = time.perf_counter()
    client.request("textDocument/formatting", {**uri, "options": {"tabSize": 4, "insertSpaces": True}})
    print(f"formatting {line:,} lines                         {(time.perf_counter() - begin) * 1000:8.1f} ms")
    client.close()
    with tempfile.TemporaryDirectory() as folder:
        lines = 0
        for number in range(SCRIPTS):
            body = f"module area{number % 10}::script{number}\n" + "".join(block(number * 5 + i) for i in range(5))
            lines += body.count("\n")
            Path(folder, f"script{number}.dos").write_text(body)
        begin = time.perf_counter()
        client = LspClient(PELORUS, folder)
        ready = time.perf_counter()
        found = client.request("workspace/symbol", {"query": "signal"}, seconds=60)
        whole = ((time.perf_counter() - begin) * 1000, processor_millis(client))
        assert len(found) == 500, len(found)
        client.close()
        print(f"start with {SCRIPTS:,} scripts, until it answers         {(ready - begin) * 1000:8.1f} ms")
        good &= show(f"workspace of {SCRIPTS:,} scripts, {lines:,} lines, known", [whole], 1000, 0)
    good &= bench_pages()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
