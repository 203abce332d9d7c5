#!/usr/bin/env python3
"""A node that is killed while stream tables on its disk are fed. What was acknowledged with asynWrite=false is there afterwards; of the rest a
prefix; a table that a handler fills has no row whose input is lost. PELORUS_FULL=1 runs 200 rounds instead of some."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases, tally
from repeated_requests_test import Client, value
from doors_test import PASSWORD, PELORUS

ROUNDS = 200 if os.environ.get("PELORUS_FULL") else 3
ROUNDS_OF_A_TABLE = 8  # then it is dropped: each round reads all of its rows

# Makes the tables and the handler, as a script does after each start of a node.
ENABLE = """
enableTableShareAndPersistence(table=streamTable(10:0, `x`text, [LONG, STRING]), tableName=`fast, cacheSize=2000)
enableTableShareAndPersistence(table=streamTable(10:0, [`x], [LONG]), tableName=`sure, asynWrite=false, cacheSize=1000, preCache=10)
enableTableShareAndPersistence(table=streamTable(10:0, `x`n, [LONG, INT]), tableName=`copied)
def copyRows(m, id) { tableInsert(copied, m.x, take(size(m), size(m))) }
subscribeTable(tableName=`fast, actionName=`copy, offset=-2, handler=copyRows, msgAsTable=true, handlerNeedMsgId=true, persistOffset=true)
"""
DROP = "unsubscribeTable(tableName=`fast, actionName=`copy); for (name in `fast`sure`copied) dropStreamTable(name)\n"
# Each append has as many rows as its text says, so that half of one would be seen.
FEED = """
def feed() { x = getPersistenceMeta(fast).totalSize
  do { n = 1 + rand(40, 1)[0]; tableInsert(fast, x + 0..(n - 1), take(string(n), n)); x += n } while (true) }
feed()
"""
# The number of rows that are not the number of their row, on disk and in memory, and the size of the table.
CHECK = """
def note(m, id) { tableInsert(objByName("checked"), m.x, id - size(m) + 1 + 0..(size(m) - 1)) }
def wrong(t, name) {
  share(table(10:0, `x`at, [LONG, LONG]), "checked")
  subscribeTable(tableName=name, actionName=`check, offset=0, msgAsTable=true, handlerNeedMsgId=true, batchSize=50000,
                 throttle=0.01, handler=note)
  n = 0
  do { sleep(5); n += 1 } while (n < 2000 && size(objByName("checked")) < t.getPersistenceMeta().totalSize)
  if (n == 2000) throw "rows are missing: " + string(size(objByName("checked"))) + " of " + string(t.getPersistenceMeta().totalSize) +
    " " + concat(getStreamingStat("subWorkers").lastErrMsg, ";")
  unsubscribeTable(tableName=name, actionName=`check)
  bad = exec sum(x != at) from objByName("checked"); undef(`checked, SHARED)
  return int(nullFill(bad, 0))
}
"""


class Node:
    """A node whose folder outlives its process."""

    def __init__(self, *settings):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_streams_")
        self.config = self.folder.name + "/node.cfg"
        with open(self.config, "w") as file:
            file.write(f"port=0\ndataDir={self.folder.name}/data\nadminPassword={PASSWORD}\n" + "".join(s + "\n" for s in settings))

    def start(self):
        self.process = subprocess.Popen([PELORUS, "serve", "--config", self.config], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                return
        raise RuntimeError("the node did not start")

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait(20)
        self.process.stdout.close()


def run(client, script):
    answer = client.run(script, 0)
    assert answer[1] == "OK", answer
    return answer


def number(client, script):
    run.count = getattr(run, "count", 0) + 1
    return value(client.run(script, run.count))


def feed_until_killed(node, acknowledged):
    """Feeds both tables, on a connection each, and kills the node at some moment."""
    clients = [Client(node, "c-fast"), Client(node, "c-sure")]
    clients[0].send(FEED, 1)

    def feed_surely():
        try:
            for n in range(1, 1 << 30):
                if clients[1].run(f"tableInsert(sure, {acknowledged[0]}l); 1", n)[1] != "OK":
                    return
                acknowledged[0] += 1
        except (OSError, AssertionError):
            pass  # killed

    thread = threading.Thread(target=feed_surely)
    thread.start()
    time.sleep(random.uniform(0.02, 0.6))
    node.end(signal.SIGKILL)
    thread.join(20)
    assert not thread.is_alive()
    for client in clients:
        client.leave()


def a_killed_node_keeps_a_prefix(node):
    acknowledged = [0]
    met = 0
    for i in range(ROUNDS):
        node.start()
        client = Client(node, "c-check")
        run(client, ENABLE)
        if i % ROUNDS_OF_A_TABLE == ROUNDS_OF_A_TABLE - 1:
            run(client, DROP + ENABLE)
            acknowledged[0] = 0
        feed_until_killed(node, acknowledged)
        node.start()
        client = Client(node, "c-again")
        run(client, ENABLE + CHECK)
        sure = number(client, "int(getPersistenceMeta(sure).totalSize)")
        assert sure >= acknowledged[0], (sure, acknowledged)
        acknowledged[0] = sure  # one more may have been written than was told
        assert number(client, "wrong(sure, `sure)") == 0
        assert number(client, "wrong(fast, `fast)") == 0
        total = number(client, "int(getPersistenceMeta(fast).totalSize)")
        met += total
        # Whole appends: the rows that say n are a multiple of n.
        torn = number(client, "int(nullFill(sum(exec count(x) % int(text) from fast group by text), 0))")
        assert torn == 0 or total > 2000, (torn, total)
        # The handler goes on where it was: each row is there, and none that has no input.
        assert number(client, "n = 0; do { sleep(5); n += 1 } while (n < 1000 && size(distinct(copied.x)) < "
                              f"{total}); int(size(distinct(copied.x)))") == total
        assert number(client, "int(nullFill(max(copied.x), -1))") == total - 1
        client.leave()
        node.end(signal.SIGTERM)
    assert met > 0 and acknowledged[0] > 0, "nothing was fed"


def old_rows_leave_the_disk_and_a_drop_removes_all(node):
    node.start()
    client = Client(node, "c-drop")
    run(client, ENABLE)
    assert number(client, "int(sum(exec persisted from getStreamTables(1)))") == 3
    run(client, DROP)
    assert number(client, "int(getStreamTables(1).rows())") == 0
    run(client, ENABLE)
    assert number(client, "int(getPersistenceMeta(fast).totalSize)") == 0
    assert number(client, "int(getTopicProcessedOffset(getSubscriptionTopic(`fast, `copy)[0]))") & 0xffffffff == 0xffffffff
    client.leave()
    node.end(signal.SIGTERM)


SLOW = """
enableTableShareAndCachePurge(streamTable(10:0, [`x], [INT]), `fed, cacheSize=1000)
share(table(10:0, [`x], [INT]), `taken)
def slow(m) { sleep(5); tableInsert(objByName("taken"), m) }
subscribeTable(tableName=`fed, handler=slow, offset=0, msgAsTable=true)
def feedSlowly() { most = 0
  for (i in 0..59) { tableInsert(objByName("fed"), take(i, 100)); most = max(most, getStreamingStat("subWorkers").queueDepth[0]) }
  return int(most) }
"""
CIRCLE = """
for (name in `ebb`flow) enableTableShareAndCachePurge(streamTable(10:0, [`x], [INT]), name, cacheSize=1000)
def pass(name, m) { tableInsert(objByName(name), take(1, min(2 * size(m), 800))) }
subscribeTable(tableName=`ebb, handler=pass{`flow}, msgAsTable=true)
subscribeTable(tableName=`flow, handler=pass{`ebb}, msgAsTable=true)
for (i in 0..9) tableInsert(objByName("ebb"), take(1, 100))
"""


def slow_handlers_hold_up_appends_and_circles_are_told(_):
    node = Node("maxSubQueueDepth=1000")
    node.start()
    try:
        client = Client(node, "c-slow")
        run(client, SLOW)
        most = number(client, "feedSlowly()")
        assert 1000 < most <= 1200, most
        assert number(client, "n = 0; do { sleep(5); n += 1 } while (n < 1000 && size(taken) < 6000); int(size(taken))") == 6000
        run(client, "unsubscribeTable(tableName=`fed)")
        run(client, CIRCLE)
        told = 'sum(getStreamingStat("subWorkers").lastErrMsg like "%circle: %ebb%flow%" or getStreamingStat("subWorkers").lastErrMsg like "%circle: %flow%ebb%")'
        assert number(client, f"n = 0; do {{ sleep(5); n += 1 }} while (n < 2000 && {told} == 0); int({told})") > 0
        client.leave()
    finally:
        node.end(signal.SIGTERM)


def main():
    node = Node()
    passed, failed = run_cases([a_killed_node_keeps_a_prefix, old_rows_leave_the_disk_and_a_drop_removes_all,
                                slow_handlers_hold_up_appends_and_circles_are_told], node)
    if node.process.poll() is None:
        node.process.kill()
    return tally(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
