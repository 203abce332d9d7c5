// What ESLint checks in the TypeScript of clients: the recommended rules, and those of typescript-eslint that need types.
// scripts/format_typescript.sh installs the packages into build/format_tools and starts ESLint at the root of the tree.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);
const require = createRequire(new URL("build/format_tools/package.json", root));
const { defineConfig } = require("eslint/config");
const js = require("@eslint/js");
const typescript = require("typescript-eslint");

const kNamesOfNode = ["URL", "process", "setTimeout"];

export default defineConfig(
    { linterOptions: { reportUnusedDisableDirectives: "error" } },
    js.configs.recommended,
    {
        files: ["**/*.ts"],
        extends: [typescript.configs.recommendedTypeChecked],
        languageOptions: {
            parserOptions: {
                project: "scripts/typescript_tools/tsconfig.json",
                tsconfigRootDir: fileURLToPath(root),
            },
        },
        rules: {
            // An interface asks for a promise also where nothing is awaited; `async` turns what is thrown into a rejection.
            "@typescript-eslint/require-await": "off",
        },
    },
    {
        files: ["**/*.mjs"],
        languageOptions: { globals: Object.fromEntries(kNamesOfNode.map((name) => [name, "readonly"])) },
    },
);
