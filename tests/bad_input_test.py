#!/usr/bin/env python3
"""Bad input as a user meets it: one clear message, an exit status that tells, and nothing half done."""
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from ports import free_port

PELORUS = str(Path(sys.argv[1]).resolve())
TALLY = {"passed": 0, "failed": 0, "skipped": 0}

# Three days, three rows: what the tests below try to spoil.
DAYS = """
db = database("dfs://days", VALUE, 2024.01.01..2024.01.03)
rows = table(2024.01.01..2024.01.03 as day, 1 2 3 as qty)
trades = db.createPartitionedTable(rows, `trades, `day)
trades.append!(rows)
"""
COUNT = "print(exec count(*) from loadTable('dfs://days', `trades))"
SCHEMA = "table(`day`qty as name, `DATE`INT as type)"


def run(*arguments, timeout=30, text=None):
    return subprocess.run([PELORUS, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, input=text)


class Folder:
    """Scripts and a database in a folder of their own."""

    def __init__(self, path):
        self.path = path

    def script(self, text, *options):
        file = self.path / "script.dos"
        file.write_text(text)
        return run("run", *options, file)

    def on_data(self, text, *options):
        return self.script(text, "--data", self.path / "db", *options)

    def told(self, text):
        """The output of a good script, and what it told besides."""
        done = self.on_data(text)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    def good(self, text):
        return self.told(text)[0]

    def csv(self, *lines):
        file = self.path / "rows.csv"
        file.write_text("\n".join(lines) + "\n")
        return file


def refused(done, *needles, lines=6):
    """The one message of a failed run: on standard error, short, and with all of `needles`."""
    message = done.stderr
    assert done.returncode == 1, f"exit status {done.returncode}: {message}{done.stdout}"
    for needle in needles:
        assert needle in message, f"{needle!r} is not in: {message}"
    assert len(message.splitlines()) <= lines and len(message) < 1000, f"too long to read: {message[:400]}…"
    for inside in ("terminate called", "Segmentation", "std::", "Traceback", "InternalError", ".cpp"):
        assert inside not in message, f"{inside!r} means nothing to a user: {message}"


class Served:
    """A server on a data folder. `address` is where it listens."""

    def __init__(self, data):
        self.data, self.address = data, f"127.0.0.1:{free_port()}"

    def __enter__(self):
        port = self.address.split(":")[1]
        self.process = subprocess.Popen([PELORUS, "serve", "--dev", "--port", port, "--data", str(self.data)],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        assert "listens on" in line, line
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def ended(server):
    """What a server said that must not start; one that did start is ended."""
    try:
        out, message = server.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        server.kill()
        server.communicate()
        raise AssertionError("it started") from None
    return subprocess.CompletedProcess(server.args, server.returncode, out, message)


def a_script_that_is_not_there_is_named(folder):
    refused(run("run", folder.path / "missing.dos"), str(folder.path / "missing.dos"), "No such file", "Check the path")


def a_folder_in_place_of_a_script_is_refused(folder):
    refused(run("run", folder.path), str(folder.path))


def an_unknown_command_shows_what_there_is(folder):
    del folder
    done = run("rum", "script.dos")
    assert done.returncode == 2 and "Unknown command rum" in done.stderr and "pelorus run FILE" in done.stderr, done


def loadText_of_a_file_that_is_not_there_names_it(folder):
    missing = folder.path / "missing.csv"
    refused(folder.script(f'x = 1\nt = loadText("{missing}")'), "script.dos:2:5:", str(missing), "No such file")


def loadTextEx_of_a_file_that_is_not_there_stores_nothing(folder):
    folder.good(DAYS)
    missing = folder.path / "missing.csv"
    done = folder.on_data(f'db = database("dfs://days")\nloadTextEx(db, `fresh, `day, "{missing}", , {SCHEMA})')
    refused(done, "script.dos:2:1:", str(missing), "No such file")
    assert "false" in folder.good("print(existsTable('dfs://days', `fresh))"), "a table without rows was left"


def an_unknown_function_names_its_place_and_the_nearest(folder):
    # It is looked for when it is called: what stands before has run.
    done = folder.script("print(`ran)\nx = mavgg(1..3, 2)\n")
    refused(done, "script.dos:2:5:", "'mavgg'", "Did you mean mavg")
    assert "ran" in done.stdout, done.stdout


def nothing_runs_when_a_name_is_unknown(folder):
    done = folder.script("print(`ran)\nx = nosuch + 1\n")
    refused(done, "script.dos:2:5:", "nosuch")
    assert "ran" not in done.stdout, "part of the script ran although the text was wrong"


def brackets_without_end_are_an_error_at_their_place(folder):
    refused(folder.script("x = 1\ny = (1 + 2\n"), "script.dos:")


def code_nested_too_deeply_is_an_error(folder):
    done = folder.script("x = " + "(" * 50000 + "1" + ")" * 50000)
    assert done.returncode == 1 and "nested too deeply" in done.stderr, (done.returncode, done.stderr[:300])


def endless_recursion_ends_with_one_message(folder):
    done = folder.script("def f(n) { return f(n + 1) }\nf(0)\n")
    refused(done, "script.dos:1:", "recursion is deeper than", lines=16)


def interrupted(where, text):
    """A script that runs for ever, ended as Ctrl-C does."""
    file = where.path / "script.dos"
    file.write_text('print("runs")\n' + text)
    # A shell's job in the background ignores the signal, and so would what it starts.
    process = subprocess.Popen([PELORUS, "run", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert process.stdout.readline() == "runs\n"
    process.send_signal(signal.SIGINT)
    try:
        out, message = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError("it went on") from None
    return subprocess.CompletedProcess(process.args, process.returncode, out, message)


def endless_loops_end_with_an_interrupt(folder):
    for text in ("do { x = 1 } while (true)", "def f() { n = 0; do { n += 1 } while (n > 0 || true); return n }\nf()",
                 "each(def(x) { do { y = x } while (true) }, 1 2 3)"):
        done = interrupted(folder, text)
        assert done.returncode != 0 and len(done.stderr.splitlines()) < 20, (text, done.returncode, done.stderr[:300])
        assert "Segmentation" not in done.stderr and "terminate" not in done.stderr, done.stderr


def vectors_of_any_size_are_made_or_refused(folder):
    for text in ("array(INT, 1000000000000)", "1..100000000000", "x = take(1, 99999999999999)"):
        refused(folder.script(text), "script.dos:1:")


def a_column_of_another_type_is_refused_and_nothing_is_stored(folder):
    folder.good(DAYS)
    done = folder.on_data("trades = loadTable('dfs://days', `trades)\n"
                          "trades.append!(table(2024.01.01..2024.01.03 as day, [`x,`y,`z] as qty))\n")
    refused(done, "script.dos:2:", "qty", "INT", "STRING")
    assert folder.good(COUNT) == "3\n"


def another_number_of_columns_is_refused_and_nothing_is_stored(folder):
    folder.good(DAYS)
    done = folder.on_data("trades = loadTable('dfs://days', `trades)\ntrades.append!(table(2024.01.01..2024.01.03 as day))\n")
    refused(done, "script.dos:2:", "column")
    assert folder.good(COUNT) == "3\n"


def rows_outside_the_scheme_are_counted_and_told_with_the_first(folder):
    folder.good(DAYS)
    out = folder.good("trades = loadTable('dfs://days', `trades)\n"
                      "trades.append!(table(2024.01.02 2025.06.07 2023.01.01 2024.01.03 as day, 10 20 30 40 as qty))\n")
    assert "2 of 4 rows were not stored in trades" in out and "2025.06.07" in out, out
    assert folder.good(COUNT) == "5\n"


OUTSIDE = ("trades = loadTable('dfs://days', `trades)\n"
           "trades.append!(table(2024.01.02 2025.06.07 2024.01.03 as day, 10 20 30 as qty))\n")


def rows_outside_the_scheme_are_an_error_when_so_set_and_nothing_is_stored(folder):
    folder.good(DAYS)
    settings = folder.path / "node.cfg"
    settings.write_text("allowMissingPartitions=false\n")
    refused(folder.on_data(OUTSIDE, "--config", settings), "script.dos:2:", "1 row", "2025.06.07", "Nothing was written",
            "allowMissingPartitions")
    assert folder.good(COUNT) == "3\n"


def new_values_are_an_error_when_so_set_and_nothing_is_stored(folder):
    folder.good(DAYS)
    settings = folder.path / "node.cfg"
    settings.write_text("newValuePartitionPolicy=fail\n")
    refused(folder.on_data(OUTSIDE, "--config", settings), "script.dos:2:", "2025.06.07", "newValuePartitionPolicy")
    assert folder.good(COUNT) == "3\n"


def new_values_become_partitions_when_so_set(folder):
    folder.good(DAYS)
    settings = folder.path / "node.cfg"
    settings.write_text("newValuePartitionPolicy=add\n")
    done = folder.on_data(OUTSIDE, "--config", settings)
    assert done.returncode == 0 and "not stored" not in done.stdout, done
    assert folder.good(COUNT) == "6\n"


def rows_of_a_file_outside_the_scheme_are_counted_and_told_with_the_first(folder):
    folder.good(DAYS)
    file = folder.csv("day,qty", "2024.01.01,1", "2025.06.07,2", "2023.01.01,3")
    out = folder.good(f'loadTextEx(database("dfs://days"), `trades, `day, "{file}", , {SCHEMA})')
    assert f"{file}: 2 of 3 rows were not stored" in out and "2025.06.07" in out, out
    assert folder.good(COUNT) == "4\n"


def fields_that_do_not_parse_become_null_and_the_first_is_told(folder):
    file = folder.csv("day,qty", "2024.01.01,1", "2024.01.02,abc", "2024.01.03,3", "never,4")
    out, told = folder.told(f't = loadText("{file}", , {SCHEMA})\nprint(exec count(*) from t)\nprint(exec count(qty) from t)')
    assert 'qty: 1 field is no' in told and '"abc" in line 3.' in told and '"never" in line 5.' in told, told
    assert out == "4\n3\n", out


def surplus_fields_are_ignored_and_the_first_line_is_told(folder):
    file = folder.csv("day,qty", "2024.01.01,1", "2024.01.02,2,extra,more", "2024.01.03,3")
    out, told = folder.told(f't = loadText("{file}", , {SCHEMA})\nprint(exec sum(qty) from t)')
    assert "1 line has too many fields, the first is line 3" in told and out == "6\n", (told, out)


def a_quote_that_is_never_closed_is_told_with_its_line(folder):
    file = folder.csv("name,qty", "a,1", '"b,2', "c,3")
    out, told = folder.told(f't = loadText("{file}", , table(`name`qty as name, `STRING`INT as type))')
    assert "line 3" in told and "quote" in told, f"two lines became one field, and nobody was told: {told}"


def a_file_with_good_fields_only_tells_nothing(folder):
    file = folder.csv("day,qty", "2024.01.01,1", "2024.01.02,2")
    assert folder.told(f't = loadText("{file}", , {SCHEMA})\nprint(exec sum(qty) from t)') == ("3\n", "")


def a_node_that_does_not_answer_is_named(folder):
    address = f"127.0.0.1:{free_port()}"
    refused(folder.script("1 + 1", "--connect", address), address, "Connection refused", "Check that")


def xdb_to_a_node_that_does_not_answer_names_place_and_address(folder):
    port = free_port()
    refused(folder.script(f'x = 1\nh = xdb("127.0.0.1", {port})\n'), "script.dos:2:5:", f"127.0.0.1:{port}", "Connection refused")


def an_address_that_is_none_is_refused(folder):
    refused(folder.script("1 + 1", "--connect", "nowhere"), "nowhere")


def a_data_folder_that_a_server_uses_names_it_and_how_to_connect(folder):
    with Served(folder.path / "db") as server:
        made = folder.script(DAYS, "--connect", server.address)
        assert made.returncode == 0, made.stderr
        done = folder.on_data(COUNT)
        refused(done, "in use by another process", str(server.process.pid), f"pelorus connect {server.address}")
        counted = folder.script(COUNT, "--connect", server.address)
        assert "3" in counted.stdout, counted


def a_server_owns_its_data_folder_from_its_first_moment(folder):
    with Served(folder.path / "db") as server:
        done = folder.on_data("print(existsDatabase('dfs://days'))")
        refused(done, "in use by another process", f"pelorus connect {server.address}")


def a_second_server_on_a_data_folder_does_not_start(folder):
    with Served(folder.path / "db") as server:
        second = subprocess.Popen([PELORUS, "serve", "--dev", "--port", "0", "--data", str(folder.path / "db")],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        refused(ended(second), "in use by another process", server.address)


def a_port_in_use_is_named(folder):
    with Served(folder.path / "db") as server:
        port = server.address.split(":")[1]
        refused(run("serve", "--dev", "--port", port, "--data", folder.path / "other"), port, "in use", "--port")


def an_error_on_a_server_names_the_same_place_as_at_home(folder):
    with Served(folder.path / "db") as server:
        done = folder.script("x = 1\ny = mavgg(1..3, 2)\n", "--connect", server.address)
        refused(done, "script.dos", "'mavgg'", "Did you mean mavg")
        assert re.search(r"script\.dos:2:", done.stderr), done.stderr


def nothing_runs_on_a_server_when_the_text_is_wrong(folder):
    with Served(folder.path / "db") as server:
        done = folder.script("print(`ran)\ny = nosuch + 1\n", "--connect", server.address)
        refused(done, "nosuch")
        assert "ran" not in done.stdout, "part of the script ran although the text was wrong"


def a_server_whose_data_folder_cannot_be_made_does_not_start(folder):
    (folder.path / "file").write_text("")
    server = subprocess.Popen([PELORUS, "serve", "--dev", "--port", "0", "--data", str(folder.path / "file" / "db")],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    refused(ended(server), str(folder.path / "file"))


def a_cluster_whose_folder_cannot_be_made_is_refused(folder):
    (folder.path / "file").write_text("")
    refused(run("cluster", "up", "--nodes", "1", "--dir", folder.path / "file" / "cluster"), str(folder.path / "file"))


def a_setting_that_is_none_is_named_with_its_line(folder):
    settings = folder.path / "node.cfg"
    settings.write_text("# a node\nprot=8848\n")
    refused(run("serve", "--config", settings), f"{settings}:2", "prot", "docs/operations.md")


def main():
    tests = [test for test in list(globals().values()) if getattr(test, "__module__", "") == "__main__" and
             callable(test) and getattr(test, "__code__", None) and test.__code__.co_varnames[:1] == ("folder",)]
    for test in tests:
        name = test.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory() as path:
            try:
                test(Folder(Path(path)))
                TALLY["passed"] += 1
            except Exception as problem:  # a failed test must not keep the others from running
                TALLY["failed"] += 1
                print(f"FAILED {name}: {type(problem).__name__} {str(problem)[-1500:]}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**TALLY))
    return 1 if TALLY["failed"] else 0


sys.exit(main())
