// The scripts that were run lately, newest first.
import type * as vscode from "vscode";

const kMost = 100;
const kMostBytes = 20_000; // of a script that is kept

export class History {
    constructor(private readonly state: vscode.Memento) {}

    get scripts(): string[] {
        return this.state.get<string[]>("history", []);
    }
    add(script: string): void {
        const trimmed = script.trim();
        if (!trimmed || trimmed.length > kMostBytes) return;
        void this.state.update(
            "history",
            [trimmed, ...this.scripts.filter((other) => other !== trimmed)].slice(0, kMost),
        );
    }
}
