// Import of text files: CSV and what is like it.
import * as vscode from "vscode";
import type { Session } from "./session";
import { variableNameOf } from "../../web/view/statement";

const kChunkBytes = 4 << 20;

// Where the rows go: a variable of the session, or a stored table.
interface Destination {
    variable?: string;
    database?: string;
    table?: string;
}

export async function importTextFile(
    session: Session,
    given: vscode.Uri | undefined,
    run: (script: string) => Promise<void>,
): Promise<void> {
    const uri =
        given ??
        (
            await vscode.window.showOpenDialog({
                canSelectMany: false,
                openLabel: "Import",
                filters: { "Text with columns": ["csv", "tsv", "txt", "tbl", "psv"], "All files": ["*"] },
            })
        )?.[0];
    if (!uri) return;
    const destination = await chooseDestination(session, uri);
    if (!destination) return;
    // An embedded database reads the file where it is; a node gets a copy, which is removed afterwards.
    const isHere = uri.scheme === "file" && session.current?.address === undefined;
    const file = `import_${Date.now()}_${Math.floor(Math.random() * 1e9)}.csv`;
    const path = isHere ? uri.fsPath : await upload(session, uri, file);
    if (path === undefined) return;
    try {
        await run(scriptOf(path, destination));
    } finally {
        if (!isHere) await session.channel.request("pelorus/removeUpload", { file }).catch(() => undefined);
    }
}

function scriptOf(path: string, { variable, database, table }: Destination): string {
    const rows = `loadText(${JSON.stringify(path)})`;
    return variable
        ? `${variable} = ${rows}\n${variable}`
        : `loadTable(${JSON.stringify(database)}, ${JSON.stringify(table)}).append!(${rows})`;
}

async function chooseDestination(session: Session, uri: vscode.Uri): Promise<Destination | undefined> {
    const databases = await session.channel.request<{ path: string; tables: string[] }[]>("pelorus/databases", {});
    const stored = databases.flatMap(({ path, tables }) =>
        tables.map((table) => ({
            label: `$(table) ${table}`,
            description: `append to it, in ${path}`,
            destination: { database: path, table },
        })),
    );
    const name = variableNameOf(uri.path);
    const choices: (vscode.QuickPickItem & { destination: Destination })[] = [
        {
            label: `$(symbol-variable) Variable ${name}`,
            description: "of the session",
            destination: { variable: name },
        },
        { label: "$(symbol-variable) Another variable…", description: "", destination: {} },
        ...stored,
    ];
    const choice = await vscode.window.showQuickPick(choices, { placeHolder: "Where the rows go" });
    if (!choice) return undefined;
    if (choice.destination.variable || choice.destination.table) return choice.destination;
    const variable = await vscode.window.showInputBox({
        prompt: "Name of the variable",
        value: name,
        validateInput: (text) => (/^[A-Za-z_]\w*$/.test(text) ? undefined : "Write a name of letters, digits and _."),
    });
    return variable ? { variable } : undefined;
}

// Returns the path of the copy on the node; nothing when the upload was cancelled.
async function upload(session: Session, uri: vscode.Uri, file: string): Promise<string | undefined> {
    const bytes = await vscode.workspace.fs.readFile(uri);
    return vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: "Pelorus: uploading", cancellable: true },
        async (progress, cancellation) => {
            const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
            let path = "";
            for (let begin = 0; begin === 0 || begin < bytes.length; begin += kChunkBytes) {
                if (cancellation.isCancellationRequested) {
                    await session.channel.request("pelorus/removeUpload", { file });
                    return undefined;
                }
                const end = Math.min(begin + kChunkBytes, bytes.length);
                const text = decoder.decode(bytes.subarray(begin, end), { stream: end < bytes.length });
                ({ path } = await session.channel.request<{ path: string }>("pelorus/uploadText", {
                    file,
                    text,
                    isAppended: begin > 0,
                }));
                progress.report({
                    message: `${Math.floor((100 * end) / Math.max(bytes.length, 1))} %`,
                    increment: (100 * (end - begin)) / Math.max(bytes.length, 1),
                });
            }
            return path;
        },
    );
}
