// The extension, whatever its channel to a database is.
import * as vscode from "vscode";
import type { ResultDescription, RunAnswer, Variable } from "../../web/view/protocol";
import { chooseTarget, embeddedTarget, openTarget } from "./choose_target";
import { registerDebugger } from "./debugger";
import { History } from "./history";
import { importTextFile } from "./import_text";
import { ResultsView } from "./results_view";
import { Session, showError, type Channel } from "./session";
import { statementAround } from "../../web/view/statement";
import { messageOf, quoted } from "../../web/view/texts";
import { titleOf } from "./target";
import { DatabasesTree, JobsTree, VariablesTree, type Entry, type Job, type StoredTable } from "./trees";

const kJobsInterval = 5000;

export interface PelorusApi {
    session: Session;
}

// `debugProgram`: the debug adapter of launches that name a folder, where a program can be started.
export function start(
    context: vscode.ExtensionContext,
    channel: Channel,
    debugProgram?: () => vscode.DebugAdapterExecutable,
): PelorusApi {
    const session = new Session(channel, context.secrets);
    const output = vscode.window.createOutputChannel("Pelorus");
    const problems = vscode.languages.createDiagnosticCollection("pelorus run");
    const results = new ResultsView(context.extensionUri, session);
    const history = new History(context.workspaceState);
    const variables = new VariablesTree(session);
    const databases = new DatabasesTree(session);
    const jobs = new JobsTree(session);
    const jobsView = vscode.window.createTreeView("pelorus.jobs", { treeDataProvider: jobs });
    const status = new Status(session);

    const refresh = () => {
        variables.refresh();
        databases.refresh();
        if (jobsView.visible) jobs.refresh();
    };

    // Connects where nothing is open yet: to what was open last, to the embedded database, or to what is chosen.
    const connected = async (): Promise<boolean> => {
        if (session.isConnected) return true;
        const last = session.current;
        if (last) return openTarget(session, last);
        return channel.opensFolders ? openTarget(session, embeddedTarget()) : chooseTarget(session);
    };

    const runScript = async (script: string, line: number, document?: vscode.TextDocument): Promise<void> => {
        if (!script.trim() || !(await connected())) return;
        history.add(script);
        if (document) problems.delete(document.uri);
        output.appendLine(`> ${firstLine(script)}`);
        let answer: RunAnswer;
        try {
            answer = await session.run(script, line);
        } catch (error) {
            output.appendLine(messageOf(error));
            showError(error);
            return;
        }
        for (const value of answer.values) if (value.text) output.appendLine(value.text.replace(/\n$/, ""));
        output.appendLine(`${answer.error ? "failed" : "done"} in ${durationText(answer.millis)}`);
        await results.show(
            answer.values
                .filter((value) => value.kind !== "text" || answer.values.length === 1)
                .map((value) => ({ title: titleOfResult(value), result: value })),
        );
        if (answer.error) {
            const { message, hint, line: at, character } = answer.error;
            const text = hint ? `${message}\n${hint}` : message;
            output.appendLine(at === undefined ? text : `line ${at + 1}: ${text}`);
            for (const caller of answer.error.callStack ?? []) output.appendLine(`    in ${caller}`);
            if (document && at !== undefined && at < document.lineCount) {
                const begin = new vscode.Position(at, Math.min(character ?? 0, document.lineAt(at).text.length));
                const word =
                    document.getWordRangeAtPosition(begin) ?? new vscode.Range(begin, document.lineAt(at).range.end);
                const problem = new vscode.Diagnostic(word, text, vscode.DiagnosticSeverity.Error);
                problem.source = "pelorus run";
                problems.set(document.uri, [problem]);
            }
            void vscode.window
                .showErrorMessage(`Pelorus: ${message}`, "Show Output")
                .then((choice) => choice && output.show(true));
        }
        refresh();
    };

    const command = <Parameters extends unknown[]>(name: string, action: (...parameters: Parameters) => unknown) =>
        vscode.commands.registerCommand(name, async (...parameters: Parameters) => {
            try {
                await action(...parameters);
            } catch (error) {
                showError(error);
            }
        });

    const showResult = async (title: string, request: () => Promise<ResultDescription>) =>
        results.show([{ title, result: await request() }]);

    context.subscriptions.push(
        session,
        output,
        problems,
        status,
        jobsView,
        registerDebugger(session, connected, debugProgram),
        vscode.window.registerWebviewViewProvider("pelorus.results", results, {
            webviewOptions: { retainContextWhenHidden: true },
        }),
        vscode.window.registerTreeDataProvider("pelorus.variables", variables),
        vscode.window.registerTreeDataProvider("pelorus.databases", databases),
        vscode.workspace.onDidChangeTextDocument(({ document }) => problems.delete(document.uri)),
        session.onPrinted(({ text, isNotice }) => output.appendLine(isNotice ? `Note: ${text}` : text)),
        session.onChanged(() => {
            if (session.isRunning) return;
            if (!session.isConnected) results.clear();
            refresh();
        }),
        command("pelorus.runFile", async () => {
            const editor = vscode.window.activeTextEditor;
            if (editor) await runScript(editor.document.getText(), 0, editor.document);
        }),
        command("pelorus.runSelection", async () => {
            const editor = vscode.window.activeTextEditor;
            if (!editor) return;
            const { document, selection } = editor;
            if (!selection.isEmpty) {
                // Blanks in front keep the columns of errors.
                await runScript(
                    " ".repeat(selection.start.character) + document.getText(selection),
                    selection.start.line,
                    document,
                );
                return;
            }
            const lines = { lineCount: document.lineCount, lineAt: (line: number) => document.lineAt(line).text };
            const { first, last } = statementAround(lines, selection.active.line);
            const next = new vscode.Position(Math.min(last + 1, document.lineCount - 1), 0);
            if (last + 1 < document.lineCount) {
                editor.selection = new vscode.Selection(next, next);
                editor.revealRange(new vscode.Range(next, next));
            }
            await runScript(
                document.getText(new vscode.Range(first, 0, last, document.lineAt(last).text.length)),
                first,
                document,
            );
        }),
        command("pelorus.cancel", () => session.cancel()),
        command("pelorus.connect", () => chooseTarget(session)),
        command("pelorus.disconnect", () => session.disconnect()),
        command("pelorus.refresh", () => {
            refresh();
            jobs.refresh();
        }),
        command("pelorus.history", async () => {
            const script = await vscode.window.showQuickPick(
                history.scripts.map((text) => ({
                    label: firstLine(text),
                    detail: text.includes("\n") ? text.slice(0, 300) : undefined,
                    text,
                })),
                { placeHolder: "Script to run again", matchOnDetail: true },
            );
            if (script) await runScript(script.text, 0);
        }),
        command("pelorus.showVariable", (entry: Entry<Variable>) =>
            showResult(entry.details.name, () => channel.request("pelorus/show", { expression: entry.details.name })),
        ),
        command("pelorus.showTable", (entry: Entry<StoredTable>) =>
            showResult(entry.details.table, () =>
                channel.request("pelorus/show", {
                    expression: `select top 1000 * from loadTable(${quoted(entry.details.database)}, ${quoted(entry.details.table)})`,
                }),
            ),
        ),
        command("pelorus.showSchema", (entry: Entry<StoredTable>) =>
            showResult(`${entry.details.table} schema`, () =>
                channel.request("pelorus/show", {
                    expression: `schema(loadTable(${quoted(entry.details.database)}, ${quoted(entry.details.table)})).colDefs`,
                }),
            ),
        ),
        command("pelorus.cancelJob", async (entry: Entry<Job>) => {
            await channel.request("pelorus/cancelJob", { id: entry.details.id, isBatch: entry.details.isBatch });
            jobs.refresh();
        }),
        command("pelorus.importText", async (uri?: vscode.Uri) => {
            if (await connected()) await importTextFile(session, uri, (script) => runScript(script, 0));
        }),
        command("pelorus.uploadModule", async () => {
            const document = vscode.window.activeTextEditor?.document;
            if (!document || !(await connected())) return;
            if (!/^\s*(\/\/.*\n|\s)*module\s/.test(document.getText()))
                throw new Error("A module begins with a line such as: module signals::momentum");
            const { path } = await channel.request<{ path: string }>("pelorus/uploadModule", {
                source: document.getText(),
            });
            void vscode.window.showInformationMessage(`Pelorus: the module is installed${path ? ` as ${path}` : ""}.`);
        }),
    );
    const timer = setInterval(() => jobsView.visible && session.isConnected && jobs.refresh(), kJobsInterval);
    context.subscriptions.push({ dispose: () => clearInterval(timer) });
    return { session };
}

// The entry of the status bar: what is open, or what runs and for how long.
class Status implements vscode.Disposable {
    private readonly item = vscode.window.createStatusBarItem("pelorus.status", vscode.StatusBarAlignment.Left, 10);
    private timer: ReturnType<typeof setInterval> | undefined;
    private since = 0;
    private progress = "";

    constructor(private readonly session: Session) {
        this.item.name = "Pelorus";
        session.onChanged(() => this.update());
        session.onProgressed((text) => {
            this.progress = text;
            this.update();
        });
        this.update();
        this.item.show();
    }

    private update(): void {
        const { session } = this;
        if (session.isRunning) {
            this.since ||= Date.now();
            this.timer ??= setInterval(() => this.update(), 500);
            const seconds = Math.floor((Date.now() - this.since) / 1000);
            this.item.text = `$(sync~spin) Pelorus: running ${seconds} s${this.progress ? `, ${this.progress}` : ""}`;
            this.item.tooltip = "Click to cancel the running script";
            this.item.command = "pelorus.cancel";
            return;
        }
        clearInterval(this.timer);
        this.timer = undefined;
        this.since = 0;
        this.progress = "";
        this.item.text = session.isConnected
            ? `$(database) ${titleOf(session.current!)}`
            : "$(database) Pelorus: not connected";
        this.item.tooltip = "Click to choose a database";
        this.item.command = "pelorus.connect";
    }

    dispose(): void {
        clearInterval(this.timer);
        this.item.dispose();
    }
}

function firstLine(script: string): string {
    const lines = script.trim().split("\n");
    return lines[0].slice(0, 120) + (lines.length > 1 ? ` … (${lines.length} lines)` : "");
}

function durationText(millis: number): string {
    return millis < 1
        ? `${(millis * 1000).toFixed(0)} µs`
        : millis < 1000
          ? `${millis.toPrecision(3)} ms`
          : `${(millis / 1000).toPrecision(3)} s`;
}

function titleOfResult(value: ResultDescription): string {
    const time = new Date().toTimeString().slice(0, 8);
    if (value.kind === "chart") return `chart ${time}`;
    return value.kind === "grid" ? `${value.rows!.toLocaleString("en-US")} rows ${time}` : time;
}
