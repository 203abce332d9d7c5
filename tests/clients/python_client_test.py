#!/usr/bin/env python3
"""The unmodified Python client against `pelorus serve`: connecting, running, values both ways, errors, jobs."""
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from decimal import Decimal

try:
    import dolphindb as ddb
    import numpy as np
    import pandas as pd
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

PASSWORD = "open-sesame-1"


class Server:
    """A node of the test's own on a free loopback port, in a folder that goes away."""

    def __init__(self, pelorus):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_client_")
        config = self.folder.name + "/node.cfg"
        with open(config, "w") as file:
            file.write(f"port=0\ndataDir={self.folder.name}/data\nadminPassword={PASSWORD}\n")
        self.process = subprocess.Popen([pelorus, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
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
        status = self.process.wait(20)
        self.folder.cleanup()
        return status


def fails(call, *fragments):
    try:
        call()
    except Exception as error:  # the client has no type of its own for what the server reports
        for fragment in fragments:
            assert fragment in str(error), f"{fragment!r} is not in {error}"
        return
    raise AssertionError("no error was raised")


# Each test gets a server and a fresh session.

def a_session_keeps_variables_and_functions(server, s):
    s.run("x = 5; def twice(n){ return 2*n }")
    assert s.run("twice(x)") == 10
    assert s.run("twice", 21) == 42
    fails(lambda: server.session().run("twice(x)"))


def scalars_arrive_with_their_types(server, s):
    assert s.run("1+1") == 2
    assert s.run("2.5") == 2.5
    assert s.run("true") is True
    assert s.run('"text"') == "text"
    assert s.run("NULL") is None
    assert s.run("00i") is None
    assert s.run("2024.01.02") == np.datetime64("2024-01-02")
    assert s.run("2024.01.02T03:04:05.678") == np.datetime64("2024-01-02T03:04:05.678")
    assert s.run("2024.01M") == np.datetime64("2024-01")


def vectors_tuples_pairs_and_matrices_arrive(server, s):
    assert s.run("[1,2,3]").tolist() == [1, 2, 3]
    assert s.run("[1.5,NULL]")[0] == 1.5 and np.isnan(s.run("[1.5,NULL]")[1])
    assert s.run("`a`b`a").tolist() == ["a", "b", "a"]
    assert s.run("1:5") == [1, 5]
    mixed = s.run("(1,`x,[1,2])")
    assert mixed[0] == 1 and mixed[1] == "x" and mixed[2].tolist() == [1, 2]
    assert s.run("1..6$2:3")[0].tolist() == [[1, 3, 5], [2, 4, 6]]


def dictionaries_arrive(server, s):
    assert s.run('{"a":1,"b":[1,2]}')["a"] == 1


def scalars_go_and_come_back(server, s):
    for value in [True, 7, -(2**62), 2.5, "text", "中文"]:
        s.upload({"v": value})
        assert s.run("v") == value, value
    s.upload({"nothing": None})
    assert s.run("nothing") is None


def vectors_go_and_come_back(server, s):
    for array in [np.array([1, 2, 3]), np.array([1, -2], dtype=np.int32), np.array([1, 2], dtype=np.int16),
                  np.array([1.5, np.nan]), np.array([1.5, 2], dtype=np.float32), np.array([True, False]),
                  np.array(["2024-01-02", "NaT"], dtype="datetime64[D]"),
                  np.array(["2024-01-02T03:04:05.678901234"], dtype="datetime64[ns]")]:
        s.upload({"v": array})
        back = s.run("v")
        assert back.dtype == array.dtype, (back.dtype, array.dtype)
        np.testing.assert_array_equal(back, array)
    s.upload({"v": ["p", "q", ""]})
    assert s.run("v").tolist() == ["p", "q", ""]
    s.upload({"v": []})
    s.upload({"v": [1, "a", 2.5]})
    assert list(s.run("v")) == [1, "a", 2.5]


def matrices_sets_and_dictionaries_go_and_come_back(server, s):
    matrix = np.array([[1.5, 2.0], [3.0, 4.0], [5.0, 6.0]])
    s.upload({"v": matrix})
    np.testing.assert_array_equal(s.run("v")[0], matrix)
    s.upload({"v": {3, 1, 2}})
    assert s.run("v") == {1, 2, 3}
    s.upload({"v": {"a": 1, "b": 2}})
    assert s.run("v") == {"a": 1, "b": 2}
    s.upload({"v": {"a": 1, "b": "x"}})
    assert s.run("v") == {"a": 1, "b": "x"}


def tables_go_and_come_back(server, s):
    frame = pd.DataFrame({"id": np.array([1, 2, 3], dtype=np.int32), "name": ["a", "b", ""], "price": [1.5, np.nan, 3.0],
                          "day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"])})
    s.upload({"t": frame})
    back = s.run("t")
    pd.testing.assert_frame_equal(back, frame, check_dtype=False)
    assert s.run("t.id").tolist() == [1, 2, 3]
    empty = frame.iloc[0:0]
    s.upload({"t": empty})
    assert list(s.run("t").columns) == ["id", "name", "price", "day"]


def array_vectors_and_decimals_go_and_come_back(server, s):
    s.upload({"t": pd.DataFrame({"levels": [np.array([1, 2]), np.array([3])]})})
    assert s.run("typestr(t.levels)") == "FAST LONG[] VECTOR"
    assert s.run("rowSum(t.levels)").tolist() == [3, 3]
    assert [row.tolist() for row in s.run("t.levels * 2")] == [[2, 4], [6]]
    assert s.run("table(1 2 as id, t.levels as levels)")["levels"][1].tolist() == [3]
    s.upload({"d": [Decimal("3.14"), Decimal("2.50")]})
    assert s.run("typestr(d)") == "FAST DECIMAL64 VECTOR"
    assert s.run("d + 1").tolist() == [Decimal("4.14"), Decimal("3.50")]
    assert s.run("sum(d)") == Decimal("5.64")
    assert s.run("1.5 NULL$DECIMAL128(3)").tolist() == [Decimal("1.500"), None]


def compressed_tables_are_understood(server, s):
    session = ddb.Session(compress=True)
    assert session.connect("127.0.0.1", server.port, "admin", PASSWORD)
    frame = pd.DataFrame({"n": np.arange(100000), "x": np.arange(100000) * 0.5, "s": [f"k{i % 7}" for i in range(100000)]})
    frame.__DolphinDB_Type__ = {"s": "STRING"}
    session.upload({"t": frame})
    back = session.run("t")
    assert back.shape == (100000, 3)
    assert back["n"].tolist() == list(range(100000)) and back["s"][99999] == f"k{99999 % 7}"


def large_tables_are_read_in_blocks(server, s):
    s.upload({"t": pd.DataFrame({"n": np.arange(30000)})})
    blocks = s.run("t", fetchSize=10000)
    sizes = []
    while blocks.hasNext():
        sizes.append(len(blocks.read()))
    assert sum(sizes) == 30000 and len(sizes) == 3, sizes


def handles_of_engines_are_tables_without_rows(server, s):
    s.run("t = table(1:0, `v`w, [INT, LONG]); r = table(1:0, [`a], [INT]); "
          "engine = createReactiveStateEngine('handle', <prev(v)>, t, r)")
    assert list(s.run("engine").columns) == ["v", "w"]
    blocks = s.run("engine", fetchSize=10000)
    assert sum(len(blocks.read()) for _ in iter(blocks.hasNext, False)) == 0
    assert s.run("engine.append!(table(1 2 as v, 3 4 as w)); dropStreamEngine('handle'); r.a").tolist()[1] == 1


def rows_are_inserted_into_tables_of_the_session_and_shared_ones(server, s):
    frame = pd.DataFrame({"id": np.array([1, 2], dtype=np.int32), "v": [1.5, 2.5]})
    for name in ("mine", "ours"):
        s.run(f"{name} = table(1:0, `id`v, [INT, DOUBLE])" if name == "mine" else
              "share table(1:0, `id`v, [INT, DOUBLE]) as ours")
        assert s.run(f"tableInsert{{{name}}}", frame) == 2
        s.run(f"append!{{{name}}}", frame)
        assert s.run(f"{name}.id").tolist() == [1, 2, 1, 2], name
        assert ddb.TableAppender(tableName=name, ddbSession=s).append(frame) == 2
        assert s.run(f"{name}.id").tolist() == [1, 2, 1, 2, 1, 2], name
    fails(lambda: s.run("tableInsert{mine}", pd.DataFrame({"id": [1]})))
    assert len(s.run("mine")) == 6


def partitioned_tables_are_written_and_queried(server, s):
    s.run("""
        db = database("dfs://client", VALUE, 1..5)
        createPartitionedTable(db, table(1:0, `id`v, [INT, DOUBLE]), `trades, `id)
    """)
    frame = pd.DataFrame({"id": np.array([1, 2, 3, 1], dtype=np.int32), "v": [1.0, 2.0, 3.0, 4.0]})
    assert s.run("tableInsert{loadTable('dfs://client', 'trades')}", frame) == 4
    found = s.run("select sum(v) from loadTable('dfs://client', 'trades') group by id")
    assert found["sum_v"].tolist() == [5.0, 2.0, 3.0]


# The client's pool notes that a task waits after it has handed the task to a worker: where the node answers in between,
# the pool waits for ever. So the appender has a process of its own, which is ended and begun again when it hangs.
POOL_SECONDS, POOL_TRIES = 20, 5


def partitioned_tables_are_written_through_a_pool_of_connections(server, s):
    s.run("createPartitionedTable(database('dfs://pool', VALUE, 1..5), table(1:0, `id`v, [INT, DOUBLE]), `trades, `id)")
    script = ("import dolphindb as ddb, numpy as np, pandas as pd, os, sys; "
              "pool = ddb.DBConnectionPool('127.0.0.1', int(sys.argv[1]), 2, 'admin', sys.argv[2]); "
              "appender = ddb.PartitionedTableAppender('dfs://pool', 'trades', 'id', pool); "
              "frame = pd.DataFrame({'id': np.array([1, 2, 3, 1], dtype=np.int32), 'v': [1.0, 2.0, 3.0, 4.0]}); "
              "assert appender.append(frame) == 4; print('written', flush=True); os._exit(0)")
    for _ in range(POOL_TRIES):
        before = s.run("exec count(*) from loadTable('dfs://pool', 'trades')")
        try:
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", script, str(server.port), PASSWORD],
                                  capture_output=True, text=True, timeout=POOL_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        assert done.stdout == "written\n", done.stdout + done.stderr
        assert s.run("exec count(*) from loadTable('dfs://pool', 'trades')") == before + 4
        return
    raise AssertionError(f"the pool hung {POOL_TRIES} times")


def functions_take_arguments_of_all_kinds(server, s):
    assert s.run("add", 1, 2) == 3
    s.run("def pick(t, i){ return t[i] }")
    assert s.run("pick", [10, 20, 30], 1) == 20
    s.run("def both(a, b){ return (a, b) }")
    assert s.run("both{1}", "x") == [1, "x"]


def errors_name_the_statement_and_keep_the_session(server, s):
    s.run("x = 1")
    fails(lambda: s.run("throw \"mine\""), 'throw "mine" => mine')
    fails(lambda: s.run("x = = 2"), "Syntax Error: [line #1]")
    fails(lambda: s.run("noSuchFunction", 1), "Can't recognize function name noSuchFunction")
    assert s.run("x") == 1


def printed_text_reaches_the_client(server, s):
    script = ("import dolphindb as ddb, sys; s = ddb.Session(); "
              "s.connect('127.0.0.1', int(sys.argv[1]), 'admin', sys.argv[2]); "
              "s.run(\"print('hello from the server')\"); assert s.run('1') == 1")
    done = subprocess.run([sys.executable, "-c", script, str(server.port), PASSWORD], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "hello from the server" in done.stdout


def clear_memory_forgets_variables(server, s):
    s.run("gone = 5", clearMemory=True)
    fails(lambda: s.run("gone"))


def guests_must_log_in(server, s):
    guest = ddb.Session()
    assert guest.connect("127.0.0.1", server.port)
    fails(lambda: guest.run("1+1"), "Login is required")
    guest.login("admin", PASSWORD, False)
    assert guest.run("1+1") == 2
    assert guest.run("getCurrentSessionAndUser()")[1] == "admin"


def a_wrong_password_is_refused(server, s):
    session = ddb.Session()
    try:
        connected = session.connect("127.0.0.1", server.port, "admin", "wrong-password")
    except RuntimeError:
        connected = False
    assert not connected


def asynchronous_sessions_do_not_wait(server, s):
    session = ddb.Session(enableASYNC=True)
    assert session.connect("127.0.0.1", server.port, "admin", PASSWORD)
    session.run("share table(1..3 as id) as fromAsynchronous")
    for _ in range(200):
        try:
            assert s.run("fromAsynchronous.id").tolist() == [1, 2, 3]
            return
        except RuntimeError:
            time.sleep(0.05)
    raise AssertionError("the asynchronous script did not run")


def batch_jobs_run_in_the_background(server, s):
    s.run("def work(n){ print('working'); return n * 2 }")
    job = s.run("submitJob('demo', 'a demonstration', work, 21)")
    assert s.run(f"getJobReturn('{job}', true)") == 42
    status = s.run(f"getJobStatus('{job}')")
    assert status["jobDesc"][0] == "a demonstration" and status["errorMsg"][0] == ""
    assert "working" in s.run(f"getJobMessage('{job}')")
    second = s.run("submitJob('demo', 'again', def(){ throw 'broken' })")
    assert second != job
    fails(lambda: s.run(f"getJobReturn('{second}', true)"), "broken")
    assert s.run("getRecentJobs(1)")["jobId"][0] == second
    fails(lambda: s.run("getJobStatus('none')"), "does not exist")
    # How many wait and run.
    idle = {"queuedLocalTasks": 0, "runningLocalTasks": 0, "queuedJobs": 0, "runningJobs": 0, "queuedRemoteTasks": 0}
    assert s.run("getJobStat()") == idle
    long = s.run("submitJob('long', 'sleeps', def(){ sleep(60000) })")
    deadline = time.time() + 10
    while s.run("getJobStat()") != {**idle, "runningJobs": 1} and time.time() < deadline:
        time.sleep(0.02)
    assert s.run("getJobStat()") == {**idle, "runningJobs": 1}
    s.run(f"cancelJob('{long}')")
    fails(lambda: s.run(f"getJobReturn('{long}', true)"), "")
    assert s.run("getJobStat().runningJobs") == 0


def a_running_script_can_be_cancelled_from_another_session(server, s):
    victim = server.session()
    number = victim.run("getCurrentSessionAndUser()[0]")
    outcome = []

    def endless():
        try:
            outcome.append(victim.run("n = 0; do { n += 1 } while(true)"))
        except RuntimeError as error:
            outcome.append(str(error))

    thread = threading.Thread(target=endless, daemon=True)
    thread.start()
    for _ in range(200):
        jobs = s.run("getConsoleJobs()")
        mine = jobs[jobs["sessionId"] == number]["rootJobId"].tolist()
        if mine:
            s.run("cancelConsoleJob", mine)
            break
        time.sleep(0.05)
    thread.join(20)
    assert not thread.is_alive()
    assert "cancelled" in outcome[0], outcome


def an_idle_session_can_be_closed_from_another_one(server, s):
    idle = server.session()
    number = idle.run("getCurrentSessionAndUser()[0]")
    mine = s.run("getCurrentSessionAndUser()[0]")
    open_sessions = s.run("getSessionMemoryStat()")["sessionId"].tolist()
    assert number in open_sessions and mine in open_sessions
    s.run("closeSessions", [number, mine])
    for _ in range(200):
        if number not in s.run("getSessionMemoryStat()")["sessionId"].tolist():
            break
        time.sleep(0.05)
    left = s.run("getSessionMemoryStat()")["sessionId"].tolist()
    assert number not in left and mine in left


def writers_name_tables_in_quotes(server, s):
    s.run("mine2 = table(1:0, `id`v, [INT, DOUBLE])")
    frame = pd.DataFrame({"id": np.array([1, 2], dtype=np.int32), "v": [1.5, 2.5]})
    assert s.run('tableInsert{"mine2"}', frame) == 2
    assert s.run("exec count(*) from mine2") == 2
    s.run("share table(1:0, `id`v, [INT, DOUBLE]) as ours2")
    assert server.session().run('tableInsert{"ours2"}', frame) == 2
    assert s.run("exec count(*) from ours2") == 2
    fails(lambda: s.run('tableInsert{"nowhere"}', frame), "Can't find the object with name nowhere")


def nan_of_any_width_is_null(server, s):
    s.upload({"v": np.array([np.nan, 1.5], dtype=np.float32).astype(np.float64), "w": np.array([np.nan, 1.5], dtype=np.float32)})
    assert s.run("isNull(v)").tolist() == [True, False] and s.run("isNull(w)").tolist() == [True, False]
    # The bits of a signalling or negative NaN, too.
    s.upload({"v": np.array([-np.nan, 2.0]) * -1})
    assert s.run("isNull(v)").tolist() == [True, False]


def decimals_arrive_as_doubles_when_asked_for(server, s):
    s.run("dt = table(decimal64(1.5 NULL, 2) as d, 1 2 as i, decimal128(2.25 3, 3) as e)")
    frame = s.run("dt", disableDecimal=True)
    assert frame["d"].dtype == np.float64 and frame["d"][0] == 1.5 and np.isnan(frame["d"][1])
    assert frame["e"].tolist() == [2.25, 3.0] and frame["i"].tolist() == [1, 2]
    assert s.run("decimal32(1.25, 2)", disableDecimal=True) == 1.25
    assert s.run("[decimal64(1.5, 2), decimal64(2.5, 2)]", disableDecimal=True).tolist() == [1.5, 2.5]
    assert s.run("dt")["d"][0] == Decimal("1.50")


def what_cannot_be_read_is_an_error_and_keeps_the_session(server, s):
    s.run("t = table(1 2 as a)")
    try:
        assert s.run("t == t")["a"].tolist() == [True, True]
    except RuntimeError as error:
        assert "cannot be sent" in str(error), error
    fails(lambda: s.run("u = table(1 2 as a); u.drop!(`a); u"))
    assert s.run("t.a").tolist() == [1, 2]


def consoles_see_their_own_request(server, s):
    jobs = s.run("select userID, priority, parallelism, sessionId from getConsoleJobs()", priority=3, parallelism=2)
    mine = jobs[jobs["sessionId"] == s.run("getCurrentSessionAndUser()[0]")]
    assert len(mine) == 1 and mine["priority"].tolist() == [3] and mine["parallelism"].tolist() == [2], jobs
    assert mine["userID"].tolist() == ["admin"]


def small_functions_of_other_clients(server, s):
    assert s.run("isLoggedIn('admin')") and not s.run("isLoggedIn('nobody')")
    assert len(s.run("getGroupList()")) == 0
    fails(lambda: s.run("scramClientFirst", "admin", "abc"), "sha256 authMode doesn't support scram authMode")
    assert s.run("getClusterPerf()")["publicName"].tolist() == ["127.0.0.1"]
    assert s.run("runSQL('exec sum(x) from table(1 2 3 as x) where x > low', , {low: 1})") == 5
    s.run("share table(1 2 as a) as sharedByAll")
    fails(lambda: s.upload({"sharedByAll": 5}), "'sharedByAll' is a shared variable")
    assert s.run("sharedByAll.a").tolist() == [1, 2]


def nobody_calls_what_nodes_call(server, s):
    # This ended the process.
    for call in ["groupsOfParts(1,2,3,4,5,6)", "rowsOfParts(1,2,3,4,5,6,7)", "mapUnits((1,2),(3,4),[5000],add,add,true)"]:
        fails(lambda: s.run(call), "not defined")
    fails(lambda: s.run("groupsOfParts", 1, 2, 3, 4, 5, 6), "Can't recognize function name")
    fails(lambda: s.run("applyForNode", 1, 2), "Can't recognize function name")
    assert server.session().run("1 + 1") == 2


def raw(server, sent, wait=5):
    """What the server answers to bytes that no client would send, until it closes."""
    import socket
    with socket.create_connection(("127.0.0.1", server.port), timeout=wait) as connection:
        connection.sendall(sent)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except socket.timeout:
            pass
        return answer


def few_bytes_cost_little_before_and_after_login(server, s):
    # 50 bytes that were 1 GB.
    values = bytes.fromhex("19010400000001000000") + 4 * bytes.fromhex("00010000000101000000")
    call = b"function\nversion\n1\n1"
    request = b"API 0 %d / 0_1_4_64\n" % len(call) + call + values
    assert b"Login is required" in raw(server, request)
    login = f"connect\nlogin\nadmin\n{PASSWORD}\nfalse".encode()
    answer = raw(server, b"API 0 %d / 0_1_4_64\n" % len(login) + login + request)
    assert b"no value" in answer, answer
    assert b"at most 65536" in raw(server, b"API 0 1000000000 / 0_1_4_64\n")
    # An empty SYMBOL column that names a base without sending it; the connection goes on.
    empty = b"variable\nemptySymbols\n1\n1"
    column = bytes.fromhex("910100000000010000000000000000000000")
    answer = raw(server, b"API 0 %d / 0_1_4_64\n" % len(login) + login + b"API 0 %d / 0_1_4_64\n" % len(empty) + empty + column, 1)
    assert answer.count(b"OK") == 2, answer


TESTS = [writers_name_tables_in_quotes, nan_of_any_width_is_null, decimals_arrive_as_doubles_when_asked_for,
         what_cannot_be_read_is_an_error_and_keeps_the_session, consoles_see_their_own_request, small_functions_of_other_clients,
         nobody_calls_what_nodes_call, few_bytes_cost_little_before_and_after_login, a_session_keeps_variables_and_functions, scalars_arrive_with_their_types,
         vectors_tuples_pairs_and_matrices_arrive, dictionaries_arrive, scalars_go_and_come_back, vectors_go_and_come_back,
         matrices_sets_and_dictionaries_go_and_come_back, tables_go_and_come_back,
         array_vectors_and_decimals_go_and_come_back, compressed_tables_are_understood,
         large_tables_are_read_in_blocks, handles_of_engines_are_tables_without_rows,
         rows_are_inserted_into_tables_of_the_session_and_shared_ones,
         partitioned_tables_are_written_and_queried, partitioned_tables_are_written_through_a_pool_of_connections,
         functions_take_arguments_of_all_kinds,
         errors_name_the_statement_and_keep_the_session, printed_text_reaches_the_client, clear_memory_forgets_variables,
         guests_must_log_in, a_wrong_password_is_refused, asynchronous_sessions_do_not_wait,
         batch_jobs_run_in_the_background, a_running_script_can_be_cancelled_from_another_session,
         an_idle_session_can_be_closed_from_another_one]


def main():
    server = Server(sys.argv[1])
    passed = failed = 0
    for test in TESTS:
        try:
            test(server, server.session())
            passed += 1
        except Exception:
            failed += 1
            print("FAILED", test.__name__)
            traceback.print_exc(file=sys.stdout)
    if server.stop() == 0:
        passed += 1
    else:
        failed += 1
        print("FAILED the server did not stop in an orderly way")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
