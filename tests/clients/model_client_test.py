#!/usr/bin/env python3
"""The public Python client of the Model Context Protocol, unmodified: over standard input and output with a folder, through `pelorus mcp --connect`
with a node, and over HTTP with a ticket. Ten questions about a database are answered by the tools alone."""
import asyncio
import base64
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

try:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
except ImportError:
    print("SKIPPED tests/clients/model_client_test.py (no mcp: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
from doors_test import PASSWORD, Server  # noqa: E402

PROGRAM = str(Path(sys.argv[1]).resolve())
MAKE = """
db = database("dfs://desk", VALUE, 2024.01.01..2024.01.05)
trades = table(2024.01.01 + 0..999 % 5 as day, take(`A`B`C, 1000) as sym, 0..999 % 7 + 10.0 as price, 0..999 % 11 + 1 as qty)
db.createPartitionedTable(trades, `trades, `day).append!(trades)
db.createTable(table(`A`B`C as sym, `Alpha`Beta`Gamma as name), `names).append!(table(`A`B`C as sym, `Alpha`Beta`Gamma as name))
"""
TRADES = 'loadTable("dfs://desk", "trades")'


async def ten_questions(session):
    """What is there, what does it look like, what does the language have, and seven questions of rows."""
    listed = (await session.call_tool("databases", {})).structured_content
    assert listed["databases"] == [{"database": "dfs://desk", "tables": ["names", "trades"]}], listed
    described = (await session.call_tool("describe", {"database": "dfs://desk", "table": "trades"})).structured_content
    assert [column["name"] for column in described["columns"]] == ["day", "sym", "price", "qty"], described
    assert described["partitionColumns"] == ["day"], described
    assert "wavg" in (await session.call_tool("help", {"name": "weighted"})).content[0].text
    questions = {
        f"select count(*) as n from {TRADES}": [[1000]],
        f"select count(*) as n from {TRADES} where day = 2024.01.03": [[200]],
        f"select sum(qty) as q from {TRADES} where sym = `A": [[sum(i % 11 + 1 for i in range(0, 1000, 3))]],
        f"select max(price) as p from {TRADES} group by sym order by sym": [["A", 16.0], ["B", 16.0], ["C", 16.0]],
        f"select top 1 day from {TRADES} order by price desc, day": [["2024.01.01"]],
        f'select name, n from (select count(*) as n from {TRADES} group by sym) t, loadTable("dfs://desk", "names") s where t.sym = s.sym order by n desc, name':
            [["Alpha", 334], ["Beta", 333], ["Gamma", 333]],
        f"select wavg(price, qty) > 12 as above from {TRADES}": [[True]],
    }
    for query, rows in questions.items():
        answer = await session.call_tool("query", {"query": query})
        assert not answer.is_error and answer.structured_content["rows"] == rows, f"{query}: {answer}"
    refused = await session.call_tool("query", {"query": f"delete from {TRADES}"})
    assert refused.is_error, refused
    assert "1 of 5 partitions" in (await session.call_tool("explain", {"query": f"select * from {TRADES} where day = 2024.01.02"})).content[0].text


async def whole(read, write):
    async with ClientSession(read, write) as session:
        await session.initialize()
        assert {tool.name for tool in (await session.list_tools()).tools} >= {"query", "describe"}
        await ten_questions(session)
        uris = [str(resource.uri) for resource in (await session.list_resources()).resources]
        assert "pelorus://desk/trades" in uris, uris
        assert "partitionColumns" in (await session.read_resource("pelorus://desk/trades")).contents[0].text
        prompts = (await session.list_prompts()).prompts
        message = (await session.get_prompt(prompts[0].name, {prompts[0].arguments[0].name: "dfs://desk"})).messages[0]
        assert "dfs://desk" in message.content.text


async def over_pipes(arguments, environment=None):
    parameters = StdioServerParameters(command=PROGRAM, args=["mcp", *arguments], env={**os.environ, **(environment or {})})
    async with stdio_client(parameters) as (read, write):
        await whole(read, write)


async def over_http(port, authorization):
    async with create_mcp_http_client(headers={"Authorization": authorization}) as http:
        async with streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http) as (read, write, *_):
            await whole(read, write)


def a_folder_by_standard_input():
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "make.dos")
        script.write_text(MAKE)
        assert os.spawnl(os.P_WAIT, PROGRAM, PROGRAM, "run", "--data", folder + "/data", str(script)) == 0
        asyncio.run(over_pipes(["--data", folder + "/data"]))


def with_node(work):
    server = Server()
    try:
        script_on(server, MAKE)
        work(server)
    finally:
        server.stop()


def script_on(server, text):
    """What a script prints that the console runs on the node."""
    with tempfile.NamedTemporaryFile("w", suffix=".dos") as script:
        script.write(text)
        script.flush()
        done = subprocess.run([PROGRAM, "run", "--connect", f"127.0.0.1:{server.port}", script.name], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PELORUS_USER": "admin", "PELORUS_PASSWORD": PASSWORD})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def a_node_through_the_command():
    with_node(lambda server: asyncio.run(
        over_pipes(["--connect", f"127.0.0.1:{server.port}"], {"PELORUS_USER": "admin", "PELORUS_PASSWORD": PASSWORD})))


def a_node_over_http():
    def work(server):
        asyncio.run(over_http(server.port, "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode()))
        asyncio.run(over_http(server.port, "Bearer " + script_on(server, "print(getAuthenticatedUserTicket())")))
    with_node(work)


def main():
    passed = failed = 0
    for case in (a_folder_by_standard_input, a_node_through_the_command, a_node_over_http):
        try:
            case()
            passed += 1
        except Exception:
            failed += 1
            print(f"FAILED {case.__name__}")
            traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
