#!/usr/bin/env python3
"""Typical mistakes of people who come from SQL, Python, R, kdb+ or C get the one line that helps.

Each row is a script and what its answer must contain: the advice, or the result where the script is taken. PLACE is where the
error must point to, as line:column, where that is checked. `t` is a table with the columns time, sym, price and qty."""
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())
SETUP = "t = table(09:30:00 09:31:00 09:32:00 as time, `A`B`A as sym, 1.0 2.0 3.0 as price, 10 20 30 as qty)\n"

ROWS = [
    # names in another letter case
    ("MAVG(1 2 3, 2)", "Names are case-sensitive. Did you mean mavg?", "2:1"),
    ("1>0 AND 2>1", "Did you mean and?", "2:5"),
    ("NOT true", "Did you mean not?"),
    ("select AVG(price) from t", "avg_price"),
    ("SELECT sym, MAX(price) AS hi FROM t WHERE Upper(string(sym)) = \"A\" GROUP BY sym HAVING Sum(qty) > 0", "A   3"),
    ("select Avg(price) as a from t union select MIN(price) as a from t", "2"),
    ("select a from (select SUM(price) as a from t)", "6"),
    ("update t set price = Abs(0 - price)\nexec price from t", "[1,2,3]"),
    ("def AVG(x) { return 42 }\nselect AVG(price) as a from t", "42"),
    # constants
    ("x = True", "Write true", "2:5"),
    ("x = False", "Write false"),
    ("x = None", "Write NULL; isNull(x) tests for it."),
    ("x = NaN", "a missing number of any type is NULL"),
    ("x = inf", "There is no infinity"),
    ("select * from t where TRUE", "Write true"),
    # comments and characters
    ("x = 1 # c", "A comment begins with //"),
    ("# c", "A comment begins with //"),
    ("x = 1 -- c", "A comment begins with //"),
    ("-- c", "A comment begins with //"),
    ("x = （1 + 2）", "） is a full-width character: write ) instead."),
    ("x = 1；y = 2", "； is a full-width character: write ; instead."),
    ("max(1，2)", "， is a full-width character: write , instead."),
    ("x = “abc”", "“ is a typographic quote: write \" instead."),
    ("x = 5 – 3", "– is a typographic dash: write - instead."),
    ("1 ≤ 2", "≤ is a mathematical sign: write <= instead."),
    ("x\u00a0=\u00a01\nx + 1", "2"),
    ("x\u2003=\u20037\nx", "7"),
    ("x = 7\u200b\nx", "7"),
    # unknown names
    ("len([1,2])", "Write size(x)"),
    ("avrage(1 2 3)", "Write avg(x)."),
    ("summ(1 2 3)", "Did you mean sum"),
    ("def myfunc(x) { return x }\nmyfnc(1)", "Did you mean myfunc?", "3:1"),
    ("def total(a) { return sum(a) }\nselect totl(price) from t", "Did you mean total?"),
    ("go\nprice + 1", "price is a column of t: write t.price, or select … from t.", "3:1"),
    ("rate = 2\ndef f(x) { return x * rate }", "A function sees no variables of the session: make rate a parameter of it.", "3:23"),
    ("volume = 1\nvolum + 1", "Did you mean volume?", "3:1"),
    ("t.prize", "Did you mean price? The columns are time, sym, price, qty.", "2:3"),
    ("t[`prize]", "Did you mean price? The columns are time, sym, price, qty."),
    ("select prize from t", "Did you mean price? The columns are time, sym, price, qty.", "2:8"),
    ("select * from tt", "Did you mean t?"),
    ("select * from \"t\"", "Write the name of the table without quotes"),
    ("select price", "A query without from has no columns"),
    ("mavg(X=1 2 3, windw=2)", "Did you mean window? Syntax: mavg(X, window, [minPeriods])"),
    ("def f(alpha, beta) { return alpha }\nf(alpha=1, bta=2)", "Did you mean beta? Syntax: f(alpha, beta)"),
    ("mavg(1 2 3)", "Syntax: mavg(X, window, [minPeriods])"),
    ("create table x (a INTEGER)", "The type is INT"),
    ("create table x (a DUBLE)", "Did you mean DOUBLE?"),
    ("x = [1,2,3]; x.length", "length is a function: write length(x)"),
    ("x = [1,2,3]; x.shape", "shape is a function: write shape(x), or x.shape()."),
    ("t.columns", "Write columnNames(t)"),
    ("t.iloc[0]", "Write t[0] for a row"),
    ("np.mean(t.price)", "numpy's functions are built in"),
    ("pd.read_csv(\"x.csv\")", "loadText"),
    ("range(10)", "Write 0..9"),
    ("zeros(5)", "Write take(0.0, n)"),
    ("println(\"a\")", "Write print(x)."),
    ("x = c(1,2,3)", "Write [1, 2, 3] or 1 2 3."),
    ("exit", "exit leaves the console"),
    # statements of other languages
    ("describe t", "Write schema(t).colDefs"),
    ("desc t", "Write schema(t).colDefs"),
    ("show tables", "objs() lists the variables"),
    ("show databases", "getClusterDFSDatabases() lists the databases."),
    ("for x in range(10):\n    print(x)", "The head stands in brackets, the body in braces: for (x in 0..9) { … }"),
    ("for (i = 0; i < 10; i++) { print(i) }", "Write for (i in 0..9) { … }."),
    ("def f(x):\n    y = x\n    return y", "The body stands in braces: def f(x) { return x + 1 }"),
    ("function f(x) {\n  return x\n}", "Write def f(x) { return x + 1 }."),
    ("f = function(x) x + 1", "Write x -> x + 1"),
    ("f = lambda x: x+1", "Write x -> x + 1"),
    ("f = x => x + 1", "A function of one expression is written x -> x + 1"),
    ("x = 1\nif x > 0: print(x)", "The condition stands in brackets"),
    ("x = 1\nif (x > 5) { print(x) } elif (x > 0) { print(2) }", "Write else if (condition) { … }."),
    ("while (true) { x = 1 }", "do { … } while (condition)"),
    ("import numpy as np", "use name loads a module"),
    ("from numpy import mean", "use name loads a module"),
    ("x = 1; x++", "Write x += 1."),
    ("x = 1; x--", "Write x -= 1."),
    ("x = [1,2,3]; [i*2 for i in x]", "Write each(i -> …, values)"),
    ("x = [1,2,3]; x[::2]", "A slice has no step"),
    ("x = 5; print(f\"x is {x}\")", "There are no f-strings"),
    ("c = true; x = 1 if c else 2", "Write condition ? a : b"),
    ("int x = 1", "A variable is made by its first assignment, without a type: x = …"),
    ("let x = 1", "A variable is made by its first assignment, without a type: x = …"),
    ("x := 1", "write x = …"),
    ("x <- 1", "write x = …"),
    ("x = 1,2,3", "A vector is written 1 2 3 or [1, 2, 3]"),
    ("x=1 y=2", "Write ; or a new line between statements."),
    ("1 === 1", "Write == to compare."),
    ("1 !== 2", "Write != to compare."),
    ("1 2 3 |> sum", "Call the function: sum(x), or x.sum()."),
    ("\"a\" . \"b\"", "Strings are joined with +"),
    ("\"a\" || \"b\"", "Strings are joined with +"),
    ("t.time = t.time+1", "a column is changed by update t set time = …"),
    ("x = 1\nif (x = 1) print(x)", "Write == to compare"),
    ("try { x = 1 } except { print(1) }", "Write try { … } catch (e) { … }."),
    ("try { x = 1 } catch { print(1) }", "Name the error that is caught"),
    ("switch (1) { case 1: break }", "Write if (x == 1) { … } else if (x == 2) { … }"),
    ("for = 1", "for is a word of the language: choose another name."),
    ("true = 3", "true is a word of the language: choose another name."),
    ("x = y = 5", "Assign one after the other: y = …; x = y."),
    ("x = 5; x is not None", "Write x is not null, or isValid(x)."),
    ("def f(int x) { return x }", "Parameters have no declared type: def f(x)."),
    ("def f(*args) { return args }", "A function has a fixed number of parameters"),
    ("def f(x) { return x }; f(1, 2)", "Syntax: f(x)"),
    ("x = 10L", "The suffix of LONG is l: 10l."),
    ("x = 1_000_000", "The digits of a number stand without _ between them."),
    ("sum(\"abc\")", "double(x) or long(x) makes numbers of strings."),
    ("t.drop(\"price\")", "Write dropColumns!(t, `name)"),
    # SQL
    ("select sym, price from t group by sym", "Write an aggregate, as avg(price) or last(price)"),
    ("select * from t where sym == `A & price > 1", "Conditions are joined with && and ||"),
    ("select price from t order by price descending", "Write order by x desc."),
    ("select lag(price) from t", "Write prev(x), or move(x, n)."),
    ("select * from t order by price where qty > 10", "The clause where must stand before order by."),
    ("select sym, avg(price) from t group by sym where qty > 10", "The clause where must stand before group by."),
    ("select sym, avg(price) from t having avg(price) > 1 group by sym", "The clause group by must stand before having."),
    ("select sym,\n  avg(price)\nfrom t\norder by sym\ngroup by sym", "The clause group by must stand before order by."),
    ("select * where qty > 10 from t", "with from after the columns"),
    ("select sym, from t", "A comma stands before from"),
    ("select sym price from t", "A comma or an operator may be missing"),
    ("select `price` from t", "Names are written without quotes: write price"),
    ("select first 2 * from t", "Write select top 10"),
    ("select avg price by sym from t", "The groups stand at the end: select … from t group by sym."),
    ("select if(price > 1, 1, 0) from t", "Write iif(condition, a, b)"),
    ("select * from t where sym = A", "The columns are time, sym, price, qty."),
    ("d = table(2024.01.01 as day)\nselect * from d where day = \"new year\"", "Convert the string: date(\"new year\")."),
    ("now() - interval 1 day", "A duration is written 1d"),
    ("delete t where price > 1", "Write delete from t where …"),
    ("delete * from t", "Write delete from t where …"),
    ("update t set price 3", "Write set price = …"),
    ("update t set price == 3", "A value is set with one =: set price = …"),
    ("update t price = 3", "Write update t set price = …"),
    ("insert t values (1,2,3,4)", "Write insert into t values (…)."),
    ("insert into t values (09:33:00, \"C\", 1.0)", "The columns are time SECOND, sym STRING, price DOUBLE, qty INT"),
    ("insert into t (time, sym) values (09:33:00)", "The columns are time SECOND, sym STRING; values go by position."),
    ("t.append!(table(1 2 as a))", "The columns are time SECOND, sym STRING, price DOUBLE, qty INT"),
    ("begin transaction", "Write transaction { … } around the statements."),
    ("create view v as select * from t", "A view is a function"),
    ("d = database(\"dfs://prices\", VALUE, 1 2)\ncreatePartitionedTable(d, table(1 as id), `daily, `id)\n"
     "loadTable(\"dfs://price\", \"daily\")", "Did you mean dfs://prices? There are: dfs://prices. Create it with"),
    ("d = database(\"dfs://prices\", VALUE, 1 2)\ncreatePartitionedTable(d, table(1 as id), `daily, `id)\n"
     "loadTable(\"dfs://prices\", \"dayly\")", "Did you mean daily? It has: daily."),
    ("x = a；b = 2", "； is a full-width character: write ; instead."),
    ("y = names + 1", "Cannot recognize the token names"),
    ("name = 5\ny = names + 1", "Did you mean name?"),
    ("a = 1, b = 2", "Write ; or a new line between statements"),
    # brackets and places
    ("x = (1 + 2", "The ( of line 2, column 5 is open: close it with )."),
    ("x = 1 + 2)", "No bracket is open that this ) could close.", "2:10"),
    ("f(1, 2]", "The ( of line 2, column 2 is open: close it with )."),
    ("x = 1 2 3; x[10] = 1", "Indices go from 0 to 2"),
    ("x = \"abc", "Close it with the quote it began with."),
]

# What is valid stays so, whatever it looks like.
VALID = [
    ("a = 5\nb = 3\na--b", "8"),
    ("x = 1 2 3\nx <- 4 5", "[1,2,3,4,5]"),
    ("def len(x) { return 7 }\nlen(1)", "7"),
    ("def desc(x) { return 7 }\ndesc t", "7"),
    ("where = 5\nfrom = 2\nwhere + from", "7"),
    ("select sym from t where price in exec price from t where qty > 10 order by price", "B"),
    ("x = 1 if (x > 0) print(8) else print(9)", "8"),
    ("价格 = 5\n价格 + 1", "6"),
    ("`a`", "[\"a\",]"),
]


def run(script):
    done = subprocess.run([PELORUS, "-e", SETUP + script], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def advised_functions():
    """The functions that the advice on foreign words names, each with the word."""
    source = (Path(__file__).resolve().parent.parent / "common" / "foreign_words.cpp").read_text()
    for word, advice in re.findall(r'\{"(\w+)",\s*("(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)\}', source):
        for name in re.findall(r"(\w+!?)\(", advice):
            if name not in ("f", "Point"):
                yield word, name


def main():
    passed = failed = 0

    def check(what, good, shown=""):
        nonlocal passed, failed
        if good:
            passed += 1
        else:
            failed += 1
            print(f"FAILED {what}\n    {shown}")

    with ThreadPoolExecutor(4) as pool:
        for (script, wanted, *place), (code, answer) in zip(ROWS + VALID, pool.map(lambda row: run(row[0]), ROWS + VALID)):
            check(script, wanted in answer, f"{wanted!r} is not in {answer!r}")
            if place:
                check(f"the place of {script}", f"-e:{place[0]}:" in answer, answer)
        for row in VALID:
            check(f"{row[0]} runs", run(row[0])[0] == 0, run(row[0])[1])
    words = list(advised_functions())
    known = set(run("print(concat(exec name from defs(), \"\\n\"))")[1].split())
    for word, name in words:
        check(f"the advice on {word} names functions that exist", name in known, name)
    check("the table of words was read", len(words) > 100, len(words))
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.dos")
        script.write_text("#!/usr/bin/env pelorus\nprint(\"ran\")\nnosuch + 1\n")
        done = subprocess.run([PELORUS, "run", script], capture_output=True, text=True, timeout=60)
        check("the first line may name the program, and counts", "script.dos:3:1" in done.stderr, done.stderr)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
