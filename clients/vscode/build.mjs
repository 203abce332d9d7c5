// Bundles the extension: for VS Code on a desktop, for VS Code in a browser, and the page of its results.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));
const common = { bundle: true, minify: true, sourcemap: false, target: "es2022", logLevel: "warning" };
await build({
    ...common,
    entryPoints: ["src/desktop.ts"],
    outfile: "dist/desktop.js",
    platform: "node",
    format: "cjs",
    external: ["vscode"],
});
await build({
    ...common,
    entryPoints: ["src/browser.ts"],
    outfile: "dist/browser.js",
    platform: "browser",
    format: "cjs",
    external: ["vscode"],
    mainFields: ["browser", "module", "main"],
});
await build({
    ...common,
    entryPoints: ["src/view.ts"],
    outfile: "dist/view.js",
    platform: "browser",
    format: "iife",
    loader: { ".css": "text" },
});
