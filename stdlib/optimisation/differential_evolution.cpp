#include <algorithm>
#include <cmath>
#include <numeric>

#include "stdlib/optimisation/minimizers.h"
#include "stdlib/random.h"

namespace pelorus {

namespace {

// Members of the population, as shares of the way between their bounds, with their values; the best one is first.
struct Population {
    std::vector<Point> members;
    std::vector<double> values;

    void bringBestFirst() {
        const auto best = std::ranges::min_element(values) - values.begin();
        std::swap(members[0], members[static_cast<size_t>(best)]);
        std::swap(values[0], values[static_cast<size_t>(best)]);
    }
    bool hasConverged(const EvolutionOptions& o) const {
        const auto count = static_cast<double>(values.size());
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
        double squares = 0;
        for (const double v : values) squares += (v - mean) * (v - mean);
        return std::sqrt(squares / count) <= o.absoluteTolerance + o.tolerance * std::abs(mean);
    }
};

Point placed(const Point& shares, const EvolutionOptions& o) {
    Point x(shares.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = o.low[i] + shares[i] * (o.high[i] - o.low[i]);
    return x;
}

double valueAt(Objective& objective, const Point& shares, const EvolutionOptions& o) {
    const double value = objective.value(placed(shares, o));
    return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

// Draws members by a Latin hypercube: each share of each parameter is met by one.
Population drawn(Objective& objective, const EvolutionOptions& o, size_t count, std::mt19937_64& random) {
    Population population;
    const size_t n = o.low.size();
    population.members.assign(count, Point(n));
    std::vector<size_t> places(count);
    for (size_t k = 0; k < n; ++k) {
        std::iota(places.begin(), places.end(), size_t{0});
        for (size_t i = count; i > 1; --i) std::swap(places[i - 1], places[random() % i]);
        for (size_t i = 0; i < count; ++i)
            population.members[i][k] = (static_cast<double>(places[i]) + unitOf(random)) / static_cast<double>(count);
    }
    if (o.start) {
        for (size_t k = 0; k < n; ++k) {
            const double width = o.high[k] - o.low[k];
            population.members[0][k] = width > 0 ? ((*o.start)[k] - o.low[k]) / width : 0;
        }
    }
    for (const Point& member : population.members) population.values.push_back(valueAt(objective, member, o));
    population.bringBestFirst();
    return population;
}

// Returns a trial for member i: the best one, moved by the difference of two others, crossed with the member.
Point trialFor(const Population& p, size_t i, double mutation, const EvolutionOptions& o, std::mt19937_64& random) {
    const size_t count = p.members.size(), n = o.low.size();
    size_t first, second;
    do first = random() % count;
    while (first == i);
    do second = random() % count;
    while (second == i || second == first);
    Point trial = p.members[i];
    const size_t always = random() % n;
    for (size_t k = 0; k < n; ++k) {
        const bool isCrossed = unitOf(random) < o.recombination;
        if (!isCrossed && k != always) continue;
        trial[k] = p.members[0][k] + mutation * (p.members[first][k] - p.members[second][k]);
        if (!(trial[k] >= 0 && trial[k] <= 1)) trial[k] = unitOf(random);
    }
    return trial;
}

}  // namespace

Minimum minimizeByEvolution(Objective& objective, const EvolutionOptions& o, std::mt19937_64& random) {
    size_t open = 0;
    for (size_t i = 0; i < o.low.size(); ++i) open += o.low[i] != o.high[i];
    const size_t count = std::max<size_t>(5, static_cast<size_t>(o.populationFactor) * std::max<size_t>(1, open));
    Population p = drawn(objective, o, count, random);
    Minimum found;
    bool converged = p.hasConverged(o);
    while (!converged && found.iterations < o.maxIterations) {
        const double mutation = o.minMutation + unitOf(random) * (o.maxMutation - o.minMutation);
        for (size_t i = 0; i < count; ++i) {
            Point trial = trialFor(p, i, mutation, o, random);
            const double value = valueAt(objective, trial, o);
            if (!(value <= p.values[i])) continue;
            p.members[i] = std::move(trial);
            p.values[i] = value;
            if (value < p.values[0]) {
                std::swap(p.members[0], p.members[i]);
                std::swap(p.values[0], p.values[i]);
            }
        }
        ++found.iterations;
        converged = p.hasConverged(o);
    }
    found.x = placed(p.members[0], o);
    found.value = p.values[0];
    found.flag = converged ? 0 : 1;
    if (o.polish && std::isfinite(found.value)) {
        const Minimum polished = minimizeBounded(objective, found.x, {.low = o.low, .high = o.high});
        if (polished.value < found.value) {
            found.x = polished.x;
            found.value = polished.value;
        }
    }
    return found;
}

}  // namespace pelorus
