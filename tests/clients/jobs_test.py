#!/usr/bin/env python3
"""Batch jobs and schedules as clients use them: they give way, end, are limited, and survive a restart."""
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

try:
    import dolphindb as ddb
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases_in_folders, tally

from cluster_test import Cluster
from function_views_test import PELORUS, Node, error_of

LOOP = "def busy() { s = 0.0; for (i in 1..2000000000) { s += i % 7 }; return s }\n"


def ended(session, job, seconds=60):
    deadline = time.monotonic() + seconds
    while session.run(f'exec count(*) from getJobStatus("{job}") where endTime = NULL'):
        assert time.monotonic() < deadline, f"{job} did not end"
        time.sleep(0.05)
    return session.run(f'getJobStatus("{job}")').iloc[0]


def sixteen_clients_are_answered_beside_jobs(folder):
    with Node(folder) as node:
        session = node.session()
        jobs = session.run(LOOP + 'each(def (i) { return submitJob("busy" + i, "", busy) }, 1..8)')
        answers = []

        def ask(number):
            client = node.session()
            for i in range(50):
                answers.append(client.run(f"sum(0..{number + i})") == sum(range(number + i + 1)))

        clients = [threading.Thread(target=ask, args=(n,)) for n in range(16)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        assert len(answers) == 800 and all(answers), answers
        session.run("cancelJob(each(def (i) { return `busy + i }, 1..8))")
        for job in jobs:
            assert "cancelled" in ended(session, job)["errorMsg"]


def a_short_job_starts_when_the_first_of_many_long_ones_has_ended(folder):
    with Node(folder) as node:
        admin = node.session()
        admin.run('createUser("ann", "secret-12")')
        admin.run('each(def (i) { return submitJob("long" + i, "", sleep, 300) }, 1..60)')
        ann = node.session("ann", "secret-12")
        job = ann.run('submitJob("short", "", def () { return 1 })')
        assert ended(ann, job)["errorMsg"] == ""
        assert admin.run("exec count(*) from getRecentJobs() where startTime = NULL") > 30


def a_job_that_dropped_rows_says_so(folder):
    with Node(folder) as node:
        session = node.session()
        session.run("""
            db = database("dfs://few", VALUE, 1..3)
            pt = createPartitionedTable(db, table(1:0, `k`v, [INT, DOUBLE]), `pt, `k)
            def load() { loadTable("dfs://few", `pt).append!(table(1..10 as k, 1.0 * (1..10) as v)) }
        """)
        job = session.run('submitJob("load", "", load)')
        assert "7 rows were not stored" in ended(session, job)["errorMsg"]
        assert session.run('exec count(*) from loadTable("dfs://few", `pt)') == 3


def recursive_functions_of_a_job_outlive_their_session(folder):
    """A function that calls itself, two that call each other, and one of a closure, after the client has left."""
    with Node(folder) as node:
        watcher = node.session()
        client = node.session()
        client.run("""
            def even(n)
            def odd(n) { if (n == 0) { return false }; return even(n - 1) }
            def even(n) { if (n == 0) { return true }; return odd(n - 1) }
            def fac(n) { if (n < 2) { return 1 }; return n * fac(n - 1) }
            def job() { sleep(1500); return [fac(5), iif(even(10), 1, 0), fac(4)] }
            submitJob("left", "", job)
            submitJob("lambda", "", def () { sleep(1500); return each(fac, 1..4) })
        """)
        client.close()
        for job, expected in (("left", [120, 1, 24]), ("lambda", [1, 2, 6, 24])):
            assert not ended(watcher, job)["errorMsg"], ended(watcher, job)["errorMsg"]
            assert list(watcher.run(f'getJobReturn("{job}")')) == expected


NEW_VALUES = """
        db = database("dfs://few", VALUE, 1..3)
        pt = createPartitionedTable(db, table(1:0, `k`v, [INT, DOUBLE]), `pt, `k)
        loadTable("dfs://few", `pt).append!(table(1..10 as k, 1.0 * (1..10) as v))
        exec count(*) from loadTable("dfs://few", `pt)
    """


def a_development_server_makes_partitions_for_new_values(folder):
    for words, expected in ((["--dev"], 10), (["--dev", "--config", folder + "/skip.cfg"], 3)):
        with open(folder + "/skip.cfg", "w") as file:
            file.write("newValuePartitionPolicy=skip\n")
        process = subprocess.Popen([PELORUS, "serve", "--port", "0", "--data", f"{folder}/{expected}", *words], stdout=subprocess.PIPE, text=True)
        try:
            for line in process.stdout:
                if "listens on" in line:
                    break
            session = ddb.Session()
            assert session.connect("127.0.0.1", int(line.strip().rstrip(".").rsplit(":", 1)[1]), "admin", "123456")
            assert session.run(NEW_VALUES) == expected, words
        finally:
            process.terminate()
            process.wait(20)


def nodes_of_a_cluster_make_partitions_for_new_values(folder):
    cluster = Cluster(PELORUS)
    try:
        assert cluster.session().run(NEW_VALUES) == 10
    finally:
        cluster.run("down")
        cluster.folder.cleanup()


def a_running_query_says_what_memory_it_holds(folder):
    with Node(folder) as node:
        session = node.session()
        session.run("share(table(rand(4000000, 8000000) as k, rand(1.0, 8000000) as v), `heavy)")
        job = session.run('submitJob("group", "", def () { for (i in 1..1000) { select sum(v), std(v), med(v) from heavy group by k } })')
        most, deadline = 0, time.monotonic() + 30
        while most < 20 * 2**20:
            assert time.monotonic() < deadline, most
            shown = session.run("getQueryStatus()")
            heavy = shown[shown["query"].str.contains("heavy")]
            most = max(most, *heavy["memoryUsage"].fillna(0)) if len(heavy) else most
        session.run("cancelJob(`group)")
        ended(session, job)


def a_result_beyond_the_limit_is_refused(folder):
    with Node(folder) as node:
        session = node.session()
        session.run("setMemLimitOfQueryResult(0.01)")
        assert round(session.run("getMemLimitOfQueryResult()") / 2**30, 6) == 0.01
        said = error_of(lambda: session.run("t = table(take(`a + string(1..1000), 1000) as s); rand(1.0, 10000000)"))
        assert "memLimitOfQueryResult" in str(said), said
        assert session.run("1+1") == 2


def a_request_ends_with_its_time_and_the_connection_goes_on(folder):
    with Node(folder) as node:
        session = node.session()
        session.run('setDynamicConfig("maxQueryExecutionTime", 2)')
        said = error_of(lambda: session.run(LOOP + "busy()"))
        assert "maxQueryExecutionTime" in str(said), said
        session.run('x = 5; setDynamicConfig("maxQueryExecutionTime", 0)')
        # It was lowered meanwhile, and so is served by another thread.
        assert session.run("x") == 5


def on_complete_gets_result_and_error(folder):
    with Node(folder) as node:
        session = node.session()
        session.run("def told(id, d, ok, r) { print(id + ' ' + string(ok) + ' ' + string(r)) }")
        good = session.run('submitJobEx2("good", "", 4, 2, told, def (x) { return x * 2 }, 21)')
        bad = session.run('submitJobEx2("bad", "", 4, 2, told, def () { throw "broken" })')
        ended(session, good), ended(session, bad)
        assert "good 1 42" in session.run("getJobMessage(`good)") or "good true 42" in session.run("getJobMessage(`good)")
        assert "broken" in session.run("getJobMessage(`bad)") and session.run("getJobStatus(`bad).errorMsg[0]") != ""


def limits_of_a_user_hold_for_jobs(folder):
    with Node(folder) as node:
        admin = node.session()
        admin.run('createUser("ann", "secret-12"); setMaxJobPriority(`ann, 3); setMaxJobParallelism(`ann, 1)')
        ann = node.session("ann", "secret-12")
        job = ann.run('submitJobEx("j", "", 8, 16, def () { return 1 })')
        status = ended(ann, job)
        assert (status["priority"], status["parallelism"]) == (3, 1), status
        assert "Only administrators" in str(error_of(lambda: ann.run("setMaxJobPriority(`ann, 8)")))


def schedules_are_kept_shown_and_deleted(folder):
    make = 'scheduleJob("nightly", "every night", fib{5}, [02:00m, 14:00m], today(), today() + 3000, "W", [1, 3])'
    with Node(folder) as node:
        session = node.session()
        session.run("def fib(n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2) }\n" + make)
        assert session.run(make).startswith("nightly2")
        for wrong, said in (('"X"', "frequency"), ('"M", 32', "days"), ('"W"', "days"), ('"D", 1', "days")):
            text = str(error_of(lambda: session.run(f'scheduleJob("w", "", fib{{5}}, 02:00m, today(), today() + 9, {wrong})')))
            assert said in text, text
        assert "5 minutes" in str(error_of(lambda: session.run('scheduleJob("w", "", fib{5}, [02:00m, 02:04m], today(), today() + 9, "D")')))
        assert "no arguments" in str(error_of(lambda: session.run('scheduleJob("w", "", fib, 02:00m, today(), today() + 9, "D")')))
    with Node(folder) as node:
        session = node.session()
        assert len(session.run("getScheduledJobs()")) == 2
        assert len(session.run('getScheduledJobs("nightly2%")')) == 1
        session.run('createUser("ann", "secret-12")')
        ann = node.session("ann", "secret-12")
        assert len(ann.run("getScheduledJobs()")) == 0
        assert "another user" in str(error_of(lambda: ann.run('deleteScheduledJob("nightly")')))
        session.run('deleteScheduledJob("nightly")')
        assert len(session.run("getScheduledJobs()")) == 1
        assert "no schedule" in str(error_of(lambda: session.run('deleteScheduledJob("nightly")')))


def a_schedule_fires_at_its_minute(folder):
    with Node(folder) as node:
        session = node.session()
        session.run("def fib(n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2) }\n"
                    'scheduleJob("soon", "", fib{10}, minute(now() + 61000), today(), today() + 1, "D")')
        deadline = time.monotonic() + 130
        while not session.run("exec count(*) from getRecentJobs() where jobId = `soon, not endTime = NULL"):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert session.run("getJobReturn(`soon)") == 55
        with open(folder + "/data/batchJob.log") as log:
            text = log.read()
        assert text.count("schedule soon user=admin fired") == 1 and "ended soon" in text, text


def a_cluster_fires_a_schedule_once_though_a_node_dies(_):
    cluster = Cluster(PELORUS)
    try:
        session = cluster.session("node1")
        # Long enough a way off that the schedule is there when the node dies.
        session.run('scheduleJob("once", "", def () { return getNodeAlias() }, minute(now() + 61000), today(), today() + 1, "D")')
        assert len(cluster.session("node2").run("getScheduledJobs()")) == 1
        cluster.signal("node1", signal.SIGKILL)
        deadline = time.monotonic() + 150
        lines = []
        while not lines:
            assert time.monotonic() < deadline, "nothing fired, and nothing was logged as missed"
            time.sleep(0.5)
            lines = fired(cluster)
        time.sleep(5)
        assert len(fired(cluster)) == 1, fired(cluster)
    finally:
        cluster.end()


def fired(cluster):
    logs = Path(cluster.folder.name).rglob("batchJob.log")
    return [line for log in logs for line in log.read_text().splitlines() if "schedule once" in line and (" fired " in line or " missed " in line)]


TESTS = [sixteen_clients_are_answered_beside_jobs, a_short_job_starts_when_the_first_of_many_long_ones_has_ended, a_job_that_dropped_rows_says_so,
         a_development_server_makes_partitions_for_new_values, nodes_of_a_cluster_make_partitions_for_new_values, a_running_query_says_what_memory_it_holds,
         a_result_beyond_the_limit_is_refused, a_request_ends_with_its_time_and_the_connection_goes_on, on_complete_gets_result_and_error,
         recursive_functions_of_a_job_outlive_their_session, limits_of_a_user_hold_for_jobs, schedules_are_kept_shown_and_deleted, a_schedule_fires_at_its_minute,
         a_cluster_fires_a_schedule_once_though_a_node_dies]


def main():
    return tally(*run_cases_in_folders(TESTS, "pelorus_jobs_", "".join(sys.argv[2:3])))


if __name__ == "__main__":
    sys.exit(main())
