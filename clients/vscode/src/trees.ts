// The trees of the side bar: variables, databases, jobs.
import * as vscode from "vscode";
import type { Jobs, Schema, Variable } from "../../web/view/protocol";
import { bytesText, messageOf } from "../../web/view/texts";
import type { Session } from "./session";

export interface StoredTable {
    database: string;
    table: string;
}

export interface Job {
    id: string;
    isBatch: boolean;
}

// An entry of a tree. `details` tells the commands of its menu what it stands for; entries without a menu have none.
export class Entry<Details = unknown> extends vscode.TreeItem {
    constructor(
        label: string,
        readonly children?: Entry[] | (() => Promise<Entry[]>),
        readonly details: Details = {} as Details,
    ) {
        super(label, children ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
    }
}

abstract class Tree implements vscode.TreeDataProvider<Entry> {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChangeTreeData = this.changed.event;

    constructor(protected readonly session: Session) {}

    refresh(): void {
        this.changed.fire();
    }
    getTreeItem(entry: Entry): Entry {
        return entry;
    }
    async getChildren(entry?: Entry): Promise<Entry[]> {
        if (entry) return typeof entry.children === "function" ? this.guarded(entry.children) : (entry.children ?? []);
        return this.session.isConnected ? this.guarded(() => this.roots()) : [];
    }

    protected abstract roots(): Promise<Entry[]>;

    private async guarded(list: () => Promise<Entry[]>): Promise<Entry[]> {
        try {
            return await list();
        } catch (error) {
            const entry = new Entry(messageOf(error));
            entry.iconPath = new vscode.ThemeIcon("warning");
            return [entry];
        }
    }
}

const kIcons: Record<string, string> = {
    TABLE: "table",
    VECTOR: "list-flat",
    MATRIX: "table",
    DICTIONARY: "symbol-object",
    SET: "symbol-enum",
    SCALAR: "symbol-variable",
    PAIR: "symbol-array",
};

export class VariablesTree extends Tree {
    protected async roots(): Promise<Entry[]> {
        const variables = await this.session.channel.request<Variable[]>("pelorus/variables", {});
        return variables.map((variable) => {
            const entry = new Entry(variable.name, undefined, variable);
            const isScalar = variable.form === "SCALAR" || variable.form === "SYSOBJ" || variable.form === "CHART";
            const size =
                variable.form === "TABLE"
                    ? `${Number(variable.rows).toLocaleString("en-US")} rows × ${variable.columns}`
                    : isScalar
                      ? ""
                      : Number(variable.rows).toLocaleString("en-US");
            entry.description = [
                variable.form === "TABLE"
                    ? "table"
                    : `${variable.type}${isScalar ? "" : " " + String(variable.form).toLowerCase()}`,
                size,
                variable.isShared ? "shared" : "",
            ]
                .filter(Boolean)
                .join(", ");
            entry.tooltip = `${variable.name}: ${variable.type} ${variable.form}, ${bytesText(Number(variable.bytes))}`;
            entry.iconPath = new vscode.ThemeIcon(kIcons[variable.form] ?? "symbol-variable");
            entry.contextValue = "variable";
            entry.command = { command: "pelorus.showVariable", title: "Show Value", arguments: [entry] };
            return entry;
        });
    }
}

export class DatabasesTree extends Tree {
    protected async roots(): Promise<Entry[]> {
        const databases = await this.session.channel.request<{ path: string; tables: string[] }[]>(
            "pelorus/databases",
            {},
        );
        return databases.map((database) => {
            const tables = database.tables.map((name) => {
                const table = new Entry(name, () => this.columns(database.path, name), {
                    database: database.path,
                    table: name,
                });
                table.iconPath = new vscode.ThemeIcon("table");
                table.contextValue = "table";
                return table;
            });
            const entry = new Entry(database.path, tables);
            entry.iconPath = new vscode.ThemeIcon("database");
            entry.contextValue = "database";
            return entry;
        });
    }

    private async columns(database: string, table: string): Promise<Entry[]> {
        const schema = await this.session.channel.request<Schema>("pelorus/schema", { database, table });
        return schema.columns.map((column) => {
            const entry = new Entry(column.name);
            entry.description = column.typeString + (column.comment ? ` (${column.comment})` : "");
            entry.iconPath = new vscode.ThemeIcon("symbol-field");
            return entry;
        });
    }
}

export class JobsTree extends Tree {
    protected async roots(): Promise<Entry[]> {
        const jobs = await this.session.channel.request<Jobs>("pelorus/jobs", {});
        const running = jobs.running.map((job) => {
            const entry = new Entry(
                String(job.desc ?? job.jobDesc ?? job.rootJobId).split("\n")[0] || job.rootJobId,
                undefined,
                { id: job.rootJobId, isBatch: false },
            );
            entry.description = `running, ${job.userID ?? ""}`;
            entry.iconPath = new vscode.ThemeIcon("sync~spin");
            entry.contextValue = "runningJob";
            return entry;
        });
        const batch = jobs.batch.map((job) => {
            const isDone = job.endTime != null;
            const entry = new Entry(job.jobId, undefined, { id: job.jobId, isBatch: true });
            entry.description = [
                job.jobDesc,
                isDone ? (job.errorMsg ? "failed" : "done") : job.startTime ? "running" : "waiting",
            ]
                .filter(Boolean)
                .join(", ");
            entry.tooltip = job.errorMsg || JSON.stringify(job, null, 1);
            entry.iconPath = new vscode.ThemeIcon(!isDone ? "sync~spin" : job.errorMsg ? "error" : "pass");
            entry.contextValue = isDone ? "job" : "runningJob";
            return entry;
        });
        return [...running, ...batch];
    }
}
