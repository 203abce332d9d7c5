#!/usr/bin/env python3
"""Charts as unmodified clients read them: the Python client of the family, and npm's where it is installed."""
import json
import os
import subprocess
import sys
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
from doors_test import PASSWORD, Server  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = Path(os.environ.get("PELORUS_JAVASCRIPT_CLIENT", ROOT / "build/clients/node_modules/dolphindb"))
NODE = ROOT / ".venv/bin/node"
SCRIPT = 'plot([1 3 2 as price, 4 5 6 as size], 2024.01.01..2024.01.03, ["prices", "day", "USD"], COLUMN, true)'
JAVASCRIPT = """
const { DDB } = await import(process.argv[1] + '/index.js');
const ddb = new DDB(process.argv[2], { username: 'admin', password: process.argv[3] });
const chart = await ddb.eval(process.argv[4]);
const { type, stacking, titles, data } = chart.value;
const histogram = (await ddb.eval('plotHist(1.5 2.5 3.5, 5, 1:4)')).value;
console.log("\\n" + JSON.stringify({ form: chart.form, type, stacking, titles, names: data.value.cols.value, labels: data.value.rows.rows, cells: [...data.value.data],
                             bins: histogram.bin_count.value, begin: histogram.bin_start.value, end: histogram.bin_end.value }));
ddb.disconnect();
"""


def python_client(server):
    import dolphindb
    session = dolphindb.session()
    session.connect("127.0.0.1", server.port, "admin", PASSWORD)
    chart = session.run(SCRIPT)
    assert chart["chartType"] == 2 and bool(chart["stacking"]) and list(chart["title"])[:3] == ["prices", "day", "USD"], chart
    cells, labels, names = chart["data"]
    assert cells.tolist() == [[1, 4], [3, 5], [2, 6]] and list(names) == ["price", "size"] and str(labels[0])[:10] == "2024-01-01", chart["data"]
    assert not bool(session.run("plot(1 2 3)")["extras"]["multiYAxes"])
    assert session.run("plotHist(1.5 2.5 3.5, 5, 1:4)")["binCount"] == 5
    session.close()


def javascript_client(server):
    run = subprocess.run([NODE, "--input-type=module", "-e", JAVASCRIPT, PACKAGE, f"ws://127.0.0.1:{server.port}", PASSWORD, SCRIPT], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    chart = json.loads(next(line for line in run.stdout.splitlines() if line.startswith("{\"form")))
    assert chart["form"] == 7 and chart["type"] == 2 and chart["stacking"] and chart["titles"] == {"chart": "prices", "x_axis": "day", "y_axis": "USD", "z_axis": ""}, chart
    assert chart["names"] == ["price", "size"] and chart["labels"] == 3 and chart["cells"] == [1, 3, 2, 4, 5, 6], chart
    assert (chart["bins"], chart["begin"], chart["end"]) == (5, 1, 4), chart


def main():
    server = Server()
    passed = failed = skipped = 0
    for function, is_there in ((python_client, True), (javascript_client, PACKAGE.exists() and NODE.exists())):
        if not is_there:
            print(f"SKIPPED {function.__name__}: scripts/setup.sh --long installs the client")
            skipped += 1
            continue
        try:
            function(server)
            passed += 1
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"FAILED {function.__name__}: {error!r}")
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
