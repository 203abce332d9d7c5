// The language client over any transport, of which the workbench's requests are a part.
import type { MessageReader, MessageWriter } from "vscode-jsonrpc";
import type { BaseLanguageClient, LanguageClientOptions } from "vscode-languageclient";

// The class differs between desktop and browser.
export type BaseClient = typeof BaseLanguageClient;

export interface Transports {
    reader: MessageReader;
    writer: MessageWriter;
}

// `isRestarted`: whether a connection that ends is opened again by the client.
export function makeClient(
    Base: BaseClient,
    makeTransports: () => Promise<Transports>,
    isRestarted: boolean,
): BaseLanguageClient {
    class Client extends Base {
        protected createMessageTransports(): Promise<Transports> {
            return makeTransports();
        }
    }
    const options: LanguageClientOptions = { documentSelector: [{ language: "dos" }], progressOnInitialization: false };
    // The numbers are those of ErrorAction.Continue and CloseAction.DoNotRestart.
    if (!isRestarted)
        options.errorHandler = {
            error: () => ({ action: 1, handled: true }),
            closed: () => ({ action: 1, handled: true }),
        };
    return new Client("pelorus", "Pelorus language server", options);
}
