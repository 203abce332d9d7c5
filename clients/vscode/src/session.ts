// A session with a database: connection, running scripts, and the requests of the panels.
import * as vscode from "vscode";
import type { Progress, RunAnswer } from "../../web/view/protocol";
import { messageOf } from "../../web/view/texts";
import type { DebugCarrier } from "./debugger";
import { secretKeyOf, titleOf, type Target } from "./target";

// What a running script prints, line by line.
interface Output {
    text: string;
    isNotice: boolean;
}

// The connection to a language server with a workbench: a process, or a node by WebSocket.
export interface Channel {
    // Whether it opens folders, or nodes only.
    readonly opensFolders: boolean;
    // Connects to the database. Rejects with the reason.
    open(target: Target, password: string | undefined): Promise<{ name: string; user: string }>;
    close(): Promise<void>;
    request<Answer>(method: string, parameters: unknown): Promise<Answer>;
    onNotification(handler: (method: string, parameters: unknown) => void): void;
    // A carrier for one script that is debugged on the target that is open.
    debugCarrier(target: Target, password: string | undefined): Promise<DebugCarrier>;
    // Called when the connection is lost, with the reason.
    onLost(handler: (reason: string) => void): void;
    dispose(): Promise<void>;
}

export class Session implements vscode.Disposable {
    private target: Target | undefined;
    private password: string | undefined;
    private running = 0;
    private readonly changed = new vscode.EventEmitter<void>();
    private readonly printed = new vscode.EventEmitter<Output>();
    private readonly progressed = new vscode.EventEmitter<string>();
    private isOpen = false;

    // Connected, disconnected, or a run has begun or ended.
    readonly onChanged = this.changed.event;
    readonly onPrinted = this.printed.event;
    readonly onProgressed = this.progressed.event;

    constructor(
        readonly channel: Channel,
        private readonly secrets: vscode.SecretStorage,
    ) {
        channel.onNotification((method, parameters) => {
            if (method === "pelorus/output") this.printed.fire(parameters as Output);
            if (method === "pelorus/progress") this.progressed.fire(progressText(parameters as Progress));
        });
        channel.onLost((reason) => {
            if (!this.isOpen) return;
            this.setOpen(false);
            void vscode.window
                .showWarningMessage(
                    `Pelorus: the connection to ${this.target ? titleOf(this.target) : "the database"} was lost. ${reason}`,
                    "Reconnect",
                )
                .then((choice) => {
                    if (choice && this.target) void this.connect(this.target).catch(showError);
                });
        });
    }

    get isConnected(): boolean {
        return this.isOpen;
    }
    get isRunning(): boolean {
        return this.running > 0;
    }
    get current(): Target | undefined {
        return this.target;
    }

    async connect(target: Target, password?: string): Promise<void> {
        this.target = target;
        this.setOpen(false);
        const known = password ?? (target.address ? await this.secrets.get(secretKeyOf(target)) : undefined);
        try {
            await this.channel.open(target, known);
        } catch (error) {
            this.changed.fire();
            throw error;
        }
        this.password = known;
        if (target.address && password !== undefined) await this.secrets.store(secretKeyOf(target), password);
        this.setOpen(true);
    }

    async disconnect(): Promise<void> {
        this.setOpen(false);
        this.target = undefined;
        await this.channel.close();
        this.changed.fire();
    }

    async run(script: string, line: number): Promise<RunAnswer> {
        ++this.running;
        this.update();
        try {
            return await this.channel.request<RunAnswer>("pelorus/run", { script, line });
        } finally {
            --this.running;
            this.update();
        }
    }

    debugCarrier(): Promise<DebugCarrier> {
        if (!this.isOpen || !this.target) throw new Error("No database is open.");
        return this.channel.debugCarrier(this.target, this.password);
    }

    cancel(): Promise<void> {
        return this.channel.request("pelorus/cancel", {});
    }

    private setOpen(isOpen: boolean): void {
        this.isOpen = isOpen;
        this.update();
    }

    private update(): void {
        void vscode.commands.executeCommand("setContext", "pelorus.isConnected", this.isOpen);
        void vscode.commands.executeCommand("setContext", "pelorus.isRunning", this.isRunning);
        this.changed.fire();
    }

    dispose(): void {
        this.changed.dispose();
        this.printed.dispose();
        this.progressed.dispose();
    }
}

function progressText(progress: Progress): string {
    if (progress.total > 0) return `${progress.work} ${Math.floor((100 * progress.done) / progress.total)} %`;
    return `${progress.work} ${progress.done.toLocaleString("en-US")}`;
}

export function showError(error: unknown): void {
    void vscode.window.showErrorMessage(`Pelorus: ${messageOf(error)}`);
}
