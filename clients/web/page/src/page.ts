// The page that a node serves to browsers: it logs in, and then shows the work.
import { Connection } from "./connection";
import { Login } from "./login";
import { Work } from "./work";

let work: Work | undefined;
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

function begin(): void {
    work = new Work(connection);
    document.body.replaceChildren(work.element);
    work.connectionChanged();
    work.focus();
}

void connection.comeBack().then(
    (isBack) => (isBack ? begin() : login.show()),
    () => login.show(),
);
