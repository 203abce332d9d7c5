#!/usr/bin/env python3
"""convertTZ gives what Python's zoneinfo gives: every zone of the system's database and of the package tzdata, from 1900 to 2100 and
some centuries on, both ways, around each change, in the hours that clocks skip and in those that they show twice."""
import os
import subprocess
import sys
import tempfile
import zoneinfo
from datetime import datetime, timedelta, timezone
from pathlib import Path

EPOCH = datetime(1970, 1, 1)
FIRST, LAST = datetime(1900, 1, 2), datetime(2100, 12, 30)
STEP = timedelta(days=61)
FAR = [datetime(year, month, 15, 12) for year in (2137, 2400, 2437, 2999, 5000) for month in (1, 7)]
ALL_ZONES = os.environ.get("PELORUS_ALL_ZONES", "") != ""


def seconds(time):
    return (time - EPOCH) // timedelta(seconds=1)


def changes_of(zone):
    """The instants, in UTC, at which the offset changes, by bisection between samples two months apart."""
    def offset(at):
        return at.replace(tzinfo=timezone.utc).astimezone(zone).utcoffset()
    found, low, low_offset = [], FIRST, offset(FIRST)
    while low < LAST:
        high = min(low + STEP, LAST)
        high_offset = offset(high)
        if high_offset != low_offset:
            a, b = low, high
            while b - a > timedelta(seconds=1):
                middle = a + (b - a) // 2
                middle = middle.replace(microsecond=0)
                a, b = (middle, b) if offset(middle) == low_offset else (a, middle)
            found.append(b)
        low, low_offset = high, high_offset
    return found


def rows_of(zone):
    """(seconds UTC, local seconds) and (local seconds, seconds UTC) as zoneinfo has them."""
    forward, back = [], []
    second, hour = timedelta(seconds=1), timedelta(hours=1)
    instants = [FIRST + k * timedelta(days=397) for k in range(180)] + FAR
    for change in changes_of(zone):
        instants += [change - second, change, change + hour, change - hour]
    for at in instants:
        local = at.replace(tzinfo=timezone.utc).astimezone(zone).replace(tzinfo=None, fold=0)
        forward.append((seconds(at), seconds(local)))
        for clock in (local, local + timedelta(minutes=30), local - timedelta(minutes=30)):
            utc = clock.replace(tzinfo=zone).astimezone(timezone.utc).replace(tzinfo=None)
            back.append((seconds(clock), seconds(utc)))
    return forward, back


def check(pelorus, folder):
    zoneinfo.reset_tzpath([folder])
    zoneinfo.ZoneInfo.clear_cache()
    names = sorted(name for name in zoneinfo.available_timezones()
                   if (Path(folder) / name).is_file() and name != "localtime" and not name.startswith(("right/", "posix/")))
    if not ALL_ZONES:
        names = names[::4] + ["America/New_York", "Europe/Dublin", "Africa/Casablanca", "Australia/Lord_Howe", "America/Nuuk", "Asia/Gaza"]
        names = sorted(set(names))
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/f.csv", "w") as forward, open(f"{work}/b.csv", "w") as back:
            forward.write("zone,given,right\n")
            back.write("zone,given,right\n")
            for name in names:
                rows = rows_of(zoneinfo.ZoneInfo(name))
                for file, pairs in zip((forward, back), rows):
                    file.writelines(f"{name},{a},{b}\n" for a, b in pairs)
        Path(f"{work}/check.dos").write_text(f"""
schema = table(`zone`given`right as name, `STRING`LONG`LONG as type)
f = loadText("{work}/f.csv", , schema)
b = loadText("{work}/b.csv", , schema)
wrong = 0
for (name in exec distinct zone from f) {{
    t = select * from f where zone = name
    local = long(convertTZ(timestamp(t.given * 1000), "UTC", name)) / 1000
    for (i in 0..(t.size() - 1)) {{ if (local[i] != t.right[i]) {{ wrong += 1; if (wrong < 20) print("to " + name + " " + t.given[i] + ": " + local[i] + ", not " + t.right[i]) }} }}
    t = select * from b where zone = name
    utc = long(convertTZ(timestamp(t.given * 1000), name, "UTC")) / 1000
    for (i in 0..(t.size() - 1)) {{ if (utc[i] != t.right[i]) {{ wrong += 1; if (wrong < 20) print("from " + name + " " + t.given[i] + ": " + utc[i] + ", not " + t.right[i]) }} }}
}}
print("rows " + (f.size() + b.size()) + " wrong " + wrong)
""")
        done = subprocess.run([pelorus, "run", f"{work}/check.dos"], capture_output=True, text=True, env={**os.environ, "TZDIR": folder})
    lines = done.stdout.splitlines()
    print(f"{folder}: {len(names)} zones,", lines[-1] if lines else done.stderr)
    if done.returncode != 0 or not lines or not lines[-1].endswith(" wrong 0") or len(names) < 100:
        print("\n".join(lines[-20:]), done.stderr)
        return False
    return True


def main():
    pelorus = os.path.abspath(sys.argv[1])
    folders = ["/usr/share/zoneinfo"]
    try:
        import tzdata
        folders.append(str(Path(tzdata.__file__).parent / "zoneinfo"))
    except ImportError:
        pass
    results = [check(pelorus, folder) for folder in folders if Path(folder).exists()]
    print(f"{sum(results)} passed, {results.count(False)} failed, {len(folders) - len(results)} skipped")
    return 1 if not all(results) or not results else 0


if __name__ == "__main__":
    sys.exit(main())
