// The language client over any transport, of which the workbench's requests are a part.
import type { MessageReader, MessageWriter } from "vscode-jsonrpc";
import type { BaseLanguageClient, LanguageClientOptions } from "vscode-languageclient";

// The class differs between desktop and browser.
export type BaseClient = abstract new (id: string, name: string, options: LanguageClientOptions) => BaseLanguageClient;

export interface Transports {
    reader: MessageReader;
    writer: MessageWriter;
}

export function makeClient(Base: BaseClient, makeTransports: () => Promise<Transports>): BaseLanguageClient {
    class Client extends (Base as any) {
        protected createMessageTransports(): Promise<Transports> {
            return makeTransports();
        }
    }
    const options: LanguageClientOptions = { documentSelector: [{ language: "dos" }], progressOnInitialization: false };
    return new (Client as any)("pelorus", "Pelorus language server", options) as BaseLanguageClient;
}
