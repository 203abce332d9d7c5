// The databases that a session can work on.

export interface Target {
    name?: string;
    address?: string; // of a node; else a folder
    user?: string;
    tls?: boolean;
    tlsCertificate?: string;
    folder?: string;
}

export function titleOf(target: Target): string {
    if (target.name) return target.name;
    if (target.address) return target.address;
    return target.folder ? `embedded: ${target.folder}` : "embedded: temporary";
}

// The key of a node's password in the store of secrets.
export function secretKeyOf(target: Target): string {
    return `pelorus:${target.user ?? "admin"}@${target.address}`;
}

// Returns the reason why a text is no address, or nothing.
export function whyNoAddress(text: string): string | undefined {
    const found = /^(\[[0-9a-fA-F:]+\]|[^:\s]+):(\d{1,5})$/.exec(text.trim());
    if (!found || Number(found[2]) > 65535 || Number(found[2]) === 0) return "Write HOST:PORT, as in 127.0.0.1:8848.";
    return undefined;
}

// Whether an error says that another process has the folder open; its message names the process.
export function isFolderTaken(message: string): boolean {
    return /in use|is used by|has it open|another process/i.test(message);
}

// The address in a message such as "… which serves clients at 127.0.0.1:8848".
export function addressIn(message: string): string | undefined {
    return /\b((?:\d{1,3}\.){3}\d{1,3}|localhost|\[[0-9a-fA-F:]+\]):(\d{2,5})\b/.exec(message)?.[0];
}
