#!/usr/bin/env python3
"""Delimited text as other programs leave it: each file gives the cells that its row of the table names, and what a reader could miss is told.

Every file is read beside pandas and DuckDB as well, where they are installed: cells that are strings here are the same ones there, and numbers
the same numbers, but for the files that they refuse or read otherwise.
"""
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

try:
    import pandas
except ImportError:
    pandas = None
try:
    import duckdb
except ImportError:
    duckdb = None

PELORUS = str(Path((sys.argv[1:] or ["build/release/pelorus"])[0]).resolve())


@dataclass
class File:
    name: str
    content: bytes
    cells: dict  # the names of the columns, and the strings of their cells; "" is NULL
    types: str = ""  # of the columns, where they matter
    told: list = field(default_factory=list)  # parts of what is told
    pandas: dict | None = field(default_factory=dict)  # the arguments of read_csv; None where pandas reads something else
    options: str = ""  # arguments of loadText after the path


def text(content):
    return content.encode()


PLAIN = {"a": ["1", "3"], "b": ["x", "y"]}
FILES = [
    # Line ends.
    File("line_feeds", text("a,b\n1,x\n3,y\n"), PLAIN),
    File("carriage_returns", text("a,b\r1,x\r3,y\r"), PLAIN),
    File("carriage_returns_without_the_last", text("a,b\r1,x\r3,y"), PLAIN),
    File("both", text("a,b\r\n1,x\r\n3,y\r\n"), PLAIN),
    File("mixed", text("a,b\r1,x\n3,y\r\n5,z\r7,w"), {"a": ["1", "3", "5", "7"], "b": ["x", "y", "z", "w"]}),
    File("mixed_in_quotes", text('a,b\r"1","x\ry"\r3,"u\r\nv"\r'), {"a": ["1", "3"], "b": ["x\ry", "u\r\nv"]}),
    File("skipped_lines_of_carriage_returns", text('a "title\rsecond\ra,b\r1,x\r3,y\r'), PLAIN, options=", , , 2", pandas={"skiprows": 2}),
    File("blank_lines", text("a,b\n\n1,x\n\r\n3,y\n\n\n"), PLAIN, told=["2 blank lines were skipped, the first is line 2."]),
    File("no_end", text("a,b\n1,x\n3,y"), PLAIN),
    # Quotes.
    File("quoted", text('"a","b"\n"1","x"\n"3","y"\n'), PLAIN),
    File("doubled", text('a,b\n1,"x ""y"" z"\n2,""""\n'), {"a": ["1", "2"], "b": ['x "y" z', '"']}),
    File("inside", text('a,b\n1,x"y\n2,5" disk\n'), {"a": ["1", "2"], "b": ['x"y', '5" disk']}),
    File("behind_the_closing_one", text('a,b\n1,"x"y\n2,"u" v"w\r\n'), {"a": ["1", "2"], "b": ["xy", 'u v"w']}),
    File("after_a_blank", text('a,b\n1, "x"\n2, "y"\n'), {"a": ["1", "2"], "b": [' "x"', ' "y"']}),
    File("empty_ones", text('a,b\n1,""\n2,x\n'), {"a": ["1", "2"], "b": ["", "x"]}),
    File("delimiters_and_line_ends_inside", text('a,b\n1,"x,y"\n2,"u\nv"\n3,"\n"\n'), {"a": ["1", "2", "3"], "b": ["x,y", "u\nv", "\n"]}),
    File("never_closed", text('a,b\n1,x\n2,"y\n3,z\n'), {"a": ["1", "2"], "b": ["x", "y\n3,z\n"]}, told=["The quote that opens in line 3 is never closed"],
         pandas=None),
    File("single_quotes", text("a,b\n1,'x'\n2,'y'\n"), {"a": ["1", "2"], "b": ["'x'", "'y'"]}),
    File("backslashes", text('a,b\n1,x\\ny\n2,C:\\dir\n'), {"a": ["1", "2"], "b": ["x\\ny", "C:\\dir"]}),
    # Delimiters.
    File("tabs", text("a\tb\n1\tx\n3\ty\n"), PLAIN, told=["Fields are separated by tabs"], pandas={"sep": "\t"}),
    File("decimal_commas", text("a;b\n1;2,5\n3;4,75\n"), {"a": ["1", "3"], "b": ["2,5", "4,75"]},
         told=["Fields are separated by semicolons", 'b is SYMBOL: its numbers have a decimal comma, as "2,5" in line 2.'], pandas={"sep": ";"}),
    File("decimal_commas_everywhere", text("1,5;2,5\n3,5;4,75\n"), {"col0": ["1,5", "3,5"], "col1": ["2,5", "4,75"]},
         told=["Fields are separated by semicolons", "decimal comma"], pandas={"sep": ";", "header": None}),
    File("commas_in_some_fields", text("a|b\n1|x, y\n3|z\n"), {"a": ["1", "3"], "b": ["x, y", "z"]}, told=["Fields are separated by bars"],
         pandas={"sep": "|"}),
    File("delimiter_in_the_first_line", text("sep=^\r\na^b\r\n1^x,y\r\n3^z\r\n"), {"a": ["1", "3"], "b": ["x,y", "z"]}, pandas={"sep": "^", "skiprows": 1}),
    File("semicolons_in_fields", text("a,b\n1,x;y\n3,z;w\n"), {"a": ["1", "3"], "b": ["x;y", "z;w"]}),
    File("delimiters_at_ends", text("a,b,\n1,x,\n3,y,\n"), {"a": ["1", "3"], "b": ["x", "y"], "c": ["", ""]}, told=['"" is c.'], pandas=None),
    # Numbers that are none, or lose digits.
    File("leading_zeros", text("code,n\n000001,1\n600000,2\n"), {"code": ["000001", "600000"], "n": ["1", "2"]}, "SYMBOL INT",
         ['code is SYMBOL: a number would not keep the digits of "000001" in line 2.']),
    File("leading_zeros_far_below", text("code\n" + "600000\n" * 400000 + "000001\n" + "600000\n" * 400000), {}, "INT",
         ['code: 1 field has digits that INT does not keep, the first is "000001" in line 400002: give STRING in the schema to keep them.']),
    File("ids_of_20_digits", text("id\n12345678901234567890\n12345678901234567891\n"), {"id": ["12345678901234567890", "12345678901234567891"]}, "SYMBOL",
         ['a number would not keep the digits of "12345678901234567890" in line 2.']),
    File("ids_among_fractions", text("x\n1.5\n9007199254740993\n"), {"x": ["1.5", "9.007199E15"]}, "DOUBLE",
         ['x: 1 field has digits that DOUBLE does not keep, the first is "9007199254740993" in line 3'], pandas=None),
    File("zero_and_fractions", text("a,b\n0,0.5\n-0,00.5\n"), {"a": ["0", "0"], "b": ["0.5", "0.5"]}, "INT DOUBLE"),
    File("thousands", text('n\n"1,234.5"\n"12,000"\n7\n'), {"n": ["1,234.5", "12,000", "7"]}, "SYMBOL",
         ["n is SYMBOL: its numbers have commas between thousands", 'double(strReplace(n, ",", ""))']),
    File("either_commas", text('n\n"1,234"\n"2,500"\n'), {"n": ["1,234", "2,500"]}, "SYMBOL", ["if they set off thousands", "if they are decimal commas"]),
    File("signs_and_exponents", text("a,b\n+1,1e3\n-2,-2.5E-1\n"), {"a": ["1", "-2"], "b": ["1000", "-0.25"]}, "INT DOUBLE"),
    File("blanks_around", text("a,b\n 1 ,2.5 \n 3,4.5\n"), {"a": ["1", "3"], "b": ["2.5", "4.5"]}, "INT DOUBLE"),
    File("missing_ones", text("a\n1\nn/a\n3\n4\n5\n6\n"), {"a": ["1", "n/a", "3", "4", "5", "6"]}, "SYMBOL",
         ['a is SYMBOL because of "n/a" in line 3.', '["INT"] as type']),
    File("truth", text("a,b,c\ntrue,True,FALSE\nfalse,False,TRUE\n"), {"a": ["true", "false"], "b": ["true", "false"], "c": ["false", "true"]}, "BOOL BOOL BOOL", pandas=None),
    # Dates and times.
    File("offsets", text("t\n2024-01-05T09:30:00+08:00\n2024-01-05T09:31:00+08:00\n"),
         {"t": ["2024-01-05T09:30:00+08:00", "2024-01-05T09:31:00+08:00"]}, "SYMBOL",
         ["its fields are dates as yyyy-MM-ddTHH:mm:ss+08:00", '["DATETIME"] as type, ["yyyy-MM-ddTHH:mm:ss+08:00"] as format']),
    File("differing_offsets", text("t\n2024-03-30 09:30:00.123+01:00\n2024-03-31 09:30:00.123+02:00\n"),
         {"t": ["2024-03-30 09:30:00.123+01:00", "2024-03-31 09:30:00.123+02:00"]}, "SYMBOL",
         ['the offsets of its times differ, as that of "2024-03-31 09:30:00.123+02:00" in line 3']),
    File("half_days", text("t,u\n1/25/2024 3:04:05 PM,9:30 AM\n1/26/2024 12:00:00 AM,12:05 PM\n"),
         {"t": ["1/25/2024 3:04:05 PM", "1/26/2024 12:00:00 AM"], "u": ["9:30 AM", "12:05 PM"]}, "SYMBOL SYMBOL",
         ["as M/d/yyyy h:mm:ss aa", "as h:mm aa", '["DATETIME","MINUTE"] as type']),
    File("months_by_name", text("d\n01-Jan-24\n15-Feb-24\n"), {"d": ["01-Jan-24", "15-Feb-24"]}, "SYMBOL", ["d-MMM-yy", '["DATE"] as type']),
    File("years_of_two_digits", text("d\n1/31/24\n2/28/24\n"), {"d": ["1/31/24", "2/28/24"]}, "SYMBOL", ["M/d/yy", '["DATE"] as type']),
    File("days_or_months", text("d\n01/02/2024\n03/04/2024\n"), {"d": ["01/02/2024", "03/04/2024"]}, "SYMBOL",
         ["dates as MM/dd/yyyy, or as dd/MM/yyyy: none of them tells which"]),
    File("dates", text("a,b\n2024-01-05,20240105\n2024-01-06,20240106\n"), {"a": ["2024.01.05", "2024.01.06"], "b": ["2024.01.05", "2024.01.06"]},
         "DATE DATE", pandas=None),
    File("no_dates", text("a\n2024-01-05\n2024-02-30\n2024-01-07\n2024-01-08\n2024-01-09\n2024-01-10\n"), {}, "SYMBOL",
         ['a is SYMBOL because of "2024-02-30" in line 3.']),
    # Encodings.
    File("mark", b"\xef\xbb\xbf" + text("a,b\n1,x\n3,y\n"), PLAIN, pandas={"encoding": "utf-8-sig"}),
    File("mark_and_quotes", b"\xef\xbb\xbf" + text('"a","b"\n1,x\n3,y\n'), PLAIN, pandas={"encoding": "utf-8-sig"}),
    File("utf_16", "a,b\r\n1,x\r\n3,行情😀\r\n".encode("utf-16"), {"a": ["1", "3"], "b": ["x", "行情😀"]}, pandas={"encoding": "utf-16"}),
    File("utf_16_big_endian", b"\xfe\xff" + "a\tb\n1\tx\n3\ty\n".encode("utf-16-be"), PLAIN, told=["separated by tabs"], pandas={"encoding": "utf-16", "sep": "\t"}),
    File("utf_16_without_a_mark", "a,b\n1,x\n3,y\n".encode("utf-16-le"), PLAIN, pandas={"encoding": "utf-16-le"}),
    File("gbk", "a,b\n1,x\n3,行情\n".encode("gbk"), {}, told=["b: the text is not UTF-8 from line 3 on", 'toUTF8(b, "gbk")'], pandas=None),
    File("gbk_names", "代码,a\n1,x\n".encode("gbk"), {}, told=["the text is not UTF-8 from line 1 on"], pandas=None),
    File("latin_1", "a,b\n1,café\n".encode("latin-1"), {}, told=["b: the text is not UTF-8 from line 2 on"], pandas=None),
    File("chinese", text("代码,名称\n1,平安\n3,万科\n"), {"代码": ["1", "3"], "名称": ["平安", "万科"]}),
    # Rows and names.
    File("ragged", text("a,b\n1\n2,x,y\n3,z\n"), {"a": ["1", "2", "3"], "b": ["", "x", "z"]},
         told=["1 line has too few fields, the first is line 2", "1 line has too many fields, the first is line 3"], pandas=None),
    File("zero_bytes", b"a,b\n1,x\0y\n3,z\n", {}, told=["b: the text holds zero bytes, first in line 2"], pandas=None),
    File("header_only", text("a,b\n"), {"a": [], "b": []}),
    File("header_without_an_end", text("a,b"), {"a": [], "b": []}),
    File("duplicate_names", text("a,a,b,a\n1,2,3,4\n"), {"a": ["1"], "a_1": ["2"], "b": ["3"], "a_2": ["4"]}, told=['"a" is a_1 and "a" is a_2'], pandas=None),
    File("odd_names", text("trade price,1st,select,\n1,2,3,4\n"), {"trade_price": ["1"], "c1st": ["2"], "select": ["3"], "c": ["4"]},
         told=['"trade price" is trade_price'], options=", , , , , true", pandas=None),
    File("names_with_digits_first", text("1d,5d\n1.5,2.5\n3.5,4.5\n5.5,6.5\n7.5,8.5\n9.5,1.5\n"), {}, told=["Line 1 may hold the names of the columns"]),
    File("no_header", text("1,x\n3,y\n"), {"col0": ["1", "3"], "col1": ["x", "y"]}, pandas={"header": None}),
]
REFUSED = {"empty": (b"", "is empty"), "mark_alone": (b"\xef\xbb\xbf", "is empty"), "utf_32": ("a,b\n1,2\n".encode("utf-32"), "UTF-32")}
# What DuckDB refuses (mixed ends, UTF-16, ragged rows), takes for another dialect, or shows as other text.
NOT_IN_DUCKDB = {"mixed", "mixed_in_quotes", "skipped_lines_of_carriage_returns", "blank_lines", "behind_the_closing_one", "after_a_blank",
                 "delimiters_and_line_ends_inside", "never_closed", "single_quotes", "decimal_commas_everywhere", "delimiter_in_the_first_line", "truth", "dates", "utf_16",
                 "utf_16_big_endian", "utf_16_without_a_mark", "ragged"}

SCRIPT = """
def show(t) {
    print(toStdJson(t.columnNames()))
    print(toStdJson(schema(t).colDefs.typeString))
    for (name in t.columnNames()) print(toStdJson(string(t[name])))
}
"""


def run(folder, script):
    (folder / "script.dos").write_text(script)
    return subprocess.run([PELORUS, "run", folder / "script.dos"], capture_output=True, text=True, errors="surrogateescape", timeout=120)


def is_same(here, there):
    """Whether a cell is that of pandas, read as a string: the same string, or another way to write the same number."""
    if here == there:
        return True
    try:
        return math.isclose(float(here), float(there), rel_tol=1e-6)  # numbers are shown with six digits
    except ValueError:
        return False


def beside_pandas(file, folder):
    if pandas is None or file.pandas is None:
        return
    read = pandas.read_csv(folder / f"{file.name}.csv", dtype=str, keep_default_na=False, **file.pandas)
    assert read.shape[1] == len(file.cells), f"pandas has {read.shape[1]} columns"
    for (name, cells), (_, column) in zip(file.cells.items(), read.items()):
        theirs = column.tolist()
        assert len(theirs) == len(cells) and all(map(is_same, cells, theirs)), f"pandas reads {name} as {theirs}"


def beside_duckdb(file, folder):
    if duckdb is None or file.name in NOT_IN_DUCKDB:
        return
    read = duckdb.connect().execute(f"select * from read_csv('{folder}/{file.name}.csv', all_varchar=true, null_padding=true)")
    columns = [["" if cell is None else cell for cell in column] for column in zip(*read.fetchall())] or [[] for _ in read.description]
    assert len(columns) == len(file.cells), f"DuckDB has {len(columns)} columns"
    for (name, cells), theirs in zip(file.cells.items(), columns):
        assert len(theirs) == len(cells) and all(map(is_same, cells, theirs)), f"DuckDB reads {name} as {theirs}"


def check(file, folder):
    path = folder / f"{file.name}.csv"
    done = run(folder, SCRIPT + f't = loadText("{path}"{file.options})\n' + ("show(t)\n" if file.cells else "print(schema(t).colDefs.typeString)\n"))
    assert done.returncode == 0, done.stderr
    if file.cells:
        names, types, *columns = map(json.loads, done.stdout.splitlines())
        cells = dict(zip(names, columns))
        assert cells == file.cells, f"read as {cells}"
        assert file.types in ("", " ".join(types)), f"types {types}"
    elif file.types:
        assert done.stdout.strip() == json.dumps(file.types.split(), separators=(",", ":")), done.stdout
    told = done.stdout + done.stderr
    for part in file.told:
        assert part in told, f"not told: {part}\n{told}"
    assert file.told or not done.stderr.strip(), f"told without need: {done.stderr}"
    if file.cells:
        beside_pandas(file, folder)
        beside_duckdb(file, folder)


def by_other_ways(file, folder):
    """Pieces of a file, and a query on its name, read what the whole file gives."""
    path = folder / f"{file.name}.csv"
    columns = len(file.cells)
    rows = len(next(iter(file.cells.values())))
    done = run(folder, f'print(size(select * from "{path}"))\n'
               f'print(sum(mr(textChunkDS("{path}", 1), def(t){{ return size(t) }})))\nprint(size(extractTextSchema("{path}")))\n')
    assert done.stdout.split() == [str(rows), str(rows), str(columns)], done.stdout + done.stderr


def main():
    failures = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in FILES:
            (folder / f"{file.name}.csv").write_bytes(file.content)
            for test in [check] + ([by_other_ways] if file.cells and not file.options and any(file.cells.values()) else []):
                count += 1
                try:
                    test(file, folder)
                except Exception as fault:  # a reader of the table wants all that fail
                    failures += 1
                    print(f"FAILED {file.name}, {test.__name__}: {fault}")
        for name, (content, error) in REFUSED.items():
            count += 1
            (folder / f"{name}.csv").write_bytes(content)
            done = run(folder, f'loadText("{folder}/{name}.csv")')
            if done.returncode != 1 or error not in done.stderr:
                failures += 1
                print(f"FAILED {name}: {done.stderr}")
    peers = [name for name, module in (("pandas", pandas), ("DuckDB", duckdb)) if module is None]
    for peer in peers:
        print(f"SKIPPED cells beside {peer}: it is not installed")
    print(f"{count - failures} passed, {failures} failed, {len(peers)} skipped")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
