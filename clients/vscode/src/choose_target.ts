// The choice of a database.
import * as vscode from "vscode";
import { messageOf } from "../../web/view/texts";
import type { Session } from "./session";
import { addressIn, isFolderTaken, titleOf, whyNoAddress, type Target } from "./target";

interface Choice extends vscode.QuickPickItem {
    target?: Target;
    isNew?: boolean;
}

function configured(): Target[] {
    return vscode.workspace.getConfiguration("pelorus").get<Target[]>("connections", []);
}

export function embeddedTarget(): Target {
    return { folder: vscode.workspace.getConfiguration("pelorus").get<string>("folder", "~/.pelorus") };
}

// Asks for a database and connects to it. Returns whether that has happened.
export async function chooseTarget(session: Session): Promise<boolean> {
    const choices: Choice[] = configured()
        .filter((target) => target.address || session.channel.opensFolders)
        .map((target) => ({
            label: `$(plug) ${titleOf(target)}`,
            description: target.address ?? target.folder,
            target,
        }));
    if (session.channel.opensFolders) {
        const target = embeddedTarget();
        choices.push({ label: "$(database) Embedded database", description: target.folder || "temporary", target });
        choices.push({
            label: "$(beaker) Temporary database",
            description: "gone when it is closed",
            target: { folder: "" },
        });
    }
    choices.push({ label: "$(add) Connect to a node…", isNew: true });
    const choice = await vscode.window.showQuickPick(choices, { placeHolder: "Database to work on" });
    if (!choice) return false;
    return choice.isNew ? connectToNode(session) : openTarget(session, choice.target!);
}

// Asks for address and login.
export async function connectToNode(session: Session, address?: string): Promise<boolean> {
    const given = await vscode.window.showInputBox({
        prompt: "Address of the node",
        placeHolder: "127.0.0.1:8848",
        value: address,
        ignoreFocusOut: true,
        validateInput: whyNoAddress,
    });
    if (!given) return false;
    const user = await vscode.window.showInputBox({ prompt: "User", value: "admin", ignoreFocusOut: true });
    if (!user) return false;
    const tls = await vscode.window.showQuickPick(
        [
            { label: "Plain", isTls: false },
            { label: "Encrypted (TLS)", isTls: true },
        ],
        { placeHolder: "Connection" },
    );
    if (!tls) return false;
    const target: Target = { address: given.trim(), user, tls: tls.isTls };
    if (!(await openTarget(session, target, true))) return false;
    const known = configured();
    if (!known.some((other) => other.address === target.address && (other.user ?? "admin") === user)) {
        await vscode.workspace
            .getConfiguration("pelorus")
            .update("connections", [...known, target], vscode.ConfigurationTarget.Global)
            .then(undefined, () => undefined);
    }
    return true;
}

// Connects; asks for the password where none is known or it was refused, and offers a way on where a folder is taken.
export async function openTarget(session: Session, target: Target, asksFirst = false): Promise<boolean> {
    let password: string | undefined;
    for (let attempt = 0; ; ++attempt) {
        if (target.address && (asksFirst || attempt > 0)) {
            password = await vscode.window.showInputBox({
                prompt: `Password of ${target.user ?? "admin"} at ${target.address}`,
                password: true,
                ignoreFocusOut: true,
            });
            if (password === undefined) return false;
        }
        try {
            await vscode.window.withProgress(
                { location: vscode.ProgressLocation.Window, title: `Connecting to ${titleOf(target)}` },
                () => session.connect(target, password),
            );
            return true;
        } catch (error) {
            const message = messageOf(error);
            const isPassword = target.address && /password|user name|log in|login|needs/i.test(message);
            if (isPassword && attempt < 3) {
                if (attempt > 0) void vscode.window.showWarningMessage(`Pelorus: ${message}`);
                continue;
            }
            if (target.folder && isFolderTaken(message)) {
                const choice = await vscode.window.showErrorMessage(
                    `Pelorus: ${message}`,
                    "Connect to Node…",
                    "Use a Temporary Database",
                );
                if (choice === "Connect to Node…") return connectToNode(session, addressIn(message));
                return choice ? openTarget(session, { folder: "" }) : false;
            }
            void vscode.window.showErrorMessage(`Pelorus: ${message}`);
            return false;
        }
    }
}
