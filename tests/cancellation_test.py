#!/usr/bin/env python3
"""JOB-05: whatever a job is in the middle of, cancelJob ends it: a sort, a group by, a join, an import, a computation.

Each job is one call that takes seconds. It is cancelled soon after it began, from another session; it must end with the error of a
cancelled job. A call that looked for nothing would come to its end, and the job would have a result.

TIMES=1 in the environment prints how long each went on after it was cancelled; ROWS sets their number.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())

SETUP = """
n = ROWS
share(table(rand(1000000000, n) as k, rand(1.0, n) as v, string(rand(1000000, n)) as s), `bigRows)
saveText(select top 3000000 * from objByName(`bigRows), "FOLDER/big.csv")
db = database("dfs://cancel", VALUE, 0..3)
stored = db.createPartitionedTable(table(1:0, `part`k`v, [INT, INT, DOUBLE]), `rows, `part)
spare = db.createPartitionedTable(table(1:0, `part`k`v, [INT, INT, DOUBLE]), `spare, `part)
stored.append!(select k % 4 as part, k, v from objByName(`bigRows))
"""

# Name and body of a job; R is the table of rows.
JOBS = {
    "sortsNumbers": "return isort(rand(1.0, 30000000))",
    "sortsTexts": "return sort(exec s from R)",
    "sortsRows": "return select * from R order by s, v",
    "groupsByNumbers": "for (i in 0:20) r = select sum(v), avg(v), max(v) from R group by k",
    "groupsByTexts": "return select med(v) from R group by s",
    "scans": "return select sum(pow(sin(v) * cos(v), 1.3)) from cj(R, table(1..20 as j)) where sin(v) > 0.1",
    "joins": "return select count(*) from ej(R, cj(table(1..20 as j), select top 300000 * from R), `k)",
    "joinsEachWithEach": "return size(cj(table(1..30000 as a), table(1..30000 as b)))",
    "joinsAsOf": "return select count(*) from aj(R, R, `s`k)",
    "goesByContext": "return select cumsum(v) from R context by k",
    "pivots": "return select sum(v) from R pivot by k % 1000, s",
    "computes": "x = rand(1.0, 30000000); return sum(pow(exp(sin(x)), 1.1) + log(x))",
    "writesNumbers": "return string(rand(1.0, 20000000))",
    "imports": 'for (i in 0:50) t = loadTextEx(database("dfs://cancel"), `imported, `k, "FOLDER/big.csv")',
    "readsText": 'for (i in 0:50) t = ploadText("FOLDER/big.csv")',
    "updates": 'for (i in 0:2000) update loadTable("dfs://cancel", `rows) set v = v + 1',
    "appends": 'for (i in 0:2000) tableInsert(loadTable("dfs://cancel", `spare), select k % 4 as part, k, v from R)',
    "mapsAndReduces": 'for (i in 0:2000) r = mr(sqlDS(<select v from loadTable("dfs://cancel", `rows)>), def(t): sum(pow(exp(t.v), 1.1)), +)',
    "scansPartitions": 'for (i in 0:2000) { clearAllCache(); r = select sum(v), max(k) from loadTable("dfs://cancel", `rows) }',
}

CANCEL = """
def NAME() { BODY }
id = submitJob("NAME", "NAME", NAME)
sleep(WAIT)
began = now(true)
cancelJob(id)
told = "ended"
try { r = getJobReturn(id, true); r = 0 } catch (ex) { told = ex[1] }
print(told)
print(long(now(true) - began) / 1000000)
"""


def main():
    passed = failed = 0
    chosen = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = subprocess.Popen([PELORUS, "serve", "--dev", "--port", "0", "--data", folder / "data"],
                                  stdout=subprocess.PIPE, text=True)
        try:
            address = re.search(r"[\d.]+:\d+", server.stdout.readline()).group()

            def run(script):
                path = folder / "script.dos"
                path.write_text(script.replace("FOLDER", name).replace("ROWS", os.environ.get("ROWS", "6000000")))
                return subprocess.run([PELORUS, "run", "--connect", address, path], capture_output=True, text=True,
                                      timeout=300, env={**os.environ, "PELORUS_PASSWORD": "123456"})

            made = run(SETUP)
            if made.returncode != 0:
                print("FAILED setup:", made.stderr)
                return 1
            for job, body in JOBS.items():
                if chosen not in job:
                    continue
                script = CANCEL.replace("BODY", body).replace("NAME", job).replace("WAIT", "300")
                script = script.replace("from R", "from objByName(`bigRows)").replace("(R, R", "(objByName(`bigRows), objByName(`bigRows)")
                script = script.replace("(R,", "(objByName(`bigRows),")
                done = run(script)
                if os.environ.get("TIMES"):
                    print(f"{job}: {done.stdout.split()[-1]} ms")
                if "The job was cancelled." in done.stdout:
                    passed += 1
                else:
                    failed += 1
                    print(f"FAILED {job}: {done.stdout.strip()} {done.stderr.strip()}")
        finally:
            server.terminate()
            server.wait(60)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
