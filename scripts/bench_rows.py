#!/usr/bin/env python3
"""What PostgreSQL's protocol costs the server, beside PostgreSQL 15 in the same run, on loopback.

    scripts/bench_rows.py

PELORUS_BENCH_TASKS=text runs the lines alone whose name has the text. The figures are processor time of the server's processes (the client's is left out), which a busy machine disturbs least. Each line prints
ours, PostgreSQL's and the ratio; without Debian's postgresql the peer is left out."""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.argv[1:] = sys.argv[1:] or [str(ROOT / "build/release/pelorus")]
sys.path[:0] = [str(ROOT / "tests/clients"), str(ROOT / "tests/support")]
from ports import free_port
from postgres_protocol_test import Client, TERMINATE, bind, execute, message, parse, query, startup, SYNC

PELORUS = sys.argv[1]
BINARIES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
TICK = os.sysconf("SC_CLK_TCK")
ACCOUNTS = 100_000
ROWS = 1_000_000
CONNECTS = 400
TRANSACTIONS = 20_000
INSERTS = 20_000
RETURNED = 3_000
CHANGES = 3_000

ACCOUNTS_SCRIPT = f"""
accounts = keyedTable(`aid, 1..{ACCOUNTS} as aid, take(1, {ACCOUNTS}) as bid, take(0, {ACCOUNTS}) as abalance, take(string(` ), {ACCOUNTS}) as filler)
share accounts as pgbench_accounts
"""
ROWS_SCRIPT = f"""
n = {ROWS}
t = table(1..n as id, 2026.01.01T00:00:00.000000000 + 1000000 * long(0..(n - 1)) as at, take(symbol(`AAPL`MSFT`IBM), n) as sym, 100.0 + (0..(n - 1)) % 1000 \\ 100.0 as price, 100 * (1 + (0..(n - 1)) % 50) as size)
share t as quotes
"""
ROWS_OF_POSTGRES = f"""
create table quotes as select i::int as id, timestamp '2026-01-01' + (i - 1) * interval '1 millisecond' as at,
  (array['AAPL','MSFT','IBM'])[1 + (i - 1) % 3]::text as sym, 100.0::float8 + ((i - 1) % 1000) / 100.0::float8 as price, (100 * (1 + (i - 1) % 50))::int as size
from generate_series(1, {ROWS}) i
"""
ACCOUNTS_OF_POSTGRES = f"""
create table pgbench_accounts (aid int primary key, bid int, abalance int, filler char(84));
insert into pgbench_accounts select i, 1, 0, '' from generate_series(1, {ACCOUNTS}) i;
"""
LOOKUP = f"\\set aid random(1, {ACCOUNTS})\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n"
# The same over tables of rows.
ACCOUNT_ROWS = LOOKUP.replace("pgbench_accounts", "account_rows")
UPDATE = f"\\set aid random(1, {ACCOUNTS})\nUPDATE account_rows SET abalance = abalance + 1 WHERE aid = :aid;\n"
INSERT = "\\set aid random(1, 100000)\nINSERT INTO history_rows (tid, bid, aid, delta, mtime) VALUES (1, 1, :aid, 5, CURRENT_TIMESTAMP);\n"
TPC_B = f"""\\set aid random(1, {ACCOUNTS})
\\set tid random(1, 10)
\\set delta random(-5000, 5000)
BEGIN;
UPDATE account_rows SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM account_rows WHERE aid = :aid;
UPDATE teller_rows SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE branch_rows SET bbalance = bbalance + :delta WHERE bid = 1;
INSERT INTO history_rows (tid, bid, aid, delta, mtime) VALUES (:tid, 1, :aid, :delta, CURRENT_TIMESTAMP);
END;
"""


def seconds_of(pid, with_children):
    """Processor time of a process, and of those that it has started and waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    user, system, children_user, children_system = map(int, fields[11:15])
    return (user + system + (children_user + children_system if with_children else 0)) / TICK


class Pelorus:
    name = "pelorus"

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_bench_rows_")
        self.port = free_port()
        self.process = subprocess.Popen([PELORUS, "serve", "--dev", "--port", str(self.port), "--data", self.folder.name + "/data"],
                                        stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                break
        for script in (ACCOUNTS_SCRIPT, ROWS_SCRIPT):
            file = Path(self.folder.name) / "script.dos"
            file.write_text(script)
            subprocess.run([PELORUS, "run", "--connect", f"127.0.0.1:{self.port}", str(file)], check=True, stdout=subprocess.DEVNULL)
        self.user, self.database = "admin", "pelorus"

    def seconds(self):
        return seconds_of(self.process.pid, False)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.folder.cleanup()


class Postgres:
    name = "postgres"

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="pelorus_bench_postgres_")
        self.prefix = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.prefix:
            shutil.chown(self.folder, "postgres")
        self.port = free_port()
        self.user, self.database = "bench", "postgres"
        data = self.folder + "/data"
        self.call("initdb", "-D", data, "-U", self.user, "-A", "trust", "-E", "UTF8", "--locale=C")
        self.call("pg_ctl", "-D", data, "-w", "-l", self.folder + "/log", "-o",
                  f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c shared_buffers=512MB", "start")
        self.pid = int(Path(data + "/postmaster.pid").read_text().split()[0])
        for statement in (ACCOUNTS_OF_POSTGRES, ROWS_OF_POSTGRES, "vacuum analyze"):
            self.call("psql", "-X", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", self.user, "-c", statement, self.database)

    def call(self, program, *arguments):
        subprocess.run([*self.prefix, str(BINARIES / program), *arguments], check=True, cwd=self.folder, stdout=subprocess.DEVNULL)

    def seconds(self):
        """Of the postmaster, its living children, and those that have ended."""
        total = seconds_of(self.pid, True)
        for child in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split():
            try:
                total += seconds_of(child, True)
            except OSError:
                pass  # it has ended meanwhile
        return total

    def stop(self):
        self.call("pg_ctl", "-D", self.folder + "/data", "-m", "fast", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class Reader(Client):
    """A client that is trusted."""

    def __init__(self, server):
        self.stream = socket.create_connection(("127.0.0.1", server.port))
        self.file = self.stream.makefile("rb")
        self.settings, self.key, self.notices = {}, None, []
        self.stream.sendall(startup(user=server.user, database=server.database))
        self.until_ready()

    def drop(self, *messages):
        """Reads an answer without looking at it, and returns its length."""
        self.stream.sendall(b"".join(messages))
        total, end = 0, b""
        while not end.endswith(b"Z\0\0\0\5I"):
            piece = self.stream.recv(1 << 20)
            total += len(piece)
            end = (end + piece)[-6:]
        return total


def connects(server):
    for _ in range(CONNECTS):
        client = Reader(server)
        client.ask(query("select 1"))
        client.close()
    return CONNECTS


def make_account_rows(server):
    client = Reader(server)
    if not hasattr(server, "has_account_rows"):
        rows = rows_of(server)
        for statement in ("create table account_rows (aid int primary key, bid int, abalance int, filler char(84))" + rows,
                          "create table teller_rows (tid int primary key, bid int, tbalance int, filler char(84))" + rows,
                          "create table branch_rows (bid int primary key, bbalance int, filler char(88))" + rows,
                          "create table history_rows (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))" + rows,
                          f"insert into account_rows select i, 1, 0, ' ' from generate_series(1, {ACCOUNTS}) i",
                          "insert into teller_rows select i, 1, 0, ' ' from generate_series(1, 10) i",
                          "insert into branch_rows values (1, 0, ' ')"):
            client.ask(query(statement))
        server.has_account_rows = True
    client.close()


def pgbench(mode, script=LOOKUP, transactions=TRANSACTIONS):
    def run(server):
        if script != LOOKUP:
            make_account_rows(server)
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(script)
            file.flush()
            subprocess.run([str(BINARIES / "pgbench"), "-n", "-M", mode, "-t", str(transactions), "-f", file.name, "-h", "127.0.0.1", "-p",
                            str(server.port), "-U", server.user, server.database], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "PGSSLMODE": "disable"})
        return transactions
    return run


def rows_out(is_binary):
    def run(server):
        client = Reader(server)
        client.drop(parse("select id, at, sym, price, size from quotes"), bind(results=[int(is_binary)]), message(b"D", b"P\0"), execute(), SYNC)
        client.close()
        return 1
    return run


def copy_out(server):
    client = Reader(server)
    client.drop(query("copy quotes to stdout"))
    client.close()
    return 1


def lines_of_quotes():
    """The rows of `quotes` as a copy sends them, in messages of some 64 KiB."""
    second = 1767225600
    lines = []
    for i in range(ROWS):
        millis = second * 1000 + i
        clock = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(millis // 1000))
        lines.append(f"{i + 1}\t{clock}.{millis % 1000:03}\t{('AAPL', 'MSFT', 'IBM')[i % 3]}\t{100 + i % 1000 / 100}\t{100 * (1 + i % 50)}\n")
    return b"".join(message(b"d", "".join(lines[at:at + 1000]).encode()) for at in range(0, ROWS, 1000))


def copy_in(server):
    if not hasattr(copy_in, "data"):
        copy_in.data = lines_of_quotes()
    client = Reader(server)
    client.ask(query("drop table if exists quotes_in"))
    client.ask(query("create table quotes_in (id int, at timestamp, sym text, price float8, size int)"))
    client.stream.sendall(query("copy quotes_in from stdin"))
    client.stream.sendall(copy_in.data + message(b"c"))
    client.until_ready()
    assert client.rows("select count(*), sum(size) from quotes_in")[0][0] == str(ROWS)
    client.close()
    return 1


def inserts(server):
    client = Reader(server)
    client.ask(query("drop table if exists inserted"))
    client.ask(query("create table inserted (id int8, name text, price float8)"))
    values = [(str(i).encode(), f"name {i}".encode(), str(i / 4).encode()) for i in range(INSERTS)]
    client.stream.sendall(parse("insert into inserted values ($1, $2, $3)", "s"))
    for at in range(0, INSERTS, 500):
        client.stream.sendall(b"".join(bind(row, name="s") + execute() for row in values[at:at + 500]))
        client.stream.sendall(SYNC)
        client.until_ready()
    client.close()
    return INSERTS


def rows_of(server):
    """What makes a table one of rows."""
    return " using rows" if server.name == "pelorus" else ""


def returning(server):
    """Rows that get their number, one a round trip."""
    client = Reader(server)
    client.ask(query("drop table if exists numbered"))
    client.ask(query("create table numbered (id bigserial primary key, name text not null, price float8 default 1.5, check (price > 0))" + rows_of(server)))
    client.stream.sendall(parse("insert into numbered (name) values ($1) returning id", "r") + SYNC)
    client.until_ready()
    for i in range(RETURNED):
        client.drop(bind((f"name {i}".encode(),), name="r"), execute(), SYNC)
    assert client.rows("select count(*) from numbered")[0][0] == str(RETURNED)
    client.close()
    return RETURNED


def upserts(server):
    """Rows that are there, one a round trip."""
    client = Reader(server)
    client.ask(query("drop table if exists counters"))
    client.ask(query("create table counters (id int primary key, n int8)" + rows_of(server)))
    client.ask(query("insert into counters select i, 0 from generate_series(1, 100) i"))
    client.stream.sendall(parse("insert into counters values ($1, 1) on conflict (id) do update set n = counters.n + excluded.n", "u") + SYNC)
    client.until_ready()
    for i in range(RETURNED):
        client.drop(bind((str(i % 100 + 1).encode(),), name="u"), execute(), SYNC)
    assert client.rows("select sum(n) from counters")[0][0] == str(RETURNED)
    client.close()
    return RETURNED


def copy_rows(server):
    """COPY into a table of rows with a key."""
    if not hasattr(copy_in, "data"):
        copy_in.data = lines_of_quotes()
    client = Reader(server)
    client.ask(query("drop table if exists rows_in"))
    client.ask(query("create table rows_in (id int primary key, at timestamp, sym text, price float8, size int)" + rows_of(server)))
    client.stream.sendall(query("copy rows_in from stdin"))
    client.stream.sendall(copy_in.data + message(b"c"))
    client.until_ready()
    assert client.rows("select count(*), sum(size) from rows_in")[0][0] == str(ROWS)
    client.close()
    return 1


TASKS = [
    ("F1 connect, select 1, leave", connects, 1e6, "us"),
    ("F1 look-up by key, prepared (pgbench)", pgbench("prepared"), 1e6, "us"),
    ("F1 look-up by key, simple (pgbench)", pgbench("simple"), 1e6, "us"),
    (f"F2 {ROWS:,} rows out, text", rows_out(False), 1e3, "ms"),
    (f"F2 {ROWS:,} rows out, binary", rows_out(True), 1e3, "ms"),
    (f"F2 {ROWS:,} rows out by copy", copy_out, 1e3, "ms"),
    (f"F2 {ROWS:,} rows in by copy", copy_in, 1e3, "ms"),
    ("inserts of a row, 500 before an answer", inserts, 1e6, "us"),
    *[(f"row table: look-up by key, {mode} (pgbench -S)", pgbench(mode, ACCOUNT_ROWS), 1e6, "us") for mode in ("prepared", "extended", "simple")],
    ("row table: update by key, prepared", pgbench("prepared", UPDATE, CHANGES), 1e6, "us"),
    ("row table: insert, prepared", pgbench("prepared", INSERT, CHANGES), 1e6, "us"),
    *[(f"row table: TPC-B, {mode} (pgbench)", pgbench(mode, TPC_B, CHANGES), 1e6, "us") for mode in ("prepared", "simple")],
    ("row table: insert returning its number", returning, 1e6, "us"),
    ("row table: on conflict do update", upserts, 1e6, "us"),
    (f"row table: {ROWS:,} rows in by copy", copy_rows, 1e3, "ms"),
]


def measure(server, task):
    task(server)  # warms up
    time.sleep(0.2)
    before = server.seconds()
    count = task(server)
    time.sleep(0.2)  # children that end are counted when they are waited for
    return (server.seconds() - before) / count


def main():
    servers = [Pelorus()]
    if BINARIES:
        servers.append(Postgres())
    wanted = os.environ.get("PELORUS_BENCH_TASKS", "")
    try:
        for what, task, factor, unit in TASKS:
            if wanted not in what:
                continue
            line = f"{what:42}"
            try:
                figures = [measure(server, task) * factor for server in servers]
            except Exception as error:  # noqa: BLE001
                print(f"{line} FAILED: {error}", flush=True)
                continue
            line += f" {figures[0]:9.1f} {unit}"
            if len(figures) > 1:
                line += f"   postgres {figures[1]:9.1f} {unit}   ratio {figures[0] / figures[1]:.2f}"
            else:
                line += "   postgres is not installed"
            print(line, flush=True)
    finally:
        for server in servers:
            server.stop()


if __name__ == "__main__":
    main()
