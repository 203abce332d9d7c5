// Bundles the page that a node serves to browsers into dist/, which is committed: a build of the server needs no Node.
// With an argument it writes to that folder instead: a test compares both.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const dist = resolve(process.argv[2] ?? fileURLToPath(new URL("dist", import.meta.url)));
const here = fileURLToPath(new URL(".", import.meta.url));
mkdirSync(dist, { recursive: true });
// The login is a script of its own, which the first picture waits for; the work comes after it.
for (const [entry, name] of [
    ["src/page.ts", "page.js"],
    ["src/work.ts", "work.js"],
]) {
    await build({
        absWorkingDir: here,
        bundle: true,
        minify: true,
        legalComments: "none",
        target: "es2022",
        logLevel: "warning",
        platform: "browser",
        format: "esm",
        loader: { ".css": "text" },
        external: ["./work.js"],
        entryPoints: [entry],
        outfile: join(dist, name),
    });
}
await build({
    absWorkingDir: here,
    bundle: true,
    minify: true,
    logLevel: "warning",
    entryPoints: ["page.css"],
    outfile: join(dist, "page.css"),
});
const icon = readFileSync(join(here, "../../vscode/media/pelorus.svg"), "utf8");
writeFileSync(join(dist, "icon.svg"), icon.replace("currentColor", "#0f7b8a"));
copyFileSync(join(here, "index.html"), join(dist, "index.html"));
