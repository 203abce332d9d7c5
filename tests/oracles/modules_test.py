#!/usr/bin/env python3
"""The published script modules on real trades: technical indicators against TA-Lib, alphas against NumPy.

The modules load unchanged from the folder PELORUS_MODULES (ta.dos, mytt.dos, wq101alpha.dos, gtja191Alpha.dos, ops.dos);
the trades are nyse_trades_2018.csv.gz in the folder PELORUS_MARKET_DATA. Their minute bars are compared, for the alphas
those of each exchange as an instrument of its own. Needs numpy, and TA-Lib for the indicators; skips what is missing.
"""
import csv
import gzip
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path


def skip(reason):
    print("SKIPPED tests/oracles/modules_test.py (" + reason + ")")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


try:
    import numpy as np
except ImportError:
    skip("no numpy: scripts/setup.sh --python")
MODULES = os.environ.get("PELORUS_MODULES", "")
DATA = os.environ.get("PELORUS_MARKET_DATA", "")
if not (Path(MODULES) / "ta.dos").is_file():
    skip("PELORUS_MODULES names no folder with ta.dos")
if not (Path(DATA) / "nyse_trades_2018.csv.gz").is_file():
    skip("PELORUS_MARKET_DATA names no folder with nyse_trades_2018.csv.gz")

TOLERANCE = 1e-7
NULL = -1.7976931348623157e308  # of DOUBLE, as `write` puts it into a file
WARM_UP = 150                   # rows after which starting values no longer show


# ---- bars

def read_trades():
    """(minute since the first opening, exchange, price, size) of uncorrected trades in market hours."""
    opening, closing = 14 * 60 + 30, 21 * 60  # the file's clock is UTC
    days = {}
    with gzip.open(Path(DATA) / "nyse_trades_2018.csv.gz", "rt") as f:
        for row in csv.DictReader(f):
            hour, minute = int(row["time"][:2]), int(row["time"][3:5])
            if row["corr"] != "0" or not opening <= hour * 60 + minute < closing:
                continue
            day = days.setdefault(row["date"], len(days))
            yield day * (closing - opening) + hour * 60 + minute - opening, row["ex"], float(row["price"]), float(row["size"])


def bars_of(trades, minutes):
    """open, high, low, close, volume, vwap by minute; a minute without trades repeats the close, with volume 1."""
    by_minute = defaultdict(list)
    for minute, _, price, size in trades:
        by_minute[minute].append((price, size))
    rows, last = [], None
    for minute in range(minutes):
        items = by_minute.get(minute)
        if items:
            prices = [p for p, _ in items]
            volume = sum(s for _, s in items)
            vwap = sum(p * s for p, s in items) / volume if volume else prices[-1]
            rows.append((prices[0], max(prices), min(prices), prices[-1], volume + 1, vwap))
            last = prices[-1]
        else:
            rows.append((last, last, last, last, 1.0, last))
    first = next(r for r in rows if r[0] is not None)
    return np.array([r if r[0] is not None else (first[0],) * 4 + (1.0, first[0]) for r in rows])


FIELDS = ("open", "high", "low", "close", "vol", "vwap")


def market():
    trades = list(read_trades())
    minutes = max(t[0] for t in trades) + 1
    whole = bars_of(trades, minutes)
    counts = defaultdict(int)
    for t in trades:
        counts[t[1]] += 1
    exchanges = sorted(sorted(counts, key=counts.get)[-7:])
    panel = np.stack([bars_of([t for t in trades if t[1] == e], minutes) for e in exchanges])
    return ({f: np.ascontiguousarray(whole[:, i]) for i, f in enumerate(FIELDS)},
            {f: np.ascontiguousarray(panel[:, :, i].T) for i, f in enumerate(FIELDS)})


# ---- the engine

class Engine:
    """Runs expressions over named columns or matrices, each result a DOUBLE vector or matrix of the same shape."""

    def __init__(self, pelorus, folder):
        self.pelorus, self.folder = pelorus, Path(folder)

    def run(self, module, inputs, expressions):
        shape = next(iter(inputs.values())).shape
        script = ["use " + module]
        # The variables end in _: a script may not call close on a file while `close` is a price.
        for name, values in inputs.items():
            path = self.folder / (name + ".csv")
            columns = values.reshape(shape[0], -1)
            lines = [",".join(f"c{i}" for i in range(columns.shape[1]))]
            lines += [",".join(repr(float(x)) for x in row) for row in columns]
            path.write_text("\n".join(lines) + "\n")
            script.append(f'{name}_ = loadText("{path}")' + (".c0" if len(shape) == 1 else ""))
            if len(shape) == 2:
                script.append(f"{name}_ = matrix({name}_)")
        for i, expression in enumerate(expressions):
            path = self.folder / f"{module}{i}.out"
            path.unlink(missing_ok=True)
            expression = re.sub(r"\b(" + "|".join(inputs) + r")\b", r"\1_", expression)
            script += [f'f = file("{path}", "w")', f"f.write(double(flatten({expression})))", "f.close()"]
        done = subprocess.run([self.pelorus, "-", "--keep-going", "--module-dir", MODULES], input="\n".join(script),
                              capture_output=True, text=True, timeout=300, check=False)
        results = []
        for i in range(len(expressions)):
            path = self.folder / f"{module}{i}.out"
            values = np.fromfile(path, dtype="<f8") if path.is_file() else np.array([])
            values[values == NULL] = np.nan
            if values.size == np.prod(shape):
                results.append(values.reshape(shape[::-1]).T)
            else:
                results.append((done.stdout + done.stderr).strip()[:300])
        return results


# ---- comparison

passed = failed = 0


def check(name, got, expected, begin):
    """From row `begin` on, wherever the reference has a number."""
    global passed, failed
    if isinstance(got, str):
        failed += 1
        print(f"FAILED {name}: no result. {got}")
        return
    expected = np.asarray(expected, dtype=float)
    rows = np.isfinite(expected)
    rows[:begin] = False
    least = 0.2 * rows.size
    scale = np.maximum(1, np.abs(expected[rows]))
    error = np.abs(got[rows] - expected[rows]) / scale
    wrong = ~(error <= TOLERANCE)
    if rows.sum() < least or wrong.any():
        failed += 1
        at = np.argwhere(rows)[np.argmax(wrong)] if wrong.any() else "-"
        print(f"FAILED {name}: {wrong.sum()} of {rows.sum()} numbers differ, first at row {at}; largest difference "
              f"{np.nanmax(error) if error.size else 0:.3g}")
        return
    passed += 1


# ---- technical indicators

def money_flow(h, l, c, v, n):
    price = (h + l + c) / 3
    rising = np.diff(price, prepend=price[0]) > 0
    return ts_sum(np.where(rising, price, 0) * v, n) / ts_sum(price * v, n) * 100


def indicators(engine, bars):
    try:
        import talib as t
    except ImportError:
        print("SKIPPED the indicators (no TA-Lib: pip install TA-Lib)")
        return 1
    o, h, l, c, v = (bars[f] for f in ("open", "high", "low", "close", "vol"))
    # expression, reference, first row compared. The module starts some averages from other values than TA-Lib, which
    # die out: WARM_UP.
    cases = [
        ("var(close, 5, 1)", t.VAR(c, 5, 1), 0),
        ("stddev(close, 5, 2)", t.STDDEV(c, 5, 2), 0),
        ("beta(high, low, 5)", t.BETA(h, l, 5), 0),
        ("correl(high, low, 10)", t.CORREL(h, l, 10), 0),
        ("sma(close, 10)", t.SMA(c, 10), 0),
        ("ema(close, 10)", t.EMA(c, 10), 0),
        ("wma(close, 10)", t.WMA(c, 10), 0),
        ("dema(close, 10)", t.DEMA(c, 10), 0),
        ("tema(close, 10)", t.TEMA(c, 10), 0),
        ("trima(close, 9)", t.TRIMA(c, 9), 0),
        ("trima(close, 10)", t.TRIMA(c, 10), 0),
        ("kama(close, 10)", t.KAMA(c, 10), 0),
        ("t3(close, 5, 0.7)", t.T3(c, 5, 0.7), WARM_UP),
        ("bBands(close, 10, 2, 2, 0)[0]", t.BBANDS(c, 10, 2, 2, 0)[0], 0),
        ("bBands(close, 10, 2, 2, 0)[2]", t.BBANDS(c, 10, 2, 2, 0)[2], 0),
        ("rsi(close, 14)", t.RSI(c, 14), 0),
        ("stochf(high, low, close, 5, 3, 0)[0]", t.STOCHF(h, l, c, 5, 3, 0)[0], 0),
        ("stochf(high, low, close, 5, 3, 0)[1]", t.STOCHF(h, l, c, 5, 3, 0)[1], 0),
        ("stoch(high, low, close, 5, 3, 0, 3, 0)[0]", t.STOCH(h, l, c, 5, 3, 0, 3, 0)[0], 0),
        ("stoch(high, low, close, 5, 3, 0, 3, 0)[1]", t.STOCH(h, l, c, 5, 3, 0, 3, 0)[1], 0),
        ("stochRsi(close, 14, 5, 3, 0)[0]", t.STOCHRSI(c, 14, 5, 3, 0)[0], 0),
        ("trix(close, 5)", t.TRIX(c, 5), 0),
        ("linearreg(close, 14)", t.LINEARREG(c, 14), 0),
        ("linearreg_slope(close, 14)", t.LINEARREG_SLOPE(c, 14), 0),
        ("linearreg_intercept(close, 14)", t.LINEARREG_INTERCEPT(c, 14), 0),
        ("linearreg_angle(close, 14)", t.LINEARREG_ANGLE(c, 14), 0),
        ("tsf(close, 14)", t.TSF(c, 14), 0),
        ("bop(open, high, low, close)", t.BOP(o, h, l, c), 0),
        ("cci(high, low, close, 14)", t.CCI(h, l, c, 14), 0),
        ("trange(high, low, close)", t.TRANGE(h, l, c), 0),
        ("plus_dm(high, low, 14)", t.PLUS_DM(h, l, 14), 0),
        ("minus_dm(high, low, 14)", t.MINUS_DM(h, l, 14), 0),
        ("plus_di(high, low, close, 14)", t.PLUS_DI(h, l, c, 14), 0),
        ("minus_di(high, low, close, 14)", t.MINUS_DI(h, l, c, 14), 0),
        ("dx(high, low, close, 14)", t.DX(h, l, c, 14), 0),
        ("adx(high, low, close, 14)", t.ADX(h, l, c, 14), 0),
        ("adxr(high, low, close, 14)", t.ADXR(h, l, c, 14), 0),
        ("cmo(close, 14)", t.CMO(c, 14), 0),
        ("macd(close, 12, 26, 9)[0]", t.MACD(c, 12, 26, 9)[0], 0),
        ("macd(close, 12, 26, 9)[2]", t.MACD(c, 12, 26, 9)[2], 0),
        ("macdExt(close, 12, 0, 26, 0, 9, 0)[1]", t.MACDEXT(c, 12, 0, 26, 0, 9, 0)[1], 0),
        ("macdFix(close, 9)[0]", t.MACDFIX(c, 9)[0], 0),
        ("midPrice(high, low, 14)", t.MIDPRICE(h, l, 14), 0),
        ("midPoint(close, 14)", t.MIDPOINT(c, 14), 0),
        ("mom(close, 10)", t.MOM(c, 10), 0),
        ("roc(close, 10)", t.ROC(c, 10), 0),
        ("rocp(close, 10)", t.ROCP(c, 10), 0),
        ("rocr(close, 10)", t.ROCR(c, 10), 0),
        ("rocr100(close, 10)", t.ROCR100(c, 10), 0),
        ("ppo(close, 12, 26, 0)", t.PPO(c, 12, 26, 0), 0),
        ("apo(close, 12, 26, 0)", t.APO(c, 12, 26, 0), 0),
        ("aroonOsc(high, low, 14)", t.AROONOSC(h, l, 14), 0),
        ("ultOsc(high, low, close, 7, 14, 28)", t.ULTOSC(h, l, c, 7, 14, 28), 0),
        ("willr(high, low, close, 14)", t.WILLR(h, l, c, 14), 0),
        ("ad(high, low, close, vol)", t.AD(h, l, c, v), 0),
        ("avgPrice(open, high, low, close)", t.AVGPRICE(o, h, l, c), 0),
        ("medPrice(high, low)", t.MEDPRICE(h, l), 0),
        ("typPrice(high, low, close)", t.TYPPRICE(h, l, c), 0),
        ("wclPrice(high, low, close)", t.WCLPRICE(h, l, c), 0),
        ("atr(high, low, close, 14)", t.ATR(h, l, c, 14), 0),
        ("natr(high, low, close, 14)", t.NATR(h, l, c, 14), 0),
        # Where the module means something else than TA-Lib: an unchanged price is a fall to it (TA-Lib leaves such rows
        # out), and aroon looks at one row less.
        ("obv(close, vol)", np.cumsum(np.where(np.diff(c, prepend=0) > 0, v, -v)), 0),
        ("mfi(high, low, close, vol, 14)", money_flow(h, l, c, v, 14), 14),
        ("aroon(high, low, 14)[0]", rolling(lambda w: w.argmin(-1) / 14 * 100, l, 14), 14),
        ("aroon(high, low, 14)[1]", rolling(lambda w: w.argmax(-1) / 14 * 100, h, 14), 14),
    ]
    results = engine.run("ta", bars, ["ta::" + e for e, _, _ in cases])
    for (expression, expected, begin), got in zip(cases, results):
        check("ta " + expression, got, expected, begin)
    return 0


# ---- alphas: operators over a matrix of rows (time) and columns (instruments)

def shift(x, n):
    out = np.full_like(x, np.nan)
    out[n:] = x[:-n]
    return out


def delta(x, n):
    return x - shift(x, n)


def windows(x, n):
    return np.lib.stride_tricks.sliding_window_view(x, n, axis=0)


def rolling(f, x, n):
    out = np.full_like(x, np.nan)
    out[n - 1:] = f(windows(x, n))
    return out


def ts_sum(x, n):
    return rolling(lambda w: w.sum(-1), x, n)


def mean(x, n):
    return rolling(lambda w: w.mean(-1), x, n)


def std(x, n):
    return rolling(lambda w: w.std(-1, ddof=1), x, n)


def ts_max(x, n):
    return rolling(lambda w: w.max(-1), x, n)


def ts_min(x, n):
    return rolling(lambda w: w.min(-1), x, n)


def cov(x, y, n):
    out = np.full_like(x, np.nan)
    u, v = windows(x, n), windows(y, n)
    u, v = u - u.mean(-1, keepdims=True), v - v.mean(-1, keepdims=True)
    out[n - 1:] = (u * v).sum(-1) / (n - 1)
    return out


def corr(x, y, n):
    """Not told where a side hardly moves: there rounding decides."""
    sx, sy = std(x, n), std(y, n)
    with np.errstate(all="ignore"):
        out = cov(x, y, n) / (sx * sy)
    out[(sx < 1e-6) | (sy < 1e-6)] = np.nan
    return out


def rank(x):
    """Of each row, from above 0 to 1; equal items take the least."""
    less = (x[:, None, :] < x[:, :, None]).sum(-1)
    count = np.isfinite(x).sum(1, keepdims=True)
    return np.where(np.isfinite(x), (less + 1) / np.maximum(count, 1), np.nan)


def apart(x):
    """Without the rows in which rounding decides what is less."""
    ordered = np.sort(x, axis=1)
    close = (np.diff(ordered, axis=1) < 1e-9).any(1)
    return np.where(close[:, None], np.nan, x)


def ts_rank(x, n):
    """How many of the window are below its last item."""
    return rolling(lambda w: (w < w[..., -1:]).sum(-1).astype(float), x, n)


def ewm(x, alpha):
    """Weights (1 - alpha)^age over all rows so far."""
    out, top, below = np.full_like(x, np.nan), np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for i, row in enumerate(x):
        here = np.isfinite(row)
        top, below = top * (1 - alpha), below * (1 - alpha)
        top[here] += row[here]
        below[here] += 1
        out[i] = top / np.where(below > 0, below, np.nan)
    return out


def slope(x, n):
    t = np.arange(n) - (n - 1) / 2
    return rolling(lambda w: (w * t).sum(-1) / (t * t).sum(), x, n)


def worldquant(p):
    o, h, l, c, v, w = (p[f] for f in FIELDS)
    returns = c / shift(c, 1) - 1
    up = delta(c, 1)
    turn = np.where(ts_min(up, 5) > 0, up, np.where(ts_max(up, 5) < 0, up, -up))
    span = ts_sum(o, 5) * ts_sum(returns, 5)
    return {
        "WQAlpha2(vol, close, open)": -corr(rank(delta(np.log(v), 2)), rank((c - o) / o), 6),
        "WQAlpha3(vol, open)": -corr(rank(o), rank(v), 10),
        "WQAlpha4(low)": -ts_rank(rank(l), 9),
        "WQAlpha5(vwap, open, close)": rank(o - mean(w, 10)) * -np.abs(rank(c - w)),
        "WQAlpha6(vol, open)": -corr(o, v, 10),
        "WQAlpha8(open, close)": -rank(delta(span, 10)),
        "WQAlpha9(close)": turn,
        "WQAlpha11(vwap, vol, close)": (rank(ts_max(w - c, 3)) + rank(ts_min(w - c, 3))) * rank(delta(v, 3)),
        "WQAlpha12(vol, close)": np.sign(delta(v, 1)) * -delta(c, 1),
        "WQAlpha13(vol, close)": -rank(apart(cov(rank(c), rank(v), 5))),
        "WQAlpha101(close, open, high, low)": (c - o) / (h - l + 0.001),
    }


def guotai(p):
    o, h, l, c, v, w = (p[f] for f in FIELDS)
    with np.errstate(all="ignore"):
        place = ((c - l) - (h - c)) / (h - l)
    before = shift(c, 1)
    reach = np.where(c > before, np.minimum(l, before), np.maximum(h, before))
    middle = (h + l) / 2 * 0.2 + w * 0.8
    return {
        "gtjaAlpha1(open, close, vol)": -corr(rank(delta(np.log(v), 1)), rank((c - o) / o), 6),
        "gtjaAlpha2(close, high, low)": -delta(place, 1),
        "gtjaAlpha3(close, high, low)": ts_sum(np.where(c == before, 0, c - reach), 6),
        "gtjaAlpha6(open, high)": -rank(np.sign(np.round(delta(o * 0.85 + h * 0.15, 4), 9))),
        "gtjaAlpha8(high, low, vwap)": rank(-delta(middle, 4)),
        "gtjaAlpha9(high, low, vol)": ewm(((h + l) / 2 - (shift(h, 1) + shift(l, 1)) / 2) * (h - l) / v, 2 / 7),
        "gtjaAlpha12(open, close, vwap)": rank(o - mean(w, 10)) * -rank(np.abs(c - w)),
        "gtjaAlpha13(high, low, vwap)": np.sqrt(h * l) - w,
        "gtjaAlpha14(close)": delta(c, 5),
        "gtjaAlpha15(open, close)": o / before - 1,
        "gtjaAlpha18(close)": c / shift(c, 5),
        "gtjaAlpha20(close)": delta(c, 6) / shift(c, 6) * 100,
        "gtjaAlpha21(close)": slope(c, 6),
    }


def alphas(engine, panel):
    for module, expected in (("wq101alpha", worldquant(panel)), ("gtja191Alpha", guotai(panel))):
        results = engine.run(module, panel, [f"{module}::{e}" for e in expected])
        for (expression, reference), got in zip(expected.items(), results):
            check(f"{module} {expression}", got, reference, WARM_UP)


# ---- modules that only have to load

def loads(pelorus, module):
    global passed, failed
    done = subprocess.run([pelorus, "-", "--module-dir", MODULES], input=f"use {module}\nprint(`loaded)",
                          capture_output=True, text=True, timeout=120, check=False)
    if "loaded" in done.stdout:
        passed += 1
    else:
        failed += 1
        print(f"FAILED use {module}: {(done.stdout + done.stderr).strip()[-400:]}")


def main():
    pelorus = sys.argv[1]
    bars, panel = market()
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(pelorus, folder)
        skipped = indicators(engine, bars)
        alphas(engine, panel)
    for module in ("mytt", "ops"):
        loads(pelorus, module)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
