// ScriptEditor is the text of a script: with completion, documentation and errors while typing from the language server
// of the node.
//
// It lives in a shadow root: the editor's own styles are made there as style sheets, which the page's content policy
// (no inline styles) allows.
import {
    autocompletion,
    closeBrackets,
    closeBracketsKeymap,
    closeCompletion,
    completionKeymap,
    type Completion,
    type CompletionContext,
    type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Prec, type Text } from "@codemirror/state";
import {
    drawSelection,
    EditorView,
    highlightActiveLine,
    highlightActiveLineGutter,
    hoverTooltip,
    keymap,
    lineNumbers,
} from "@codemirror/view";
import { statementAround } from "../../view/statement";
import type { Connection } from "./connection";
import { make } from "./dom";
import { makeMarkdown } from "./markdown";
import { scriptColours, scriptLanguage } from "./script_language";
import editorStyle from "./editor.css";

const kUri = "untitled:script.dos";
const kTypingMillis = 150;

interface Position {
    line: number;
    character: number;
}
interface Range {
    start: Position;
    end: Position;
}
interface Item {
    label: string;
    kind?: number;
    detail?: string;
    insertText?: string;
    insertTextFormat?: number;
    textEdit?: { newText: string; range: Range };
    sortText?: string;
    documentation?: string | { value: string };
}
interface Problem {
    range: Range;
    severity?: number;
    message: string;
}

// A part of the script that is run; `line` is its first line, from 0.
export interface ScriptPart {
    script: string;
    line: number;
}

// The kinds of completions of LSP, as CodeMirror names them.
const kKinds: Record<number, string> = {
    2: "method",
    3: "function",
    5: "property",
    6: "variable",
    7: "class",
    9: "namespace",
    10: "property",
    14: "keyword",
    15: "text",
    17: "text",
    21: "constant",
};

export class ScriptEditor {
    readonly element = make("div", { class: "editor" });
    private readonly view: EditorView;
    private readonly theme = new Compartment();
    private version = 0;
    private isOpen = false;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private runProblems: Diagnostic[] = [];
    private typedProblems: Diagnostic[] = [];

    constructor(
        private readonly connection: Connection,
        text: string,
        isDark: boolean,
        commands: { runPart(): void; runAll(): void; changed(text: string): void },
    ) {
        const root = this.element.attachShadow({ mode: "open" });
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(editorStyle);
        root.adoptedStyleSheets = [sheet];
        const run = (action: () => void) => (view: EditorView) => {
            closeCompletion(view);
            action();
            return true;
        };
        const state = EditorState.create({
            doc: text,
            extensions: [
                Prec.highest(
                    keymap.of([
                        { key: "Mod-Enter", run: run(() => commands.runPart()), preventDefault: true },
                        { key: "Shift-Mod-Enter", run: run(() => commands.runAll()), preventDefault: true },
                    ]),
                ),
                lineNumbers(),
                highlightActiveLineGutter(),
                history(),
                drawSelection(),
                indentOnInput(),
                indentUnit.of("    "),
                bracketMatching(),
                closeBrackets(),
                autocompletion({ override: [(context) => this.complete(context)] }),
                highlightActiveLine(),
                highlightSelectionMatches(),
                hoverTooltip((_, position) => this.hover(position)),
                scriptLanguage,
                syntaxHighlighting(scriptColours),
                keymap.of([
                    ...closeBracketsKeymap,
                    ...defaultKeymap.filter(({ key }) => key !== "Escape"), // Escape cancels the running script
                    ...searchKeymap,
                    ...historyKeymap,
                    ...completionKeymap,
                    ...lintKeymap,
                    indentWithTab,
                ]),
                this.theme.of(EditorView.theme({}, { dark: isDark })),
                EditorView.contentAttributes.of({ "aria-label": "Script", spellcheck: "false" }),
                EditorView.updateListener.of((update) => {
                    if (!update.docChanged) return;
                    this.runProblems = [];
                    commands.changed(update.state.doc.toString());
                    clearTimeout(this.timer);
                    this.timer = setTimeout(() => this.tellText(), kTypingMillis);
                }),
            ],
        });
        this.view = new EditorView({ state, root, parent: root });
    }

    get text(): string {
        return this.view.state.doc.toString();
    }
    focus(): void {
        this.view.focus();
    }
    setDark(isDark: boolean): void {
        this.view.dispatch({ effects: this.theme.reconfigure(EditorView.theme({}, { dark: isDark })) });
    }
    // Replaces the whole text; undo brings the one before back.
    setText(text: string): void {
        this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
        this.focus();
    }
    insert(text: string): void {
        this.view.dispatch(this.view.state.replaceSelection(text));
        this.focus();
    }

    // Returns the selection, or the statement at the cursor, behind which the cursor then stands.
    takePart(): ScriptPart {
        const { doc, selection } = this.view.state;
        const { from, to, empty } = selection.main;
        if (!empty) return { script: doc.sliceString(from, to), line: doc.lineAt(from).number - 1 };
        const lines = { lineCount: doc.lines, lineAt: (line: number) => doc.line(line + 1).text };
        const { first, last } = statementAround(lines, doc.lineAt(from).number - 1);
        let next = last + 1;
        while (next < doc.lines && doc.line(next + 1).text.trim() === "") ++next;
        if (next < doc.lines)
            this.view.dispatch({ selection: { anchor: doc.line(next + 1).from }, scrollIntoView: true });
        return { script: doc.sliceString(doc.line(first + 1).from, doc.line(last + 1).to), line: first };
    }

    // Marks where a run has failed.
    markProblem(message: string, line: number, character: number): void {
        const { doc } = this.view.state;
        if (line < 0 || line >= doc.lines) return;
        const from = offsetOf(doc, { line, character });
        const to = Math.max(from, doc.line(line + 1).to);
        this.runProblems = [{ from, to, severity: "error", message }];
        this.showProblems();
        this.view.dispatch({ effects: EditorView.scrollIntoView(from) });
    }

    // ---- the language server

    // Called when a connection has been opened: the node then knows no text.
    connected(): void {
        this.isOpen = false;
        this.tellText();
    }

    showDiagnostics(problems: Problem[]): void {
        const { doc } = this.view.state;
        this.typedProblems = problems.map(({ range, severity, message }) => {
            const from = offsetOf(doc, range.start);
            return {
                from,
                to: Math.max(from, offsetOf(doc, range.end)),
                severity: severity === 1 ? "error" : severity === 2 ? "warning" : "info",
                message,
            };
        });
        this.showProblems();
    }

    private showProblems(): void {
        this.view.dispatch(setDiagnostics(this.view.state, [...this.typedProblems, ...this.runProblems]));
    }

    private tellText(): void {
        clearTimeout(this.timer);
        this.timer = undefined;
        if (this.connection.state !== "open") return;
        const version = ++this.version;
        if (this.isOpen) {
            this.connection.notify("textDocument/didChange", {
                textDocument: { uri: kUri, version },
                contentChanges: [{ text: this.text }],
            });
        } else {
            this.isOpen = true;
            this.connection.notify("textDocument/didOpen", {
                textDocument: { uri: kUri, languageId: "dos", version, text: this.text },
            });
        }
    }

    private async complete(context: CompletionContext): Promise<CompletionResult | null> {
        const word = context.matchBefore(/[A-Za-z_][A-Za-z0-9_]*/);
        const before = context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos);
        if (!word && !context.explicit && !/[.`"/:]/.test(before)) return null;
        if (this.connection.state !== "open") return null;
        if (this.timer !== undefined) this.tellText();
        const answer = await this.ask<{ items: Item[] } | Item[] | null>("textDocument/completion", context.pos);
        const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
        if (items.length === 0) return null;
        const { doc } = context.state;
        const edited = items.find((item) => item.textEdit);
        const from = edited ? offsetOf(doc, edited.textEdit!.range.start) : (word?.from ?? context.pos);
        return {
            from,
            options: items.map((item, i) => this.optionOf(item, items.length - i)),
            validFor: /^[A-Za-z0-9_]*$/,
        };
    }

    private optionOf(item: Item, rank: number): Completion {
        const text = item.textEdit?.newText ?? item.insertText ?? item.label;
        return {
            label: item.label,
            detail: item.detail?.startsWith(`${item.label}(`) ? item.detail.slice(item.label.length) : item.detail,
            type: kKinds[item.kind ?? 0],
            apply: item.insertTextFormat === 2 ? text.replace(/\$\{\d+:?([^}]*)\}|\$\d+/g, "$1") : text,
            boost: Math.min(99, (99 * rank) / 1000),
            info: async () => {
                const full = await this.connection.request<Item>("completionItem/resolve", item).catch(() => item);
                const { documentation } = full;
                if (!documentation) return null;
                return makeMarkdown(typeof documentation === "string" ? documentation : documentation.value);
            },
        };
    }

    private async hover(position: number) {
        if (this.connection.state !== "open") return null;
        const answer = await this.ask<{ contents: { value: string }; range?: Range } | null>(
            "textDocument/hover",
            position,
        ).catch(() => null);
        if (!answer?.contents.value) return null;
        return { pos: position, create: () => ({ dom: makeMarkdown(answer.contents.value) }) };
    }

    private ask<Answer>(method: string, offset: number): Promise<Answer> {
        const line = this.view.state.doc.lineAt(offset);
        const position = { line: line.number - 1, character: offset - line.from };
        return this.connection.request(method, { textDocument: { uri: kUri }, position });
    }
}

function offsetOf(doc: Text, { line, character }: Position): number {
    if (line >= doc.lines) return doc.length;
    const found = doc.line(line + 1);
    return Math.min(found.from + character, found.to);
}
