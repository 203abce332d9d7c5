#!/usr/bin/env python3
"""A node that subscribes to a stream table of another one, which is killed, comes back, or has lost its rows."""
import signal
import sys
import time
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases, tally
from doors_test import PASSWORD
from kept_streams_test import Node
from subscribers_test import Connection

ENABLE = "enableTableShareAndPersistence(table=streamTable(10:0, [`x], [INT]), tableName=`kept, asynWrite=false, cacheSize=2000)"


def wait(control, condition):
    assert control.number(f"n = 0; do {{ sleep(5); n += 1 }} while (n < 6000 && !({condition})); int(n < 6000)") == 1, condition


def to(publisher):
    return f"xdb('127.0.0.1', {publisher.port}, 'admin', '{PASSWORD}')"


def rows_come_with_the_numbers_of_the_publisher(publisher, here):
    there, control = Connection(publisher), Connection(here)
    there.run("share streamTable(10:0, [`x], [INT]) as t1; setStreamTableFilterColumn(t1, `x); t1.append!(table(0..4 as x))")
    control.run("share table(10:0, `x`id, [INT, LONG]) as got1; share table(10:0, [`x], [INT]) as some1; share table(10:0, [`x], [INT]) as odd1")
    control.run("def note(m, id) { tableInsert(objByName('got1'), m.x, id - size(m) + 1 + 0..(size(m) - 1)) }\n"
                f"there = {to(publisher)}\n"
                "subscribeTable(there, `t1, `a, 3, note, msgAsTable=true, handlerNeedMsgId=true)\n"
                "subscribeTable(there, `t1, `b, 0, some1, filter=1 7 9)\n"
                "subscribeTable(there, `t1, `c, -1, odd1, msgAsTable=true, filter=def(m): select * from m where x % 2 == 1)")
    there.run("t1.append!(table(5..4000 as x))")
    wait(control, "size(got1) == 3998 && size(some1) == 3 && size(odd1) == 1998")
    assert control.number("int(exec sum(x != id) from got1)") == 0
    assert control.number("int(sum(getStreamingStat().subConns.cumMsgCount > 0))") == 3
    assert control.number("int(existsSubscriptionTopic(there, `t1, `a) && !existsSubscriptionTopic(there, `t1, `z))") == 1
    assert there.number("int(exec count(*) from getStreamingStat().pubTables where tableName=`t1)") == 3
    control.run(f"there = {to(publisher)}; for (action in `a`b`c) unsubscribeTable(there, `t1, action)")
    wait(there, "exec count(*) == 0 from getStreamingStat().pubTables where tableName=`t1")
    there.run("dropStreamTable(`t1)")


def what_cannot_be_subscribed_to_is_told(publisher, here):
    control = Connection(here)
    for call, why in ((f"subscribeTable({to(publisher)}, `none, `a, 0, def(m) {{}})", "doesn't exist"),
                      ("subscribeTable('elsewhere', `t, `a, 0, def(m) {})", "no node elsewhere")):
        count, status = control.request("script\n" + call)
        assert why in status, status
    assert control.number("int(size(getStreamingStat().subWorkers))") == 0


def a_reconnected_subscription_gets_each_row_once(publisher, here):
    control = Connection(here)
    Connection(publisher).run(ENABLE)
    control.run("share table(10:0, [`x], [INT]) as got2")
    control.run(f"subscribeTable({to(publisher)}, `kept, `a, 0, got2, msgAsTable=true, reconnect=true)\n"
                f"subscribeTable({to(publisher)}, `kept, `once, 0, def(m) {{}})")
    fed = 0
    for _ in range(3):
        there = Connection(publisher)
        there.run(f"for (i in 0..99) kept.append!(table({fed} + i * 20 + 0..19 as x))")
        fed += 2000
        publisher.end(signal.SIGKILL)
        port, publisher.port = publisher.port, None
        start_again(publisher, port)
        Connection(publisher).run(ENABLE)
    Connection(publisher).run(f"kept.append!(table({fed} as x))")
    wait(control, f"size(got2) == {fed + 1}")
    assert control.number(f"int(all(got2.x == 0..{fed}))") == 1
    # Without reconnect the subscription has ended, and says so.
    assert control.number("int(strlen(exec last(lastErrMsg) from getStreamingStat().subWorkers where topic like '%once') > 0)") == 1
    control.run(f"there = {to(publisher)}; unsubscribeTable(there, `kept, `a); unsubscribeTable(there, `kept, `once)")


def start_again(node, port):
    with open(node.config) as file:
        lines = [line for line in file if not line.startswith("port=")]
    with open(node.config, "w") as file:
        file.writelines([f"port={port}\n", *lines])
    node.start()
    assert node.port == port


def rows_that_the_publisher_lost_end_the_subscription(publisher, here):
    there, control = Connection(publisher), Connection(here)
    there.run("share streamTable(10:0, [`x], [INT]) as t3; t3.append!(table(0..9 as x))")
    control.run(f"share table(10:0, [`x], [INT]) as got3; subscribeTable({to(publisher)}, `t3, `a, 0, got3, msgAsTable=true, reconnect=true)")
    wait(control, "size(got3) == 10")
    publisher.end(signal.SIGKILL)
    start_again(publisher, publisher.port)
    Connection(publisher).run("share streamTable(10:0, [`x], [INT]) as t3")
    wait(Connection(publisher), "exec count(*) == 1 from getStreamingStat().pubTables where tableName=`t3")
    Connection(publisher).run("t3.append!(table(77 as x))")
    wait(control, "(exec last(lastErrMsg) from getStreamingStat().subWorkers) like '%lost row 10%'")
    assert control.number("int(size(got3))") == 10
    control.run(f"unsubscribeTable({to(publisher)}, `t3, `a)")


def a_publisher_with_other_rows_under_the_same_numbers_is_noticed(publisher, here):
    there, control = Connection(publisher), Connection(here)
    there.run("share streamTable(10:0, [`x], [INT]) as t5; t5.append!(table(0..9 as x))")
    control.run(f"share table(10:0, [`x], [INT]) as got5; subscribeTable({to(publisher)}, `t5, `a, 0, got5, msgAsTable=true, reconnect=true)")
    wait(control, "size(got5) == 10")
    publisher.end(signal.SIGKILL)
    start_again(publisher, publisher.port)
    Connection(publisher).run("t = streamTable(10:0, [`x], [INT]); t.append!(table(100..199 as x)); share t as t5")
    wait(control, "(exec last(lastErrMsg) from getStreamingStat().subWorkers) like '%another row 9%'")
    assert control.number("int(size(got5))") == 10
    control.run(f"unsubscribeTable({to(publisher)}, `t5, `a)")


def a_stored_position_is_gone_on_from_after_the_subscriber_was_killed(publisher, here):
    there = Connection(publisher)
    there.run("share streamTable(10:0, [`x], [INT]) as t6; t6.append!(table(0..99 as x))")
    subscribe = (f"subscribeTable({to(publisher)}, `t6, `a, -2, got6, msgAsTable=true, persistOffset=true, reconnect=true)")
    control = Connection(here)
    control.run("share table(10:0, [`x], [INT]) as got6\n" + subscribe)
    wait(control, "size(got6) == 100")
    control.run(f"unsubscribeTable({to(publisher)}, `t6, `a, false)")
    there.run("t6.append!(table(100..149 as x))")
    control.run(subscribe)
    wait(control, "size(got6) == 150")
    assert control.number("int(all(got6.x == 0..149))") == 1
    control.run("sleep(500)")  # positions are on disk after 100 ms
    here.end(signal.SIGKILL)
    start_again(here, here.port)
    there.run("t6.append!(table(150..159 as x))")
    control = Connection(here)
    control.run("share table(10:0, [`x], [INT]) as got6\n" + subscribe)
    wait(control, "size(got6) == 10")
    assert control.number("int(all(got6.x == 150..159))") == 1
    control.run(f"unsubscribeTable({to(publisher)}, `t6, `a)")


def a_node_ends_while_it_is_subscribed(publisher, here):
    there, control = Connection(publisher), Connection(here)
    there.run("share streamTable(10:0, [`x], [INT]) as t4")
    control.run(f"subscribeTable({to(publisher)}, `t4, `a, 0, def(m) {{}}, reconnect=true)")
    started = time.monotonic()
    here.end(signal.SIGTERM)
    assert time.monotonic() - started < 5
    wait(there, "exec count(*) == 0 from getStreamingStat().pubTables where tableName=`t4")


def main():
    publisher, here = Node(), Node()
    publisher.start()
    here.start()
    passed, failed = run_cases([rows_come_with_the_numbers_of_the_publisher, what_cannot_be_subscribed_to_is_told, a_reconnected_subscription_gets_each_row_once,
                                rows_that_the_publisher_lost_end_the_subscription, a_publisher_with_other_rows_under_the_same_numbers_is_noticed,
                                a_stored_position_is_gone_on_from_after_the_subscriber_was_killed, a_node_ends_while_it_is_subscribed], publisher, here,
                               wanted="".join(sys.argv[2:3]))
    for node in (publisher, here):
        if node.process.poll() is None:
            node.end(signal.SIGTERM)
    return tally(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
