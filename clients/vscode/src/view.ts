// The page of the results panel: the tabs of clients/web/view, which ask the extension.
import { ResultTabs, sourceOf, type ShownResult } from "../../web/view/results";
import style from "../../web/view/view.css";

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

const host = acquireVsCodeApi();

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

function isDark(): boolean {
    return (
        !document.body.classList.contains("vscode-light") &&
        !document.body.classList.contains("vscode-high-contrast-light")
    );
}

const tabs = new ResultTabs({
    source: sourceOf(ask),
    isDark,
    release: (handle) => host.postMessage({ release: handle }),
});

// What the extension says: the answer of a request, results to show, or that all of them are gone.
interface HostMessage {
    id?: number;
    result?: unknown;
    error?: string;
    show?: ShownResult[];
    clear?: boolean;
}

window.addEventListener("message", ({ data }: MessageEvent<HostMessage>) => {
    if (data.id !== undefined) {
        const request = waiting.get(data.id);
        waiting.delete(data.id);
        if (data.error !== undefined) request?.reject(new Error(data.error));
        else request?.resolve(data.result);
    } else if (data.show) {
        tabs.add(data.show);
    } else if (data.clear) {
        tabs.clear();
    }
});

new MutationObserver(() => tabs.setDark(isDark())).observe(document.body, {
    attributes: true,
    attributeFilter: ["class"],
});

const sheet = document.createElement("style");
sheet.textContent = style;
// The content policy allows the style that carries the page's nonce.
sheet.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce;
document.head.append(sheet);
document.body.append(tabs.navigation, tabs.main);
host.postMessage({ ready: true });
