#!/usr/bin/env python3
"""Handles of tables that their user may not read: every built-in function, with the handle as it is, within containers, in functions,
through a function view of an administrator and in a job, tells neither rows nor their number, and changes nothing."""
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases, tally  # noqa: E402
from node import Node, Refused  # noqa: E402

PROGRAM = sys.argv[1]
PRIVILEGE = "<NoPrivilege>"
# What a row of the tables shows, and how many there are.
MARKERS = ["zqxmarker", "48611", "73421"]
# They end the session or the process, wait, or take the tables away by a right that is tested elsewhere.
LEFT_OUT = {"logout", "sleep", "closeSessions", "undef", "login", "exit", "quit", "clearAllCache", "shell", "rpc", "remoteRun", "sqlDS"}
STORED, SHARED = 'loadTable("dfs://hush", "t")', "objByName(`st)"
FORMS = {"itself": "x", "in a tuple": "(x, 1)", "in a list": "[x]", "in a dictionary": "dict(`a`b, (x, 1))", "in tuples of tuples": "(1, (2, (x, 3)))",
         "in a closure": "def (y): x", "in a partial application": "take{x}", "in one within a tuple": "(take{(x, 1)}, 1)"}
PROBE = """
def probe(name, x, asked) {
    try {
        f = funcByName(name)
        if (asked == 1) { return name + "=" + concat(string(f(x)), " ") }
        return name + "=" + concat(string(f(x, 1)), " ")
    } catch (ex) { return name + "!" + string(ex) }
}
def probeAll(names, x, asked) {
    said = array(STRING, 0)
    for (name in names) said.append!(probe(name, x, asked))
    return concat(said, char(1))
}
"""


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def prepare(node):
    with node.admin() as admin:
        admin.run("""
            t = table(take(1..3, 73421) as id, take(["zqxmarker"], 73421) as s, take(48611, 73421) as v)
            db = database("dfs://hush", VALUE, 1..3)
            db.createPartitionedTable(t, "t", "id").append!(t)
            share t as st
            addAccessControl("st")
            createUser("writer", "secret-1"); createUser("nobody", "secret-1"); createUser("reader", "secret-1")
            grant("writer", TABLE_INSERT, "dfs://hush/t"); grant("writer", TABLE_INSERT, "st")
            grant("reader", TABLE_READ, "dfs://hush/t"); grant("reader", TABLE_READ, "st")
            createUser("definer", "secret-1")
            grant("definer", DB_READ, "dfs://hush"); grant("definer", DB_WRITE, "dfs://hush"); grant("definer", VIEW_OWNER)
            0""")
        admin.run(PROBE + """
            def through(names, x, asked) { return probeAll(names, x, asked) }
            def meanOf(t) { return exec avg(v) from t }
            def meanWithin(c) { return exec avg(v) from c[0] }
            def meanByKey(d) { return exec avg(v) from d[`t] }
            def addTo(mutable t, r) { t.append!(r); return 1 }
            def changeIn(mutable t) { update t set v = 0 where id = 1; return 1 }
            def removeFrom(mutable t) { delete from t where id = 1; return 1 }
            def jobOn(t) { return getJobReturn(submitJob("j", "j", def (u) { return exec avg(v) from u }, t), true) }
            go
            for (f in [through, meanOf, meanWithin, meanByKey, addTo, changeIn, removeFrom, jobOn]) { addFunctionView(f) }
            each(grant{, VIEW_EXEC, ["through", "meanOf", "meanWithin", "meanByKey", "addTo", "changeIn", "removeFrom", "jobOn"]}, ["writer", "reader", "nobody"])
            0""")


def state_of(node):
    with node.admin() as admin:
        return [admin.run(f"string(exec {what} from {table})") for table in (STORED, "st") for what in ("count(*)", "sum(v)", "min(s)", "max(s)")]


def names_of(node):
    with node.admin() as admin:
        names = admin.run('concat((exec name from defs() where userDefined == false), ",")').split(",")
    return [name for name in names if name and (name[0].isalpha()) and name not in LEFT_OUT]


def no_built_in_tells(node, handle, way):
    """Calls every built-in with the handle in every form; `way` is a script of `names`, `x` and `asked`."""
    names = names_of(node)
    check(len(names) > 1000, "the functions of the node are known")
    met = 0
    for form, value in FORMS.items():
        for asked in (1, 2):
            for at in range(0, len(names), 100):
                part = ",".join(f'"{name}"' for name in names[at:at + 100])
                with node.session("writer", "secret-1") as writer:
                    try:
                        said = writer.run(f"{PROBE}\ngo\nx = {handle}\nx = {value}\nnames = [{part}]\nasked = {asked}\n{way}")
                    except Refused as error:
                        said = str(error)
                # The number of rows is guarded where a function gets the handle itself.
                markers = MARKERS if form == "itself" else MARKERS[:-1]
                for line in said.split("\x01"):
                    check(not any(marker in line for marker in markers), f"{form}, {asked} arguments: {line[:500]}")
                    met += PRIVILEGE in line
    check(met > 5, f"functions refused the handle, but only {met}")


def sessions_tell_nothing(node):
    for handle in (STORED, SHARED):
        no_built_in_tells(node, handle, "probeAll(names, x, asked)")


def views_tell_nothing(node):
    for handle in (STORED, SHARED):
        no_built_in_tells(node, handle, "through(names, x, asked)")


def jobs_tell_nothing(node):
    for handle in (STORED, SHARED):
        no_built_in_tells(node, handle, 'string(getJobReturn(submitJob("p", "p", probeAll, names, x, asked), true))')


def results_and_errors_tell_nothing(node):
    for handle in (STORED, SHARED):
        for form, value in FORMS.items():
            if "closure" in form or "partial" in form or "within" in form:
                continue  # shown by their text, which has no rows
            for script in (value, f"throw {value}", f"print({value})", f"y = {value}; y", f'getJobReturn(submitJob("p", "p", def (z): z, {value}), true)',
                           f"string({value})", f"toStdJson({value})", f"{value} == 1", f"{value} + 1", f"-({value})", f"for (y in {value}) print(y)"):
                with node.session("writer", "secret-1") as writer:
                    writer._send(f"script\nx = {handle}\n{script}")
                    writer.stream.settimeout(20)
                    said = writer._line() + writer._line()
                    while "\nMSG" in said or said.startswith("MSG"):
                        said = writer._line() + writer._line()
                    writer.stream.settimeout(0.2)
                    try:
                        said += writer.stream.recv(1 << 20).decode(errors="replace")
                    except OSError:
                        pass
                    said += writer.buffer.decode(errors="replace")
                check("zqxmarker" not in said, f"{handle}: {form}: {script}: {said[:300]}")


def a_view_uses_the_tables_of_its_caller_with_the_callers_rights(node):
    row = 'table(1 as id, "new" as s, 5 as v)'
    for handle in (STORED, SHARED):
        with node.session("writer", "secret-1") as writer, node.session("reader", "secret-1") as reader:
            for script in (f"meanOf({handle})", f"meanWithin(({handle}, 1))", f"meanByKey(dict([`t], [{handle}]))", f"h = {handle}; changeIn(h)",
                           f"h = {handle}; removeFrom(h)", f"jobOn({handle})"):
                said = writer.refusal(script + "; 0")
                check(PRIVILEGE in said or "of its caller" in said, f"{script}: {said}")
            for script in (f"addTo(h, {row})", "changeIn(h)", "removeFrom(h)"):
                check(PRIVILEGE in reader.refusal(f"h = {handle}; {script}; 0"), script)
            check(reader.run(f"string(meanOf({handle}))") == "48611", "who may read it reads it through the view")
    with node.session("reader", "secret-1") as reader:
        # A definer without rights works with what the caller gives.
        with node.admin() as admin:
            admin.run('createUser("helper", "secret-1"); grant("helper", VIEW_OWNER)')
        with node.session("helper", "secret-1") as helper:
            helper.run('def meanFor(t) { return exec avg(v) from t }\naddFunctionView(meanFor)\ngrant("reader", VIEW_EXEC, "meanFor")')
        check(reader.run(f"string(meanFor({STORED}))") == "48611", "the caller's handle has the caller's rights")
        check("handle of a database" in reader.refusal('meanFor(database("dfs://hush"))'), "handles of databases")


def a_handle_that_a_view_returns_is_the_callers(node):
    with node.session("definer", "secret-1") as definer, node.session("writer", "secret-1") as writer:
        definer.run('def give() { return loadTable("dfs://hush", "t") }\naddFunctionView(give)\ngrant("writer", VIEW_EXEC, "give")')
        check(PRIVILEGE in writer.refusal("exec avg(v) from give()"), "the rows of a table that a view returned")


def a_shared_handle_is_no_way_to_its_rows(node):
    with node.session("writer", "secret-1") as writer:
        with node.session("reader", "secret-1") as reader:
            reader.run(f'share table([{STORED}] as h) as handles')
            check(PRIVILEGE in writer.refusal('h = handles[`h][0]; exec avg(v) from h'), "a handle that another user shared")
        with node.admin() as admin:
            admin.run('def meanOfShared() { return exec avg(v) from objByName(`given)[`h][0] }\naddFunctionView(meanOfShared)\n'
                      'grant("writer", VIEW_EXEC, "meanOfShared")')
        writer.run(f'share table([{STORED}] as h) as given')
        check(PRIVILEGE in writer.refusal("meanOfShared()"), "a view that reads a handle which its caller shared")


def a_controlled_table_stays_controlled_when_its_name_is_released(node):
    with node.admin() as admin, node.session("writer", "secret-1") as writer:
        admin.run('share table(["zqxmarker"] as s) as gone\naddAccessControl("gone")\ngrant("writer", TABLE_INSERT, "gone")')
        writer.run("kept = gone")
        admin.run('undef("gone", SHARED)')
        for script in ("exec first(s) from kept", "kept[0][`s]", "string(kept)", "kept.s[0]"):
            check(PRIVILEGE in writer.refusal(script), script)


def a_shared_object_is_released_by_its_owner(node):
    with node.session("reader", "secret-1") as reader, node.session("writer", "secret-1") as writer, node.admin() as admin:
        reader.run('share table(1 2 as x) as owned')
        for script in ('undef("owned", SHARED)', "share table(3 as x) as owned"):
            check(PRIVILEGE in writer.refusal(script), script)
        check(writer.run("exec sum(x) from owned") == 3, "it is there, for all to use")
        reader.run('undef("owned", SHARED)')
        reader.run("share table(1 2 as x) as owned")
        admin.run('undef("owned", SHARED)')


def what_is_hidden_and_what_is_not_there_are_told_alike(node):
    with node.session("nobody", "secret-1") as nobody, node.session("writer", "secret-1") as writer:
        for script in ('loadTable("{}", "t")', 'schema(loadTable("{}", "t"))', 'database("{}")', 'schema(database("{}"))', 'getTables(database("{}"))',
                       'dropDatabase("{}")', 'dropTable(database("{}"), "t")', 'addValuePartitions(database("{}"), 9)', 'exec count(*) from loadTable("{}", "t")',
                       'getTableAccess("{}", "t")', 'getColumnStorage("{}", "t")', 'truncate("{}", "t")', 'dropPartition(database("{}"), 1)',
                       'createTable(database("{}"), table(1 as a), "n")'):
            hidden = nobody.refusal(script.format("dfs://hush") + "; 0")
            absent = nobody.refusal(script.format("dfs://husk") + "; 0")
            check(hidden.replace("dfs://hush", "#") == absent.replace("dfs://husk", "#"), f"{script}: {hidden} / {absent}")
            check("hush" not in absent, absent)
        for right, thing in (("TABLE_READ", "dfs://{}/t"), ("DB_READ", "dfs://{}")):
            said = [nobody.refusal(f'grant("writer", {right}, "{thing.format(name)}")') for name in ("hush", "husk")]
            check(said[0].replace("hush", "#") == said[1].replace("husk", "#"), f"grants: {said}")
        check(nobody.run('existsDatabase("dfs://hush")') is False and nobody.run('existsTable("dfs://hush", "t")') is False, "neither exists")
        check(nobody.run("size(getTabletsMeta()) + size(getClusterChunksStatus()) + size(getClusterDFSTables())") == 0, "no structure")
        for count in ("size", "rows", "shape"):
            check(PRIVILEGE in writer.refusal(f"{count}({STORED}); 0"), count)
        check(writer.run(f"concat(schema({STORED})[`colDefs][`name], ',')") == "id,s,v", "who inserts knows the columns")


def main():
    node = Node(PROGRAM)
    try:
        prepare(node)
        before = state_of(node)
        tests = [a_view_uses_the_tables_of_its_caller_with_the_callers_rights, a_handle_that_a_view_returns_is_the_callers,
                 a_shared_handle_is_no_way_to_its_rows, a_controlled_table_stays_controlled_when_its_name_is_released,
                 a_shared_object_is_released_by_its_owner, what_is_hidden_and_what_is_not_there_are_told_alike, results_and_errors_tell_nothing,
                 sessions_tell_nothing, views_tell_nothing, jobs_tell_nothing]
        passed, failed = run_cases(tests, node, wanted="".join(sys.argv[2:3]))
        check(node.process.poll() is None, "the node has ended")
        if state_of(node) != before:
            print("the tables were changed:", before, state_of(node))
            failed += 1
    finally:
        node.remove()
    return tally(passed, failed)


sys.exit(main())
