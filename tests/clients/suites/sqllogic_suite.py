#!/usr/bin/env python3
"""Runs files of sqllogictest (SQLite's) over PostgreSQL's protocol, and tells how their records come out.

    tests/clients/suites/sqllogic_suite.py BINARY FILE… [--show N] [--rows]

Tables are made and filled by the files' own statements. A record that is refused as not supported (0A000) is counted by its message; any other
error or other rows are failures, of which the first N are shown. With --rows the tables are row tables. The files are fetched by whoever runs this, as any mirror of sqllogictest has
them. Needs psycopg."""
import argparse
import hashlib
import sys
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "support")]

OURS = "postgresql"


def records(path):
    """Blocks of lines that run for PostgreSQL, each with the number of its first line."""
    block, first = [], 0
    for number, line in enumerate(path.read_text().splitlines() + [""], 1):
        if line.startswith("#"):
            continue
        if line.strip():
            first = first if block else number
            block.append(line)
            continue
        if block:
            while block and block[0].split()[0] in ("onlyif", "skipif"):
                word, engine = block.pop(0).split()[:2]
                if (word == "onlyif") != (engine == OURS):
                    block = []
            if block and block[0].split()[0] in ("statement", "query"):
                yield first, block
            elif block and block[0].split()[0] == "halt":
                return
        block = []


def shown(value, kind):
    if value is None:
        return "NULL"
    text = value.decode()
    if kind == "I":
        return {"t": "1", "f": "0"}.get(text) or (str(int(float(text))) if text.strip("-").replace(".", "").isdigit() else "0")
    if kind == "R":
        return f"{float(text):.3f}"
    return text or "(empty)"


def rows_of(result, kinds, order):
    rows = [[shown(result.get_value(row, column), kinds[column]) for column in range(result.nfields)] for row in range(result.ntuples)]
    if order == "rowsort":
        rows.sort()
    values = [value for row in rows for value in row]
    return sorted(values) if order == "valuesort" else values


def is_equal(values, expected):
    if len(expected) == 1 and "values hashing to" in expected[0]:
        count, digest = int(expected[0].split()[0]), expected[0].split()[-1]
        return len(values) == count and hashlib.md5("".join(value + "\n" for value in values).encode()).hexdigest() == digest
    return values == expected


def run_file(connection, path, counts, refused, failures, method=""):
    from psycopg import pq

    for number, block in records(path):
        head = block[0].split()
        parted = block.index("----") if "----" in block else len(block)
        text = "\n".join(block[1:parted])
        if head[0] == "statement" and text.lower().startswith("create table"):
            text += method
        result = connection.exec_(text.encode())
        fine = result.status in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)
        if not fine and result.error_field(pq.DiagnosticField.SQLSTATE) == b"0A000" and head[1] != "error":
            counts["not supported"] += 1
            refused[result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY).decode()] += 1
        elif head[0] == "statement":
            good = fine == (head[1] == "ok")
            counts["passed" if good else "failed"] += 1
            if not good:
                failures.append(f"{path.name}:{number}: {text}\n    {result.error_message.decode().strip()}")
        elif not fine:
            counts["failed"] += 1
            failures.append(f"{path.name}:{number}: {text}\n    {result.error_message.decode().strip()}")
        else:
            order = head[2] if len(head) > 2 else "nosort"
            values, expected = rows_of(result, head[1] + "T" * result.nfields, order), block[parted + 1:]
            good = is_equal(values, expected)
            counts["passed" if good else "failed"] += 1
            if not good:
                failures.append(f"{path.name}:{number}: {text}\n    is {values[:12]}, expected {expected[:12]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--rows", action="store_true")
    arguments = parser.parse_args()
    from psycopg import pq
    from postgres_protocol_test import PASSWORD, Server

    counts, refused, failures = Counter(), Counter(), []
    for path in arguments.files:
        server = Server()
        connection = pq.PGconn.connect(f"host=127.0.0.1 port={server.port} user=admin password={PASSWORD} dbname=pelorus sslmode=disable".encode())
        before = Counter(counts)
        run_file(connection, path, counts, refused, failures, " using rows" if arguments.rows else "")
        print(path, dict(counts - before), flush=True)
        connection.finish()
        server.stop()
    print(dict(counts))
    for message, count in refused.most_common(20):
        print(f"{count:6} not supported: {message}")
    for failure in failures[:arguments.show]:
        print(failure)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
