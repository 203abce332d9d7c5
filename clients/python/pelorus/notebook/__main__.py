"""python -m pelorus.notebook install [--sys-prefix | --user]: makes the kernel known to Jupyter.
python -m pelorus.notebook -f FILE: runs it, as Jupyter does."""
from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

SPEC = {"argv": [sys.executable, "-m", "pelorus.notebook", "-f", "{connection_file}"], "display_name": "Pelorus", "language": "pelorus",
        "interrupt_mode": "signal", "metadata": {"debugger": False}}


def install(options: list[str]) -> None:
    from jupyter_client.kernelspec import KernelSpecManager

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.json").write_text(json.dumps(SPEC, indent=1))
        prefix = None if "--user" in options else sys.prefix
        where = KernelSpecManager().install_kernel_spec(folder, "pelorus", user=prefix is None, prefix=prefix)
    print(f"The kernel is in {where}.")


def main() -> None:
    if sys.argv[1:2] == ["install"]:
        return install(sys.argv[2:])
    from ipykernel.kernelapp import IPKernelApp

    from .kernel import PelorusKernel

    IPKernelApp.launch_instance(kernel_class=PelorusKernel)


if __name__ == "__main__":
    main()
