// The page of the results panel: one tab for each of the last results, shown as text, grid or chart.
import "../../web/view/chart";
import "../../web/view/grid";
import type { PelorusChart } from "../../web/view/chart";
import type { PelorusGrid } from "../../web/view/grid";
import type {
    ChartPicture,
    ChartPoint,
    GridOrder,
    GridPage,
    ResultDescription,
    ResultSource,
} from "../../web/view/protocol";
import style from "../../web/view/view.css";

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

const kMaxTabs = 12;
const host = acquireVsCodeApi();

interface Tab {
    title: string;
    result: ResultDescription;
    element?: HTMLElement;
}
let tabs: Tab[] = [];
let shown = -1;

// Requests that the extension has not answered yet.
const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
let lastId = 0;

function ask<Answer>(method: string, parameters: unknown): Promise<Answer> {
    return new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        host.postMessage({ id, method, parameters });
    });
}

const source: ResultSource = {
    page: (handle: number, offset: number, count: number, order: GridOrder) =>
        ask<GridPage>("pelorus/page", { handle, offset, count, ...order }),
    chartPoint: (handle, at) => ask<ChartPoint | null>("pelorus/chartPoint", { handle, at }),
    chart: (handle, width, height, from, to, isDark) =>
        ask<ChartPicture>("pelorus/chart", { handle, width, height, from, to, isDark }),
};

function isDark(): boolean {
    return (
        !document.body.classList.contains("vscode-light") &&
        !document.body.classList.contains("vscode-high-contrast-light")
    );
}

function makeElement(tab: Tab): HTMLElement {
    const { result } = tab;
    if (result.kind === "grid") {
        const grid = document.createElement("pelorus-grid") as PelorusGrid;
        grid.show(source, result.handle!, result.columns!, result.rows!);
        return grid;
    }
    if (result.kind === "chart") {
        const chart = document.createElement("pelorus-chart") as PelorusChart;
        chart.show(source, result.handle!, isDark());
        return chart;
    }
    const text = document.createElement("pre");
    text.textContent = result.text ?? "";
    return text;
}

const navigation = document.createElement("nav");
navigation.setAttribute("role", "tablist");
const main = document.createElement("main");

function show(index: number): void {
    shown = index;
    navigation.replaceChildren(
        ...tabs.map((tab, i) => {
            const button = document.createElement("button");
            button.textContent = tab.title;
            button.title = tab.result.type;
            button.setAttribute("role", "tab");
            button.setAttribute("aria-selected", String(i === shown));
            button.onclick = () => show(i);
            return button;
        }),
    );
    navigation.hidden = tabs.length < 2;
    const tab = tabs[shown];
    if (!tab) {
        const empty = document.createElement("div");
        empty.className = "empty";
        empty.textContent = "Run a script to see its result here.";
        main.replaceChildren(empty);
        return;
    }
    tab.element ??= makeElement(tab);
    main.replaceChildren(tab.element);
    navigation.children[shown]?.scrollIntoView({ inline: "nearest" });
}

// What the extension says: the answer of a request, results to show, or that all of them are gone.
interface HostMessage {
    id?: number;
    result?: unknown;
    error?: string;
    show?: Tab[];
    clear?: boolean;
}

window.addEventListener("message", ({ data }: MessageEvent<HostMessage>) => {
    if (data.id !== undefined) {
        const request = waiting.get(data.id);
        waiting.delete(data.id);
        if (data.error !== undefined) request?.reject(new Error(data.error));
        else request?.resolve(data.result);
    } else if (data.show) {
        for (const { title, result } of data.show) tabs.push({ title, result });
        for (const gone of tabs.splice(0, Math.max(0, tabs.length - kMaxTabs))) {
            if (gone.result.handle !== undefined) host.postMessage({ release: gone.result.handle });
        }
        show(tabs.length - 1);
    } else if (data.clear) {
        tabs = [];
        show(-1);
    }
});

new MutationObserver(() => {
    for (const chart of document.querySelectorAll<PelorusChart>("pelorus-chart")) chart.setDark(isDark());
}).observe(document.body, { attributes: true, attributeFilter: ["class"] });

const sheet = document.createElement("style");
sheet.textContent = style;
// The content policy allows the style that carries the page's nonce.
sheet.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce;
document.head.append(sheet);
document.body.append(navigation, main);
show(-1);
host.postMessage({ ready: true });
