#!/usr/bin/env python3
"""Nodes of a cluster that lose their disk, or get an older one, or whose disk refuses syncs, and a metadata store that was set
back: no acknowledged row goes, nothing that is empty passes for complete, and the node says what decides.

    cluster_disks_test.py build/release/pelorus [part of a test's name]
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases_with_etcd
from lost_store_test import COUNT, MAKE, Node, Setting, append

SUPPORT = Path(__file__).resolve().parent.parent / "support"


class CopiedNode(Node):
    """A node of a cluster with two copies of each partition, on a disk that may refuse."""

    library = None

    def configure(self, etcd, cluster="cluster"):
        super().configure(etcd, cluster)
        with open(self.settings, "a") as file:
            file.write("dfsReplicationFactor=2\n")
        self.disk = f"{self.folder}/{self.name}.disk"

    def start(self, expect_refusal=False):
        if CopiedNode.library is None:
            return super().start(expect_refusal)
        added = {"LD_PRELOAD": CopiedNode.library, "PELORUS_DISK": self.disk}
        os.environ.update(added)
        try:
            return super().start(expect_refusal)
        finally:
            for name in added:
                del os.environ[name]

    def tell_disk(self, what):
        with open(self.disk + ".new", "w") as file:
            file.write(what)
        os.rename(self.disk + ".new", self.disk)

    def run_patiently(self, script, patience=10):
        """Runs what is refused with "Try again" again, for so many seconds."""
        deadline = time.monotonic() + patience
        while True:
            try:
                return self.run(script)
            except AssertionError as error:
                if time.monotonic() > deadline or not any(text in str(error) for text in ("Try again", "does not answer")):
                    raise
                time.sleep(0.2)

    def states(self):
        return self.run("exec state from getSyncStates() order by name").strip("[]").replace('"', "").split(",")


class Copies(Setting):
    """Two nodes, each with a copy of everything."""

    node_class = CopiedNode

    def __init__(self, pelorus):
        super().__init__(pelorus, 2)

    def await_in_sync(self, node, patience=60):
        deadline = time.monotonic() + patience
        while True:
            try:
                states = node.states()
            except AssertionError as error:  # a node that has not found the store again says so
                states = str(error)
            if states == ["in sync"] * len(self.nodes):
                return
            assert time.monotonic() < deadline, states
            time.sleep(0.2)

    def check_each_alone(self, expected):
        """Both copies have the rows: each node shows them while the other one is away."""
        for node, other in (self.nodes, self.nodes[::-1]):
            assert node.run(COUNT) == str(expected), (node.name, node.run(COUNT))
            other.stop(signal.SIGKILL)
            deadline = time.monotonic() + 30
            while True:
                try:
                    found = node.run(COUNT)
                    break
                except AssertionError:
                    assert time.monotonic() < deadline
                    time.sleep(0.3)
            assert found == str(expected), (node.name, found)
            other.start()
            self.await_in_sync(node)


def lose_all(node):
    shutil.rmtree(node.data)


def lose_log(node):
    shutil.rmtree(f"{node.data}/wal")


def lose_files_of_log(node):
    for name in os.listdir(f"{node.data}/wal"):
        os.remove(f"{node.data}/wal/{name}")


def take_older(node):
    shutil.rmtree(node.data)
    shutil.copytree(node.data + ".older", node.data)


LOSSES = [lose_all, lose_log, lose_files_of_log, take_older]


def lose_and_come_back(pelorus, lose, other_is_down):
    setting = Copies(pelorus)
    try:
        first, second = setting.nodes
        first.run(MAKE)
        first.run(append("0..4", 50))
        first.stop()
        shutil.copytree(first.data, first.data + ".older")
        first.start()
        setting.await_in_sync(second)
        second.run_patiently(append("0..9", 100))
        time.sleep(11 if lose is take_older else 1)  # the store has a note of it
        if other_is_down:
            second.stop(signal.SIGKILL)
        first.stop(signal.SIGKILL)
        lose(first)
        first.start()
        if other_is_down:
            assert first.states()[0] != "in sync", first.states()
            text = first.run(COUNT, fails=True)
            assert "0" != text.strip(), text
            second.start()
        setting.await_in_sync(second)
        setting.check_each_alone(150)
        print(f"    {lose.__name__}, the other node {'down' if other_is_down else 'up'}: whole", flush=True)
    finally:
        setting.end()


def what_an_idle_node_loses_comes_back_from_the_other_copy(pelorus):
    # Most of the time is spent in waiting: all at once.
    with ThreadPoolExecutor(len(LOSSES) * 2) as pool:
        ends = [pool.submit(lose_and_come_back, pelorus, lose, other_is_down) for lose in LOSSES for other_is_down in (False, True)]
        for end in ends:
            end.result()


def what_lies_on_the_lost_disk_alone_keeps_the_node_from_starting_until_people_decide(pelorus):
    setting = Setting(pelorus, 2)
    try:
        first, second = setting.nodes
        first.run(MAKE)
        first.run(append("0..9", 100))
        first.stop(signal.SIGKILL)
        os.rename(first.data, first.data + ".kept")
        text = first.start(expect_refusal=True)
        assert "No other node keeps" in text and "pelorus cluster force" in text, text
        shutil.rmtree(first.data)
        os.rename(first.data + ".kept", first.data)
        first.start()
        assert second.run(COUNT) == "100"
        # Nothing is to be decided for a node that has what it had.
        first.stop()
        done = subprocess.run([pelorus, "cluster", "force", "--config", first.settings], capture_output=True, text=True)
        assert done.returncode != 0 and "Nothing is to be decided" in done.stdout + done.stderr, done
        lose_all(first)
        report = first.command("cluster", "force", "--config", first.settings)
        assert "is lost" in report, report
        first.start()
        kept = int(second.run(COUNT))
        assert 0 < kept < 100, kept  # what lay on the other one
        first.run(append("0..9", 100))
        assert second.run(COUNT) == str(kept + 100)
    finally:
        setting.end()


def a_copy_that_is_behind_counts_when_people_say_so(pelorus):
    setting = Copies(pelorus)
    try:
        first, second = setting.nodes
        first.run(MAKE)
        first.run(append("0..9", 100))
        second.stop(signal.SIGKILL)
        deadline = time.monotonic() + 30
        while True:  # until the first one has written the other one out
            try:
                first.run(append("0..9", 10))
                break
            except AssertionError:
                assert time.monotonic() < deadline
        first.stop()
        os.rename(first.data, first.data + ".kept")
        second.start()
        assert second.states()[1] == "out of sync", second.states()
        second.stop()
        report = second.command("cluster", "force", "--config", second.settings)
        assert "the copy that counts" in report and "n1" in report, report
        second.start()
        deadline = time.monotonic() + 30
        while second.states()[1] != "in sync":
            assert time.monotonic() < deadline, second.run("getSyncStates()")
            time.sleep(0.2)
        assert second.run(COUNT) == "100"
        # The disk turns up: what only it has is put aside, not mixed in and not lost.
        os.rename(first.data + ".kept", first.data)
        first.start()
        setting.await_in_sync(second)
        assert first.run(COUNT) == "100", first.run(COUNT)
        assert int(first.run("exec sum(rows) from getQuarantine()")) >= 10
        second.run(append("0..9", 20))
        assert first.run(COUNT) == "120", first.run(COUNT)
    finally:
        setting.end()


def a_store_that_was_set_back_after_an_orderly_stop_is_noticed(pelorus):
    for grows in (False, True):
        setting = Copies(pelorus)
        try:
            first, second = setting.nodes
            first.run(MAKE)
            first.run(append("0..4", 50))
            older = setting.copy_store("older")
            setting.etcd.start()
            second.run_patiently(append("5..9", 50))  # until the nodes have found the store again they append nothing
            setting.stop_nodes()
            newest = setting.copy_store("newest")
            setting.etcd.replace_by(older)
            if grows:  # the store has passed by now the revisions that the nodes have seen
                import json
                import urllib.request
                for i in range(300):
                    body = json.dumps({"key": "eA==", "value": "eA=="}).encode()
                    urllib.request.urlopen(f"http://127.0.0.1:{setting.etcd.client}/v3/kv/put", body, timeout=5).read()
            for node in setting.nodes:
                text = node.start(expect_refusal=True)
                assert "went back in time" in text and "pelorus cluster adopt" in text, text
            setting.etcd.replace_by(newest)
            setting.start_nodes()
            setting.await_in_sync(first)
            setting.check_each_alone(100)
        finally:
            setting.end()


def a_node_whose_log_could_not_be_synced_comes_back_by_itself(pelorus):
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/disk.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", library, str(SUPPORT / "disk_that_refuses.c"), "-ldl"], check=True)
        CopiedNode.library = library
        setting = Copies(pelorus)
        try:
            first, second = setting.nodes
            first.run(MAKE)
            acknowledged = 0
            for i in range(5):
                first.run(append("0..9", 10))
                acknowledged += 10
            second.tell_disk("refuse")
            end = time.monotonic() + 2
            unknown = 0
            while time.monotonic() < end:
                try:
                    first.run(append("0..9", 10))
                    acknowledged += 10
                except AssertionError:
                    unknown += 10
            second.tell_disk("")
            setting.await_in_sync(first, 30)
            for i in range(5):
                second.run(append("0..9", 10))
                acknowledged += 10
            found = int(first.run(COUNT))
            assert acknowledged <= found <= acknowledged + unknown, (acknowledged, found, unknown)
            log = subprocess.run(["grep", "-c", "begun anew after a failed sync", f"{second.data}/pelorus.log"], capture_output=True, text=True)
            assert int(log.stdout) >= 1, "the log was not begun anew"
            setting.check_each_alone(found)
        finally:
            setting.end()
            CopiedNode.library = None


TESTS = [
    what_an_idle_node_loses_comes_back_from_the_other_copy,
    what_lies_on_the_lost_disk_alone_keeps_the_node_from_starting_until_people_decide,
    a_copy_that_is_behind_counts_when_people_say_so,
    a_store_that_was_set_back_after_an_orderly_stop_is_noticed,
    a_node_whose_log_could_not_be_synced_comes_back_by_itself,
]


def main():
    return run_cases_with_etcd(TESTS, os.path.abspath(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
