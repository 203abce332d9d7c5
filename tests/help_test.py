#!/usr/bin/env python3
"""help() of statements, operators, types, themes and parameters. Every example is run."""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())
# Functions of three or more parameters that explain some of them only. May only shrink; --list-partly-explained writes it.
PARTLY_EXPLAINED = Path(__file__).parent / "partly_explained_functions.txt"
passed = failed = 0


def check(what, good, shown=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {shown}")


def run(script):
    done = subprocess.run([PELORUS, "-e", script], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return (done.stdout + done.stderr).rstrip("\n")


def stripped(text):
    return "\n".join(line.rstrip() for line in text.split("\n"))


def help_of(name):
    return run(f'help("{name}")')


def names_of(theme):
    """What the help of a theme lists."""
    return [name.strip() for name in " ".join(help_of(theme).split("\n\n\n")[-1].split("\n")[2:]).split(",")]


statements = names_of("statements")
check("statements are listed", len(statements) > 60 and "select" in statements, statements)
examples = 0
with ThreadPoolExecutor(4) as pool:
    texts = list(pool.map(help_of, statements))
    shown = []
    for name, text in zip(statements, texts):
        check(f"help of {name} ends with what else there is", "\n\nSee also\n" in text, text)
        example = re.search(r"\n\nExample\n(.*?)\n\nShows\n(.*?)\n\nSee also\n", text, re.S)
        if example:
            shown.append((name, example[1], example[2]))
    for (name, script, wanted), found in zip(shown, pool.map(lambda row: run(row[1]), shown)):
        check(f"the example of {name}", stripped(found) == wanted, found)
check("most statements have an example", len(shown) > len(statements) - 8, len(shown))

overview = run("help()")
themes = dict(re.findall(r"^  (\S.*?) +(\d+)$", overview, re.M))
check("help() lists the themes", "window functions" in themes and "strings" in themes and "databases" in themes, overview)
check("and says how to go on", 'help("select")' in overview and 'help("mavg")' in overview, overview)
for theme, count in themes.items():
    check(f"the theme {theme} has as many names as help() says", len(names_of(theme)) == int(count), help_of(theme))
functions = int(run("(exec count(*) from defs())"))
themed = sum(int(count) for theme, count in themes.items() if theme not in ("statements", "types"))
check("nearly every function has a theme", themed > functions * 0.98, f"{themed} of {functions}")

for sign in ("+", "-", "*", "/", "**", "==", "!=", "<", "&&", "||", "%", ":", "..", "$", "&", "|", "<<"):
    check(f"help of the operator {sign}", "precedence" in help_of(sign) or "See also" in help_of(sign), help_of(sign))
check("help of ?:", "condition ? a : b" in help_of("?:"), help_of("?:"))
for name in names_of("types"):
    check(f"help of the type {name}", f"{name}   a type" in help_of(name) or "See also" in help_of(name), help_of(name))
double = help_of("DOUBLE")
check("help of DOUBLE", "8 bytes" in double and "00F" in double and "double" in double, double)

for name, wanted in [("avrage", "avg(x)"), ("selct", "Did you mean select?"), ("nosuch", "help() says what there is"), ("mvag", "Did you mean mavg"),
                     ("window function", "Did you mean window functions?"), ("SELECT", "select [top n]"), ("AVG", "avg(X)")]:
    check(f"help of {name}", wanted in help_of(name), help_of(name))
check("help of a function without quotes", help_of("sum") == run("help sum"), run("help sum"))
check("parameters stand one in a line", re.search(r"\n  transform +a function.*\n  sortColumns +the names.*\n  atomic +one", help_of("loadTextEx")), help_of("loadTextEx"))


def explained_in(text):
    """The names of the parameters that a help explains, each in a line, or several before a colon."""
    section = text.split("\nParameters\n", 1)[-1].split("\n\n", 1)[0] if "\nParameters\n" in text else ""
    lines = re.findall(r"^  (\S.*)$", section, re.M)
    return {name for line in lines for name in re.split(r":? {2,}|: ", line)[0].split(", ")}


def parameters_and_explained():
    """The parameters of each function of three or more, and those that its help explains."""
    shown = run("for (f in select name, syntax from defs() where maxParamCount >= 3) "
                '{ print("@@@" + f.name + "\\n" + f.syntax); print(help(f.name)) }')
    functions = [text.split("\n", 2) for text in shown.split("@@@")[1:]]
    return {name: (re.findall(r"[\w|]+", syntax), explained_in(text)) for name, syntax, text in functions}


functions = parameters_and_explained()
check("functions of three or more parameters are found", len(functions) > 500, len(functions))
silent = [name for name, (_, explained) in functions.items() if not explained]
check("functions of three or more parameters explain them: give FunctionDoc::parameters", not silent, ", ".join(silent))
partly = sorted(name for name, (parameters, explained) in functions.items() if not explained.issuperset(parameters))
if "--list-partly-explained" in sys.argv:
    PARTLY_EXPLAINED.write_text("".join(f"{name}\n" for name in partly))
listed = PARTLY_EXPLAINED.read_text().split()
for name in set(partly) - set(listed):
    check(f"every parameter of {name} is explained", False, set(functions[name][0]) - functions[name][1])
for name in set(listed) - set(partly):
    check(f"{name} is in {PARTLY_EXPLAINED.name} for a reason", False, "its parameters are explained: take out its line")
see_also = help_of("avg").split("See also\n")[1]
check("related functions share the name", "mavg" in see_also and "cumavg" in see_also, see_also)
share = help_of("share")
check("a statement that is a function, too, has both", "share table as name" in share and "share(table, sharedName" in share, share)
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
