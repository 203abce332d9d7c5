#!/usr/bin/env python3
"""The public inspector of the Model Context Protocol (npm @modelcontextprotocol/inspector 2, on Node 22.19 or later), unmodified, from its command line: tools, calls,
resources and prompts of a folder by standard input and output, and of a node over HTTP. Skipped where npm has not installed it into
build/clients, or the folder in PELORUS_JAVASCRIPT_MODULES."""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
ROOT = HERE.parent.parent
PROGRAM = str(Path(sys.argv[1]).resolve())
MODULES = Path(os.environ.get("PELORUS_JAVASCRIPT_MODULES", ROOT / "build/clients/node_modules"))
INSPECTOR = MODULES / ".bin/mcp-inspector"
if not INSPECTOR.exists() or not shutil.which("node"):
    print("SKIPPED tests/clients/model_inspector_test.py (no @modelcontextprotocol/inspector)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

from cases import run_cases, tally  # noqa: E402
from doors_test import PASSWORD, Server  # noqa: E402

MAKE = """
db = database("dfs://desk", VALUE, 1..3)
trades = db.createPartitionedTable(table(1:0, `k`price, [INT, DOUBLE]), `trades, `k)
ok = trades.append!(table(1 2 3 as k, 1.5 2.5 3.5 as price))
def top(n) { return select top 1 price from loadTable("dfs://desk", `trades) where k <= n order by price desc }
addMCPTool("top", top, ["n"], ["integer"], "The highest price of the keys up to n.")
addMCPPrompt("ask", "What about ${this}?")
publishMCPTools(); publishMCPPrompts()
"""


def inspect(target, method, *arguments):
    """The inspector's answer: the result of the method, as JSON."""
    done = subprocess.run([str(INSPECTOR), "--cli", "--method", method, *arguments, *target], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PATH": f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}"})
    assert done.returncode == 0, f"{method}: {done.stdout} {done.stderr}"
    return json.loads(done.stdout)


def methods_of(target):
    tools = {tool["name"]: tool for tool in inspect(target, "tools/list", "--strict")["tools"]}
    assert set(tools) == {"databases", "describe", "query", "explain", "help", "examples", "top"}, tools
    assert tools["top"]["inputSchema"]["properties"]["n"]["type"] == "integer", tools["top"]
    rows = inspect(target, "tools/call", "--tool-name", "query", "--tool-arg", 'query=select sum(price) as s from loadTable("dfs://desk", "trades")')
    assert rows["structuredContent"]["rows"] == [[7.5]], rows
    own = inspect(target, "tools/call", "--tool-name", "top", "--tool-arg", "n=2")
    assert own["structuredContent"]["rows"] == [[2.5]], own
    resources = inspect(target, "resources/list")["resources"]
    assert [resource["uri"] for resource in resources] == ["pelorus://desk/trades"], resources
    read = inspect(target, "resources/read", "--uri", "pelorus://desk/trades")
    assert "price" in read["contents"][0]["text"], read
    assert {prompt["name"] for prompt in inspect(target, "prompts/list")["prompts"]} == {"explore", "answer", "ask"}
    prompt = inspect(target, "prompts/get", "--prompt-name", "ask", "--prompt-args", "this=it")
    assert prompt["messages"][0]["content"]["text"] == "What about it?", prompt
    assert inspect(target, "resources/templates/list")["resourceTemplates"]


def script_file(folder):
    file = Path(folder, "make.dos")
    file.write_text(MAKE)
    return str(file)


def a_folder_by_standard_input():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, "run", "--data", folder + "/data", script_file(folder)], check=True, capture_output=True, timeout=60)
        methods_of(["--", PROGRAM, "mcp", "--data", folder + "/data"])


def a_node_over_http():
    server = Server()
    try:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "run", "--connect", f"127.0.0.1:{server.port}", script_file(folder)], check=True, capture_output=True, timeout=60,
                           env={**os.environ, "PELORUS_USER": "admin", "PELORUS_PASSWORD": PASSWORD})
        login = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
        methods_of(["--transport", "http", "--header", f"Authorization: Basic {login}", "--", f"http://127.0.0.1:{server.port}/mcp"])
    finally:
        server.stop()


def main():
    return tally(*run_cases([a_folder_by_standard_input, a_node_over_http]))


if __name__ == "__main__":
    sys.exit(main())
