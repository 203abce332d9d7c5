// The page that a node serves to browsers: it logs in, and then shows the work. The work, with its editor, is a script of
// its own, so that the login is shown before it has come.
import { Connection } from "./connection";
import { Login } from "./login";
import type { Work } from "./work";

let work: Work | undefined;
let coming: Promise<{ Work: typeof Work }> | undefined;
const connection = new Connection(
    (state) => {
        if (state === "closed") {
            work?.close();
            work = undefined;
            login.show();
        } else {
            work?.connectionChanged();
        }
    },
    (method, parameters) => work?.notice(method, parameters),
);
const login = new Login(connection, begin);

function loadWork(): Promise<{ Work: typeof Work }> {
    const path = "./work.js"; // of the node; not a part of this bundle
    coming ??= (import(path) as Promise<{ Work: typeof Work }>).catch((error: unknown) => {
        coming = undefined; // the node may be back for the next try
        throw error;
    });
    return coming;
}

async function begin(): Promise<void> {
    const loaded = await loadWork();
    if (connection.state === "closed") return; // the login has ended meanwhile
    work = new loaded.Work(connection);
    document.body.replaceChildren(work.element);
    work.connectionChanged();
    work.focus();
}

function ask(): void {
    login.show();
    // After the picture of the login, while its user types.
    requestAnimationFrame(() => setTimeout(() => void loadWork().catch(() => undefined)));
}

if (connection.canComeBack) void loadWork().catch(() => undefined);
void connection.comeBack().then((isBack) => (isBack ? begin() : ask()), ask);
