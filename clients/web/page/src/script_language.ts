// The colours of the language: comments, strings, numbers, keywords and calls, line by line. Meaning comes from the
// node's language server.
import { HighlightStyle, StreamLanguage, type StringStream } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const kKeywords = new Set(
    "if else for in do while break continue return try catch throw go assert use module timer include def defg mapr class mutable const share public private static".split(
        " ",
    ),
);
const kQueryWords = new Set(
    "select exec update delete insert into values from where group context pivot order by having limit top asc desc as set and or not between like distinct join on create drop table database partitioned case when then end with union all csort cgroup interval".split(
        " ",
    ),
);
const kConstants = new Set(["true", "false", "NULL", "null"]);

interface State {
    inComment: boolean;
}

function commentToken(stream: StringStream, state: State): string {
    state.inComment = !stream.skipTo("*/");
    if (state.inComment) stream.skipToEnd();
    else stream.match("*/");
    return "comment";
}

function wordToken(stream: StringStream, word: string): string | null {
    if (kKeywords.has(word)) return "keyword";
    if (kQueryWords.has(word.toLowerCase())) return "operatorKeyword";
    if (kConstants.has(word)) return "atom";
    return stream.match(/^\s*\(/, false) ? "function" : null;
}

function token(stream: StringStream, state: State): string | null {
    if (state.inComment) return commentToken(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
        stream.skipToEnd();
        return "comment";
    }
    if (stream.match("/*")) return commentToken(stream, state);
    if (stream.match(/^"(?:\\.|[^"\\])*"?/) || stream.match(/^'(?:\\.|[^'\\])*'?/)) return "string";
    if (stream.match(/^`[A-Za-z0-9_.]*/)) return "string";
    if (stream.match(/^\d{4}\.\d{2}(\.\d{2})?([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?[MmDd]?/)) return "number";
    if (stream.match(/^\d{2}:\d{2}([:m](\d{2}(\.\d+)?)?)?/)) return "number";
    if (stream.match(/^\d+(\.\d+)?([eE][+-]?\d+)?[bchilfFPDM]?/)) return "number";
    const word = stream.match(/^[A-Za-z_][A-Za-z0-9_]*!?/) as RegExpMatchArray | null;
    if (word) return wordToken(stream, word[0]);
    stream.next();
    return null;
}

export const scriptLanguage = StreamLanguage.define<State>({
    name: "pelorus",
    startState: () => ({ inComment: false }),
    copyState: (state) => ({ ...state }),
    token,
    languageData: {
        commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
        closeBrackets: { brackets: ["(", "[", "{", '"', "'"] },
    },
    tokenTable: { function: tags.function(tags.variableName) },
});

export const scriptColours = HighlightStyle.define([
    { tag: tags.comment, class: "tok-comment" },
    { tag: tags.string, class: "tok-string" },
    { tag: tags.number, class: "tok-number" },
    { tag: [tags.keyword, tags.operatorKeyword], class: "tok-keyword" },
    { tag: tags.atom, class: "tok-atom" },
    { tag: tags.function(tags.variableName), class: "tok-function" },
]);
