#include "stdlib/instruments/volatility_surface.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "common/error.h"

namespace pelorus {

// Gatheral 2004: the variance up to the term, by the logarithm of strike over forward.
static double sviVolatility(const VolatilitySmile& s, double strike) {
    const double a = s.parameters[0], b = s.parameters[1], rho = s.parameters[2], m = s.parameters[3],
                 sigma = s.parameters[4];
    const double k = std::log(strike / s.forward) - m;
    return std::sqrt(std::max(0.0, a + b * (rho * k + std::sqrt(k * k + sigma * sigma))) / s.years);
}

// Hagan, Kumar, Lesniewski, Woodward 2002, equation 2.17.
static double sabrVolatility(const VolatilitySmile& s, double strike) {
    const double alpha = s.parameters[0], beta = s.parameters[1], rho = s.parameters[2], nu = s.parameters[3];
    const double log = std::log(s.forward / strike), mid = std::pow(s.forward * strike, (1 - beta) / 2);
    const double one = (1 - beta) * (1 - beta), squared = log * log;
    const double z = nu / alpha * mid * log;
    const double x = std::log((std::sqrt(1 - 2 * rho * z + z * z) + z - rho) / (1 - rho));
    const double ratio = std::abs(z) < 1e-8 ? 1 : z / x;
    const double rise = one * alpha * alpha / (24 * mid * mid) + rho * beta * nu * alpha / (4 * mid) +
                        (2 - 3 * rho * rho) * nu * nu / 24;
    return alpha / (mid * (1 + one * squared / 24 + one * one * squared * squared / 1920)) * ratio *
           (1 + rise * s.years);
}

double VolatilitySmile::at(double strike) const {
    if (method == Method::Svi) return sviVolatility(*this, strike);
    if (method == Method::Sabr) return sabrVolatility(*this, strike);
    if (strike <= strikes.front()) return volatilities.front();
    if (strike >= strikes.back()) return volatilities.back();
    if (method == Method::CubicSpline) return curve.at(strike);
    const auto right = static_cast<size_t>(std::ranges::upper_bound(strikes, strike) - strikes.begin());
    const double share = (strike - strikes[right - 1]) / (strikes[right] - strikes[right - 1]);
    return volatilities[right - 1] + share * (volatilities[right] - volatilities[right - 1]);
}

static VolatilitySmile smileOf(const Value& description, size_t argument, VolatilitySmile::Method method) {
    using Method = VolatilitySmile::Method;
    const Description d(description, argument, "A smile of the surface");
    VolatilitySmile smile{.method = method};
    if (method == Method::Svi || method == Method::Sabr) {
        const Description parameters(d.get("curveParams"), argument, "curveParams of a smile");
        if (method == Method::Svi)
            for (const std::string_view name : {"a", "b", "rho", "m", "sigma"})
                smile.parameters.push_back(parameters.number(name));
        else
            for (const std::string_view name : {"alpha", "beta", "rho", "nu"})
                smile.parameters.push_back(parameters.number(name));
        smile.forward = d.number("fwd");
        if (!(smile.forward > 0)) d.refuse("fwd", "above 0");
        return smile;
    }
    smile.strikes = d.numbers("strikes");
    smile.volatilities = d.numbers("vols");
    if (smile.strikes.empty() || smile.strikes.size() != smile.volatilities.size())
        d.refuse("vols", "as long as strikes, one or more");
    if (std::ranges::adjacent_find(smile.strikes, std::greater_equal<>()) != smile.strikes.end())
        d.refuse("strikes", "ascending, without equal ones");
    if (smile.strikes.size() < 3) smile.method = Method::Linear;
    if (smile.method == Method::CubicSpline)
        smile.curve = cubicSpline(smile.strikes, smile.volatilities, SplineEnd::Natural, SplineEnd::Natural);
    return smile;
}

VolatilitySurface::VolatilitySurface(const Value& description, size_t argument) {
    const Description d(description, argument, "The surface");
    const std::string type = d.text("surfaceType", "");
    if (d.text("mktDataType", "") != "Surface" || (type != "FxVolatilitySurface" && type != "VolatilitySurface"))
        d.refuse("surfaceType", "FxVolatilitySurface or VolatilitySurface, beside mktDataType Surface");
    referenceDate_ = d.date("referenceDate");
    using Method = VolatilitySmile::Method;
    constexpr std::pair<std::string_view, Method> kMethods[] = {
        {"Linear", Method::Linear}, {"CubicSpline", Method::CubicSpline}, {"SVI", Method::Svi}, {"SABR", Method::Sabr}};
    const std::string name = d.text("smileMethod");
    const auto* method = std::ranges::find(kMethods, name, &std::pair<std::string_view, Method>::first);
    if (method == std::end(kMethods)) d.refuse("smileMethod", "Linear, CubicSpline, SVI or SABR");
    const std::vector<int64_t> dates = d.dates("termDates");
    const Value smiles = d.get("volSmiles");
    if (!smiles.isTuple() || static_cast<size_t>(smiles.size()) != dates.size() || dates.empty())
        d.refuse("volSmiles", "a tuple of as many dictionaries as termDates has dates, one or more");
    for (size_t i = 0; i < dates.size(); ++i) {
        VolatilitySmile& smile = smiles_.emplace_back(smileOf(smiles.tuple().elements[i], argument, method->second));
        smile.years = yearsTo(dates[i]);
        if (!(smile.years > (i == 0 ? 0 : smiles_[i - 1].years)))
            d.refuse("termDates", "after referenceDate, ascending, without equal dates");
    }
}

double VolatilitySurface::at(double years, double strike) const {
    if (years <= smiles_.front().years) return smiles_.front().at(strike);
    if (years >= smiles_.back().years) return smiles_.back().at(strike);
    const auto right = std::ranges::upper_bound(smiles_, years, {}, &VolatilitySmile::years);
    const VolatilitySmile &before = right[-1], &after = *right;
    const auto variance = [&](const VolatilitySmile& s) { return s.at(strike) * s.at(strike) * s.years; };
    const double share = (years - before.years) / (after.years - before.years);
    return std::sqrt((variance(before) + share * (variance(after) - variance(before))) / years);
}

}  // namespace pelorus
