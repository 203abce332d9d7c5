#!/usr/bin/env python3
"""What `pelorus cluster` refuses and says, and what nodes say of each other that are set up wrongly: bounded in time, with a hint.

    cluster_commands_test.py build/release/pelorus [part of a test's name]
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases, tally
from lost_store_test import COUNT, MAKE, Etcd, Node, append


class Folder:
    def __init__(self, pelorus):
        self.pelorus = pelorus
        self.folder = tempfile.mkdtemp(prefix="pelorus_commands_")

    def cluster(self, verb, *options, environment=None, patience=120):
        done = subprocess.run([self.pelorus, "cluster", verb, "--dir", self.folder, *options], capture_output=True, text=True,
                              timeout=patience, env={**os.environ, **(environment or {})})
        return done.returncode, done.stdout + done.stderr

    def end(self):
        self.cluster("down")
        shutil.rmtree(self.folder)


REFUSED = [
    (["--nodes", "2x"], "--nodes must be a number"),
    (["--nodes", "0"], "--nodes must be a number"),
    (["--nodes", "65"], "--nodes must be a number"),
    (["--replicas", "two"], "--replicas must be a number"),
    (["--replicas", "6"], "--replicas must be a number"),
    (["--nodes", "2", "--replicas", "5"], "needs as many nodes, but there are 2"),
    (["--replicas", "4"], "needs as many nodes, but there are 3"),
    (["--node", "2"], "does not understand --node"),
]


def numbers_that_do_not_come_true_are_refused_before_anything_is_made(pelorus):
    folder = Folder(pelorus)
    try:
        for options, why in REFUSED:
            code, text = folder.cluster("up", *options)
            assert code != 0 and why in text, (options, text)
            assert not os.path.exists(folder.folder + "/cluster.json"), options
        empty = tempfile.mkdtemp(dir=folder.folder)
        code, text = folder.cluster("up", environment={"PATH": empty})
        assert code != 0 and "etcd-server" in text, text
    finally:
        shutil.rmtree(folder.folder)


def a_cluster_keeps_its_nodes_and_a_stopped_one_does_not_hold_up_the_commands(pelorus):
    folder = Folder(pelorus)
    try:
        code, text = folder.cluster("up", "--nodes", "2")
        assert code == 0 and "node2" in text, text
        code, text = folder.cluster("up")
        assert code == 0 and "node3" not in text, text
        code, text = folder.cluster("up", "--nodes", "1")
        assert code != 0 and "has 2 nodes" in text, text
        code, text = folder.cluster("up", "--replicas", "2")
        assert code == 0 and "keep the number of copies" in text, text
        pid = int(open(folder.folder + "/node2.pid").read())
        os.kill(pid, signal.SIGSTOP)
        try:
            begin = time.monotonic()
            code, text = folder.cluster("status", patience=60)
            assert code == 1 and "does not answer" in text, text
            assert time.monotonic() - begin < 40
        finally:
            os.kill(pid, signal.SIGCONT)
    finally:
        folder.end()


class Pair:
    """Two nodes of one etcd, whose settings get lines of their own."""

    def __init__(self, pelorus, *lines):
        self.folder = tempfile.mkdtemp(prefix="pelorus_commands_")
        self.etcd = Etcd(self.folder)
        self.nodes = [Node(pelorus, self.folder, f"n{i + 1}", self.etcd) for i in range(2)]
        for node, line in zip(self.nodes, lines):
            with open(node.settings, "a") as file:
                file.write(line + "\n")

    def await_log(self, node, what, patience=30):
        deadline = time.monotonic() + patience
        while what not in open(node.data + "/pelorus.log", errors="replace").read():
            assert time.monotonic() < deadline, open(node.data + "/pelorus.log", errors="replace").read()[-2000:]
            time.sleep(0.2)

    def end(self):
        for node in self.nodes:
            node.stop()
        self.etcd.stop()
        shutil.rmtree(self.folder)


def another_cluster_key_is_named_not_taken_for_silence(pelorus):
    pair = Pair(pelorus, "", "clusterKey=another key than that of the cluster")
    try:
        for node in pair.nodes:
            node.start()
        for node in pair.nodes:
            pair.await_log(node, "clusterKey")
    finally:
        pair.end()


def an_address_that_means_all_of_a_machine_needs_another_one_for_the_nodes(pelorus):
    pair = Pair(pelorus, "host=0.0.0.0", "")
    try:
        first, second = pair.nodes
        text = first.start(expect_refusal=True)
        assert "advertise" in text, text
        with open(first.settings, "a") as file:
            file.write("advertise=127.0.0.1\n")
        first.start()
        second.start()
        first.run(MAKE)
        second.run(append("0..9", 50))
        assert first.run(COUNT) == "50"
        second.stop()
        # The address of the other one: who answers there says who it is.
        with open(second.settings, "a") as file:
            file.write(f"advertise=127.0.0.1:{first.port}\n")
        second.start()
        # A connection from before the address was changed would serve on.
        first.stop()
        first.start()
        pair.await_log(first, "the node n1 answers")
    finally:
        pair.end()


def a_node_that_was_started_with_nohup_stays_when_its_terminal_goes(pelorus):
    folder = tempfile.mkdtemp(prefix="pelorus_commands_")
    node = Node(pelorus, folder, "alone")
    for is_ignored in (True, False):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN if is_ignored else signal.SIG_DFL)
        try:
            node.start()
            node.process.send_signal(signal.SIGHUP)
            time.sleep(1)
            assert (node.process.poll() is None) == is_ignored
            if is_ignored:
                assert node.run("1+1") == "2"
        finally:
            signal.signal(signal.SIGHUP, before)
            node.stop()
    shutil.rmtree(folder)


def queries_go_on_without_etcd_for_as_long_as_they_may_and_say_how_old_they_are(pelorus):
    pair = Pair(pelorus, "maxStaleness=600", "")
    try:
        for node in pair.nodes:
            node.start()
        allowed, other = pair.nodes
        allowed.run(MAKE)
        allowed.run(append("0..9", 50))
        assert allowed.run(COUNT) == "50" and other.run(COUNT) == "50"
        pair.etcd.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(3)
            begin = time.monotonic()
            assert allowed.run(COUNT) == "50"
            assert int(allowed.run("exec max(staleness) from getSyncStates()")) > 0
            text = other.run(COUNT, fails=True)
            assert "metadata store" in text, text
            text = allowed.run(append("0..9", 50), fails=True)
            assert "Nothing was written" in text or "metadata store" in text, text
            assert time.monotonic() - begin < 40
            pair.await_log(allowed, "queries read what was known before")
        finally:
            pair.etcd.process.send_signal(signal.SIGCONT)
        deadline = time.monotonic() + 30
        while allowed.run("exec max(staleness) from getSyncStates()") != "0":
            assert time.monotonic() < deadline
            time.sleep(0.2)
        other.run(append("0..9", 50))
        assert allowed.run(COUNT) == "100"
    finally:
        pair.end()


TESTS = [
    numbers_that_do_not_come_true_are_refused_before_anything_is_made,
    a_cluster_keeps_its_nodes_and_a_stopped_one_does_not_hold_up_the_commands,
    another_cluster_key_is_named_not_taken_for_silence,
    an_address_that_means_all_of_a_machine_needs_another_one_for_the_nodes,
    a_node_that_was_started_with_nohup_stays_when_its_terminal_goes,
    queries_go_on_without_etcd_for_as_long_as_they_may_and_say_how_old_they_are,
]


def main():
    if shutil.which("etcd") is None:
        print("SKIPPED: there is no etcd")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    return tally(*run_cases(TESTS, os.path.abspath(sys.argv[1]), wanted="".join(sys.argv[2:3])))


if __name__ == "__main__":
    sys.exit(main())
