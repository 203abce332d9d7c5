// Texts that the clients share.

// Returns a size as a person reads it: "17 B", "1.5 MB". Units are powers of 1024.
export function bytesText(bytes: number): string {
    const units = ["B", "KB", "MB", "GB", "TB", "PB"];
    let i = 0;
    for (; bytes >= 1024 && i + 1 < units.length; ++i) bytes /= 1024;
    return `${bytes.toFixed(i === 0 ? 0 : 1)} ${units[i]}`;
}

// Returns what a person is told of an error, whatever was thrown.
export function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

// Returns the string as a literal of the language.
export function quoted(text: string): string {
    return JSON.stringify(text);
}
