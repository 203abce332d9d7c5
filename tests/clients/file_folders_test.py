#!/usr/bin/env python3
"""The file folders of a server, by the native protocol: who is no administrator leaves them by no function and no path."""
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases_with_server, tally

PELORUS = sys.argv[1]
REFUSED = b"fileFolders"


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


class Server:
    """A development server of the test's own, whose guests have the rights to files that plain users have."""

    def __init__(self, *settings):
        self.root = tempfile.TemporaryDirectory(prefix="pelorus_folders_")
        self.data, self.outside = self.root.name + "/data", self.root.name + "/outside"
        self.files = self.data + "/files"
        os.mkdir(self.outside)
        write(self.outside + "/t.csv", "a,b\n1,2\n")
        config = self.root.name + "/node.cfg"
        write(config, f"port=0\ndataDir={self.data}\ndev=true\n" + "".join(s + "\n" for s in settings))
        self.process = subprocess.Popen([PELORUS, "serve", "--config", config], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                return
        self.process.wait(20)
        self.process.stdout.close()
        self.root.cleanup()

    def run(self, script, user=None):
        """What the server answers to a script: b"OK..." or the error."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as stream:
            file = stream.makefile("rb")
            if user:
                self.exchange(stream, file, f'login("{user}", "123456")')
            return self.exchange(stream, file, script)

    @staticmethod
    def exchange(stream, file, script):
        body = b"script\n" + script.encode()
        stream.sendall(f"API 0 {len(body)} / 0_1_4_64\n".encode() + body)
        while True:
            line = file.readline()
            if line == b"MSG\n":  # what the script prints ends with a zero byte
                while file.read(1) != b"\0":
                    pass
                continue
            return file.readline()

    def refuses(self, script, user=None):
        answer = self.run(script, user)
        assert REFUSED in answer, (script, answer)

    def allows(self, script, user=None):
        answer = self.run(script, user)
        assert answer == b"OK\n", (script, answer)

    def stop(self):
        self.process.terminate()
        status = self.process.wait(20)
        self.process.stdout.close()
        self.root.cleanup()
        return status


def test_the_folders_are_made_for_the_system_user_alone(server):
    for name in ("files", "backup", "uploads", "users", "modules"):
        assert os.stat(f"{server.data}/{name}").st_mode & 0o777 == 0o700, name


def test_paths_in_the_folders_are_opened(server):
    server.allows('saveText(table(1 2 as a), "own.csv"); assert 1, (loadText("own.csv")).size() == 2')
    server.allows(f'assert 1, (loadText("{server.files}/own.csv")).size() == 2')
    server.allows('assert 1, exists("own.csv"); rm("own.csv"); assert 2, not exists("own.csv")')
    server.allows('uploadModule("module tools\\ndef seven() { return 7 }")', "admin")
    server.allows("use tools\nassert 1, seven() == 7")


def test_paths_out_of_the_folders_are_refused(server):
    os.symlink(server.outside + "/t.csv", server.files + "/link.csv")
    os.symlink(server.outside, server.files + "/out")
    os.link(server.outside + "/t.csv", server.files + "/hard.csv")
    for path in ("../pelorus.log", server.data + "/pelorus.log", server.outside + "/t.csv", "/etc/passwd", "link.csv", "out/t.csv",
                 "hard.csv", "/proc/self/maps", "/proc/self/fd/0", server.files + "/../../outside/t.csv", "x/../../tls/key.pem"):
        if path.startswith("x/"):
            os.mkdir(server.files + "/x")
        server.refuses(f'loadText("{path}")')
        server.refuses(f'file("{path}")')
        server.refuses(f'saveText(table(1 as a), "{path}")')
    for script in (f'files("{server.data}")', f'files("{server.outside}")', 'files("out")', 'files("..")', f'rm("{server.outside}/t.csv")',
                   f'rmdir("{server.outside}", true)', f'mkdir("{server.outside}/made")', f'backup("{server.outside}", "dfs://none")',
                   f'restoreDB("{server.outside}", "dfs://none")', f'loadTable("{server.outside}", "t")', f'database("{server.data}")',
                   f'run("{server.outside}/t.csv")', f'test("{server.outside}")', f'#include "{server.outside}/t.csv"',
                   f'select * from "{server.outside}/t.csv"', f'textChunkDS("{server.outside}/t.csv", 1)',
                   f'loadModule("m", "{server.outside}")', f'exists("{server.outside}")'):
        server.refuses(script)
    with open(server.outside + "/t.csv") as kept:
        assert kept.read() == "a,b\n1,2\n"
    assert os.listdir(server.outside) == ["t.csv"]


def test_names_of_modules_lead_nowhere_else(server):
    write(server.data + "/m.dos", "module m\ndef f() { return 1 }\n")
    for name in ("..::m", "../m", "a::..::m"):
        assert b"OK" not in server.run(f"use {name}"), name
        assert b"OK" not in server.run(f'loadModule("{name}")'), name


def test_a_pipe_is_not_waited_for(server):
    os.mkfifo(server.files + "/pipe.csv")
    begin = time.time()
    for script in ('loadText("pipe.csv")', 'file("pipe.csv", "w")', 'saveText(table(1 as a), "pipe.csv")', 'run("pipe.csv")'):
        answer = server.run(script)
        assert b"pipe" in answer, (script, answer)
        assert b"pipe" in server.run(script.replace("pipe.csv", server.files + "/pipe.csv"), "admin") or "file(" in script
    assert time.time() - begin < 10


def test_a_link_that_is_swapped_while_it_is_opened_leads_nowhere(server):
    os.mkdir(server.files + "/real")
    write(server.files + "/real/t.csv", "own\n7\n")
    write(server.outside + "/s.csv", "a\n1\n")
    write(server.files + "/real/s.csv", "own\n7\n")
    swapped, aside = server.files + "/swapped", server.files + "/aside"
    stop = threading.Event()

    def swap():
        out = True
        while not stop.is_set():
            os.symlink(server.outside if out else "real", aside)
            os.rename(aside, swapped)
            out = not out

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        server.allows("""
            opened = 0
            for (i in 1..3000) {
                try { t = loadText("swapped/s.csv"); opened += 1; assert "own", t.columnNames()[0] == "own" }
                catch (ex) { assert ex[1], not (ex[1] like "%assert%") }
            }
            assert "opened", opened > 0 and opened < 3000""")
    finally:
        stop.set()
        thread.join()
    os.remove(server.outside + "/s.csv")


def test_administrators_open_any_file(server):
    server.allows(f'assert 1, (loadText("{server.outside}/t.csv")).size() == 1', "admin")
    confined = Server("adminFiles=folders")
    try:
        confined.refuses(f'loadText("{confined.outside}/t.csv")', "admin")
        confined.allows('saveText(table(1 as a), "x.csv"); loadText("x.csv")', "admin")
    finally:
        assert confined.stop() == 0


def test_folders_of_the_server_itself_are_refused_at_start(_):
    for folders in (".", "files,..", "/", "tls", "wal", "files, segments/inner", "pelorus.log", "files,modules", "users"):
        refused = Server(f"fileFolders={folders}")
        assert "fileFolders" in refused.said and "server keeps" in refused.said, (folders, refused.said)
        assert refused.process.returncode != 0


def test_configured_folders_replace_the_usual_ones(_):
    with tempfile.TemporaryDirectory(prefix="pelorus_folders_") as elsewhere:
        other = Server(f"fileFolders=own, {elsewhere}/shared")
        try:
            other.allows(f'saveText(table(1 as a), "{elsewhere}/shared/x.csv"); loadText("x.csv")')
            assert os.path.exists(elsewhere + "/shared/x.csv") and os.path.isdir(other.data + "/own")
            assert not os.path.exists(other.files)
            other.refuses(f'loadText("{other.files}/x.csv")')
        finally:
            assert other.stop() == 0


def main():
    return tally(*run_cases_with_server(cases_in(globals()), Server()))


if __name__ == "__main__":
    sys.exit(main())
