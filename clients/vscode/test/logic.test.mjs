// The extension's logic that needs no VS Code, and the program that it starts.
//
//   PELORUS=build/release/pelorus node --test clients/vscode/test/
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node.js";

const here = fileURLToPath(new URL(".", import.meta.url));
// `vscode`: what stands in for the API of VS Code.
async function load(source, vscode) {
    const bundle = buildSync({
        entryPoints: [join(here, "../src", source)],
        bundle: true,
        write: false,
        format: "cjs",
        platform: "node",
        external: ["vscode"],
    });
    const module = { exports: {} };
    const require = createRequire(import.meta.url);
    new Function("module", "exports", "require", bundle.outputFiles[0].text)(module, module.exports, (name) =>
        name === "vscode" ? vscode : require(name),
    );
    return module.exports;
}
const { findProgram } = await load("find_program.ts");
const { statementAround, variableNameOf } = await load("../../web/view/statement.ts");
const { bytesText } = await load("../../web/view/texts.ts");
const { connectDebugger } = await load("node_socket.ts");
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
    for (const [file, name] of [
        ["/data/AAPL 2024.csv", "AAPL_2024"],
        ["C:\\a\\b.c.tsv", "b_c"],
        ["2024.csv", "t_2024"],
        ["(x).csv", "x"],
        [".csv", "t_"],
    ])
        assert.equal(variableNameOf(file), name);
});

test("the statement at the cursor has all lines that its brackets join", () => {
    const lines = [
        "x = 1",
        "def f(a,",
        "      b) {",
        '    return "}" + a // }',
        "}",
        "y = (1 + /* ( */",
        "",
        "  2)",
        "z",
    ];
    const text = { lineCount: lines.length, lineAt: (i) => lines[i] };
    const around = (line) => Object.values(statementAround(text, line));
    assert.deepEqual(around(0), [0, 0]);
    for (const line of [1, 2, 3, 4]) assert.deepEqual(around(line), [1, 4]);
    for (const line of [5, 6, 7]) assert.deepEqual(around(line), [5, 7]);
    assert.deepEqual(around(8), [8, 8]);
});

test("sizes are told in the unit that fits", () => {
    assert.equal(bytesText(0), "0 B");
    assert.equal(bytesText(1023), "1023 B");
    assert.equal(bytesText(1536), "1.5 KB");
    assert.equal(bytesText(2 ** 60), "1024.0 PB");
});

test("addresses are checked, and found in messages", () => {
    assert.equal(whyNoAddress("127.0.0.1:8848"), undefined);
    assert.equal(whyNoAddress("[::1]:8848"), undefined);
    for (const wrong of ["", "host", "host:", ":1", "host:99999", "host:0", "a b:1"])
        assert.ok(whyNoAddress(wrong), wrong);
    assert.equal(addressIn("it serves clients at 127.0.0.1:8848."), "127.0.0.1:8848");
    assert.equal(addressIn("process 17"), undefined);
});

function startServer() {
    const child = spawn(process.env.PELORUS ?? "build/release/pelorus", ["lsp"], {
        stdio: ["pipe", "pipe", "inherit"],
    });
    const connection = createMessageConnection(
        new StreamMessageReader(child.stdout),
        new StreamMessageWriter(child.stdin),
    );
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

// Debugs a script to its end by a carrier of messages; returns the reasons of its stops, the variable x at them, and what it printed.
async function debugged(carrier, script, line) {
    const { session } = await carrier.request("dap/start", {});
    const waiting = new Map();
    const seen = { stops: [], printed: "" };
    let last = 0;
    const ask = (command, args = {}) =>
        new Promise((resolve, reject) => {
            waiting.set(++last, (answer) =>
                answer.success ? resolve(answer.body) : reject(new Error(answer.message)),
            );
            carrier
                .request("dap/message", { session, message: { seq: last, type: "request", command, arguments: args } })
                .catch(reject);
        });
    const ended = new Promise((resolve, reject) => {
        carrier.onDebugMessage(async (of, message) => {
            if (of !== session) return;
            if (message.type === "response") return waiting.get(message.request_seq)(message);
            if (message.event === "output") seen.printed += message.body.output;
            if (message.event === "terminated") resolve();
            if (message.event !== "stopped") return;
            try {
                const { stackFrames } = await ask("stackTrace", { threadId: 1 });
                seen.stops.push([
                    message.body.reason,
                    stackFrames[0].line,
                    (await ask("evaluate", { expression: "x", frameId: stackFrames[0].id })).result,
                ]);
                await ask("continue", { threadId: 1 });
            } catch (error) {
                reject(error);
            }
        });
    });
    await ask("initialize");
    await ask("launch", { program: "/somewhere/script.dos", script });
    assert.deepEqual(
        (await ask("setBreakpoints", { source: { path: "/somewhere/script.dos" }, breakpoints: [{ line }] }))
            .breakpoints,
        [{ verified: true, line }],
    );
    await ask("configurationDone");
    await ended;
    await carrier.request("dap/end", { session });
    return seen;
}
const kDebugged = { stops: [["breakpoint", 2, "41"]], printed: "42\n" };

test("a script is debugged in the database that the program has open", async () => {
    const { connection, stop } = startServer();
    const carrier = {
        request: (method, parameters) => connection.sendRequest(method, parameters),
        onDebugMessage: (handler) =>
            connection.onNotification("dap/message", ({ session, message }) => handler(session, message)),
    };
    await assert.rejects(carrier.request("dap/start", {}), /database/);
    await connection.sendRequest("pelorus/connect", { folder: "" });
    // Another script runs meanwhile.
    const running = connection.sendRequest("pelorus/run", { script: "do { sleep(10) } while (true)" });
    assert.deepEqual(await debugged(carrier, "x = 41\nprint x + 1\n", 2), kDebugged);
    await connection.sendRequest("pelorus/cancel", {});
    await running;
    await stop();
});

async function startNode(password) {
    const folder = mkdtempSync(join(tmpdir(), "pelorus_node_"));
    writeFileSync(join(folder, "node.cfg"), `port=0\ndataDir=${folder}/data\nadminPassword=${password}\n`);
    const node = spawn(
        process.env.PELORUS ?? "build/release/pelorus",
        ["serve", "--config", join(folder, "node.cfg")],
        { stdio: ["ignore", "pipe", "inherit"] },
    );
    const port = await new Promise((resolve) =>
        node.stdout.on("data", (bytes) => {
            const found = /listens on \S*?:(\d+)/.exec(String(bytes));
            if (found) resolve(Number(found[1]));
        }),
    );
    const stop = async () => {
        await new Promise((resolve) => {
            node.once("exit", resolve);
            node.kill();
        });
        rmSync(folder, { recursive: true });
    };
    return { folder, port, stop };
}

test("a text file is imported where it is, or by a copy on a node, to a variable and to a table", async () => {
    const chosen = [];
    const vscode = {
        ProgressLocation: {},
        window: {
            showQuickPick: async (choices) => choices.find(chosen[0]),
            withProgress: (_, work) => work({ report: () => undefined }, { isCancellationRequested: false }),
        },
        workspace: { fs: { readFile: async ({ fsPath }) => readFileSync(fsPath) } },
    };
    const { importTextFile } = await load("import_text.ts", vscode);
    const node = await startNode("Import-1234");
    const file = join(node.folder, "my trades.csv");
    // Longer than a part of an upload; letters of several bytes are cut.
    writeFileSync(file, `sym,qty\n${"Zürich,1\n".repeat(600_000)}`);
    const uri = { scheme: "file", fsPath: file, path: file };
    for (const target of [
        { folder: "" },
        { address: `127.0.0.1:${node.port}`, user: "admin", password: "Import-1234" },
    ]) {
        const { connection, stop } = startServer();
        await connection.sendRequest("pelorus/connect", target);
        const run = async (script) => {
            const answer = await connection.sendRequest("pelorus/run", { script });
            assert.equal(answer.error, undefined, JSON.stringify(answer.error));
            return answer.values.at(-1);
        };
        const session = {
            current: target,
            channel: { request: (method, parameters) => connection.sendRequest(method, parameters) },
        };
        chosen[0] = ({ destination }) => destination.variable === "my_trades";
        await importTextFile(session, uri, run);
        assert.equal(
            (await run('exec count(*) from my_trades where sym == "Zürich"')).text.trim().replaceAll(",", ""),
            "600000",
        );
        await run(
            'db = database("dfs://imported", VALUE, 1 2)\ndb.createPartitionedTable(table(1:0, `sym`qty, [STRING, INT]), `trades, `qty)',
        );
        chosen[0] = ({ destination }) => destination.table === "trades";
        await importTextFile(session, uri, run);
        assert.equal(
            (await run('exec count(*) from loadTable("dfs://imported", `trades)')).text.trim().replaceAll(",", ""),
            "600000",
        );
        if (target.address) assert.deepEqual(readdirSync(join(node.folder, "data/uploads")), []);
        await stop();
    }
    await node.stop();
});

test("a script is debugged on a node, by an encrypted connection, too", async () => {
    const { folder, port, stop } = await startNode("Debug-1234");
    const tlsCertificate = join(folder, "data/tls/certificate.pem");
    for (const target of [
        { address: `127.0.0.1:${port}` },
        { address: `localhost:${port}`, tls: true, tlsCertificate },
    ]) {
        const carrier = await connectDebugger(target, "Debug-1234");
        assert.deepEqual(await debugged(carrier, "x = 41\nprint x + 1\n", 2), kDebugged);
        carrier.dispose();
        await assert.rejects(carrier.request("dap/start", {}), /lost/);
    }
    await assert.rejects(connectDebugger({ address: `127.0.0.1:${port}` }, "wrong"), /password/);
    await assert.rejects(connectDebugger({ address: `localhost:${port}`, tls: true }, "Debug-1234"), /tlsCertificate/);
    await stop();
});

test("a folder that another process has is refused in words that the extension knows", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pelorus_taken_"));
    const [first, second] = [startServer(), startServer()];
    await first.connection.sendRequest("pelorus/connect", { folder });
    await first.connection.sendRequest("pelorus/run", { script: 'database("dfs://x", VALUE, 1 2)' });
    await assert.rejects(second.connection.sendRequest("pelorus/connect", { folder }), (error) =>
        isFolderTaken(error.message),
    );
    await first.stop();
    await second.stop();
    rmSync(folder, { recursive: true });
});
