// Work is what the page shows after the login: editor, results, side bar, and the panel of the node.
import type { PelorusGrid } from "../../view/grid";
import type { Progress, ResultDescription, RunAnswer } from "../../view/protocol";
import { ResultTabs, sourceOf } from "../../view/results";
import { messageOf } from "../../view/texts";
import type { Connection } from "./connection";
import { make, makeButton } from "./dom";
import { ScriptEditor, type ScriptPart } from "./editor";
import { History } from "./history";
import { NodePanel } from "./node_panel";
import { SideBar } from "./side_bar";

const kScriptKey = "pelorus.script";
const kThemeKey = "pelorus.theme";
const kMaxOutput = 1_000_000; // characters that stay on the page
const kFirstScript = `// Ctrl+Enter runs the statement at the cursor, or the selection; Ctrl+Shift+Enter runs everything.
t = table(2024.01.02T09:30:00.000 + 0..999 as time, 100 + cumsum(norm(0.0, 0.1, 1000)) as price)
select top 10 * from t
plot(t.price, t.time, "price")
`;

export class Work {
    readonly element = make("div", { class: "work" });
    private readonly editor: ScriptEditor;
    private readonly results: ResultTabs;
    private readonly side: SideBar;
    private readonly panel: NodePanel;
    private readonly history = new History();
    private readonly status = make("span", { class: "status" });
    private readonly output = make("pre", { class: "output", label: "Output" });
    private readonly problem = make("div", { class: "error" });
    private readonly runButton = makeButton(
        "▶ Run",
        "Run the selection, or the statement at the cursor (Ctrl+Enter)",
        () => this.runPart(),
    );
    private readonly allButton = makeButton("Run all", "Run the whole script (Ctrl+Shift+Enter)", () => this.runAll());
    private readonly cancelButton = makeButton("■ Cancel", "Cancel the running script (Escape)", () => this.cancel());
    private readonly saveButton = makeButton(
        "Save CSV",
        "Save the rows that the grid shows as CSV",
        () => void this.save(),
    );
    private readonly nodeButton = makeButton("Node", "Show the state of the node", () => this.togglePanel());
    private readonly middle = make("main", { class: "middle" });
    private readonly system = matchMedia("(prefers-color-scheme: dark)");
    private readonly dark = () => this.applyTheme();
    private grid: PelorusGrid | undefined;
    private running = 0;
    private begun = 0;
    private progress = "";
    private unwritten = ""; // printed, and not on the page yet
    private writing: number | undefined; // the frame that writes it
    private isSaving = false;
    private wasLost = false;
    private readonly ticking = setInterval(() => this.showStatus(), 250);

    constructor(private readonly connection: Connection) {
        this.side = new SideBar(connection, this.history, {
            show: (expression, title) => void this.show(expression, title),
            insert: (text) => this.editor.insert(text),
            setScript: (text) => this.editor.setText(text),
        });
        this.panel = new NodePanel(connection);
        this.results = new ResultTabs({
            source: sourceOf((method, parameters) => connection.request(method, parameters)),
            isDark: () => this.isDark,
            release: (handle) => void connection.request("pelorus/release", { handle }).catch(() => undefined),
            shown: (shown) => this.tabShown(shown),
        });
        this.editor = new ScriptEditor(
            connection,
            sessionStorage.getItem(kScriptKey) ?? localStorage.getItem(kScriptKey) ?? kFirstScript,
            this.isDark,
            {
                runPart: () => this.runPart(),
                runAll: () => this.runAll(),
                changed: (text) => this.keepScript(text),
            },
        );
        this.build();
        this.applyTheme();
        this.system.addEventListener("change", this.dark);
    }

    close(): void {
        clearInterval(this.ticking);
        this.dropUnwritten();
        this.panel.stop();
        this.system.removeEventListener("change", this.dark);
        this.element.remove();
    }

    focus(): void {
        this.editor.focus();
    }

    connectionChanged(): void {
        if (this.connection.state === "open") {
            this.editor.connected();
            this.side.refresh();
            this.results.clear(); // the results of a session end with it
            if (this.wasLost)
                this.showProblem("The connection was lost. This is a new session: its variables are gone.");
        }
        this.wasLost = this.connection.state === "lost";
        this.showStatus();
    }

    notice(method: string, parameters: unknown): void {
        if (method === "pelorus/output") this.print((parameters as { text: string }).text);
        if (method === "textDocument/publishDiagnostics")
            this.editor.showDiagnostics((parameters as { diagnostics: never[] }).diagnostics);
        if (method === "pelorus/progress") {
            const { work, done, total } = parameters as Progress;
            this.progress =
                total > 0 ? `${work} ${Math.floor((100 * done) / total)} %` : `${work} ${done.toLocaleString("en-US")}`;
            this.showStatus();
        }
    }

    // ---- the parts

    private build(): void {
        const menu = makeButton(
            "☰",
            "Show or hide the side bar",
            () => this.element.classList.toggle("side-hidden"),
            "Side bar",
        );
        if (innerWidth < 700) this.element.classList.add("side-hidden");
        const theme = makeButton("◐", "Dark or light", () => this.switchTheme(), "Dark or light");
        const leave = makeButton("Log out", "End the session", () => this.connection.logOut());
        const guide = make("a", {
            text: "Guide",
            title: "The guide, how-tos and the functions of the language, in another tab",
        });
        guide.href = "/docs/";
        guide.target = "_blank";
        this.status.setAttribute("role", "status");
        this.nodeButton.setAttribute("aria-pressed", "false");
        const bar = make(
            "header",
            {},
            menu,
            make("h1", { text: "Pelorus" }),
            this.runButton,
            this.allButton,
            this.cancelButton,
            make("span", { class: "gap" }),
            this.status,
            guide,
            this.nodeButton,
            theme,
            leave,
        );
        this.output.hidden = true;
        this.output.tabIndex = 0;
        this.problem.hidden = true;
        this.problem.setAttribute("role", "alert");
        const tools = make(
            "div",
            { class: "tools" },
            this.results.navigation,
            make("span", { class: "gap" }),
            this.saveButton,
        );
        const lower = make("div", { class: "lower" }, this.problem, this.output, tools, this.results.main);
        const splitter = this.makeSplitter(lower);
        this.middle.append(this.editor.element, splitter, lower);
        this.element.append(bar, make("div", { class: "below" }, this.side.element, this.middle));
        this.element.onkeydown = (event) => {
            if (event.key === "Escape" && this.running > 0 && !event.defaultPrevented) this.cancel();
        };
        this.showStatus();
    }

    private makeSplitter(lower: HTMLElement): HTMLElement {
        const splitter = make("div", { class: "splitter", label: "Height of the results" });
        splitter.tabIndex = 0;
        splitter.setAttribute("role", "separator");
        splitter.setAttribute("aria-orientation", "horizontal");
        let share = 55;
        const set = (percent: number) => {
            share = Math.min(85, Math.max(15, percent));
            lower.style.flexBasis = `${share}%`;
            splitter.setAttribute("aria-valuenow", share.toFixed(0));
        };
        set(share);
        splitter.onpointerdown = (event) => {
            splitter.setPointerCapture(event.pointerId);
            splitter.onpointermove = (move) => {
                const box = this.middle.getBoundingClientRect();
                set((100 * (box.bottom - move.clientY)) / box.height);
            };
            splitter.onpointerup = () => (splitter.onpointermove = null);
        };
        splitter.onkeydown = (event) => {
            if (event.key === "ArrowUp") set(share + 5);
            if (event.key === "ArrowDown") set(share - 5);
        };
        return splitter;
    }

    private tabShown(shown: HTMLElement | undefined): void {
        this.grid = shown?.localName === "pelorus-grid" ? (shown as PelorusGrid) : undefined;
        this.saveButton.hidden = !this.grid;
    }

    private togglePanel(): void {
        const isShown = this.panel.element.isConnected;
        this.nodeButton.setAttribute("aria-pressed", String(!isShown));
        if (isShown) {
            this.panel.stop();
            this.panel.element.replaceWith(this.middle);
        } else {
            this.middle.replaceWith(this.panel.element);
            this.panel.start();
        }
    }

    private showStatus(): void {
        const { state, user, node } = this.connection;
        const seconds = Math.floor((performance.now() - this.begun) / 1000);
        this.element.classList.toggle("lost", state === "lost");
        this.status.textContent =
            state === "lost"
                ? "The connection is lost; trying again …"
                : this.running > 0
                  ? `running ${seconds} s ${this.progress}`
                  : `${user} on ${node}`;
        const isReady = state === "open";
        this.runButton.disabled = this.allButton.disabled = !isReady;
        this.cancelButton.disabled = !isReady || this.running === 0;
    }

    // ---- scripts

    private keepScript(text: string): void {
        try {
            sessionStorage.setItem(kScriptKey, text);
            localStorage.setItem(kScriptKey, text); // for the next tab
        } catch {
            // The browser has no room for it.
        }
    }

    private runPart(): void {
        void this.run(this.editor.takePart());
    }
    private runAll(): void {
        void this.run({ script: this.editor.text, line: 0 });
    }
    private cancel(): void {
        void this.connection.request("pelorus/cancel", {}).catch(() => undefined);
    }

    private async run({ script, line }: ScriptPart): Promise<void> {
        if (!script.trim() || this.connection.state !== "open") return;
        if (this.panel.element.isConnected) this.togglePanel();
        this.history.add(script);
        this.problem.hidden = true;
        this.output.hidden = true;
        this.output.textContent = "";
        this.dropUnwritten();
        await this.guarded(async () => {
            const answer = await this.connection.request<RunAnswer>("pelorus/run", { script, line });
            const first = script.trim().split("\n")[0].slice(0, 30);
            this.results.add(answer.values.map((result) => ({ title: first, result })));
            if (answer.error) {
                const { message, hint, line: at, character, callStack } = answer.error;
                this.showProblem([message, hint, ...(callStack ?? [])].filter(Boolean).join("\n"));
                if (at !== undefined) this.editor.markProblem(message, at, character ?? 0);
            }
        });
        this.side.refresh(); // what the script may have changed
    }

    private async show(expression: string, title: string): Promise<void> {
        if (this.panel.element.isConnected) this.togglePanel();
        await this.guarded(async () => {
            const result = await this.connection.request<ResultDescription>("pelorus/show", { expression });
            this.results.add([{ title, result }]);
        });
    }

    private async guarded(action: () => Promise<void>): Promise<void> {
        if (this.running++ === 0) this.begun = performance.now();
        this.progress = "";
        this.showStatus();
        try {
            await action();
        } catch (error) {
            this.showProblem(messageOf(error));
        } finally {
            --this.running;
            this.showStatus();
        }
    }

    private showProblem(text: string): void {
        this.problem.textContent = text;
        this.problem.hidden = false;
    }

    // Texts are collected, and written once for each picture that the browser draws: a hidden tab draws none.
    private print(text: string): void {
        this.unwritten += text.endsWith("\n") ? text : `${text}\n`;
        if (this.unwritten.length > 2 * kMaxOutput) this.unwritten = this.unwritten.slice(-kMaxOutput);
        this.writing ??= requestAnimationFrame(() => this.writeOutput());
    }

    private writeOutput(): void {
        const all = `${this.output.textContent ?? ""}${this.unwritten}`;
        this.dropUnwritten();
        this.output.hidden = false;
        this.output.textContent = all.slice(-kMaxOutput);
        this.output.scrollTop = this.output.scrollHeight;
    }

    private dropUnwritten(): void {
        if (this.writing !== undefined) cancelAnimationFrame(this.writing);
        this.writing = undefined;
        this.unwritten = "";
    }

    // ---- the grid, as a file

    private async save(): Promise<void> {
        if (this.isSaving) {
            this.isSaving = false; // a second click ends it
            return;
        }
        if (!this.grid) return;
        this.isSaving = true;
        try {
            const file = await this.grid.csv((rows) => {
                this.saveButton.textContent = `Stop (${rows.toLocaleString("en-US")} rows)`;
                return this.isSaving;
            });
            if (file) download(file, "result.csv");
        } catch (error) {
            this.showProblem(messageOf(error));
        } finally {
            this.isSaving = false;
            this.saveButton.textContent = "Save CSV";
        }
    }

    // ---- dark and light

    private get isDark(): boolean {
        const chosen = localStorage.getItem(kThemeKey);
        return chosen ? chosen === "dark" : this.system.matches;
    }
    private switchTheme(): void {
        localStorage.setItem(kThemeKey, this.isDark ? "light" : "dark");
        this.applyTheme();
    }
    private applyTheme(): void {
        document.documentElement.dataset.theme = this.isDark ? "dark" : "light";
        this.editor.setDark(this.isDark);
        this.results.setDark(this.isDark);
    }
}

function download(file: Blob, name: string): void {
    const link = make("a");
    link.href = URL.createObjectURL(file);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
