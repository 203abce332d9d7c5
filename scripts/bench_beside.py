"""Queries over tables in memory, asked of us and of peers in the same run, beside which their answers are compared.

A benchmark gives its tasks, the script that makes our tables and what makes the peers' from the same row numbers. Each
engine runs in a process of its own with two threads; the first run of a query warms up, the median of the others counts. Of a
result its rows are counted, numbers and times of each column are summed up, texts by their length.
"""
import argparse
import json
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass

from bench import PELORUS
from bench_record import ROOT, call, entry, installed_peers, peers_python, record

OWN_MEASURE = """
def digest(r) {{
    sums = "rows=" + string(rows(r))
    for (name in columnNames(r)) {{
        c = r[name]
        if (rows(r) == 0) x = 0.0
        else if (type(c) in [STRING, SYMBOL]) x = double(sum(strlen(string(c))))
        else if (type(c) == DATE) x = 86400.0 * sum(long(c))
        else if (type(c) == DATETIME) x = double(sum(long(c)))
        else x = double(sum(c))
        sums += " " + name + "=" + string(decimal128(iif(isNull(x), 0.0, x), 9))
    }}
    return sums
}}
def measured(name, q) {{
    for (run in 0:{runs}) {{
        begin = now(true)
        r = eval(q)
        print name + " " + string((now(true) - begin) \\ 1000000000.0)
    }}
    print "check " + name + " " + digest(r)
}}
"""


@dataclass
class Task:
    """A query in our language and in those of the peers, and how much of the best peer's time it may take."""

    what: str
    ours: str
    duckdb: str
    goal: float
    polars: str = ""  # an expression over lazy frames
    any_rows: bool = False  # which rows the answer holds is open: only their number is compared


def options_of(description, rows, tasks, peers, runs=6):
    """The arguments of a benchmark's command line; tasks that it does not have end it."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--rows", type=int, default=rows)
    parser.add_argument("--tasks", default=",".join(tasks))
    parser.add_argument("--peers", default=",".join(peers))
    parser.add_argument("--runs", type=int, default=runs, help="of each query, the first of which warms up")
    options = parser.parse_args()
    options.tasks = options.tasks.split(",")
    if unknown := [name for name in options.tasks if name not in tasks]:
        sys.exit(f"bench: no task {', '.join(unknown)}; there are {', '.join(tasks)}")
    return options


def own_results(own_rows, tasks, runs):
    """Name: its runs in seconds and what its answer sums up to, or the error that it ended with."""
    script = own_rows + OWN_MEASURE.format(runs=runs)
    for name, task in tasks.items():
        script += f'try {{ measured("{name}", <{task.ours}>) }} catch (e) {{ print "failed {name} " + e[1] }}\n'
    output = call([PELORUS, "-"], input=script, stdout=subprocess.PIPE).stdout
    results = {name: {"runs": []} for name in tasks}
    for name, seconds in re.findall(r"^(\w+) ([\d.Ee+-]+)$", output, re.M):
        results[name]["runs"].append(float(seconds))
    for name, values in re.findall(r"^check (\w+) (.*)$", output, re.M):
        results[name]["check"] = {column: float(value) for column, value in (pair.split("=") for pair in values.split())}
    for name, error in re.findall(r"^failed (\w+) (.*)$", output, re.M):
        results[name]["error"] = error
    return results


def peer_results(python, peer, setup, tasks, runs):
    """The same of a peer; of polars only where it was asked."""
    queries = {name: getattr(task, peer) for name, task in tasks.items() if getattr(task, peer)}
    asked = json.dumps({"peer": peer, "runs": runs, "setup": setup, "queries": queries})
    return json.loads(call([python, ROOT / "tests/perf/query_peers.py"], input=asked, stdout=subprocess.PIPE).stdout)


def seconds(result):
    return statistics.median(result["runs"][1:] or result["runs"])


def agrees(task, ours, theirs):
    """Ours may have more columns: keys of groups that are not selected are shown."""
    columns = ["rows"] if task.any_rows else theirs
    return all(column in ours and abs(ours[column] - theirs[column]) <= 1e-9 * max(1, abs(theirs[column])) for column in columns)


def compare(tasks, own_rows, setups, options, mode):
    """Measures, prints and records; 1 when an answer differed or a query failed. `setups`: peer, what makes its tables."""
    python = peers_python(ROOT / "build/bench")
    tasks = {name: tasks[name] for name in options.tasks}
    ours = own_results(own_rows, tasks, options.runs)
    peers = {peer: peer_results(python, peer, setups[peer], tasks, options.runs)
             for peer in installed_peers(python, options.peers.split(","))}
    rows, ratios, wrong = [], [], 0
    print(f"{'query':58} {'seconds':>9} {'best peer':>20} {'ours/peer':>10}  goal")
    for name, task in tasks.items():
        if "check" not in ours[name]:
            wrong += 1
            print(f"{name}: failed, {ours[name].get('error', 'without an answer')}", file=sys.stderr)
            continue
        for peer, results in peers.items():
            if name in results and not agrees(task, ours[name]["check"], results[name]["check"]):
                wrong += 1
                print(f"{name}: {peer} gives {results[name]['check']}, we {ours[name]['check']}", file=sys.stderr)
        elapsed = seconds(ours[name])
        times = {peer: seconds(results[name]) for peer, results in peers.items() if name in results}
        best = min(times, key=times.get) if times else None
        ratio = elapsed / times[best] if best else None
        if best:
            ratios.append(ratio)
        reached = bool(best) and ratio <= task.goal
        rows.append(entry(name, str(options.rows), mode, seconds=elapsed, peers=times, goal=task.goal, reached=reached))
        print(f"{name + ': ' + task.what:58.58} {elapsed:9.4f} {f'{best} {times[best]:.4f}' if best else '-':>20} "
              f"{f'{ratio:10.2f}' if best else '         -'}  <= {task.goal}: {'reached' if reached else 'not reached'}")
    if ratios:
        print(f"ratios: geometric mean {statistics.geometric_mean(ratios):.2f}, median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}")
    record(rows)
    return 1 if wrong else 0
