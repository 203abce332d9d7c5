// The side bar: databases with tables and columns, variables of the session, jobs, scripts that were run.
import type { Jobs, RunningJob, Schema, Variable } from "../../view/protocol";
import { bytesText, messageOf, quoted } from "../../view/texts";
import type { Connection } from "./connection";
import { make, makeButton } from "./dom";
import type { History } from "./history";

export interface SideBarActions {
    show(expression: string, title: string): void;
    insert(text: string): void;
    setScript(text: string): void;
}

export class SideBar {
    readonly element = make("aside", { class: "side", label: "Databases, variables, jobs and history" });
    private readonly databases = section("Databases", true);
    private readonly variables = section("Variables", true);
    private readonly jobs = section("Jobs", false);
    private readonly past = section("History", false);

    constructor(
        private readonly connection: Connection,
        private readonly history: History,
        private readonly actions: SideBarActions,
    ) {
        this.element.append(this.databases.element, this.variables.element, this.jobs.element, this.past.element);
        this.jobs.element.ontoggle = () => void this.refreshJobs();
        this.past.element.ontoggle = () => this.refreshHistory();
    }

    refresh(): void {
        void this.fill(this.databases.list, () => this.databaseEntries());
        void this.fill(this.variables.list, () => this.variableEntries());
        void this.refreshJobs();
        this.refreshHistory();
    }

    private async fill(list: HTMLElement, entries: () => Promise<Node[]>): Promise<void> {
        if (this.connection.state !== "open") return;
        try {
            const nodes = await entries();
            list.replaceChildren(...(nodes.length ? nodes : [make("p", { class: "none", text: "None" })]));
        } catch (error) {
            list.replaceChildren(make("p", { class: "none", text: messageOf(error) }));
        }
    }

    private async databaseEntries(): Promise<Node[]> {
        const databases = await this.connection.request<{ path: string; tables: string[] }[]>("pelorus/databases", {});
        const open = new Set(
            [...this.databases.list.querySelectorAll<HTMLElement>("details[open]")].map((node) => node.dataset.key),
        );
        return databases.map(({ path, tables }) =>
            branch(path, path, open, () => tables.map((table) => this.tableEntry(path, table, open))),
        );
    }

    private tableEntry(path: string, table: string, open: Set<string | undefined>): HTMLElement {
        const expression = `select top 1000 * from loadTable(${quoted(path)}, ${quoted(table)})`;
        const entry = branch(table, `${path}/${table}`, open, async () => {
            const schema = await this.connection.request<Schema>("pelorus/schema", { database: path, table });
            return schema.columns.map((column) =>
                leaf(column.name, column.typeString, column.comment ?? "", () => this.actions.insert(column.name)),
            );
        });
        const show = makeButton(
            "▤",
            "Show the first rows",
            () => this.actions.show(expression, table),
            `Show the first rows of ${table}`,
        );
        show.className = "small";
        entry.querySelector("summary")!.after(show);
        return make("div", { class: "with-action" }, entry, show);
    }

    private async variableEntries(): Promise<Node[]> {
        const variables = await this.connection.request<Variable[]>("pelorus/variables", {});
        return variables.map((variable) => {
            const isScalar = ["SCALAR", "SYSOBJ", "CHART"].includes(variable.form);
            const rows = Number(variable.rows).toLocaleString("en-US");
            const details =
                variable.form === "TABLE"
                    ? `${rows} × ${variable.columns}`
                    : isScalar
                      ? variable.type
                      : `${variable.type} ${rows}`;
            const shared = variable.isShared ? ", shared" : "";
            const title = `${variable.type} ${variable.form}${shared}, ${bytesText(Number(variable.bytes))}`;
            return leaf(variable.name, details + shared, title, () =>
                this.actions.show(nameExpression(variable.name), variable.name),
            );
        });
    }

    private async refreshJobs(): Promise<void> {
        if (!this.jobs.element.open) return;
        await this.fill(this.jobs.list, async () => {
            const { running, batch } = await this.connection.request<Jobs>("pelorus/jobs", {});
            return [
                ...running.map((job) =>
                    this.jobEntry(titleOfJob(job), `running, ${job.userID ?? ""}`, job.rootJobId, false),
                ),
                ...batch.map((job) =>
                    job.endTime
                        ? leaf(job.jobId, job.errorMsg ? "failed" : "done", job.errorMsg ?? job.jobDesc ?? "")
                        : this.jobEntry(job.jobId, job.startTime ? "running" : "waiting", job.jobId, true),
                ),
            ];
        });
    }

    private jobEntry(title: string, details: string, id: string, isBatch: boolean): HTMLElement {
        const entry = leaf(title, details, title);
        const cancel = makeButton("✕", "Cancel the job", () => void this.cancelJob(id, isBatch), `Cancel ${title}`);
        cancel.className = "small";
        return make("div", { class: "with-action" }, entry, cancel);
    }

    private async cancelJob(id: string, isBatch: boolean): Promise<void> {
        await this.connection.request("pelorus/cancelJob", { id, isBatch }).catch(() => undefined);
        await this.refreshJobs();
    }

    private refreshHistory(): void {
        if (!this.past.element.open) return;
        const entries = this.history.scripts.map((script) => {
            const first = script.split("\n")[0];
            return leaf(first, script.includes("\n") ? "…" : "", script.slice(0, 2000), () =>
                this.actions.setScript(script),
            );
        });
        this.past.list.replaceChildren(...(entries.length ? entries : [make("p", { class: "none", text: "None" })]));
    }
}

export function titleOfJob(job: RunningJob): string {
    return String(job.desc ?? job.jobDesc ?? job.rootJobId).split("\n")[0] || job.rootJobId;
}

function nameExpression(name: string): string {
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `objByName(${quoted(name)})`;
}

function section(title: string, isOpen: boolean): { element: HTMLDetailsElement; list: HTMLElement } {
    const list = make("div", { class: "list" });
    const element = make("details", { class: "section" }, make("summary", { text: title }), list);
    element.open = isOpen;
    return { element, list };
}

function leaf(name: string, details: string, title: string, action?: () => void): HTMLElement {
    const texts = [make("span", { class: "name", text: name }), make("span", { class: "details", text: details })];
    if (!action) return make("div", { class: "leaf", title }, ...texts);
    const button = makeButton("", title, action);
    button.className = "leaf";
    button.append(...texts);
    return button;
}

// An entry whose children are made when it is opened.
function branch(
    name: string,
    key: string,
    open: Set<string | undefined>,
    children: () => Node[] | Promise<Node[]>,
): HTMLDetailsElement {
    const list = make("div", { class: "list" });
    const element = make("details", { class: "branch", title: name }, make("summary", { text: name }), list);
    element.dataset.key = key;
    element.ontoggle = async () => {
        if (!element.open || list.childNodes.length) return;
        try {
            list.replaceChildren(...(await children()));
        } catch (error) {
            list.replaceChildren(make("p", { class: "none", text: messageOf(error) }));
        }
    };
    element.open = open.has(key);
    return element;
}
