#!/usr/bin/env python3
"""A cluster whose metadata store goes away, is emptied, set back or named wrongly, and whose nodes stop and come back
between DDL, appends and queries: rows stay, and the node says which command decides.

    lost_store_test.py build/release/pelorus [part of a test's name]
    PELORUS_CLUSTER_ROUNDS   rounds of DDL, appends and queries (default 2)
"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from cases import run_cases_with_etcd
from ports import free_port

KEY = "a key of the nodes of this cluster"


class Etcd:
    def __init__(self, folder):
        self.folder = folder + "/etcd"
        self.client, self.peer = free_port(), free_port()
        self.process = None
        self.start()

    def start(self):
        client, peer = f"http://127.0.0.1:{self.client}", f"http://127.0.0.1:{self.peer}"
        self.process = subprocess.Popen(
            ["etcd", "--data-dir", self.folder, "--listen-client-urls", client, "--advertise-client-urls", client,
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=" + peer,
             "--unsafe-no-fsync"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.client), 1).close()
                return
            except OSError:
                assert time.monotonic() < deadline and self.process.poll() is None, "etcd does not start"
                time.sleep(0.05)

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        self.process.wait(30)
        self.process = None

    def replace_by(self, copy):
        """Goes on with another state: a copy made before, or nothing."""
        self.stop()
        shutil.rmtree(self.folder)
        if copy:
            shutil.copytree(copy, self.folder)
        self.start()


class Node:
    def __init__(self, pelorus, folder, name, etcd=None, cluster="cluster"):
        self.pelorus, self.folder, self.name = pelorus, folder, name
        self.data = f"{folder}/{name}"
        self.port = free_port()
        self.process = None
        self.configure(etcd, cluster)

    def configure(self, etcd, cluster="cluster"):
        self.settings = f"{self.folder}/{self.name}.cfg"
        with open(self.settings, "w") as file:
            file.write(f"port={self.port}\nalias={self.name}\ndataDir={self.data}\nadminPassword=123456\n")
            if etcd:
                file.write(f"etcdEndpoints=127.0.0.1:{etcd.client}\nclusterKey={KEY}\nclusterName={cluster}\n")

    def start(self, expect_refusal=False):
        """The output up to where the node listens, or of its refusal."""
        self.process = subprocess.Popen([self.pelorus, "serve", "--config", self.settings], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        output = ""
        for line in self.process.stdout:
            output += line
            if "listens on" in line:
                assert not expect_refusal, "the node serves though it must not: " + output
                return output
        code = self.process.wait(30)
        self.process = None
        assert expect_refusal and code != 0, output
        return output

    def stop(self, how=signal.SIGTERM):
        if self.process is None:
            return
        self.process.send_signal(how)
        self.process.wait(30)
        self.process = None

    def run(self, script, fails=False):
        path = f"{self.folder}/script.dos"
        with open(path, "w") as file:
            file.write(script)
        done = subprocess.run([self.pelorus, "run", "--connect", f"127.0.0.1:{self.port}", path], capture_output=True,
                              text=True, timeout=120, env={**os.environ, "PELORUS_PASSWORD": "123456"})
        assert (done.returncode != 0) == fails, script + "\n" + done.stdout + done.stderr
        return (done.stdout + done.stderr).strip()

    def command(self, *arguments):
        done = subprocess.run([self.pelorus, *arguments], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


class Setting:
    node_class = Node

    def __init__(self, pelorus, nodes):
        self.folder = tempfile.mkdtemp(prefix="pelorus_lost_")
        self.etcd = Etcd(self.folder)
        self.nodes = [self.node_class(pelorus, self.folder, f"n{i + 1}", self.etcd) for i in range(nodes)]
        self.start_nodes()

    def start_nodes(self):
        for node in self.nodes:
            node.start()

    def stop_nodes(self):
        for node in self.nodes:
            node.stop()

    def copy_store(self, name):
        """A copy of the store, which stands still meanwhile."""
        copy = f"{self.folder}/{name}"
        self.etcd.stop()
        shutil.copytree(self.etcd.folder, copy)
        return copy

    def end(self):
        self.stop_nodes()
        self.etcd.stop()
        shutil.rmtree(self.folder)


MAKE = """
db = database("dfs://d", VALUE, 0..9)
createPartitionedTable(db, table(1:0, `part`v, [INT, LONG]), `t, `part)
"""
COUNT = 'exec count(*) from loadTable("dfs://d", "t")'


def append(parts, rows=10):
    return f"""
t = loadTable("dfs://d", "t")
rows = table(take({parts}, {rows}) as part, 0l + 0..({rows} - 1) as v)
t.append!(rows)
"""


def ddl_appends_and_queries_take_turns_over_all_nodes_while_one_comes_and_goes(pelorus):
    setting = Setting(pelorus, 3)
    try:
        first, second, third = setting.nodes
        first.run(MAKE)
        expected = 0
        for r in range(int(os.environ.get("PELORUS_CLUSTER_ROUNDS", "2"))):
            here, there = setting.nodes[r % 2], setting.nodes[(r + 1) % 2]
            here.run(append("0..9", 100))
            expected += 100
            for node in setting.nodes:
                assert node.run(COUNT) == str(expected), (r, node.name)
            # A partition that another node drops, by routes that this one knows.
            there.run('dropPartition(database("dfs://d"), 3, `t)')
            here.run(append("3", 7))
            kept = int(first.run('exec count(*) from loadTable("dfs://d", "t") where part = 3'))
            assert kept == 7, (r, kept)
            expected = int(there.run(COUNT))
            there.run('truncate("dfs://d", `t)')
            here.run(append("0..9", 50))
            expected = 50
            assert third.run(COUNT) == "50", r
            here.run(f'createPartitionedTable(database("dfs://d"), table(1:0, `part`v, [INT, LONG]), `x{r}, `part)')
            there.run(f'loadTable("dfs://d", "x{r}").append!(table(0..9 as part, 0l + 0..9 as v))')
            third.stop(signal.SIGKILL if r % 2 else signal.SIGTERM)
            # While a node that holds some is away, nothing is emptied by half.
            time.sleep(4)
            here.run('truncate("dfs://d", `t)', fails=True)
            there.run(f'dropTable(database("dfs://d"), `x{r})')
            third.start()
            for node in setting.nodes:
                assert node.run(COUNT) == str(expected), (r, node.name)
                assert node.run(f'existsTable("dfs://d", `x{r})') == "false"
                assert node.run("exec count(*) from getQuarantine()") == "0", node.run("getQuarantine()")
    finally:
        setting.end()


def an_emptied_store_a_wrong_name_and_an_older_copy_cost_no_row(pelorus):
    setting = Setting(pelorus, 2)
    try:
        first, second = setting.nodes
        first.run(MAKE)
        first.run(append("0..4", 50))
        setting.stop_nodes()
        older = setting.copy_store("older")
        setting.etcd.start()
        setting.start_nodes()
        second.run(append("5..9", 50))
        setting.stop_nodes()
        newest = setting.copy_store("newest")
        setting.etcd.start()

        for node in setting.nodes:
            node.configure(setting.etcd, "clusteer")
            text = node.start(expect_refusal=True)
            assert "is empty" in text and "pelorus cluster adopt" in text, text
            node.configure(setting.etcd)
        setting.etcd.replace_by(None)
        for node in setting.nodes:
            text = node.start(expect_refusal=True)
            assert "is empty" in text and "pelorus cluster adopt" in text, text
        setting.etcd.replace_by(newest)
        setting.start_nodes()
        assert first.run(COUNT) == "100"
        setting.stop_nodes()

        setting.etcd.replace_by(older)
        refusals = [node.start(expect_refusal=True) for node in setting.nodes]
        assert all("went back in time" in text for text in refusals), refusals
        for node in setting.nodes:
            print("   ", node.command("cluster", "adopt", "--config", node.settings).strip().splitlines()[-1])
            node.start()
        # What the older store knows is served, what came later is kept aside.
        assert second.run(COUNT) == "50"
        aside = [int(node.run("exec sum(rows) from getQuarantine()") or 0) for node in setting.nodes
                 if node.run("exec count(*) from getQuarantine()") != "0"]
        assert sum(aside) == 50, aside
        holder = next(node for node in setting.nodes if node.run("exec count(*) from getQuarantine()") != "0")
        rows = holder.run("q = getQuarantine()\nt = loadTable(q.folder[0], q.name[0])\n"
                          "loadTable(\"dfs://d\", \"t\").append!(t)\nexec count(*) from t")
        assert second.run(COUNT) == str(50 + int(rows.split()[-1])), rows
    finally:
        setting.end()


def a_store_that_is_emptied_under_running_nodes_makes_them_change_nothing(pelorus):
    setting = Setting(pelorus, 2)
    try:
        first, second = setting.nodes
        first.run(MAKE)
        first.run(append("0..9", 50))
        copy = setting.copy_store("copy")
        setting.etcd.replace_by(None)
        time.sleep(3)
        text = first.run(COUNT, fails=True)
        assert "no longer that of" in text, text
        text = second.run('dropDatabase("dfs://d")', fails=True)
        setting.stop_nodes()
        setting.etcd.replace_by(copy)
        setting.start_nodes()
        assert second.run(COUNT) == "50"
    finally:
        setting.end()


def the_folder_of_a_single_node_is_not_emptied_by_a_cluster(pelorus):
    folder = tempfile.mkdtemp(prefix="pelorus_lost_")
    etcd = Etcd(folder)
    node = Node(pelorus, folder, "alone")
    try:
        node.start()
        node.run(MAKE)
        node.run(append("0..9", 50))
        node.stop()
        node.configure(etcd)
        text = node.start(expect_refusal=True)
        assert "by itself" in text and "pelorus cluster adopt" in text, text
        node.configure(None)
        node.start()
        assert node.run(COUNT) == "50"
        node.stop()
        # Asked to, it takes its databases along.
        node.configure(etcd)
        text = node.command("cluster", "adopt", "--config", node.settings)
        node.start()
        assert node.run(COUNT) == "50"
        node.run(append("0..9", 50))
        assert node.run(COUNT) == "100"
        node.stop()
        node.configure(None)
        text = node.start(expect_refusal=True)
        assert "belongs to the cluster" in text, text
    finally:
        node.stop()
        etcd.stop()
        shutil.rmtree(folder)


def clients_are_turned_away_and_the_node_lives_on_without_threads(pelorus):
    folder = tempfile.mkdtemp(prefix="pelorus_lost_")
    node = Node(pelorus, folder, "alone")
    try:
        node.start()
        assert node.run("1+1") == "2"
        pid = node.process.pid
        with open(f"/proc/{pid}/statm") as file:
            used = int(file.read().split()[0]) * 4096
        subprocess.run(["prlimit", f"--pid={pid}", f"--as={used + (3 << 20)}:"], check=True)
        held = []
        for _ in range(20):
            held.append(socket.create_connection(("127.0.0.1", node.port), 5))
        time.sleep(1)
        assert node.process.poll() is None, "the node has ended"
        for one in held:
            one.close()
        subprocess.run(["prlimit", f"--pid={pid}", "--as=unlimited:"], check=True)
        time.sleep(1)
        assert node.run("1+1") == "2"
    finally:
        node.stop()
        shutil.rmtree(folder)


TESTS = [
    ddl_appends_and_queries_take_turns_over_all_nodes_while_one_comes_and_goes,
    an_emptied_store_a_wrong_name_and_an_older_copy_cost_no_row,
    a_store_that_is_emptied_under_running_nodes_makes_them_change_nothing,
    the_folder_of_a_single_node_is_not_emptied_by_a_cluster,
    clients_are_turned_away_and_the_node_lives_on_without_threads,
]


def main():
    return run_cases_with_etcd(TESTS, os.path.abspath(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
