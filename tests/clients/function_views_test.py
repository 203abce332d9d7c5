#!/usr/bin/env python3
"""Function views over the native protocol: known to all sessions, as native function requests, to jobs, after a restart,
and to all nodes of a cluster."""
import json
import subprocess
import sys
import tempfile
import time
import traceback

try:
    import dolphindb as ddb
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

PASSWORD = "open-sesame-1"
PELORUS = sys.argv[1]


class Node:
    """A node of the test's own on a free loopback port."""

    def __init__(self, folder):
        config = folder + "/node.cfg"
        with open(config, "w") as file:
            file.write(f"port=0\ndataDir={folder}/data\nadminPassword={PASSWORD}\n")
        self.process = subprocess.Popen([PELORUS, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                return
        raise RuntimeError("the server did not start")

    def session(self, user="admin", password=PASSWORD):
        session = ddb.Session()
        assert session.connect("127.0.0.1", self.port, user, password)
        return session

    def stop(self):
        self.process.terminate()
        return self.process.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        status = self.stop()
        assert error[0] or status == 0, status


class Skipped(Exception):
    pass


def error_of(call):
    try:
        call()
    except Exception as error:  # the client has no type of its own for what the server reports
        return str(error)
    raise AssertionError("no error was raised")


def every_session_calls_it_in_every_way():
    with tempfile.TemporaryDirectory(prefix="pelorus_views_") as folder:
        with Node(folder) as node:
            node.session().run("def half(x, digits=2) { return round(x / 2.0, digits) }\naddFunctionView(half)")
            other = node.session()
            assert other.run("half(3)") == 1.5
            assert other.run("half", 3) == 1.5
            assert other.run("half{, 0}", 3) == 2.0
            assert other.run("3.half()") == 1.5
            assert other.run("half(3, digits=0)") == 2.0
            assert list(other.run("each(half, 3 4)")) == [1.5, 2.0]
            assert list(other.run("exec half(x) from table(3 4 as x) where half(x) > 1.6")) == [2.0]
            assert other.run("id = submitJob(`view, `view, half, 5)\ngetJobReturn(id, true)") == 2.5
            assert other.run("eval(<half(3)>)") == 1.5 and other.run("funcByName(`half)(3)") == 1.5
            assert list(other.run("exec owner from getFunctionViews()")) == ["admin"]
            other.run("def half(x) { return `own }")
            assert other.run("half(3)") == "own"

        with Node(folder) as node:
            session, waiting = node.session(), node.session()
            assert session.run("half(3)") == 1.5
            waiting.run("kept = half")
            session.run("dropFunctionView(`half)")
            assert "There is no function view half" in error_of(lambda: waiting.run("kept(1)"))
            assert "half" in error_of(lambda: waiting.run("half(1)"))


def plain_users_need_the_right():
    with tempfile.TemporaryDirectory(prefix="pelorus_views_") as folder:
        with Node(folder) as node:
            admin = node.session()
            if not admin.run("defined(`grant, DEF)"):
                raise Skipped("this node grants no rights yet")
            admin.run("""
                createUser("ann", "ann-secret-1")
                share table(1 2 3 as x) as st
                addAccessControl(`st)
                def total() { return exec sum(x) from objByName(`st) }
                addFunctionView(total)
            """)
            ann = node.session("ann", "ann-secret-1")
            assert "<NoPrivilege>" in error_of(lambda: ann.run("total()"))
            admin.run('grant("ann", VIEW_EXEC, "total")')
            assert ann.run("total()") == 6
            assert ann.run("id = submitJob(`total, `total, total)\ngetJobReturn(id, true)") == 6
            for script in ("select * from st", "st.x", "objByName(`st)", "insert into st values(4)", "undef(`st, SHARED)"):
                assert "No access to shared table [st]" in error_of(lambda: ann.run(script)), script
            admin.run('grant("ann", TABLE_INSERT, "st")')
            ann.run("insert into st values(4)")
            assert ann.run("total()") == 10
            assert "No access to shared table [st]" in error_of(lambda: ann.run("select * from st"))
            admin.run('revoke("ann", VIEW_EXEC, "total")')
            assert "<NoPrivilege>" in error_of(lambda: ann.run("total()"))


def every_node_of_a_cluster_knows_it():
    with tempfile.TemporaryDirectory(prefix="pelorus_views_") as folder:
        def cluster(verb, *options):
            subprocess.run([PELORUS, "cluster", verb, "--dir", folder, *options], check=True, capture_output=True, timeout=120)

        cluster("up", "--nodes", "3", "--dev")
        try:
            with open(folder + "/cluster.json") as file:
                ports = {node["alias"]: node["port"] for node in json.load(file)["nodes"]}

            def session(alias):
                made = ddb.Session()
                assert made.connect("127.0.0.1", ports[alias], "admin", "123456")
                return made

            first, second = session("node1"), session("node2")
            assert "twice" in error_of(lambda: second.run("twice(1)"))
            first.run("""
                def twice(x) { return 2 * x }
                def both(x) { return twice(x) + rpc("node3", x -> x + 100, x) }
                addFunctionView(twice); addFunctionView(both)
            """)
            began = time.monotonic()
            while True:
                try:
                    assert second.run("twice(4)") == 8
                    break
                except RuntimeError:
                    assert time.monotonic() - began < 5, "the other node did not learn of the view"
            assert second.run("both(1)") == 103
            assert second.run('rpc("node3", twice, 5)') == 10
            assert second.run('rpc("node3", "twice", 5)') == 10
            first.run("dropFunctionView(`twice)")
            began = time.monotonic()
            while len(second.run("exec name from getFunctionViews()")) > 1:
                assert time.monotonic() - began < 5
            assert second.run("both(1)") == 103
        finally:
            cluster("down")


if __name__ == "__main__":
    tests = [every_session_calls_it_in_every_way, plain_users_need_the_right, every_node_of_a_cluster_knows_it]
    failed = skipped = 0
    for test in tests:
        try:
            test()
        except Skipped as reason:
            print(f"SKIPPED: {test.__name__}: {reason}")
            skipped += 1
        except Exception as error:
            traceback.print_exc()
            print(f"FAILED: {test.__name__}: {error}")
            failed += 1
    print(f"{len(tests) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
