#!/usr/bin/env python3
"""Nodes of a cluster subscribe to each other's stream tables by alias: rows come once and in order, also over the end of the publisher.

    cluster_streams_test.py build/release/pelorus [part of a case's name]
"""
import signal
import sys
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases_with_etcd
from cluster_commands_test import Pair

ENABLE = "enableTableShareAndPersistence(table=streamTable(10:0, [`x], [INT]), tableName=`kept, asynWrite=false, cacheSize=2000);\n"
WAIT = "n = 0; do {{ sleep(10); n += 1 }} while (n < 3000 && !({}));\n"


def a_subscription_by_alias_gets_each_row_once_while_the_publisher_is_killed(pelorus):
    pair = Pair(pelorus)
    try:
        publisher, subscriber = pair.nodes
        for node in pair.nodes:
            node.start()
        publisher.run(ENABLE + "kept.append!(table(0..99 as x))")
        subscriber.run("share table(10:0, [`x], [INT]) as got;\n"
                       "subscribeTable('n1', `kept, `a, 0, got, msgAsTable=true, reconnect=true);\n" + WAIT.format("size(got) == 100"))
        for lap in range(1, 3):
            publisher.stop(signal.SIGKILL)
            publisher.start()
            publisher.run(ENABLE + f"kept.append!(table({lap * 100}..{lap * 100 + 99} as x))")
            end = lap * 100 + 100
            text = subscriber.run(WAIT.format(f"size(objByName('got')) == {end}") + f"x = exec x from objByName('got'); print(size(x) == {end} && all(x == 0..{end - 1}))")
            assert "true" in text, text
        text = subscriber.run("print((exec first(publisher) from getStreamingStat().subConns)); unsubscribeTable('n1', `kept, `a);\n"
                              "print(size(getStreamingStat().subWorkers))")
        assert "n1" in text and text.strip().endswith("0"), text
        text = subscriber.run("subscribeTable('elsewhere', `kept, `a, 0, def(m) {})", fails=True)
        assert "elsewhere" in text, text
    finally:
        pair.end()


if __name__ == "__main__":
    sys.exit(run_cases_with_etcd([a_subscription_by_alias_gets_each_row_once_while_the_publisher_is_killed], sys.argv[1]))
