// VS Code in a browser: the language server and the workbench are those of a node, reached by WebSocket.
import type * as vscode from "vscode";
import type { RequestMessage, ResponseMessage } from "vscode-jsonrpc";
import { BaseLanguageClient } from "vscode-languageclient/browser";
import type { DebugCarrier, DebugNotice } from "./debugger";
import { start, type PelorusApi } from "./extension";
import { makeClient } from "./language_client";
import type { Channel } from "./session";
import type { Target } from "./target";
import { openSocket, SocketReader, SocketWriter } from "./web_socket_transport";

const kNotices = ["pelorus/output", "pelorus/progress"];

// One connection to a node, of the language client, carries the requests of the workbench, too: completion knows the
// session in which scripts run.
class NodeChannel implements Channel {
    readonly opensFolders = false;
    private client: BaseLanguageClient | undefined;
    private readonly debugged = new Set<(session: number, message: vscode.DebugProtocolMessage) => void>();
    private notify: (method: string, parameters: unknown) => void = () => undefined;
    private lost: (reason: string) => void = () => undefined;

    async open(target: Target, password: string | undefined): Promise<{ name: string; user: string }> {
        if (!target.address) throw new Error("A browser opens no folders; connect to a node.");
        if (password === undefined) throw new Error(`The node needs a password of ${target.user ?? "admin"}.`);
        await this.close();
        const socket = await openSocket(target.address, target.tls ?? false);
        const reader = new SocketReader(socket);
        const writer = new SocketWriter(socket);
        const opened = await logIn(reader, writer, { user: target.user ?? "admin", password }).catch((error) => {
            socket.close(1000);
            throw error;
        });
        const client = makeClient(BaseLanguageClient, async () => ({ reader, writer }), false);
        for (const method of kNotices)
            client.onNotification(method, (parameters: unknown) => this.notify(method, parameters));
        client.onNotification("dap/message", ({ session, message }: DebugNotice) =>
            this.debugged.forEach((handler) => handler(session, message)),
        );
        socket.addEventListener("close", () => {
            if (this.client !== client) return;
            this.client = undefined;
            this.lost("");
        });
        this.client = client;
        await client.start();
        return opened;
    }

    async close(): Promise<void> {
        const { client } = this;
        this.client = undefined;
        await client?.stop().catch(() => undefined);
    }
    async request<Answer>(method: string, parameters: unknown): Promise<Answer> {
        if (!this.client) throw new Error("No node is connected.");
        return this.client.sendRequest<Answer>(method, parameters);
    }
    onNotification(handler: (method: string, parameters: unknown) => void): void {
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

// The first request of a connection, before those of the language client.
function logIn(
    reader: SocketReader,
    writer: SocketWriter,
    login: { user: string; password: string },
): Promise<{ name: string; user: string }> {
    return new Promise((resolve, reject) => {
        const closing = reader.onClose(() => reject(new Error("The node has ended the connection.")));
        const listening = reader.listen((message) => {
            const answer = message as ResponseMessage;
            if (answer.id !== 0) return;
            listening.dispose();
            closing.dispose();
            if (answer.error) reject(new Error(answer.error.message));
            else resolve(answer.result as { name: string; user: string });
        });
        void writer.write({ jsonrpc: "2.0", id: 0, method: "pelorus/connect", params: login } as RequestMessage);
    });
}

let channel: NodeChannel | undefined;

export function activate(context: vscode.ExtensionContext): PelorusApi {
    channel = new NodeChannel();
    return start(context, channel);
}

export async function deactivate(): Promise<void> {
    await channel?.dispose();
}
