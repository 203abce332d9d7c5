#!/usr/bin/env python3
"""Small queries of one user beside four others who take all the memory and time they can get, and the memory that the server has
after they left.

Prints the percentiles of the queries' times beside the attackers and without them, each with its limit, the most memory that the server
had beside its limit, and what it has some seconds after the attackers left beside what it had before.
"""
import statistics
import sys
import threading
import time

from bench import PELORUS
from bench_record import ROOT

sys.path.insert(0, str(ROOT / "tests/rights"))
from node import Node, Refused  # noqa: E402

LIMIT_GB = 2
P99_LIMIT_MS = 50
RETURN_LIMIT = 1.10
RETURN_SECONDS = 10
QUERIES = 300
SMALL = "exec sum(price * volume) from small where sym = `A7"
MAKE_SMALL = "small = table(take(`A1`A2`A3`A4`A5`A6`A7`A8`A9, 10000) as sym, rand(100.0, 10000) as price, rand(1000, 10000) as volume); 0"
ATTACKS = [
    "x = ()\ndo { x.append!(1..10) } while (true)",
    "schur(rand(1.0, 1500 * 1500)$1500:1500)",
    "each(def (x): 1..100, 1..1000000000)",
    "sort(rand(1000000000, 60000000))",
    "t = table(rand(20000, 20000) as a, rand(20000, 20000) as b, rand(1.0, 20000) as c)\nselect c from t pivot by a, b",
    "do { y = sum(1..1000000) } while (true)",
    "string(1..100000000)",
    "loop(def (x): sum(rand(1.0, 1000000)), 1..1000000)",
    "s = array(STRING, 0)\ndo { s.append!(string(rand(1000000000, 1000)) + \"some more text\") } while (true)",
]


def memory_of(node, field):
    """A field of the process's status in bytes."""
    with open(f"/proc/{node.process.pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))


def times_of(node):
    """Milliseconds of small queries, one after another, by a user who does nothing else."""
    times = []
    with node.session("bob", "secret-1") as bob:
        bob.run(MAKE_SMALL)
        for _ in range(QUERIES):
            begin = time.perf_counter()
            bob.run("long(" + SMALL + ")")
            times.append((time.perf_counter() - begin) * 1000)
            time.sleep(0.05)
    return times


def attack(node, user, stop):
    """Runs one greedy script after another, each for a few seconds, until it is told to stop."""
    at = int(user[-1])
    while not stop.is_set():
        at += 1
        try:
            with node.session(user, "secret-1") as session:
                session.stream.settimeout(3)
                session.outcome("script\n" + ATTACKS[at % len(ATTACKS)])
        except (Refused, OSError):
            pass


def describe(name, times, limit=None):
    p99 = statistics.quantiles(times, n=100)[98]
    beside = f", {p99 / limit:.2f} of the limit of {limit} ms" if limit else ""
    print(f"{name}: median {statistics.median(times):.2f} ms, p99 {p99:.2f} ms{beside}")


def beside_attackers(node, work):
    """What `work` returns while four users attack; some seconds after they left."""
    stop = threading.Event()
    attackers = [threading.Thread(target=attack, args=(node, f"eve{n}", stop)) for n in range(1, 5)]
    for attacker in attackers:
        attacker.start()
    time.sleep(2)
    answer = work()
    stop.set()
    for attacker in attackers:
        attacker.join()
    time.sleep(RETURN_SECONDS)
    return answer


def main():
    node = Node(str(PELORUS), f"maxMemSize={LIMIT_GB}")
    try:
        with node.admin() as admin:
            for user in ("bob", "eve1", "eve2", "eve3", "eve4"):
                admin.run(f'createUser("{user}", "secret-1")')
        describe("small queries alone", times_of(node))
        # A first round loads the code that the attacks use.
        beside_attackers(node, lambda: time.sleep(10))
        before = memory_of(node, "VmRSS")
        describe("small queries beside four attackers", beside_attackers(node, lambda: times_of(node)), P99_LIMIT_MS)
        after, peak = memory_of(node, "VmRSS"), memory_of(node, "VmHWM")
        megabyte = 1 << 20
        print(f"most memory: {peak // megabyte} MB, {peak / (LIMIT_GB << 30):.2f} of maxMemSize, limit 1.10")
        print(f"memory {RETURN_SECONDS} s after the second round: {after // megabyte} MB, {after / before:.2f} of the {before // megabyte} MB after "
              f"the first, limit {RETURN_LIMIT:.2f}")
    finally:
        node.remove()


if __name__ == "__main__":
    main()
