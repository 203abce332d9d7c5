#!/usr/bin/env python3
"""'' is a value beside NULL in row tables: random queries, COPY and parameters give what PostgreSQL 15 gives.

The tables are row tables here; a third of their texts are ''. How answers are compared is postgres_oracle_test.py's.

Needs psycopg in .venv and the Debian package postgresql-15; skipped without. PELORUS_ORACLE_QUERIES and PELORUS_SEED
choose how many queries, and which.
"""
import os
import random
import sys
from collections import Counter
from pathlib import Path

from postgres_oracle_test import BINARIES, COLUMNS, ROWS, Postgres, Queries, answer, compare, draw_value, literal, pq

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from cases import run_cases, tally  # noqa: E402
from line_protocol_test import PASSWORD, Node  # noqa: E402

QUERY_COUNT = int(os.environ.get("PELORUS_ORACLE_QUERIES", "400"))
SEED = int(os.environ.get("PELORUS_SEED", "20261128"))
BLANK = ["''", "''::text", "ltrim('  ')", "'   '", "lower('')"]


class EmptyTexts(Queries):
    """Draws statements in which texts are often ''."""

    def expression(self, kind, depth=2):
        if kind == "text" and self.draw.random() < 0.2:
            column = self.column("text")
            return self.draw.choice(BLANK + [f"nullif({column}, '')", f"coalesce({column}, '')", f"trim({column})", f"({column} || '')", f"concat({column}, '')", f"case {column} when '' then 'none' else {column} end"])
        return super().expression(kind, depth)

    def condition(self, depth=2):
        if self.draw.random() < 0.25:
            column, other = self.column("text"), self.expression("text", 1)
            return self.draw.choice([
                f"{column} {self.draw.choice(['=', '<>', '<', '<=', '>', '>='])} ''", f"'' {self.draw.choice(['=', '<>', '<'])} {column}", f"{column} in ('', 'a', {other})", f"{column} in ('', 'a', 'zz%')", f"{column} not in ('', 'a', 'ab')", f"{column} not in ('', {other})",
                f"{column} is distinct from ''", f"{column} is not distinct from {other}", f"length({column}) = 0", f"{column} like ''", f"{column} like '%'", f"{column} = any('{{\"\",a}}')", f"{column} in (select q.t from c q where q.small > 0 and q.t is not null)", f"{column} between '' and 'b'",
                f"exists (select 1 from c q where q.t = {column})", f"({column} = '') is {self.draw.choice(['true', 'not true', 'unknown', 'false'])}", f"{column} ~ '^$'", f"{column} = '' || {other}"])
        return super().condition(depth)

    def aggregate(self):
        if self.draw.random() < 0.3:
            column = self.column("text")
            return self.draw.choice([f"count({column})", f"count(distinct {column})", f"min({column})", f"max({column})", f"string_agg({column}, ',' order by {column})", f"count(*) filter (where {column} = '')", f"bool_or({column} = '')"])
        return super().aggregate()


def connected(port, user, database, password=""):
    connection = pq.PGconn.connect(f"host=127.0.0.1 port={port} user={user} dbname={database} sslmode=disable {password}".encode())
    assert connection.status == pq.ConnStatus.OK, connection.error_message
    return connection


def both(node, postgres):
    return connected(node.port, "admin", "pelorus", f"password={PASSWORD}"), connected(postgres.port, "admin", "postgres")


def text_or_empty(draw, type_name):
    return "" if type_name == "text" and draw.random() < 0.33 else draw_value(draw, type_name)


def make(connections, definition, rows=()):
    """Makes a table on both sides, of rows on ours."""
    ours, theirs = connections
    for connection, using in ((ours, " using rows"), (theirs, "")):
        for statement in [f"create table {definition}{using}", *rows]:
            result = connection.exec_(statement.encode())
            assert result.status == pq.ExecStatus.COMMAND_OK, (statement, result.error_message)


def same(connections, statement):
    mine, expected = (answer(connection, statement) for connection in connections)
    assert compare(statement, mine, expected, False) is None, (statement, mine, expected)
    return expected[0]


def test_random_queries_with_empty_texts_give_what_postgres_gives(node, postgres):
    connections = both(node, postgres)
    draw = random.Random(SEED)
    for table in ("a", "c"):
        rows = [[text_or_empty(draw, type_name) for _, type_name, _ in COLUMNS] for _ in range(ROWS)]
        values = ", ".join("(" + ", ".join(literal(v, t) for v, (_, t, _) in zip(row, COLUMNS)) + ")" for row in rows)
        make(connections, f"{table}({', '.join(f'{name} {type_name}' for name, type_name, _ in COLUMNS)})", [f"insert into {table} values {values}"])
    queries = EmptyTexts(draw)
    counts, different = Counter(), []
    for _ in range(QUERY_COUNT):
        statement, is_ordered = queries.statement()
        expected, mine = answer(connections[1], statement), answer(connections[0], statement)
        found = compare(statement, mine, expected, is_ordered)
        if found is None:
            counts["equal errors" if isinstance(mine[0], str) else "equal"] += 1
        elif found in ("refused", "computed"):
            counts[found] += 1
        else:
            different.append((statement, found))
    print(dict(counts), "seed", SEED)
    for statement, found in different[:int(os.environ.get("PELORUS_SHOW", "5"))]:
        print(" ", statement, "\n    ", found)
    assert not different, f"{len(different)} of {QUERY_COUNT} differ"
    assert counts["equal"] > QUERY_COUNT * 0.85, counts


def copied_in(connection, statement, data):
    result = connection.exec_(statement.encode())
    assert result.status == pq.ExecStatus.COPY_IN, result.error_message
    connection.put_copy_data(data)
    connection.put_copy_end()
    result = connection.get_result()
    outcome = (result.command_status or b"").decode() if result.status == pq.ExecStatus.COMMAND_OK else result.error_field(pq.DiagnosticField.SQLSTATE).decode()
    while connection.get_result():
        pass
    return outcome


def copied_out(connection, statement):
    result = connection.exec_(statement.encode())
    assert result.status == pq.ExecStatus.COPY_OUT, result.error_message
    data = b""
    while True:
        count, piece = connection.get_copy_data(0)
        if count < 0:
            break
        data += bytes(piece)
    while connection.get_result():
        pass
    return data


def test_copy_tells_empty_texts_from_null(node, postgres):
    connections = both(node, postgres)
    make(connections, "copied(id int primary key, s text, v varchar(4) not null, c char(3) default '')")
    pieces = [
        ("copy copied from stdin", b"1\t\t\t\n2\t\\N\tx\t   \n3\ta\t    \t\\N\n"), ("copy copied from stdin", b"4\t\t\\N\t\n"), ("copy copied from stdin (format csv)", b'5,"","",""\n6,,x,\n7,"a",b,c\n'),
        ("copy copied from stdin (format csv)", b"8,,,\n"), ("copy copied from stdin (format csv, null '-')", b"9,,-,\n"), ("copy copied from stdin (format csv, null '-')", b"9,,,-\n"), ("copy copied from stdin (format csv, force_null (s))", b'10,"","",x\n'),
        ("copy copied from stdin (format csv, force_not_null (s))", b"11,,x,\n"), ("copy copied (id, s, v) from stdin", b"12\t\\N\t\n"), ("copy copied from stdin (null '')", b"13\t\tx\t\n")]
    for statement, data in pieces:
        outcomes = [copied_in(connection, statement, data) for connection in connections]
        assert outcomes[0] == outcomes[1], (statement, data, outcomes)
    same(connections, "select id, s, v, c::text, s is null, length(s), length(v), length(c), c is null from copied")
    for statement in ("copy (select id, s, v, c::text from copied order by id) to stdout", "copy (select id, s, v, c::text from copied order by id) to stdout (format csv)", "copy (select id, s, v, c::text from copied order by id) to stdout (format csv, force_quote *)", "copy (select id, s, v, c::text from copied order by id) to stdout (format binary)"):
        data = [copied_out(connection, statement) for connection in connections]
        assert data[0] == data[1], (statement, data)


def test_parameters_tell_empty_texts_from_null(node, postgres):
    connections = both(node, postgres)
    make(connections, "given(id int primary key, s text unique, v varchar(3))")
    statements = [
        ("insert into given values (1, $1, $2)", [b"", None]), ("insert into given values (2, $1, $2)", [None, b""]), ("insert into given values (3, $1, $2)", [b"", b""]), ("insert into given values (4, $1, $2) on conflict (s) do update set v = excluded.v", [b"", b"x"]),
        ("select id from given where s = $1", [b""]), ("select id from given where s = $1 and v = $2", [b"", b"x"]), ("select id from given where v = $1", [b""]), ("select id from given where s in ($1, $2, $3)", [b"", b"a", None]),
        ("select id from given where s is not distinct from $1", [None]), ("select $1::text is null, length($1::text)", [b""]), ("update given set s = $1 where id = 2", [b""]), ("update given set v = $1 where s = $2", [b"", b""]), ("select * from given order by s, id", [])]
    for statement, values in statements:
        for formats in (None, [1] * len(values)):
            results = [connection.exec_params(statement.encode(), values, [25] * len(values), formats) for connection in connections]
            shown = []
            for result in results:
                if result.status == pq.ExecStatus.TUPLES_OK:
                    shown.append(sorted((tuple(result.get_value(r, c) for c in range(result.nfields)) for r in range(result.ntuples)), key=repr))
                elif result.status == pq.ExecStatus.COMMAND_OK:
                    shown.append(result.command_status)
                else:
                    shown.append(result.error_field(pq.DiagnosticField.SQLSTATE))
            assert shown[0] == shown[1], (statement, values, formats, shown)


def main():
    if not Path(BINARIES, "initdb").exists():
        print("SKIPPED tests/oracles/empty_texts_oracle_test.py (no postgresql-15)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    node = Node()
    postgres = Postgres()
    try:
        return tally(*run_cases([test_random_queries_with_empty_texts_give_what_postgres_gives, test_copy_tells_empty_texts_from_null, test_parameters_tell_empty_texts_from_null], node, postgres))
    finally:
        postgres.stop()
        node.stop()


if __name__ == "__main__":
    sys.exit(main())
