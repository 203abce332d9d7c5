#!/usr/bin/env python3
"""The queries of TSBS' devops use case, as TSBS writes them for QuestDB, over /exec: each answer is compared with one that Python calculates
from the same lines. Also the forms of the dialect that its older version and other clients use."""
import random
import sys
import traceback
from datetime import datetime, timedelta, timezone

from line_protocol_test import Node

START = datetime(2016, 1, 1, tzinfo=timezone.utc)
HOSTS, STEP, HOURS = 40, 60, 26
METRICS = ["usage_" + name for name in "user system idle nice iowait irq softirq steal guest guest_nice".split()]
TAGS = "hostname region datacenter rack os arch team service service_version service_environment".split()


def iso(at, digits=9):
    return at.strftime("%Y-%m-%dT%H:%M:%S") + ("." + "0" * digits if digits else "") + "Z"


def make_rows():
    """(time, tags, values): random walks of integers from 0 to 100, as TSBS makes them; shuffled."""
    draw = random.Random(7)
    hosts = []
    for number in range(HOSTS):
        region = draw.choice(["us-east-1", "eu-west-1", "sa-east-1"])
        hosts.append((f"host_{number}", region, region + draw.choice("abc"), str(draw.randrange(100)), draw.choice(["Ubuntu16.10", "Ubuntu15.10"]), draw.choice(["x64", "x86"]),
                      draw.choice(["SF", "LON"]), str(draw.randrange(20)), str(draw.randrange(2)), draw.choice(["test", "production"])))
    values = [[draw.randrange(101) for _ in METRICS] for _ in hosts]
    rows = []
    for i in range(HOURS * 3600 // STEP):
        for host, tags in enumerate(hosts):
            values[host] = [min(100, max(0, v + draw.randrange(-3, 4))) for v in values[host]]
            rows.append((START + timedelta(seconds=i * STEP), tags, values[host]))
    draw.shuffle(rows)
    return rows


def line_of(row):
    at, tags, values = row
    return "cpu," + ",".join(f"{k}={v}" for k, v in zip(TAGS, tags)) + " " + ",".join(f"{k}={v}i" for k, v in zip(METRICS, values)) + f" {int(at.timestamp()) * 10**9}\n"


def bucket(at, seconds):
    return datetime.fromtimestamp(int(at.timestamp()) // seconds * seconds, timezone.utc)


def grouped(rows, key, columns, combine):
    """[(key, combined values)] in the order of the keys."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row[2])
    return [(k, [combine([values[c] for values in groups[k]]) for c in columns]) for k in sorted(groups)]


def mean(values):
    return sum(values) / len(values)


def same(found, expected):
    assert len(found) == len(expected), (len(found), len(expected), found[:2], expected[:2])
    for a, b in zip(found, expected):
        assert len(a) == len(b) and all(x == y or isinstance(y, float) and abs(x - y) < 1e-9 for x, y in zip(a, b)), (a, b)


class Tsbs:
    def __init__(self, node, rows):
        self.node, self.rows = node, rows
        self.draw = random.Random(11)

    def window(self, hours):
        begin = START + timedelta(seconds=self.draw.randrange(int((HOURS - hours) * 3600)))
        return begin, begin + timedelta(hours=hours)

    def hosts(self, count):
        return [f"host_{n}" for n in self.draw.sample(range(HOSTS), count)]

    def chosen(self, begin, end, hosts=None):
        return [row for row in self.rows if begin <= row[0] < end and (hosts is None or row[1][0] in hosts)]

    def where(self, begin, end, hosts=None):
        names = "hostname IN (" + ", ".join(f"'{h}'" for h in hosts) + ") AND " if hosts else ""
        return f"\n\t\tFROM cpu\n\t\tWHERE {names}timestamp >= '{iso(begin, 0)}'\n\t\t  AND timestamp < '{iso(end, 0)}'"

    def single_groupby(self, metrics, hosts, hours):
        names, (begin, end) = self.hosts(hosts), self.window(hours)
        select = ", ".join(f"max({m}) AS max_{m}" for m in METRICS[:metrics])
        expected = grouped(self.chosen(begin, end, names), lambda r: bucket(r[0], 60), range(metrics), max)
        same(self.node.rows(f"SELECT {select}{self.where(begin, end, names)}\n\t\tSAMPLE BY 1m", count="false"), [v for _, v in expected])
        same(self.node.rows(f"SELECT timestamp, {select}{self.where(begin, end, names)} SAMPLE BY 1m"), [[iso(t), *v] for t, v in expected])

    def cpu_max_all(self, hosts, hours=8):
        names, (begin, end) = self.hosts(hosts), self.window(hours)
        select = ", ".join(f"max({m}) AS max_{m}" for m in METRICS)
        expected = grouped(self.chosen(begin, end, names), lambda r: bucket(r[0], 3600), range(len(METRICS)), max)
        same(self.node.rows(f"SELECT {select}{self.where(begin, end, names)} SAMPLE BY 1h"), [v for _, v in expected])
        same(self.node.rows(f"SELECT hour(timestamp) AS hour, {select}{self.where(begin, end, names)} SAMPLE BY 1h"), [[t.hour, *v] for t, v in expected])

    def double_groupby(self, metrics):
        begin, end = self.window(12)
        select = ", ".join(f"avg({m}) AS avg_{m}" for m in METRICS[:metrics])
        expected = grouped(self.chosen(begin, end), lambda r: (bucket(r[0], 3600), r[1][0]), range(metrics), mean)
        by_host = sorted(expected, key=lambda e: (e[0][0], e[0][1]))
        found = self.node.rows(f"SELECT hostname, {select}{self.where(begin, end)} SAMPLE BY 1h")
        same(sorted(found), sorted([host, *v] for (_, host), v in by_host))
        hosts_of_first_hour = {row[0] for row in found[:len({h for (t, h), _ in expected if t == bucket(begin, 3600)})]}
        assert hosts_of_first_hour == {h for (t, h), _ in expected if t == bucket(begin, 3600)}, "buckets of time are not in order"
        found = self.node.rows(f"SELECT timestamp, hostname, {select}{self.where(begin, end)} SAMPLE BY 1h GROUP BY timestamp, hostname")
        same(sorted(found), sorted([iso(t), host, *v] for (t, host), v in expected))

    def groupby_orderby_limit(self):
        _, end = self.window(1)
        expected = grouped([r for r in self.rows if r[0] < end], lambda r: bucket(r[0], 60), [0], max)
        same(self.node.rows(f"SELECT max(usage_user)\n\t\tFROM cpu\n\t\tWHERE timestamp < '{iso(end, 0)}'\n\t\tSAMPLE BY 1m\n\t\tORDER BY timestamp DESC\n\t\tLIMIT 5"),
             [v for _, v in expected[:-6:-1]])
        same(self.node.rows(f"SELECT timestamp AS minute, max(usage_user) FROM cpu WHERE timestamp < '{iso(end, 0)}' SAMPLE BY 1m LIMIT 5"), [[iso(t), *v] for t, v in expected[:5]])

    def lastpoint(self):
        last = max(r[0] for r in self.rows)
        expected = sorted([*r[1], iso(r[0]), *r[2]] for r in self.rows if r[0] == last)
        answer = self.node.ask("SELECT * FROM cpu latest by hostname")
        assert [c["name"] for c in answer["columns"]] == [*TAGS, "timestamp", *METRICS], answer["columns"]
        same(sorted(answer["dataset"]), expected)
        same(sorted(self.node.rows("SELECT * FROM cpu LATEST ON timestamp PARTITION BY hostname")), expected)
        same(self.node.rows("SELECT hostname, usage_user FROM cpu WHERE hostname IN ('host_3') LATEST ON timestamp PARTITION BY hostname ORDER BY hostname LIMIT 1"),
             [[r[0], r[11]] for r in expected if r[0] == "host_3"])

    def high_cpu(self, hosts):
        names, (begin, end) = (self.hosts(hosts) if hosts else None), self.window(12)
        expected = sorted([*r[1], iso(r[0]), *r[2]] for r in self.chosen(begin, end, names) if r[2][0] > 90)
        names_text = "AND hostname IN (" + ", ".join(f"'{h}'" for h in names) + ") " if names else ""
        found = self.node.rows(f"SELECT *\n\tFROM cpu\n\tWHERE usage_user > 90.0\n\t{names_text}AND timestamp >= '{iso(begin, 0)}'\n\tAND timestamp < '{iso(end, 0)}'")
        assert hosts or len(found) > 50, len(found)
        same(sorted(found), expected)


QUERIES = {
    **{f"single-groupby-{m}-{h}-{t}": (Tsbs.single_groupby, m, h, t) for m, h, t in ((1, 1, 1), (1, 1, 12), (1, 8, 1), (5, 1, 1), (5, 1, 12), (5, 8, 1))},
    "cpu-max-all-1": (Tsbs.cpu_max_all, 1), "cpu-max-all-8": (Tsbs.cpu_max_all, 8), "cpu-max-all-32-24": (Tsbs.cpu_max_all, 32, 24),
    "double-groupby-1": (Tsbs.double_groupby, 1), "double-groupby-5": (Tsbs.double_groupby, 5), "double-groupby-all": (Tsbs.double_groupby, 10),
    "high-cpu-all": (Tsbs.high_cpu, 0), "high-cpu-1": (Tsbs.high_cpu, 1), "lastpoint": (Tsbs.lastpoint,), "groupby-orderby-limit": (Tsbs.groupby_orderby_limit,),
}


def other_forms(tsbs):
    node, rows = tsbs.node, tsbs.rows
    day = datetime(2016, 1, 2, tzinfo=timezone.utc)
    later = [r for r in rows if r[0] >= day]
    assert node.rows("select count() from cpu where timestamp >= '2016-01-02'") == [[len(later)]]
    assert node.rows("select count(*) from cpu where timestamp between '2016-01-02T00:00:00.000000Z' and '2016-01-02 00:05:00'") == [[6 * HOSTS]]
    counts = grouped(rows, lambda r: (bucket(r[0], 12 * 3600), r[1][6]), [0], len)
    assert node.rows("select timestamp, team, count() as n from cpu sample by 12h fill(none) align to calendar order by timestamp, team") == [[iso(t), team, n] for (t, team), (n,) in counts]
    assert node.rows("select max(n) from (select count() as n from cpu sample by 1h)") == [[60 * HOSTS]]
    assert node.rows("select hostname from cpu where hostname = 'host_1' and usage_user >= 0 limit 1") == [["host_1"]]
    assert node.rows("select max(usage_user) - min(usage_user) as span, 2 * count() as n from cpu sample by 7d") == [[100 - min(r[2][0] for r in rows), 2 * len(rows)]]
    assert node.write("one,t=x v=1i 5\none,t=it's v=2i 6\n") == (204, None)
    assert node.rows("select v from one where t = 'x'") == [[1]] and node.rows("select v from one where t = 'it''s'") == [[2]]
    for query, reason in (("select * from cpu sample by 1h", "each column is named"), ("select hostname from cpu sample by 1h", "an aggregate"), ("select max(usage_user) from cpu sample by 1x", "number and a unit"),
                          ("select max(usage_user) from cpu sample by 0h", "number and a unit"), ("select max(usage_user) from cpu sample by 1h fill(prev)", "FILL(NONE)"), ("select max(usage_user) from cpu sample by", "number and a unit"),
                          ("select * from cpu latest by", "LATEST"), ("select * from cpu latest on timestamp", "LATEST"), ("select v from one where t = 'x", "closing quote"),
                          ("select max(v) from one sample by 1h union select max(v) from one sample by 1h", "twice")):
        try:
            raise AssertionError((query, node.rows(query)))
        except AssertionError as error:
            assert reason in str(error), (query, error)


def main():
    passed = failed = 0
    rows = make_rows()
    node = Node()
    for i in range(0, len(rows), 10_000):
        status = node.write("".join(map(line_of, rows[i:i + 10_000])))
        assert status == (204, None), status
    tsbs = Tsbs(node, rows)
    tests = [(name, lambda query=query: query[0](tsbs, *query[1:])) for name, query in QUERIES.items()] + [("other forms", lambda: other_forms(tsbs))]
    for name, test in tests:
        try:
            test()
            passed += 1
        except Exception:
            failed += 1
            print("FAILED", name)
            traceback.print_exc(file=sys.stdout)
    if node.stop() != 0:
        failed += 1
        print("FAILED the server did not end in order")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
