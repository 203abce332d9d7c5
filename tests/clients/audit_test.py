#!/usr/bin/env python3
"""What a node's audit log tells: who came, who was refused, who changed what; and that no password is in any log. `pelorus passwd`."""
import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
import traceback

PASSWORD = "open-sesame-1"
PELORUS = sys.argv[1]


class Server:
    """A node of the test's own on a free loopback port; its folder goes away at the end."""

    def __init__(self, *settings):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_audit_")
        self.data = self.folder.name + "/data"
        self.config = self.folder.name + "/node.cfg"
        with open(self.config, "w") as file:
            file.write(f"port=0\ndataDir={self.data}\nalias=node7\nadminPassword={PASSWORD}\nlogLevel=debug\n" + "".join(s + "\n" for s in settings))
        self.start()

    def start(self):
        self.process = subprocess.Popen([PELORUS, "serve", "--config", self.config], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                return
        raise RuntimeError("the server did not start")

    def end(self):
        self.process.terminate()
        assert self.process.wait(20) == 0

    def events(self):
        with open(self.data + "/audit.log") as file:
            return [json.loads(line) for line in file]

    def logs(self):
        return "".join(open(self.data + "/" + name).read() for name in ("audit.log", "pelorus.log"))


class Client:
    """A native client. Its answers are texts: scripts end in a STRING or print."""

    def __init__(self, server, user="admin", password=PASSWORD):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        self.file = self.socket.makefile("rb")
        body = f"connect\nlogin\n{user}\n{password}\nfalse" if user else "connect\n"
        self.login = self.send(body)

    def send(self, body):
        data = body.encode()
        self.socket.sendall(b"API2 0 %d / 0_1_4_64\n" % len(data) + data)
        prints = ""
        while True:
            head = self.file.readline()
            if head.startswith(b"MSG"):
                text = b""
                while not text.endswith(b"\0"):
                    text += self.file.read(1)
                prints += text[:-1].decode()
                continue
            status = self.file.readline().decode().strip()
            if int(head.split()[1]) > 0:
                raise AssertionError("end with a print; got a value: " + status)
            return prints if status == "OK" else status

    def run(self, script):
        return self.send("script\n" + script)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.file.close()
        self.socket.close()


TABLE = """db = database("dfs://a", VALUE, 1..3)
t = createPartitionedTable(db, table(1:0, `k`v, [INT, DOUBLE]), `t, `k)
t.append!(table(1 2 3 as k, 1.0 2 3 as v));
"""


def operations(server):
    return [e["operation"] for e in server.events() if "operation" in e]


def test_events_name_their_client(server):
    client = Client(server)
    assert client.login == "", client.login
    client.close()
    wrong = Client(server, "eva", "not-her-password")
    assert "incorrect" in wrong.login, wrong.login
    wrong.close()
    events = server.events()
    mode = os.stat(server.data + "/audit.log").st_mode
    assert stat.S_IMODE(mode) == 0o600, oct(mode)
    login = next(e for e in events if e["operation"] == "login")
    assert login["user"] == "guest" and login["detail"] == "login userId=admin encrypted=false", login
    assert login["address"] == "127.0.0.1" and login["port"] > 0 and login["session"] > 0 and login["node"] == "node7", login
    assert any(e["operation"] == "loginFailed" and "userId=eva" in e["detail"] for e in events)
    assert {"newConnection", "closeConnection"} <= set(operations(server))


def test_changes_have_an_intent_and_an_outcome(server):
    client = Client(server)
    assert client.run(TABLE + "update t set v = 5 where k < 3; delete from t where k = 3; addColumn(t, `w, INT); renameTable(db, `t, `u);") == ""
    assert client.run("try { dropTable(db, `gone) } catch (e) { };") == ""
    told = client.run("a = getAuditLog(); print(concat(a.opType, ' ')); print(concat(a.opDetail, ' ')); print(concat(a.dbName + a.tbName, ' '));"
                      "print(a.userId[0] + a.remoteIp[0].string() + a.nodeAlias[0]); print(sum(isNull(a.endTime)) + 0);")
    for part in ("CREATE_DB CREATE_PARTITIONED_TABLE APPEND SQL_UPDATE SQL_DELETE ADD_COLUMN RENAME_TABLE", "updatedRows=2", "deletedRows=1", "appendedRows=3",
                 "tableName=[t], newTableName=[u]", "dfs://at", "admin127.0.0.1node7", "script=[update"):
        assert part in told, (part, told)
    assert "DROP_TABLE" not in told
    assert any(e.get("state") == "failed" for e in server.events())
    assert client.run("print(getAclAuditLog(`nobody).size());").strip() == "0"
    assert int(client.run("print(getAclAuditLog(opType=`login).size());")) > 0
    for wrong in ("getAuditLog(1)", "getAuditLog(, `x)", "getAuditLog(, 2030.01.01, 2020.01.01)", "getAclAuditLog(, 12:00:00)"):
        assert "must be" in client.run(wrong), wrong
    client.run("dropDatabase(\"dfs://a\");")
    client.close()


def test_damaged_lines_are_left_out_and_told(server):
    server.end()
    with open(server.data + "/audit.log", "ab") as file:
        file.write(b'{"time":1,"kind":"access"\n[1]\n{"time":1,"opera')
    server.start()
    client = Client(server)
    assert int(client.run("print(getAclAuditLog().size());")) > 0
    client.close()
    assert "damaged lines of the audit log are left out lines=3" in server.logs()


def test_no_log_holds_a_password(server):
    client = Client(server)
    assert client.run(f"login(`admin, \"{PASSWORD}\"); print(getConsoleJobs().desc[0]);").strip() == "login(`admin, \"***\"); print(getConsoleJobs().desc[0]);"
    told = client.run("changePwd(\"hidden-\\\"one\",\n \"hidden-two\")")
    assert "incorrect" in told and "hidden" not in told, told
    told = client.run("login{, \"hidden-three\"}(\"eva\")")
    assert "hidden" not in told, told
    told = client.run("submitJob(\"j\", \"as login('eva', 'hidden-four')\", login, `eva, \"hidden-five\"); sleep(500); j = getRecentJobs(); print(j.jobDesc); print(j.errorMsg); print(getJobMessage(`j));")
    assert "hidden" not in told and "***" in told, told
    client.run("t = loadTable(\"dfs://none\", \"login('eva', 'hidden-six')\")")
    client.close()
    logs = server.logs()
    assert "hidden" not in logs and PASSWORD not in logs


def test_a_password_is_set_on_a_stopped_node(server):
    passwd = [PELORUS, "passwd", "--data", server.data]
    running = subprocess.run(passwd, input="new-sesame-2\n", capture_output=True, text=True)
    assert running.returncode == 1 and "in use by another process" in running.stderr, running
    server.end()
    for arguments, given, told in ((["--user", "nobody"], "new-sesame-2\n", "no user nobody"), ([], "short\n", "6 to 64"), ([], "", "No password")):
        refused = subprocess.run(passwd + arguments, input=given, capture_output=True, text=True)
        assert refused.returncode == 1 and told in refused.stderr, refused
    done = subprocess.run(passwd, input="new-sesame-2\n", capture_output=True, text=True)
    assert done.returncode == 0, done
    server.start()
    old = Client(server)
    assert "incorrect" in old.login
    old.close()
    new = Client(server, "admin", "new-sesame-2")
    assert new.login == "", new.login
    new.close()


def test_nothing_is_audited_where_it_is_switched_off(_):
    server = Server("enableAuditLog=false")
    try:
        client = Client(server)
        assert client.run("print(getAuditLog().size());").strip() == "0"
        client.close()
        assert not os.path.exists(server.data + "/audit.log")
    finally:
        server.end()


def main():
    server = Server()
    passed = failed = 0
    for name, test in [(n, t) for n, t in globals().items() if n.startswith("test_") and callable(t)]:
        try:
            test(server)
            passed += 1
        except Exception:
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc(file=sys.stdout)
    server.end()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
