// Where the program is. Knows nothing of VS Code.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

export function isProgram(path: string): boolean {
    try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
    } catch {
        return false;
    }
}

// Returns the path of the program: that of the setting, else the first of the PATH. Throws an Error that says what to
// do when there is none.
export function findProgram(setting: string, path: string): string {
    if (setting) {
        if (isProgram(setting)) return setting;
        throw new Error(
            `The setting pelorus.program names ${setting}, which is no program. Correct it, or leave it empty to search the PATH.`,
        );
    }
    for (const folder of path.split(delimiter)) {
        if (!folder) continue;
        const candidate = join(folder, "pelorus");
        if (isProgram(candidate)) return candidate;
    }
    throw new Error(
        "The program pelorus is not in the PATH. Build it by `make` and `make install`, or name it by the setting pelorus.program.",
    );
}
