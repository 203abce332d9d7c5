#!/usr/bin/env python3
"""What packages say of the program is what it says of itself: manual pages, completions, unit and configuration."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
from cases import cases_in, run_cases, tally

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
PELORUS = str(Path(sys.argv[1]).resolve())


def said(*arguments):
    return subprocess.run([PELORUS, *arguments], capture_output=True, text=True, check=True).stdout


def options():
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", said("--help"))) - {"-time"}


def commands():
    return set(re.findall(r"^  pelorus ([a-z]+)", said("--help"), re.MULTILINE))


def pages():
    with tempfile.TemporaryDirectory(prefix="pelorus_pages_") as folder:
        subprocess.run([sys.executable, ROOT / "scripts/man_pages.py", PELORUS, folder], check=True)
        return [Path(folder, page).read_text().replace("\\-", "-") for page in ("man1/pelorus.1", "man5/pelorus.cfg.5")]


def test_manual_pages_have_every_command_option_and_setting():
    first, second = pages()
    assert len(commands()) >= 8 and len(options()) >= 12
    for each in commands() | options():
        assert each in first, each
    settings = re.findall(r"^\| `(\w+)`", said("settings"), re.MULTILINE)
    assert len(settings) > 50
    for each in settings:
        assert f"\n.B {each}\n" in second, each
    for page in (first, second):
        assert page.startswith(".TH ") and not re.search(r"^\.(?!TH|SH|TP|B|BR|I|nf|fi|br)", page, re.MULTILINE)


def test_completions_have_every_command_and_option():
    for name in ("pelorus.bash", "_pelorus"):
        text = (ROOT / "packaging/completion" / name).read_text()
        for each in commands() | options():
            assert each in text, (name, each)
    listed = "source packaging/completion/pelorus.bash; COMP_WORDS=(pelorus se); COMP_CWORD=1; _pelorus; echo ${COMPREPLY[@]}"
    assert subprocess.run(["bash", "-c", listed], cwd=ROOT, capture_output=True, text=True).stdout.split() == ["serve", "settings"]


def test_the_unit_starts_the_program_with_a_configuration_that_it_takes():
    unit = (ROOT / "packaging/debian/pelorus.service").read_text()
    assert "ExecStart=/usr/bin/pelorus serve --config /etc/pelorus/pelorus.cfg" in unit
    known = set(re.findall(r"^\| `(\w+)`", said("settings"), re.MULTILINE))
    for name in ("pelorus.cfg", "container.cfg"):
        lines = (ROOT / "packaging/debian" / name).read_text().splitlines()
        given = {line.partition("=")[0] for line in lines if line and not line.startswith("#")}
        assert given and given <= known, (name, given - known)


def test_the_first_password_of_a_container_comes_from_the_environment():
    with tempfile.TemporaryDirectory(prefix="pelorus_container_") as folder:
        script = Path(folder, "who.dos")
        script.write_text("print(getCurrentSessionAndUser()[1])\n")
        node = subprocess.Popen([PELORUS, "serve", "--port", "0", "--data", f"{folder}/data"], stdout=subprocess.PIPE, text=True,
                                env={**os.environ, "PELORUS_ADMIN_PASSWORD": "Of_a_container_1"})
        try:
            first = node.stdout.readline()
            port = re.fullmatch(r"Pelorus listens on 127\.0\.0\.1:(\d+)\.\n", first).group(1)  # and no random password before it
            who = subprocess.run([PELORUS, "run", "--connect", f"127.0.0.1:{port}", script], capture_output=True, text=True, env={**os.environ, "PELORUS_PASSWORD": "Of_a_container_1"})
            assert who.stdout.strip() == "admin", who
        finally:
            node.terminate()
            assert node.wait(20) == 0


def test_the_program_finds_its_libraries_when_it_is_found_by_the_path():
    with tempfile.TemporaryDirectory(prefix="pelorus_path_") as folder:
        script = 'saveParquet(table(1 2 as a), "x.parquet"); print(exec sum(a) from "x.parquet")'
        environment = {**os.environ, "PATH": str(Path(PELORUS).parent)}
        made = subprocess.run(["pelorus", "-e", script], cwd=folder, env=environment, capture_output=True, text=True)
        assert made.stdout.split()[-1:] == ["3"], made


def test_versions_are_one():
    version = said("--version").split()[1]
    assert f'version = "{version}"' in (ROOT / "clients/python/pyproject.toml").read_text()
    assert f'__version__ = "{version}"' in (ROOT / "clients/python/pelorus/__init__.py").read_text()
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
    assert f'return "{version}"' in (ROOT / "apps/library/c_sessions.cpp").read_text()


def main():
    cases, skipped = cases_in(globals()), 0
    if not Path(PELORUS).with_name("libpelorus_arrow.so").exists():
        cases.remove(test_the_program_finds_its_libraries_when_it_is_found_by_the_path)
        skipped = 1
        print("SKIPPED: Pelorus was built without Arrow C++ (scripts/fetch_arrow.sh)")
    return tally(*run_cases(cases, wanted="".join(sys.argv[2:3])), skipped)


if __name__ == "__main__":
    sys.exit(main())
