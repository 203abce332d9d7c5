// Functions of neighbouring rows: prev, next, move, deltas, ratios, bar and cumulative counts of runs.
#include <algorithm>
#include <cmath>

#include "common/time/calendar.h"
#include "common/widest.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/elementwise/alignment.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/forms/vector_forms.h"
#include "runtime/kernel/rolling/kept_elements.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/vector/running_recurrences.h"
#include "stdlib/window/time_axis.h"

namespace pelorus {

namespace {

// Moves v by `steps` rows towards the end; the rows without a source are NULL.
Ref<Vector> shifted(const Vector& v, int64_t steps) {
    int64_t n = v.size();
    int64_t count = std::max<int64_t>(0, n - std::abs(steps));
    Ref<Vector> out = Vector::make(v.type(), 0, n);
    out->setScale(v.scale());
    Ref<Vector> gap = Vector::filled(v.type(), n - count, Value::nullOf(v.type()));
    gap->setScale(v.scale());
    if (steps >= 0) {
        out->append(*gap, 0, n - count);
        if (count > 0) out->append(v, 0, count);
    } else {
        if (count > 0) out->append(v, n - count, count);
        out->append(*gap, 0, n - count);
    }
    return out;
}

Value moved(Arguments arguments, int64_t steps) {
    if (arguments[0].isTuple()) {
        // A column of any values moves as a whole.
        const auto& elements = arguments[0].tuple().elements;
        auto n = static_cast<int64_t>(elements.size());
        std::vector<Value> out(elements.size());
        for (int64_t i = 0; i < n; ++i) {
            if (i - steps >= 0 && i - steps < n) out[static_cast<size_t>(i)] = elements[static_cast<size_t>(i - steps)];
        }
        return Value::of(makeRef<Tuple>(std::move(out)));
    }
    if (arguments[0].isArrayVector()) {
        const ArrayVector& rows = arguments[0].arrayVector();
        std::vector<int64_t> from(static_cast<size_t>(rows.size()));
        for (int64_t i = 0; i < rows.size(); ++i) from[static_cast<size_t>(i)] = i - steps;
        return Value::of(rows.gather(from.data(), rows.size()));
    }
    if (arguments[0].isTable()) {
        // Treats every column, including strings.
        const Ref<MemoryTable> table = tableToRead(arguments[0]);
        if (!table) throw UserError(0, "X can't be a partitioned table.", "Use select to compute on it.");
        auto result = makeRef<MemoryTable>();
        for (int c = 0; c < table->columnCount(); ++c) {
            Value column = table->column(c);
            result->setColumn(table->columns()[static_cast<size_t>(c)].name, moved({&column, 1}, steps));
        }
        return Value::of(Ref<Table>(result));
    }
    return vectorForms([steps](std::span<const Value> step) { return Value::of(shifted(step[0].vector(), steps)); },
                       arguments.first(1));
}

Value prevKernel(Context&, Arguments arguments) {
    return moved(arguments, 1);
}
Value nextKernel(Context&, Arguments arguments) {
    return moved(arguments, -1);
}
// Each row of an indexed matrix takes the value at its time minus the duration, or the last one before that.
Value movedInTime(const Matrix& m, const Value& duration) {
    TimeAxis times(Ref<Vector>(&m.rowLabels.vector()), 0, "The index of X");
    std::vector<int64_t> wanted = times.moved(duration, true, 1), rows(wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
        int64_t row = -1;
        for (int64_t step = times.size(), k = 0; step > 0;) {
            // The last row whose time is not after the wanted one.
            int64_t half = step / 2;
            if (times.at(k + half) <= wanted[i]) {
                row = k + half;
                k += half + 1;
                step -= half + 1;
            } else {
                step = half;
            }
        }
        rows[i] = row;
    }
    Ref<Matrix> result = gatherCells(m, rows, allPositions(m.columns));
    result->copyLabels(m);
    return Value::of(result);
}

Value moveKernel(Context&, Arguments arguments) {
    if (arguments[1].type() == Type::Duration && arguments[1].isScalar()) {
        const Value& x = arguments[0];
        if (!x.isMatrix() || !x.matrix().isIndexed())
            throw UserError(0, "To move by a duration, X must be an indexed matrix or series.");
        return movedInTime(x.matrix(), arguments[1]);
    }
    return moved(arguments, integerArgument(arguments, 1, "steps"));
}

// Returns the steps in argument 1, 1 without one; 0 when it is no constant that looks back.
int64_t stepsBack(std::span<const Value> constants) {
    if (constants.size() < 2 || constants[1].isVoid()) return 1;
    const Value& steps = constants[1];
    const bool isCount = steps.isScalar() && steps.isNumber() && isIntegral(steps.type()) && !steps.isNull();
    return isCount && steps.asLong() >= 1 && steps.asLong() <= INT32_MAX ? steps.asLong() : 0;
}

// The rows that a shift of elements without states of their own looks back at, such as rows of an array vector.
int64_t reachOfShift(std::span<const Value> constants) {
    const int64_t steps = stepsBack(constants);
    return steps ? steps : -1;
}

std::unique_ptr<RollingStates> shiftStates(std::span<const Type> types, std::span<const Value> constants) {
    const int64_t steps = stepsBack(constants);
    const bool isStored = !types.empty() && types[0] != Type::Void && types[0] != Type::Any && !isArrayType(types[0]);
    return steps && isStored ? makeShiftStates(types[0], steps) : nullptr;
}

// An element compared with the one some rows before it.
class ComparedStates final : public RollingStates {
public:
    using Compare = Value (*)(const Value& x, const Value& before);
    ComparedStates(std::unique_ptr<RollingStates> before, Compare compare)
        : before_(std::move(before)), compare_(compare) {}

    void resize(int64_t groups) override { before_->resize(groups); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        return compare_(arguments[0], before_->step(arguments, groups, count));
    }
    void clear(const int32_t* groups, int64_t count) override { before_->clear(groups, count); }
    void keep(std::span<const int32_t> groups) override { before_->keep(groups); }
    int64_t memoryBytes() const override { return before_->memoryBytes(); }

private:
    const std::unique_ptr<RollingStates> before_;
    const Compare compare_;
};

Value deltaOf(const Value& x, const Value& before) {
    return applyBinary(Operator::Sub, x, before);
}
Value ratioOf(const Value& x, const Value& before) {
    return applyBinary(Operator::Ratio, x, before);
}
Value changeOf(const Value& x, const Value& before) {
    return applyBinary(Operator::Sub, ratioOf(x, before), Value::ofInt(1));
}

template <ComparedStates::Compare kCompare>
std::unique_ptr<RollingStates> comparedStates(std::span<const Type> types, std::span<const Value> constants) {
    std::unique_ptr<RollingStates> before = shiftStates(types, constants);
    return before ? std::make_unique<ComparedStates>(std::move(before), kCompare) : nullptr;
}

// difference(X): the last element minus the first.
Value differenceKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (!isNumeric(x.type())) refuseArgument(0, "X", "numeric", x);
    if (x.isScalar()) return Value::ofDouble(0);
    const Ref<Vector> elements = realsArgument(arguments, 0, "X");
    if (elements->size() == 0) return Value::nullOf(Type::Double);
    const double first = elements->asDouble(0), last = elements->asDouble(elements->size() - 1);
    return Value::ofDouble(isNull(first) || isNull(last) ? null<double> : last - first);
}

Value deltasKernel(Context&, Arguments arguments) {
    int64_t n = integerArgument(arguments, 1, "n", 1);
    return vectorForms(
        [n](std::span<const Value> step) { return deltaOf(step[0], Value::of(shifted(step[0].vector(), n))); },
        arguments.first(1));
}

Value ratiosKernel(Context&, Arguments arguments) {
    return vectorForms(
        [](std::span<const Value> step) { return ratioOf(step[0], Value::of(shifted(step[0].vector(), 1))); },
        arguments.first(1));
}

Value percentChangeKernel(Context&, Arguments arguments) {
    int64_t n = integerArgument(arguments, 1, "n", 1);
    return vectorForms(
        [n](std::span<const Value> step) { return changeOf(step[0], Value::of(shifted(step[0].vector(), n))); },
        arguments.first(1));
}

// Units of `type` in a duration; a duration finer than the type, or of varying length, is refused.
int64_t durationUnits(const Value& duration, Type type, int argument) {
    auto unit = static_cast<DurationUnit>(duration.unit());
    int64_t nanos = calendar::nanosPerUnit(unit), perDay = calendar::unitsPerDay(type);
    if (nanos == 0 || perDay == 0) {
        throw UserError(argument,
                        fmt::format("A duration of {} does not fit {}.", itemString(duration), typeName(type)));
    }
    int64_t length = duration.integer() * nanos;
    int64_t unitNanos = calendar::kNanosPerDay / perDay;
    if (length % unitNanos != 0) {
        throw UserError(argument,
                        fmt::format("A duration of {} is finer than {}.", itemString(duration), typeName(type)));
    }
    return length / unitNanos;
}

// rowNo(X): the number of each element, from 0.
Value rowNoKernel(Context&, Arguments arguments) {
    if (!arguments[0].isVector()) refuseArgument(0, "X", "a vector", arguments[0]);
    std::vector<int32_t> numbers(static_cast<size_t>(arguments[0].size()));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
    return Value::of(Vector::of(Type::Int, numbers));
}

// Rounds numbers down, or up, to multiples of an interval. Division by the constant interval is a multiplication by its
// reciprocal: adding half a unit corrects the quotient of a multiple, which may come out slightly too small, as long as
// the error of the product is smaller than that half. It is for numbers below 2^50.
class Bars {
public:
    Bars(int64_t interval, bool right)
        : interval_(interval), reciprocal_(1.0 / static_cast<double>(interval)), right_(right) {}

    // Returns false, and `bars` are not to be used, when one may be beyond the range of the type, or is too large for
    // an exact quotient.
    template <class T>
    bool of(const T* elements, int64_t count, T* bars) const {
        constexpr int64_t kExact = int64_t{1} << 50;
        const bool isWide = sizeof(T) == 8;
        const int64_t most = isWide ? kExact : int64_t{INT32_MAX} - interval_, least = isWide ? -kExact : -most;
        return right_ ? walk<true>(elements, count, bars, static_cast<T>(least), static_cast<T>(most))
                      : walk<false>(elements, count, bars, static_cast<T>(least), static_cast<T>(most));
    }
    // Computes the bars of any elements one by one. A bar beyond `most`, on either side, is NULL.
    void oneByOne(const int64_t* elements, int64_t count, int64_t* bars, int64_t most) const {
        for (int64_t i = 0; i < count; ++i) {
            const int64_t x = isNull(elements[i]) ? 0 : elements[i];
            const int64_t step = right_ ? -calendar::floorDivide(-x, interval_) : calendar::floorDivide(x, interval_);
            const bool isBeyond =
                __builtin_mul_overflow(step, interval_, &bars[i]) || bars[i] < -most || bars[i] > most;
            if (isNull(elements[i]) || isBeyond) bars[i] = null<int64_t>;
        }
    }

private:
    static constexpr int64_t kStrip = 512;

    // Works strip by strip of one length, each step in a separate loop, so that the compiler vectorizes it.
    template <bool right, class T>
    bool walk(const T* elements, int64_t count, T* bars, T least, T most) const {
        const double interval = static_cast<double>(interval_), reciprocal = reciprocal_;
        const int64_t whole = count - count % kStrip;
        bool fit = onWidest([=]() __attribute__((always_inline)) {
            T misses = 0;
            for (int64_t at = 0; at < whole; at += kStrip)
                misses |= strip<right>(elements + at, bars + at, least, most, interval, reciprocal);
            return misses == 0;
        });
        if (whole < count) {
            T rest[kStrip] = {}, barsOfRest[kStrip];
            std::copy(elements + whole, elements + count, rest);
            fit = strip<right>(rest, barsOfRest, least, most, interval, reciprocal) == 0 && fit;
            std::copy(barsOfRest, barsOfRest + (count - whole), bars + whole);
        }
        return fit;
    }
    // Returns non-zero when an element is not within the bounds.
    template <bool right, class T>
    [[gnu::always_inline]] static T strip(const T* elements, T* bars, T least, T most, double interval,
                                          double reciprocal) {
        T misses = 0, sound[kStrip];
        double steps[kStrip];
        for (int64_t i = 0; i < kStrip; ++i) {
            const T x = elements[i] == null<T> ? T{0} : elements[i];
            sound[i] = x > most ? T{0} : x < least ? T{0} : x;
            misses |= x - sound[i];
        }
        for (int64_t i = 0; i < kStrip; ++i) steps[i] = static_cast<double>(sound[i]);
        for (int64_t i = 0; i < kStrip; ++i) {
            steps[i] = right ? std::ceil((steps[i] - 0.5) * reciprocal) * interval
                             : std::floor((steps[i] + 0.5) * reciprocal) * interval;
        }
        for (int64_t i = 0; i < kStrip; ++i) sound[i] = static_cast<T>(steps[i]);
        for (int64_t i = 0; i < kStrip; ++i) bars[i] = elements[i] == null<T> ? elements[i] : sound[i];
        return misses;
    }

    int64_t interval_;
    double reciprocal_;
    bool right_;
};

// bar(X, interval, [closed]): X rounded down to multiples of the interval, or up when closed on the right.
Ref<Vector> barsOf(const Vector& v, int64_t interval, bool right) {
    const Bars bars(interval, right);
    if (storageOf(v.type()) == Storage::Int32 && interval <= INT32_MAX) {
        Ref<Vector> out = Vector::make(v.type(), v.size());
        if (bars.of(v.data<int32_t>(), v.size(), out->mutableData<int32_t>())) return out;
    }
    if (storageOf(v.type()) == Storage::Int64) {
        Ref<Vector> out = Vector::make(v.type(), v.size());
        auto* elements = out->mutableData<int64_t>();
        if (!bars.of(v.data<int64_t>(), v.size(), elements))
            bars.oneByOne(v.data<int64_t>(), v.size(), elements, INT64_MAX);
        return out;
    }
    const Ref<Vector> wide = cast(*cast(v, isTemporal(v.type()) ? Type::Int : Type::Long), Type::Long);
    Ref<Vector> out = Vector::make(Type::Long, v.size());
    const int64_t most = INT64_MAX >> (64 - 8 * widthOf(v.type()));
    bars.oneByOne(wide->data<int64_t>(), v.size(), out->mutableData<int64_t>(), most);
    const Ref<Vector> narrow = cast(*out, Type::Int);
    return v.type() != Type::Int ? cast(*narrow, v.type()) : narrow;
}

Ref<Vector> calendarBars(const Vector& v, int64_t amount, DurationUnit unit, int argument) {
    if (!calendar::canConvert(v.type(), Type::Month)) {
        throw UserError(argument, fmt::format("{} can't be cut into months.", typeName(v.type())));
    }
    int64_t months = unit == DurationUnit::Year ? amount * 12 : amount;
    Ref<Vector> out = Vector::make(v.type(), v.size());
    for (int64_t i = 0; i < v.size(); ++i) {
        Value element = v.at(i);
        if (!element.isNull()) {
            int64_t month = calendar::convert(element.integer(), v.type(), Type::Month);
            element = Value::scalar(
                v.type(), calendar::convert(calendar::floorDivide(month, months) * months, Type::Month, v.type()));
        }
        out->set(i, element);
    }
    return out;
}

Value barKernel(Context& context, Arguments arguments) {
    const Value& interval = arguments[1];
    std::string closed = stringArgument(arguments, 2, "closed", "left");
    if (closed != "left" && closed != "right") refuseArgument(2, "closed", "left or right", arguments[2]);
    bool right = closed == "right";
    if (interval.isVector()) {
        // There is one interval for each element.
        Ref<Vector> x = vectorArgument(arguments, 0, "X");
        if (x->size() != interval.size()) {
            throw UserError(
                1, fmt::format("The vectors don't have the same length: {} and {}.", x->size(), interval.size()));
        }
        Ref<Vector> out = Vector::make(x->type(), x->size());
        for (int64_t i = 0; i < x->size(); ++i) {
            std::vector<Value> step = {x->at(i), interval.at(i), arguments[2]};
            out->set(i, barKernel(context, step));
        }
        return Value::of(out);
    }
    return mapElements(arguments[0], [&](const Vector& v) -> Ref<Vector> {
        if (!isIntegral(v.type()) && !isTemporal(v.type())) {
            throw UserError(0, fmt::format("X must be integral or temporal, but it is {}.", typeName(v.type())));
        }
        int64_t units;
        if (interval.type() == Type::Duration) {
            auto unit = static_cast<DurationUnit>(interval.unit());
            if (interval.integer() < 1) refuseArgument(1, "interval", "above 0", interval);
            if (unit == DurationUnit::Month || unit == DurationUnit::Year) {
                return v.type() == Type::Month
                           ? barsOf(v, unit == DurationUnit::Year ? interval.integer() * 12 : interval.integer(), right)
                           : calendarBars(v, interval.integer(), unit, 1);
            }
            units = durationUnits(interval, v.type(), 1);
        } else {
            units = integerArgument(arguments, 1, "interval");
        }
        if (units < 1) refuseArgument(1, "interval", "above 0", interval);
        return barsOf(v, units, right);
    });
}

}  // namespace

constexpr Takes kWholeOrTime{.types = typesOf(Category::Integral) | kTemporalTypes, .what = "integral or temporal"};

void registerShifting(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view nulls,
                   std::string_view example, TypeRule gives = {}, MakeRolling rolling = nullptr,
                   Reach reach = nullptr) {
        const FunctionKind kind = gives ? FunctionKind::Window : FunctionKind::Whole;
        registry.add(syntax, kernel, {.summary = summary, .nulls = nulls, .example = example},
                     {.gives = gives, .kind = kind, .orderSensitive = true, .rolling = rolling, .reach = reach});
    };
    add("rowNo(X)", rowNoKernel, "The number of each element's row, from 0, as INT.", "Are counted as others.",
        "rowNo(`a`b`c) -> [0,1,2]", is(Type::Int), rowNumberStates);
    add("prev(X)", prevKernel, "Each element's predecessor.", "The first is NULL.", "prev(1 2 3) -> [,1,2]", same(0),
        shiftStates, reachOfShift);
    add("next(X)", nextKernel, "Each element's successor.", "The last is NULL.", "next(1 2 3) -> [2,3,]", same(0));
    add("move(X, steps)", moveKernel, "X moved by so many rows, towards the end when positive.",
        "What comes in is NULL.", "move(1 2 3, 2) -> [,,1]\nmove(1 2 3, -1) -> [2,3,]", same(0), shiftStates,
        reachOfShift);
    registry.add("difference(X)", differenceKernel,
                 {.summary = "The last element of X less its first one, as DOUBLE; 0 for a scalar.",
                  .nulls = "NULL where one of them is.",
                  .errors = "X is not numeric.",
                  .example = "difference(12.3 15.6 17.8) -> 5.5"},
                 {.gives = is(Type::Double), .kind = FunctionKind::Aggregate, .orderSensitive = true});
    add("deltas(X, [n=1])", deltasKernel, "Each element less the one n rows before.", "NULL where there is none.",
        "deltas(1 3 6) -> [,2,3]", differenceOf(0), comparedStates<deltaOf>);
    add("ratios(X)", ratiosKernel, "Each element divided by its predecessor, as DOUBLE.", "NULL where there is none.",
        "ratios(1 2 6) -> [,2,3]", promote(0, 0, Operator::Ratio), comparedStates<ratioOf>);
    add("percentChange(X, [n=1])", percentChangeKernel,
        "How much each element changed from the one n rows before, as a fraction.", "NULL where there is none.",
        "percentChange(2 3) -> [,0.5]", promote(0, 0, Operator::Ratio), comparedStates<changeOf>);
    registry.add(
        "bar(X, interval, [closed='left'])", barKernel,
        {.summary = "X rounded down to a multiple of the interval, counted from 0 in X's unit; up when closed='right'.",
         .parameters =
             "X: integral or temporal: a scalar, vector or matrix\n"
             "interval: an integer above 0 in the unit of X, or a DURATION; or a vector with one for each element\n"
             "closed: left takes a multiple as the begin of a bar, right as its end",
         .nulls = "NULL for NULL, and where the multiple is beyond X's type.",
         .errors = "The interval is finer than X, or not above 0.",
         .example = "bar(0 4 5 11, 5) -> [0,0,5,10]\nbar(09:31:29 09:32:01, 1m) -> [09:31:00,09:32:00]"},
        {.takes = {kWholeOrTime, kAnything, kAnything | Takes::Constant},
         .gives = same(0),
         .kind = FunctionKind::Elementwise});
}

}  // namespace pelorus
