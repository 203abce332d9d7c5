#!/usr/bin/env python3
"""Transaction blocks of scripts beside sessions of PostgreSQL's clients: deadlocks between them, blocks that are cancelled
or cut, and totals over row tables and tables of columns that hold at each look and after the node was killed."""
import json
import random
import socket
import sys
import threading
import time
import urllib.parse
from http.client import HTTPConnection
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases
from line_protocol_test import PASSWORD, Node

try:
    import psycopg
except ImportError:
    print("SKIPPED tests/clients/script_transactions_test.py (no psycopg: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

from postgres_transactions_test import connect, make, rows, state_of

ACCOUNTS = 'accounts = loadTable("dfs://public", `{0});\n'
OPEN = ACCOUNTS + 'moved = loadTable("dfs://public", `moved);\n'


class Refused(Exception):
    pass


class Script:
    """A session of the JSON interface that runs one script after the other."""

    def __init__(self, node):
        self.connection = HTTPConnection("127.0.0.1", node.port, timeout=60)
        self.session = "0"
        self.call("login", "user", "admin", "password", PASSWORD)

    def call(self, function, *named):
        params = [{"name": n, "form": "scalar", "type": "string", "value": v} for n, v in zip(named[::2], named[1::2])]
        self.connection.request("POST", "/", json.dumps({"sessionID": self.session, "functionName": function, "params": params}))
        answer = json.loads(self.connection.getresponse().read().decode())
        if answer["resultCode"] != "0":
            raise Refused(answer["msg"])
        self.session = answer["sessionID"]
        return answer

    def run(self, script):
        return self.call("executeCode", "script", urllib.parse.quote(script))

    def cut(self):
        self.connection.sock.shutdown(socket.SHUT_RDWR)


def in_thread(work):
    """Runs work beside the test; the result is a list that has its error, or None, when it has ended."""
    ended = []

    def run():
        try:
            work()
            ended.append(None)
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, ended


def await_lock(node, table, key):
    """Waits until somebody has locked the row."""
    deadline = time.monotonic() + 30
    while True:
        with connect(node) as connection:
            if state_of(lambda: connection.execute(f"select v from {table} where k = {key} for update nowait")) == "55P03":
                return
            connection.rollback()
        assert time.monotonic() < deadline, "nobody locks the row"
        time.sleep(0.01)


def two_rows(node, table):
    make(node, f"create table {table} (k int primary key, v int) using rows", f"insert into {table} values (1, 0), (2, 0)")


BOTH = "transaction {{ update accounts set v = v + 1 where k = {0}; {1} update accounts set v = v + 1 where k = {2} }}"


def test_a_deadlock_of_a_script_and_a_session_ends_the_younger_one(node):
    two_rows(node, "circle")
    with connect(node) as client:
        client.execute("update circle set v = v + 10 where k = 1")
        thread, ended = in_thread(lambda: Script(node).run(ACCOUNTS.format("circle") + BOTH.format(2, "", 1)))
        await_lock(node, "circle", 2)
        client.execute("update circle set v = v + 10 where k = 2")
        thread.join(30)
        assert ended and isinstance(ended[0], Refused) and "<Deadlock>" in str(ended[0]), ended
    assert rows(node, "select k, v from circle order by k") == [(1, 10), (2, 10)]
    # The other way round: the script has begun first, and waits until the client has its lock.
    make(node, "create table sign (k int primary key) using rows")
    wait = 'do { sleep(5) } while ((exec count(*) from loadTable("dfs://public", `sign)) == 0);'
    script = ACCOUNTS.format("circle") + BOTH.format(2, wait, 1)
    thread, ended = in_thread(lambda: Script(node).run(script))
    await_lock(node, "circle", 2)
    with connect(node) as client:
        client.execute("update circle set v = v + 10 where k = 1")
        make(node, "insert into sign values (1)")
        assert state_of(lambda: client.execute("update circle set v = v + 10 where k = 2")) == "40P01"
        client.rollback()
    thread.join(30)
    assert ended == [None]
    assert rows(node, "select k, v from circle order by k") == [(1, 11), (2, 11)]


def test_a_block_that_is_cancelled_or_cut_frees_its_rows(node):
    two_rows(node, "left_rows")
    open_table = ACCOUNTS.format("left_rows")
    for way in ("cancel", "cut"):
        with connect(node) as client:
            client.execute("update left_rows set v = v + 10 where k = 1")
            session = Script(node)
            thread, ended = in_thread(lambda: session.run(open_table + BOTH.format(2, "", 1)))
            await_lock(node, "left_rows", 2)
            if way == "cancel":
                Script(node).run('cancelConsoleJob(exec rootJobId from getConsoleJobs() where desc like "%left_rows%" and not desc like "%cancel%")')
            else:
                session.cut()
            make(node, "update left_rows set v = v + 100 where k = 2")
            thread.join(30)
            assert isinstance(ended[0], Exception), ended
    assert rows(node, "select k, v from left_rows order by k") == [(1, 20), (2, 200)]


def test_beside_shared_tables_in_memory_a_block_gives_up_a_row(node):
    two_rows(node, "beside")
    session = Script(node)
    session.run("share table(1 2 as x) as besideRows")
    with connect(node) as client:
        client.execute("update beside set v = 1 where k = 1")
        block = ACCOUNTS.format("beside") + "transaction { update besideRows set x = 0; update accounts set v = 2 }"
        try:
            session.run(block)
            raise AssertionError("the row was locked")
        except Refused as error:
            assert "<LockNotAvailable>" in str(error), error
        session.run('if ((exec sum(x) from besideRows) != 3) throw "changed"')
    session.run(block)
    assert rows(node, "select k, v from beside order by k") == [(1, 2), (2, 2)]
    session.run('if ((exec sum(x) from besideRows) != 0) throw "lost"; undef(`besideRows, SHARED)')


def move_by_script(node, seed, told, over):
    draw = random.Random(seed)
    number = seed * 1_000_000
    try:
        session = Script(node)
        while not over.is_set():
            number += 1
            a, n = draw.randrange(8), draw.randrange(1, 9)
            first = f"update accounts set v = v - {n} where k = {a};"
            second = f"tableInsert(moved, table({number} as id, {n} as n));"
            if draw.randrange(2):
                first, second = second, first
            end = "rollback" if draw.randrange(4) == 0 else "commit"
            try:
                session.run(OPEN.format("bank") + f"transaction {{ {first} {second} {end} }}")
                if end == "commit":
                    told.append(number)
            except Refused as error:
                assert "<Deadlock>" in str(error), error
    except (OSError, ValueError, EOFError):
        pass  # the node was killed
    except Exception as error:
        if type(error).__module__ != "http.client":
            raise


def move_by_client(node, seed, told, over):
    draw = random.Random(seed)
    number = seed * 1_000_000
    try:
        with connect(node) as own:
            while not over.is_set():
                number += 1
                n = draw.randrange(1, 9)
                try:
                    own.execute("update bank set v = v - %s where k = %s", (n, draw.randrange(8)))
                    own.execute("insert into moved values (%s, %s)", (number, n))
                    if draw.randrange(4):
                        own.commit()
                        told.append(number)
                    else:
                        own.rollback()
                except psycopg.errors.DeadlockDetected:
                    own.rollback()
    except psycopg.OperationalError:
        pass


TOTAL = "select (select sum(v) from bank) + (select coalesce(sum(n), 0) from moved)"
BY_SCRIPT = OPEN.format("bank") + """
total = exec first(b) + first(m) from cj((select sum(v) as b from accounts), (select sum(n) as m from moved))
if (!isNull(total) and total != 800) throw "the total is " + string(total)
"""


def test_totals_over_rows_and_columns_hold_with_movers_of_both_kinds_and_after_kills(node):
    make(node, "create table bank (k int primary key, v int) using rows", "create table moved (id int, n int)",
         f"insert into bank values {', '.join(f'({i}, 100)' for i in range(8))}")
    told, looks = [], 0
    for round_number in range(3):
        over = threading.Event()
        movers = [in_thread(lambda seed=round_number * 10 + i, move=move: move(node, seed, told, over))
                  for i, move in enumerate((move_by_script, move_by_script, move_by_client, move_by_client), 1)]
        session = Script(node)
        enough = len(told) + 200
        deadline = time.monotonic() + 60
        while len(told) < enough:
            assert time.monotonic() < deadline, [ended for _, ended in movers]
            assert rows(node, TOTAL) == [(800,)]
            session.run(BY_SCRIPT)
            looks += 1
        node.kill()
        over.set()
        for thread, ended in movers:
            thread.join(60)
            assert ended == [None], ended
        node.start()
        assert rows(node, TOTAL) == [(800,)]
        there = {number for (number,) in rows(node, "select id from moved")}
        missing = [number for number in told if number not in there]
        assert not missing, f"{len(missing)} of {len(told)} that were told are gone"
        node.run('wrong = checkTables("dfs://public"); if (size(wrong) > 0) throw string(exec first(damage) from wrong)')
    print(f"{len(told)} moves, {looks} looks")
    assert looks > 3


def main():
    node = Node()
    try:
        passed, failed = run_cases(cases_in(globals()), node, wanted="".join(sys.argv[2:3]))
    finally:
        status = node.stop()
    failed += status != 0
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
