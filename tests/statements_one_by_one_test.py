#!/usr/bin/env python3
"""Scripts whose statements run one by one, embedded and on a node."""
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from ports import free_port

PELORUS = str(Path(sys.argv[1]).resolve())

# A definition that does not parse is one failed statement, its lines are none by themselves.
TORN = """
print("before")
def torn(x) {
    print("inside")
    y = x +
    return y
}
print("after")
for (i in 0:2) {
    print("in the loop")
    z = = 1
}
print("end")
"""

# An annotation belongs to the function that follows it.
ANNOTATED = """
def plain(x) {
    return x
}

@state
def change(x) {
    return x - prev(x)
}
@state def twice(x) { return 2 * prev(x) }
t = table(1:0, `v, [INT])
r = table(1:0, `a`b, [INT, INT])
engine = createReactiveStateEngine("e", <[change(v), twice(v)]>, t, r)
engine.append!(table(1 3 as v))
print(r.b)
"""

# What one statement defines the next ones know.
KNOWN = """
def half(x) { return x / 2.0 }
print(half(5))
print(each(half, 2 4))
t = table(1 2 3 as a)
print(exec half(a) from t)
half(9)
nowhere(1)
print("goes on")
"""


def run(folder, script, *options):
    file = folder / "script.dos"
    file.write_text(script)
    done = subprocess.run([PELORUS, "run", *options, "--keep-going", str(file)], capture_output=True, text=True, timeout=60)
    return done.stdout.splitlines(), done.stderr


def main():
    failures = []

    def check(name, holds, said):
        if not holds:
            failures.append(name)
            print(f"FAILED {name}: {said}")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = None
        try:
            port = free_port()
            server = subprocess.Popen([PELORUS, "serve", "--dev", "--port", str(port), "--data", str(folder / "data")],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert "listens on" in server.stdout.readline()
            for place, options in (("embedded", ()), ("on a node", ("--connect", f"127.0.0.1:{port}"))):
                lines, errors = run(folder, TORN, *options)
                check(f"F13 {place}", lines == ["before", "after", "end"] and errors.count("Syntax Error") == 2, (lines, errors))
                lines, errors = run(folder, KNOWN, *options)
                wanted = ["2.5", "[1,2]", "[0.5,1,1.5]", "4.5", "goes on"]
                check(f"F03 {place}", lines == wanted and "'nowhere' is not defined" in errors, (lines, errors))
                lines, errors = run(folder, ANNOTATED, *options)
                check(f"annotations {place}", lines[-1:] == ["[,2]"] and errors == "", (lines, errors))
        finally:
            if server:
                server.send_signal(signal.SIGTERM)
                server.wait(timeout=30)
                server.stdout.close()
    print(f"{6 - len(failures)} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
