// The dialog that logs in, and says why the node refuses.
import { messageOf } from "../../view/texts";
import type { Connection } from "./connection";
import { make } from "./dom";

export class Login {
    readonly element = make("div", { class: "login" });
    private readonly user = make("input", { id: "user" });
    private readonly password = make("input", { id: "password" });
    private readonly problem = make("p", { class: "problem" });
    private readonly button = make("button", { text: "Log in", class: "primary" });

    constructor(
        private readonly connection: Connection,
        private readonly done: () => Promise<void>,
    ) {
        this.user.autocomplete = "username";
        this.user.value = localStorage.getItem("pelorus.user") ?? "admin";
        this.password.type = "password";
        this.password.autocomplete = "current-password";
        this.problem.setAttribute("role", "alert");
        const label = (text: string, field: HTMLInputElement) => {
            const made = make("label", { text });
            made.htmlFor = field.id;
            return made;
        };
        const icon = make("img", { class: "icon" });
        icon.src = "/page/icon.svg";
        icon.alt = "";
        const form = make(
            "form",
            {},
            make("h1", {}, icon, "Pelorus"),
            make("p", { class: "none", text: location.host }),
            label("User", this.user),
            this.user,
            label("Password", this.password),
            this.password,
            this.problem,
            this.button,
        );
        form.onsubmit = (event) => {
            event.preventDefault();
            void this.submit();
        };
        this.element.append(make("main", {}, form));
    }

    show(why = ""): void {
        this.problem.textContent = why;
        document.body.replaceChildren(this.element);
        (this.user.value ? this.password : this.user).focus();
    }

    private async submit(): Promise<void> {
        this.button.disabled = true;
        try {
            await this.connection.logIn(this.user.value, this.password.value);
            localStorage.setItem("pelorus.user", this.user.value);
            this.password.value = "";
            this.problem.textContent = "";
            await this.done();
        } catch (error) {
            this.problem.textContent = messageOf(error);
            this.password.select();
        } finally {
            this.button.disabled = false;
        }
    }
}
