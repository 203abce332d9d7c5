#!/usr/bin/env python3
"""`pelorus lsp` as an editor meets it: what it offers, tells, finds and changes at a place of a script.

    tests/editor/language_server_test.py [PELORUS]"""
import json
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lsp_client import LspClient, RequestFailed, applied, position_of  # noqa: E402

PELORUS = sys.argv[1] if len(sys.argv) > 1 else "build/release/pelorus"
TRADES = "t = table(1..3 as id, `a`b`c as sym, 1.5 2.5 3.5 as price)\n"
CASES = []


def case(function):
    CASES.append(function)
    return function


class Editor:
    """One server, and a new document for each question."""

    def __init__(self, client):
        self.client, self.count = client, 0

    def uri(self):
        self.count += 1
        return f"file:///editor/{self.count}.dos"

    def at(self, method, marked, **more):
        parameters = self.client.open_marked(self.uri(), marked)
        return self.client.request("textDocument/" + method, {**parameters, **more})

    def offered(self, marked):
        return [item["label"] for item in self.at("completion", marked)["items"]]

    def hover(self, marked):
        found = self.at("hover", marked)
        return found["contents"]["value"] if found else ""

    def diagnosed(self, text):
        uri = self.uri()
        self.client.open(uri, text)
        return uri, self.client.wait_diagnostics(uri)


# ---- completion

@case
def functions_are_offered_with_signatures(e):
    items = e.at("completion", "x = mav|")["items"]
    mavg = next(item for item in items if item["label"] == "mavg")
    assert mavg["detail"].startswith("mavg(X, window"), mavg
    resolved = e.client.request("completionItem/resolve", mavg)
    assert "window" in resolved["documentation"]["value"], resolved


@case
def columns_follow_the_name_of_a_table(e):
    assert e.offered(TRADES + "t.|")[:3] == ["id", "price", "sym"]
    assert e.offered(TRADES + "t.pr|")[0] == "price"


@case
def columns_are_offered_in_queries_before_and_after_from(e):
    assert "price" in e.offered(TRADES + "select pr| from t")
    assert "price" in e.offered(TRADES + "select * from t where pr|")
    assert "price" in e.offered(TRADES + "r = select sym, avg(price)\n    from t\n    where pr|")


@case
def columns_of_a_query_are_those_of_its_select_list(e):
    script = TRADES + "r = select sum(price) as total, count(*) from t group by sym\nr.|"
    assert e.offered(script)[:3] == ["count", "sym", "total"], e.offered(script)[:5]


@case
def an_earlier_query_does_not_spill_into_the_next_statement(e):
    offered = e.offered(TRADES + "r = select id from t\ndef f() {\n    select price from t\n    y = pric|\n}\n")
    assert "price" not in offered, offered


@case
def variables_and_parameters_are_offered_where_they_are_visible(e):
    script = "outside = 1\ndef f(first, second) {\n    inside = 1\n    return RESULT\n}\n"
    offered = e.offered(script.replace("RESULT", "fir|"))
    assert "first" in offered, offered
    assert "inside" in e.offered(script.replace("RESULT", "ins|"))
    assert "outside" not in e.offered(script.replace("RESULT", "outs|"))
    assert "inside" not in e.offered(script.replace("RESULT", "1") + "ins|")


@case
def parameters_are_offered_by_name(e):
    assert e.offered("def f(first, second=2) { return first }\nf(1, sec|)")[0] == "second="


@case
def keys_and_members_are_offered(e):
    assert e.offered("d = {alpha: 1, beta: 2}\nd.|")[:2] == ["alpha", "beta"]
    script = "class Point {\n    x :: INT\n    def Point(a) {\n        x = a\n    }\n    def twice() {\n        return x * 2\n    }\n}\np = Point(1)\np.|"
    assert set(e.offered(script)[:2]) == {"x", "twice"}, e.offered(script)[:4]


@case
def databases_and_their_tables_are_offered(e):
    schema = ("db = database(\"dfs://stock\", VALUE, 1..3)\nschema = table(1:0, `id`price, [INT, DOUBLE])\n"
              "db.createPartitionedTable(schema, `trades, `id)\n")
    assert "dfs://stock" in e.offered(schema + 'x = "dfs://|')
    assert "trades" in e.offered(schema + 'x = loadTable("dfs://stock", "|')
    assert "price" in e.offered(schema + 'x = loadTable("dfs://stock", "trades")\nx.|')


@case
def keywords_are_offered(e):
    assert "return" in e.offered("def f() {\n    ret|\n}\n")
    assert "context" in e.offered(TRADES + "select * from t cont|")


@case
def completion_works_in_a_broken_statement(e):
    assert "price" in e.offered(TRADES + "x = f(select sum(pr| from t\ny = 1\n")
    assert "values" in e.offered("values = 1\nif (val|")


# ---- hover, signatures

@case
def hover_shows_the_documentation_of_built_in_functions(e):
    assert "mavg(X, window" in e.hover("x = ma|vg(1 2 3, 2)")


@case
def hover_shows_signature_and_comment_of_own_functions(e):
    told = e.hover("// Middle of two numbers.\ndef mid(a, b=1) {\n    return (a + b) / 2\n}\nm|id(1)")
    assert "def mid(a, [b=1])" in told and "Middle of two numbers." in told, told


@case
def hover_shows_the_columns_of_a_table(e):
    assert "`price`" in e.hover(TRADES + "select * from |t")


@case
def hover_over_nothing_tells_nothing(e):
    assert e.at("hover", "x = 1 |  + 2") is None
    assert e.at("hover", "|") is None


@case
def signature_help_marks_the_argument(e):
    help_ = e.at("signatureHelp", "x = mavg(1 2 3, |")
    assert help_["activeParameter"] == 1
    signature = help_["signatures"][0]
    begin, end = signature["parameters"][1]["label"]
    assert signature["label"][begin:end] == "window", signature
    assert e.at("signatureHelp", "def own(alpha, beta) { return alpha }\nown(1, |)")["signatures"][0]["label"] == "own(alpha, beta)"
    assert e.at("signatureHelp", "x = 1 + |") is None


@case
def signature_help_counts_the_object_of_a_method(e):
    assert e.at("signatureHelp", "v = 1 2 3\nv.mavg(|)")["activeParameter"] == 1


# ---- diagnostics

@case
def every_statement_with_an_error_is_reported(e):
    _, found = e.diagnosed("x = = 1\ny = 2\nz = f(1,, ]\nif x { }\nw = 3\n")
    lines = [d["range"]["start"]["line"] for d in found if d["severity"] == 1]
    assert lines == [0, 2, 3], found


@case
def an_error_in_a_function_leaves_the_rest_of_it_known(e):
    script = "def f(a) {\n    good = 1\n    bad = ]\n    return go|od\n}\n"
    assert e.at("definition", script)["range"]["start"] == {"line": 1, "character": 4}


@case
def a_correct_script_has_no_diagnostics(e):
    _, found = e.diagnosed(TRADES + "def f(x) {\n    return x + 1\n}\nf(2)\nselect sum(price) as s from t group by sym order by s desc\n")
    assert found == [], found


@case
def unknown_functions_are_reported_with_the_near_names(e):
    uri, found = e.diagnosed("x = sqrtt(4)\n")
    assert len(found) == 1 and found[0]["severity"] == 2 and "sqrtt" in found[0]["message"], found
    actions = e.client.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": found[0]["range"], "context": {"diagnostics": found}})
    assert actions and actions[0]["edit"]["changes"][uri][0]["newText"], actions


@case
def names_that_a_function_cannot_see_are_reported(e):
    _, found = e.diagnosed("outside = 1\ndef f() {\n    return outside\n}\n")
    assert len(found) == 1 and found[0]["range"]["start"] == {"line": 2, "character": 11}, found


@case
def columns_shared_tables_and_methods_are_not_unknown(e):
    _, found = e.diagnosed("share table(1 2 as id) as pool\ndef f(tab) {\n    x = select qty * 2 from tab where side = `B\n    pool.append!(tab)\n"
                           "    m = <price * 2>\n    return x.reorder()\n}\n")
    assert found == [], found


@case
def diagnostics_follow_edits(e):
    uri, found = e.diagnosed("x = (1\n")
    assert found
    e.client.change(uri, [{"range": {"start": {"line": 0, "character": 6}, "end": {"line": 0, "character": 6}}, "text": ")"}])
    assert e.client.wait_diagnostics(uri) == []


@case
def remedies_mend_the_error(e):
    for text in ["x = f(1, (2)\n", "if (x = 1) { y = 2 }\n", "x = \"abc\n", "def f() {\n    return 1\n"]:
        uri, found = e.diagnosed(text)
        errors = [d for d in found if d["severity"] == 1]
        actions = e.client.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": errors[0]["range"], "context": {"diagnostics": errors}})
        assert actions, (text, found)
        mended = applied(text, actions[0]["edit"]["changes"][uri])
        _, after = e.diagnosed(mended)
        assert not [d for d in after if d["severity"] == 1], (text, mended, after)


# ---- navigation

@case
def definition_finds_functions_variables_and_parameters(e):
    assert e.at("definition", "def f(x) { return x }\ny = f|(1)")["range"]["start"] == {"line": 0, "character": 4}
    assert e.at("definition", "def f(x) {\n    return |x\n}")["range"]["start"] == {"line": 0, "character": 6}
    assert e.at("definition", "a = 1\nb = |a + 1")["range"]["start"] == {"line": 0, "character": 0}
    assert e.at("definition", "x = |avg(1 2)") is None


@case
def references_keep_names_of_functions_apart(e):
    script = "def f(x) { y = x\n return y }\ndef g(x) { return x|  }\nx = 1\n"
    found = e.at("references", script, context={"includeDeclaration": True})
    assert [(r["range"]["start"]["line"], r["range"]["start"]["character"]) for r in found] == [(2, 6), (2, 18)], found


@case
def rename_changes_every_place_and_nothing_else(e):
    marked = "total = 1\ndef f(total) { return total }\ntotal += 2\ns = \"total\" // total\nprint(tot|al)\n"
    text = marked.replace("|", "")
    parameters = e.client.open_marked(uri := e.uri(), marked)
    edit = e.client.request("textDocument/rename", {**parameters, "newName": "amount"})
    assert applied(text, edit["changes"][uri]) == "amount = 1\ndef f(total) { return total }\namount += 2\ns = \"total\" // total\nprint(amount)\n"


@case
def rename_refuses_taken_and_wrong_names(e):
    parameters = e.client.open_marked(e.uri(), "a = 1\nb = 2\nc = a| + b\n")
    for name in ["b", "1x", "select", "", "a b", "a::b"]:
        try:
            e.client.request("textDocument/rename", {**parameters, "newName": name})
            raise AssertionError(name + " was taken")
        except RequestFailed as refused:
            assert refused.code == -32803, refused


@case
def built_in_functions_cannot_be_renamed(e):
    parameters = e.client.open_marked(e.uri(), "x = a|vg(1 2)")
    try:
        e.client.request("textDocument/prepareRename", parameters)
        raise AssertionError("it can")
    except RequestFailed:
        pass


@case
def highlights_tell_writes_from_reads(e):
    found = e.at("documentHighlight", "a = 1\nb = a| + a\n")
    assert [h["kind"] for h in found] == [3, 2, 2], found


# ---- outline, folding, colours

@case
def the_outline_has_functions_classes_and_variables(e):
    uri = e.uri()
    e.client.open(uri, "class P {\n    x :: INT\n    def P(a) {\n        x = a\n    }\n}\ndef f(a, b) {\n    y = a\n    return y\n}\nz = 1\n")
    found = e.client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert [s["name"] for s in found] == ["P", "f", "z"], found
    assert found[1]["detail"] == "f(a, b)" and found[1]["range"]["end"]["line"] == 9
    assert [s["name"] for s in found[0]["children"]] == ["P"]


@case
def blocks_and_comments_fold(e):
    uri = e.uri()
    e.client.open(uri, "/* a\n b */\n// c\n// d\ndef f() {\n    x = [1,\n        2]\n    return x\n}\n")
    found = e.client.request("textDocument/foldingRange", {"textDocument": {"uri": uri}})
    assert sorted((r["startLine"], r["endLine"]) for r in found) == [(0, 1), (2, 3), (4, 7)], found


@case
def colours_come_by_meaning(e):
    uri = e.uri()
    text = "def f(a) { return a + 1.5 } // c\nx = f(avg(1 2))\n"
    e.client.open(uri, text)
    data = e.client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})["data"]
    kinds = e.client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    line = character = 0
    named = []
    for i in range(0, len(data), 5):
        line += data[i]
        character = data[i + 1] + (0 if data[i] else character)
        named.append((text.split("\n")[line][character:character + data[i + 2]], kinds[data[i + 3]]))
    for wanted in [("def", "keyword"), ("f", "function"), ("a", "parameter"), ("1.5", "number"), ("// c", "comment"), ("x", "variable"), ("avg", "function")]:
        assert wanted in named, (wanted, named)


# ---- formatter

@case
def formatting_sends_only_the_lines_that_change(e):
    text = "x = 1\ndef f(a){\nreturn a\n}\ny = 2\n"
    uri = e.uri()
    e.client.open(uri, text)
    options = {"tabSize": 2, "insertSpaces": True}
    edits = e.client.request("textDocument/formatting", {"textDocument": {"uri": uri}, "options": options})
    assert {edit["range"]["start"]["line"] for edit in edits} == {1, 2}, edits
    assert applied(text, edits) == "x = 1\ndef f(a) {\n  return a\n}\ny = 2\n"


@case
def what_does_not_parse_is_not_formatted(e):
    uri = e.uri()
    e.client.open(uri, "x = (\n")
    try:
        e.client.request("textDocument/formatting", {"textDocument": {"uri": uri}, "options": {"tabSize": 4, "insertSpaces": True}})
        raise AssertionError("it was")
    except RequestFailed as refused:
        assert "not formatted" in str(refused)


# ---- modules

@case
def modules_of_the_workspace_are_known(e):
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder, "modules/stats/basic.dos")
        module.parent.mkdir(parents=True)
        module.write_text("module stats::basic\n\n// Twice a number.\ndef twice(x) { return x * 2 }\ndef four(x) { return twice(twice(x)) }\n")
        client = LspClient(PELORUS, folder)
        user = Editor(client)
        assert user.offered("use stats|") == ["stats::basic"]
        script = "use stats::basic\ny = twi|ce(2) + stats::basic::twice(3)\n"
        assert "Twice a number." in user.hover(script)
        found = user.at("definition", script)
        assert found["uri"] == module.resolve().as_uri() and found["range"]["start"] == {"line": 3, "character": 4}, found
        assert "twice" in user.offered("use stats::basic\nz = tw|")
        uri, diagnosed = user.diagnosed("use stats::basic\nz = twice(1)\n")
        assert diagnosed == [], diagnosed
        parameters = client.open_marked(uri := user.uri(), script)
        edit = client.request("textDocument/rename", {**parameters, "newName": "double2"})
        assert applied(script.replace("|", ""), edit["changes"][uri]) == "use stats::basic\ny = double2(2) + stats::basic::double2(3)\n"
        assert len(edit["changes"][module.resolve().as_uri()]) == 3, edit
        assert [s["name"] for s in client.request("workspace/symbol", {"query": "fou"})] == ["four"]
        assert client.close() == 0


# ---- protocol

@case
def utf16_is_spoken_to_those_who_know_nothing_else(_):
    client = LspClient(PELORUS, encodings=("utf-16",))
    assert client.capabilities["positionEncoding"] == "utf-16"
    client.open("file:///u.dos", "s = \"\U0001F600\"; value = 1; x = value\n")
    found = client.request("textDocument/definition", {"textDocument": {"uri": "file:///u.dos"}, "position": {"line": 0, "character": 27}})
    assert found["range"] == {"start": {"line": 0, "character": 10}, "end": {"line": 0, "character": 15}}, found
    client.change("file:///u.dos", [{"range": found["range"], "text": "amount"}])
    found = client.request("textDocument/hover", {"textDocument": {"uri": "file:///u.dos"}, "position": {"line": 0, "character": 11}})
    assert "amount" in found["contents"]["value"]
    assert client.close() == 0


@case
def wrong_messages_are_answered_and_survived(e):
    client = LspClient(PELORUS, initialize=False)
    try:
        client.request("textDocument/hover", {})
        raise AssertionError("it was answered")
    except RequestFailed as refused:
        assert refused.code == -32002
    client.request("initialize", {"capabilities": {}})
    for body in [b"{", b"[]", b"1", b'{"id": 7}', b'{"jsonrpc": "2.0", "id": 8, "method": 3}', b'"\xff"', b"[" * 100000]:
        client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert client.receive()["error"]["code"] in (-32700, -32600)
    hostile = [None, [], 1, "x", {"textDocument": 1}, {"textDocument": {"uri": 5}}, {"textDocument": {"uri": "file:///none.dos"}}]
    place = {"textDocument": {"uri": "file:///a.dos"}, "position": {"line": -5, "character": 1e300}}
    client.open("file:///a.dos", "x = 1\n")
    methods = [name for name in ("completion", "hover", "signatureHelp", "definition", "references", "documentHighlight", "documentSymbol", "codeAction",
                                 "formatting", "rangeFormatting", "prepareRename", "rename", "foldingRange", "semanticTokens/full", "semanticTokens/range")]
    for parameters in hostile + [place, {**place, "position": {"line": 2 ** 62, "character": 2 ** 62}, "newName": 1, "context": 4, "range": []}]:
        for method in methods:
            try:
                client.request("textDocument/" + method, parameters)
            except RequestFailed as refused:
                assert refused.code in (-32602, -32803), (method, parameters, refused)
    for notice in ("didOpen", "didChange", "didClose"):
        for parameters in hostile:
            client.notify("textDocument/" + notice, parameters)
    try:
        client.request("textDocument/unknown", {})
        raise AssertionError("it was answered")
    except RequestFailed as refused:
        assert refused.code == -32601
    assert client.close() == 0


@case
def a_cancelled_request_is_not_computed(e):
    client = LspClient(PELORUS)
    client.open("file:///a.dos", "x = 1\n")
    parts = []
    for message in [{"id": 50, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///a.dos"}, "position": {"line": 0, "character": 0}}},
                    {"method": "$/cancelRequest", "params": {"id": 50}}]:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        parts.append(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    client.send_bytes(b"".join(parts))
    try:
        client.answer(50)
    except RequestFailed as refused:
        assert refused.code == -32800
    assert client.close() == 0


@case
def the_server_ends_with_its_editor(_):
    client = LspClient(PELORUS)
    client.process.stdin.close()
    assert client.process.wait(20) == 1
    client.process.stdout.close()
    for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n", b"x" * 20000):
        client = LspClient(PELORUS)
        client.send_bytes(garbage)
        assert client.ended() == 1
    client = LspClient(PELORUS)
    client.notify("exit", None)
    assert client.ended() == 1


def main():
    client = LspClient(PELORUS)
    editor = Editor(client)
    failed = 0
    for function in CASES:
        try:
            function(editor)
        except Exception:
            failed += 1
            print(f"FAILED {function.__name__.replace('_', ' ')}")
            traceback.print_exc(file=sys.stdout)
            if client.process.poll() is not None:
                client = LspClient(PELORUS)
                editor = Editor(client)
    failed += client.close() != 0
    print(f"{len(CASES) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
