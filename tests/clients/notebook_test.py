#!/usr/bin/env python3
"""Notebooks: the kernel by jupyter_kernel_test, a notebook by nbclient, and the magic in a notebook of Python."""
import json
import os
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
PELORUS = str(Path(sys.argv[1]).resolve())
sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support"), str(Path(__file__).resolve().parent)]
from cases import tally
from python_package import package_of, skip

PACKAGE = package_of(PELORUS)

try:
    import jupyter_kernel_test
    import nbclient
    import nbformat
    import pandas  # noqa: F401
    from python_client_test import PASSWORD, Server
except ImportError as missing:
    skip(missing)

FOLDER = tempfile.TemporaryDirectory(prefix="pelorus_notebook_")
for name, arguments in (("pelorus", ["pelorus.notebook"]), ("package_python", ["ipykernel_launcher"])):
    kernel = Path(FOLDER.name, "kernels", name)
    kernel.mkdir(parents=True)
    specification = {"argv": [sys.executable, "-m", *arguments, "-f", "{connection_file}"], "display_name": name,
                     "language": "pelorus" if name == "pelorus" else "python", "env": {"PYTHONPATH": PACKAGE}}
    (kernel / "kernel.json").write_text(json.dumps(specification))
os.environ["JUPYTER_PATH"] = FOLDER.name
os.environ["JUPYTER_PLATFORM_DIRS"] = "1"


def run_notebook(kernel, cells):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, kernel_name=kernel, timeout=60).execute()
    return [cell.outputs for cell in notebook.cells]


class Kernel(jupyter_kernel_test.KernelTests):
    kernel_name, language_name, file_extension = "pelorus", "pelorus", ".dos"
    code_hello_world = "print('hello, world')"
    completion_samples = [{"text": "wav", "matches": {"wavg"}}]
    complete_code_samples = ["1 + 1", "x = 3", "def f(x) { return x }"]
    incomplete_code_samples = ["def f(x) {", "(1 +"]
    code_execute_result = [{"code": "1 + 1", "result": "2"}, {"code": "`a", "result": "a"}]
    code_generate_error = "throw 'no'"
    code_inspect_sample = "wavg"

    def test_tables_are_html_and_charts_svg(self):
        self.flush_channels()
        self.assertIn("<td>3</td>", self.execute_helper(code="table(1..3 as x)")[1][0]["content"]["data"]["text/html"])
        self.flush_channels()
        self.assertIn("<svg", self.execute_helper(code="plot(1..5, 1..5)")[1][0]["content"]["data"]["image/svg+xml"])

    def test_an_interrupt_cancels_the_cell_and_keeps_the_session(self):
        self.flush_channels()
        self.execute_helper(code="kept = 7")
        timer = threading.Timer(0.7, self.km.interrupt_kernel)
        timer.start()
        begin = time.monotonic()
        self.flush_channels()
        reply, _ = self.execute_helper(code="sleep(30000)", timeout=20)
        self.assertEqual(reply["content"]["status"], "error")
        self.assertLess(time.monotonic() - begin, 10)
        self.flush_channels()
        self.assertEqual(self.execute_helper(code="kept")[1][0]["content"]["data"]["text/plain"], "7")

    def test_errors_say_place_and_caret(self):
        self.flush_channels()
        reply, _ = self.execute_helper(code="a = 1\nb = a + nothing")
        self.assertIn("^", "\n".join(reply["content"]["traceback"]))
        reply, _ = self.execute_helper(code="%nothing")
        self.assertIn("%connect", "\n".join(reply["content"]["traceback"]))


class Notebooks(unittest.TestCase):
    def test_a_notebook_of_scripts_runs_here_and_on_a_node(self):
        server = Server(PELORUS)
        try:
            outputs = run_notebook("pelorus", ["t = table(1..4 as x)", "exec sum(x) from t", f"%connect 127.0.0.1:{server.port} admin {PASSWORD}\ngetCurrentSessionAndUser()[1]", "%timeit 1 + 1",
                                               "%open\n1 + 2"])
        finally:
            self.assertEqual(server.stop(), 0)
        self.assertEqual(outputs[0], [])
        self.assertEqual(outputs[1][0]["data"]["text/plain"], "10")
        self.assertEqual(outputs[2][0]["data"]["text/plain"], "admin")
        self.assertIn("best of", outputs[3][0]["text"])
        self.assertEqual(outputs[4][0]["data"]["text/plain"], "3")

    def test_the_magic_reads_frames_of_the_notebook(self):
        outputs = run_notebook("package_python", ["%load_ext pelorus\nimport pandas as pd\nframe = pd.DataFrame({'a': [1, 2, 3]})", "%%pelorus -o total\nselect sum(a) as s from frame",
                                                  "total.fetchone()[0]", "%%pelorus\nselect a from frame where a > 2", "%pelorus 1 + 1"])
        self.assertEqual(outputs[2][0]["data"]["text/plain"], "6")
        self.assertIn("<td>3</td>", outputs[3][0]["data"]["text/html"])
        self.assertEqual(outputs[4][0]["data"]["text/plain"], "2")


if __name__ == "__main__":
    wanted = "".join(sys.argv[2:3])
    loader = unittest.defaultTestLoader
    suite = unittest.TestSuite([loader.loadTestsFromTestCase(kind) for kind in (Kernel, Notebooks)])
    if wanted:
        suite = unittest.TestSuite([test for group in suite for test in group if wanted in test.id()])
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    FOLDER.cleanup()
    failed = len(result.failures) + len(result.errors)
    sys.exit(tally(result.testsRun - failed - len(result.skipped), failed))
