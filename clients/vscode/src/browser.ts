// VS Code in a browser: the language server and the workbench are those of a node, reached by WebSocket.
import type * as vscode from "vscode";
import { BaseLanguageClient } from "vscode-languageclient/browser";
import { createMessageConnection, type MessageConnection } from "vscode-jsonrpc/browser";
import type { DebugCarrier } from "./debugger";
import { start, type PelorusApi } from "./extension";
import { makeClient } from "./language_client";
import type { Channel } from "./session";
import type { Target } from "./target";
import { openSocket, SocketReader, SocketWriter } from "./web_socket_transport";

// One connection for the workbench, and one for the language client, which owns its own.
class NodeChannel implements Channel {
    readonly opensFolders = false;
    private connection: MessageConnection | undefined;
    private socket: WebSocket | undefined;
    private client: BaseLanguageClient | undefined;
    private readonly debugged = new Set<(session: number, message: vscode.DebugProtocolMessage) => void>();
    private notify: (method: string, parameters: any) => void = () => undefined;
    private lost: (reason: string) => void = () => undefined;

    async open(target: Target, password: string | undefined): Promise<{ name: string; user: string }> {
        if (!target.address) throw new Error("A browser opens no folders; connect to a node.");
        if (password === undefined) throw new Error(`The node needs a password of ${target.user ?? "admin"}.`);
        await this.close();
        const login = { user: target.user ?? "admin", password };
        const socket = await openSocket(target.address, target.tls ?? false);
        const connection = createMessageConnection(new SocketReader(socket), new SocketWriter(socket));
        for (const method of ["pelorus/output", "pelorus/progress"]) connection.onNotification(method, (parameters) => this.notify(method, parameters));
        connection.onNotification("dap/message", ({ session, message }) => this.debugged.forEach((handler) => handler(session, message)));
        connection.onClose(() => {
            if (this.connection !== connection) return;
            this.connection = undefined;
            connection.dispose();
            this.lost("");
        });
        connection.listen();
        let opened: { name: string; user: string };
        try {
            opened = await connection.sendRequest("pelorus/connect", login);
        } catch (error) {
            connection.dispose();
            socket.close(1000);
            throw error;
        }
        this.socket = socket;
        this.connection = connection;
        this.client = makeClient(BaseLanguageClient as any, async () => {
            const own = await openSocket(target.address!, target.tls ?? false);
            const reader = new SocketReader(own);
            const writer = new SocketWriter(own);
            await new Promise<void>((resolve, reject) => {
                const listening = reader.listen((message: any) => {
                    listening.dispose();
                    if (message.error) reject(new Error(message.error.message));
                    else resolve();
                });
                void writer.write({ jsonrpc: "2.0", id: 0, method: "pelorus/connect", params: login } as any);
            });
            return { reader, writer };
        }, false);
        void this.client.start().catch(() => undefined);
        return opened;
    }

    async close(): Promise<void> {
        const { connection, client, socket } = this;
        this.connection = this.client = this.socket = undefined;
        connection?.dispose();
        socket?.close(1000);
        await client?.stop().catch(() => undefined);
    }
    async request<Answer>(method: string, parameters: unknown): Promise<Answer> {
        if (!this.connection) throw new Error("No node is connected.");
        return this.connection.sendRequest<Answer>(method, parameters);
    }
    onNotification(handler: (method: string, parameters: any) => void): void {
        this.notify = handler;
    }
    async debugCarrier(): Promise<DebugCarrier> {
        const { debugged } = this;
        return {
            request: (method, parameters) => this.request(method, parameters),
            onDebugMessage(handler) {
                debugged.add(handler);
                return { dispose: () => debugged.delete(handler) };
            },
            dispose: () => undefined,
        };
    }
    onLost(handler: (reason: string) => void): void {
        this.lost = handler;
    }
    dispose(): Promise<void> {
        this.lost = () => undefined;
        return this.close();
    }
}

let channel: NodeChannel | undefined;

export function activate(context: vscode.ExtensionContext): PelorusApi {
    channel = new NodeChannel();
    return start(context, channel);
}

export async function deactivate(): Promise<void> {
    await channel?.dispose();
}
