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
