#!/usr/bin/env python3
"""Streams of one user and others: a subscription or an engine reads, writes and drops what its owner may at that moment, and nobody but
its owner and administrators ends it."""
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases, tally  # noqa: E402
from node import Node, Refused  # noqa: E402

PROGRAM = sys.argv[1]


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def refused(session, script, *words):
    try:
        answer = session.run(script)
    except Refused as error:
        check(any(word in str(error) for word in words), f"{script}: {error}")
        return
    raise AssertionError(f"{script} is not refused: {answer}")


def awaited(session, script, wanted):
    for _ in range(300):
        answer = session.run(script)
        if answer == wanted:
            return
        time.sleep(0.02)
    raise AssertionError(f"{script} gives {answer}, not {wanted}")


def prepare(node):
    with node.admin() as admin:
        admin.run("""
            for (user in `alice`bob) createUser(user, "secret-1")
            0""")
    with node.session("alice", "secret-1") as alice:
        alice.run("""
            share streamTable(1:0, `k`v, [SYMBOL, INT]) as ticks
            share table(1:0, `k`v, [SYMBOL, INT]) as results
            share table(1:0, `k`v, [SYMBOL, INT]) as copies
            addAccessControl(`ticks); addAccessControl(`results); addAccessControl(`copies)
            engine = createReactiveStateEngine("sums", <v * 2>, ticks, results, `k)
            subscribeTable(tableName=`ticks, actionName=`own, offset=0, handler=engine, msgAsTable=true)
            0""")


def an_owners_streams_run(node):
    with node.session("alice", "secret-1") as alice:
        alice.run("tableInsert(ticks, `a`b, 1 2)")
        awaited(alice, "string(exec sum(v) from results)", "6")


def others_neither_read_nor_write(node):
    with node.session("bob", "secret-1") as bob:
        for script in ("select * from ticks", "exec count(*) from results", "subscribeTable(tableName=`ticks, actionName=`mine, handler=x -> x)",
                       "getSubscriptionTopic(`ticks, `own)", "tableInsert(objByName(`ticks), `c, 3)", "getStreamTableFilterColumn(objByName(`ticks))",
                       "createReactiveStateEngine(`theirs, <v>, objByName(`ticks), objByName(`results), `k)",
                       "createReactiveStateEngine(`theirs, <v>, table(1:0, `k`v, [SYMBOL, INT]), objByName(`results), `k)",
                       "tableInsert(getStreamEngine(`sums), `c, 3)"):
            refused(bob, script, "NoPrivilege", "not have the permission", "privilege")


def others_end_nothing(node):
    with node.session("bob", "secret-1") as bob:
        for script in ("unsubscribeTable(tableName=`ticks, actionName=`own)", "dropStreamEngine(`sums)", "dropAggregator(`sums)", "dropStreamTable(`ticks)",
                       "dropStreamTable(`ticks, true)", "undef(`ticks, SHARED)", "enableTableCachePurge(objByName(`ticks), 1000)",
                       "setStreamTableFilterColumn(objByName(`ticks), `k)", "setStreamTableTimestamp(objByName(`ticks), `v)"):
            refused(bob, script, "NoPrivilege", "not have the permission", "privilege", "belongs to", "Only administrators")
    with node.session("alice", "secret-1") as alice:
        check(alice.run("string(existsSubscriptionTopic(tableName=`ticks, actionName=`own))") in ("1", "true"), "the subscription is gone")
        alice.run("tableInsert(ticks, `a, 10)")
        awaited(alice, "string(exec sum(v) from results)", "26")


def guests_do_none_of_it(node):
    with node.session() as guest:
        for script in ("streamTable(1:0, `a`b, [INT, INT])", "subscribeTable(tableName=`ticks, actionName=`g, handler=x -> x)", "dropStreamEngine(`sums)",
                       "getStreamingStat()", "getStreamEngineStat()", "getStreamTables()", "dropStreamTable(`ticks)"):
            refused(guest, script, "log in", "NotAuth", "not logged", "Login", "NoPrivilege", "privilege")


def a_lost_right_stops_the_delivery(node):
    with node.admin() as admin:
        admin.run('grant("bob", TABLE_READ, "ticks"); 0')
    with node.session("bob", "secret-1") as bob:
        bob.run("share table(1:0, `k`v, [SYMBOL, INT]) as bobs; subscribeTable(tableName=`ticks, actionName=`bobs, offset=-1, "
                "handler=append!{objByName(`bobs)}, msgAsTable=true); 0")
        with node.session("alice", "secret-1") as alice:
            alice.run("tableInsert(ticks, `a, 5)")
            awaited(bob, "string(exec count(*) from bobs)", "1")
            with node.admin() as admin:
                admin.run('revoke("bob", TABLE_READ, "ticks"); 0')
            alice.run("tableInsert(ticks, `a, 6)")
            time.sleep(0.3)
        check(bob.run("string(exec count(*) from bobs)") == "1", "rows were handed on after the right was lost")
    with node.admin() as admin:
        check("NoPrivilege" in admin.run("concat(string(exec lastErrMsg from getStreamingStat().subWorkers where topic like \"%bobs\"))"),
              "the status does not tell why")


def stored_positions_belong_to_who_stored_them(node):
    with node.session("alice", "secret-1") as alice:
        alice.run("""enableTableShareAndPersistence(streamTable(1:0, `k`v, [SYMBOL, INT]), `kept)
            topic = subscribeTable(tableName=`kept, actionName=`work, offset=0, handler=x -> x, msgAsTable=true, persistOffset=true)
            tableInsert(kept, `a`b, 1 2); 0""")
        awaited(alice, "string(getTopicProcessedOffset(topic))", "1")
        alice.run("unsubscribeTable(tableName=`kept, actionName=`work, removeOffset=false); 0")
        with node.session("bob", "secret-1") as bob:
            for offset in (0, -2):
                refused(bob, f"subscribeTable(tableName=`kept, actionName=`work, offset={offset}, handler=x -> x, persistOffset=true)", "NoPrivilege")
            refused(bob, 'removeTopicOffset("localhost:0:local/kept/work")', "NoPrivilege")
        check(alice.run("string(getTopicProcessedOffset(topic))") == "1", "the position has changed")


def administrators_end_what_others_began(node):
    with node.admin() as admin:
        admin.run("unsubscribeTable(tableName=`ticks, actionName=`own); dropStreamEngine(`sums); 0")
        refused(admin, "getStreamEngine(`sums)", "no stream engine", "not exist", "There is no")


def main():
    node = Node(PROGRAM)
    try:
        prepare(node)
        passed, failed = run_cases([an_owners_streams_run, others_neither_read_nor_write, others_end_nothing, guests_do_none_of_it,
                                    a_lost_right_stops_the_delivery, stored_positions_belong_to_who_stored_them,
                                    administrators_end_what_others_began], node)
    finally:
        node.remove()
    return tally(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
