#!/usr/bin/env python3
"""The analyst's library against SciPy, scikit-learn, statsmodels, arch and QuantLib, over random input (PELORUS_SEED).

Where definitions agree, numbers must to 1e-9 of their size; what iterates to a tolerance of its own is compared to that. Needs numpy and
scipy in the Python that runs it; cases of a package that is missing are counted as skipped, by name.
"""
import importlib
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import numpy as np
    from scipy import optimize, stats
except ImportError:
    print("SKIPPED tests/oracles (no scipy: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


def vector(items):
    return "double([" + ",".join(repr(float(x)) for x in items) + "])"


def matrix(a):
    return f"({vector(np.asarray(a).T.flatten())}${a.shape[0]}:{a.shape[1]})"


def table(names, columns):
    return "table(" + ", ".join(f"{vector(c)} as {n}" for n, c in zip(names, columns)) + ")"


# A case: name, script whose last expression is a number or vector, numbers expected, tolerance.

def scipy_cases(r):
    for n in (2, 3, 5):
        q = np.array([[r.gauss(0, 1) for _ in range(n)] for _ in range(n)])
        h = q @ q.T + np.eye(n)
        f = np.array([r.gauss(0, 1) for _ in range(n)])
        a = np.array([[r.gauss(0, 1) for _ in range(n)] for _ in range(n + 1)])
        b = np.abs(a).sum(axis=1)
        solved = optimize.minimize(lambda x: x @ h @ x / 2 + f @ x, np.zeros(n), jac=lambda x: h @ x + f, method="SLSQP",
                                   constraints={"type": "ineq", "fun": lambda x: b - a @ x, "jac": lambda x: -a}, options={"ftol": 1e-14, "maxiter": 500})
        yield "quadprog", f"quadprog({matrix(h)}, {vector(f)}, {matrix(a)}, {vector(b)})[0]", [solved.fun], 1e-7
        low, high = -np.ones(n), np.ones(n)
        best = optimize.linprog(f, A_ub=a, b_ub=b, bounds=list(zip(low, high)), method="highs")
        for method in ("simplex", "interior-point"):
            yield ("linprog", f"linprog({vector(f)}, {matrix(a)}, {vector(b)}, , , {vector(low)}, {vector(high)}, '{method}')[0]", [best.fun],
                   1e-9 if method == "simplex" else 1e-7)
        start = np.array([r.uniform(-2, 2) for _ in range(n)])
        rosen = "def rosen(x) { N = size(x); return sum(100.0*power(x[1:N]-power(x[0:(N-1)], 2.0), 2.0)+power(1-x[0:(N-1)], 2.0)) }\n"
        nm = optimize.fmin(optimize.rosen, start, disp=False, full_output=True, maxiter=10000, maxfun=10000)
        yield "fmin", rosen + f"fmin(rosen, {vector(start)}, maxIter=10000, maxFun=10000)[`xopt`fopt`iterations`fcalls][2]", [nm[2]], 0
        if n == 2:
            bounds = np.array([[-3, 0.5], [-3, 3]])
            box = optimize.minimize(optimize.rosen, start, method="L-BFGS-B", bounds=bounds)
            yield "fminLBFGSB", rosen + f"fminLBFGSB(rosen, {vector(start)}, , {matrix(bounds)})[`xopt]", box.x, 1e-4
    for _ in range(5):
        c = sorted(r.uniform(-3, 3) for _ in range(3))
        root = optimize.brentq(lambda x: (x - c[1]) ** 3 + (x - c[1]), c[0], c[2])
        yield "brentq", f"brentq(x -> pow(x - {c[1]!r}, 3) + x - {c[1]!r}, {c[0]!r}, {c[2]!r})[1]", [root], 1e-9
    x = np.array([[r.gauss(0, 1), r.gauss(2, 3)] for _ in range(40)])
    at = np.array([[r.gauss(0, 1), r.gauss(2, 3)] for _ in range(7)])
    for method in ("scott", "silverman"):
        yield ("gaussianKde", f"gaussianKdePredict(gaussianKde({matrix(x)}, , '{method}'), {matrix(at)})", stats.gaussian_kde(x.T, method)(at.T), 1e-9)
    h, _, _ = np.histogram2d(x[:, 0], x[:, 1], bins=[4, 6])
    yield "histogram2d", f"flatten(histogram2d({vector(x[:, 0])}, {vector(x[:, 1])}, (4, 6))[`H])", h.T.flatten(), 0
    groups = [np.array([r.gauss(m, 1) for _ in range(12)]) for m in (0, 0.5, 1)]
    f, p = stats.f_oneway(*groups)
    yield "anova", f"d = anova({matrix(np.array(groups).T)}); [d[`fValue], d[`pValue]]", [f, p], 1e-9


def sklearn_cases(r):
    from sklearn import kernel_ridge, linear_model, naive_bayes, neighbors
    n, p = 60, 4
    x = np.array([[r.gauss(0, 1) for _ in range(p)] for _ in range(n)])
    y = x @ np.array([2, -1, 0, 0.5]) + 3 + np.array([r.gauss(0, 0.5) for _ in range(n)])
    names = [f"x{i}" for i in range(p)]
    columns = "`" + "`".join(names)
    w = np.array([r.uniform(0.2, 3) for _ in range(n)])
    data = table(["y", "w", *names], [y, w, *x.T])
    coefficients = "join(m[`coefficients], m[`intercept])"
    for alpha in (0.01, 0.3, 2.0):
        for intercept in (True, False):
            flags = f"{alpha}, {str(intercept).lower()}"
            fit = linear_model.Ridge(alpha=alpha, fit_intercept=intercept, solver="cholesky").fit(x, y)
            yield "ridge", f"m = ridge({data}, `y, {columns}, {flags}); {coefficients}", [*fit.coef_, fit.intercept_], 1e-9
            fit = linear_model.Lasso(alpha=alpha, fit_intercept=intercept, tol=1e-12, max_iter=100000).fit(x, y)
            yield "lasso", f"m = lasso({data}, `y, {columns}, {flags}, , 100000, 1e-14); {coefficients}", [*fit.coef_, fit.intercept_], 1e-7
            fit = linear_model.ElasticNet(alpha=alpha, l1_ratio=0.3, fit_intercept=intercept).fit(x, y)
            yield ("elasticNet", f"m = elasticNet({data}, `y, {columns}, {alpha}, 0.3, {str(intercept).lower()}); {coefficients}",
                   [*fit.coef_, fit.intercept_], 1e-9)
    fit = linear_model.Ridge(alpha=0.7).fit(x, y, sample_weight=w)
    yield "ridge with weights", f"m = ridge({data}, `y, {columns}, 0.7, swColName=`w); {coefficients}", [*fit.coef_, fit.intercept_], 1e-9
    fit = linear_model.Lasso(alpha=0.1, tol=1e-12).fit(x, y, sample_weight=w)
    yield "lasso with weights", f"m = lasso({data}, `y, {columns}, 0.1, , , 100000, 1e-14, , `w); {coefficients}", [*fit.coef_, fit.intercept_], 1e-7
    fit = linear_model.LassoCV(alphas=[0.01, 0.1, 1.0], cv=5).fit(x, y)
    yield "lassoCV", f"lassoCV({data}, `y, {columns})[`alpha]", [fit.alpha_], 0
    label = (y > 3).astype(float)
    labelled = table(["c", *names], [label, *x.T])
    fit = linear_model.LogisticRegression(C=1.0, tol=1e-12, max_iter=10000).fit(x, label)
    yield ("logisticRegression", f"logisticRegression({labelled}, `c, {columns}, tolerance=1e-12)[`coefficients]", [*fit.coef_[0], fit.intercept_[0]], 1e-6)
    at = np.array([[r.gauss(0, 1) for _ in range(p)] for _ in range(25)])
    points = table(names, at.T)
    yield "gaussianNB", f"predict(gaussianNB({vector(label)}, {table(names, x.T)}), {points})", naive_bayes.GaussianNB().fit(x, label).predict(at), 0
    counts = np.floor(np.abs(x) * 5)
    yield ("multinomialNB", f"predict(multinomialNB({vector(label)}, {table(names, counts.T)}), {table(names, np.floor(np.abs(at) * 5).T)})",
           naive_bayes.MultinomialNB().fit(counts, label).predict(np.floor(np.abs(at) * 5)), 0)
    for power in (1, 2, 3):
        known = neighbors.KNeighborsRegressor(5, p=power, algorithm="brute").fit(x, y)
        yield "knn", f"predict(knn({vector(y)}, {table(names, x.T)}, 'regressor', 5, {power}), {points})", known.predict(at), 1e-9
    for kernel in ("linear", "rbf", "poly", "sigmoid", "laplacian", "cosine"):
        fit = kernel_ridge.KernelRidge(alpha=1.0, kernel=kernel).fit(x, y)
        yield "kernelRidge " + kernel, f"flatten(predict(kernelRidge({data}, `y, {columns}, 1.0, '{kernel}'), {points}))", fit.predict(at), 1e-8


def statsmodels_cases(r):
    import statsmodels.api as sm
    from statsmodels.tsa.api import VAR
    from statsmodels.tsa.seasonal import STL
    from statsmodels.tsa.stattools import adfuller, coint
    n = 80
    x = np.array([[r.gauss(0, 1), r.uniform(0, 2)] for _ in range(n)])
    design = np.column_stack([x, np.ones(n)])
    eta = x @ np.array([0.4, 0.3]) + 0.5
    kinds = {"poisson": (np.array([float(np.random.default_rng(int(1000 * abs(e))).poisson(np.exp(e))) for e in eta]), sm.families.Poisson()),
             "binomial": ((np.array([r.random() for _ in range(n)]) < 1 / (1 + np.exp(-eta))).astype(float), sm.families.Binomial()),
             "gamma": (np.exp(eta) * np.array([r.gammavariate(3, 1 / 3) for _ in range(n)]), sm.families.Gamma(sm.families.links.Log())),
             "gaussian": (eta + np.array([r.gauss(0, 1) for _ in range(n)]), sm.families.Gaussian())}
    for family, (y, model) in kinds.items():
        fit = sm.GLM(y, design, family=model).fit(tol=1e-13, maxiter=200)
        link = ", 'log'" if family == "gamma" else ","
        call = f"m = glm({table(['y', 'a', 'b'], [y, *x.T])}, `y, `a`b, '{family}'{link}, 1e-12)"
        yield "glm " + family, f"{call}; m[`coefficients].beta", fit.params, 1e-7
        yield "glm errors " + family, f"{call}; m[`coefficients].stdError", fit.bse, 1e-6
        yield "glm deviance " + family, f"{call}; m[`residualDeviance]", [fit.deviance], 1e-7
    walk = np.cumsum([r.gauss(0, 1) for _ in range(120)])
    other = 2 * walk + np.array([r.gauss(0, 1) for _ in range(120)])
    for trend in ("n", "c", "ct", "ctt"):
        for choice, name in (("AIC", "aic"), ("BIC", "bic"), ("t-stat", "tstat"), (None, "max")):
            stat, p, lag, nobs, critical, *_ = adfuller(walk, maxlag=6, regression=trend, autolag=choice)
            yield ("adfuller " + trend, f"d = adfuller({vector(walk)}, 6, '{trend}', '{name}'); "
                   "join([d[`adfStat], d[`pValue], d[`usedLag], d[`nobs]], d[`criticalValues])", [stat, p, lag, nobs, *critical.values()], 1e-8)
    for trend in ("c", "ct", "ctt"):
        stat, p, critical = coint(walk, other, trend=trend, maxlag=4)
        yield ("coint " + trend, f"d = coint({vector(walk)}, {vector(other)}, '{trend}', , 4); join([d[`tValue], d[`pValue]], d[`criticalValues])",
               [stat, p, *critical], 1e-8)
    series = np.array([np.sin(i * np.pi / 6) * 3 + i / 40 + r.gauss(0, 0.3) for i in range(96)])
    for robust in (False, True):
        fit = STL(series, period=12, seasonal=13, trend=23, robust=robust, seasonal_jump=2, trend_jump=3, low_pass_jump=2).fit(inner_iter=2, outer_iter=3 if robust else 0)
        call = (f"d = stl({vector(series)}, 12, 13, 1, 2, 23, 1, 3, 13, 1, 2, {str(robust).lower()}, 2, {3 if robust else 0})")
        yield "stl seasonal", f"{call}; d[`seasonal]", fit.seasonal, 1e-7
        yield "stl trend", f"{call}; d[`trend]", fit.trend, 1e-7
    from statsmodels.tsa.arima.model import ARIMA
    errors = [r.gauss(0, 1) for _ in range(200)]
    mixed = [0.0]
    for i in range(1, 200):
        mixed.append(0.6 * mixed[-1] + errors[i] + 0.3 * errors[i - 1] + 0.4)
    mixed = np.array(mixed)
    for order, season, trend in (((1, 0, 0), (0, 0, 0, 0), "c"), ((2, 0, 1), (0, 0, 0, 0), "c"), ((1, 1, 1), (0, 0, 0, 0), "n"),
                                 ((1, 0, 0), (1, 0, 0, 4), "c"), ((0, 0, 1), (0, 0, 0, 0), "ct")):
        fit = ARIMA(mixed, order=order, seasonal_order=season, trend=trend).fit(method_kwargs={"maxiter": 2000})
        yield ("arima", f"d = arima({table(['y'], [mixed])}, `y, {vector(order)}, {vector(season)}, , '{trend}', maxIter=500); [d[`llf], d[`aic], d[`bic]]",
               [fit.llf, fit.aic, fit.bic], 1e-5)
    pair = np.array([[r.gauss(0, 1), r.gauss(0, 1)] for _ in range(100)])
    for i in range(1, 100):
        pair[i] += 0.5 * pair[i - 1] + 0.2 * pair[i - 1][::-1]
    fit = VAR(pair).fit(2)
    call = f"d = vectorAR({table(['a', 'b'], pair.T)}, `a`b, , , 2)"
    yield "vectorAR", f"{call}; flatten(d[`params])", fit.params.T.flatten(), 1e-8
    yield ("vectorAR criteria", f"{call}; [d[`aic], d[`bic], d[`hqic], d[`fpe], d[`llf]]", [fit.aic, fit.bic, fit.hqic, fit.fpe, fit.llf], 1e-8)
    from statsmodels.tsa.statespace.varmax import VARMAX
    for order, errors, trend in (((1, 0), "unstructured", "c"), ((1, 1), "diagonal", "n"), ((2, 0), "unstructured", "ct"), ((0, 1), "unstructured", "c")):
        fit = VARMAX(pair, order=order, trend=trend, error_cov_type=errors).fit(maxiter=2000, disp=False)
        call = f"d = varma({table(['a', 'b'], pair.T)}, `a`b, {vector(order)}, , '{trend}', '{errors}', maxIter=2000)"
        yield "varma", f"{call}; [d[`llf], d[`aic], d[`bic], d[`hqic]]", [fit.llf, fit.aic, fit.bic, fit.hqic], 1e-5
        yield "varma params", f"{call}; d[`params]", fit.params, 6e-2


def arch_cases(r):
    from arch import arch_model
    variance, square, series = 1.0, 1.0, []
    for _ in range(1500):
        variance = 0.1 + 0.15 * square + 0.75 * variance
        square = (r.gauss(0, 1) * variance**0.5) ** 2
        series.append(0.3 + square**0.5 * r.choice([-1, 1]))
    for p, q in ((1, 1), (2, 1), (1, 2)):
        fit = arch_model(series, mean="Constant", vol="GARCH", p=p, q=q, rescale=False).fit(disp="off", tol=1e-12, options={"maxiter": 5000})
        call = f"d = garch({table(['y'], [series])}, `y, [{q}, {p}], 1000)"
        yield "garch", f"{call}; [d[`aic], d[`bic], d[`nobs]]", [fit.aic, fit.bic, len(series)], 1e-7
        ahead = fit.forecast(horizon=5, reindex=False).variance.values[-1]
        yield "garchPredict", f"{call}; garchPredict(d, 5)", ahead, 1e-3


def quantlib_cases(r):
    import QuantLib as ql
    today = ql.Date(17, 5, 1998)
    ql.Settings.instance().evaluationDate = today
    count = ql.Actual365Fixed()

    def flat(rate):
        return ql.YieldTermStructureHandle(ql.FlatForward(today, rate, count))

    for _ in range(12):
        spot, strike, rate, dividend, sigma = r.uniform(20, 60), r.uniform(20, 60), r.uniform(-0.01, 0.1), r.uniform(0, 0.05), r.uniform(0.05, 0.6)
        days, call = r.randrange(20, 900), r.random() < 0.5
        maturity = today + days
        payoff = ql.PlainVanillaPayoff(ql.Option.Call if call else ql.Option.Put, strike)
        quote = ql.QuoteHandle(ql.SimpleQuote(spot))
        process = ql.BlackScholesMertonProcess(quote, flat(dividend), flat(rate),
                                               ql.BlackVolTermStructureHandle(ql.BlackConstantVol(today, ql.NullCalendar(), sigma, count)))
        option = ql.VanillaOption(payoff, ql.EuropeanExercise(maturity))
        option.setPricingEngine(ql.AnalyticEuropeanEngine(process))
        arguments = (f"1998.05.17, 1998.05.17 + {days}, 1998.05.17, {spot!r}, {strike!r}, {rate!r}, {dividend!r}, {sigma!r}, {str(call).lower()}")
        greeks = [option.NPV(), option.delta(), option.gamma(), option.theta(), option.vega(), option.rho()]
        yield "vanillaOption", f"d = vanillaOption({arguments}, `european, 3, `XNYS, mode=2); [d[`npv],d[`delta],d[`gamma],d[`theta],d[`vega],d[`rho]]", greeks, 1e-8
        theta, kappa, rho, xi = r.uniform(0.02, 0.2), r.uniform(0.5, 3), r.uniform(-0.8, 0.3), r.uniform(0.1, 0.6)
        model = ql.HestonModel(ql.HestonProcess(flat(rate), flat(dividend), quote, sigma * sigma, kappa, theta, xi, rho))
        option.setPricingEngine(ql.AnalyticHestonEngine(model, 1e-10, 100000))
        kwargs = f"k = {{theta: {theta!r}, kappa: {kappa!r}, rho: {rho!r}, sigma: {xi!r}}}"
        yield "heston", f"{kwargs}; vanillaOption({arguments}, `european, 3, `XNYS, 'heston', k)", [option.NPV()], 1e-6
    conventions = {"Actual360": ql.Actual360(), "Actual365": count, "ActualActualISDA": ql.ActualActual(ql.ActualActual.ISDA),
                   "Thirty360EU": ql.Thirty360(ql.Thirty360.EurobondBasis)}
    for name, convention in conventions.items():
        for _ in range(5):
            start, length = r.randrange(0, 3000), r.randrange(1, 2500)
            first = ql.Date(1, 1, 2015) + start
            yield "yearFrac " + name, f"yearFrac('{name}', 2015.01.01 + {start}, 2015.01.01 + {start + length})", [convention.yearFraction(first, first + length)], 1e-9
    for _ in range(10):
        years, frequency, coupon, rate = r.randrange(1, 30), r.choice([1, 2, 4]), r.uniform(0.01, 0.09), r.uniform(0.01, 0.09)
        start, maturity = ql.Date(15, 3, 2020), ql.Date(15, 3, 2020 + years)
        schedule = ql.Schedule(start, maturity, ql.Period(12 // frequency, ql.Months), ql.NullCalendar(), ql.Unadjusted, ql.Unadjusted, ql.DateGeneration.Backward, False)
        convention = ql.ActualActual(ql.ActualActual.ISMA, schedule)
        bond = ql.FixedRateBond(0, 100.0, schedule, [coupon], convention)
        now = start + r.randrange(1, 300)
        if now + 400 > maturity:
            continue
        dirty = bond.cleanPrice(rate, convention, ql.Compounded, frequency, now) + bond.accruedAmount(now)
        arguments = f"2020.03.15, {2020 + years}.03.15, 100, {coupon!r}, {frequency}, 'ActualActualISMA', 'FixedRate', 2020.03.15 + {now - start}"
        yield "bondDirtyPrice", f"bondDirtyPrice({arguments}, {rate!r}, 'YTM')", [dirty], 1e-8
        yield "bondYield", f"bondYield({arguments}, {dirty!r}, 'DirtyPrice')", [rate], 1e-8
        interest = ql.InterestRate(rate, convention, ql.Compounded, frequency)
        yield "bondConvexity", f"bondConvexity({arguments}, {rate!r}, 'YTM')", [ql.BondFunctions.convexity(bond, interest, now)], 1e-6
        yield ("bondDuration", f"bondDuration({arguments}, {rate!r}, 'YTM')", [ql.BondFunctions.duration(bond, interest, ql.Duration.Macaulay, now)], 1e-8)


def evaluate(pelorus, todo, folder):
    for i, (_, script, _, _) in enumerate(todo):
        *steps, last = script.replace("\n", ";;").split("; ") if "def " not in script else [*script.split("\n")]
        lines = [*steps, f"result = {last}", f'done = saveText(table(append!(array(DOUBLE, 0), double(result)) as r), "{folder}/{i}.csv")']
        Path(folder, f"{i}.dos").write_text("\n".join(lines))
    script = Path(folder, "all.dos")
    script.write_text("\n".join(f'try {{ run("{folder}/{i}.dos") }} catch (e) {{ print("case {i}: " + e[1]) }}' for i in range(len(todo))))
    return subprocess.run([pelorus, "run", str(script)], capture_output=True, text=True, timeout=280)


def difference(expected, path, tolerance):
    if not path.exists():
        return "no result"
    rows = path.read_text().splitlines()[1:]
    actual = np.array([float("nan") if row.strip() == "" else float(row) for row in rows])
    if len(actual) != len(expected):
        return f"{len(expected)} numbers expected, {len(actual)} given"
    scale = max(1.0, float(np.max(np.abs(expected))))
    for i, (want, got) in enumerate(zip(expected, actual)):
        if not abs(want - got) <= max(tolerance * max(abs(want), 1e-3 * scale), 1e-15):
            return f"item {i}: {want!r} expected, {got!r} given"
    return ""


def main():
    warnings.simplefilter("ignore")  # of the packages, about their own plans
    seed = int(os.environ.get("PELORUS_SEED", "20240101"))
    todo, skipped = [], 0
    for package, make in (("scipy", scipy_cases), ("sklearn", sklearn_cases), ("statsmodels", statsmodels_cases), ("arch", arch_cases), ("QuantLib", quantlib_cases)):
        try:
            importlib.import_module(package)
        except ImportError:
            print(f"SKIPPED cases of {package}, which is not installed")
            skipped += 1
            continue
        todo += list(make(random.Random(seed)))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        done = evaluate(os.path.abspath(sys.argv[1]), todo, folder)
        if done.stdout.strip() or done.stderr.strip():
            print((done.stdout + done.stderr).strip()[:3000])
        for i, (name, script, expected, tolerance) in enumerate(todo):
            problem = difference(np.asarray(expected, dtype=float), Path(folder, f"{i}.csv"), tolerance)
            if problem:
                failed += 1
                print(f"FAILED {name}, case {i} (seed {seed}): {problem}: {script[-160:]}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
