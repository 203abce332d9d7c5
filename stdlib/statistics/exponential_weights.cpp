// Exponentially weighted moments: ewmMean, ewmVar, ewmStd, ewmCov, ewmCorr.
#include <cmath>
#include <memory>

#include "common/time/calendar.h"
#include "common/time/trading_calendar.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/forms/vector_forms.h"
#include "runtime/kernel/rolling/group_rolling.h"
#include "runtime/registry/parameter_lines.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

struct EwmOptions {
    double alpha = 0;
    int64_t minPeriods = 0;
    bool adjust = true, ignoreNA = false, bias = false;
    std::vector<double> decays = {};  // decay of the weights so far at each row; empty when all are 1 - alpha
};

// ewmMean(…, halfLife, …, times): the weights halve in each half life that passes between the rows.
std::vector<double> decaysArgument(Arguments a, size_t timesAt) {
    const Ref<Vector> times = vectorArgument(a, timesAt, "times");
    if (!isTemporal(times->type())) refuseArgument(timesAt, "times", "a temporal vector", a[timesAt]);
    const int64_t halfLife = a[3].integer();
    if (halfLife < 1) refuseArgument(3, "halfLife", "above 0", a[3]);
    const int32_t code = a[3].unit();
    const auto unit = static_cast<DurationUnit>(code);
    std::shared_ptr<const TradingCalendar> calendar;
    double length = static_cast<double>(halfLife);
    if (unit == DurationUnit::BusinessDay) {
        calendar = businessDayCalendar();
    } else if (code > static_cast<int32_t>(DurationUnit::BusinessDay)) {
        calendar = tradingCalendar(unpackCalendarName(code));
    } else {
        const int64_t perDay = calendar::unitsPerDay(times->type());
        if (calendar::nanosPerUnit(unit) == 0 || perDay == 0) {
            refuseArgument(3, "halfLife", "of a unit whose length does not vary", a[3]);
        }
        const int64_t nanosPerItem = calendar::kNanosPerDay / perDay;
        length *= static_cast<double>(calendar::nanosPerUnit(unit)) / static_cast<double>(nanosPerItem);
    }
    if (calendar && times->type() != Type::Date) refuseArgument(timesAt, "times", "a DATE vector", a[timesAt]);
    std::vector<double> decays;
    for (int64_t i = 0; i < times->size(); ++i) {
        const bool rises = !times->isNullAt(i) && (i == 0 || times->asLong(i) > times->asLong(i - 1));
        if (!rises) throw UserError(static_cast<int>(timesAt), "times must rise strictly and hold no NULL.");
        auto at = [&](int64_t row) { return calendar ? calendar->numberOf(times->asLong(row)) : times->asLong(row); };
        decays.push_back(i == 0 ? 1 : std::exp2(-static_cast<double>(at(i) - at(i - 1)) / length));
    }
    return decays;
}

// Returns alpha from com, span, halfLife or alpha at positions 1 to 4, of which exactly one is given.
double alphaArgument(Arguments a) {
    int given = 0;
    for (size_t i = 1; i <= 4; ++i) given += isGiven(a, i);
    if (given != 1) throw UserError("Exactly one of com, span, halfLife and alpha must be given.");
    if (isGiven(a, 1)) {
        double com = realArgument(a, 1, "com");
        if (com < 0) refuseArgument(1, "com", "not negative", a[1]);
        return 1 / (1 + com);
    }
    if (isGiven(a, 2)) {
        double span = realArgument(a, 2, "span");
        if (span < 1) refuseArgument(2, "span", "at least 1", a[2]);
        return 2 / (span + 1);
    }
    if (isGiven(a, 3)) {
        double halfLife = realArgument(a, 3, "halfLife");
        if (!(halfLife > 0)) refuseArgument(3, "halfLife", "above 0", a[3]);
        return 1 - std::exp(-std::log(2) / halfLife);
    }
    double alpha = realArgument(a, 4, "alpha");
    if (!(alpha > 0 && alpha <= 1)) refuseArgument(4, "alpha", "above 0 and at most 1", a[4]);
    return alpha;
}

EwmOptions optionsArgument(Arguments a, size_t biasAt) {
    EwmOptions options;
    if (a[3].isScalar() && a[3].type() == Type::Duration) {
        if (biasAt || !isGiven(a, 8)) refuseArgument(3, "halfLife", "a number when there are no times", a[3]);
        for (size_t i : {1, 2, 4}) {
            if (isGiven(a, i)) throw UserError("Exactly one of com, span, halfLife and alpha must be given.");
        }
        options.decays = decaysArgument(a, 8);
        options.alpha = 0.5;
    } else {
        options.alpha = alphaArgument(a);
    }
    options.minPeriods = integerArgument(a, 5, "minPeriods", 0);
    options.adjust = flagArgument(a, 6, "adjust", true);
    options.ignoreNA = flagArgument(a, 7, "ignoreNA", false);
    if (biasAt) options.bias = flagArgument(a, biasAt, "bias", false);
    return options;
}

// The weighted moments of the pairs so far. With adjust the newest row weighs 1 and older ones decay; without, the
// weights always add up to 1.
class WeightedMoments {
public:
    explicit WeightedMoments(const EwmOptions& options) : options_(options) {}

    void decay(double factor) {
        if (count_ == 0) return;
        oldWeight_ *= factor;
        decayed_ *= factor;
    }
    void add(double x, double y) {
        if (count_ == 0) {
            meanX_ = x;
            meanY_ = y;
            oldWeight_ = sumWeights_ = sumSquares_ = 1;
            count_ = 1;
            return;
        }
        double newWeight = options_.adjust ? 1 : options_.alpha;
        // Weights so far shrink by all steps since the last row.
        sumWeights_ *= decayed_;
        sumSquares_ *= decayed_ * decayed_;
        decayed_ = 1;
        double total = oldWeight_ + newWeight;
        double oldMeanX = meanX_, oldMeanY = meanY_;
        meanX_ = (oldWeight_ * meanX_ + newWeight * x) / total;
        meanY_ = (oldWeight_ * meanY_ + newWeight * y) / total;
        auto mixed = [&](double moment, double oldA, double newA, double a, double oldB, double newB, double b) {
            return (oldWeight_ * (moment + (oldA - newA) * (oldB - newB)) + newWeight * (a - newA) * (b - newB)) /
                   total;
        };
        xx_ = mixed(xx_, oldMeanX, meanX_, x, oldMeanX, meanX_, x);
        yy_ = mixed(yy_, oldMeanY, meanY_, y, oldMeanY, meanY_, y);
        xy_ = mixed(xy_, oldMeanX, meanX_, x, oldMeanY, meanY_, y);
        sumWeights_ += newWeight;
        sumSquares_ += newWeight * newWeight;
        oldWeight_ += newWeight;
        if (!options_.adjust) {
            sumWeights_ /= oldWeight_;
            sumSquares_ /= oldWeight_ * oldWeight_;
            oldWeight_ = 1;
        }
        ++count_;
    }
    bool enough(int64_t least) const { return count_ >= std::max<int64_t>(1, std::max(least, options_.minPeriods)); }
    double mean() const { return meanX_; }
    double covariance() const { return corrected(xy_); }
    double variance() const { return corrected(xx_); }
    double correlation() const {
        double scale = std::sqrt(xx_ * yy_);
        return scale > 0 ? xy_ / scale : null<double>;
    }

private:
    double corrected(double moment) const {
        if (options_.bias) return moment;
        double numerator = sumWeights_ * sumWeights_, denominator = numerator - sumSquares_;
        return denominator > 0 ? moment * numerator / denominator : null<double>;
    }

    EwmOptions options_;
    double oldWeight_ = 0, decayed_ = 1, sumWeights_ = 0, sumSquares_ = 0;
    double meanX_ = 0, meanY_ = 0, xx_ = 0, yy_ = 0, xy_ = 0;
    int64_t count_ = 0;
};

// The moments so far, row by row.
template <class Result>
class WeightedRow {
public:
    WeightedRow(const EwmOptions& options, int64_t least, Result result)
        : moments_(options),
          ignoresNull_(options.ignoreNA),
          decay_(1 - options.alpha),
          least_(least),
          result_(result) {}
    double next(double x, double y) { return next(x, y, decay_); }
    double next(double x) { return next(x, x, decay_); }
    double next(double x, double y, double decay) {
        const bool missing = isNull(x) || isNull(y);
        if (!missing || !ignoresNull_) moments_.decay(decay);
        if (!missing) moments_.add(x, y);
        const double value = moments_.enough(least_) ? result_(moments_) : null<double>;
        return std::isfinite(value) ? value : null<double>;
    }
    int64_t memoryBytes() const { return 0; }

private:
    WeightedMoments moments_;
    bool ignoresNull_;
    double decay_;
    int64_t least_;
    Result result_;
};

template <class Result>
Value weighted(std::span<const Value> step, bool two, const EwmOptions& options, int64_t least, Result result) {
    Ref<Vector> x = numbersAs<double>(step[0].vector());
    Ref<Vector> y = two ? numbersAs<double>(step[1].vector(), 8, "other") : x;
    WeightedRow<Result> row(options, least, result);
    if (!options.decays.empty() && static_cast<int64_t>(options.decays.size()) != x->size()) {
        throw UserError(8, fmt::format("times must be as long as X, but they have {} and {} elements.",
                                       options.decays.size(), x->size()));
    }
    Ref<Vector> out = Vector::make(Type::Double, x->size());
    for (int64_t i = 0; i < x->size(); ++i) {
        const double decay = options.decays.empty() ? 1 - options.alpha : options.decays[static_cast<size_t>(i)];
        out->mutableData<double>()[i] = row.next(x->data<double>()[i], y->data<double>()[i], decay);
    }
    return Value::of(out);
}

enum class Moment : uint8_t { Mean, Variance, Deviation, Covariance, Correlation };

template <Moment kMoment>
double momentOf(const WeightedMoments& m) {
    switch (kMoment) {
        case Moment::Mean:
            return m.mean();
        case Moment::Variance:
            return m.variance();
        case Moment::Deviation: {
            double variance = m.variance();
            return isNull(variance) ? variance : std::sqrt(std::max(0.0, variance));
        }
        case Moment::Covariance:
            return m.covariance();
        default:
            return m.correlation();
    }
}

template <Moment kMoment>
Value ewmKernel(Context&, Arguments a) {
    constexpr bool kTwo = kMoment == Moment::Covariance || kMoment == Moment::Correlation;
    EwmOptions options = optionsArgument(a, kMoment == Moment::Mean ? 0 : kTwo ? 9 : 8);
    int64_t least = kMoment == Moment::Mean || options.bias ? 1 : 2;
    std::vector<Value> call = {a[0]};
    if (kTwo) {
        if (!isGiven(a, 8)) refuseArgument(8, "other", "given", a[8]);
        call.push_back(a[8]);
    }
    if (kTwo && a[0].isTable() && a[8].isTable()) refuseArgument(8, "other", "a vector or a matrix", a[8]);
    return vectorForms(
        [&](std::span<const Value> step) { return weighted(step, kTwo, options, least, momentOf<kMoment>); }, call,
        kTwo ? 2 : 1);
}

// The states of calls without times.
template <Moment kMoment>
std::unique_ptr<RollingStates> ewmStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr bool kTwo = kMoment == Moment::Covariance || kMoment == Moment::Correlation;
    constexpr size_t kOther = 8, kParameters = 10;
    std::vector<Value> a(constants.begin(), constants.end());
    a.resize(kParameters);
    const bool isTimed = a[3].isScalar() && a[3].type() == Type::Duration;
    if (!areReals(types, 1) || isTimed) return nullptr;
    if (kTwo && (types.size() <= kOther || !areReals(types.subspan(kOther), 1) || !a[kOther].isVoid())) return nullptr;
    const EwmOptions options = optionsArgument(a, kMoment == Moment::Mean ? 0 : kTwo ? 9 : 8);
    using Row = WeightedRow<double (*)(const WeightedMoments&)>;
    const Row row(options, kMoment == Moment::Mean || options.bias ? 1 : 2, momentOf<kMoment>);
    if constexpr (kTwo) {
        return std::make_unique<GroupRolling<Row, 2>>(row, Type::Double, kOther);
    } else {
        return std::make_unique<GroupRolling<Row, 1>>(row, Type::Double);
    }
}

// The explanations of the parameters; "function.name" is of one function alone.
constexpr std::string_view kParameterLines =
    "X: a numeric vector; a matrix or table is computed column by column\n"
    "com: the center of mass, 0 or more: alpha is 1 / (1 + com); exactly one of com, span, halfLife and alpha is "
    "given\n"
    "span: the span, 1 or more: alpha is 2 / (1 + span)\n"
    "halfLife: after how many rows a weight is halved, above 0\n"
    "ewmMean.halfLife: after how many rows a weight is halved, above 0; with times a DURATION\n"
    "alpha: the weight of the newest row, above 0 and at most 1\n"
    "minPeriods: how many elements that are not NULL a result needs\n"
    "adjust: true divides the weights by their sum, false takes alpha and 1 - alpha\n"
    "ignoreNA: true makes rows with NULL not age the others\n"
    "times: the times of the rows, a rising temporal vector\n"
    "bias: true takes the elements as the whole population, false corrects for a sample\n"
    "other: a numeric vector as long as X, or a matrix";

}  // namespace

void registerExponentialWeights(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   MakeRolling rolling = nullptr) {
        registry.add(
            syntax, kernel,
            {.summary = summary,
             .parameters = parameterLines(syntax, kParameterLines),
             .nulls = "A row with NULL has the result of the one before.",
             .errors = "Not exactly one of com, span, halfLife and alpha is given.",
             .complexity = "O(1) per row.",
             .example = example},
            {.gives = is(Type::Double), .kind = FunctionKind::Window, .orderSensitive = true, .rolling = rolling});
    };
    add("ewmMean(X, [com], [span], [halfLife], [alpha], [minPeriods=0], [adjust=true], [ignoreNA=false], [times])",
        ewmKernel<Moment::Mean>, "The exponentially weighted mean.",
        "ewmMean(0 1 2, com=0.5) -> [0,0.75,1.615385]\n"
        "ewmMean(0 1, halfLife=2d, times=2024.03.15 2024.03.17) -> [0,0.666667]",
        ewmStates<Moment::Mean>);
    add("ewmVar(X, [com], [span], [halfLife], [alpha], [minPeriods=0], [adjust=true], [ignoreNA=false], [bias=false])",
        ewmKernel<Moment::Variance>, "The exponentially weighted variance.",
        "ewmVar(0 1 2, com=0.5) -> [,0.5,0.846154]", ewmStates<Moment::Variance>);
    add("ewmStd(X, [com], [span], [halfLife], [alpha], [minPeriods=0], [adjust=true], [ignoreNA=false], [bias=false])",
        ewmKernel<Moment::Deviation>, "The exponentially weighted standard deviation.",
        "ewmStd(0 1 2, com=0.5) -> [,0.707107,0.919866]", ewmStates<Moment::Deviation>);
    add("ewmCov(X, [com], [span], [halfLife], [alpha], [minPeriods=0], [adjust=true], [ignoreNA=false], [other], "
        "[bias=false])",
        ewmKernel<Moment::Covariance>, "The exponentially weighted covariance of X and other.",
        "ewmCov(0 1 2, com=0.5, other=2 4 3) -> [,1,-0.038462]", ewmStates<Moment::Covariance>);
    add("ewmCorr(X, [com], [span], [halfLife], [alpha], [minPeriods=0], [adjust=true], [ignoreNA=false], [other], "
        "[bias=false])",
        ewmKernel<Moment::Correlation>, "The exponentially weighted correlation of X and other.",
        "ewmCorr(0 1 2, com=0.5, other=2 4 3) -> [,1,-0.0533]", ewmStates<Moment::Correlation>);
}

}  // namespace pelorus
