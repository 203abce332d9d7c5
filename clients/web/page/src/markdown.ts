// Shows the little markdown that the language server writes: paragraphs, blocks of code, code and bold in lines.
import { make } from "./dom";

export function makeMarkdown(source: string): HTMLElement {
    const root = make("div", { class: "documentation" });
    source.split(/^```.*$/m).forEach((part, i) => {
        if (i % 2) return root.append(make("pre", { text: part.trim() }));
        for (const paragraph of part.split(/\n\s*\n/)) {
            if (paragraph.trim()) root.append(makeParagraph(paragraph.trim()));
        }
    });
    return root;
}

function makeParagraph(text: string): HTMLElement {
    const paragraph = make("p");
    for (const part of text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)) {
        if (part.startsWith("`") && part.length > 1) paragraph.append(make("code", { text: part.slice(1, -1) }));
        else if (part.startsWith("**")) paragraph.append(make("b", { text: part.slice(2, -2) }));
        else paragraph.append(part.replace(/^#+ /, ""));
    }
    return paragraph;
}
