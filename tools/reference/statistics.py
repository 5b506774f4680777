"""Writes tests/fixtures/statistics/*.json: random inputs with the results of other people's software.

    python -m venv .venv && .venv/bin/pip install -r tools/reference/requirements.txt
    .venv/bin/python tools/reference/statistics.py [generator ...]

Each fixture names its tool, version, call and tolerance. Where no tool computes a statistic, the reference is a
plain enumeration with itertools, or the defining matrix formula with NumPy, written independently of the
product's algorithm. Inputs are rounded, and every second case is rounded coarsely so that it has ties.
"""

import itertools
import json
import math
import sys
from pathlib import Path

# This file shares its name with a module of the standard library, which the packages below import.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

import dcor  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import pingouin  # noqa: E402
import scipy  # noqa: E402
import statsmodels  # noqa: E402
from scipy import special, stats  # noqa: E402
from statsmodels.stats import multitest, power, proportion, weightstats  # noqa: E402

OUT = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "statistics"
CASES = 200
ALTERNATIVES = ["greater", "less", "two-sided"]

SCIPY = f"SciPy {scipy.__version__}"
NUMPY = f"NumPy {np.__version__}"
STATSMODELS = f"statsmodels {statsmodels.__version__}"
PYTHON = f"itertools of Python {sys.version_info.major}.{sys.version_info.minor}, NumPy {np.__version__}"


def plain(value):
    """Plain JSON with 13 significant digits, which is more than any stated tolerance."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(entry) for entry in value]
    if isinstance(value, (str, bool)) or value is None:
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("a reference value is not finite")
    return float(f"{number:.13g}")


def write(name, tool, call, columns, cases, relative=1e-9, absolute=1e-12):
    if len(cases) < CASES:
        raise ValueError(f"{name}: only {len(cases)} cases")
    head = {
        "tool": tool,
        "call": call,
        "relativeTolerance": relative,
        "absoluteTolerance": absolute,
        "columns": columns,
    }
    lines = ",\n".join(json.dumps(plain(case), separators=(",", ":")) for case in cases)
    text = json.dumps(head, ensure_ascii=False)[:-1] + ',"cases":[\n' + lines + "\n]}\n"
    (OUT / f"{name}.json").write_text(text)


def sample(rng, n, case, shift=0.0):
    """n normal values: three decimals in even cases, one in odd cases (ties, zeros)."""
    return np.round(rng.normal(shift, 1, n), 1 if case % 2 else 3) + 0.0


def varied(make):
    """Draws again while all values are the same."""
    while True:
        values = make()
        if len(set(values.tolist())) > 1:
            return values


def moments(rng):
    cases = []
    for case in range(CASES):
        x = sample(rng, rng.integers(2, 25), case)
        q = round(rng.uniform(), 3)
        cases.append([x, q, x.mean(), x.var(ddof=1), math.sqrt((x**2).mean()), np.quantile(x, q)])
    write("moments", NUMPY, "mean, var(ddof=1), sqrt(mean(x²)), quantile(method='linear')",
          ["x", "q", "mean", "variance", "rms", "quantile"], cases)


def distributions(rng):
    cases = []
    for _ in range(400):
        z = round(rng.uniform(-9, 9), 4)
        p = float(f"{10 ** rng.uniform(-12, 0):.6g}") * 0.999
        t, df = round(rng.normal(0, 4), 4), round(10 ** rng.uniform(0, 3), 2)
        x, a, b = round(rng.uniform(0.001, 0.999), 4), round(rng.uniform(0.2, 40), 2), round(rng.uniform(0.2, 40), 2)
        cases.append([z, stats.norm.cdf(z), p, stats.norm.ppf(p), t, df, stats.t.sf(t, df), x, a, b,
                      special.betainc(a, b, x), special.gammaln(a)])
    write("distributions", SCIPY, "norm.cdf, norm.ppf, t.sf, special.betainc(a, b, x), special.gammaln(a)",
          ["z", "cdf", "p", "ppf", "t", "df", "tail", "x", "a", "b", "beta", "gammaln"], cases,
          relative=1e-10, absolute=1e-13)


def wilson(rng):
    cases = []
    for case in range(CASES):
        total = int(rng.integers(1, 300))
        count = 0 if case % 20 == 0 else total if case % 20 == 1 else int(rng.integers(0, total + 1))
        confidence = round(rng.uniform(0.5, 0.995), 3)
        low, high = proportion.proportion_confint(count, total, alpha=1 - confidence, method="wilson")
        cases.append([count, total, confidence, low, high])
    write("wilson", STATSMODELS, "proportion_confint(count, total, 1 - confidence, method='wilson')",
          ["count", "total", "confidence", "low", "high"], cases)


def one_sample_t(rng):
    cases = []
    for case in range(CASES):
        x = varied(lambda: sample(rng, rng.integers(2, 30), case, 0.3))
        reference = round(rng.normal(0, 0.5), 2)
        alternative = ALTERNATIVES[case % 3]
        result = stats.ttest_1samp(x, reference, alternative=alternative)
        cases.append([x, reference, alternative, result.statistic, result.pvalue])
    write("one-sample-t", SCIPY, "ttest_1samp(x, reference, alternative)",
          ["x", "reference", "alternative", "t", "p"], cases)


def wilcoxon(rng):
    cases = []
    for case in range(CASES + 100):
        alternative = ALTERNATIVES[case % 3]
        kind = case % 4
        if kind == 0:  # exact distribution, no ties
            x = rng.permutation(np.arange(1, rng.integers(2, 51) + 1)) * rng.choice([-1, 1.0])
            x = x * rng.choice([-1, 1], len(x), p=[0.35, 0.65])
            method, zeros = "exact", "wilcox"
        elif kind == 3:  # normal approximation, ties, no zeros left in the ranks
            x = np.round(rng.normal(0.2, 1, rng.integers(70, 90)), 1)
            method, zeros = "asymptotic", "wilcox"
        else:  # ties and zeros, all sign patterns
            x = varied(lambda: np.round(rng.normal(0.4, 1, rng.integers(3, 9)), 0))
            method = stats.PermutationMethod(n_resamples=np.inf)
            zeros = "wilcox" if kind == 1 else "pratt"
        x = x + 0.0
        if np.count_nonzero(x) < 2:  # SciPy permutes no fewer
            x[:2] = [1.0, -2.0]
        if kind in (1, 2):
            # SciPy permutes the signs of what it ranks, so the zeros of "wilcox" are left out beforehand.
            given = x[x != 0] if zeros == "wilcox" else x
            result = stats.wilcoxon(given, zero_method=zeros, alternative=alternative, method=method)
        else:
            result = stats.wilcoxon(x, zero_method=zeros, alternative=alternative, method=method, correction=False)
        ranked = x[x != 0] if zeros == "wilcox" else x
        ranks = stats.rankdata(np.abs(ranked))
        cases.append([x, zeros, alternative, ranks[ranked > 0].sum(), result.pvalue])
    write("wilcoxon", SCIPY,
          "wilcoxon(x, zero_method, alternative, method): 'exact' without ties, PermutationMethod(inf) with ties "
          "up to n = 8, 'asymptotic' without correction above n = 50",
          ["x", "zeros", "alternative", "positiveRankSum", "p"], cases)


def sign_flip(rng):
    cases = []
    for case in range(CASES):
        x = sample(rng, rng.integers(1, 9), case, 0.4)
        alternative = ALTERNATIVES[case % 3]
        result = stats.permutation_test((x,), np.mean, permutation_type="samples", n_resamples=np.inf,
                                        alternative=alternative) if len(x) > 1 else None
        if result is None:
            value = float(x[0])
            upper, lower = (np.mean([s >= value for s in (value, -value)]), np.mean([s <= value for s in (value, -value)]))
            p = {"greater": upper, "less": lower, "two-sided": min(1, 2 * min(upper, lower))}[alternative]
        else:
            p = result.pvalue
        cases.append([x, alternative, x.mean(), p])
    write("sign-flip", SCIPY, "permutation_test((x,), mean, permutation_type='samples', n_resamples=inf)",
          ["x", "alternative", "mean", "p"], cases)


def within_example(rng):
    cases = []
    for case in range(CASES):
        examples = [(np.round(rng.uniform(0, 1, rng.integers(1, 5)) + 0.1, 1 if case % 2 else 3),
                     np.round(rng.uniform(0, 1, rng.integers(1, 4)), 1 if case % 2 else 3))
                    for _ in range(rng.integers(1, 4))]
        observed = np.mean([a.mean() - b.mean() for a, b in examples])
        lists = []
        for a, b in examples:
            pool = np.concatenate([a, b])
            lists.append([pool[list(pick)].mean() - np.delete(pool, list(pick)).mean()
                          for pick in itertools.combinations(range(len(pool)), len(a))])
        sums = np.array([0.0])
        for values in lists:
            sums = np.add.outer(sums, np.array(values)).ravel()
        p = np.mean(sums / len(examples) >= observed - 1e-9)
        (a, b), *others = examples
        if not others and min(len(a), len(b)) > 1:  # SciPy permutes no fewer
            direct = stats.permutation_test((a, b), lambda u, v: u.mean() - v.mean(), n_resamples=np.inf,
                                            alternative="greater", vectorized=False)
            if abs(direct.pvalue - p) > 1e-12:
                raise ValueError("enumeration and SciPy disagree")
        cases.append([[[a, b] for a, b in examples], observed, p])
    write("within-example-permutation", f"{PYTHON}; single examples also by {SCIPY}",
          "all itertools.combinations of labels within each example; permutation_test(n_resamples=inf)",
          ["examples", "statistic", "p"], cases)


def sampled_excess(rng):
    cases = []
    shapes = [(2, 2), (2, 2, 2), (3, 2), (3, 3), (2, 1), (4, 2), (2, 2, 1)]
    for case in range(CASES):
        examples = []
        for _ in range(1 if case % 3 else 2):
            sizes = shapes[rng.integers(len(shapes))]
            labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
            m = len(labels)
            d = np.round(rng.uniform(0, 1, (m, m)) + 0.3 * (labels[:, None] != labels), 1 if case % 2 else 3)
            d = np.triu(d, 1)
            examples.append((labels, d + d.T))
        upper = [np.triu_indices(len(labels), 1) for labels, _ in examples]

        def excess(which, labels):
            i, j = upper[which]
            d = examples[which][1][i, j]
            same = labels[i] == labels[j]
            return d[~same].mean() - d[same].mean()

        lists = []
        for which, (labels, _) in enumerate(examples):
            distinct = set(itertools.permutations(labels.tolist()))
            lists.append(np.array([excess(which, np.array(order)) for order in distinct]))
        sums = np.array([0.0])
        for values in lists:
            sums = np.add.outer(sums, values).ravel()
        observed = np.mean([excess(which, labels) for which, (labels, _) in enumerate(examples)])
        cases.append([[[labels, d.ravel()] for labels, d in examples], observed,
                      np.mean(sums / len(examples) >= observed - 1e-9)])
    write("sampled-excess", PYTHON, "all distinct itertools.permutations of labels within each example",
          ["examples", "statistic", "p"], cases)


def pairing(rng):
    cases = []
    for case in range(CASES):
        k = int(rng.integers(2, 7))
        s = np.round(rng.uniform(0, 1, (k, k)) + 0.2 * np.eye(k), 1 if case % 2 else 3)

        def contrast(order):
            matched = np.zeros((k, k), bool)
            matched[np.arange(k), list(order)] = True
            return s[matched].mean() - s[~matched].mean()

        values = np.array([contrast(order) for order in itertools.permutations(range(k))])
        cases.append([s, values[0], np.mean(values >= values[0] - 1e-9), np.abs(values).mean()])
    write("pairing-permutation", PYTHON, "all itertools.permutations of the columns",
          ["similarity", "m", "p", "magnitude"], cases)


def multiple(rng):
    cases = []
    for case in range(CASES):
        p = np.round(rng.uniform(0, 1, rng.integers(1, 12)) ** rng.integers(1, 4), 2 if case % 2 else 5)
        cases.append([p, multitest.multipletests(p, method="holm")[1], multitest.multipletests(p, method="fdr_bh")[1]])
    write("multiple-testing", STATSMODELS, "multipletests(p, method='holm' and 'fdr_bh')", ["p", "holm", "bh"], cases)


class GivenReplicates:
    """Hands stats.bootstrap a distribution, so that only the interval is computed from it."""

    def __init__(self, replicates):
        self.bootstrap_distribution = replicates


def bootstrap_intervals(rng):
    cases = []
    while len(cases) < CASES:
        n = int(rng.integers(4, 16))
        x = varied(lambda: np.round(rng.gamma(1, 1, n), 3))
        replicates = np.round(x[rng.integers(0, n, (80, n))].mean(axis=1), 5)
        if np.any(np.abs(replicates - x.mean()) < 1e-9):
            continue  # SciPy calls these ties only if rounding happens to make them equal
        confidence = [0.95, 0.9, 0.8][len(cases) % 3]
        found = {}
        for method in ("BCa", "percentile"):
            result = stats.bootstrap((x,), np.mean, n_resamples=0, bootstrap_result=GivenReplicates(replicates),
                                     method=method, confidence_level=confidence)
            found[method] = [result.confidence_interval.low, result.confidence_interval.high]
        if not np.all(np.isfinite(found["BCa"])):
            continue
        cases.append([x, replicates, confidence, found["BCa"], found["percentile"]])
    write("bootstrap-intervals", SCIPY,
          "bootstrap((x,), mean, n_resamples=0, bootstrap_result=<replicates>, method='BCa' and 'percentile')",
          ["x", "replicates", "confidence", "bca", "percentile"], cases)


def correlations(rng):
    cases = []
    for case in itertools.count():
        if len(cases) == CASES:
            break
        n = int(rng.integers(5, 25))
        z = varied(lambda: sample(rng, n, case))
        x = varied(lambda: np.round(sample(rng, n, case) + 0.5 * z, 2))
        y = varied(lambda: np.round(sample(rng, n, case) + 0.5 * z - 0.3 * x, 2))
        ranks = np.corrcoef([stats.rankdata(v) for v in (x, y, z)])
        if np.linalg.eigvalsh(ranks).min() < 1e-9:
            continue  # pingouin's pseudo-inverse gives the wrong sign where one variable follows from the others
        frame = pd.DataFrame({"x": x, "y": y, "z": z})
        partial = [pingouin.partial_corr(frame, "x", "y", "z", method=method)["r"].iloc[0]
                   for method in ("pearson", "spearman")]
        cases.append([x, y, z, stats.pearsonr(x, y).statistic, stats.spearmanr(x, y).statistic, *partial])
    write("correlations", f"{SCIPY}; pingouin {pingouin.__version__}",
          "pearsonr, spearmanr; partial_corr(frame, 'x', 'y', 'z', method='pearson' and 'spearman')",
          ["x", "y", "z", "pearson", "spearman", "partialPearson", "partialSpearman"], cases, relative=1e-8)


def kendall(rng):
    cases = []
    for case in range(CASES + 100):
        alternative = ALTERNATIVES[case % 3]
        kind = case % 3 if case < CASES else case % 2
        if kind == 0:
            n = int(rng.integers(3, 34))
            x, y = rng.permutation(n), rng.permutation(n)
            result = stats.kendalltau(x, y, method="exact", alternative=alternative)
            tau, p = result.statistic, result.pvalue
        elif kind == 1:
            n = int(rng.integers(9, 40))
            x = varied(lambda: np.round(rng.normal(0, 1.5, n)))
            y = varied(lambda: np.round(rng.normal(0, 1.5, n) + 0.3 * x))
            y[1] = y[0]  # at least one tie
            result = stats.kendalltau(x, y, method="asymptotic", alternative=alternative)
            tau, p = result.statistic, result.pvalue
        else:
            n = int(rng.integers(3, 7))
            x = varied(lambda: rng.integers(0, 4, n).astype(float))
            y = varied(lambda: rng.integers(0, 4, n).astype(float))
            y[1] = y[0]
            if len(set(y)) == 1:
                y[2] += 1
            tau = stats.kendalltau(x, y).statistic
            taus = np.array([stats.kendalltau(x, np.array(order)).statistic for order in itertools.permutations(y)])
            upper, lower = np.mean(taus >= tau - 1e-9), np.mean(taus <= tau + 1e-9)
            p = {"greater": upper, "less": lower, "two-sided": min(1, 2 * min(upper, lower))}[alternative]
        cases.append([x + 0.0, y + 0.0, alternative, tau, p])
    write("kendall-tau", f"{SCIPY}; {PYTHON}",
          "kendalltau(x, y, method='exact' without ties, 'asymptotic' with ties and n > 8, alternative); with ties and "
          "n ≤ 6 kendalltau over all itertools.permutations",
          ["x", "y", "alternative", "tau", "p"], cases)


def distance_correlations(rng):
    cases = []
    for case in range(CASES):
        n = int(rng.integers(5, 25))
        x = varied(lambda: sample(rng, n, case))
        y = varied(lambda: np.round(x**2 * (case % 3) + rng.normal(0, 1, n), 1 if case % 2 else 3))
        cases.append([x, y, dcor.u_distance_correlation_sqr(x, y)])
    write("distance-correlation", f"dcor {dcor.__version__}", "u_distance_correlation_sqr(x, y)",
          ["x", "y", "squared"], cases, relative=1e-8, absolute=1e-10)


def participation(rng):
    cases = []
    for _ in range(CASES):
        p = int(rng.integers(1, 6))
        data = rng.normal(0, 1, (p + 3, p)) @ rng.normal(0, 1, (p, p))
        matrix = np.round(np.atleast_2d(np.cov(data.T)), 3)
        values = np.linalg.eigvalsh(matrix)
        cases.append([matrix, values.sum() ** 2 / (values**2).sum()])
    write("participation-ratio", NUMPY, "eigvalsh(matrix)", ["matrix", "ratio"], cases)


def equivalence(rng):
    cases = []
    for _ in range(CASES):
        x = rng.normal(rng.uniform(-0.4, 0.4), rng.uniform(0.1, 1), rng.integers(5, 60))
        described = weightstats.DescrStatsW(x)
        low, high = described.tconfint_mean(alpha=0.1)
        cases.append([low, high, 0.3, bool(described.ttost_mean(-0.3, 0.3)[0] < 0.05)])
    write("equivalence", STATSMODELS, "DescrStatsW(x).tconfint_mean(.1); ttost_mean(-.3, .3)[0] < .05",
          ["low", "high", "bound", "equivalent"], cases)


def variance_components(rng):
    """Expected mean squares as traces: E[y'Qy] = Σ σ²_c tr(Q Z_c Z_c'), Q a difference of projections."""
    cases = []
    while len(cases) < CASES:
        balanced = len(cases) % 4 == 0
        shape = (int(rng.integers(2, 6)), int(rng.integers(2, 4)), int(rng.integers(2, 4)))
        data, example, variant = [], [], []
        for i in range(shape[0]):
            data.append([])
            shift = rng.normal(0, 1)
            for _ in range(shape[1] if balanced else rng.integers(1, 5)):
                values = np.round(shift + rng.normal(0, 0.7) + rng.normal(
                    0, 0.5, shape[2] if balanced else rng.integers(1, 4)), 3)
                data[-1].append(values)
                variant += [len(set(variant))] * len(values) if values.size else []
                example += [i] * len(values)
        y = np.concatenate([values for variants in data for values in variants])
        n = len(y)
        incidence = [np.equal.outer(example, np.unique(example)).astype(float),
                     np.equal.outer(variant, np.unique(variant)).astype(float), np.eye(n)]
        nested = [np.full((n, n), 1 / n)] + [z @ np.linalg.pinv(z) for z in incidence]
        forms = [after - before for before, after in zip(nested, nested[1:])]
        if np.trace(forms[1]) < 0.5 or np.trace(forms[2]) < 0.5:
            continue
        expected = [[np.trace(q @ z @ z.T) for z in incidence] for q in forms]
        example_part, variant_part, residual = np.linalg.solve(expected, [y @ q @ y for q in forms])
        cases.append([data, example_part, variant_part, residual])
    write("variance-components", NUMPY,
          "solve(tr(Q Z Z'), y'Q y) with Q the differences of the projections on mean, examples, variants, all",
          ["data", "example", "variant", "residual"], cases, relative=1e-8, absolute=1e-9)


def sample_sizes(rng):
    cases = []
    for _ in range(CASES):
        alpha, wanted = round(rng.uniform(0.005, 0.2), 3), round(rng.uniform(0.5, 0.97), 2)
        effect = round(rng.uniform(0.1, 1.2), 2)
        sizes = np.arange(2, 5000)
        powers = power.NormalIndPower().power(effect, sizes, alpha, ratio=0, alternative="larger")
        one_sided = sizes[np.argmax(powers >= wanted)]
        variances, repeats = np.round(rng.uniform(0, 1, 3), 3), rng.integers(1, 9, 2)
        spread = math.sqrt(variances[0] + variances[1] / repeats[0] + variances[2] / repeats[1])
        compared = power.normal_sample_size_one_tail(effect, wanted, alpha / 2, std_null=spread)
        cases.append([effect, alpha, wanted, variances, repeats, one_sided, max(2, math.ceil(compared))])
    write("sample-size", STATSMODELS,
          "smallest n with NormalIndPower().power(effect, n, alpha, ratio=0, 'larger') >= power; "
          "normal_sample_size_one_tail(effect, power, alpha/2, std_null)", ["effect", "alpha", "power", "variances", "repeats", "oneSided", "compared"], cases)


def weight_robustness(rng):
    """P(Σ w g > 0) for flat Dirichlet w: Σ over g_i > 0 of g_i^(k−1) / Π_{j≠i} (g_i − g_j)."""
    cases = []
    while len(cases) < CASES:
        k = int(rng.integers(2, 6))
        gaps = np.round(rng.normal(0.2, 1, k), 2)
        if len(set(gaps)) < k or abs(gaps.mean()) < 0.01 or np.min(np.diff(np.sort(gaps))) < 0.05:
            continue
        above = sum(g ** (k - 1) / np.prod([g - h for h in gaps if h != g]) for g in gaps if g > 0)
        cases.append([gaps, above if gaps.mean() > 0 else 1 - above])
    write("weight-robustness", NUMPY, "Σ_{g_i > 0} g_i^(k−1) / Π_{j≠i} (g_i − g_j); Monte Carlo of 2,000 draws",
          ["gaps", "preserved"], cases, relative=0, absolute=0.045)


ALL = [moments, distributions, wilson, one_sample_t, wilcoxon, sign_flip, within_example, sampled_excess, pairing,
       multiple, bootstrap_intervals, correlations, kendall, distance_correlations, participation, equivalence,
       variance_components, sample_sizes, weight_robustness]

if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    for index, generate in enumerate(ALL):
        if sys.argv[1:] and generate.__name__ not in sys.argv[1:]:
            continue
        generate(np.random.default_rng([20261201, index]))
