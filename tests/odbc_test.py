#!/usr/bin/env python3
"""odbc::connect, query, execute and append against SQLite's ODBC driver, and against PostgreSQL's where PELORUS_ODBC_POSTGRES is a
connection string of it. Skipped without the driver."""
import os
import subprocess
import sys
import tempfile

PELORUS = os.path.abspath(sys.argv[1])
passed = failed = 0


def run(script):
    with tempfile.NamedTemporaryFile("w", suffix=".dos") as file:
        file.write(script)
        file.flush()
        done = subprocess.run([PELORUS, "run", file.name], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return (done.stdout + done.stderr).strip()


def check(what, script, wanted):
    global passed, failed
    shown = run(script)
    if wanted in shown:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {wanted!r} is not in {shown!r}")


def has_driver():
    try:
        listed = subprocess.run(["odbcinst", "-q", "-d"], capture_output=True, text=True)
    except FileNotFoundError:
        return False
    return "[SQLite3]" in listed.stdout


TYPES = """
t = table(true false NULL as b, 1h NULL 3h as h, 1 NULL -3 as i, 5l NULL 7l as l, 1.5 NULL -2.25 as d, 2024.03.15 NULL 1969.12.31 as day,
    2024.03.15T09:30:00.123 NULL 1969.12.31T23:59:59.999 as at, ["a", "", "it's"] as s)
"""


def cases(connection):
    begin = f'conn = odbc::connect("{connection}")\n'
    check("loadPlugin answers that it is built in", 'print(size(loadPlugin("odbc")) > 3)', "true")
    check("rows go out and come back, NULL as NULL", begin + TYPES + """
odbc::append(conn, t, "kinds")
back = odbc::query(conn, "select * from kinds")
print(back.size(), back.i, back.l, back.d, date(back.day), timestamp(back.at), back.s)
""", "3\n[1,,-3]\n[5,,7]\n[1.5,,-2.25]\n[2024.03.15,,1969.12.31]\n[2024.03.15T09:30:00.123,,1969.12.31T23:59:59.999]\n[\"a\",,\"it's\"]")
    check("statements run, and a query without rows gives the columns", begin + """
odbc::execute(conn, "delete from kinds where i = 1")
print(odbc::query(conn, "select i from kinds").size())
print(odbc::query(conn, "select i, s from kinds where i = 99").columnNames())
""", '2\n["i","s"]')
    check("rows are appended in batches to a table, after a function", begin + """
odbc::append(conn, table(1..10 as id), "ids")
target = table(100:0, [`id], [INT])
odbc::query(conn, "select id from ids", target, 3, t -> select id * 2 as id from t)
print(target.size(), sum(target.id))
""", "10\n110")
    check("an append is all or nothing", begin + """
odbc::execute(conn, "create table keyed (id int primary key)")
odbc::append(conn, table(1 2 as id), "keyed")
try { odbc::append(conn, table(3 2 as id), "keyed") } catch (e) { print("refused") }
print(odbc::query(conn, "select count(*) as n from keyed").n)
odbc::append(conn, table(3 2 as id), "keyed", , true)
print(odbc::query(conn, "select count(*) as n from keyed").n)
""", "refused\n[2]\n[3]")
    check("an error of the database is told", begin + 'odbc::query(conn, "select * from nowhere")', "nowhere")
    check("a closed connection says so", begin + 'odbc::close(conn)\nodbc::query(conn, "select 1")', "The connection is closed")
    check("names cannot carry statements", begin + 'odbc::append(conn, table(1 as id), "ids; drop table ids")', "tableName must be")
    check("a connection string is a connection", f'print(odbc::query("{connection}", "select 1 as one").one)', "[1]")


def main():
    if not has_driver():
        print("SKIPPED odbc (no driver SQLite3: Debian's libsqliteodbc)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        cases(f"Driver=SQLite3;Database={folder}/x.db")
    check("a driver that is not there", 'odbc::connect("Driver=Nowhere")', "can't be connected to")
    if postgres := os.environ.get("PELORUS_ODBC_POSTGRES"):
        for table in ("kinds", "ids", "keyed"):
            run(f'odbc::execute("{postgres}", "drop table if exists {table}")')
        cases(postgres)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
