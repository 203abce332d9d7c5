#!/usr/bin/env python3
"""Every built-in function as a guest, as a user without rights and as a user with one right, over the native protocol,
the JSON interface and WebSocket: only what is open, and what is granted."""
import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from node import Node, json_call  # noqa: E402

# Whoever adds a function to one of these lists has thought about it. Clients call the first ones before they log in.
OPEN = """authenticateBySession authenticateByTicket getClusterPerf getConfig getConfigure getControllerAlias getCurrentSessionAndUser
getDynamicPublicKey getNodeAlias getNodeType getRequiredAPIVersion isClientAuth isNodeInitialized license loadClusterNodesConfigs login logout
scramClientFinal scramClientFirst version""".split()
ADMIN = """addGroupMember addMarketHoliday clearAllCache clearCachedModules copyReplicas createGroup createUser deleteGroup deleteGroupMember deleteMarketHoliday deleteReplicas deleteUser disableQueryMonitor enableQueryMonitor enableTDEKey generateUserTicket getAclAuditLog
getAuditLog getClusterTDEKeys getCompletedQueries getCurrentTDEKeyVersion getDynamicConfig getEnv getExecDir getGroupAccess getGroupList getGroupsByUserId getServerLog getServerLogLength getUserList getUserLockedStatus getUserPasswordStatus
getUsersByGroupId getWorkDir lockUser moveReplicas resetPwd rotateTDEKey setDynamicConfig setLogLevel setMaxJobParallelism setMaxJobPriority setMaxMemSize setMemLimitOfQueryResult setSessionExpiredTime shell unlockUser
updateMarketHoliday odbc::append odbc::close odbc::connect odbc::execute odbc::query""".split()
# They end the session, or wait.
LEFT_OUT = {"logout", "sleep", "closeSessions", "undef", "clearAllCache", "login"}

LOGIN = "Login is required"
ADMINISTRATORS = "Only administrators"


def call(name):
    return f"function\n{name}\n0\n1"


def script(text):
    return "script\n" + text


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def functions(node):
    with node.admin() as admin:
        names = admin.run('concat((exec name from defs() where userDefined == false), ",")').split(",")
    return [n for n in names if n and n[0].isalpha()]


def guests_reach_open_functions_only(node, names):
    guest = node.session()
    for name in names:
        for protocol in ("native", "json"):
            if protocol == "native":
                said = guest.outcome(call(name))
            else:
                worked, said, _ = json_call(node, name)
                said = "done" if worked else said
            is_refused = LOGIN in said
            check(is_refused == (name not in OPEN), f"{name} as a guest over {protocol}: {said}")
    check(LOGIN in guest.outcome(script("1+1")), "a guest runs no script")
    check(LOGIN in guest.outcome(call("string{getCurrentSessionAndUser()[0]}")), "an expression is no open function")
    check(not json_call(node, "", script="1+1")[0], "a guest runs no script by JSON")
    guest.close()


def users_reach_no_administrators_functions(node, names, user):
    for protocol in ("native", "json", "script"):
        with node.session(user, "secret-1") as session:
            opened, said, json_session = json_call(node, "login", user, "secret-1")
            check(opened, said)
            for name in names:
                if name in LEFT_OUT:
                    continue
                if protocol == "json":
                    worked, said, _ = json_call(node, name, session=json_session)
                    said = "done" if worked else said
                else:
                    said = session.outcome(call(name) if protocol == "native" else script(f"{name}(); 1"))
                check((ADMINISTRATORS in said) == (name in ADMIN), f"{name} as {user} over {protocol}: {said}")


def users_reach_them_by_no_detour(node):
    with node.session("plain", "secret-1") as session:
        for detour in ('f = createUser; f("x1", "secret-2")', 'call(createUser, "x1", "secret-2")', 'each(createUser{, "secret-2"}, ["x1"])',
                       'funcByName("createUser")("x1", "secret-2")', '<createUser("x1", "secret-2")>.eval()', 'parseExpr("createUser(\'x1\', \'secret-2\')").eval()',
                       'peach(createUser{, "secret-2"}, ["x1", "x2"])', 'unifiedCall(createUser, ("x1", "secret-2"))', 'select createUser(name, "secret-2") from table(["x1"] as name)',
                       'j = submitJob("a", "a", createUser{"x1", "secret-2"}); getJobReturn(j, true)',
                       'runScript("createUser(\'x1\', \'secret-2\')")', 'ploop(createUser{, "secret-2"}, ["x1"])', 'x = xdb("localhost", getNodePort(), "plain", "secret-1"); x(createUser{"x1", "secret-2"})',
                       'rpc(getNodeAlias(), createUser, "x1", "secret-2")'):
            said = session.outcome(script(detour))
            check(said != "done", f"{detour} worked")
    with node.admin() as admin:
        check(admin.run('"x1" in getUserList() || "x2" in getUserList()') is False, "a detour made a user")


def over_web_socket(node, names):
    try:
        from websockets.sync.client import connect
    except ImportError:
        print("SKIPPED websockets: it is not installed")
        return False
    with connect(f"ws://127.0.0.1:{node.port}/", compression=None, max_size=None) as socket:
        for name in names:
            body = f"function\n{name}\n0\n1"
            socket.send(f"API2 0 {len(body)} / 0_1_4_2\n{body}".encode())
            answer = socket.recv()
            said = (answer if isinstance(answer, bytes) else answer.encode()).split(b"\n")[1].decode(errors="replace")
            if name != "logout":
                check((LOGIN in said) == (name not in OPEN), f"{name} as a guest over WebSocket: {said}")
    return True


def main():
    node = Node(sys.argv[1])
    passed = failed = skipped = 0
    try:
        with node.admin() as admin:
            admin.run('createUser("plain", "secret-1"); createUser("one", "secret-1"); grant("one", TABLE_READ, "*")')
        names = functions(node)
        check(len(names) > 1000, f"{len(names)} functions only")
        missing = [n for n in OPEN + ADMIN if n not in names]
        for what in (lambda: check(not missing, f"there is no {missing}"), lambda: guests_reach_open_functions_only(node, names),
                     lambda: over_web_socket(node, names), lambda: users_reach_no_administrators_functions(node, names, "plain"),
                     lambda: users_reach_no_administrators_functions(node, names, "one"), lambda: users_reach_them_by_no_detour(node)):
            try:
                skipped += what() is False
                passed += 1
            except Exception:  # noqa: BLE001
                traceback.print_exc()
                failed += 1
    finally:
        node.remove()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


main()
