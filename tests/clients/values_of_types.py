"""Values of each type that clients send and receive, as scripts."""
TYPES = {
    "BOOL": "true false", "CHAR": "'a' 'z'", "SHORT": "-7h 7h", "INT": "-7 7", "LONG": "-7l 7l", "FLOAT": "1.5f -1.5f", "DOUBLE": "1.5 -1.5",
    "DATE": "1969.12.31 2024.02.29", "MONTH": "1999.12M 2024.02M", "TIME": "00:00:00.001 23:59:59.999", "MINUTE": "00:01m 23:59m",
    "SECOND": "00:00:01 23:59:59", "DATETIME": "1969.12.31T23:59:59 2024.02.29T12:00:00", "TIMESTAMP": "1969.12.31T23:59:59.999 2024.02.29T12:00:00.001",
    "NANOTIME": "00:00:00.000000001 23:59:59.999999999", "NANOTIMESTAMP": "1969.12.31T23:59:59.999999999 2024.02.29T12:00:00.000000001",
    "DATEHOUR": "datehour(2024.02.29T12:00:00 1969.12.31T23:00:00)", "SYMBOL": "symbol(`ab`行情)", "STRING": '["ab", "行情"]', "BLOB": 'blob(["ab", "行情"])',
    "UUID": 'uuid(["5d212a78-cc48-e3b1-4235-b4d91473ee87", "5d212a78-cc48-e3b1-4235-b4d91473ee88"])', "IPADDR": 'ipaddr(["1.2.3.4", "::1"])',
    "INT128": 'int128(["e1671797c52e15f763380b45e841ec32", "e1671797c52e15f763380b45e841ec33"])', "DECIMAL32(3)": "decimal32(1.5 -2.25, 3)",
    "DECIMAL64(5)": "decimal64(1.5 -2.25, 5)", "DECIMAL128(20)": "decimal128(1.5 -2.25, 20)",
}
WITHOUT_ARRAYS = {"SYMBOL", "STRING", "BLOB"}

NAMES = ["t", "行情", "价 格", "a b", "x.y", "1st", "select", "T" * 200, "tab-le"]


def tables():
    """Pairs of what a table shows and the script that makes it: a column of each type, of array vectors, of none; names; no rows."""
    for name, values in TYPES.items():
        scale = "(" in name
        null = f'{name.lower()}("")' if name in ("UUID", "IPADDR", "INT128") else f"{name.lower()}(NULL)"
        yield name, f"table(({values}) as v)"
        if not scale:
            yield name + " with NULL", f"table(({values}) as v).append!(table(take({null}, 1) as v))"
            yield name + " without rows", f"table(1:0, `k`v, [INT, {name}])"
            if name not in WITHOUT_ARRAYS:
                yield name + "[]", f"table(array({name}[], 0).append!([{values}, ({values})[0:1]]) as v)"
    yield "VOID", "select a, NULL as v from table(1..3 as a)"
    yield "IOTANY", 'table(1:0, `k`v, [INT, IOTANY]).append!(table(1..4 as k, (1, 2.5, "x", NULL) as v))'
    for name in NAMES:
        yield "the name " + name[:20], f'table(1 2 as a).rename!("a", "{name}")'


# Numbers that need all of their digits, and the ends of types.
EXACT = {
    "BOOL": "true false", "CHAR": "char(-127 -1 0 10 34 53 65 92 127)", "SHORT": "-32767h 32767h", "INT": "-2147483647 2147483647",
    "LONG": "-9223372036854775807 9007199254740993 9223372036854775807", "FLOAT": "0.1f 16777217f 3.4e38f 1.4e-45f",
    "DOUBLE": "0.1 1.7976931348623157e308 2.2250738585072014e-308 123456789.123456789 -0.0", "STRING": '["", "a\\"b\\\\c\\n\\t,", "行情 😀", " x "]',
    "DECIMAL64(5)": 'decimal64(["9223372036854.77580", "-0.00001"], 5)', "DECIMAL128(20)": 'decimal128(["12345678901234567.12345678901234567890", "-1"], 20)',
}


def values():
    """Names and scripts of values: each type in each form that it can have."""
    for kind, items in {**TYPES, **{f"{name} exactly": script for name, script in EXACT.items()}}.items():
        plain = kind.split(" ")[0]
        yield f"{kind}, element", f"({items})[0]"
        yield f"{kind}, last element", f"last({items})"
        yield f"{kind}, vector", f"({items})"
        yield f"{kind}, no element", f"({items})[0:0]"
        yield f"{kind}, NULLs", f"join(({items}), take(({items})[5000], 2))"
        yield f"{kind}, NULL", f"({items})[5000]"
        yield f"{kind}, pair", f"pair(({items})[0], ({items})[1])"
        yield f"{kind}, table", f"table(1..size({items}) as k, ({items}) as v)"
        yield f"{kind}, matrix", f"matrix(({items}), ({items}))"
        yield f"{kind}, matrix with labels", f"matrix(({items}), ({items})).rename!(string(1..size({items})), `p`q)"
        yield f"{kind}, set", f"set({items})"
        yield f"{kind}, dictionary", f"dict(1..size({items}), ({items}))"
        yield f"{kind}, tuple", f'(({items}), ({items})[0], "x", NULL, (1, ({items})[1]))'
        if plain not in WITHOUT_ARRAYS:
            yield f"{kind}, array vector", f"array({plain}[], 0).append!([({items}), ({items})[0:1]])"
    yield "table without rows", "table(1:0, `a`b, [INT, STRING])"
    yield "dictionary of any", 'dict(`a`b, (1, "x"))'
    for word in ("select", "1st", "a b", "行情"):
        yield f"column {word}", f'table(1 2 as a).rename!("a", "{word}")'
