#!/usr/bin/env python3
"""JOB-05: whatever a job is in the middle of, cancelJob ends it: a sort, a group by, a join, an import, a computation.

Each job is one call that takes seconds. It is cancelled soon after it began, from another session; it must end with the error of a
cancelled job. A call that looked for nothing would come to its end, and the job would have a result.

TIMES=1 in the environment prints how long each went on after it was cancelled; ROWS sets their number, WAITS the milliseconds after
which jobs are cancelled, as in WAITS=50,300,900. A second argument picks the jobs whose names hold it.
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
share((select k % 1000 as g, k as at, v from objByName(`bigRows) order by at), `orderedRows)
"""

# Name and body of a job; R is the table of rows, O the same in the order of `at`.
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
    "joinsAsOfInOrder": "for (i in 0:200) r = select count(*) from aj(O, O, `g`at, , `nearest, 100)",
    "joinsWindows": "for (i in 0:20) r = wj(O, O, -100000:100000, <[avg(v), max(v), std(v)]>, `g`at)",
    "joinsWindowsByFunction": "return wj(O, O, -100000:100000, <med(v)>, `g`at)",
    "joinsFully": "for (i in 0:20) r = select count(*) from fj(R, select k, v as w from R, `k)",
    "joinsPrefixes": "return pj(R, table(string(1..1000000) as s), `s)",
    "goesByContext": "return select cumsum(v) from R context by k",
    "movesByContext": "for (i in 0:20) r = select mmed(v, 20), mrank(v, true, 20), mcorr(v, at, 30) from O context by g",
    "goesOverWindows": "for (i in 0:20) r = select sum(v) over (partition by g order by at rows between 5 preceding and 2 following), rank() over (partition by g order by v) from O",
    "goesByCgroup": "for (i in 0:2000) r = select sum(v) from O cgroup by g order by g",
    "findsDistinct": "for (i in 0:50) r = select distinct s from R",
    "unites": "for (i in 0:20) r = (select k, v from R) union (select k, v from R)",
    "pivots": "return select sum(v) from R pivot by k % 1000, s",
    "repeats": "do { x = 1 } while (true)",
    "repeatsInside": "for (i in 0..2000000000) { do { x = 1 } while (i > 5) }",
    "walksRanges": "for (i in 0..2000000000) s = string(i)",
    "computes": "x = rand(1.0, 30000000); return sum(pow(exp(sin(x)), 1.1) + log(x))",
    "writesNumbers": "for (i in 0:20) r = string(rand(1.0, 20000000))",
    "computesEach": "for (i in 0:20) r = each(def(x): x * 2 + exp(x), rand(1.0, 10000000))",
    "loopsOver": "for (i in 0:20) r = loop(def(x): string(x) + `a, rand(1.0, 10000000))",
    "movesByFunction": "return moving(def(x): sum(x) * 2, rand(1.0, 10000000), 20)",
    "movesInTime": "for (i in 0:20) r = tmavg(0..9999999, rand(1.0, 10000000), 50)",
    "movesMedians": "return mmed(rand(1.0, 10000000), 5000)",
    "movesRanks": "for (i in 0:20) r = mrank(rand(1.0, 10000000), true, 3000)",
    "regresses": "for (i in 0:200) r = ols(rand(1.0, 3000000), [rand(1.0, 3000000), rand(1.0, 3000000), rand(1.0, 3000000)])",
    "regressesParts": 'for (i in 0:2000) r = olsEx(sqlDS(<select v, k from loadTable("dfs://cancel", `rows)>), `v, `k)',
    "multipliesMatrices": "x = rand(1.0, 9000000)$3000:3000; for (i in 0:20) r = x ** x",
    "correlates": "x = rand(1.0, 10000000)$10000:1000; for (i in 0:20) r = corrMatrix(x)",
    "joinsTexts": "for (i in 0:50) r = (exec s from R) + `x",
    "concatenates": "s = exec s from R; for (i in 0:200) r = concat(s, 'x')",
    "splitsTexts": "s = concat(exec s from R, 'x'); for (i in 0:50) r = split(s, 'x')",
    "replacesTexts": "for (i in 0:50) r = regexReplace((exec s from R), '[1-3]+', `x)",
    "searchesTexts": "for (i in 0:200) r = select count(*) from R where s like '%12%4'",
    "searchesWords": 'for (i in 0:200) r = sum(matchAny((exec s from R), "123 456", index="textindex(parser=english)"))',
    "looksUp": "s = exec s from R; for (i in 0:50) r = s in reverse(s)",
    "makesDictionary": "for (i in 0:50) r = dict((exec s from R), (exec v from R))",
    "makesSymbols": "for (i in 0:50) r = symbol(exec s from R)",
    "groupsValues": "for (i in 0:50) r = groupby(def(x): sum(x) + 1, (exec v from R), (exec k % 1000000 from R))",
    "findsQuantiles": "for (i in 0:50) r = quantile((exec v from R), 0.3)",
    "writesJson": "for (i in 0:50) r = toJson(exec v from R)",
    "readsDates": 'for (i in 0:50) r = temporalParse(take("2024.03.01", 5000000), "yyyy.MM.dd")',
    "writesText": 'for (i in 0:50) saveText(R, "FOLDER/written.csv")',
    "imports": 'for (i in 0:50) t = loadTextEx(database("dfs://cancel"), `imported, `k, "FOLDER/big.csv")',
    "readsText": 'for (i in 0:50) t = ploadText("FOLDER/big.csv")',
    "updates": 'for (i in 0:2000) update loadTable("dfs://cancel", `rows) set v = v + 1',
    "appends": 'for (i in 0:2000) tableInsert(loadTable("dfs://cancel", `spare), select k % 4 as part, k, v from R)',
    "deletes": 'for (i in 0:2000) { delete from loadTable("dfs://cancel", `rows) where v < 0.00001 * i }',
    "upserts": 't = keyedTable(`k, 1:0, `k`v, [INT, DOUBLE]); for (i in 0:50) t.append!(select k, v from R)',
    "insertsIndexed": 'for (i in 0:50) { t = indexedTable(`k, 1:0, `k`v, [INT, DOUBLE]); t.append!(select k, v from R) }',
    "backsUp": 'for (i in 0:200) backup("FOLDER/backup" + string(i), "dfs://cancel", true)',
    "checks": 'for (i in 0:200) checkTables("dfs://cancel")',
    "readsWholeTable": 'for (i in 0:200) { clearAllCache(); r = select * from loadTable("dfs://cancel", `rows) }',
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
                for letter, table in (("R", "bigRows"), ("O", "orderedRows")):
                    body = re.sub(rf"\b{letter}\b", f"objByName(`{table})", body)
                millis = []
                for wait in os.environ.get("WAITS", "200").split(","):
                    done = run(CANCEL.replace("BODY", body).replace("NAME", job).replace("WAIT", wait))
                    millis.append(done.stdout.split()[-1] if done.stdout else "?")
                    if "The task was cancelled." in done.stdout:
                        passed += 1
                    else:
                        failed += 1
                        print(f"FAILED {job}: {done.stdout.strip()} {done.stderr.strip()}", flush=True)
                if os.environ.get("TIMES"):
                    print(f"{job}: {' '.join(millis)} ms", flush=True)
        finally:
            server.terminate()
            server.wait(60)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
