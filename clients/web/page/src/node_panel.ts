// NodePanel shows the node and its cluster to an operator: nodes and their states, disk and memory, running requests
// with cancel, jobs, replicas, streams and subscriptions, the log.
import type { Jobs } from "../../view/protocol";
import { bytesText, messageOf } from "../../view/texts";
import type { Connection } from "./connection";
import { make, makeButton } from "./dom";
import { titleOfJob } from "./side_bar";

type Row = Record<string, string | number | boolean | null>;

interface NodeState {
    nodes: Row[];
    figures: { name: string; value: string | null }[];
    streams: Row[];
    subscriptions: Row[];
    log: string[];
}

interface Copies {
    partitions: number;
    fewest: number;
    most: number;
    recovering: number;
    nodes: Row[];
}

// Members of the rows, and what they are called here.
type Columns = [member: string, title: string][];
const kStreamColumns: Columns = [
    ["name", "table"],
    ["columns", "columns"],
    ["rowsInMemory", "rows in memory"],
    ["totalRows", "rows"],
    ["persisted", "on disk"],
    ["memoryUsed", "bytes"],
];
const kSubscriptionColumns: Columns = [
    ["input", "table"],
    ["output", "reader"],
    ["name", "name"],
    ["user", "user"],
    ["kind", "kind"],
    ["position", "next row"],
    ["lagRows", "rows waiting"],
    ["failedRows", "rows failed"],
    ["status", "state"],
];
const kRefreshMillis = 3000;
const kCopiesEvery = 5; // refreshes: every partition is listed for them
const kLogLines = 300;

export class NodePanel {
    readonly element = make("main", { class: "node", label: "Node" });
    private readonly content = make("div", { class: "parts" });
    private readonly logFilter = make("input", { label: "Filter the log" });
    private readonly log = make("pre", { class: "log", label: "Log" });
    private lines: string[] = [];
    private copies: Copies | undefined;
    private refreshes = 0;
    private timer: ReturnType<typeof setTimeout> | undefined;

    constructor(private readonly connection: Connection) {
        this.logFilter.placeholder = "Filter the log";
        this.logFilter.oninput = () => this.showLog();
        this.log.tabIndex = 0;
        const head = make("div", { class: "log-head" }, make("h2", { text: "Log" }), this.logFilter);
        this.element.append(this.content, head, this.log);
    }

    start(): void {
        void this.refresh();
    }
    stop(): void {
        clearTimeout(this.timer);
        this.timer = undefined;
    }

    private async refresh(): Promise<void> {
        clearTimeout(this.timer);
        if (this.connection.state === "open") {
            try {
                const [state, jobs] = await Promise.all([
                    this.connection.request<NodeState>("pelorus/node", {}),
                    this.connection.request<Jobs>("pelorus/jobs", {}),
                ]);
                if (this.refreshes++ % kCopiesEvery === 0)
                    this.copies = await this.connection.request<Copies>("pelorus/copies", {});
                this.show(state, jobs);
            } catch (error) {
                this.content.replaceChildren(make("p", { class: "none", text: messageOf(error) }));
            }
        }
        this.timer = setTimeout(() => {
            if (this.element.isConnected) void this.refresh();
        }, kRefreshMillis);
    }

    private show(state: NodeState, jobs: Jobs): void {
        // A button that has the focus keeps it, though the tables are made anew.
        const focused = this.content.contains(document.activeElement)
            ? document.activeElement!.getAttribute("aria-label")
            : null;
        const figures = new Map(state.figures.map(({ name, value }) => [name, value]));
        this.content.replaceChildren(
            this.figureCards(figures),
            table(
                "Nodes",
                ["name", "site", "state", "connections", "memory", "processor", "load"],
                state.nodes.map(nodeCells),
            ),
            this.requests(jobs),
            table(
                "Jobs",
                ["job", "user", "description", "begun", "state"],
                jobs.batch.map((job) => [
                    job.jobId,
                    job.userID ?? "",
                    job.jobDesc ?? "",
                    job.startTime ?? "",
                    !job.endTime
                        ? this.cancelButton(job.jobId, job.jobId, true)
                        : job.errorMsg
                          ? `failed: ${job.errorMsg}`
                          : "done",
                ]),
            ),
            replicas(this.copies),
            tableOfRows("Streams", state.streams, kStreamColumns),
            tableOfRows("Subscriptions", state.subscriptions, kSubscriptionColumns),
        );
        if (focused) this.content.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
        this.lines = state.log;
        this.showLog();
    }

    private figureCards(figures: Map<string, string | null>): HTMLElement {
        const number = (name: string) => Number(figures.get(name) ?? NaN);
        const capacity = number("diskCapacity");
        const free = number("diskFreeSpace");
        const cards: [string, string, number | null][] = [
            ["Disk", `${bytesText(capacity - free)} of ${bytesText(capacity)}`, (capacity - free) / capacity],
            ["Memory", `${bytesText(number("memoryUsed"))} of ${bytesText(number("memoryAlloc"))} taken`, null],
            ["Processor", `${number("cpuUsage").toFixed(0)} %`, number("cpuUsage") / 100],
            ["Load", number("avgLoad").toFixed(2), null],
            ["Jobs", `${figures.get("runningJobs") ?? 0} running, ${figures.get("queuedJobs") ?? 0} waiting`, null],
            ["Connections", figures.get("connectionNum") ?? "", null],
        ];
        return make(
            "div",
            { class: "cards" },
            ...cards.map(([name, text, share]) => {
                const card = make("div", { class: "card" }, make("span", { text: name }), make("b", { text }));
                if (share !== null && Number.isFinite(share)) {
                    const meter = make("meter", { label: name });
                    meter.max = 1;
                    meter.high = 0.9;
                    meter.value = share;
                    card.append(meter);
                }
                return card;
            }),
        );
    }

    private requests(jobs: Jobs): HTMLElement {
        const others = jobs.running.filter((job) => titleOfJob(job) !== "getConsoleJobs"); // not the question itself
        return table(
            "Running requests",
            ["request", "user", "from", "begun", ""],
            others.map((job) => [
                titleOfJob(job),
                job.userID ?? "",
                job.remoteIP ?? "",
                job.receiveTime ?? "",
                this.cancelButton(titleOfJob(job), job.rootJobId, false),
            ]),
        );
    }

    private cancelButton(title: string, id: string, isBatch: boolean): HTMLElement {
        const action = async () => {
            await this.connection.request("pelorus/cancelJob", { id, isBatch }).catch(() => undefined);
            await this.refresh();
        };
        return makeButton("Cancel", "Cancel this job", () => void action(), `Cancel ${title} ${id}`);
    }

    private showLog(): void {
        const wanted = this.logFilter.value.toLowerCase();
        const lines = this.lines.filter((line) => line.toLowerCase().includes(wanted)).slice(-kLogLines);
        const isAtEnd = this.log.scrollTop + this.log.clientHeight >= this.log.scrollHeight - 4;
        this.log.textContent = lines.join("\n") || "No lines: the log is for administrators, or goes to no file.";
        if (isAtEnd) this.log.scrollTop = this.log.scrollHeight;
    }
}

function nodeCells(node: Row): string[] {
    const place = [String(node.name ?? ""), `${node.host ?? ""}:${node.port ?? ""}`];
    if (Number(node.state) !== 1) return [...place, "○ down", "", "", "", ""];
    return [
        ...place,
        "● up",
        `${node.connectionNum ?? ""} of ${node.maxConnections ?? ""}`,
        `${bytesText(Number(node.memoryUsed ?? 0))} of ${Number(node.maxMemSize ?? 0).toFixed(1)} GB`,
        `${Number(node.cpuUsage ?? 0).toFixed(0)} %`,
        Number(node.avgLoad ?? 0).toFixed(2),
    ];
}

function replicas(copies: Copies | undefined): HTMLElement {
    const nothing: Copies = { partitions: 0, fewest: 0, most: 0, recovering: 0, nodes: [] };
    const { partitions, fewest, most, recovering, nodes } = copies ?? nothing;
    const part = table(
        "Replicas",
        ["node", "state", "copies", "seconds behind"],
        nodes.map((node) => [
            String(node.name ?? ""),
            `${node.alive === false ? "○ down, " : ""}${node.state ?? ""}`,
            String(node.copies ?? 0),
            String(node.staleness ?? ""),
        ]),
    );
    const each = fewest === most ? `${most}` : `${fewest} to ${most}`;
    const text = `Partitions: ${partitions}. Copies of each: ${each}. Being copied: ${recovering}.`;
    if (partitions > 0) part.append(make("p", { class: "none", text }));
    return part;
}

function tableOfRows(title: string, rows: Row[], columns: Columns): HTMLElement {
    return table(
        title,
        columns.map(([, name]) => name),
        rows.map((row) => columns.map(([member]) => String(row[member] ?? ""))),
    );
}

function table(title: string, names: string[], rows: (string | Node)[][]): HTMLElement {
    const part = make("section", { class: "part" }, make("h2", { text: title }));
    if (rows.length === 0) {
        part.append(make("p", { class: "none", text: "None" }));
        return part;
    }
    const head = make("tr", {}, ...names.map((name) => make(name ? "th" : "td", { text: name })));
    const body = rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell))));
    const scroller = make(
        "div",
        { class: "table", label: title },
        make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)),
    );
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    part.append(scroller);
    return part;
}
