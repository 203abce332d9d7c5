// The page that a node serves, in a real window of Chromium, driven by keys and clicks.
//
//   node page_window.mjs MODULES CHROMIUM PELORUS SCREENSHOTS
//
// MODULES has playwright-core and, where installed, axe-core; CHROMIUM is the browser's program, PELORUS ours. Prints
// "ok NAME" or "FAILED NAME" for each step; later steps need the earlier ones.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startNode } from "./window_node.mjs";

const [modules, chromiumPath, pelorus, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(modules, "x.js"))("playwright-core");
const axeFile = join(modules, "axe-core/axe.min.js");
const kPassword = "Window-1234";
const folder = mkdtempSync(join(tmpdir(), "pelorus_page_"));
mkdirSync(screenshots, { recursive: true });

// ---- the window

let node = await startNode({ pelorus, folder, password: kPassword });
const port = node.port;
const origin = `http://127.0.0.1:${port}`;
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "light", acceptDownloads: true });
// Nothing but the node may be asked, and no policy may be broken.
const complaints = [];
context.on("request", (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) complaints.push(`asked ${request.url()}`);
});
function watch(page) {
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
        if (message.type() === "error" && !/ERR_CONNECTION_REFUSED|WebSocket connection/.test(message.text())) complaints.push(`${message.text()} ${JSON.stringify(message.location())}`);
    });
    page.on("dialog", (dialog) => {
        complaints.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
    });
    page.setDefaultTimeout(30_000);
    return page;
}
const page = watch(await context.newPage());

const shoot = (name, of = page) => of.screenshot({ path: join(screenshots, `${name}.png`) });
const script = (of = page) => of.locator(".cm-content");
async function write(text, of = page) {
    await script(of).focus();
    await of.keyboard.press("Control+A");
    await of.keyboard.press("Delete");
    await of.keyboard.insertText(text);
}
async function runAll(text, of = page) {
    await write(text, of);
    await of.keyboard.press("Control+Shift+Enter");
}
async function logIn(of, password = kPassword) {
    await of.locator("#user").fill("admin");
    await of.locator("#password").fill(password);
    await of.keyboard.press("Enter");
}
const status = (text, of = page) => of.locator("header .status", { hasText: text }).waitFor();
const cell = (text, of = page) => of.locator("pelorus-grid .body .cell").filter({ hasText: text }).first().waitFor();
function check(condition, what) {
    if (!condition) throw new Error(what);
}
// Accessibility, by the rules of axe-core, where it is installed.
async function checkAccess(name) {
    if (!existsSync(axeFile)) {
        console.log(`SKIPPED: accessibility of ${name}, without axe-core; scripts/setup.sh --long installs it`);
        return;
    }
    // Evaluated as a page of its own world would: the content policy allows no further script element.
    await page.evaluate(readFileSync(axeFile, "utf8"));
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).slice(0, 3).join(" | ")}`);
    check(violations.length === 0, `${name}: ${told.join("\n")}`);
}

let failed = 0;
async function step(name, action) {
    if (failed && !process.env.WINDOW_ALL) return;
    const before = complaints.length;
    try {
        await action();
        check(complaints.length === before, complaints.slice(before).join("\n"));
        console.log(`ok ${name}`);
    } catch (error) {
        ++failed;
        console.log(`FAILED ${name}: ${error.stack}`);
        await shoot("failed").catch(() => undefined);
    }
}

await step("the page opens from the node alone, and asks for a login", async () => {
    const answer = await page.goto(`${origin}/`);
    const policy = answer.headers()["content-security-policy"];
    check(/frame-ancestors 'none'/.test(policy) && !/unsafe/.test(policy), policy);
    await page.locator("#password").waitFor();
    const shown = await page.evaluate(() => performance.now());
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    console.log(`figure first paint ${Math.round(paint)} ms, the login by ${Math.round(shown)} ms`);
    await shoot("login");
    await checkAccess("login");
});

await step("a wrong password is told, and a right one opens the work", async () => {
    await logIn(page, "wrong");
    await page.locator(".login .problem", { hasText: /./ }).waitFor();
    await logIn(page);
    await status("admin on");
});

await step("names are completed while typing, with their documentation", async () => {
    await write("");
    await page.keyboard.type("x = mav");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: /^mavg/ }).first().waitFor();
    await shoot("completion");
    await page.keyboard.press("Escape");
});

await step("errors are marked while typing, and where a run fails", async () => {
    await write("a = (1 + \n");
    await page.locator(".cm-lintRange-error, .cm-lintPoint-error").first().waitFor();
    await runAll('x = 1\ny = x + "a" - `b\n');
    await page.locator(".lower .error", { hasText: /./ }).waitFor();
    await page.locator(".cm-lintRange-error").first().waitFor();
});

await step("the statement at the cursor runs by the keyboard, and what it prints is shown", async () => {
    await write("b = (40 +\n    2)\nprint(b)\nb");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Control+Enter");
    await page.locator(".output", { hasText: "42" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.locator(".results pre", { hasText: "42" }).waitFor();
});

await step("a table of ten million rows is shown, and its end is reached", async () => {
    await runAll("n = 10000000\nt = table(0..(n - 1) as id, rand(`AAPL`IBM`MSFT, n) as sym, rand(100.0, n) as price)\nt\n");
    await page.locator("pelorus-grid .status", { hasText: "10,000,000 rows" }).waitFor({ timeout: 60_000 });
    await cell(/^0$/);
    await shoot("grid_1440");
    await page.locator("pelorus-grid").focus();
    await page.keyboard.press("Control+End");
    await cell(/^9999999$/);
    // The time of a page: from the request until its rows are drawn.
    const millis = await page.evaluate(async () => {
        const grid = document.querySelector("pelorus-grid");
        const times = [];
        for (let i = 0; i < 25; ++i) {
            const row = 1_000_000 + 333_000 * i;
            const begin = performance.now();
            grid.goTo(row);
            while (!grid.querySelector(`[data-row="${row}"]`) || grid.querySelector(`[data-row="${row}"]`).textContent === "…")
                await new Promise((next) => setTimeout(next, 0));
            times.push(performance.now() - begin);
        }
        return times.sort((a, b) => a - b)[12];
    });
    console.log(`figure page of a grid ${millis.toFixed(1)} ms`);
    await page.keyboard.press("Control+Home");
    await cell(/^0$/);
});

await step("a grid is sorted, copied and saved as CSV", async () => {
    await runAll('few = table(1 2 3 as id, ["a,b", "c", ""] as name)\nfew\n');
    await page.locator("pelorus-grid .status", { hasText: /^3 rows/ }).waitFor();
    await page.locator("pelorus-grid .head .cell", { hasText: "id" }).click();
    await page.locator("pelorus-grid .head .cell", { hasText: "id ↑" }).click();
    await page.locator("pelorus-grid .body .row:first-child .cell", { hasText: /^3$/ }).waitFor();
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save CSV" }).click()]);
    const text = readFileSync(await saved.path(), "utf8");
    check(text === 'id,name\r\n3,\r\n2,c\r\n1,"a,b"\r\n', `the file is ${JSON.stringify(text)}`);
    await page.locator("pelorus-grid .body .cell", { hasText: /^c$/ }).click();
    const copied = await page.evaluate(() => {
        const event = new ClipboardEvent("copy", { clipboardData: new DataTransfer(), bubbles: true });
        document.querySelector("pelorus-grid").dispatchEvent(event);
        return event.clipboardData.getData("text/plain");
    });
    check(copied === "c", `copied ${copied}`);
});

await step("a chart is drawn, in dark and light", async () => {
    await runAll('plot([sin(0.01 * 0..9999), cos(0.01 * 0..9999) as trend], 2024.01.02T09:30:00.000 + 1000 * 0..9999, ["waves", "time", "value"])\n');
    await page.locator("pelorus-chart svg text", { hasText: "waves" }).first().waitFor();
    const light = await page.locator("pelorus-chart svg rect").first().getAttribute("fill");
    await shoot("chart_1440");
    await page.getByRole("button", { name: "Dark or light" }).click();
    await page.waitForFunction((before) => document.querySelector("pelorus-chart svg rect")?.getAttribute("fill") !== before, light);
    await shoot("dark_1440");
    await checkAccess("dark");
    await page.getByRole("button", { name: "Dark or light" }).click();
});

await step("what data and names contain is shown as text, and does not run", async () => {
    const evil = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    await runAll(`evil = table(["${evil}", "javascript:alert(3)"] as \`v)\nrename!(evil, \`v, "${evil}")\nprint("${evil}")\nshare evil as \`shared_evil\nevil\n`);
    await cell("javascript:alert(3)");
    await page.locator("pelorus-grid .head .cell", { hasText: "<img" }).waitFor();
    await runAll(`plot(1 2 3, [1, 2, 3], "${evil}")`);
    await page.locator("pelorus-chart svg text", { hasText: "<img" }).first().waitFor();
    await runAll(`throw "${evil}"`);
    await page.locator(".lower .error", { hasText: "<img" }).waitFor();
    check((await page.locator("img[src=x]").count()) === 0, "a cell has become an element");
});

await step("the side bar shows databases with schemas, variables and history", async () => {
    await runAll('if (existsDatabase("dfs://quotes")) dropDatabase("dfs://quotes")\ndb = database("dfs://quotes", VALUE, 2024.01.01..2024.01.03)\nq = db.createPartitionedTable(table(1:0, `day`sym`price, [DATE, SYMBOL, DOUBLE]), `quotes, `day)\nq.append!(table(2024.01.01 2024.01.02 as day, `A`B as sym, 1.0 2.0 as price))\n');
    await page.locator(".side summary", { hasText: "dfs://quotes" }).click();
    await page.locator(".side summary", { hasText: /^quotes$/ }).click();
    await page.locator(".side .leaf", { hasText: "SYMBOL" }).waitFor();
    await page.getByRole("button", { name: "Show the first rows of quotes" }).click();
    await cell("2024.01.02");
    await page.locator(".side .leaf", { hasText: /^few3 × 2/ }).click();
    await page.locator("pelorus-grid .status", { hasText: /^3 rows/ }).waitFor();
    await page.locator(".side .section > summary", { hasText: "History" }).click();
    await page.locator(".side .leaf", { hasText: "n = 10000000" }).click();
    check((await script().textContent()).startsWith("n = 10000000"), "the script of the history");
    await shoot("side_bar_1440");
    await checkAccess("side bar");
});

await step("a running script shows its time and is cancelled by the keyboard", async () => {
    await runAll("do { sleep(10) } while (true)");
    await status("running 1 s");
    await page.keyboard.press("Escape");
    await page.locator(".lower .error", { hasText: /cancel/i }).waitFor();
    await status("admin on");
});

await step("a selection that runs is cancelled by the keyboard", async () => {
    await write("do { sleep(10) } while (true)");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+Enter");
    await status("running");
    await page.keyboard.press("Escape");
    await page.locator(".lower .error", { hasText: /cancel/i }).waitFor();
    await status("admin on");
});

await step("what a script printed before does not stay, and of much the end is shown", async () => {
    await runAll('print("of the first")');
    await page.locator(".output", { hasText: "of the first" }).waitFor();
    await runAll('for (i in 0..29999) print("line " + string(i) + " of the output of a long loop")');
    await page.locator(".output", { hasText: "line 29999 of" }).waitFor();
    await status("admin on");
    const text = await page.locator(".output").textContent();
    check(text.length === 1_000_000 && text.endsWith("line 29999 of the output of a long loop\n"), `${text.length} characters`);
    check(!text.includes("of the first"), "the output before is still there");
});

await step("the panel of the node shows nodes, requests with cancel, and the log", async () => {
    const other = watch(await context.newPage());
    await other.goto(`${origin}/`);
    await logIn(other);
    await status("admin on", other);
    check((await other.locator(".side .leaf", { hasText: /^few/ }).count()) === 0, "a tab sees the variables of another one");
    await runAll("sleep(600000)", other);
    await runAll("share streamTable(1000:0, `time`price, [TIMESTAMP, DOUBLE]) as ticks\ndef watching(message) {}\nok = subscribeTable(tableName=`ticks, actionName=`watch, handler=watching, msgAsTable=true)\n7 * 6");
    await page.locator(".results pre", { hasText: "42" }).waitFor();
    await page.getByRole("button", { name: "Node", exact: true }).click();
    await page.locator(".node td", { hasText: "● up" }).first().waitFor();
    await page.locator(".node [aria-label=Replicas] td", { hasText: "in sync" }).waitFor();
    await page.locator(".node .part", { hasText: "Replicas" }).locator("p", { hasText: "Copies of each: 1." }).waitFor();
    await page.locator(".node [aria-label=Subscriptions] td", { hasText: "watch" }).first().waitFor();
    await page.locator(".node [aria-label=Subscriptions] th", { hasText: "rows waiting" }).waitFor();
    await page.locator(".node .card", { hasText: "Disk" }).waitFor();
    await page.locator(".node .log", { hasText: "login" }).waitFor();
    await page.getByLabel("Filter the log").fill("LOGIN");
    check(!(await page.locator(".node .log").textContent()).split("\n").some((line) => !/login/i.test(line)), "the filter of the log");
    await page.getByLabel("Filter the log").fill("");
    await shoot("node_1440");
    await checkAccess("node");
    await page.locator(".node tr", { hasText: "sleep(600000)" }).getByRole("button", { name: /^Cancel/ }).click();
    await other.locator(".lower .error", { hasText: /cancel/i }).waitFor();
    await other.close();
    await page.getByRole("button", { name: "Node", exact: true }).click();
    await script().waitFor();
});

await step("the guide opens beside the page, and its search finds functions and how-tos", async () => {
    const [guide] = await Promise.all([context.waitForEvent("page"), page.getByRole("link", { name: "Guide" }).click()]);
    watch(guide);
    await guide.locator("h1", { hasText: "Guide" }).waitFor();
    await guide.locator("#search").fill("mavg");
    await guide.locator("#found li:first-child a", { hasText: "mavg(X, window" }).waitFor();
    await guide.locator("#search").fill("late data");
    await guide.locator("#found li:first-child a", { hasText: "Take late data" }).waitFor();
    await guide.keyboard.press("Enter");
    await guide.locator("h1", { hasText: "Take late data" }).waitFor();
    await guide.locator("code.dos", { hasText: "keepDuplicates=LAST" }).waitFor();
    await guide.close();
});

await step("a page that is loaded again comes back without a password, with its script", async () => {
    await write("kept = 17\nkept + 25");
    await page.waitForTimeout(600);
    await page.reload();
    await status("admin on");
    check((await script().textContent()).startsWith("kept = 17"), "the script is kept");
    await script().focus();
    await page.keyboard.press("Control+Shift+Enter");
    await page.locator(".results pre", { hasText: "42" }).waitFor();
});

await step("a lost connection comes back by itself", async () => {
    await node.stop();
    await status("lost");
    // What takes the connection and drops it before the login is over has refused nothing.
    const dropping = createServer();
    const dropped = new Promise((resolved) => {
        dropping.on("upgrade", (request, socket) => {
            const key = request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
            const accept = createHash("sha1").update(key).digest("base64");
            socket.on("error", () => undefined);
            socket.once("data", () => {
                socket.destroy();
                resolved();
            });
            socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: pelorus\r\n\r\n`);
        });
    });
    await new Promise((listening) => dropping.listen(port, "127.0.0.1", listening));
    await dropped;
    await new Promise((closed) => dropping.close(closed));
    node = await startNode({ pelorus, folder, port, password: kPassword });
    await status("admin on");
    await page.locator(".lower .error", { hasText: "variables are gone" }).waitFor();
    await runAll("6 * 7 + 1");
    await page.locator(".results pre", { hasText: "43" }).waitFor();
});

await step("the keyboard alone reaches a result and runs again", async () => {
    await page.reload();
    await status("admin on");
    await page.locator(".cm-editor.cm-focused").waitFor(); // the editor has the focus at once
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText("table(1..500 as id)");
    await page.keyboard.press("Control+Enter");
    await cell(/^1$/);
    await page.keyboard.press("Escape"); // leaves the editor's use of Tab
    for (let i = 0; i < 12; ++i) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(() => document.activeElement?.localName === "pelorus-grid")) break;
    }
    await page.keyboard.press("Control+End");
    await cell(/^500$/);
});

await step("the page fits smaller windows", async () => {
    for (const [width, height] of [[1024, 768], [390, 844]]) {
        await page.setViewportSize({ width, height });
        await page.reload();
        await status("admin on");
        await runAll("t = table(1..500 as id, rand(`A`B, 500) as sym, rand(10.0, 500) as price)\nt");
        await cell(/^1$/);
        await shoot(`grid_${width}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(wide <= 0, `the page is ${wide} pixels wider than a window of ${width}`);
        await page.getByRole("button", { name: "Node", exact: true }).click();
        await page.locator(".node td", { hasText: "● up" }).first().waitFor();
        await shoot(`node_${width}`);
    }
});

if (complaints.length) console.log(`complaints: ${complaints.slice(0, 5).join("\n")}`);
await browser.close();
await node.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
