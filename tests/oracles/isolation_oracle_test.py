#!/usr/bin/env python3
"""Sessions whose statements interleave wait, see, refuse and end as PostgreSQL 15's do, at both of its levels.

A history is a list of steps, each a statement of one session. A step that does not end within a moment waits, and its
end is noted behind the step that let it go on; steps of a session that waits are left out. Both systems must give the
same notes: rows, tags, SQLSTATEs and waits. Histories are the known anomalies, and drawn ones; of these, deadlocks and
queues are not compared, where either system chooses who goes on.

Needs psycopg in .venv and the Debian package postgresql-15; skipped without. PELORUS_ORACLE_HISTORIES and PELORUS_SEED
choose how many drawn histories, and which.
"""
import os
import random
import select
import sys
import time
from collections import Counter
from pathlib import Path

from postgres_oracle_test import BINARIES, Postgres, pq

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from cases import run_cases, tally  # noqa: E402
from line_protocol_test import PASSWORD, Node  # noqa: E402

HISTORIES = int(os.environ.get("PELORUS_ORACLE_HISTORIES", "60"))
SEED = int(os.environ.get("PELORUS_SEED", "20261128"))
PATIENCE = 0.25  # seconds after which a statement counts as waiting; longer where that told a difference
LONGEST = 20.0
DEADLOCK = "40P01"


class Session:
    """One connection, whose statements may be under way while others run."""

    def __init__(self, conninfo):
        self.connection = pq.PGconn.connect(conninfo.encode())
        assert self.connection.status == pq.ConnStatus.OK, self.connection.error_message
        self.is_waiting = False

    def send(self, statement):
        self.connection.send_query(statement.encode())
        self.is_waiting = True

    def poll(self, seconds):
        """The outcome of the statement under way; None while it waits."""
        end = time.monotonic() + seconds
        while True:
            self.connection.consume_input()
            if not self.connection.is_busy():
                break
            left = end - time.monotonic()
            if left <= 0:
                return None
            select.select([self.connection.socket], [], [], left)
        outcome = None
        while (result := self.connection.get_result()) is not None:
            outcome = self.shown(result)
        self.is_waiting = False
        return outcome

    @staticmethod
    def shown(result):
        if result.status == pq.ExecStatus.FATAL_ERROR:
            return result.error_field(pq.DiagnosticField.SQLSTATE).decode()
        rows = sorted(tuple((result.get_value(r, c) or b"-").decode() for c in range(result.nfields)) for r in range(result.ntuples))
        tag = (result.command_status or b"").decode()
        return (tag, rows) if result.nfields else tag

    def close(self):
        self.connection.finish()


def run_history(conninfo, setup, steps, patience=PATIENCE):
    """The notes of a history in one system."""
    sessions = {}

    def session(name):
        if name not in sessions:
            sessions[name] = Session(conninfo)
            sessions[name].send("set deadlock_timeout = '100ms'; set statement_timeout = '15s'")
            assert sessions[name].poll(LONGEST) is not None
        return sessions[name]

    notes = []
    try:
        for statement in setup:
            session("setup").send(statement)
            outcome = session("setup").poll(LONGEST)
            assert isinstance(outcome, str) and len(outcome) != 5, (statement, outcome)
        for name, statement in steps:
            own = session(name)
            if own.is_waiting:
                notes.append((name, statement, "left out"))
                continue
            own.send(statement)
            outcome = own.poll(patience)
            notes.append((name, statement, "waits" if outcome is None else outcome))
            for other in sorted(sessions):
                if other != name and sessions[other].is_waiting and (late := sessions[other].poll(patience)) is not None:
                    notes.append((other, "ends", late))
        for name in sorted(sessions):
            if sessions[name].is_waiting:
                continue
            sessions[name].send("commit")
            notes.append((name, "commit", sessions[name].poll(LONGEST)))
            for other in sorted(sessions):
                if sessions[other].is_waiting and (late := sessions[other].poll(patience)) is not None:
                    notes.append((other, "ends", late))
        for name in sorted(sessions):
            if sessions[name].is_waiting:
                notes.append((name, "ends", sessions[name].poll(LONGEST)))
            sessions[name].send("rollback")
            sessions[name].poll(LONGEST)
        session("setup").send("select * from t")
        notes.append(("all", "select * from t", session("setup").poll(LONGEST)))
    finally:
        for each in sessions.values():
            each.close()
    return notes


READ, WRITE = "select * from t", "update t set v = v + 1 where k = 1"
REPEATABLE = "begin isolation level repeatable read"

# Each: name, steps. The table t has the rows (1, 10), (2, 20), (3, 30).
KNOWN = {
    "a dirty write waits": ["a:begin", "b:begin", "a:update t set v = 11 where k = 1", "b:update t set v = 12 where k = 1", "a:update t set v = 21 where k = 2", "a:commit", "b:update t set v = 22 where k = 2", "b:commit"],
    "nothing dirty is read": ["a:begin", "a:update t set v = 99 where k = 1", "b:select * from t", "a:rollback", "b:select * from t"],
    "an intermediate value is not read": ["a:begin", "a:update t set v = 99 where k = 1", "b:begin", "b:select * from t", "a:update t set v = 11 where k = 1", "a:commit", "b:select * from t", "b:commit"],
    "a lost update at read committed": ["a:begin", "b:begin", "a:select v from t where k = 1", "b:select v from t where k = 1", "a:update t set v = 11 where k = 1", "b:update t set v = 12 where k = 1", "a:commit", "b:commit"],
    "no lost update at repeatable read": ["a:" + REPEATABLE, "b:" + REPEATABLE, "a:select v from t where k = 1", "b:select v from t where k = 1", "a:update t set v = 11 where k = 1", "b:update t set v = 12 where k = 1", "a:commit", "b:commit"],
    "a rollback lets the other update at repeatable read": ["a:" + REPEATABLE, "b:" + REPEATABLE, "b:" + READ, "a:update t set v = 11 where k = 1", "b:update t set v = 12 where k = 1", "a:rollback", "b:commit"],
    "increments are not lost": ["a:begin", "b:begin", "a:" + WRITE, "b:" + WRITE, "a:commit", "b:commit", "a:" + READ],
    "read skew at read committed": ["a:begin", "a:select * from t where k = 1", "b:update t set v = 0 where k <= 2", "a:select * from t where k = 2", "a:commit"],
    "no read skew at repeatable read": ["a:" + REPEATABLE, "a:select * from t where k = 1", "b:update t set v = 0 where k <= 2", "a:select * from t where k = 2", "a:delete from t where k = 2", "a:rollback"],
    "write skew": ["a:" + REPEATABLE, "b:" + REPEATABLE, "a:select * from t where k <= 2", "b:select * from t where k <= 2", "a:update t set v = 11 where k = 1", "b:update t set v = 21 where k = 2", "a:commit", "b:commit"],
    "a phantom at read committed": ["a:begin", "a:select count(*) from t where v > 5", "b:insert into t values (4, 40)", "a:select count(*) from t where v > 5", "a:commit"],
    "no phantom at repeatable read": ["a:" + REPEATABLE, "a:select count(*) from t where v > 5", "b:insert into t values (4, 40)", "a:select count(*) from t where v > 5", "a:update t set v = v + 1 where v > 5", "a:commit"],
    "the snapshot is that of the first statement": ["a:" + REPEATABLE, "b:" + WRITE, "a:" + READ, "b:" + WRITE, "a:" + READ, "a:commit", "a:" + READ],
    "the condition is tested on the newest version": ["a:begin", "a:update t set v = 100 where k = 1", "b:update t set v = v + 1 where v = 10", "a:commit"],
    "a row that comes to match is not found anew": ["a:begin", "a:update t set v = 10 where k = 2", "b:update t set v = v + 1 where v = 10", "a:commit"],
    "new values are those of the newest version": ["a:begin", "a:update t set v = 12 where k = 1", "b:update t set v = v * 2 where v >= 10 and v < 20", "a:commit"],
    "a row that was deleted is passed over": ["a:begin", "a:delete from t where k = 1", "b:update t set v = 0 where k <= 2", "a:commit"],
    "a delete waits for an update, and tests again": ["a:begin", "a:update t set v = 50 where k = 1", "b:delete from t where v < 30", "a:commit"],
    "a delete of a deleted row": ["a:begin", "b:begin", "a:delete from t where k = 1", "b:delete from t where k = 1", "a:commit", "b:commit"],
    "a delete of a deleted row at repeatable read": ["a:" + REPEATABLE, "b:" + REPEATABLE, "b:" + READ, "a:delete from t where k = 1", "b:delete from t where k = 1", "a:commit", "b:rollback"],
    "a key that moved away": ["a:begin", "a:update t set k = 7 where k = 1", "b:update t set v = 0 where k = 1", "a:commit"],
    "two insert one key, and one commits": ["a:begin", "b:begin", "a:insert into t values (9, 1)", "b:insert into t values (9, 2)", "a:commit", "b:commit"],
    "two insert one key, and one rolls back": ["a:begin", "b:begin", "a:insert into t values (9, 1)", "b:insert into t values (9, 2)", "a:rollback", "b:commit"],
    "a key that is being deleted is waited for": ["a:begin", "a:delete from t where k = 1", "b:insert into t values (1, 2)", "a:commit"],
    "a deleted key that comes back": ["a:begin", "a:delete from t where k = 1", "b:insert into t values (1, 2)", "a:rollback"],
    "the first statement takes the snapshot, whatever it is": ["a:" + REPEATABLE, "a:insert into t values (4, 4)", "b:delete from t where k = 3", "b:insert into t values (3, 2)", "a:update t set k = 6 where k = 3", "a:" + READ, "a:commit"],
    "on conflict do nothing meets a row that the snapshot lacks": ["a:" + REPEATABLE, "a:" + READ, "b:insert into t values (4, 2)", "a:insert into t values (4, 9) on conflict do nothing", "a:rollback"],
    "on conflict do update waits, and builds on what the other has left": ["a:begin", "a:" + WRITE, "b:insert into t values (1, 5) on conflict (k) do update set v = t.v + excluded.v", "a:commit"],
    "on conflict do update inserts after a rollback": ["a:begin", "a:insert into t values (9, 1)", "b:insert into t values (9, 5) on conflict (k) do update set v = t.v + excluded.v", "a:rollback"],
    "on conflict do update meets what the other has inserted": ["a:begin", "a:insert into t values (9, 1)", "b:insert into t values (9, 5) on conflict (k) do update set v = t.v + excluded.v", "a:commit"],
    "on conflict do update at repeatable read": ["a:" + REPEATABLE, "a:" + READ, "b:" + WRITE, "a:insert into t values (1, 5) on conflict (k) do update set v = 0", "a:rollback"],
    "own rows meet on conflict do update in a block": ["a:begin", "a:insert into t values (9, 1)", "a:insert into t values (9, 5) on conflict (k) do update set v = t.v + excluded.v", "a:" + READ, "a:rollback"],
    "returning gives the rows that were changed after all": ["a:begin", "a:update t set v = 12 where k = 1", "b:update t set v = v * 2 where v < 25 returning *", "c:delete from t where v > 15 returning k", "a:commit"],
    "a duplicate is told to repeatable read, too": ["a:" + REPEATABLE, "a:" + READ, "b:insert into t values (9, 1)", "a:insert into t values (9, 2)", "a:rollback"],
    "on conflict do nothing waits for the other": ["a:begin", "a:insert into t values (9, 1)", "b:insert into t values (9, 2) on conflict do nothing", "a:commit"],
    "on conflict do nothing inserts after a rollback": ["a:begin", "a:insert into t values (9, 1)", "b:insert into t values (9, 2) on conflict do nothing", "a:rollback"],
    "own changes are seen": ["a:begin", "a:insert into t values (9, 1)", "a:update t set v = v + 1 where k >= 3", "a:" + READ, "a:delete from t where k = 9", "a:" + READ, "b:" + READ, "a:commit", "b:" + READ],
    "own changes at repeatable read": ["a:" + REPEATABLE, "a:" + READ, "b:" + WRITE, "a:update t set v = 0 where k = 2", "a:" + READ, "a:commit", "a:" + READ],
    "an error leaves rollback alone": ["a:begin", "a:" + WRITE, "a:insert into t values (1, 1)", "a:" + READ, "a:commit", "a:" + READ],
    "a failed statement in a block frees the rows": ["a:begin", "a:" + WRITE, "b:" + WRITE, "a:select 1/0", "a:rollback"],
    "savepoints": ["a:begin", "a:" + WRITE, "a:savepoint x", "a:update t set v = 0 where k = 2", "a:rollback to x", "a:" + READ, "a:release x", "a:commit", "a:" + READ],
    "an error behind a savepoint": ["a:begin", "a:" + WRITE, "a:savepoint x", "a:insert into t values (1, 1)", "a:" + READ, "a:rollback to x", "a:" + READ, "a:commit"],
    "a savepoint frees what was locked behind it": ["a:begin", "a:" + WRITE, "a:savepoint x", "a:update t set v = 0 where k = 2", "b:update t set v = 5 where k = 2", "a:rollback to x", "b:" + WRITE, "a:commit"],
    "an error behind a savepoint frees at once": ["a:begin", "a:savepoint x", "a:" + WRITE, "b:" + WRITE, "a:insert into t values (2, 1)", "a:rollback"],
    "an insert that was taken back lets another in": ["a:begin", "a:savepoint x", "a:insert into t values (9, 1)", "b:insert into t values (9, 2)", "a:rollback to x", "a:commit"],
    "nested savepoints of one name": ["a:begin", "a:savepoint x", "a:" + WRITE, "a:savepoint x", "a:" + WRITE, "a:rollback to x", "a:release x", "a:rollback to x", "a:commit", "a:" + READ],
    "for update waits": ["a:begin", "a:select * from t where k = 1 for update", "b:" + WRITE, "a:" + WRITE, "a:commit"],
    "for update gives the newest version": ["a:begin", "a:" + WRITE, "b:select * from t where k = 1 for update", "a:commit"],
    "for update tests the condition again": ["a:begin", "a:update t set v = 99 where k = 1", "b:select * from t where v < 25 for update", "a:commit"],
    "for update at repeatable read": ["b:" + REPEATABLE, "b:" + READ, "a:" + WRITE, "b:select * from t where k = 1 for update", "b:rollback"],
    "for update of a row that others only read": ["a:begin", "a:select * from t where k = 1", "b:select * from t where k = 1 for update", "a:commit"],
    "shares go together": ["a:begin", "a:select * from t where k = 1 for share", "b:begin", "b:select * from t where k = 1 for share", "c:" + WRITE, "a:commit", "b:commit"],
    "a key share stands an update of other columns": ["a:begin", "a:select * from t where k = 1 for key share", "b:" + WRITE, "c:delete from t where k = 1", "a:commit"],
    "a share does not": ["a:begin", "a:select * from t where k = 1 for share", "b:" + WRITE, "a:commit"],
    "no key update and key share": ["a:begin", "a:select * from t where k = 1 for no key update", "b:select * from t where k = 1 for key share", "b:select * from t where k = 1 for share", "a:commit"],
    "key update and key share": ["a:begin", "a:update t set k = 5 where k = 1", "b:select * from t where k = 1 for key share", "a:commit"],
    "nowait": ["a:begin", "a:" + WRITE, "b:select * from t where k = 1 for update nowait", "b:select * from t where k = 2 for update nowait", "a:commit"],
    "skip locked": ["a:begin", "a:select k from t order by k limit 1 for update skip locked", "b:begin", "b:select k from t order by k limit 1 for update skip locked", "c:select k from t order by k for update skip locked", "a:commit", "b:commit"],
    "a queue": ["a:begin", "a:delete from t where k = (select k from t order by k limit 1 for update skip locked) ", "b:begin", "b:delete from t where k = (select k from t order by k limit 1 for update skip locked)", "a:commit", "b:commit"],
    "lock_timeout": ["a:begin", "a:" + WRITE, "b:set lock_timeout = '50ms'", "b:" + WRITE, "b:begin", "b:select * from t where k = 1 for update", "b:rollback", "a:commit"],
    "statement_timeout while waiting": ["a:begin", "a:" + WRITE, "b:set statement_timeout = '50ms'", "b:" + WRITE, "a:commit"],
    "lock table shuts writers out": ["a:begin", "a:lock table t in share mode", "b:" + WRITE, "c:" + READ, "a:commit"],
    "lock table waits for writers": ["a:begin", "a:" + WRITE, "b:begin", "b:lock table t in exclusive mode", "a:commit", "b:commit"],
    "lock table nowait": ["a:begin", "a:" + WRITE, "b:begin", "b:lock table t in exclusive mode nowait", "b:rollback", "a:commit"],
    "lock table outside of a block": ["a:lock table t"],
    "advisory locks": ["a:select pg_advisory_lock(7)", "b:select pg_try_advisory_lock(7)", "b:select pg_try_advisory_lock(8)", "b:select pg_advisory_lock(7)", "a:select pg_advisory_unlock(7)", "a:select pg_advisory_unlock(8)"],
    "advisory locks of a transaction": ["a:begin", "a:select pg_advisory_xact_lock(1, 2)", "b:select pg_try_advisory_xact_lock(1, 2)", "b:select pg_try_advisory_xact_lock(1, 3)", "a:commit", "b:select pg_try_advisory_xact_lock(1, 2)"],
    "advisory locks are counted": ["a:select pg_advisory_lock(7)", "a:select pg_advisory_lock(7)", "a:select pg_advisory_unlock(7)", "b:select pg_try_advisory_lock(7)", "a:select pg_advisory_unlock(7)", "b:select pg_try_advisory_lock(7)"],
    "shared advisory locks": ["a:select pg_advisory_lock_shared(7)", "b:select pg_try_advisory_lock_shared(7)", "c:select pg_try_advisory_lock(7)"],
    "first come, first served": ["a:begin", "a:" + WRITE, "b:begin", "b:" + WRITE, "c:begin", "c:" + WRITE, "a:commit", "b:commit", "c:commit"],
    "several statements sent together are one transaction": ["a:update t set v = 0 where k = 1; update t set v = 0 where k = 2; insert into t values (1, 1)", "a:" + READ],
    "a read-only transaction": ["a:begin read only", "a:" + WRITE, "a:rollback"],
    "commit of nothing": ["a:begin", "a:commit", "a:rollback", "a:" + REPEATABLE, "a:commit"],
    "a chain of three": ["a:begin", "b:begin", "c:begin", "a:" + WRITE, "b:update t set v = 0 where k = 2", "b:" + WRITE, "c:update t set v = 1 where k = 2", "a:commit", "b:commit", "c:commit"],
    "a deadlock": ["a:begin", "b:begin", "a:update t set v = 11 where k = 1", "b:update t set v = 22 where k = 2", "a:update t set v = 12 where k = 2", "b:update t set v = 21 where k = 1"],
    "a deadlock of two who share": ["a:begin", "b:begin", "a:select * from t where k = 1 for share", "b:select * from t where k = 1 for share", "a:" + WRITE, "b:" + WRITE],
    "a deadlock of keys": ["a:begin", "b:begin", "a:insert into t values (8, 1)", "b:insert into t values (9, 1)", "a:insert into t values (9, 1)", "b:insert into t values (8, 1)"],
}


def setup_of(using):
    return ["drop table if exists t", f"create table t (k int primary key, v int){using}", "insert into t values (1, 10), (2, 20), (3, 30)"]


def has_queue(notes):
    """Whether two sessions waited at once."""
    waiting = 0
    for note in notes:
        waiting += (note[2] == "waits") - (note[1] == "ends")
        if waiting > 1:
            return True
    return False


def compare(places, name, steps, different, counts):
    """Runs a history in both; notes where they differ. A deadlock ends another session there, and of two that wait for a
    row that was changed either may go on first."""
    for patience in (PATIENCE, 6 * PATIENCE):
        ours, theirs = (run_history(conninfo, setup_of(using), steps, patience) for conninfo, using in places)
        if ours == theirs:
            return
    deadlocks = [any(note[2] == DEADLOCK for note in notes) for notes in (ours, theirs)]
    if all(deadlocks) or any(has_queue(notes) for notes in (ours, theirs)):
        counts["left out"] += 1
    else:
        different.append((name, ours, theirs))


def report(different, total):
    for name, ours, theirs in different[:6]:
        print("DIFFERENT:", name)
        for i in range(max(len(ours), len(theirs))):
            mine = ours[i] if i < len(ours) else None
            other = theirs[i] if i < len(theirs) else None
            print("   " if mine == other else " ! ", mine, "" if mine == other else f"   PostgreSQL: {other}")
    assert not different, f"{len(different)} of {total} histories differ: {[name for name, _, _ in different]}"


def test_known_anomalies_come_and_stay_away_as_in_postgres(places):
    different, counts = [], Counter()
    for name, steps in KNOWN.items():
        compare(places, name, [tuple(step.split(":", 1)) for step in steps], different, counts)
    assert counts["left out"] <= 3, counts  # deadlocks
    report(different, len(KNOWN))


def drawn_steps(draw):
    """A history of three sessions over a few rows."""
    steps = []
    is_open = dict.fromkeys("abc", False)
    for _ in range(draw.randint(8, 16)):
        name = draw.choice("abc")
        key, amount = draw.randint(1, 4), draw.randint(1, 9)
        if not is_open[name] and draw.random() < 0.7:
            steps.append((name, draw.choice(["begin", "begin", REPEATABLE])))
            is_open[name] = True
            continue
        choice = draw.random()
        if is_open[name] and choice < 0.22:
            steps.append((name, draw.choice(["commit", "commit", "rollback"])))
            is_open[name] = False
        elif is_open[name] and choice < 0.32:
            steps.append((name, draw.choice(["savepoint x", "rollback to x", "release x"])))
        else:
            steps.append((name, draw.choice([
                READ, READ, f"select * from t where v > {amount * 4}", f"update t set v = v + {amount} where k = {key}", f"update t set v = v + {amount} where k = {key}",
                f"update t set v = {amount} where v > {amount * 4}", f"update t set k = {key + 3} where k = {key}", f"delete from t where k = {key}", f"delete from t where v < {amount * 3}",
                f"insert into t values ({key}, {amount})", f"insert into t values ({key}, {amount})", f"insert into t values ({key}, {amount}) on conflict do nothing",
                f"select * from t where k = {key} for {draw.choice(['update', 'share', 'key share', 'no key update'])}{draw.choice(['', '', ' nowait', ' skip locked'])}",
            ])))
    return steps


def test_drawn_histories_end_as_in_postgres(places):
    draw = random.Random(SEED)
    different, counts = [], Counter()
    for number in range(HISTORIES):
        steps = drawn_steps(draw)
        compare(places, f"drawn {number} of seed {SEED}", steps, different, counts)
        counts["steps"] += len(steps)
    print(dict(counts), "seed", SEED)
    report(different, HISTORIES)
    assert counts["left out"] * 5 < HISTORIES, counts


def main():
    if not Path(BINARIES, "initdb").exists():
        print("SKIPPED tests/oracles/isolation_oracle_test.py (no postgresql-15)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    node = Node()
    postgres = Postgres()
    places = [(f"host=127.0.0.1 port={node.port} user=admin password={PASSWORD} dbname=pelorus sslmode=disable", " using rows"), (f"host=127.0.0.1 port={postgres.port} user=admin dbname=postgres", "")]
    try:
        result = run_cases([test_known_anomalies_come_and_stay_away_as_in_postgres, test_drawn_histories_end_as_in_postgres], places, wanted="".join(sys.argv[2:3]))
        node.run('wrong = checkTables("dfs://public"); if (size(wrong) > 0) throw string(exec first(damage) from wrong)')
        return tally(*result)
    finally:
        postgres.stop()
        node.stop()


if __name__ == "__main__":
    sys.exit(main())
