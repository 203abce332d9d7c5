// VS Code on a desktop: the language server is a process, which opens embedded databases and connects to nodes.
import { spawn, type ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import { BaseLanguageClient, State, StreamMessageReader, StreamMessageWriter } from "vscode-languageclient/node";
import type { DebugCarrier, DebugNotice } from "./debugger";
import { start, type PelorusApi } from "./extension";
import { findProgram } from "./find_program";
import { makeClient } from "./language_client";
import { connectDebugger } from "./node_socket";
import { showError, type Channel } from "./session";
import type { Target } from "./target";

function programPath(): string {
    return findProgram(vscode.workspace.getConfiguration("pelorus").get<string>("program", ""), process.env.PATH ?? "");
}

class ProcessChannel implements Channel {
    readonly opensFolders = true;
    private readonly client: BaseLanguageClient;
    private process: ChildProcess | undefined;
    private starting: Promise<void> | undefined;
    private lost: (reason: string) => void = () => undefined;

    constructor() {
        this.client = makeClient(BaseLanguageClient, () => this.startProcess(), true);
        this.client.onDidChangeState(({ newState }) => {
            if (newState === State.Stopped) this.lost("The language server has ended.");
        });
    }

    startClient(): Promise<void> {
        this.starting ??= this.client.start().catch((error) => {
            this.starting = undefined;
            throw error;
        });
        return this.starting;
    }

    private async startProcess() {
        const child = spawn(programPath(), ["lsp"], { stdio: ["pipe", "pipe", "pipe"] });
        this.process = child;
        child.stderr.on("data", (bytes) => this.client.outputChannel.append(String(bytes)));
        await new Promise<void>((resolve, reject) => {
            child.once("spawn", resolve);
            child.once("error", reject);
        });
        return { reader: new StreamMessageReader(child.stdout), writer: new StreamMessageWriter(child.stdin) };
    }

    async open(target: Target, password: string | undefined): Promise<{ name: string; user: string }> {
        await this.startClient();
        return this.client.sendRequest("pelorus/connect", {
            ...target,
            ...(password === undefined ? {} : { password }),
        });
    }
    async close(): Promise<void> {
        await this.client.sendRequest("pelorus/disconnect", {});
    }
    async request<Answer>(method: string, parameters: unknown): Promise<Answer> {
        await this.startClient();
        return this.client.sendRequest<Answer>(method, parameters);
    }
    onNotification(handler: (method: string, parameters: unknown) => void): void {
        for (const method of ["pelorus/output", "pelorus/progress"])
            this.client.onNotification(method, (parameters: unknown) => handler(method, parameters));
    }
    async debugCarrier(target: Target, password: string | undefined): Promise<DebugCarrier> {
        if (target.address) return connectDebugger(target, password ?? "");
        return {
            request: (method, parameters) => this.client.sendRequest(method, parameters),
            onDebugMessage: (handler) =>
                this.client.onNotification("dap/message", ({ session, message }: DebugNotice) =>
                    handler(session, message),
                ),
            dispose: () => undefined,
        };
    }
    onLost(handler: (reason: string) => void): void {
        this.lost = handler;
    }
    async dispose(): Promise<void> {
        this.lost = () => undefined;
        await this.client.stop().catch(() => undefined);
        this.process?.kill();
    }
}

let channel: ProcessChannel | undefined;

export function activate(context: vscode.ExtensionContext): PelorusApi {
    channel = new ProcessChannel();
    const api = start(context, channel, () => new vscode.DebugAdapterExecutable(programPath(), ["dap"]));
    channel.startClient().catch(showError);
    return api;
}

export async function deactivate(): Promise<void> {
    await channel?.dispose();
}
