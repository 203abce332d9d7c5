#!/usr/bin/env python3
"""Random functions of scalars, vectors and loops give the same interpreted and as machine code: values, NULLs, types, errors."""
import os
import random
import subprocess
import sys
import tempfile

PROGRAMS = int(os.environ.get("PELORUS_RANDOM_PROGRAMS", "60"))
INTEGERS = ["0", "1", "-1", "2", "7", "-3", "100", "2147483647", "00i", "5l", "-9l", "00l", "9223372036854775807l"]
REALS = ["0.0", "1.5", "-2.25", "1e300", "-1e300", "0.1", "00F"]
NARROW = ["3h", "-7h", "00h", "32767h", "'b'", "00c", "true", "00b", "1.5f", "-0.25f", "00f", "3e38f"]
VARIABLES = ["a", "b", "c", "d"]
# Built-ins of scalars, by how many numbers they take. `{}` are the arguments.
ONE = ["double({})", "sqrt({})", "sin({})", "exp({})", "log({})", "abs({})", "floor({})", "ceil({})", "round({})", "sign({})", "square({})",
       "tan({})", "log1p({})", "atanh({})", "cbrt({})", "reciprocal({})", "int({})", "long({})", "short({})", "float({})", "char(int({}) % 100)",
       "bool({})", "round({}, 2)", "cdfNormal(0, 1, {})", "invNormal(0.5, 2, {})", "cdfExp(2, {})", "log({}, 2)", "neg({})", "bitNot(int({}))",
       "weekday(2024.01.01 + int({}) % 100)", "int(minute(09:30m + int({}) % 60))"]
TWO = ["pow({}, {})", "min({}, {})", "max({}, {})", "atan2({}, {})", "nullFill({}, {})", "nullIf({}, {})", "mod(long({}), long({}))", "add({}, {})",
       "cdfNormal({}, 1, {})", "cdfNormal(0, {}, {})", "round({}, int({}) % 20)", "ratio({}, {})"]


class Program:
    """A function of a, b, c, d that computes for a while and gives all of them, with their types."""

    def __init__(self, r, number):
        self.r, self.number, self.counters = r, number, 0

    def atom(self, names):
        r = self.r
        if names and r.random() < 0.65:
            return r.choice(names)
        return r.choice(NARROW if r.random() < 0.1 else INTEGERS if r.random() < 0.7 else REALS)

    def number_expression(self, names, depth=0):
        r = self.r
        if depth > 2 or r.random() < 0.25:
            return self.atom(names)
        x, y = self.number_expression(names, depth + 1), self.number_expression(names, depth + 1)
        kind = r.random()
        if kind < 0.5:
            return f"({x} {r.choice(['+', '-', '*', '/', '%', chr(92)])} {y})"
        if kind < 0.54:
            return f"({r.choice(['bitXor', 'bitAnd', 'bitOr'])}(a, b))"
        if kind < 0.6:
            return f"-({x})"
        if kind < 0.76:
            return r.choice(ONE).format(x)
        if kind < 0.86:
            return r.choice(TWO).format(x, y)
        if kind < 0.89:
            return f"iif({self.condition(names, depth + 1)}, {x}, {y})"
        if kind < 0.95:
            return f"helper{self.number}({x}, {y})"
        return f"({self.condition(names, depth + 1)} ? {x} : {y})"

    def condition(self, names, depth=0):
        r = self.r
        x, y = self.number_expression(names, depth + 1), self.number_expression(names, depth + 1)
        plain = f"{x} {r.choice(['<', '<=', '==', '>', '>=', '!='])} {y}"
        kind = r.random()
        if kind < 0.6 or depth > 1:
            return f"({plain})"
        if kind < 0.7:
            return f"{r.choice(['isNull', 'isValid', 'bool', 'not'])}({x})"
        if kind < 0.8:
            return f"!({plain})"
        return f"(({plain}) {r.choice(['&&', '||'])} {self.condition(names, depth + 1)})"

    def statements(self, names, depth=0):
        r = self.r
        lines = []
        for _ in range(r.randint(1, 3)):
            kind = r.random()
            pad = "    " * (depth + 1)
            if kind < 0.5 or depth > 2:
                lines.append(f"{pad}{r.choice(VARIABLES)} = {self.number_expression(names)}")
            elif kind < 0.6:
                lines.append(f"{pad}v[{r.choice(['0', '1', '2', 'abs(int(a)) % 5'])}] = {self.number_expression(names)}")
            elif kind < 0.68:
                lines.append(f"{pad}{r.choice(VARIABLES)} = v[{r.choice(['0', '1', '2', '3'])}]")
            elif kind < 0.82:
                lines.append(f"{pad}if ({self.condition(names)}) {{")
                lines += self.statements(names, depth + 1)
                if r.random() < 0.5:
                    lines.append(f"{pad}}} else {{")
                    lines += self.statements(names, depth + 1)
                lines.append(f"{pad}}}")
            else:
                self.counters += 1
                i = f"i{self.counters}"
                span = r.choice(["0:4", "3:0", "0..3", "1 5 9", "v", "0:size(v)"])
                lines.append(f"{pad}for ({i} in {span}) {{")
                lines += self.statements([*names, i], depth + 1)
                if r.random() < 0.2:
                    lines.append(f"{pad}    if ({self.condition(names)}) {r.choice(['break', 'continue'])}")
                lines.append(f"{pad}}}")
        return lines

    def text(self):
        names, n = VARIABLES, self.number
        helper = f"def helper{n}(x, y) {{ if (x > y) return x * 2.0; return y - 1.0 }}"
        vector = self.r.choice(["array(DOUBLE, 5, 5, 1.5)", "array(LONG, 5, 5, 3l)", "array(INT, 5, 5, 2)",
                                "array(FLOAT, 5, 5, 1.5f)", "array(SHORT, 5, 5, 2h)"])
        body = "\n".join(self.statements(names))
        annotation = "@jit\n" if self.r.random() < 0.5 else ""
        return f"""{helper}
{annotation}def program{n}(a0, b0, c0, d0) {{
    a = a0; b = b0; c = c0; d = d0
    v = {vector}
    for (round in 0:3) {{
{body}
    }}
    return (a, b, c, d, v)
}}
for (start in ((1, 2, 3.5, -1l), (00i, 7l, -2.5, 3), (2147483647, -5, 0.0, 00F))) {{
    try {{
        r = program{n}(start[0], start[1], start[2], start[3])
        print(concat(string(loop(typestr, r)), " "))
        print(r)
    }} catch (e) {{ print(e[1]) }}
}}
"""


def run(pelorus, path, jit):
    # A sanitized build's leak checker cannot always walk the threads that make machine code; scripts are checked for leaks elsewhere.
    env = {**os.environ, "PELORUS_JIT": jit, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run([pelorus, "run", path], capture_output=True, text=True, timeout=300, env=env)


def main():
    pelorus = sys.argv[1]
    seed = int(os.environ.get("PELORUS_SEED", str(random.SystemRandom().randrange(1 << 30))))
    r = random.Random(seed)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(PROGRAMS):
            path = os.path.join(folder, "program.dos")
            text = Program(r, number).text()
            with open(path, "w") as f:
                f.write(text)
            interpreted, compiled = run(pelorus, path, "off"), run(pelorus, path, "always")
            same = (interpreted.stdout, interpreted.stderr) == (compiled.stdout, compiled.stderr)
            if same and interpreted.returncode == 0:
                passed += 1
                continue
            failed += 1
            print(f"FAILED program {number} of PELORUS_SEED={seed}\n{text}")
            for name, result in (("interpreted", interpreted), ("compiled", compiled)):
                print(f"-- {name}: exit {result.returncode}\n{result.stdout}{result.stderr}")
            if failed == 3:
                break
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
