// A node for the tests in a window: `pelorus serve` with its database in a folder.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

// Starts a node with the database FOLDER/data at a port; 0 takes a free one. `settings` are further lines of its
// configuration. Returns its port, and `stop`, which resolves when it has ended.
export async function startNode({ pelorus, folder, port = 0, password, settings = [] }) {
    const config = join(folder, "node.cfg");
    writeFileSync(config, [`port=${port}`, `dataDir=${folder}/data`, `adminPassword=${password}`, ...settings, ""].join("\n"));
    const node = spawn(pelorus, ["serve", "--config", config], { stdio: ["ignore", "pipe", "inherit"] });
    let told = "";
    const found = await new Promise((started, reject) => {
        node.stdout.on("data", (bytes) => {
            told += bytes;
            const match = /listens on \S*?:(\d+)/.exec(told);
            if (match) started(Number(match[1]));
        });
        node.once("exit", () => reject(new Error("the node did not start")));
    });
    const stop = () =>
        new Promise((stopped) => {
            node.removeAllListeners("exit");
            node.once("exit", stopped);
            node.kill("SIGTERM");
        });
    return { port: found, stop };
}
