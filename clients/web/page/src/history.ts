// The scripts that were run lately in this browser, newest first.

const kKey = "pelorus.history";
const kMost = 100;
const kMostLength = 20_000; // of a script that is kept

export class History {
    get scripts(): string[] {
        try {
            const kept = JSON.parse(localStorage.getItem(kKey) ?? "[]") as unknown;
            return Array.isArray(kept) ? kept.filter((script) => typeof script === "string") : [];
        } catch {
            return [];
        }
    }

    // Scripts that may contain a password are not kept.
    add(script: string): void {
        const trimmed = script.trim();
        const isSecret = /\b(login|createUser|changePwd|resetPwd|xdb)\s*\(/.test(trimmed);
        if (!trimmed || trimmed.length > kMostLength || isSecret) return;
        const scripts = [trimmed, ...this.scripts.filter((other) => other !== trimmed)].slice(0, kMost);
        try {
            localStorage.setItem(kKey, JSON.stringify(scripts));
        } catch {
            // The browser has no room for it.
        }
    }
}
