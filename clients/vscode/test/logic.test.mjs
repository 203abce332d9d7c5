// The extension's logic that needs no VS Code, and the program that it starts.
//
//   PELORUS=build/release/pelorus node --test clients/vscode/test/
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node.js";

const here = fileURLToPath(new URL(".", import.meta.url));
async function load(source) {
    const bundle = buildSync({ entryPoints: [join(here, "../src", source)], bundle: true, write: false, format: "esm", platform: "node" });
    return import(`data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].text).toString("base64")}`);
}
const { findProgram } = await load("find_program.ts");
const { statementAround, variableNameOf } = await load("statement.ts");
const { whyNoAddress, isFolderTaken, addressIn } = await load("target.ts");

test("the program is that of the setting, else the first of the PATH", () => {
    const folder = mkdtempSync(join(tmpdir(), "pelorus_find_"));
    const program = join(folder, "pelorus");
    writeFileSync(program, "#!/bin/sh\n");
    assert.throws(() => findProgram("", folder), /not in the PATH/);
    chmodSync(program, 0o755);
    assert.equal(findProgram("", ["/nowhere", folder].join(delimiter)), program);
    assert.equal(findProgram(program, ""), program);
    assert.throws(() => findProgram(folder, folder), /no program/);
    rmSync(folder, { recursive: true });
});

test("a file names the variable of its rows", () => {
    for (const [file, name] of [["/data/AAPL 2024.csv", "AAPL_2024"], ["C:\\a\\b.c.tsv", "b_c"], ["2024.csv", "t_2024"], ["(x).csv", "x"], [".csv", "t_"]]) assert.equal(variableNameOf(file), name);
});

test("the statement at the cursor has all lines that its brackets join", () => {
    const lines = ["x = 1", "def f(a,", "      b) {", '    return "}" + a // }', "}", "y = (1 + /* ( */", "", "  2)", "z"];
    const text = { lineCount: lines.length, lineAt: (i) => lines[i] };
    const around = (line) => Object.values(statementAround(text, line));
    assert.deepEqual(around(0), [0, 0]);
    for (const line of [1, 2, 3, 4]) assert.deepEqual(around(line), [1, 4]);
    for (const line of [5, 6, 7]) assert.deepEqual(around(line), [5, 7]);
    assert.deepEqual(around(8), [8, 8]);
});

test("addresses are checked, and found in messages", () => {
    assert.equal(whyNoAddress("127.0.0.1:8848"), undefined);
    assert.equal(whyNoAddress("[::1]:8848"), undefined);
    for (const wrong of ["", "host", "host:", ":1", "host:99999", "host:0", "a b:1"]) assert.ok(whyNoAddress(wrong), wrong);
    assert.equal(addressIn("it serves clients at 127.0.0.1:8848."), "127.0.0.1:8848");
    assert.equal(addressIn("process 17"), undefined);
});

function startServer() {
    const child = spawn(process.env.PELORUS ?? "build/release/pelorus", ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
    const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    connection.listen();
    const stop = () =>
        new Promise((resolve) => {
            child.once("exit", resolve);
            connection.dispose();
            child.stdin.end();
        });
    return { child, connection, stop };
}

test("the program runs scripts, answers pages, and cancels", async () => {
    const { connection, stop } = startServer();
    const printed = [];
    connection.onNotification("pelorus/output", ({ text }) => printed.push(text));
    await connection.sendRequest("pelorus/connect", { folder: "" });
    const answer = await connection.sendRequest("pelorus/run", { script: 'print "hello"\ntable(1..5 as a)', line: 0 });
    assert.deepEqual(printed, ["hello"]);
    assert.equal(answer.values[0].rows, 5);
    const page = await connection.sendRequest("pelorus/page", { handle: answer.values[0].handle, offset: 3, count: 9 });
    assert.deepEqual(page, { total: 5, rows: [["4"], ["5"]] });
    const running = connection.sendRequest("pelorus/run", { script: "do { sleep(10) } while (true)" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await connection.sendRequest("pelorus/cancel", {});
    assert.match((await running).error.message, /cancel/i);
    await stop();
});

test("a folder that another process has is refused in words that the extension knows", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pelorus_taken_"));
    const [first, second] = [startServer(), startServer()];
    await first.connection.sendRequest("pelorus/connect", { folder });
    await first.connection.sendRequest("pelorus/run", { script: 'database("dfs://x", VALUE, 1 2)' });
    await assert.rejects(second.connection.sendRequest("pelorus/connect", { folder }), (error) => isFolderTaken(error.message));
    await first.stop();
    await second.stop();
    rmSync(folder, { recursive: true });
});
