#!/usr/bin/env python3
"""Subscribers over sockets: rows in order with their numbers, and those that stop reading, leave in the middle of a block, ask for rows that are
gone, lose their right, or wait while the node stops or is killed."""
import os
import signal
import socket
import struct
import sys
import threading
import time
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases, tally
from doors_test import PASSWORD
from kept_streams_test import Node

REVERSE = 131072  # the flag of a connection that takes messages
EIGHT_ROUNDS = 20 if os.environ.get("PELORUS_FULL") else 2


def string(text):
    return b"\x12\x00" + text.encode() + b"\0"


def integer(number):
    return b"\x04\x00" + struct.pack("<i", number)


def void():
    return b"\x00\x00\x00"


def boolean(flag):
    return b"\x01\x00" + bytes([flag])


def long(number):
    return b"\x05\x00" + struct.pack("<q", number)


class Connection:
    """One that has logged in. Requests are answered by (count of values, OK or the error)."""

    def __init__(self, node, user="admin", password=PASSWORD, receive_bytes=None):
        self.socket = socket.socket()
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(30)
        self.socket.connect(("127.0.0.1", node.port))
        self.stream = self.socket.makefile("rb")
        self.request(f"connect\nlogin\n{user}\n{password}\nfalse", b"", 32)

    def request(self, body, values=b"", flags=32):
        self.socket.sendall(f"API 0 {len(body.encode())} / {flags}_1_4_2\n{body}".encode() + values)
        return int(self.stream.readline().split()[1]), self.stream.readline().decode().rstrip("\n")

    def run(self, script):
        self.number(script + "\n0")

    def number(self, script):
        """The INT value of a script."""
        count, status = self.request("script\n" + script)
        assert status == "OK" and count == 1, status
        return struct.unpack("<2xi", self.stream.read(6))[0]

    def leave(self):
        self.stream.close()
        self.socket.close()


class Subscriber(Connection):
    """A subscription to a table of one INT column. `refused` is the error with which the node answered, if it did."""

    def __init__(self, node, table, action="a", offset=-1, allow=False, **more):
        super().__init__(node, **more)
        values = string("localhost") + integer(0) + string(table) + string(action) + long(offset) + void() + boolean(allow)
        count, status = self.request("function\npublishTable\n7\n1", values, 32 | REVERSE)
        self.refused = None if status == "OK" else status
        if self.refused:
            return
        form, names, _ = struct.unpack("<2s2i", self.stream.read(10))
        assert (count, form) == (1, b"\x12\x01"), (count, form)
        for _ in range(names):
            self.text()
        assert self.head()[0] == -1
        self.stream.read(2 + 8)  # a table without rows
        assert self.text() == "" and self.text() == "x"
        self.stream.read(2 + 8)

    def text(self):
        got = b""
        while (byte := self.stream.read(1)) != b"\0":
            assert byte, "the node ended the connection"
            got += byte
        return got.decode()

    def head(self):
        """The number of a message's last row, and its topic; None at the end of the stream."""
        got = self.stream.read(17)
        if len(got) < 17:
            return None
        little, sent, last = struct.unpack("<bqq", got)
        assert little == 1 and abs(sent / 1e9 - time.time()) < 100
        return last, self.text()

    def message(self):
        """The number of its last row, and its values; None at the end of the stream."""
        head = self.head()
        if head is None:
            return None
        form, columns, _, vector, count, _ = struct.unpack("<2sii2sii", self.stream.read(20))
        assert (form, columns, vector) == (b"\x19\x01", 1, b"\x04\x01"), (form, columns, vector)
        return head[0], struct.unpack(f"<{count}i", self.stream.read(4 * count))

    def rows(self, count):
        """The next rows; their numbers follow each other."""
        got, following = [], None
        while len(got) < count:
            last, values = self.message()
            assert following is None or last - len(values) + 1 == following, (last, len(values), following)
            following = last + 1
            got += values
        return got


def shared(node, table, more=""):
    control = Connection(node)
    control.run(f"share streamTable(10:0, [`x], [INT]) as {table};{more}")
    return control


def rows_come_in_order_from_the_wanted_one(node):
    control = shared(node, "t1", "for (i in 0..99) t1.append!(table(i as x))")
    new, all_, some = Subscriber(node, "t1"), Subscriber(node, "t1", offset=0), Subscriber(node, "t1", "b", offset=60)
    control.run("t1.append!(table(100..4999 as x))")
    assert new.rows(4900) == list(range(100, 5000))
    assert all_.rows(5000) == list(range(5000))
    assert some.rows(4940) == list(range(60, 5000))
    # Beyond the end is the next one.
    beyond = Subscriber(node, "t1", offset=70000)
    control.run("t1.append!(table(5000 as x))")
    assert beyond.message() == (5000, (5000,))
    assert control.number("int(size(getStreamingStat().pubTables))") == 4
    assert "doesn't exist" in Subscriber(node, "none1").refused
    assert control.request("function\npublishTable\n7\n1", string("h") + integer(0) + string("t1") + string("z") + long(0) + void() + boolean(False))[1] != "OK"


def a_former_subscription_gives_way_and_is_stopped_by_its_name(node):
    control = shared(node, "t2")
    first = Subscriber(node, "t2")
    second = Subscriber(node, "t2", allow=True)
    assert first.message() is None
    control.run("t2.append!(table(1 2 as x))")
    assert second.rows(2) == [1, 2]
    control.run("s = getStreamingStat().pubTables; s = select * from s where tableName=`t2; at = s.subscriber[0].split(':');"
                "stopPublishTable(at[0], int(at[1]), `t2, s.actions[0])")
    assert second.message() is None
    control.run("dropStreamTable(`t2)")


def rows_that_are_gone_are_told(node):
    control = Connection(node)
    control.run("enableTableShareAndCachePurge(streamTable(10:0, [`x], [INT]), `t3, cacheSize=1000); for (i in 0..9) t3.append!(table(take(i, 500) as x))")
    assert "no longer kept" in Subscriber(node, "t3", offset=0).refused
    oldest = control.number("int(getStreamTableCacheOffset(t3))")
    assert Subscriber(node, "t3", offset=oldest).rows(10)[:10] == [oldest // 500] * 10


def who_does_not_read_is_cut_off_and_holds_up_nobody(_):
    node = Node("maxPubQueueDepthPerSite=100000")
    node.start()
    try:
        control = Connection(node)
        control.run("enableTableShareAndCachePurge(streamTable(10:0, [`x], [INT]), `t4, cacheSize=50000)")
        slow = Subscriber(node, "t4", receive_bytes=4096)
        reader = Subscriber(node, "t4", "b")
        got = []
        taker = threading.Thread(target=lambda: got.extend(reader.rows(4_000_000)))
        taker.start()
        # The reader gets time, the other one none.
        control.run("for (i in 0..399) { do { sent = exec max(msgOffset) from getStreamingStat().pubTables where actions=`b; isFull = i * 10000 - sent > 50000;"
                    " if (isFull) sleep(1) } while (isFull); t4.append!(table(i * 10000 + 0..9999 as x)) }")
        taker.join(60)
        assert got == list(range(4_000_000)), len(got)
        assert control.number("int(exec count(*) from getStreamingStat().pubTables where tableName=`t4)") == 1
        slow.leave()
    finally:
        node.end(signal.SIGTERM)


def who_leaves_within_a_block_is_forgotten(node):
    control = shared(node, "t5")
    leaver, stays = Subscriber(node, "t5"), Subscriber(node, "t5", "b")
    control.run("t5.append!(table(0..999999 as x))")
    leaver.stream.read(1000)
    leaver.leave()
    assert stays.rows(1_000_000) == list(range(1_000_000))
    stays.leave()
    # Nobody is left: the table may go.
    assert control.number("n = 0; do { sleep(10); n += 1 } while (n < 500 && exec count(*) from getStreamingStat().pubTables where tableName=`t5); n < 500; int(n < 500)") == 1
    control.run("dropStreamTable(`t5)")


def a_right_that_is_taken_ends_the_subscription(node):
    control = shared(node, "t6", "createUser(`reader, 'reader-secret-1'); grant(`reader, SCRIPT_EXEC); addAccessControl(`t6); grant(`reader, TABLE_READ, 't6')")
    subscriber = Subscriber(node, "t6", user="reader", password="reader-secret-1")
    assert subscriber.refused is None, subscriber.refused
    control.run("t6.append!(table(1 as x))")
    assert subscriber.rows(1) == [1]
    control.run("revoke(`reader, TABLE_READ, 't6'); t6.append!(table(2 as x))")
    assert subscriber.message() is None
    assert "<NoPrivilege>" in Subscriber(node, "t6", user="reader", password="reader-secret-1").refused


def two_hundred_wait_while_the_node_stops(_):
    node = Node("maxConnections=600")
    node.start()
    control = shared(node, "t7")
    everybody = [Subscriber(node, "t7", f"a{i}") for i in range(200)]
    for begin in range(0, 5000, 500):
        control.run(f"t7.append!(table({begin}..{begin + 499} as x))")
    for subscriber in everybody:
        assert subscriber.rows(5000) == list(range(5000))
    started = time.monotonic()
    node.end(signal.SIGTERM)
    assert time.monotonic() - started < 5
    for subscriber in everybody:
        assert subscriber.message() is None


def eight_go_on_after_the_node_was_killed(_):
    """Each has the row after its last one sent again, as reconnecting clients do: it gets every number once, in order."""
    node = Node()
    node.start()
    enable = "enableTableShareAndPersistence(table=streamTable(10:0, [`x], [INT]), tableName=`t8, asynWrite=false, cacheSize=2000)"
    feed = "def feed() { x = int(getPersistenceMeta(t8).totalSize); do { n = 1 + rand(200, 1)[0]; t8.append!(table(x + 0..(n - 1) as x)); x += n } while (true) }; feed()"
    got = [[] for _ in range(8)]
    try:
        for _ in range(EIGHT_ROUNDS):
            Connection(node).run(enable)
            subscribers = [Subscriber(node, "t8", f"a{i}", offset=len(rows)) for i, rows in enumerate(got)]

            def take(subscriber, rows):
                try:
                    while (message := subscriber.message()) is not None:
                        assert message[0] == len(rows) + len(message[1]) - 1
                        rows.extend(message[1])
                except (ConnectionResetError, struct.error):
                    pass  # killed

            threads = [threading.Thread(target=take, args=pair) for pair in zip(subscribers, got)]
            feeder = Connection(node)
            body = "script\n" + feed
            feeder.socket.sendall(f"API 0 {len(body)} / 32_1_4_2\n{body}".encode())
            for thread in threads:
                thread.start()
            time.sleep(0.4)
            node.end(signal.SIGKILL)
            for thread in threads:
                thread.join(20)
            node.start()
        control = Connection(node)
        control.run(enable)
        total = control.number("int(getPersistenceMeta(t8).totalSize)")
        for i, rows in enumerate(got):
            assert 0 < len(rows) <= total
            if len(rows) < total:
                rows += Subscriber(node, "t8", f"b{i}", offset=len(rows)).rows(total - len(rows))
            assert rows == list(range(total)), i
    finally:
        node.end(signal.SIGTERM)


def main():
    node = Node()
    node.start()
    passed, failed = run_cases([rows_come_in_order_from_the_wanted_one, a_former_subscription_gives_way_and_is_stopped_by_its_name, rows_that_are_gone_are_told,
                                who_leaves_within_a_block_is_forgotten, a_right_that_is_taken_ends_the_subscription,
                                who_does_not_read_is_cut_off_and_holds_up_nobody, two_hundred_wait_while_the_node_stops,
                                eight_go_on_after_the_node_was_killed], node, wanted="".join(sys.argv[2:3]))
    node.end(signal.SIGTERM)
    return tally(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
