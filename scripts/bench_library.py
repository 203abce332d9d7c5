#!/usr/bin/env python3
"""Models and prices of the analyst's library beside scikit-learn and QuantLib, in one run.

    bench_library.py [--rows 1000000] [--factors 20] [--runs 3] [--tasks ridge,lasso,…] [--pelorus build/release/pelorus]

Each side draws rows of its own, of the same shape and distribution, and computes with as many threads; a time is the least of the
runs, without making the rows, but that of QuantLib's yields, which is one run of a part of the rows, scaled up. The ratio is ours by
theirs: below 1 is faster. Needs numpy and the packages in the Python that runs it; what is missing is left out by name.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

THREADS = int(os.environ.get("PELORUS_BENCH_THREADS", "2"))
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(THREADS)

# Name → (our statement over the table t with y, label, x0 …, theirs over x, y, label).
FITS = {
    "ridge": ("ridge(t, `y, xs)", "linear_model.Ridge(solver='cholesky').fit(x, y)"),
    "lasso": ("lasso(t, `y, xs, 0.01)", "linear_model.Lasso(alpha=0.01).fit(x, y)"),
    "elasticNet": ("elasticNet(t, `y, xs, 0.01)", "linear_model.ElasticNet(alpha=0.01).fit(x, y)"),
    "logisticRegression": ("logisticRegression(t, `label, xs)", "linear_model.LogisticRegression(tol=1e-3).fit(x, label)"),
    "gaussianNB": ("gaussianNB(t.label, f)", "naive_bayes.GaussianNB().fit(x, label)"),
    "kmeans": ("kmeans(f, 8, 20, 1)", "cluster.KMeans(8, max_iter=20, n_init=1, init='random', random_state=1, algorithm='lloyd').fit(x)"),
    "randomForestClassifier": ("randomForestClassifier(t, `label, xs, 2, maxDepth=10, randomSeed=1)",
                               f"ensemble.RandomForestClassifier(10, max_depth=10, n_jobs={THREADS}, random_state=1).fit(x, label)"),
    "randomForestRegressor": ("randomForestRegressor(t, `y, xs, maxDepth=10, randomSeed=1)",
                              f"ensemble.RandomForestRegressor(10, max_depth=10, max_features='sqrt', n_jobs={THREADS}, random_state=1).fit(x, y)"),
}
PREDICTED = ["ridge", "logisticRegression", "gaussianNB", "kmeans", "randomForestClassifier", "randomForestRegressor"]
BONDS = ("bondYield(2020.03.15, 2035.03.15, 100, 0.04, 2, 'ActualActualISMA', 'FixedRate', 2020.06.01, prices, 'DirtyPrice')")


def theirs(options, tasks):
    """Seconds of each task in this process."""
    import numpy as np
    random = np.random.default_rng(1)
    x = random.standard_normal((options.rows, options.factors))
    y = x @ np.linspace(-1, 1, options.factors) + random.standard_normal(options.rows)
    label = (y > 0).astype(np.int64)
    seconds = {}
    try:
        from sklearn import cluster, ensemble, linear_model, naive_bayes
    except ImportError:
        print("scikit-learn is not installed: its tasks are left out")
        return seconds
    known = {"x": x, "y": y, "label": label, "cluster": cluster, "ensemble": ensemble, "linear_model": linear_model, "naive_bayes": naive_bayes}
    for task in tasks:
        if task in FITS:
            model = None
            for _ in range(options.runs):
                begin = time.perf_counter()
                model = eval(FITS[task][1], known)
                seconds[task] = min(seconds.get(task, 1e9), time.perf_counter() - begin)
            if task in PREDICTED:
                for _ in range(options.runs):
                    begin = time.perf_counter()
                    model.predict(x)
                    seconds[task + " predict"] = min(seconds.get(task + " predict", 1e9), time.perf_counter() - begin)
    return seconds


def quantlib_seconds(rows):
    """A loop over a tenth of a percent of the rows, scaled up: a million calls take minutes."""
    try:
        import QuantLib as ql
    except ImportError:
        print("QuantLib is not installed: its task is left out")
        return None
    start, maturity = ql.Date(15, 3, 2020), ql.Date(15, 3, 2035)
    schedule = ql.Schedule(start, maturity, ql.Period(6, ql.Months), ql.NullCalendar(), ql.Unadjusted, ql.Unadjusted, ql.DateGeneration.Backward, False)
    count = ql.ActualActual(ql.ActualActual.ISMA, schedule)
    bond = ql.FixedRateBond(0, 100.0, schedule, [0.04], count)
    now = ql.Date(1, 6, 2020)
    few = max(100, rows // 1000)
    begin = time.perf_counter()
    for i in range(few):
        ql.BondFunctions.bondYield(bond, ql.BondPrice(80 + 40 * i / few, ql.BondPrice.Dirty), count, ql.Compounded, 2, now)
    return (time.perf_counter() - begin) * rows / few


def ours(options, tasks):
    names = [f"x{i}" for i in range(options.factors)]
    lines = [f"setRandomSeed(1); n = {options.rows}; f = table(" + ", ".join(f"norm(0.0, 1.0, n) as {name}" for name in names) + ")"]
    terms = " + ".join(f"{-1 + 2 * i / max(1, options.factors - 1)!r} * f.{name}" for i, name in enumerate(names))
    lines += [f"y = {terms} + norm(0.0, 1.0, n)", "label = int(y > 0)", "t = table(y, label, " + ", ".join(f"f.{name} as {name}" for name in names) + ")",
              "xs = f.colNames()", "prices = 80 + 40.0 * (0..(n - 1)) / n",
              'def told(name, begin) { print("time " + name + "=" + string((now(true) - begin) \\ 1000000000)) }']
    for task in tasks:
        statement = FITS[task][0] if task in FITS else BONDS
        for _ in range(options.runs):
            lines += ["begin = now(true)", f"model = {statement}", f'told("{task}", begin)']
        if task in PREDICTED:
            for _ in range(options.runs):
                lines += ["begin = now(true)", "seen = predict(model, f)", f'told("{task} predict", begin)']
    with tempfile.NamedTemporaryFile("w", suffix=".dos") as script:
        script.write("\n".join(lines))
        script.flush()
        done = subprocess.run([options.pelorus, "run", script.name], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout[-500:] + done.stderr[-1500:])
    seconds = {}
    for line in done.stdout.splitlines():
        if line.startswith("time "):
            name, value = line[5:].split("=")
            seconds[name] = min(seconds.get(name, 1e9), float(value))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--factors", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--tasks", default=",".join([*FITS, "bondYield"]))
    parser.add_argument("--pelorus", default="build/release/pelorus")
    options = parser.parse_args()
    tasks = options.tasks.split(",")
    mine, peers = ours(options, tasks), theirs(options, tasks)
    if "bondYield" in tasks and (seconds := quantlib_seconds(options.rows)):
        peers["bondYield"] = seconds
    print(f"{options.rows} rows, {options.factors} factors, {THREADS} threads")
    print(f"{'task':34} {'ours s':>9} {'peer s':>9} {'ratio':>7}")
    ratios = []
    for name, seconds in mine.items():
        peer = peers.get(name)
        if peer:
            ratios.append(seconds / peer)
        print(f"{name:34} {seconds:9.3f} {peer if peer is None else f'{peer:9.3f}':>9} {'' if peer is None else f'{seconds / peer:7.3f}'}")
    if ratios:
        print(f"median ratio {sorted(ratios)[len(ratios) // 2]:.3f}")


if __name__ == "__main__":
    main()
