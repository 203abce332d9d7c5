// Messages of JSON-RPC over a WebSocket with the subprotocol "pelorus": each binary message is one of them and a line
// end. Knows nothing of VS Code.
import {
    AbstractMessageReader,
    AbstractMessageWriter,
    type DataCallback,
    type Disposable,
    type Message,
} from "vscode-jsonrpc";

export class SocketReader extends AbstractMessageReader {
    private readonly decoder = new TextDecoder();

    constructor(private readonly socket: WebSocket) {
        super();
    }
    listen(callback: DataCallback): Disposable {
        this.socket.onmessage = ({ data }) => {
            for (const line of this.decoder.decode(data as ArrayBuffer).split("\n")) {
                if (!line) continue;
                try {
                    callback(JSON.parse(line) as Message);
                } catch (error) {
                    this.fireError(error);
                }
            }
        };
        this.socket.onclose = () => this.fireClose();
        return { dispose: () => (this.socket.onmessage = null) };
    }
}

export class SocketWriter extends AbstractMessageWriter {
    private readonly encoder = new TextEncoder();

    constructor(private readonly socket: WebSocket) {
        super();
    }
    async write(message: Message): Promise<void> {
        this.socket.send(this.encoder.encode(JSON.stringify(message) + "\n"));
    }
    end(): void {
        this.socket.close(1000);
    }
}

// Opens a WebSocket. Rejects when the node does not answer or refuses.
export function openSocket(address: string, isEncrypted: boolean): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
        const socket = new WebSocket(`${isEncrypted ? "wss" : "ws"}://${address}/`, "pelorus");
        socket.binaryType = "arraybuffer";
        socket.onopen = () => resolve(socket);
        socket.onerror = () =>
            reject(
                new Error(
                    `The node at ${address} does not answer, or does not allow this page: its setting allowedOrigins must name ${globalThis.location?.origin ?? "the page's origin"}.`,
                ),
            );
    });
}
