#!/usr/bin/env python3
"""Writes pelorus.1 and pelorus.cfg.5 into a folder, out of what the binary says: man_pages.py BINARY FOLDER."""
import re
import subprocess
import sys
from pathlib import Path


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def said_by(binary: str, *arguments: str) -> str:
    return subprocess.run([binary, *arguments], capture_output=True, text=True, check=True).stdout


def commands_page(binary: str, version: str) -> str:
    summary, _, commands = said_by(binary, "--help").partition("\n")
    return f""".TH PELORUS 1 "" "pelorus {version}" "User commands"
.SH NAME
pelorus \\- {escaped(summary.partition(": ")[2])}
.SH SYNOPSIS
.nf
{escaped(commands.strip(chr(10)))}
.fi
.SH ENVIRONMENT
.TP
.B PELORUS_USER, PELORUS_PASSWORD
The user and the password with which the console connects to a node.
.TP
.B PELORUS_JIT
off, hot or always: whether loops and expressions become machine code.
.SH FILES
.TP
.I ~/.pelorus
The database of the console.
.TP
.I /etc/pelorus/pelorus.cfg
The settings of the node that the system starts.
.SH EXIT STATUS
0, or 1 after an error, 2 for a command that is not known.
.SH SEE ALSO
.BR pelorus.cfg (5)
"""


def settings_page(binary: str, version: str) -> str:
    lines = [line for line in said_by(binary, "settings").splitlines() if line.startswith("| `")]
    entries = []
    for line in lines:
        name, default, values, meaning = (cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))[:4])
        plain = lambda text: escaped(text.replace("`", "").replace("\\|", "|"))
        entries.append(f".TP\n.B {plain(name)}\n{plain(meaning) or '.'}\n.br\nValues: {plain(values)}. Default: {plain(default) or 'none'}.")
    return f""".TH PELORUS.CFG 5 "" "pelorus {version}" "File formats"
.SH NAME
pelorus.cfg \\- settings of a Pelorus node
.SH DESCRIPTION
A line each, name=value; lines that begin with # are comments.
.BR "pelorus serve \\-\\-config FILE"
reads them.
.SH SETTINGS
{chr(10).join(entries)}
.SH SEE ALSO
.BR pelorus (1)
"""


def main() -> None:
    binary, folder = sys.argv[1], Path(sys.argv[2])
    version = said_by(binary, "--version").split()[1]
    (folder / "man1").mkdir(parents=True, exist_ok=True)
    (folder / "man5").mkdir(exist_ok=True)
    (folder / "man1/pelorus.1").write_text(commands_page(binary, version))
    (folder / "man5/pelorus.cfg.5").write_text(settings_page(binary, version))


if __name__ == "__main__":
    main()
