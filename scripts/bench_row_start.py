#!/usr/bin/env python3
"""The time from the start of a killed node with a row table to its answers, beside PostgreSQL 15 in the same run.

    scripts/bench_row_start.py [ROWS]

Both are durable, hold the same rows (10^7 by default) with a primary key, are written to on until a checkpoint has
passed, and are killed with the last changes in the log. Seconds until: a first answer; the sum over all rows; a row by
its key; a change of it. Without Debian's postgresql the peer is left out."""
import subprocess
import sys
import time

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
sys.argv[1:] = []
from bench_rows import BINARIES, PELORUS, Pelorus, Postgres, ROOT, free_port  # noqa: E402,F401

STEPS = [("first answer", "select 1"), ("sum over all rows", "select count(*), sum(balance) from accounts"),
         ("row by key", f"select balance from accounts where id = {ROWS // 3}"),
         ("change by key", f"update accounts set balance = balance + 1 where id = {ROWS // 3}")]
TABLE = "create table accounts (id bigint primary key, bid int, balance bigint, name text)"
CHANGES = 3  # each of a tenth of the rows


def psql(server, *statements, stdin=None):
    command = ["psql", "-X", "-q", "-t", "-A", "-h", "127.0.0.1", "-p", str(server.port), "-U", server.user, "-v", "ON_ERROR_STOP=1"]
    for statement in statements:
        command += ["-c", statement]
    return subprocess.run([*command, server.database], stdin=stdin, capture_output=True, text=True)


def must(server, *statements, **more):
    done = psql(server, *statements, **more)
    if done.returncode != 0:
        raise SystemExit(f"{server.name}: {done.stderr}")
    return done.stdout.strip()


def fill(server, using):
    must(server, TABLE + using)
    rows = subprocess.Popen(["awk", f"BEGIN {{ for (i = 0; i < {ROWS}; ++i) print i \",\" i % 97 \",\" (i * 7919) % 1000003 \",customer \" i % 5003 }}"],
                            stdout=subprocess.PIPE)
    must(server, "copy accounts from stdin with (format csv)", stdin=rows.stdout)
    rows.wait()
    for k in range(CHANGES):
        must(server, f"update accounts set balance = balance + 1 where id % 10 = {k}")


def times(server, start):
    begin = time.monotonic()
    start()
    seconds = []
    for _, statement in STEPS:
        while psql(server, statement).returncode != 0:
            if time.monotonic() - begin > 600:
                raise SystemExit(f"{server.name} does not answer: {psql(server, statement).stderr}")
            time.sleep(0.02)
        seconds.append(time.monotonic() - begin)
    return seconds


def ours():
    server = Pelorus()
    try:
        fill(server, " using rows")
        before = must(server, STEPS[1][1])
        time.sleep(10)  # the node checkpoints by itself
        server.process.kill()
        server.process.wait()

        def start():
            server.process = subprocess.Popen([PELORUS, "serve", "--dev", "--port", str(server.port), "--data", server.folder.name + "/data"],
                                              stdout=subprocess.DEVNULL)
        seconds = times(server, start)
        after = must(server, f"select count(*), sum(balance) - 1 from accounts")
        assert after == before, (before, after)
        return seconds
    finally:
        server.stop()


def theirs():
    server = Postgres()
    try:
        fill(server, "")
        must(server, "checkpoint")
        must(server, "update accounts set balance = balance + 1 where id % 100 = 5")
        server.call("pg_ctl", "-D", server.folder + "/data", "-m", "immediate", "-w", "stop")
        return times(server, lambda: subprocess.Popen(
            [*server.prefix, str(BINARIES / "pg_ctl"), "-D", server.folder + "/data", "-l", server.folder + "/log", "-o",
             f"-p {server.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c shared_buffers=512MB", "start"],
            cwd=server.folder, stdout=subprocess.DEVNULL))
    finally:
        server.stop()


def main():
    mine = ours()
    peer = theirs() if BINARIES else [None] * len(STEPS)
    for (name, _), own, other in zip(STEPS, mine, peer):
        ratio = "" if other is None else f"  PostgreSQL {other:6.2f} s  ratio {own / other:.2f}"
        print(f"{name:20} {own:6.2f} s{ratio}")


if __name__ == "__main__":
    main()
