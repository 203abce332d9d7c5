#!/usr/bin/env python3
"""The example "share a server with five analysts" of docs/operations.md, taken from the page and run as it stands there, and each of its
promises tried by the users whom it makes."""
import os
import re
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases, tally  # noqa: E402
from node import Node, Refused  # noqa: E402

PROGRAM = sys.argv[1]
PAGE = Path(__file__).resolve().parents[2] / "docs/operations.md"
MAKE_MARKET = """db = database("dfs://market", VALUE, 2026.01.01..2026.01.03)
for (name in ["trades", "positions"]) db.createPartitionedTable(table(1:0, [`day, `price], [DATE, DOUBLE]), name, "day").append!(table(2026.01.01..2026.01.03 as day, 1.0 2.0 3.0 as price))
0"""


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def example():
    """The lines of the page's block, which ends with the first line that is not indented."""
    text = PAGE.read_text()
    begin = text.index("Share a server with five analysts")
    block = re.search(r"\n\n((?: {4}.*\n)+)", text[begin:]).group(1)
    lines = [line.strip() for line in block.splitlines()]
    check(len(lines) >= 8 and lines[0] == 'createGroup("desk")', f"the block is found: {lines[:1]}")
    return lines


def allowed(session, script):
    try:
        return session.run(script)
    except Refused as error:
        raise AssertionError(f"{session.user} may do this: {script}: {error}") from error


def refused(session, script):
    return session.refusal(script)


def prepare(node):
    with node.admin() as admin:
        admin.run(MAKE_MARKET)
        check(os.path.isdir(node.files), "the shared folder is made at the start")
        with open(node.files + "/notes.csv", "w") as file:
            file.write("a,b\n1,2\n3,4\n")
        for line in example():
            outcome = admin.outcome("script\n" + line)
            check(outcome == "done", f"{line}: {outcome}")


def log_in(node, user):
    """Logs in as the page says: with the first password, and takes one of the user's own."""
    with node.session(user, "Change-me-1") as session:
        session.run(f'login("{user}", "Change-me-1"); changePwd("Change-me-1", "Own-{user}-1"); 0')
    return node.session(user, f"Own-{user}-1")


def each_takes_a_password_of_their_own(node):
    for user in ("ann", "bob", "cleo", "dan", "eva"):
        log_in(node, user).close()
        try:
            node.session(user, "Change-me-1").close()
            raise AssertionError(f"the first password of {user} still opens")
        except Refused:
            pass


def all_read_the_tables_and_eva_not_the_denied_one(node):
    for user in ("ann", "bob", "cleo", "dan", "eva"):
        with node.session(user, f"Own-{user}-1") as session:
            check(allowed(session, 'exec count(*) from loadTable("dfs://market", "trades")') == 3, user)
            script = 'exec count(*) from loadTable("dfs://market", "positions")'
            if user == "eva":
                refused(session, script)
                refused(session, 't = loadTable("dfs://market", "positions"); exec count(*) from t')
            else:
                check(allowed(session, script) == 3, user)


def ann_alone_writes(node):
    row = "table(2026.01.02 as day, 5.0 as price)"
    append = f'loadTable("dfs://market", "trades").append!({row})'
    with node.session("ann", "Own-ann-1") as ann:
        allowed(ann, append + "; 0")
        allowed(ann, 't = loadTable("dfs://market", "trades"); update t set price = 6.0 where price = 5.0; 0')
        check(ann.run('exec count(*) from loadTable("dfs://market", "trades") where price = 6.0') == 1, "ann updates")
        allowed(ann, 't = loadTable("dfs://market", "trades"); delete from t where price = 6.0; 0')
        check(ann.run('exec count(*) from loadTable("dfs://market", "trades")') == 3, "ann deletes")
        refused(ann, 'dropTable(database("dfs://market"), "trades")')
    for user in ("bob", "eva"):
        with node.session(user, f"Own-{user}-1") as session:
            refused(session, append)
            refused(session, 't = loadTable("dfs://market", "trades"); delete from t where price > 0')
            refused(session, 'dropDatabase("dfs://market")')


def they_make_databases_of_their_own_and_grant_them(node):
    make = ('db = database("dfs://NAME", VALUE, 1 2 3); db.createPartitionedTable(table(1:0, [`a], [INT]), "t", "a")'
            '.append!(table(1 2 3 as a)); 0')
    with node.session("cleo", "Own-cleo-1") as cleo, node.session("bob", "Own-bob-1") as bob:
        allowed(cleo, make.replace("NAME", "desk1"))
        refused(cleo, make.replace("NAME", "other"))
        refused(bob, 'exec count(*) from loadTable("dfs://desk1", "t")')
        refused(bob, 'grant("bob", TABLE_READ, "dfs://desk1/t")')
        allowed(cleo, 'grant("bob", TABLE_READ, "dfs://desk1/t"); 0')
        check(allowed(bob, 'exec count(*) from loadTable("dfs://desk1", "t")') == 3, "bob reads what cleo granted")
        refused(bob, 'loadTable("dfs://desk1", "t").append!(table(1 as a))')
        allowed(cleo, 'dropDatabase("dfs://desk1"); 0')


def they_read_the_shared_files_and_write_their_own(node):
    with node.session("dan", "Own-dan-1") as dan, node.session("eva", "Own-eva-1") as eva:
        check(allowed(dan, 'rows(loadText("notes.csv"))') == 2, "the shared file")
        refused(dan, f'saveText(table(1 as a), "{node.files}/new.csv")')
        allowed(dan, 'saveText(table(1 2 3 as a), "mine.csv"); 0')
        check(allowed(dan, 'rows(loadText("mine.csv"))') == 3, "the own file")
        refused(eva, 'loadText("mine.csv")')
        refused(eva, 'loadText("../dan/mine.csv")')
        refused(eva, f'loadText("{node.data}/users/dan/mine.csv")')


def the_rights_are_told_to_who_has_them(node):
    with node.admin() as admin:
        check(admin.run('rows(getUserAccess("eva", true))') == 1, "eva's rights")
        told = admin.run('toStdJson(getUserAccess("eva", true))')
        check("dfs://market/positions" in told and "dfs://market" in told, told)
    with node.session("bob", "Own-bob-1") as bob:
        refused(bob, 'getUserAccess("eva", true)')
        refused(bob, 'grant("bob", DB_WRITE, "dfs://market")')
        refused(bob, 'createUser("mallory", "Change-me-1")')


def main():
    node = Node(PROGRAM)
    node.files = node.data + "/files"
    try:
        prepare(node)
        passed, failed = run_cases([each_takes_a_password_of_their_own, all_read_the_tables_and_eva_not_the_denied_one, ann_alone_writes,
                                    they_make_databases_of_their_own_and_grant_them, they_read_the_shared_files_and_write_their_own,
                                    the_rights_are_told_to_who_has_them], node)
    finally:
        node.remove()
    return tally(passed, failed)


sys.exit(main())
