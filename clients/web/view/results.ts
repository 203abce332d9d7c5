// ResultTabs shows the last results of scripts, each in a tab of its own: as text, grid or chart.
import "./chart";
import "./grid";
import type { PelorusChart } from "./chart";
import type { PelorusGrid } from "./grid";
import type { ResultDescription, ResultSource } from "./protocol";

const kMaxTabs = 12;

export interface ShownResult {
    title: string;
    result: ResultDescription;
}

// What the tabs need of the page around them.
export interface ResultHost {
    readonly source: ResultSource;
    isDark(): boolean;
    // The result is no longer shown.
    release(handle: number): void;
    // Another tab is shown: `element` is its content, undefined where there is none.
    shown?(element: HTMLElement | undefined): void;
}

interface Tab extends ShownResult {
    element?: HTMLElement;
}

export class ResultTabs {
    readonly navigation = document.createElement("nav");
    readonly main = document.createElement("div");
    private tabs: Tab[] = [];

    constructor(private readonly host: ResultHost) {
        this.navigation.setAttribute("role", "tablist");
        this.navigation.setAttribute("aria-label", "Results");
        this.main.className = "results";
        this.main.setAttribute("role", "tabpanel");
        this.main.setAttribute("aria-label", "Result");
        this.show(-1);
    }

    add(results: ShownResult[]): void {
        for (const { title, result } of results) this.tabs.push({ title, result });
        for (const gone of this.tabs.splice(0, Math.max(0, this.tabs.length - kMaxTabs))) {
            if (gone.result.handle !== undefined) this.host.release(gone.result.handle);
        }
        this.show(this.tabs.length - 1);
    }

    clear(): void {
        this.tabs = [];
        this.show(-1);
    }

    setDark(isDark: boolean): void {
        for (const { element } of this.tabs)
            if (element?.localName === "pelorus-chart") (element as PelorusChart).setDark(isDark);
    }

    private show(index: number): void {
        this.navigation.replaceChildren(
            ...this.tabs.map((tab, i) => {
                const button = document.createElement("button");
                button.textContent = tab.title;
                button.title = tab.result.type;
                button.setAttribute("role", "tab");
                button.setAttribute("aria-selected", String(i === index));
                button.onclick = () => this.show(i);
                return button;
            }),
        );
        this.navigation.hidden = this.tabs.length < 2;
        const tab = this.tabs[index];
        if (!tab) {
            const empty = document.createElement("div");
            empty.className = "empty";
            empty.textContent = "Run a script to see its result here.";
            this.main.replaceChildren(empty);
        } else {
            tab.element ??= this.makeElement(tab.result);
            this.main.replaceChildren(tab.element);
            this.navigation.children[index]?.scrollIntoView({ inline: "nearest" });
        }
        this.host.shown?.(tab?.element);
    }

    private makeElement(result: ResultDescription): HTMLElement {
        if (result.kind === "grid") {
            const grid = document.createElement("pelorus-grid") as PelorusGrid;
            grid.show(this.host.source, result.handle!, result.columns!, result.rows!);
            return grid;
        }
        if (result.kind === "chart") {
            const chart = document.createElement("pelorus-chart") as PelorusChart;
            chart.show(this.host.source, result.handle!, this.host.isDark());
            return chart;
        }
        const text = document.createElement("pre");
        text.tabIndex = 0; // the keyboard scrolls it
        text.textContent = result.text ?? "";
        return text;
    }
}

// Returns a source that asks a database by the requests of docs/editor.md.
export function sourceOf(ask: <Answer>(method: string, parameters: unknown) => Promise<Answer>): ResultSource {
    return {
        page: (handle, offset, count, order) => ask("pelorus/page", { handle, offset, count, ...order }),
        chartPoint: (handle, at) => ask("pelorus/chartPoint", { handle, at }),
        chart: (handle, width, height, from, to, isDark) =>
            ask("pelorus/chart", { handle, width, height, from, to, isDark }),
    };
}
