// What "run selection or line" runs.

export interface TextLines {
    lineCount: number;
    lineAt(line: number): string;
}

// Returns the lines of the statement around a line: those that brackets which open on it, or are open at it, join.
// Brackets within strings and comments do not count.
export function statementAround(text: TextLines, line: number): { first: number; last: number } {
    const depths: number[] = []; // before each line
    let depth = 0;
    let inComment = false;
    for (let i = 0; i < text.lineCount; ++i) {
        depths.push(inComment ? Math.max(depth, 1) : depth);
        const source = text.lineAt(i);
        for (let k = 0; k < source.length; ++k) {
            const c = source[k];
            if (inComment) {
                if (c === "*" && source[k + 1] === "/") {
                    inComment = false;
                    ++k;
                }
            } else if (c === "/" && source[k + 1] === "/") {
                break;
            } else if (c === "/" && source[k + 1] === "*") {
                inComment = true;
                ++k;
            } else if (c === '"' || c === "'") {
                const end = endOfString(source, k);
                k = end;
            } else if ("([{".includes(c)) {
                ++depth;
            } else if (")]}".includes(c)) {
                depth = Math.max(0, depth - 1);
            }
        }
    }
    depths.push(inComment ? Math.max(depth, 1) : depth);
    let first = line;
    while (first > 0 && depths[first] > 0) --first;
    let last = line;
    while (last + 1 < text.lineCount && depths[last + 1] > 0) ++last;
    return { first, last };
}

function endOfString(source: string, begin: number): number {
    for (let k = begin + 1; k < source.length; ++k) {
        if (source[k] === "\\") ++k;
        else if (source[k] === source[begin]) return k;
    }
    return source.length;
}

// Returns a name of a variable for the contents of a file: AAPL_2024 for "AAPL 2024.csv".
export function variableNameOf(file: string): string {
    const name = file
        .replace(/^.*[\\/]/, "")
        .replace(/\.[^.]*$/, "")
        .replace(/\W+/g, "_")
        .replace(/^_+|_+$/g, "");
    return /^[A-Za-z]/.test(name) ? name : `t_${name}`;
}
