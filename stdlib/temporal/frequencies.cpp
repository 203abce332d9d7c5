// Conversion of times to a frequency: transFreq, temporalSeq, asFreq, resample. A frequency divides time into bins;
// each has two edges, of which one belongs to it and one is its label.
#include <algorithm>
#include <cctype>
#include <optional>

#include "common/time/calendar.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/temporal/periods.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

using calendar::floorDivide;

constexpr int64_t kMaxBins = 100'000'000;

// The arguments closed, label and origin, at consecutive positions from `at` on.
struct BinArguments {
    Arguments all;
    size_t at;
    bool defaultsTogether = false;

    // 'left' is false, 'right' true.
    std::optional<bool> side(size_t i, std::string_view name) const {
        if (!isGiven(all, at + i)) return std::nullopt;
        const std::string string = stringArgument(all, at + i, name);
        if (string != "left" && string != "right") refuseArgument(at + i, name, "left or right", all[at + i]);
        return string == "right";
    }
};

// Bins numbered in turn, over stored values of one temporal type.
class Bins {
public:
    // `times` are the times to be binned: they anchor steps of several periods, and the origin.
    Bins(std::string_view rule, int ruleArgument, const Vector& times, const BinArguments& options)
        : type_(times.type()) {
        size_t digits = 0;
        while (digits < rule.size() && std::isdigit(static_cast<unsigned char>(rule[digits]))) ++digits;
        if (digits > 9) throw UserError(ruleArgument, fmt::format("The number in the rule {} is too large.", rule));
        const int64_t count = digits ? std::stoll(std::string(rule.substr(0, digits))) : 1;
        const std::string_view name = rule.substr(digits);
        if (count < 1)
            throw UserError(ruleArgument, fmt::format("The number in the rule {} must be at least 1.", rule));
        const std::optional<bool> closed = options.side(0, "closed"), label = options.side(1, "label");
        if (const int64_t nanos = nanosOf(name)) {
            setSteps(rule, ruleArgument, nanos * count, times, options);
            closedRight_ = closed.value_or(marksEnds_);
            // An origin at the end turns both defaults around; of transFreq only together, as its page shows.
            labelRight_ = label.value_or(marksEnds_ && !(closed && options.defaultsTogether));
        } else if (periodsByRule(name, periods_)) {
            if (!calendar::canConvert(Type::Date, type_)) {
                throw UserError(0, fmt::format("{} holds no dates to bring to {}.", typeName(type_), rule));
            }
            step_ = count;
            marksEnds_ = periods_.side == Periods::Side::End;
            if (count > 1) {
                origin_ = std::numeric_limits<int64_t>::max();
                for (int64_t i = 0; i < times.size(); ++i) {
                    if (!times.isNullAt(i)) origin_ = std::min(origin_, periods_.numberOf(dayOf(times.asLong(i))));
                }
            }
            closedRight_ = closed.value_or(marksEnds_);
            labelRight_ = label.value_or(marksEnds_);
        } else {
            throw UserError(
                ruleArgument, fmt::format("There is no frequency {}.", rule),
                "Use a letter such as D, W, M, Q, A, H, min or S, a number before it, or a trading calendar.");
        }
    }

    Type type() const { return type_; }

    int64_t binOf(int64_t stored) const {
        if (!periods_.numberOf) {
            const int64_t distance = stored - origin_;
            return closedRight_ ? -floorDivide(-distance, step_) - 1 : floorDivide(distance, step_);
        }
        const int64_t day = dayOf(stored), number = periods_.numberOf(day) - origin_;
        // The bin by the mark that its period has; a day that is a mark itself may belong to the other side.
        int64_t mark = marksEnds_ ? -floorDivide(-number, step_) : floorDivide(number, step_);
        const bool onMark = periods_.dayOf(mark * step_ + origin_) == day;
        if (onMark && marksEnds_ && !closedRight_) ++mark;
        if (onMark && !marksEnds_ && closedRight_) --mark;
        return marksEnds_ ? mark - 1 : mark;
    }
    int64_t labelOf(int64_t bin) const {
        const int64_t edge = bin + (labelRight_ ? 1 : 0);
        if (!periods_.numberOf) return origin_ + edge * step_;
        return calendar::convert(periods_.dayOf(edge * step_ + origin_), Type::Date, type_);
    }
    Value label(int64_t bin) const { return Value::scalar(type_, labelOf(bin)); }

    // The labels of the bins from one to another.
    Ref<Vector> labels(int64_t firstBin, int64_t lastBin) const {
        if (lastBin - firstBin >= kMaxBins) {
            throw UserError(fmt::format("The times span more than {} steps of this frequency.", kMaxBins));
        }
        Ref<Vector> out = Vector::make(type_, 0);
        for (int64_t bin = firstBin; bin <= lastBin; ++bin) out->append(label(bin));
        return out;
    }

private:
    static int64_t nanosOf(std::string_view name) {
        constexpr std::pair<std::string_view, DurationUnit> kUnits[] = {
            {"D", DurationUnit::Day},       {"H", DurationUnit::Hour},        {"min", DurationUnit::Minute},
            {"S", DurationUnit::Second},    {"L", DurationUnit::Millisecond}, {"U", DurationUnit::Microsecond},
            {"N", DurationUnit::Nanosecond}};
        for (const auto& [unit, duration] : kUnits) {
            if (unit == name) return calendar::nanosPerUnit(duration);
        }
        return 0;
    }

    void setSteps(std::string_view rule, int ruleArgument, int64_t nanos, const Vector& times,
                  const BinArguments& options) {
        const int64_t perDay = calendar::unitsPerDay(type_);
        if (perDay == 0 || nanos % (calendar::kNanosPerDay / perDay) != 0) {
            throw UserError(ruleArgument, fmt::format("The frequency {} is finer than {}.", rule, typeName(type_)));
        }
        step_ = nanos / (calendar::kNanosPerDay / perDay);
        int64_t first = 0, last = 0;
        for (int64_t i = times.size(); i-- > 0;) {
            if (!times.isNullAt(i)) first = times.asLong(i);
        }
        for (int64_t i = 0; i < times.size(); ++i) {
            if (!times.isNullAt(i)) last = times.asLong(i);
        }
        const size_t at = options.at + 2;
        if (isGiven(options.all, at) && isTemporal(options.all[at].type())) {
            const Value origin = cast(options.all[at], type_);
            if (!origin.isScalar() || origin.isNull()) refuseArgument(at, "origin", "a time", options.all[at]);
            origin_ = origin.integer();
            return;
        }
        const std::string name = stringArgument(options.all, at, "origin", "start_day");
        if (name == "epoch") {
            origin_ = 0;
        } else if (name == "start") {
            origin_ = first;
        } else if (name == "start_day") {
            origin_ = floorDivide(first, perDay) * perDay;
        } else if (name == "end") {
            origin_ = last;
        } else if (name == "end_day") {
            origin_ = -floorDivide(-last, perDay) * perDay;
        } else {
            refuseArgument(at, "origin", "epoch, start, start_day, end, end_day or a time", options.all[at]);
        }
        marksEnds_ = name == "end" || name == "end_day";
    }

    int64_t dayOf(int64_t stored) const { return calendar::convert(stored, type_, Type::Date); }

    Type type_;
    Periods periods_;  // empty for steps of one length
    int64_t origin_ = 0, step_ = 1;
    bool marksEnds_ = false, closedRight_ = false, labelRight_ = false;
};

Ref<Vector> timesArgument(Arguments a, size_t i, std::string_view name) {
    Ref<Vector> times = vectorArgument(a, i, name);
    if (!isTemporal(times->type())) refuseArgument(i, name, "temporal", a[i]);
    return times;
}

// transFreq(X, rule, [closed], [label], [origin])
Value transFreqKernel(Context&, Arguments a) {
    const Ref<Vector> times = timesArgument(a, 0, "X");
    const Bins bins(stringArgument(a, 1, "rule"), 1, *times, {a, 2, true});
    Ref<Vector> out = Vector::make(times->type(), times->size());
    for (int64_t i = 0; i < times->size(); ++i) {
        out->set(i, times->isNullAt(i) ? Value() : bins.label(bins.binOf(times->asLong(i))));
    }
    return a[0].isScalar() ? out->at(0) : Value::of(out);
}

// temporalSeq(start, end, rule, [closed], [label], [origin])
Value temporalSeqKernel(Context&, Arguments a) {
    if (!a[0].isScalar() || !isTemporal(a[0].type()) || a[0].isNull()) refuseArgument(0, "start", "a time", a[0]);
    if (!a[1].isScalar() || a[1].type() != a[0].type() || a[1].isNull()) {
        refuseArgument(1, "end", "of the type of start", a[1]);
    }
    if (a[1].integer() <= a[0].integer()) refuseArgument(1, "end", "after start", a[1]);
    Ref<Vector> ends = Vector::make(a[0].type(), 2);
    ends->set(0, a[0]);
    ends->set(1, a[1]);
    const Bins bins(stringArgument(a, 2, "rule"), 2, *ends, {a, 3});
    return Value::of(bins.labels(bins.binOf(a[0].integer()), bins.binOf(a[1].integer())));
}

// A matrix with rising times as row labels.
const Matrix& timedMatrixArgument(Arguments a) {
    if (!a[0].isMatrix() || !a[0].matrix().rowLabels.isVector() || !isTemporal(a[0].matrix().rowLabels.type())) {
        refuseArgument(0, "X", "an indexed series or matrix whose row labels are times", a[0]);
    }
    const Vector& labels = a[0].matrix().rowLabels.vector();
    for (int64_t i = 0; i < labels.size(); ++i) {
        if (labels.isNullAt(i) || (i > 0 && labels.asLong(i) < labels.asLong(i - 1))) {
            throw UserError(0, "The row labels of X must rise and hold no NULL.");
        }
    }
    return a[0].matrix();
}

Value underLabels(const Matrix& like, Ref<Vector> cells, const Ref<Vector>& labels) {
    auto result = makeRef<Matrix>(std::move(cells), labels->size(), like.columns);
    result->copyLabels(like);
    result->rowLabels = Value::of(labels);
    return Value::of(result);
}

// asFreq(X, rule, [closed], [label], [origin])
Value asFreqKernel(Context&, Arguments a) {
    const Matrix& m = timedMatrixArgument(a);
    const Vector& times = m.rowLabels.vector();
    Ref<Vector> labels;
    if (a[1].isVector()) {
        labels = cast(*timesArgument(a, 1, "rule"), times.type());
    } else {
        const Bins bins(stringArgument(a, 1, "rule"), 1, times, {a, 2});
        labels = times.size() == 0
                     ? Vector::make(times.type(), 0)
                     : bins.labels(bins.binOf(times.asLong(0)), bins.binOf(times.asLong(times.size() - 1)));
    }
    std::vector<int32_t> positions;
    int64_t row = 0;
    for (int64_t i = 0; i < labels->size(); ++i) {
        while (row < times.size() && times.asLong(row) < labels->asLong(i)) ++row;
        const bool found = row < times.size() && times.asLong(row) == labels->asLong(i);
        positions.push_back(found ? static_cast<int32_t>(row) : -1);
    }
    Ref<Vector> cells = Vector::make(m.cells->type(), 0, labels->size() * m.columns);
    for (int64_t c = 0; c < m.columns; ++c) {
        cells->append(*m.column(c)->gather(positions.data(), labels->size()), 0, labels->size());
    }
    return underLabels(m, cells, labels);
}

// resample(X, rule, func, [closed], [label], [origin])
Value resampleKernel(Context& context, Arguments a) {
    const Matrix& m = timedMatrixArgument(a);
    const Vector& times = m.rowLabels.vector();
    const Function& f = functionArgument(a, 2);
    const Bins bins(stringArgument(a, 1, "rule"), 1, times, {a, 3});
    if (times.size() == 0) return a[0];
    const int64_t first = bins.binOf(times.asLong(0));
    const Ref<Vector> labels = bins.labels(first, bins.binOf(times.asLong(times.size() - 1)));
    std::vector<int64_t> begins;
    for (int64_t row = 0, bin = 0; bin <= labels->size(); ++bin) {
        while (row < times.size() && bins.binOf(times.asLong(row)) - first < bin) ++row;
        begins.push_back(row);
    }
    std::vector<Value> results;
    for (int64_t c = 0; c < m.columns; ++c) {
        const Ref<Vector> column = m.column(c);
        for (size_t bin = 0; bin + 1 < begins.size(); ++bin) {
            const int64_t rows = begins[bin + 1] - begins[bin];
            // A bin without rows has no value.
            if (rows == 0) {
                results.push_back(Value());
                continue;
            }
            results.push_back(callWith(f, context, {Value::of(column->slice(begins[bin], rows))}));
            if (!results.back().isScalar()) refuseArgument(2, "func", "an aggregate", results.back());
        }
    }
    const Value cells = listOf(std::move(results));
    if (!cells.isTypedVector()) refuseArgument(2, "func", "an aggregate with results of one type", a[2]);
    return underLabels(m, Ref<Vector>(&cells.vector()), labels);
}

}  // namespace

void registerFrequencies(FunctionRegistry& registry) {
    constexpr std::string_view kParameters =
        "rule: D H min S L U N for steps; B W WOM LWOM M MS BM BMS SM SMS Q QS BQ BQS REQ A AS BA BAS RE SA SAS for "
        "periods of the calendar; the name of a trading calendar; each after a number, as 2M\n"
        "closed: which edge belongs to a bin, left or right\n"
        "label: which edge names it\n"
        "origin: from where steps are counted: epoch, start, start_day, end, end_day or a time";
    registry.add("transFreq(X, rule, [closed], [label], [origin='start_day'])", transFreqKernel,
                 {.summary = "The label of the bin of a frequency that holds each time, in the type of X.",
                  .parameters = kParameters,
                  .nulls = "NULL for NULL.",
                  .errors = "There is no such frequency, or it is finer than X.",
                  .example = "transFreq(2024.03.15 2024.05.02, `Q) -> [2024.03.31,2024.06.30]\n"
                             "transFreq(09:31:29 09:34:01, `2min) -> [09:30:00,09:34:00]"});
    registry.add("temporalSeq(start, end, rule, [closed], [label], [origin='start_day'])", temporalSeqKernel,
                 {.summary = "The labels of all bins of a frequency from start to end.",
                  .parameters = kParameters,
                  .errors = "end is not after start; there is no such frequency.",
                  .example = "temporalSeq(2024.01.10, 2024.03.05, `M) -> [2024.01.31,2024.02.29,2024.03.31]"});
    registry.add("asFreq(X, rule, [closed], [label], [origin='start_day'])", asFreqKernel,
                 {.summary = "The rows of an indexed series or matrix at the labels of a frequency, or at given times.",
                  .parameters = kParameters,
                  .nulls = "NULL where X has no row of that time.",
                  .errors = "The row labels of X are no rising times; there is no such frequency.",
                  .example = "asFreq(indexedSeries(2024.01.31 2024.03.31, 1 2), `M).size() -> 3"});
    registry.add("resample(X, rule, func, [closed], [label], [origin='start_day'])", resampleKernel,
                 {.summary = "An aggregate of the rows of an indexed series or matrix in each bin of a frequency.",
                  .parameters = kParameters,
                  .nulls = "NULL for a bin without rows.",
                  .errors = "The row labels of X are no rising times; there is no such frequency.",
                  .example = "resample(indexedSeries(2024.01.10 2024.01.20 2024.02.05, 1 2 3), `M, sum)[0] -> [3,3]"});
}

}  // namespace pelorus
