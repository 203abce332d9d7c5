// Probability distributions: cdf…, inv…, pdf… and rand… from one definition each.
#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/logistic.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <boost/math/distributions/weibull.hpp>
#include <cmath>
#include <numbers>

#include "common/thread/cancellation.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/index.h"
#include "runtime/registry/parameter_lines.h"
#include "stdlib/arguments.h"
#include "stdlib/random.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/moment_expansion.h"

namespace pelorus {

namespace {

namespace bm = boost::math;

// The policy for a density without bound, or a series without end: the result is infinite or NaN, and so NULL. Boost
// still throws for parameters that it refuses.
using NoBound = bm::policies::policy<bm::policies::overflow_error<bm::policies::ignore_error>,
                                     bm::policies::pole_error<bm::policies::ignore_error>,
                                     bm::policies::evaluation_error<bm::policies::ignore_error>>;

// Boost throws outside of the support, which is slow; so the support is checked first.
template <class D>
double cumulative(const D& d, double x) {
    auto range = bm::support(d);
    if (x < range.first) return 0;
    if (x >= range.second) return 1;
    return bm::cdf(d, x);
}
// By libm: as exact as boost's, which goes by way of long doubles, at a quarter of its time.
template <class P>
double cumulative(const bm::normal_distribution<double, P>& d, double x) {
    return std::erfc(-(x - d.mean()) / (d.standard_deviation() * std::numbers::sqrt2)) / 2;
}
// Beta and distributions computed from it, where boost's continued fractions do not end in time.
template <class P>
double cumulative(const bm::beta_distribution<double, P>& d, double x) {
    if (x <= 0 || x >= 1) return x >= 1;
    if (std::min(d.alpha(), d.beta()) < kHugeBeta) return bm::cdf(d, x);
    return expansionOfBeta(d.alpha(), d.beta()).cumulative(x);
}
template <class P>
double cumulative(const bm::binomial_distribution<double, P>& d, double x) {
    if (x < 0) return 0;
    if (x >= d.trials()) return 1;
    const double p = d.success_fraction(), below = x + 1, above = d.trials() - x;
    if (std::min(below, above) < kHugeBeta || p <= 0 || p >= 1) return bm::cdf(d, x);
    return expansionOfBeta(above, below).cumulative(1 - p);
}
// An F of two huge degrees of freedom is x = y / (1 - y) * b / a of a Beta(a, b), taken from the side that is near 0.
template <class P>
double cumulative(const bm::fisher_f_distribution<double, P>& d, double x) {
    if (x <= 0) return 0;
    const double a = d.degrees_of_freedom1() / 2, b = d.degrees_of_freedom2() / 2;
    if (std::min(a, b) < kHugeBeta || !std::isfinite(x)) return std::isfinite(x) ? bm::cdf(d, x) : 1;
    if (a <= b) return expansionOfBeta(a, b).cumulative(x / (x + b / a));
    const MomentExpansion other = expansionOfBeta(b, a);
    return MomentExpansion{-other.mean, other.deviation, -other.skewness, other.excess}.cumulative(-1 /
                                                                                                   (1 + a / b * x));
}
template <class D>
double density(const D& d, double x) {
    auto range = bm::support(d);
    return x < range.first || x > range.second ? 0 : bm::pdf(d, x);
}
double normalQuantile(double p) {
    return bm::quantile(bm::normal_distribution<double, NoBound>(), p);
}

// Returns the smallest integer x with cdf(x) >= p, between `least` and `most`. Starts from a guess, doubles the stride,
// then bisects: boost's search goes in steps of one, without end where adding one changes nothing.
template <class D>
double wholeInverse(const D& d, double p, double least, double most) {
    // The standard deviation from which on the error of the expansion is far below one.
    constexpr double kExpandFrom = 1e5;
    const double deviation = bm::standard_deviation(d);
    // Each integer represents an interval of half a unit on both sides, which adds to the variance.
    const MomentExpansion spread{bm::mean(d), std::sqrt(deviation * deviation + 1.0 / 12), bm::skewness(d),
                                 bm::kurtosis_excess(d)};
    const double guess = std::ceil(spread.quantile(normalQuantile(p)) - 0.5);
    if (deviation >= kExpandFrom) return std::clamp(guess, least, most);
    const auto suffices = [&](double x) {
        checkCancelled();
        return cumulative(d, x) >= p;
    };
    // The answer is above `below` and at most `enough`.
    double below = least - 1, enough = std::isfinite(guess) ? std::clamp(guess, least, most) : least;
    double stride = 1;
    if (suffices(enough)) {
        while (enough > least) {
            const double x = std::max(least, enough - stride);
            if (!suffices(x)) {
                below = x;
                break;
            }
            enough = x;
            stride *= 2;
        }
    } else {
        do {
            if (enough >= most) return null<double>;
            below = enough;
            enough = std::min(most, std::max(enough + stride, std::nextafter(enough, most)));
            stride *= 2;
        } while (!suffices(enough));
    }
    while (true) {
        const double middle = std::floor(below + (enough - below) / 2);
        if (middle <= below || middle >= enough) return enough;
        (suffices(middle) ? enough : below) = middle;
    }
}

template <class D>
double continuousInverse(const D& d, double p) {
    return bm::quantile(d, p);
}
template <class P>
double continuousInverse(const bm::beta_distribution<double, P>& d, double p) {
    if (std::min(d.alpha(), d.beta()) < kHugeBeta) return bm::quantile(d, p);
    return expansionOfBeta(d.alpha(), d.beta()).quantile(normalQuantile(p));
}
template <class P>
double continuousInverse(const bm::fisher_f_distribution<double, P>& d, double p) {
    const double a = d.degrees_of_freedom1() / 2, b = d.degrees_of_freedom2() / 2;
    if (std::min(a, b) < kHugeBeta) return bm::quantile(d, p);
    const double z = normalQuantile(p);
    if (a <= b) {
        const double y = expansionOfBeta(a, b).quantile(z);
        return y / (1 - y) * (b / a);
    }
    const double y = expansionOfBeta(b, a).quantile(-z);
    return (1 - y) / y * (b / a);
}

// Returns the smallest x with cdf(x) >= p; an integer for discrete distributions.
template <class D, bool kDiscrete>
double inverse(const D& d, double p) {
    if (!(p >= 0 && p <= 1)) return null<double>;
    auto range = bm::support(d);
    if (p == 0) return std::isfinite(range.first) && range.first > -1e300 ? range.first : null<double>;
    if (p == 1) return std::isfinite(range.second) && range.second < 1e300 ? range.second : null<double>;
    if constexpr (kDiscrete) {
        return wholeInverse(d, p, range.first, range.second);
    } else {
        return continuousInverse(d, p);
    }
}

enum class Ask : uint8_t { Cumulative, Inverse, Density, Random };

template <Ask kAsk, bool kDiscrete, class D>
double itemAnswer(const D& d, double x) {
    if (isNull(x)) return x;
    if (kDiscrete && kAsk == Ask::Cumulative) x = std::floor(x);
    const double y = kAsk == Ask::Cumulative ? cumulative(d, x)
                     : kAsk == Ask::Inverse  ? inverse<D, kDiscrete>(d, x)
                                             : density(d, x);
    return std::isfinite(y) ? y : null<double>;
}

template <Ask kAsk, bool kDiscrete, class D>
Value answer(const D& d, Arguments a, size_t at) {
    if (kAsk == Ask::Random) {
        const RandomCount wanted = randomCount(a, at);
        const int64_t count = wanted.elements;
        if (count < 1) refuseArgument(at, "count", "at least 1", a[at]);
        Ref<Vector> out = Vector::make(kDiscrete ? Type::Int : Type::Double, count);
        for (int64_t i = 0; i < count; ++i) {
            checkCancelled();
            double p = unitRandom();
            double x = inverse<D, kDiscrete>(d, p > 0 ? p : 0x1.0p-54);
            if (kDiscrete) {
                out->mutableData<int32_t>()[i] = x >= 0 && x <= INT32_MAX ? static_cast<int32_t>(x) : null<int32_t>;
            } else {
                out->mutableData<double>()[i] = x;
            }
        }
        return wanted.shaped(out);
    }
    return mapElements(a[at], [&](const Vector& v) {
        Ref<Vector> x = numbersAs<double>(v);
        Ref<Vector> out = Vector::make(Type::Double, v.size());
        for (int64_t i = 0; i < v.size(); ++i) {
            checkCancelled();
            out->mutableData<double>()[i] = itemAnswer<kAsk, kDiscrete>(d, x->data<double>()[i]);
        }
        return out;
    });
}

// Boost refuses invalid parameters; this adds the name of the distribution to its error.
template <class Make>
auto made(const char* family, Make make) {
    try {
        return make();
    } catch (const std::exception&) {
        throw UserError(0, fmt::format("These parameters are impossible for a {} distribution.", family));
    }
}

struct Beta {
    static constexpr const char* kName = "Beta";
    static constexpr const char* kParameters = "alpha, beta";
    static constexpr size_t kCount = 2;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double q) { return bm::beta_distribution<double, NoBound>(p, q); }
};
struct Binomial {
    static constexpr const char* kName = "Binomial";
    static constexpr const char* kParameters = "trials, p";
    static constexpr size_t kCount = 2;
    static constexpr bool kDiscrete = true;
    static auto make(double p, double q) { return bm::binomial_distribution<double, NoBound>(p, q); }
};
struct ChiSquare {
    static constexpr const char* kName = "ChiSquare";
    static constexpr const char* kParameters = "df";
    static constexpr size_t kCount = 1;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double) { return bm::chi_squared_distribution<double, NoBound>(p); }
};
struct Exponential {
    static constexpr const char* kName = "Exp";
    static constexpr const char* kParameters = "mean";
    static constexpr size_t kCount = 1;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double) { return bm::exponential_distribution<double, NoBound>(1 / p); }
};
struct Fisher {
    static constexpr const char* kName = "F";
    static constexpr const char* kParameters = "numeratorDF, denominatorDF";
    static constexpr size_t kCount = 2;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double q) { return bm::fisher_f_distribution<double, NoBound>(p, q); }
};
struct Gamma {
    static constexpr const char* kName = "Gamma";
    static constexpr const char* kParameters = "shape, scale";
    static constexpr size_t kCount = 2;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double q) { return bm::gamma_distribution<double, NoBound>(p, q); }
};
struct Logistic {
    static constexpr const char* kName = "Logistic";
    static constexpr const char* kParameters = "mean, s";
    static constexpr size_t kCount = 2;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double q) { return bm::logistic_distribution<double, NoBound>(p, q); }
};
struct Normal {
    static constexpr const char* kName = "Normal";
    static constexpr const char* kParameters = "mean, stdev";
    static constexpr size_t kCount = 2;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double q) { return bm::normal_distribution<double, NoBound>(p, q); }
};
struct Poisson {
    static constexpr const char* kName = "Poisson";
    static constexpr const char* kParameters = "mean";
    static constexpr size_t kCount = 1;
    static constexpr bool kDiscrete = true;
    static auto make(double p, double) { return bm::poisson_distribution<double, NoBound>(p); }
};
struct Student {
    static constexpr const char* kName = "Student";
    static constexpr const char* kParameters = "df";
    static constexpr size_t kCount = 1;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double) { return bm::students_t_distribution<double, NoBound>(p); }
};
struct Uniform {
    static constexpr const char* kName = "Uniform";
    static constexpr const char* kParameters = "lower, upper";
    static constexpr size_t kCount = 2;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double q) { return bm::uniform_distribution<double, NoBound>(p, q); }
};
struct Weibull {
    static constexpr const char* kName = "Weibull";
    static constexpr const char* kParameters = "alpha, beta";
    static constexpr size_t kCount = 2;
    static constexpr bool kDiscrete = false;
    static auto make(double p, double q) { return bm::weibull_distribution<double, NoBound>(p, q); }
};

template <class F, Ask kAsk>
Value distributionKernel(Context&, Arguments a) {
    double p = realArgument(a, 0, "the first parameter");
    double q = F::kCount == 2 ? realArgument(a, 1, "the second parameter") : 0;
    auto d = made(F::kName, [&] { return F::make(p, q); });
    return answer<kAsk, F::kDiscrete>(d, a, F::kCount);
}

// Computes these functions for scalars in machine code; declines arguments whose only result is an error.
template <class F, Ask kAsk>
struct DistributionItem {
    static constexpr bool kSeesNulls = true, kMayDecline = true;
    double operator()(double p, double q, double x) const {
        if (isNull(p) || isNull(q)) return declined;
        try {
            return itemAnswer<kAsk, F::kDiscrete>(F::make(p, q), x);
        } catch (const std::exception&) {
            return declined;
        }
    }
    double operator()(double p, double x) const { return (*this)(p, 0, x); }
};
template <class F, Ask kAsk>
constexpr ScalarForm distributionForm() {
    if constexpr (F::kCount == 2) {
        return scalarForm<DistributionItem<F, kAsk>, double, double, double>();
    } else {
        return scalarForm<DistributionItem<F, kAsk>, double, double>();
    }
}
template <class F, Ask kAsk>
inline constexpr ScalarForm kDistributionForms[] = {distributionForm<F, kAsk>()};

// The probability that a Kolmogorov statistic is above X (Marsaglia's series).
double kolmogorovAbove(double x) {
    if (x <= 0) return 1;
    if (x < 0.3) {
        // The series in exp(-pi^2 / 8 x^2) converges there.
        double sum = 0;
        for (int k = 1; k < 20; k += 2) sum += std::exp(-k * k * M_PI * M_PI / (8 * x * x));
        return 1 - std::sqrt(2 * M_PI) / x * sum;
    }
    double sum = 0;
    for (int k = 1; k < 100; ++k) {
        double term = std::exp(-2.0 * k * k * x * x);
        sum += k % 2 == 1 ? term : -term;
        if (term < 1e-18) break;
    }
    return std::clamp(2 * sum, 0.0, 1.0);
}
struct KolmogorovAbove {
    double operator()(double x) const { return kolmogorovAbove(x); }
};

// cdfZipf(num, exponent, X)
Value zipfKernel(Context&, Arguments a) {
    int64_t n = integerArgument(a, 0, "num");
    double s = realArgument(a, 1, "exponent");
    if (n < 1 || n > 100'000'000) refuseArgument(0, "num", "at least 1", a[0]);
    if (s < 0) refuseArgument(1, "exponent", "not negative", a[1]);
    std::vector<double> sums(static_cast<size_t>(n) + 1);
    for (int64_t k = 1; k <= n; ++k)
        sums[static_cast<size_t>(k)] = sums[static_cast<size_t>(k) - 1] + std::pow(static_cast<double>(k), -s);
    return mapElements(a[2], [&](const Vector& v) {
        Ref<Vector> x = numbersAs<double>(v);
        Ref<Vector> out = Vector::make(Type::Double, v.size());
        for (int64_t i = 0; i < v.size(); ++i) {
            double element = x->data<double>()[i];
            double place = std::clamp(std::floor(element), 0.0, static_cast<double>(n));
            out->mutableData<double>()[i] = isNull(element) ? element : sums[static_cast<size_t>(place)] / sums.back();
        }
        return out;
    });
}

// randDiscrete(v, p, count)
Value randDiscreteKernel(Context&, Arguments a) {
    Ref<Vector> p = realsArgument(a, 1, "p");
    int64_t count = integerArgument(a, 2, "count");
    if (!a[0].isVector() || p->size() != a[0].size() || p->size() == 0)
        throw UserError(1, "p must have one probability for each element of v.");
    if (count < 0 || count > INT32_MAX) refuseArgument(2, "count", "not negative", a[2]);
    std::vector<double> sums;
    double total = 0;
    for (int64_t i = 0; i < p->size(); ++i) {
        double element = p->data<double>()[i];
        if (!(element >= 0) || isNull(element)) refuseArgument(1, "p", "positive", a[1]);
        sums.push_back(total += element);
    }
    Ref<Vector> rows = Vector::make(Type::Int, count);
    for (int64_t i = 0; i < count; ++i) {
        auto place = std::upper_bound(sums.begin(), sums.end(), unitRandom() * total) - sums.begin();
        rows->mutableData<int32_t>()[i] = static_cast<int32_t>(std::min<int64_t>(place, p->size() - 1));
    }
    return takeRows(a[0], *rows);
}

// The explanations of the parameters of all distributions but for X.
constexpr std::string_view kParameterLines =
    "count: how many numbers, or rows:columns of a matrix\n"
    "alpha: the first shape, above 0\n"
    "beta: the second shape, above 0\n"
    "trials: how many trials, not negative\n"
    "p: the chance of success of a trial, from 0 to 1\n"
    "df: the degrees of freedom, above 0\n"
    "mean: the mean of the distribution\n"
    "numeratorDF: the degrees of freedom of the numerator, above 0\n"
    "denominatorDF: the degrees of freedom of the denominator, above 0\n"
    "shape: the shape, above 0\n"
    "scale: the scale, above 0\n"
    "s: the scale, above 0\n"
    "stdev: the standard deviation, above 0\n"
    "lower: the smallest number\n"
    "upper: the largest number, above lower\n";
constexpr std::string_view kWeibullLines = "alpha: the shape, above 0\nbeta: the scale, above 0\n";

std::string distributionParameterLines(const std::string& syntax) {
    const bool isInverse = syntax.starts_with("inv"), isWeibull = syntax.find("Weibull") != std::string::npos;
    std::string lines(isWeibull ? kWeibullLines : kParameterLines);
    if (isWeibull) lines += kParameterLines.substr(0, kParameterLines.find('\n') + 1);
    lines += isInverse ? "X: the chances, numbers from 0 to 1, a scalar or vector"
                       : "X: the points, a scalar or vector of numbers";
    return parameterLines(syntax, lines);
}

struct Family {
    FunctionRegistry& registry;

    // The results of the examples of a distribution: cdf at X, inv at 0.25 and 0.5, and pdf at X.
    struct Shown {
        std::string parameters, x, cdf, inv, pdf;
    };

    void one(const std::string& syntax, Kernel kernel, const std::string& summary, std::span<const ScalarForm> scalar,
             const std::string& example, Effect effect = Effect::Pure) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = distributionParameterLines(syntax),
                      .nulls = "NULL for NULL.",
                      .errors = "The parameters are impossible for the distribution.",
                      .source = "Boost.Math",
                      .example = example},
                     {.gives = is(Type::Double), .effect = effect, .scalar = scalar});
    }
    template <class F, bool kPdf = false, bool kRandom = true>
    void add(const Shown& shown) {
        const std::string name = F::kName, parameters = F::kParameters, call = name + "(" + shown.parameters + ", ";
        one("cdf" + name + "(" + parameters + ", X)", distributionKernel<F, Ask::Cumulative>,
            "The chance that the distribution gives at most X.", kDistributionForms<F, Ask::Cumulative>,
            "cdf" + call + shown.x + ") -> " + shown.cdf);
        one("inv" + name + "(" + parameters + ", X)", distributionKernel<F, Ask::Inverse>,
            "The number that the distribution does not pass with chance X.", kDistributionForms<F, Ask::Inverse>,
            "inv" + call + "0.25 0.5) -> " + shown.inv);
        if (kPdf)
            one("pdf" + name + "(" + parameters + ", X)", distributionKernel<F, Ask::Density>, "The density at X.",
                kDistributionForms<F, Ask::Density>, "pdf" + call + shown.x + ") -> " + shown.pdf);
        if (kRandom)
            one("rand" + name + "(" + parameters + ", count)", distributionKernel<F, Ask::Random>,
                "Random numbers of the distribution.", {}, "size(rand" + call + "5)) -> 5", Effect::Volatile);
    }
};

}  // namespace

void registerDistributions(FunctionRegistry& registry) {
    Family f{registry};
    f.add<Beta>({"2, 3", "0.25 0.5", "[0.261719,0.6875]", "[0.243022,0.385728]", ""});
    f.add<Binomial>({"10, 0.5", "3 5", "[0.171875,0.623047]", "[4,5]", ""});
    f.add<ChiSquare, true>({"3", "1 2", "[0.198748,0.427593]", "[1.212533,2.365974]", "[0.241971,0.207554]"});
    f.add<Exponential>({"2", "1 2", "[0.393469,0.632121]", "[0.575364,1.386294]", ""});
    f.add<Fisher, true>({"3, 5", "1 2", "[0.535145,0.767376]", "[0.415025,0.907146]", "[0.361174,0.142896]"});
    f.add<Gamma>({"2, 3", "1 2", "[0.044625,0.144305]", "[2.883836,5.035041]", ""});
    f.add<Logistic>({"0, 1", "0 1", "[0.5,0.731059]", "[-1.098612,0]", ""});
    f.add<Normal, true, false>({"0, 1", "0 1.96", "[0.5,0.975002]", "[-0.67449,0]", "[0.398942,0.058441]"});
    f.add<Poisson>({"3", "2 4", "[0.42319,0.815263]", "[2,3]", ""});
    f.add<Student>({"5", "0 2", "[0.5,0.94903]", "[-0.726687,0]", ""});
    f.add<Uniform, false, false>({"0, 4", "1 3", "[0.25,0.75]", "[1,2]", ""});
    f.add<Weibull>({"2, 3", "1 2", "[0.105161,0.35882]", "[1.60908,2.497664]", ""});
    registry.add("cdfKolmogorov(X)", elementwise<KolmogorovAbove, double>(),
                 {.summary = "The chance that a Kolmogorov statistic is above X.",
                  .nulls = "NULL for NULL.",
                  .example = "cdfKolmogorov(1 2) -> [0.27,0.000671]"},
                 kElementwise);
    registry.add("cdfZipf(num, exponent, X)", zipfKernel,
                 {.summary = "The chance that Zipf's distribution over 1 … num gives at most X.",
                  .parameters = "num: how many ranks there are, an integer of at least 1\n"
                                "exponent: how fast the chance falls with the rank, not negative\n"
                                "X: the ranks, a scalar or vector of numbers",
                  .errors = "num is below 1 or exponent negative.",
                  .example = "cdfZipf(2, 0, 1 2) -> [0.5,1]"});
    registry.add("randDiscrete(v, p, count)", randDiscreteKernel,
                 {.summary = "Random elements of v, each with its share of the probabilities p.",
                  .parameters = "v: a vector of what is drawn from\n"
                                "p: a vector as long as v, the weights of its elements, not negative\n"
                                "count: how many elements are drawn, not negative",
                  .errors = "p has another length than v, or a negative element.",
                  .example = "randDiscrete(`a`b, 0 1, 2) -> [\"b\",\"b\"]"},
                 {.effect = Effect::Volatile});
}

}  // namespace pelorus
