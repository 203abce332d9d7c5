// The panel that shows results.
import * as vscode from "vscode";
import type { ResultDescription } from "../../web/view/protocol";
import { messageOf } from "../../web/view/texts";
import type { Session } from "./session";

interface ShownResult {
    title: string;
    result: ResultDescription;
}

// What the page says: that it is ready, that a result is no longer shown, or a request.
interface PageMessage {
    ready?: boolean;
    release?: number;
    id: number;
    method: string;
    parameters: unknown;
}

export class ResultsView implements vscode.WebviewViewProvider {
    private view: vscode.WebviewView | undefined;
    private isReady = false;
    private held: ShownResult[] = []; // until the page is ready

    constructor(
        private readonly extensionUri: vscode.Uri,
        private readonly session: Session,
    ) {}

    resolveWebviewView(view: vscode.WebviewView): void {
        this.view = view;
        this.isReady = false;
        const dist = vscode.Uri.joinPath(this.extensionUri, "dist");
        view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
        const nonce = crypto.randomUUID().replaceAll("-", "");
        const script = view.webview.asWebviewUri(vscode.Uri.joinPath(dist, "view.js"));
        const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}' 'unsafe-inline'; img-src data:`;
        view.webview.html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"></head><body><script nonce="${nonce}" src="${script.toString()}"></script></body></html>`;
        view.webview.onDidReceiveMessage((message: PageMessage) => this.receive(message));
        view.onDidDispose(() => {
            this.view = undefined;
            this.isReady = false;
        });
    }

    async show(results: ShownResult[]): Promise<void> {
        if (results.length === 0) return;
        this.held.push(...results);
        if (this.view) this.view.show(true);
        else await vscode.commands.executeCommand("pelorus.results.focus", { preserveFocus: true });
        this.flush();
    }

    clear(): void {
        this.held = [];
        void this.view?.webview.postMessage({ clear: true });
    }

    private flush(): void {
        if (!this.view || !this.isReady || this.held.length === 0) return;
        void this.view.webview.postMessage({ show: this.held });
        this.held = [];
    }

    private async receive(message: PageMessage): Promise<void> {
        if (message.ready) {
            this.isReady = true;
            this.flush();
            return;
        }
        if (message.release !== undefined) {
            await this.session.channel.request("pelorus/release", { handle: message.release }).catch(() => undefined);
            return;
        }
        if (!["pelorus/page", "pelorus/chart", "pelorus/chartPoint"].includes(message.method)) return;
        try {
            const result = await this.session.channel.request(message.method, message.parameters);
            void this.view?.webview.postMessage({ id: message.id, result });
        } catch (error) {
            void this.view?.webview.postMessage({ id: message.id, error: messageOf(error) });
        }
    }
}
