#!/usr/bin/env python3
"""PostgreSQL's protocol on a node's one port, spoken by plain sockets, so that messages can be cut, joined and wrong."""
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support")]
import doors_test
from cases import cases_in, run_cases_with_server, tally
from doors_test import PASSWORD, PELORUS

TLS_REQUEST, GSS_REQUEST, CANCEL_REQUEST = 80877103, 80877104, 80877102


class Server(doors_test.Server):
    """A node of the test's own, with what these cases ask of it."""

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def script(self, text):
        """Runs a script of ours as the administrator, and returns what it prints."""
        file = Path(self.folder.name) / "script.dos"
        file.write_text(text)
        done = subprocess.run([PELORUS, "run", "--connect", f"127.0.0.1:{self.port}", str(file)], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PELORUS_PASSWORD": PASSWORD})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def alive(self):
        assert self.process.poll() is None
        client = Client(self)
        assert client.rows("show server_encoding") == [("UTF8",)]
        client.close()


def message(letter, body=b""):
    return letter + struct.pack(">i", len(body) + 4) + body


def query(text):
    return message(b"Q", text.encode() + b"\0")


def startup(version=3 << 16, **parameters):
    body = struct.pack(">i", version) + b"".join(k.encode() + b"\0" + v.encode() + b"\0" for k, v in parameters.items()) + b"\0"
    return struct.pack(">i", len(body) + 4) + body


def parse(text, name="", types=()):
    return message(b"P", name.encode() + b"\0" + text.encode() + b"\0" + struct.pack(f">h{len(types)}i", len(types), *types))


def bind(values=(), portal="", name="", formats=(), results=()):
    body = portal.encode() + b"\0" + name.encode() + b"\0" + struct.pack(f">h{len(formats)}h", len(formats), *formats)
    body += struct.pack(">h", len(values))
    for value in values:
        body += struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value
    return message(b"B", body + struct.pack(f">h{len(results)}h", len(results), *results))


def execute(most=0, portal=""):
    return message(b"E", portal.encode() + b"\0" + struct.pack(">i", most))


SYNC, TERMINATE = message(b"S"), message(b"X")


def fields(body):
    """The fields of an error or notice by their letters."""
    return {part[:1].decode(): part[1:].decode() for part in body.split(b"\0") if part}


class ServerError(Exception):
    def __init__(self, body):
        self.fields = fields(body)
        super().__init__(self.fields["M"])
        self.state = self.fields["C"]


class Client:
    """A client that has logged in."""

    def __init__(self, server, stream=None, user="admin", password=PASSWORD, **parameters):
        self.stream = stream or server.socket()
        self.file = self.stream.makefile("rb")
        self.settings, self.key, self.notices = {}, None, []
        self.stream.sendall(startup(user=user, database="pelorus", **parameters))
        letter, body = self.receive()
        if letter == b"v":
            self.negotiated = body
            letter, body = self.receive()
        assert letter == b"R" and body == struct.pack(">i", 3), (letter, body)
        self.stream.sendall(message(b"p", password.encode() + b"\0"))
        self.status = self.until_ready()[1]

    def receive(self):
        head = self.file.read(5)
        if not head:
            return b"", b""
        letter, size = head[:1], struct.unpack(">i", head[1:])[0]
        body = self.file.read(size - 4)
        if letter == b"E":
            raise ServerError(body)
        return letter, body

    def until_ready(self):
        """The messages up to ReadyForQuery, and its status; raises the first error once that has come."""
        messages, error = [], None
        while True:
            try:
                letter, body = self.receive()
            except ServerError as failure:
                if failure.fields["S"] == "FATAL":
                    raise
                error = error or failure
                messages.append((b"E", b""))
                continue
            assert letter, "the server has closed the connection"
            if letter == b"S":
                name, value = body.split(b"\0")[:2]
                self.settings[name.decode()] = value.decode()
            elif letter == b"K":
                self.key = body
            elif letter == b"v":
                self.negotiated = body
            elif letter == b"N":
                self.notices.append(fields(body))
            elif letter == b"Z":
                self.status = body.decode()
                if error:
                    error.messages = messages
                    raise error
                return messages, self.status
            else:
                messages.append((letter, body))

    def send(self, *messages):
        self.stream.sendall(b"".join(messages))

    def ask(self, *messages):
        self.send(*messages)
        return self.until_ready()[0]

    def letters(self, *messages):
        return b"".join(letter for letter, _ in self.ask(*messages))

    def rows(self, text):
        return [row_of(body) for letter, body in self.ask(query(text)) if letter == b"D"]

    def state(self, *messages):
        """The SQLSTATE of the error that the messages end in."""
        try:
            self.ask(*messages)
        except ServerError as error:
            return error.state
        return ""

    def close(self):
        self.send(TERMINATE)
        self.stream.close()


def row_of(body):
    count, at, row = struct.unpack(">h", body[:2])[0], 2, []
    for _ in range(count):
        size = struct.unpack(">i", body[at:at + 4])[0]
        row.append(None if size < 0 else body[at + 4:at + 4 + size].decode())
        at += 4 + max(size, 0)
    assert at == len(body)
    return tuple(row)


def all_of(stream):
    got = b""
    try:
        while piece := stream.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    stream.close()
    return got


def fatal_of(server, data):
    """The SQLSTATE that ends a connection whose client sends these bytes."""
    stream = server.socket()
    stream.sendall(data)
    stream.shutdown(socket.SHUT_WR)
    answer = all_of(stream)
    assert answer[:1] == b"E", answer
    return fields(answer[5:])["C"]


def test_a_client_logs_in_by_its_password(server):
    client = Client(server, application_name="a test")
    assert client.status == "I" and len(client.key) == 8
    assert client.settings["client_encoding"] == "UTF8" and client.settings["application_name"] == "a test"
    assert client.settings["server_version"].startswith("15.") and client.settings["is_superuser"] == "on"
    client.close()
    for user, password in (("admin", "wrong"), ("nobody", ""), ("nobody", PASSWORD)):
        try:
            Client(server, user=user, password=password)
            raise AssertionError("logged in")
        except ServerError as error:
            assert (error.state, error.fields["S"]) == ("28P01", "FATAL")
    time.sleep(0.3)  # the delay after wrong ones


def test_a_client_of_a_later_protocol_goes_on_with_ours(server):
    stream = server.socket()
    stream.sendall(startup((3 << 16) + 2, user="admin", database="pelorus", **{"_pq_.new": "on"}))
    stream.sendall(message(b"p", PASSWORD.encode() + b"\0"))
    client = Client.__new__(Client)
    client.stream, client.file, client.settings, client.notices = stream, stream.makefile("rb"), {}, []
    assert client.receive() == (b"R", struct.pack(">i", 3))
    client.until_ready()
    assert client.negotiated == struct.pack(">ii", 3 << 16, 1) + b"_pq_.new\0"
    client.close()


def tls(server):
    context = ssl.create_default_context(cafile=server.data + "/tls/certificate.pem")
    return context


def test_a_client_asks_for_encryption(server):
    stream = server.socket()
    stream.sendall(struct.pack(">ii", 8, GSS_REQUEST))
    assert stream.recv(1) == b"N"
    stream.sendall(struct.pack(">ii", 8, TLS_REQUEST))
    assert stream.recv(1) == b"S"
    client = Client(server, tls(server).wrap_socket(stream, server_hostname="localhost"))
    assert client.rows("show server_encoding") == [("UTF8",)]
    client.close()


def test_a_client_begins_with_the_handshake(server):
    context = tls(server)
    context.set_alpn_protocols(["postgresql"])
    stream = context.wrap_socket(server.socket(), server_hostname="localhost")
    assert stream.selected_alpn_protocol() == "postgresql"
    client = Client(server, stream)
    assert client.rows("show jit") == [("off",)]
    client.close()


def test_what_came_before_the_handshake_is_not_taken_for_encrypted(server):
    stream = server.socket()
    stream.sendall(struct.pack(">ii", 8, TLS_REQUEST) + startup(user="admin"))
    answer = all_of(stream)
    assert answer[:1] == b"E" and fields(answer[5:])["C"] == "08P01", answer


def test_broken_beginnings_are_refused(server):
    assert fatal_of(server, startup(2 << 16, user="admin")) == "0A000"
    assert fatal_of(server, startup(database="pelorus")) == "28000"
    assert fatal_of(server, struct.pack(">i", 1 << 20)) == "08P01"
    assert fatal_of(server, struct.pack(">ii", 4, 0)) == "08P01"
    stream = server.socket()
    stream.sendall(startup(user="admin")[:7])
    stream.close()
    server.alive()


def test_both_protocols_answer(server):
    client = Client(server)
    assert client.letters(query("show jit; begin; commit")) == b"TDCCC"
    assert client.letters(query("")) == b"I"
    assert client.letters(parse("show jit"), message(b"D", b"S\0"), bind(), message(b"D", b"P\0"), execute(), SYNC) == b"1tT2TDC"
    assert client.letters(parse("", "e"), bind(name="e"), execute(), SYNC) == b"12I"
    client.close()


def test_a_pipeline_goes_on_behind_an_error(server):
    client = Client(server)
    client.send(parse("show jit"), bind(), execute(), SYNC, parse("nonsense"), bind(), execute(), SYNC, parse("show jit"), bind(), execute(), SYNC)
    assert client.until_ready()[1] == "I"
    try:
        client.until_ready()
        raise AssertionError("no error")
    except ServerError as error:
        assert error.state == "42601" and error.fields["P"] == "1" and error.messages == [(b"E", b"")]
    assert [letter for letter, _ in client.until_ready()[0]] == [b"1", b"2", b"D", b"C"]
    client.close()


def test_wrong_messages_are_errors_of_their_own(server):
    client = Client(server)
    assert client.state(parse("show jit"), bind([b"1"]), SYNC) == "08P01"
    assert client.state(bind(name="none"), SYNC) == "26000"
    assert client.state(execute(portal="none"), SYNC) == "34000"
    assert client.state(message(b"P", b"no end"), SYNC) == "08P01"
    assert client.state(message(b"D", b"X\0"), SYNC) == "08P01"
    assert client.state(bind(formats=[7]), SYNC) in ("22023", "26000")
    assert client.state(message(b"Q", b"select '\xe9'\0")) == "22021"
    assert client.state(query("show jit").replace(b"jit", b"j\0t")) == "08P01"
    assert client.state(message(b"F", b"")) == "0A000"
    assert client.rows("show jit") == [("off",)]
    client.close()
    client = Client(server)
    try:
        client.ask(message(b"~"))
        raise AssertionError("taken")
    except ServerError as error:
        assert (error.state, error.fields["S"]) == ("08P01", "FATAL")


def test_blocks_fail_and_are_rolled_back(server):
    client = Client(server)
    client.ask(query("begin; savepoint s; set application_name = 'within'"))
    assert client.status == "T"
    assert client.state(query("show nonsense")) == "42704" and client.status == "E"
    assert client.state(query("show jit")) == "25P02"
    client.ask(query("rollback to s"))
    assert client.status == "T" and client.settings["application_name"] == ""
    client.ask(query("commit"))
    client.ask(query("commit"))
    assert client.status == "I" and client.notices[-1]["C"] == "25P01"
    client.close()


def test_an_idle_block_ends_its_session(server):
    client = Client(server)
    client.ask(query("set idle_in_transaction_session_timeout = '100ms'; begin"))
    try:
        client.receive()
        raise AssertionError("it goes on")
    except ServerError as error:
        assert (error.state, error.fields["S"]) == ("25P03", "FATAL")


def test_a_cancel_needs_the_secret(server):
    client = Client(server)
    number, secret = client.key[:4], client.key[4:]
    for key in (number + b"wrng", number, secret + number, client.key):
        stream = server.socket()
        stream.sendall(struct.pack(">ii", 8 + len(key), CANCEL_REQUEST) + key)
        assert all_of(stream) == b""
    assert client.rows("show jit") == [("off",)]  # nothing ran
    client.close()


def test_many_statements_and_values_have_bounds(server):
    client = Client(server)
    assert client.state(query("select " + "(" * 100_000)) in ("54001", "42601")
    assert client.state(query("select " + "+".join(["1"] * 100_000))) == "54001"
    assert client.state(parse("show jit"), bind([None] * 32_767), SYNC) == "08P01"
    client.close()
    stream = server.socket()
    stream.sendall(startup(user="admin", database="pelorus"))
    stream.sendall(message(b"p", b"x" * 20_000))
    stream.shutdown(socket.SHUT_WR)
    answer = all_of(stream)
    assert answer[:1] == b"R" and b"54000" in answer, answer
    server.alive()


def test_many_connect_at_once(server):
    clients = [Client(server) for _ in range(50)]
    failures = []

    def use(client):
        try:
            for _ in range(20):
                assert client.rows("show jit") == [("off",)]
            client.close()
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=use, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    server.alive()


def test_rights_hold_and_end_with_the_user(server):
    server.script("""
        db = database("dfs://shop", VALUE, 1..3)
        sales = db.createPartitionedTable(table(1:0, `id`price, [INT, DOUBLE]), `sales, `id)
        sales.append!(table(1 2 3 as id, 1.5 2.5 3.5 as price))
        createUser("ann", "ann-secret-1")
        """)
    admin, ann = Client(server), Client(server, user="ann", password="ann-secret-1")
    assert admin.rows("select id, price from shop.sales order by id") == [("1", "1.5"), ("2", "2.5"), ("3", "3.5")]
    assert ann.settings["is_superuser"] == "off" and ann.rows("select current_user") == [("ann",)]
    assert ann.state(query("select id from shop.sales")) in ("42501", "42P01", "3F000")
    server.script('grant("ann", TABLE_READ, "dfs://shop/sales")')
    assert ann.rows("select count(*) from shop.sales") == [("3",)]
    server.script('revoke("ann", TABLE_READ, "dfs://shop/sales")')
    assert ann.state(query("select id from shop.sales")) in ("42501", "42P01", "3F000")
    server.script('deleteUser("ann")')
    assert ann.state(query("select 1")) == "28000"
    admin.close()
    ann.close()


LONG = "select count(*) from generate_series(1, 40000) as a(x), generate_series(1, 40000) as b(y) where x + y < 0"


def test_a_request_is_listed_and_cancelled_by_others(server):
    client = Client(server)
    client.send(query(LONG))
    jobs = ""
    for _ in range(100):
        jobs = server.script("print(exec count(*) from getConsoleJobs() where desc like 'select count%')")
        if jobs.strip() == "1":
            break
    assert jobs.strip() == "1", jobs
    server.script("cancelConsoleJob(exec rootJobId from getConsoleJobs() where desc like 'select count%')")
    try:
        client.until_ready()
        raise AssertionError("it ended")
    except ServerError as error:
        assert error.state == "57014", error.fields
    # The key of the session cancels, too.
    client.send(query(LONG))
    time.sleep(0.2)
    stream = server.socket()
    stream.sendall(struct.pack(">ii", 16, CANCEL_REQUEST) + client.key)
    assert all_of(stream) == b""
    try:
        client.until_ready()
        raise AssertionError("it ended")
    except ServerError as error:
        assert error.state == "57014", error.fields
    assert client.rows("select 1") == [("1",)]
    client.close()


def test_a_request_ends_with_its_client(server):
    client = Client(server)
    client.send(query(LONG))
    time.sleep(0.2)
    client.stream.shutdown(socket.SHUT_RDWR)
    client.stream.close()
    for _ in range(100):
        if server.script("print(exec count(*) from getConsoleJobs() where desc like 'select count%')").strip() == "0":
            return
    raise AssertionError("it goes on")


def test_a_further_port_serves_clients(_):
    server = Server("pgPort=0")
    line = next(line for line in server.lines if "PostgreSQL's clients" in line)
    server.port = int(line.split(":")[1].split(",")[0])
    server.alive()
    assert server.stop() == 0


def test_a_client_without_a_place_is_told_so(_):
    server = Server("maxConnections=2")
    clients = [server.socket() for _ in range(20)]
    try:
        Client(server)
        raise AssertionError("there was a place")
    except ServerError as error:
        assert (error.state, error.fields["S"]) == ("53300", "FATAL")
    for client in clients:
        client.close()
    assert server.stop() == 0


if __name__ == "__main__":
    sys.exit(tally(*run_cases_with_server(cases_in(globals()), Server())))
