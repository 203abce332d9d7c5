#!/usr/bin/env python3
"""Users and what they may do on a node, as scripts and clients see it: the order of settings, owners, catalogs, jobs, function views, shared
tables, tickets, restarts, and ways around."""
import hashlib
import json
import os
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from node import Node, Refused, json_call  # noqa: E402

PROGRAM = sys.argv[1]
PRIVILEGE = "<NoPrivilege>"
READ = 'exec sum(v) from loadTable("dfs://r", "pt")'
MAKE = """db = database("dfs://r", VALUE, 1..3)
t = table(1 2 3 as id, 10 20 30 as v)
pt = db.createPartitionedTable(t, "pt", "id").append!(t)
db.createPartitionedTable(t, "p2", "id").append!(t); """


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def may(session, script):
    try:
        session.run(script + "; 0")
        return True
    except Refused as error:
        check(PRIVILEGE in str(error), f"{script}: {error}")
        return False


def fresh(admin, *users):
    """Makes the database of the tests anew, and these users without rights."""
    admin.run('if (existsDatabase("dfs://r")) dropDatabase("dfs://r")')
    admin.run(MAKE + "0")
    for user in users:
        admin.run(f'if ("{user}" in getUserList()) deleteUser("{user}")')
        admin.run(f'createUser("{user}", "secret-1")')


def sec_04_order_of_settings(node):
    with node.admin() as admin:
        for steps, expected in (('deny("u", TABLE_READ, "dfs://r/pt"); grant("u", TABLE_READ, "*")', True),
                                ('grant("u", TABLE_READ, "dfs://r/pt"); deny("u", TABLE_READ, "*")', False),
                                ('grant("u", TABLE_READ, "dfs://r/pt"); revoke("u", TABLE_READ, "*")', False),
                                ('grant("u", TABLE_READ, "*"); deny("u", TABLE_READ, "dfs://r/pt")', False),
                                ('grant("u", TABLE_READ, "*"); revoke("u", TABLE_READ, "dfs://r/pt")', True),
                                ('deny("u", TABLE_READ, "*"); revoke("u", TABLE_READ, "dfs://r/pt")', False),
                                ('grant("u", DB_READ, "dfs://r")', True),
                                ('grant("u", DB_READ, "dfs://r"); deny("u", TABLE_READ, "dfs://r/p2")', True),
                                ('grant("u", DB_READ, "dfs://r"); deny("u", TABLE_READ, "dfs://r/pt")', False)):
            fresh(admin, "u")
            admin.run(steps)
            with node.session("u", "secret-1") as user:
                check(may(user, READ) == expected, f"after {steps}")
        fresh(admin, "u")
        admin.run('deny("u", TABLE_READ, "*")')
        check("Invalid grant" in admin.refusal('grant("u", TABLE_READ, "dfs://r/pt")'), "a narrow grant under a wide denial")


def sec_04_groups(node):
    create = 'database("dfs://g", VALUE, 1..3); dropDatabase("dfs://g")'
    with node.admin() as admin:
        for steps, expected in (('deny("u", DB_OWNER); grant("g1", DB_OWNER)', False), ('grant("g1", DB_OWNER)', True), ('deny("g1", DB_OWNER)', False),
                                ('deny("g1", DB_OWNER); grant("g2", DB_OWNER)', False), ('grant("g2", DB_OWNER)', True),
                                ('grant("u", DB_OWNER); deny("g1", DB_OWNER); deleteGroup("g1")', True), ('grant("g1", DB_OWNER); deleteGroup("g1")', False),
                                ('grant("g1", DB_OWNER); deleteGroupMember("u", "g1")', False), ('grant("u", DB_OWNER, "dfs://g*")', True),
                                ('grant("u", DB_OWNER, "dfs://h*")', False)):
            fresh(admin, "u")
            admin.run('each(def (g) { if (g in getGroupList()) deleteGroup(g) }, ["g1", "g2"]); createGroup("g1", "u"); createGroup("g2", ["u"])')
            admin.run(steps)
            with node.session("u", "secret-1") as user:
                check(may(user, create) == expected, f"after {steps}")


def each_change_needs_its_right(node):
    needed = {"TABLE_INSERT": 'loadTable("dfs://r", "pt").append!(table(1 as id, 5 as v))', "TABLE_UPDATE": 'update loadTable("dfs://r", "pt") set v = 1 where id = 1',
              "TABLE_DELETE": 'delete from loadTable("dfs://r", "pt") where id = 1', "TABLE_READ": READ}
    with node.admin() as admin:
        fresh(admin, "u")
        with node.session("u", "secret-1") as user:
            for right, script in needed.items():
                for other in needed:
                    admin.run(f'revoke("u", {other}, "*")')
                check(not may(user, script), f"{script} without a right")
                admin.run(f'grant("u", {right}, "dfs://r/pt")')
                check(may(user, script), f"{script} with {right}")
                check(not may(user, script.replace('"pt"', '"p2"')), f"{script} on another table")
            for right, script in (("DBOBJ_CREATE", 'createTable(database("dfs://r"), table(1 as id), "d1")'), ("DBOBJ_DELETE", 'dropTable(database("dfs://r"), "p2")'),
                                  ("DB_MANAGE", 'addValuePartitions(database("dfs://r"), 4..5)'), ("DB_MANAGE", 'dropDatabase("dfs://r")')):
                admin.run('revoke("u", DB_MANAGE, "*")')
                check(not may(user, script), f"{script} without a right")
                admin.run(f'grant("u", {right}, "dfs://r")')
                check(may(user, script), f"{script} with {right}")


def rights_end_with_their_object(node):
    with node.admin() as admin:
        fresh(admin, "u")
        with node.session("u", "secret-1") as user:
            admin.run('grant("u", TABLE_READ, "dfs://r/pt")')
            check(may(user, READ), "granted")
            admin.run('renameTable(database("dfs://r"), "pt", "px")')
            check(may(user, READ.replace('"pt"', '"px"')), "a renamed table keeps its rights")
            admin.run('dropTable(database("dfs://r"), "px"); createPartitionedTable(database("dfs://r"), table(1 as id, 1 as v), "px", "id"); 0')
            check(not may(user, READ.replace('"pt"', '"px"')), "a new table of the name")
            admin.run('grant("u", DB_READ, "dfs://r")')
            check(may(user, READ.replace('"pt"', '"p2"')), "granted for the database")
            fresh(admin)
            check(not may(user, READ), "a new database of the name")


def owners_grant(node):
    with node.admin() as admin:
        fresh(admin, "owner", "friend")
        admin.run('if (existsDatabase("dfs://o")) dropDatabase("dfs://o"); grant("owner", DB_OWNER, "dfs://o*")')
        with node.session("owner", "secret-1") as owner, node.session("friend", "secret-1") as friend:
            owner.run('db = database("dfs://o", VALUE, 1..3); t = table(1 2 as id, 3 4 as v); db.createPartitionedTable(t, "t", "id").append!(t); 0')
            read = 'exec sum(v) from loadTable("dfs://o", "t")'
            check(may(owner, read) and not may(friend, read), "the owner reads, the other does not")
            owner.run('grant("friend", TABLE_READ, "dfs://o/t")')
            check(may(friend, read), "granted by the owner")
            check(friend.run('exec count(*) from getTableAccess("dfs://o", "t")') if False else PRIVILEGE in friend.refusal('getTableAccess("dfs://o", "t"); 0'), "who may see rights")
            check(owner.run('exec first(TABLE_READ) from getTableAccess("dfs://o", "t") where name = "friend"') == "ALLOW", "rights shown")
            owner.run('revoke("friend", TABLE_READ, "dfs://o/t")')
            check(not may(friend, read), "revoked by the owner")
            for script in ('grant("friend", TABLE_READ, "dfs://r/pt")', 'grant("friend", TABLE_READ, "*")', 'grant("friend", DB_OWNER)', 'grant("owner", DB_MANAGE, "dfs://r")',
                           'grant("friend", SCRIPT_EXEC)', 'grant("friend", TABLE_READ)'):
                check(PRIVILEGE in owner.refusal(script), script)
            check(owner.run('concat(getClusterDFSTables(), ",")') == "dfs://o/t", "the owner sees the own table only")
            check(owner.run('concat(getClusterDFSDatabases(), ",")') == "dfs://o", "the owner sees the own database only")


def catalogs(node):
    with node.admin() as admin:
        fresh(admin, "u")
        admin.run('if (existsCatalog("c1")) dropCatalog("c1"); createCatalog("c1"); createSchema("c1", "dfs://r", "s")')
        with node.session("u", "secret-1") as user:
            read = "exec sum(v) from c1.s.pt"
            check(not may(user, read), "without rights")
            for right, over in (("CATALOG_READ", "c1"), ("SCHEMA_READ", "c1.s"), ("SCHEMA_READ", "c1.*"), ("TABLE_READ", "c1.s.pt"), ("DB_READ", "c1.s")):
                admin.run(f'grant("u", {right}, "{over}")')
                check(may(user, read) and may(user, READ), f"{right} for {over}")
                admin.run('revoke("u", TABLE_READ, "*")')
                check(not may(user, read), f"{right} revoked")
            admin.run('grant("u", CATALOG_READ, "c1"); renameCatalog("c1", "c2")')
            check(may(user, "exec sum(v) from c2.s.pt"), "a renamed catalog keeps its rights")
            admin.run('dropCatalog("c2"); createCatalog("c2"); createSchema("c2", "dfs://r", "s")')
            check(not may(user, "exec sum(v) from c2.s.pt"), "a new catalog of the name")
            for script in ('dropCatalog("c2")', 'renameCatalog("c2", "c3")', 'createSchema("c2", "dfs://r", "t")', 'dropSchema("c2", "s")', 'createCatalog("c4")'):
                check(PRIVILEGE in user.refusal(script), script)
            admin.run('dropCatalog("c2")')


def no_way_around(node):
    with node.admin() as admin:
        fresh(admin, "u")
        port = node.port
        with node.session("u", "secret-1") as user:
            for script in ('select * from loadTable("dfs://r", "pt")', 'loadTableBySQL(<select * from loadTable("dfs://r", "pt")>)', 'mr(sqlDS(<select * from loadTable("dfs://r", "pt")>), def (x): x.size(), , sum)',
                           'imr(sqlDS(<select * from loadTable("dfs://r", "pt")>), 1, def (x, p): x.size(), def (a, b): a + b, def (r, p): r, 0)', 'x = loadTable("dfs://r", "pt"); select top 1 * from x',
                           'share loadTable("dfs://r", "pt") as leak; select * from leak', 'select * from ej(loadTable("dfs://r", "pt"), table(1 as id), `id)', 'update table(1 as id) set id = (exec first(id) from loadTable("dfs://r", "pt"))',
                           'exec v from loadTable("dfs://r", "pt") where id in (exec id from loadTable("dfs://r", "pt"))', 'rpc(getNodeAlias(), def (): exec sum(v) from loadTable("dfs://r", "pt"))',
                           f'x = xdb("localhost", {port}, "u", "secret-1"); x("exec sum(v) from loadTable(\\"dfs://r\\", \\"pt\\")")', 'each(def (t): exec sum(v) from loadTable("dfs://r", t), ["pt"])',
                           'peach(def (t): exec sum(v) from loadTable("dfs://r", t), ["pt", "p2"])', 'runSQL("select * from loadTable(\\"dfs://r\\", \\"pt\\")")', 'parseExpr("exec sum(v) from loadTable(\\"dfs://r\\", \\"pt\\")").eval()',
                           'pt = loadTable("dfs://r", "pt"); pt[`v]', 'select [HINT_EXPLAIN] * from loadTable("dfs://r", "pt")', 'saveText(loadTable("dfs://r", "pt"), "x.csv")',
                           'backup("b", "dfs://r", tableName="pt")', 'backup("b", <select * from loadTable("dfs://r", "pt")>)', 'insert into loadTable("dfs://r", "pt") values (1, 2)', 'upsert!(loadTable("dfs://r", "pt"), table(1 as id, 2 as v), keyColNames=`id)',
                           'tableInsert(loadTable("dfs://r", "pt"), 1, 2)', 'truncate("dfs://r", "pt")', 'dropPartition(database("dfs://r"), 1, "pt")', 'addColumn(loadTable("dfs://r", "pt"), "w", INT)', 'with c as (select * from loadTable("dfs://r", "pt")) select * from c',
                           'select * from loadTable("DFS://r", "pt")', 'j = submitJob("a", "a", def (): exec sum(v) from loadTable("dfs://r", "pt")); getJobReturn(j, true)', 'setColumnComment(loadTable("dfs://r", "pt"), {v: "x"})',
                           'select * from lsj(loadTable("dfs://r", "pt"), loadTable("dfs://r", "p2"), `id)', 'select count(*) from loadTable("dfs://r", "pt") group by id', 'replay(loadTable("dfs://r", "pt"), table(1:0, `id`v, [INT, INT]), `id)'):
                said = user.outcome("script\n" + script)
                check(said != "done", f"{script} worked")
            check(admin.run(READ) == 60, "nothing was changed")


def users_and_their_work(node):
    with node.admin() as admin:
        fresh(admin, "u", "U2")
        admin.run('grant("u", TABLE_READ, "*")')
        check("incorrect" in refusal_of(node, "U", "secret-1") and "incorrect" in refusal_of(node, "u2", "secret-1"), "names differ by case")
        user = node.session("u", "secret-1")
        ticket = user.call("getAuthenticatedUserTicket")
        job = user.run('string(submitJob("late", "late", def () { sleep(1500); return exec sum(v) from loadTable("dfs://r", "pt") }))')
        guest = node.session()
        guest.call("authenticateByTicket", ticket)
        check(guest.run("getCurrentSessionAndUser()[1]") == "u", "logged in by ticket")
        admin.run('resetPwd("u", "secret-2")')
        other = node.session()
        try:
            other.call("authenticateByTicket", ticket)
            raise AssertionError("a ticket is valid after a change of the password")
        except Refused:
            pass
        waiting = node.session("u", "secret-2").run('jobs = each(def (i) { return submitJob("w" + i, "w", def () { sleep(800); return exec sum(v) from loadTable("dfs://r", "pt") }) }, 1..12); string(jobs.last())')
        admin.run('deleteUser("u")')
        check("no longer exists" in user.refusal("1 + 1"), "a session of a deleted user")
        end = time.time() + 30
        while admin.run(f'exec count(*) from getRecentJobs() where isNull(endTime)') > 0 and time.time() < end:
            time.sleep(0.2)
        check("no longer exists" in admin.run(f'exec first(errorMsg) from getRecentJobs() where jobId = "{waiting}"'), "a job of a deleted user does not begin")
        check(job, job)
        for script in ('deleteUser("admin")', 'deny("admin", TABLE_READ, "*")', 'createUser("guest", "secret-1")', 'createUser("1a", "secret-1")', 'createUser("a b", "secret-1")', 'createUser("aa", "123")', 'createUser("aa", "12 3456")',
                       'createUser("system", "secret-1")', 'createUser("aa", "secret-1", ["nobody"])', 'createUser("aa", "secret-1", , , "scram")', 'grant("nobody", TABLE_READ, "*")', 'grant("U2", TABLE_SENSITIVE_VIEW, "*")',
                       'grant("U2", DB_MANAGE, "dfs://none")', 'grant("U2", TABLE_READ, "dfs://r/none")', 'deny("U2", DB_OWNER, "dfs://a*")', 'createUser("U2", "secret-1")', 'createGroup("U2")'):
            admin.refusal(script)
        admin.run('createUser("boss", "secret-1", , true)')
        with node.session("boss", "secret-1") as boss:
            check(not may(boss, READ), "an administrator has data by grant only")
            check("boss" in boss.run('concat(getUserList(), ",")'), "an administrator manages users")
            check(PRIVILEGE in boss.refusal('resetPwd("admin", "secret-9")') and PRIVILEGE in boss.refusal('generateUserTicket("admin", 2030.01.01T00:00:00); 0'), "an administrator does not become admin")
        admin.run('deny("U2", SCRIPT_EXEC)')
        with node.session("U2", "secret-1") as denied:
            check(PRIVILEGE in denied.refusal("1 + 1"), "scripts of a user without SCRIPT_EXEC")
            check(not json_call(node, "", script="1+1")[0], "and by JSON")


def refusal_of(node, user, password):
    try:
        node.session(user, password)
    except Refused as error:
        return str(error)
    return ""


def function_views_and_shared_tables(node):
    with node.admin() as admin:
        fresh(admin, "u", "definer")
        admin.run('each(def (v): dropFunctionView(v), exec name from getFunctionViews()); grant("definer", TABLE_READ, "dfs://r/pt"); grant("definer", VIEW_OWNER)')
        with node.session("definer", "secret-1") as definer, node.session("u", "secret-1") as user:
            check(PRIVILEGE in user.refusal("def mine(): 1\naddFunctionView(mine)"), "who may make views")
            definer.run('def total(): exec sum(v) from loadTable("dfs://r", "pt")\naddFunctionView(total)')
            check(PRIVILEGE in user.refusal("total()"), "a view without VIEW_EXEC")
            definer.run('grant("u", VIEW_EXEC, "total")')
            check(user.run("total()") == 60, "a view with VIEW_EXEC")
            check(not may(user, READ), "the table itself stays closed")
            admin.run('revoke("definer", TABLE_READ, "dfs://r/pt")')
            check(PRIVILEGE in user.refusal("total()"), "a view whose definer lost the right")
            admin.run('deleteUser("definer")')
            check("no user any more" in user.refusal("total()"), "a view whose definer is deleted")
            admin.run('share table(1 2 as x) as st; 0')
            check(user.run("exec sum(x) from st") == 3, "a shared table is open at first")
            admin.run('grant("u", TABLE_READ, "st")')
            check(user.run("exec sum(x) from st") == 3, "granted")
            check(PRIVILEGE in user.refusal("insert into st values (3)"), "not to insert")
            admin.run('revoke("u", TABLE_READ, "st")')
            check(PRIVILEGE in user.refusal("exec sum(x) from st"), "revoked")
            admin.run("undef(`st, SHARED)")


def users_survive_a_restart():
    node = Node(PROGRAM)
    try:
        with node.admin() as admin:
            fresh(admin, "u")
            admin.run('createGroup("g", "u"); grant("g", TABLE_READ, "dfs://r/pt"); def f(): 42\naddFunctionView(f); grant("u", VIEW_EXEC, "f")')
        node.process.kill()
        node.process.wait()
        node.start()
        with node.session("u", "secret-1") as user:
            check(may(user, READ) and user.run("f()") == 42, "rights of a group and a view after a crash")
            check(not may(user, READ.replace('"pt"', '"p2"')), "and no others")
    finally:
        node.remove()


def users_of_a_former_version_are_taken_over():
    node = Node(PROGRAM)
    try:
        node.stop()
        other = node.folder.name + "/older"
        os.makedirs(other)
        salt = b"0123456789abcdef"
        made = hashlib.scrypt(b"old-secret-1", salt=salt, n=1 << 14, r=8, p=1, maxmem=64 << 20, dklen=32)
        with open(other + "/users.json", "w") as file:
            json.dump({"admin": {"salt": salt.hex(), "scrypt": made.hex()}}, file)
        node.data = other
        node.start()
        with node.session("admin", "old-secret-1") as admin:
            check(admin.run("1 + 1") == 2, "the old password")
        check(not os.path.exists(other + "/users.json"), "taken over")
    finally:
        node.remove()


def results_beyond_a_users_limit_are_refused(node):
    with node.admin() as admin:
        fresh(admin, "u")
        admin.run('grant("u", QUERY_RESULT_MEM_LIMIT, 0.001)')
        with node.session("u", "secret-1") as user:
            check(user.outcome("script\n1..1000") == "done", "a small result")
            check("QUERY_RESULT_MEM_LIMIT" in user.outcome("script\n1..10000000"), "a large one")
            admin.run('revoke("u", QUERY_RESULT_MEM_LIMIT)')
            check(user.outcome("script\n1..10000000") == "done", "without limit")


def idle_sessions_end_after_a_time_that_administrators_set(node):
    with node.admin() as admin:
        for text, seconds in (("3600s", 3600), ("30m", 1800), ("2H", 7200), ("1d", 86400)):
            admin.run(f"setSessionExpiredTime({text})")
            check(admin.run("string(getSessionExpiredTime())") == f"{seconds}s", text)
        for text in ("0s", "31d", "5ns", "1M", "10"):
            check("expire must be a DURATION" in admin.refusal(f"setSessionExpiredTime({text})"), text)
        fresh(admin, "u")
        with node.session("u", "secret-1") as user:
            user.refusal("setSessionExpiredTime(60s)")
        admin.run("setSessionExpiredTime(1800s)")


def main():
    passed = failed = 0
    node = Node(PROGRAM)
    tests = [lambda: sec_04_order_of_settings(node), lambda: sec_04_groups(node), lambda: each_change_needs_its_right(node), lambda: rights_end_with_their_object(node),
             lambda: owners_grant(node), lambda: catalogs(node), lambda: no_way_around(node), lambda: users_and_their_work(node), lambda: function_views_and_shared_tables(node),
             lambda: results_beyond_a_users_limit_are_refused(node),
             lambda: idle_sessions_end_after_a_time_that_administrators_set(node), users_survive_a_restart, users_of_a_former_version_are_taken_over]
    try:
        for test in tests:
            try:
                test()
                passed += 1
            except Exception:  # noqa: BLE001
                traceback.print_exc()
                failed += 1
        check(node.process.poll() is None, "the node has ended")
    finally:
        node.remove()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


main()
