// A connection of its own to a node, for scripts that are debugged there, from VS Code on a desktop: by WebSocket, which
// trusts the certificate that the connection names.
import { readFileSync } from "node:fs";
import type { DebugProtocolMessage, Disposable } from "vscode";
import WebSocket from "ws";
import type { DebugCarrier, DebugNotice } from "./debugger";
import type { Target } from "./target";

// A message of the node: an answer, or a notice of a debugger.
interface NodeMessage {
    id: number;
    method?: string;
    params: DebugNotice;
    result: unknown;
    error?: { message: string };
}

const kAnswerMillis = 20_000;

export async function connectDebugger(target: Target, password: string): Promise<DebugCarrier> {
    const ca = target.tlsCertificate ? readFileSync(target.tlsCertificate) : undefined;
    const isEncrypted = target.tls || ca !== undefined;
    const socket = new WebSocket(`${isEncrypted ? "wss" : "ws"}://${target.address}/`, "pelorus", {
        ca,
        handshakeTimeout: kAnswerMillis,
    });
    await new Promise<void>((resolve, reject) => {
        socket.once("open", resolve);
        socket.once("error", (error) =>
            reject(
                new Error(
                    `The node at ${target.address} cannot be debugged: ${error.message}${isEncrypted && !ca ? ". Name its certificate as tlsCertificate in pelorus.connections." : ""}`,
                ),
            ),
        );
    });
    const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
    const handlers = new Set<(session: number, message: DebugProtocolMessage) => void>();
    let last = 0;
    socket.on("message", (data) => {
        for (const line of (data as Buffer).toString().split("\n")) {
            if (!line) continue;
            const message = JSON.parse(line) as NodeMessage;
            if (message.method === "dap/message")
                for (const handler of handlers) handler(message.params.session, message.params.message);
            const found = waiting.get(message.id);
            if (!found || message.method) continue;
            waiting.delete(message.id);
            if (message.error) found.reject(new Error(message.error.message));
            else found.resolve(message.result);
        }
    });
    socket.on("error", () => undefined); // its end follows
    socket.on("close", () => {
        for (const request of waiting.values()) request.reject(new Error("The connection to the node was lost."));
        waiting.clear();
    });
    const carrier: DebugCarrier = {
        request: (method, parameters) =>
            new Promise((resolve, reject) => {
                if (socket.readyState !== WebSocket.OPEN)
                    return reject(new Error("The connection to the node was lost."));
                waiting.set(++last, { resolve, reject });
                socket.send(
                    Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params: parameters })}\n`),
                );
            }),
        onDebugMessage(handler): Disposable {
            handlers.add(handler);
            return { dispose: () => handlers.delete(handler) };
        },
        dispose: () => socket.close(1000),
    };
    try {
        await carrier.request("pelorus/connect", { user: target.user ?? "admin", password });
    } catch (error) {
        carrier.dispose();
        throw error;
    }
    return carrier;
}
