// Scripts in VS Code's debugger: the adapter is the database that is connected, whose messages travel in those of the
// workbench.
import * as vscode from "vscode";
import type { Session } from "./session";

// Carries requests to a database that debugs, and its messages back.
export interface DebugCarrier {
    request<Answer>(method: string, parameters: unknown): Promise<Answer>;
    // Called with each message of a debugger. One handler per carrier and session.
    onDebugMessage(handler: (session: number, message: vscode.DebugProtocolMessage) => void): vscode.Disposable;
    dispose(): void;
}

// A message of a debugger as a database sends it.
export interface DebugNotice {
    session: number;
    message: vscode.DebugProtocolMessage;
}

interface Message {
    seq?: number;
    type?: string;
    command?: string;
}

// One session of the debugger.
class CarriedAdapter implements vscode.DebugAdapter {
    private readonly sent = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
    readonly onDidSendMessage = this.sent.event;
    private readonly listening: vscode.Disposable;
    private messages: Promise<unknown> = Promise.resolve();

    private constructor(
        private readonly carrier: DebugCarrier,
        private readonly session: number,
    ) {
        this.listening = carrier.onDebugMessage((of, message) => of === session && this.sent.fire(message));
    }

    static async begin(carrier: DebugCarrier): Promise<CarriedAdapter> {
        const { session } = await carrier.request<{ session: number }>("dap/start", {});
        return new CarriedAdapter(carrier, session);
    }

    handleMessage(message: vscode.DebugProtocolMessage): void {
        this.messages = this.carrier
            .request("dap/message", { session: this.session, message })
            .catch((error) => this.refuse(message, error));
    }

    // The database has gone: what waits for an answer gets one, and the session ends.
    private refuse(message: Message, error: unknown): void {
        const reason = error instanceof Error ? error.message : String(error);
        const answer = {
            type: "response",
            seq: 0,
            request_seq: message.seq,
            command: message.command,
            success: message.command === "disconnect",
            message: reason,
        };
        this.sent.fire(answer);
        if (message.command !== "disconnect") this.sent.fire({ type: "event", seq: 0, event: "terminated" });
    }

    dispose(): void {
        void this.messages
            .then(() => this.carrier.request("dap/end", { session: this.session }))
            .catch(() => undefined)
            .finally(() => {
                this.listening.dispose();
                this.sent.dispose();
                this.carrier.dispose();
            });
    }
}

// The name of a document for the debugger: its path, or its URI where it is no file of this machine.
function programOf(uri: vscode.Uri): string {
    return uri.scheme === "file" ? uri.fsPath : uri.toString();
}

function uriOf(program: string): vscode.Uri {
    return /^[a-z][a-z0-9+.-]+:/i.test(program) && !/^[a-z]:[\\/]/i.test(program)
        ? vscode.Uri.parse(program)
        : vscode.Uri.file(program);
}

async function textOf(uri: vscode.Uri): Promise<string> {
    const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    return open ? open.getText() : new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

// `connect` opens a database where none is, and returns whether one is open. `program` is the command of a debug adapter
// for launches that name a folder; without it there are none.
export function registerDebugger(
    session: Session,
    connect: () => Promise<boolean>,
    program?: () => vscode.DebugAdapterExecutable,
): vscode.Disposable {
    const configurations: vscode.DebugConfigurationProvider = {
        resolveDebugConfiguration(_folder, configuration) {
            const document = vscode.window.activeTextEditor?.document;
            const named = configuration.program as string | undefined;
            const isUnnamed = !named || named === "${file}";
            if (!configuration.type && document?.languageId !== "dos") return configuration;
            const program = isUnnamed && document ? programOf(document.uri) : named;
            return {
                ...configuration,
                type: "pelorus",
                request: "launch",
                name: configuration.name || "Debug Script",
                program,
            };
        },
        async resolveDebugConfigurationWithSubstitutedVariables(_folder, configuration) {
            if (!configuration.program) {
                void vscode.window.showErrorMessage(
                    "Pelorus: open a script to debug, or name it as program in launch.json.",
                );
                return undefined;
            }
            if (program && configuration.folder !== undefined) return configuration;
            if (!(await connect())) return undefined;
            return { ...configuration, script: await textOf(uriOf(configuration.program as string)) };
        },
    };
    const adapters: vscode.DebugAdapterDescriptorFactory = {
        async createDebugAdapterDescriptor({ configuration }) {
            if (program && configuration.folder !== undefined) return program();
            return new vscode.DebugAdapterInlineImplementation(
                await CarriedAdapter.begin(await session.debugCarrier()),
            );
        },
    };
    return vscode.Disposable.from(
        vscode.debug.registerDebugConfigurationProvider("pelorus", configurations),
        vscode.debug.registerDebugAdapterDescriptorFactory("pelorus", adapters),
    );
}
