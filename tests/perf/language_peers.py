"""The work of the language benchmark in CPython, NumPy and Polars: prints "name: peer seconds", the median of the runs."""
import statistics
import sys
import time

MASK = (1 << 64) - 1


def xorshift(n):
    x, total = 88172645463325252, 0
    for _ in range(n):
        x ^= (x << 13) & MASK
        x ^= x >> 7
        x ^= (x << 17) & MASK
        if x % 3 == 0:
            total += x % 1000
        else:
            total -= 1
    return total


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def build_text(n):
    s = ""
    for _ in range(n):
        s = s + "ab"
    return len(s)


def fill_dictionary(n):
    d = {}
    for i in range(n):
        d[i] = i * 2
    total = 0
    for i in range(n):
        total = total + d[i]
    return total


def measure(name, peer, runs, work):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    print(f"{name}: {peer} {statistics.median(times)}", flush=True)


def vectors(runs):
    import numpy as np
    n = 10_000_000
    r = np.random.default_rng(1)
    bid, x = r.random(n) * 100, r.integers(0, 1000, n).astype(np.int32)
    ofr = bid + r.random(n) * 0.1
    bid[::100] = np.nan
    higher = bid > 50
    with np.errstate(all="ignore"):
        measure("spread", "NumPy", runs, lambda: (ofr - bid) / (ofr + bid) * 2)
        measure("iif", "NumPy", runs, lambda: np.where(higher, bid, ofr))
        measure("between", "NumPy", runs, lambda: (bid >= 10) & (bid <= 90))
        measure("double", "NumPy", runs, lambda: x.astype(np.float64))
        measure("long", "NumPy", runs, lambda: x.astype(np.int64))
    import polars as pl
    nulls = np.arange(n) % 100 == 0
    frame = pl.DataFrame({"bid": bid, "ofr": ofr, "x": x, "higher": higher}).with_columns(
        pl.when(pl.lit(pl.Series(nulls))).then(None).otherwise(pl.col("bid")).alias("bid"),
        pl.when(pl.lit(pl.Series(nulls))).then(None).otherwise(pl.col("x")).alias("x"))
    b, o = pl.col("bid"), pl.col("ofr")
    for name, expression in (("spread", (o - b) / (o + b) * 2), ("iif", pl.when(pl.col("higher")).then(b).otherwise(o)),
                             ("between", b.is_between(10, 90)), ("double", pl.col("x").cast(pl.Float64)),
                             ("long", pl.col("x").cast(pl.Int64))):
        measure(name, "Polars", runs, lambda expression=expression: frame.select(expression))


if __name__ == "__main__":
    runs = int(sys.argv[1])
    measure("xorshift interpreted", "CPython", 3, lambda: xorshift(10_000_000))
    measure("fib", "CPython", runs, lambda: fib(30))
    measure("text", "CPython", runs, lambda: build_text(1_000_000))
    measure("dictionary", "CPython", runs, lambda: fill_dictionary(1_000_000))
    measure("each", "CPython", runs, lambda: list(map(lambda x: x * 2 + 1, range(1_000_000))))
    measure("loop", "CPython", runs, lambda: list(map(lambda x: x * 2 + 1, range(1_000_000))))
    vectors(runs)
