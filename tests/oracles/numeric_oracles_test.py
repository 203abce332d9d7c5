#!/usr/bin/env python3
"""Numbers of the built-ins against NumPy, SciPy and pandas: random input with NULL, ties, infinities, large offsets, one
item and none. A difference above 1e-9 of the size of the numbers fails. Needs scipy and pandas in .venv; skipped without.
"""
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import pandas as pd
    from scipy import interpolate, stats
except ImportError:
    print("SKIPPED tests/oracles (no scipy: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

TOLERANCE = 1e-9
NAN = float("nan")


# ---- data

def literal(x):
    if np.isnan(x):
        return "00F"
    if np.isinf(x):
        return ("" if x > 0 else "-") + 'float("inf")'
    return repr(float(x))


def vector(items):
    if len(items) == 0:
        return "array(DOUBLE, 0)"
    return "double([" + ",".join(literal(x) for x in items) + "])"


def datasets(r):
    n = 120
    noise = np.array([r.gauss(0, 1) for _ in range(n)])
    nulls = noise.copy()
    nulls[[r.randrange(n) for _ in range(25)]] = NAN
    ties = np.array([float(r.randrange(6)) for _ in range(n)])
    ties[::9] = NAN
    infinite = ties.copy()
    infinite[[30, 31, 70]] = [np.inf, -np.inf, np.inf]
    return {
        "noise": (noise, np.array([r.gauss(3, 2) for _ in range(n)])),
        "nulls": (nulls, np.roll(nulls, 7) + noise),
        "ties": (ties, np.array([float(r.randrange(4)) for _ in range(n)])),
        "infinite": (infinite, ties + 1),
        "offset": (noise + 1e8, noise * 2 - 1e8),
        "leading": (np.concatenate([[NAN] * 9, noise[:40]]), noise[:49]),
        "single": (np.array([2.5]), np.array([4.0])),
        "null": (np.array([NAN]), np.array([1.0])),
        "empty": (np.array([]), np.array([])),
    }


# ---- references: of the items that are there

def finite(f):
    def safe(*columns):
        with np.errstate(all="ignore"):
            try:
                value = float(f(*columns))
            except (ValueError, ZeroDivisionError, IndexError):
                return NAN
        return value if np.isfinite(value) else NAN
    return safe


def present(*columns):
    keep = ~np.any([np.isnan(c) for c in columns], axis=0)
    return [c[keep] for c in columns]


def spread(x):
    return len(set(x)) > 1


ONE = {
    "sum": lambda x: np.sum(x) if len(x) else NAN,
    "avg": np.mean,
    "sum2": lambda x: np.sum(x * x) if len(x) else NAN,
    "prod": lambda x: np.prod(x) if len(x) else NAN,
    "std": lambda x: np.std(x, ddof=1) if len(x) > 1 else NAN,
    "stdp": np.std,
    "var": lambda x: np.var(x, ddof=1) if len(x) > 1 else NAN,
    "varp": np.var,
    "skew": lambda x: stats.skew(x - x[0]) if len(x) and spread(x) else NAN,
    "kurtosis": lambda x: stats.kurtosis(x - x[0], fisher=False) if len(x) > 2 and spread(x) else NAN,
    "med": np.median,
}
WINDOWED = [f for f in ONE]
CUMULATIVE = ["sum", "avg", "sum2", "prod", "std", "stdp", "var", "varp", "med"]
TWO = {
    "corr": lambda x, y: np.corrcoef(x, y)[0, 1] if len(x) > 1 and spread(x) and spread(y) else NAN,
    "covar": lambda x, y: np.cov(x, y)[0, 1] if len(x) > 1 else NAN,
    "covarp": lambda x, y: np.mean((x - np.mean(x)) * (y - np.mean(y))) if len(x) else NAN,
    "beta": lambda x, y: np.cov(x, y)[0, 1] / np.var(y, ddof=1) if len(x) > 1 and spread(y) else NAN,
    "wsum": lambda x, y: np.sum(x * y) if len(x) else NAN,
    "wavg": lambda x, y: np.sum(x * y) / np.sum(y) if len(x) and np.sum(y) != 0 else NAN,
}
TWO_ONLY = {
    "euclidean": lambda x, y: np.linalg.norm(x - y) if len(x) else NAN,
    "cosine": lambda x, y: np.dot(x, y) / np.linalg.norm(x) / np.linalg.norm(y) if len(x) else NAN,
    "spearmanr": lambda x, y: stats.spearmanr(x, y)[0] if len(x) > 1 and spread(x) and spread(y) else NAN,
    "kendall": lambda x, y: stats.kendalltau(x, y)[0] if len(x) > 1 and spread(x) and spread(y) else NAN,
}
INTERPOLATIONS = {"linear": "linear", "lower": "lower", "higher": "higher", "nearest": "nearest", "midpoint": "midpoint"}
DISTRIBUTIONS = {
    "Beta": (stats.beta, "2.3, 0.7", (2.3, 0.7), {}),
    "ChiSquare": (stats.chi2, "3.5", (3.5,), {}),
    "Exp": (stats.expon, "2.5", (), {"scale": 2.5}),
    "F": (stats.f, "2.3, 7.5", (2.3, 7.5), {}),
    "Gamma": (stats.gamma, "2.3, 0.6", (2.3,), {"scale": 0.6}),
    "Logistic": (stats.logistic, "1.5, 0.6", (), {"loc": 1.5, "scale": 0.6}),
    "Normal": (stats.norm, "1.5, 0.6", (), {"loc": 1.5, "scale": 0.6}),
    "Student": (stats.t, "3.5", (3.5,), {}),
    "Uniform": (stats.uniform, "0.5, 2.5", (), {"loc": 0.5, "scale": 2.0}),
    "Weibull": (stats.weibull_min, "2.3, 0.6", (2.3,), {"scale": 0.6}),
    "Poisson": (stats.poisson, "2.5", (2.5,), {}),
    "Binomial": (stats.binom, "12, 0.3", (12, 0.3), {}),
}


def moving(f, columns, window, least=None):
    out = []
    for i in range(len(columns[0])):
        inside = present(*[c[max(0, i + 1 - window):i + 1] for c in columns])
        missing = i + 1 < window if least is None else len(inside[0]) < least
        out.append(NAN if missing or len(inside[0]) == 0 else finite(f)(*inside))
    return np.array(out)


def cumulative(f, columns):
    return moving(f, columns, len(columns[0]) + 1, 1)


def timed(f, times, columns, window):
    out = []
    for i, now in enumerate(times):
        rows = [k for k in range(i + 1) if times[k] > now - window]
        inside = present(*[c[rows] for c in columns])
        out.append(finite(f)(*inside) if len(inside[0]) else NAN)
    return np.array(out)


def top(f, x, s, window, count, ascending=True):
    out = []
    for i in range(len(x)):
        rows = [k for k in range(max(0, i + 1 - window), i + 1) if not np.isnan(s[k])]
        rows.sort(key=lambda k: (s[k] if ascending else -s[k], k))
        inside = present(x[rows[:count]]) if rows else [np.array([])]
        out.append(finite(f)(*inside) if rows and len(inside[0]) else NAN)
    return np.array(out)


# ---- cases: name, setup, expression, expected

def cases(r):
    for name, (x, y) in datasets(r).items():
        names = f"x = {vector(x)}; y = {vector(y)}"
        clean, small = present(x)[0], len(x) > 1
        pairs = present(x, y)
        times = np.sort(np.array([r.randrange(len(x) * 2 + 1) for _ in range(len(x))]))
        clock = f"T = int({vector(times)})"
        for f, reference in ONE.items():
            if not (name == "infinite" and f in ("skew", "kurtosis", "med")):
                yield name, names, f"{f}(x)", np.array([finite(reference)(clean) if len(clean) else NAN])
            if not small or (name == "infinite" and f == "med"):
                continue
            yield name, names, f"m{f}(x, 7)", moving(reference, [x], 7)
            least = "m{}(x, 7, {}3)".format(f, "true, " if f in ("skew", "kurtosis") else "")
            yield name, names, least, moving(reference, [x], 7, 3)
            yield name, f"{names}; {clock}", f"tm{f}(T, x, 9)", timed(reference, times, [x], 9)
        for f in CUMULATIVE:
            if small and not (name == "infinite" and f == "med"):
                yield name, names, f"cum{f}(x)", cumulative(ONE[f], [x])
        for f, reference in TWO.items():
            yield name, names, f"{f}(x, y)", np.array([finite(reference)(*pairs) if len(pairs[0]) else NAN])
            if small:
                yield name, names, f"m{f}(x, y, 7)", moving(reference, [x, y], 7)
                yield name, f"{names}; {clock}", f"tm{f}(T, x, y, 9)", timed(reference, times, [x, y], 9)
                yield name, names, f"cum{f}(x, y)", cumulative(reference, [x, y])
        if name != "infinite":
            for f, reference in TWO_ONLY.items():
                yield name, names, f"{f}(x, y)", np.array([finite(reference)(*pairs) if len(pairs[0]) else NAN])
        for f in ("sum", "avg", "std", "var"):
            if small:
                yield name, names, f"m{f}TopN(x, y, 8, 3)", top(ONE[f], x, y, 8, 3)
                yield name, names, f"m{f}TopN(x, y, 8, 3, false)", top(ONE[f], x, y, 8, 3, False)
        if name != "infinite" and len(clean):
            for ours, method in INTERPOLATIONS.items():
                expected = np.array([np.percentile(clean, 37, method=method)])
                yield name, names, f'percentile(x, 37, "{ours}")', expected
            if small:
                yield name, names, "mpercentile(x, 37, 11)", moving(lambda v: np.percentile(v, 37), [x], 11)
        if small and name not in ("infinite", "offset"):
            series = pd.Series(x)
            for option, arguments in (("com=0.5", {"com": 0.5}), ("span=4", {"span": 4}), ("alpha=0.3", {"alpha": 0.3}),
                                      ("halfLife=2.0", {"halflife": 2.0})):
                for adjust in (True, False):
                    for ignore in (True, False):
                        ewm = series.ewm(**arguments, adjust=adjust, ignore_na=ignore)
                        flags = f"{option}, adjust={str(adjust).lower()}, ignoreNA={str(ignore).lower()}"
                        yield name, names, f"ewmMean(x, {flags})", ewm.mean().to_numpy()
                        yield name, names, f"ewmVar(x, {flags})", ewm.var().to_numpy()
                        yield name, names, f"ewmStd(x, {flags})", ewm.std().to_numpy()
                        other = pd.Series(y)
                        both = pd.Series(np.where(np.isnan(y), NAN, x))
                        pair = both.ewm(**arguments, adjust=adjust, ignore_na=ignore)
                        yield name, names, f"ewmCov(x, {flags}, other=y)", pair.cov(other).to_numpy()
            for method in ("min", "max", "average", "first"):
                expected = series.rank(method=method).to_numpy() - 1
                yield name, names, f'double(rank(x, tiesMethod="{method}"))', expected
            yield name, names, "double(denseRank(x))", series.rank(method="dense").to_numpy() - 1
            yield name, names, "zscore(x)", ((series - series.mean()) / series.std()).to_numpy()
    shape = 5
    a = np.array([[r.gauss(0, 1) for _ in range(shape)] for _ in range(shape)])
    b = np.array([r.gauss(0, 1) for _ in range(shape)])
    symmetric = a @ a.T
    names = (f"A = {vector(a.T.flatten())}$5:5; b = {vector(b)}; S = {vector(symmetric.T.flatten())}$5:5; "
             f"R = {vector(a[:, :3].T.flatten())}$5:3")
    tall = a[:, :3]
    yield "matrix", names, "det(A)", np.array([np.linalg.det(a)])
    yield "matrix", names, "flatten(inverse(A))", np.linalg.inv(a).T.flatten()
    yield "matrix", names, "solve(A, b)", np.linalg.solve(a, b)
    yield "matrix", names, "eig(S)[`values]", np.linalg.eigvalsh(symmetric)
    yield "matrix", names, "flatten(cholesky(S))", np.linalg.cholesky(symmetric).T.flatten()
    yield "matrix", names, "svd(A, computeUV=false)", np.linalg.svd(a, compute_uv=False)
    yield "matrix", names, "Q, T = qr(R); flatten(Q ** T)", tall.T.flatten()
    yield "matrix", names, "U, s, V = svd(R, fullMatrices=false); flatten(U ** diag(s) ** V)", tall.T.flatten()
    yield "matrix", names, "P, L, U = lu(A); flatten(P ** L ** U)", a.T.flatten()
    yield "matrix", names, "flatten(pinverse(R))", np.linalg.pinv(tall).T.flatten()
    yield "matrix", names, "flatten(A ** S)", (a @ symmetric).T.flatten()
    points = np.array([-1, 0, 0.01, 0.3, 0.5, 0.99, 1, 2.5, 7, 30])
    chances = np.array([0.001, 0.1, 0.37, 0.5, 0.9, 0.999])
    for family, (oracle, parameters, shapes, options) in DISTRIBUTIONS.items():
        names = f"x = {vector(points)}; p = {vector(chances)}"
        yield family, names, f"cdf{family}({parameters}, x)", oracle.cdf(points, *shapes, **options)
        yield family, names, f"inv{family}({parameters}, p)", oracle.ppf(chances, *shapes, **options)


def curves(r):
    """Curves through random points: values between them and beyond."""
    for n in (4, 5, 9, 40):
        x = np.cumsum([r.uniform(0.1, 3) for _ in range(n)])
        y = np.array([r.gauss(0, 5) for _ in range(n)])
        slopes = np.array([r.gauss(0, 2) for _ in range(n)])
        at = np.sort([r.uniform(x[0] - 1, x[-1] + 1) for _ in range(20)])
        setup = f"x = {vector(x)}; y = {vector(y)}; slopes = {vector(slopes)}; at = {vector(at)}"
        for end in ("not-a-knot", "clamped", "natural"):
            yield f"{n} points", setup, f"predict(cubicSpline(x, y, '{end}'), at)", interpolate.CubicSpline(x, y, bc_type=end)(at)
        yield f"{n} points", setup, "predict(cubicSpline(x, y, ['natural', 'clamped']), at)", interpolate.CubicSpline(x, y, bc_type=("natural", "clamped"))(at)
        yield f"{n} points", setup, "predict(pchipInterpolateFit(x, y), at)", interpolate.PchipInterpolator(x, y)(at)
        yield f"{n} points", setup, "predict(cubicHermiteSplineFit(x, y, slopes), at)", interpolate.CubicHermiteSpline(x, y, slopes)(at)
        yield (f"{n} points", setup, "predict(linearInterpolateFit(x, y), at)",
               interpolate.interp1d(x, y, fill_value="extrapolate")(at))
        yield f"{n} points", setup, "splev(at, splrep(x, y))", interpolate.splev(at, interpolate.splrep(x, y))
        if n >= 9:
            knots = (x[2:-3:3] + x[3:-2:3]) / 2
            yield (f"{n} points", f"{setup}; t = {vector(knots)}", "splev(at, splrep(x, y, t))",
                   interpolate.splev(at, interpolate.splrep(x, y, t=knots, task=-1)))
        if n <= 9:
            krogh = interpolate.KroghInterpolator(x, y)
            for order in (0, 1, 2):
                yield f"{n} points", setup, f"kroghInterpolate(x, y, at, {order})", krogh.derivative(at, order) if order else krogh(at)
            twice = interpolate.KroghInterpolator(np.repeat(x, 2), np.column_stack([y, slopes]).ravel())
            yield (f"{n} points with slopes", f"{setup}; xx = {vector(np.repeat(x, 2))}; yy = {vector(np.column_stack([y, slopes]).ravel())}",
                   "predict(kroghInterpolateFit(xx, yy), at[3:17])", twice(at[3:17]))
            yield f"{n} points", setup, "polyFit(x, y, 2)", np.polynomial.polynomial.polyfit(x, y, 2)


# ---- running

def evaluate(pelorus, todo, folder):
    """The results of all cases, in one process: each is written to a file of its own."""
    lines = []
    for i, (_, setup, expression, _) in enumerate(todo):
        *steps, last = expression.split("; ")
        steps = "; ".join(steps) + "; " if steps else ""
        lines.append(f"{setup}; {steps}result = {last}")
        # Numbers as text with all their digits; NULL as an empty line.
        lines.append(f'done = saveText(table(append!(array(DOUBLE, 0), double(result)) as r), "{folder}/{i}.csv")')
    script = Path(folder) / "cases.dos"
    script.write_text("\n".join(lines))
    return subprocess.run([pelorus, "run", str(script)], capture_output=True, text=True, timeout=300)


def number(text):
    text = text.strip().lower()
    return NAN if text == "" else float(text)


def difference(expected, actual):
    if len(expected) != len(actual):
        return f"{len(expected)} numbers expected, {len(actual)} given"
    sizes = np.abs(expected[np.isfinite(expected)])
    scale = max(1.0, float(sizes.max())) if len(sizes) else 1.0
    for i, (want, got) in enumerate(zip(expected, actual)):
        same = (np.isnan(want) and np.isnan(got)) or want == got
        if not same and not abs(want - got) <= TOLERANCE * max(abs(want), 1e-3 * scale):
            return f"item {i}: {want!r} expected, {got!r} given"
    return ""


def main():
    seed = int(os.environ.get("PELORUS_SEED", "20240101"))
    todo = [*cases(random.Random(seed)), *curves(random.Random(seed))]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        done = evaluate(sys.argv[1], todo, folder)
        if done.stderr.strip():
            print("the script stopped:", done.stderr.strip()[:500])
        for i, (name, _, expression, expected) in enumerate(todo):
            path = Path(folder) / f"{i}.csv"
            problem = "no result"
            if path.exists():
                rows = path.read_text().splitlines()[1:]
                actual = np.array([number(row) for row in rows])
                problem = difference(np.asarray(expected, dtype=float), actual)
            if problem:
                failed += 1
                print(f"FAILED {expression} of {name} (seed {seed}): {problem}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
