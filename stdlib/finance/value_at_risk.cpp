// valueAtRisk and condValueAtRisk: losses that returns exceed rarely.
#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/number_columns.h"
#include "stdlib/random.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int kDraws = 100000;

struct Risk {
    double value, beyond;  // the loss, and the mean of those beyond it
};

// Returns the quantile between the two nearest, and the mean of what is at most that.
Risk riskOfSample(std::vector<double> returns, double level) {
    std::ranges::sort(returns);
    const double at = (1 - level) * static_cast<double>(returns.size() - 1);
    const auto below = static_cast<size_t>(at);
    const double share = at - static_cast<double>(below);
    const double above = returns[std::min(below + 1, returns.size() - 1)];
    const double quantile = returns[below] + share * (above - returns[below]);
    double sum = 0, count = 0;
    for (const double r : returns) {
        if (r > quantile) break;
        sum += r;
        ++count;
    }
    return {quantile, count > 0 ? sum / count : quantile};
}

struct Moments {
    double mean = 0, deviation = 0;
    explicit Moments(const std::vector<double>& x) {
        for (const double v : x) mean += v / static_cast<double>(x.size());
        for (const double v : x) deviation += (v - mean) * (v - mean);
        deviation = std::sqrt(deviation / static_cast<double>(x.size() - 1));
    }
};

Risk riskOf(Arguments a) {
    const std::vector<double> returns = columnArgument(a, 0, "returns", NullCells::Refused);
    if (returns.size() < 2) refuseArgument(0, "returns", "two numbers or more", a[0]);
    if (!std::ranges::all_of(returns, [](double r) { return r > -1 && std::isfinite(r); }))
        refuseArgument(0, "returns", "finite numbers above -1", a[0]);
    const std::string method = stringArgument(a, 1, "method");
    const double level = realArgument(a, 2, "confidenceLevel", 0.95);
    if (!(level > 0 && level < 1)) refuseArgument(2, "confidenceLevel", "between 0 and 1", a[2]);
    const boost::math::normal unit;
    const double z = boost::math::quantile(unit, 1 - level), density = boost::math::pdf(unit, z) / (1 - level);
    if (method == "historical") return riskOfSample(returns, level);
    if (method == "normal") {
        const Moments m(returns);
        return {m.mean + z * m.deviation, m.mean - density * m.deviation};
    }
    if (method == "logNormal") {
        std::vector<double> logs;
        for (const double r : returns) logs.push_back(std::log1p(r));
        const Moments m(logs);
        const double tail = boost::math::cdf(unit, z - m.deviation) / (1 - level);
        return {std::expm1(m.mean + z * m.deviation), std::exp(m.mean + m.deviation * m.deviation / 2) * tail - 1};
    }
    if (method == "monteCarlo") {
        const Moments m(returns);
        std::normal_distribution<double> drawn(m.mean, std::max(m.deviation, 1e-300));
        std::vector<double> sample(kDraws);
        for (double& r : sample) r = drawn(randomGenerator());
        return riskOfSample(std::move(sample), level);
    }
    refuseArgument(1, "method", "normal, logNormal, historical or monteCarlo", a[1]);
}

// valueAtRisk(returns, method, [confidenceLevel])
Value valueAtRiskKernel(Context&, Arguments a) {
    return Value::ofDouble(std::abs(riskOf(a).value));
}
// condValueAtRisk(returns, method, [confidenceLevel])
Value condValueAtRiskKernel(Context&, Arguments a) {
    return Value::ofDouble(std::abs(riskOf(a).beyond));
}

}  // namespace

void registerRisk(FunctionRegistry& registry) {
    const Declaration draws{.gives = is(Type::Double), .kind = FunctionKind::Aggregate, .effect = Effect::Volatile};
    constexpr std::string_view kParameters =
        "returns: a vector of two numbers or more, above -1\n"
        "method: normal, logNormal (of 1 + return), historical (the quantile of returns, between the two nearest), "
        "monteCarlo (100000 normal returns are drawn)\nconfidenceLevel: between 0 and 1";
    constexpr std::string_view kErrors = "returns holds NULL or numbers of at most -1; method is unknown.";
    registry.add(
        "valueAtRisk(returns, method, [confidenceLevel=0.95])", valueAtRiskKernel,
        {.summary = "The loss that returns exceed with a chance of 1 - confidenceLevel, its absolute value, as DOUBLE.",
         .parameters = kParameters,
         .nulls = "There must be none.",
         .errors = kErrors,
         .complexity = "O(rows · log rows)",
         .source = "Jorion, Value at Risk",
         .example = "round(valueAtRisk(-0.03 -0.01 0.0 0.01 0.02, \"historical\", 0.75), 4) -> 0.01"},
        draws);
    registry.add("condValueAtRisk(returns, method, [confidenceLevel=0.95])", condValueAtRiskKernel,
                 {.summary = "The mean loss beyond valueAtRisk, its absolute value, as DOUBLE.",
                  .parameters = kParameters,
                  .nulls = "There must be none.",
                  .errors = kErrors,
                  .complexity = "O(rows · log rows)",
                  .source = "Rockafellar, Uryasev 2000",
                  .example = "round(condValueAtRisk(-0.03 -0.01 0.0 0.01 0.02, \"historical\", 0.75), 4) -> 0.02"},
                 draws);
}

}  // namespace pelorus
