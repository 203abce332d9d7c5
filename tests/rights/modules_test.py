#!/usr/bin/env python3
"""Modules and files of users: nobody writes code that others run, reads the files of others, or reaches what the server keeps for itself."""
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases, tally  # noqa: E402
from node import Node, Refused  # noqa: E402

PROGRAM = sys.argv[1]
PRIVILEGE = "<NoPrivilege>"
EVIL = r'"module prices\ndef px() { return \"evil\" }"'


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def refused(session, script):
    said = session.refusal(script + "\n0")
    check(PRIVILEGE in said, f"{script}: {said}")


def prepare(node):
    with node.admin() as admin:
        admin.run('createUser("ann", "secret-1"); createUser("bob", "secret-1"); createUser("deputy", "secret-1", , true); createUser("author", "secret-1")')
        admin.run(r'uploadModule("module prices\ndef px() { return \"good\" }"); grant("author", "MODULE_WRITE")')


def modules_are_written_by_a_right_of_their_own(node):
    folder = node.data + "/modules"
    with node.session("ann", "secret-1") as ann, node.session("deputy", "secret-1") as deputy:
        for session in (ann, deputy):
            for script in (f"uploadModule({EVIL}, true)", f"uploadModule({EVIL.replace('prices', 'fresh')})", f'saveTextFile({EVIL}, "{folder}/prices.dos")',
                           f'saveText(table(1 as a), "{folder}/fresh.dos")', f'mkdir("{folder}/tools")', f'rm("{folder}/prices.dos")', f'rmdir("{folder}", true)',
                           f'file("{folder}/prices.dos", "w")', 'saveModule("prices", , true)', f'saveModule("prices", "{folder}", true)'):
                refused(session, script)
        for session in (ann, deputy):  # nor by a relative path
            session.run(f'try {{ saveTextFile({EVIL}, "modules/prices.dos") }} catch (ex) {{ }}; 0')
        refused(deputy, 'grant("deputy", "MODULE_WRITE")')
        refused(deputy, 'resetPwd("author", "secret-2")')
        refused(deputy, 'generateUserTicket("author", 2040.01.01T00:00:00)')
    with node.admin() as admin:
        check("not to groups" in admin.refusal('createGroup("writers"); grant("writers", "MODULE_WRITE")'), "groups change")
        check(admin.run("use prices\npx()") == "good", "the module is what it was")
    with node.session("author", "secret-1") as author:
        author.run(r'uploadModule("module prices\ndef px() { return \"better\" }", true)')


def a_module_that_a_user_loads_is_the_sessions_own(node):
    with node.session("ann", "secret-1") as ann, node.session("bob", "secret-1") as bob, node.session("deputy", "secret-1") as deputy:
        ann.run(r'mkdir("mine"); saveTextFile("module calc\ndef f() { return 7 }", "mine/calc.dos"); loadModule("calc", "mine")')
        check(ann.run("calc::f()") == 7, "loaded")
        deputy.run(r'saveTextFile("module calc\ndef f() { return 8 }", "/tmp/pelorus_calc_test.dos"); 0')
        for session in (bob, deputy):
            check("calc" in session.refusal("calc::f()"), "another session does not know it")
        with node.admin() as admin:
            check("calc" in admin.refusal("calc::f()"), "nor does that of admin")
            admin.run('loadModule("prices")')
            check(bob.run("prices::px()") in ("good", "better"), "what admin loads is for all")
        ann.run(r'saveTextFile("module prices\ndef px() { return \"evil\" }", "mine/prices.dos"); loadModule("prices", "mine")')
        check(bob.run("prices::px()") != "evil", "a name that admin loaded keeps its module")
    os.remove("/tmp/pelorus_calc_test.dos")


def each_user_has_a_folder(node):
    with node.session("ann", "secret-1") as ann, node.session("bob", "secret-1") as bob, node.admin() as admin:
        ann.run('saveText(table(1 2 as a), "own.csv"); 0')
        check(ann.run('size(loadText("own.csv"))') == 2 and os.path.exists(node.data + "/users/ann/own.csv"), "in the own folder")
        for path in ("own.csv", "../ann/own.csv", "users/ann/own.csv", f"{node.data}/users/ann/own.csv", "ann/own.csv"):
            said = bob.refusal(f'loadText("{path}"); 0')
            check("own.csv" in said, said)
            try:
                bob.run(f'rm("{path}"); 0')
            except Refused:
                pass
        check(os.path.exists(node.data + "/users/ann/own.csv"), "nobody else removes it")
        check(admin.run(f'size(loadText("{node.data}/users/ann/own.csv"))') == 2, "admin reads it")
        for script in ('saveText(table(1 as a), "{}/files/x.csv")', 'files("{}/files")', 'loadText("{}/backup/x")', 'files("{}/uploads")'):
            refused(bob, script.format(node.data))


def shared_folders_are_granted(node):
    with open(node.data + "/files/shared.csv", "w") as file:
        file.write("a\n1\n2\n3\n")
    with node.session("bob", "secret-1") as bob, node.admin() as admin:
        check("shared.csv" in bob.refusal('loadText("shared.csv"); 0'), "not granted")
        admin.run('grant("bob", "FILE_READ", "files")')
        check(bob.run('size(loadText("shared.csv"))') == 3, "granted")
        for script in ('saveText(table(1 as a), "{}/files/new.csv")', 'rm("{}/files/shared.csv")', 'mkdir("{}/files/made")', 'rmdir("{}/files", true)',
                       'file("{}/files/shared.csv", "a")'):
            refused(bob, script.format(node.data))
        admin.run('grant("bob", "FILE_WRITE", "files")')
        bob.run(f'saveText(table(1 as a), "{node.data}/files/new.csv"); rm("{node.data}/files/new.csv"); 0')
        admin.run('revoke("bob", "FILE_WRITE", "files")')
        refused(bob, f'loadText("{node.data}/files/shared.csv")')
        check("folders that users share" in admin.refusal('grant("bob", "FILE_READ", "wal")'), "no other folder")


def restored_rows_are_those_of_their_table(node):
    with node.session("bob", "secret-1") as bob, node.admin() as admin:
        admin.run(f"""
            db = database("dfs://src", VALUE, 1..3); t = table(1 2 3 as id, 10 20 30 as v)
            db.createPartitionedTable(t, "t", "id").append!(t)
            backupTable("{node.data}/backup/b", "dfs://src", "t")
            grant("bob", "FILE_WRITE", "backup"); grant("bob", DB_OWNER, "dfs://bob*"); 0""")
        own = 'database("dfs://bob1", VALUE, 1..3).createPartitionedTable(table(1 as id, 10 as v), "t", "id")'
        bob.run(f"{own}; 0")
        folder = node.data + "/backup/b"
        for script in (f'restore("{folder}", "dfs://src", "t", "%", true, loadTable("dfs://bob1", "t"))', f'throw exec first(errorMsg) from migrate("{folder}", "dfs://src", "t", "dfs://bob2", "t")',
                       f'restoreTable("{folder}", "dfs://src", "t", "dfs://bob2")', f'restoreDB("{folder}", "dfs://src", "dfs://bob3")',
                       f'loadBackup("{folder}", "dfs://src", "/1", "t")', f'getBackupMeta("{folder}", "dfs://src", "/1", "t")',
                       f'getBackupList("{folder}", "dfs://src", "t")'):
            refused(bob, script)
        check(bob.run('existsDatabase("dfs://bob2") || existsDatabase("dfs://bob3")') is False, "nothing was made")
        admin.run('grant("bob", TABLE_READ, "dfs://src/t")')
        bob.run(f'restore("{folder}", "dfs://src", "t", "%", true, loadTable("dfs://bob1", "t")); 0')
        check(bob.run('exec sum(v) from loadTable("dfs://bob1", "t")') == 60, "who may read the source restores it")


def what_the_server_keeps_for_itself_is_shut(node):
    data = node.data
    os.symlink(data + "/wal", data + "/files/link")
    shut = [f"{data}/pelorus.log", f"{data}/tls/key.pem", f"{data}/audit.log", f"{data}/LOCK", f"{data}/files/link/" + os.listdir(data + "/wal")[0], f"{data}/files/../audit.log",
            "/proc/self/mem", "/proc/self/environ", f"/proc/self/root{data}/audit.log", node.folder.name + "/node.cfg"]
    wal = [os.path.join(data, "wal", name) for name in os.listdir(data + "/wal")]
    check(wal and os.path.exists(data + "/audit.log") and os.path.exists(data + "/tls/key.pem"), "there is something to shut")
    with node.session("deputy", "secret-1") as deputy, node.admin() as admin:
        for session in (deputy, admin):
            for path in shut + wal:
                for script in ('loadText("{}")', 'file("{}")', 'readObject("{}")', 'file("{}", "a")', 'saveText(table(1 as a), "{}")', 'saveTextFile("x", "{}", true)'):
                    refused(session, script.format(path))
            for script in (f'rm("{data}/audit.log")', f'rmdir("{data}/wal", true)', f'rmdir("{data}", true)', f'rmdir("{os.path.dirname(data)}", true)',
                           f'files("{data}")', f'files("{data}/wal")', f'mkdir("{data}/made")', f'rm("{node.folder.name}/node.cfg")', f'run("{data}/audit.log")',
                           f'backupDB("{data}/wal", "dfs://src")'):
                refused(session, script)
        check(admin.run(f'size(files("{data}/files"))') > 0, "the folders of users are open")
        admin.run(f'saveText(table(1 as a), "{node.folder.name}/out.csv"); rm("{node.folder.name}/out.csv"); 0')
    os.remove(data + "/files/link")


def administrators_alone_clear_caches(node):
    with node.session("ann", "secret-1") as ann:
        for script in ("clearAllCache()", "clearCachedModules()"):
            check("Only administrators" in ann.refusal(script), script)


def a_wide_grant_tells_which_denials_it_takes_away(node):
    with node.admin() as admin:
        admin.run('if (!existsDatabase("dfs://w")) database("dfs://w", VALUE, 1..2).createPartitionedTable(table(1 as id), "t", "id")')
        admin.run('deny("ann", TABLE_READ, "dfs://w/t")')
        body = 'script\ngrant("ann", DB_READ, "dfs://w")'
        admin.stream.sendall(f"API2 {admin.id} {len(body)} / 0_1_4_64\n".encode() + body.encode())
        said = b""
        while b"OK\n" not in said:
            said += admin.stream.recv(65536)
        check(b"was denied for dfs://w/t" in said, said)


def a_locked_user_gets_in_by_no_ticket():
    node = Node(PROGRAM, "enhancedSecurityVerification=true")
    try:
        with node.admin() as admin:
            admin.run('createUser("eve", "Secret-12")')
            with node.session("eve", "Secret-12") as eve:
                ticket = eve.run("getAuthenticatedUserTicket()")
                admin.run('lockUser("eve")')
                check("locked" in eve.refusal("getAuthenticatedUserTicket()"), "no new ticket")
            with node.session() as guest:
                try:
                    guest.call("authenticateByTicket", ticket)
                    raise AssertionError("a locked user logged in by a ticket")
                except Refused as error:
                    check("locked" in str(error), str(error))
                admin.run('unlockUser("eve")')
                check(guest.call("authenticateByTicket", ticket) is True, "an unlocked one does")
    finally:
        node.remove()


def main():
    node = Node(PROGRAM)
    wanted = "".join(sys.argv[2:3])
    try:
        prepare(node)
        tests = [modules_are_written_by_a_right_of_their_own, a_module_that_a_user_loads_is_the_sessions_own, each_user_has_a_folder, shared_folders_are_granted,
                 restored_rows_are_those_of_their_table, what_the_server_keeps_for_itself_is_shut, administrators_alone_clear_caches,
                 a_wide_grant_tells_which_denials_it_takes_away]
        passed, failed = run_cases(tests, node, wanted=wanted)
        check(node.process.poll() is None, "the node has ended")
    finally:
        node.remove()
    ends = run_cases([a_locked_user_gets_in_by_no_ticket], wanted=wanted)
    return tally(passed + ends[0], failed + ends[1])


sys.exit(main())
