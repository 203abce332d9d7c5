// Connection is the page's session with its node: JSON-RPC over one WebSocket (docs/editor.md). A connection that is lost
// is opened again, by a ticket of the user: the page keeps no password.

// A message of the node: an answer, or a notice.
interface Message {
    id?: number;
    method?: string;
    params?: unknown;
    result?: unknown;
    error?: { message: string };
}

interface Waiting {
    resolve(answer: unknown): void;
    reject(error: Error): void;
}

export type ConnectionState = "closed" | "open" | "lost";

const kTicketKey = "pelorus.ticket";
const kMaxPauseMillis = 10_000;
const kLost = "The connection to the node is lost.";

export class Connection {
    private socket: WebSocket | undefined;
    private last = 0;
    private readonly waiting = new Map<number, Waiting>();
    private readonly decoder = new TextDecoder();
    private readonly encoder = new TextEncoder();
    private pauseMillis = 500;
    state: ConnectionState = "closed";
    user = "";
    node = "";

    constructor(
        private readonly onState: (state: ConnectionState) => void,
        private readonly onNotice: (method: string, parameters: unknown) => void,
    ) {}

    async logIn(user: string, password: string): Promise<void> {
        await this.open({ user, password });
    }

    // Returns whether the tab has a ticket, which the node may still take.
    get canComeBack(): boolean {
        return sessionStorage.getItem(kTicketKey) !== null;
    }
    // Returns whether the tab has a ticket that the node still takes.
    async comeBack(): Promise<boolean> {
        const kept = sessionStorage.getItem(kTicketKey);
        if (!kept) return false;
        await this.open(JSON.parse(kept) as { user: string; ticket: string });
        return true;
    }

    logOut(): void {
        sessionStorage.removeItem(kTicketKey);
        this.setState("closed");
        this.socket?.close(1000);
    }

    request<Answer>(method: string, parameters: unknown): Promise<Answer> {
        return new Promise((resolve, reject) => {
            if (this.socket?.readyState !== WebSocket.OPEN) return reject(new NoAnswer(kLost));
            const id = ++this.last;
            this.waiting.set(id, { resolve, reject });
            this.send({ id, method, params: parameters });
        });
    }

    notify(method: string, parameters: unknown): void {
        if (this.socket?.readyState === WebSocket.OPEN) this.send({ method, params: parameters });
    }

    private send(message: object): void {
        this.socket!.send(this.encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
    }

    private setState(state: ConnectionState): void {
        this.state = state;
        this.onState(state);
    }

    private async open(login: { user: string; password?: string; ticket?: string }): Promise<void> {
        this.socket = await openSocket();
        this.socket.onmessage = ({ data }) => this.receive(data as ArrayBuffer);
        const opened = this.socket;
        // A node that goes before the login is over has not refused it.
        opened.onclose = () => this.rejectWaiting();
        try {
            const { name, user } = await this.request<{ name: string; user: string }>("pelorus/connect", login);
            [this.node, this.user] = [name, user];
            await this.request("initialize", {
                processId: null,
                rootUri: null,
                capabilities: { general: { positionEncodings: ["utf-16"] } },
            });
            opened.onclose = () => this.lost(opened);
            this.notify("initialized", {});
        } catch (error) {
            opened.onclose = null;
            opened.close(1000);
            throw error;
        }
        this.pauseMillis = 500;
        this.setState("open");
        void this.keepTicket();
    }

    // The tab keeps the ticket until it is closed. The node takes it from anybody for twelve hours, also after a logout.
    private async keepTicket(): Promise<void> {
        try {
            const answer = await this.request<{ text?: string }>("pelorus/show", {
                expression: "getAuthenticatedUserTicket(datetime(now() + 43200000))",
            });
            const ticket = answer.text?.replace(/^"|"$/g, "");
            if (ticket) sessionStorage.setItem(kTicketKey, JSON.stringify({ user: this.user, ticket }));
        } catch {
            // Without one the user logs in again.
        }
    }

    private receive(data: ArrayBuffer): void {
        for (const line of this.decoder.decode(data).split("\n")) {
            if (!line) continue;
            const message = JSON.parse(line) as Message;
            if (message.method) {
                this.onNotice(message.method, message.params);
                continue;
            }
            const found = this.waiting.get(message.id!);
            this.waiting.delete(message.id!);
            if (message.error) found?.reject(new Error(message.error.message));
            else found?.resolve(message.result);
        }
    }

    private rejectWaiting(): void {
        for (const request of this.waiting.values()) request.reject(new NoAnswer(kLost));
        this.waiting.clear();
    }

    private lost(socket: WebSocket): void {
        if (socket !== this.socket) return;
        this.rejectWaiting();
        if (this.state === "closed") return;
        this.setState("lost");
        this.tryAgain();
    }

    private tryAgain(): void {
        setTimeout(() => void this.reopen(), this.pauseMillis);
    }

    private async reopen(): Promise<void> {
        if (this.state !== "lost") return;
        try {
            if (!(await this.comeBack())) this.setState("closed");
        } catch (error) {
            this.pauseMillis = Math.min(kMaxPauseMillis, 2 * this.pauseMillis);
            if (error instanceof NoAnswer) return this.tryAgain();
            sessionStorage.removeItem(kTicketKey); // the node is there, and refuses
            this.setState("closed");
        }
    }
}

// What a request ends with when the node has neither answered nor refused it.
class NoAnswer extends Error {}

function openSocket(): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
        const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`, "pelorus");
        socket.binaryType = "arraybuffer";
        socket.onopen = () => resolve(socket);
        socket.onerror = () => reject(new NoAnswer(`The node at ${location.host} does not answer.`));
    });
}
