// Aggregates that choose one of the values: min, max, first, last and their positions. The result keeps the type.
#include <algorithm>
#include <type_traits>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "runtime/kernel/aggregate/lane_extremes.h"
#include "runtime/kernel/elementwise/broadcast.h"
#include "runtime/kernel/forms/aggregate_impl.h"
#include "runtime/serialize/received.h"
#include "runtime/value/cast.h"
#include "runtime/value/symbol_base.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/chosen_rows.h"

namespace pelorus {

namespace {

// The rule by which a value replaces the chosen one.
enum class Choice : uint8_t { Min, Max, First, Last, FirstNot, LastNot };

constexpr bool seesNulls(Choice choice) {
    return choice == Choice::First || choice == Choice::Last;
}

template <Choice kChoice, class T>
bool replaces(const T& chosen, const T& element) {
    switch (kChoice) {
        case Choice::Min:
            return element < chosen;
        case Choice::Max:
            return chosen < element;
        case Choice::First:
        case Choice::FirstNot:
            return false;
        default:
            return true;
    }
}

// State for values of one storage kind.
template <Choice kChoice, class T>
class ChosenItems final : public ReusableState {
public:
    ChosenItems(Type type) : type_(type) {
        // The NULL of symbols is the code of the empty string.
        if (type == Type::Symbol) none_ = T{0};
    }

    void setScale(uint8_t scale) override { scale_ = scale; }
    void resize(int64_t groups) override {
        chosen_.resize(static_cast<size_t>(groups), none_);
        seen_.resize(static_cast<size_t>(groups), 0);
    }
    void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Value& x = arguments[0];
        CHECK(x.isScalar() || x.size() >= count) << "the argument has a value for each row";
        Ref<Vector> elements = x.isScalar() ? Vector::filled(type_, count, x) : Ref<Vector>(&x.vector());
        scale_ = elements->scale();
        const T* p = elements->template data<T>();
        if (!groups) return addAll(p, count);
        for (int64_t i = 0; i < count; ++i) take(static_cast<size_t>(groups[i]), p[i]);
    }
    void merge(const GroupedState& other, const int32_t* groups, int64_t count) override {
        const auto& from = static_cast<const ChosenItems&>(other);
        CHECK(from.seen_.size() >= count) << "each merged group has a choice";
        scale_ = std::max(scale_, from.scale_);
        for (int64_t i = 0; i < count; ++i) {
            auto k = static_cast<size_t>(i);
            if (from.seen_[k]) take(groups ? static_cast<size_t>(groups[i]) : k, from.chosen_[k]);
        }
    }
    void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
               int64_t count) const override {
        CHECK(seen_.size() >= count) << "each group that moves to a partition has a choice";
        for (GroupedState* target : parts) static_cast<ChosenItems*>(target)->scale_ = scale_;
        for (int64_t i = 0; i < count; ++i) {
            auto& target = static_cast<ChosenItems&>(*parts[part[i]]);
            target.chosen_[static_cast<size_t>(place[i])] = chosen_[static_cast<size_t>(i)];
            target.seen_[static_cast<size_t>(place[i])] = seen_[static_cast<size_t>(i)];
        }
    }
    void assign(const GroupedState& from, const int32_t* fromGroups, const int32_t* groups, int64_t count) override {
        const auto& other = static_cast<const ChosenItems&>(from);
        scale_ = std::max(scale_, other.scale_);
        for (int64_t i = 0; i < count; ++i) {
            chosen_[static_cast<size_t>(groups[i])] = other.chosen_[static_cast<size_t>(fromGroups[i])];
            seen_[static_cast<size_t>(groups[i])] = other.seen_[static_cast<size_t>(fromGroups[i])];
        }
    }
    int64_t memoryBytes() const override { return static_cast<int64_t>(chosen_.capacity() * (sizeof(T) + 1)); }
    Value results() const override {
        Ref<Vector> out = Vector::of(type_, chosen_);
        out->setScale(scale_);
        return Value::of(out);
    }
    Value save() const override {
        return Value::of(makeRef<Tuple>(std::vector<Value>{results(), Value::of(Vector::of(Type::Char, seen_))}));
    }
    void load(const Value& saved, int64_t groups) override {
        const auto& parts = received::tuple(saved, 2, "chosen items");
        const Vector& elements = received::vector(parts[0], type_, groups, "chosen items");
        const Vector& seen = received::vector(parts[1], Type::Char, groups, "chosen items");
        scale_ = elements.scale();
        chosen_.assign(elements.data<T>(), elements.data<T>() + elements.size());
        seen_.assign(seen.data<int8_t>(), seen.data<int8_t>() + seen.size());
    }

private:
    // Adds values to the first group: a block is reduced to one of them.
    void addAll(const T* elements, int64_t count) {
        const auto isTaken = [this](T element) { return seesNulls(kChoice) || element != none_; };
        if constexpr (kChoice == Choice::Min && !std::is_same_v<T, __int128>) {
            take(0, extremeOf<Extreme::Least>(elements, count));
        } else if constexpr (kChoice == Choice::Max && !std::is_same_v<T, __int128>) {
            take(0, extremeOf<Extreme::Greatest>(elements, count));
        } else if constexpr (kChoice == Choice::Min || kChoice == Choice::Max) {
            for (int64_t i = 0; i < count; ++i) take(0, elements[i]);
        } else if constexpr (kChoice == Choice::First || kChoice == Choice::FirstNot) {
            for (int64_t i = 0; i < count && !seen_[0]; ++i) take(0, elements[i]);
        } else {
            int64_t last = count - 1;
            while (last >= 0 && !isTaken(elements[last])) --last;
            if (last >= 0) take(0, elements[last]);
        }
    }
    void take(size_t group, T element) {
        if (!seesNulls(kChoice) && element == none_) return;
        if (!seen_[group]) {
            seen_[group] = 1;
            chosen_[group] = element;
        } else if (replaces<kChoice>(chosen_[group], element)) {
            chosen_[group] = element;
        }
    }

    Type type_;
    uint8_t scale_ = 0;
    T none_ = null<T>;
    std::vector<T> chosen_;
    std::vector<int8_t> seen_;
};

// State for strings and wide values, as Values.
template <Choice kChoice>
class ChosenValues final : public ReusableState {
public:
    ChosenValues(Type type) : type_(type) {}

    void setScale(uint8_t scale) override { scale_ = scale; }
    void resize(int64_t groups) override {
        chosen_.resize(static_cast<size_t>(groups));
        seen_.resize(static_cast<size_t>(groups), 0);
    }
    void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        inPieces(count, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                take(groups ? static_cast<size_t>(groups[i]) : 0,
                     arguments[0].isScalar() ? arguments[0] : arguments[0].at(i));
            }
        });
    }
    void merge(const GroupedState& other, const int32_t* groups, int64_t count) override {
        const auto& from = static_cast<const ChosenValues&>(other);
        CHECK(from.seen_.size() >= count) << "each merged group has a choice";
        for (int64_t i = 0; i < count; ++i) {
            auto k = static_cast<size_t>(i);
            if (from.seen_[k]) take(groups ? static_cast<size_t>(groups[i]) : k, from.chosen_[k]);
        }
    }
    void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
               int64_t count) const override {
        CHECK(seen_.size() >= count) << "each group that moves to a partition has a choice";
        for (int64_t i = 0; i < count; ++i) {
            auto& target = static_cast<ChosenValues&>(*parts[part[i]]);
            target.chosen_[static_cast<size_t>(place[i])] = chosen_[static_cast<size_t>(i)];
            target.seen_[static_cast<size_t>(place[i])] = seen_[static_cast<size_t>(i)];
        }
    }
    void assign(const GroupedState& from, const int32_t* fromGroups, const int32_t* groups, int64_t count) override {
        const auto& other = static_cast<const ChosenValues&>(from);
        for (int64_t i = 0; i < count; ++i) {
            chosen_[static_cast<size_t>(groups[i])] = other.chosen_[static_cast<size_t>(fromGroups[i])];
            seen_[static_cast<size_t>(groups[i])] = other.seen_[static_cast<size_t>(fromGroups[i])];
        }
    }
    // Each chosen string is a separate object.
    int64_t memoryBytes() const override {
        constexpr int64_t kStringBytes = 64;
        return static_cast<int64_t>(chosen_.capacity() * (sizeof(Value) + kStringBytes + 1));
    }
    Value results() const override {
        if (type_ == Type::Any) return Value::of(makeRef<Tuple>(chosen_));
        Ref<Vector> out = Vector::make(type_, static_cast<int64_t>(chosen_.size()));
        if (isDecimal(type_)) out->setScale(scale_);
        for (size_t i = 0; i < chosen_.size(); ++i) out->set(static_cast<int64_t>(i), chosen_[i]);
        return Value::of(out);
    }
    Value save() const override {
        return Value::of(makeRef<Tuple>(
            std::vector<Value>{Value::of(makeRef<Tuple>(chosen_)), Value::of(Vector::of(Type::Char, seen_))}));
    }
    void load(const Value& saved, int64_t groups) override {
        const auto& parts = received::tuple(saved, 2, "chosen items");
        chosen_ = received::tuple(parts[0], static_cast<size_t>(groups), "chosen items");
        for (const Value& element : chosen_) {
            received::require(element.isVoid() || type_ == Type::Any ||
                                  (element.isScalar() && element.type() == type_) ||
                                  (isLiteral(type_) && element.isString()),
                              "chosen items");
        }
        const Vector& seen = received::vector(parts[1], Type::Char, groups, "chosen items");
        seen_.assign(seen.data<int8_t>(), seen.data<int8_t>() + seen.size());
    }

private:
    bool better(const Value& chosen, const Value& element) const {
        if (isLiteral(type_)) return replaces<kChoice>(chosen.string(), element.string());
        return replaces<kChoice>(0, 0);
    }
    void take(size_t group, const Value& element) {
        if (!seesNulls(kChoice) && element.isScalar() && element.isNull()) return;
        if (!seen_[group] || better(chosen_[group], element)) chosen_[group] = element;
        seen_[group] = 1;
    }

    Type type_;
    uint8_t scale_ = 0;
    std::vector<Value> chosen_;
    std::vector<int8_t> seen_;
};

template <Choice kChoice>
std::unique_ptr<GroupedState> makeChosen(std::span<const Type> types) {
    constexpr bool kOrders = kChoice == Choice::Min || kChoice == Choice::Max;
    Type type = types[0];
    if (type == Type::Void) type = Type::Int;
    if (type == Type::Symbol) {
        if (kOrders) return std::make_unique<ChosenValues<kChoice>>(type);  // symbols are ordered by their strings
        return std::make_unique<ChosenItems<kChoice, int32_t>>(type);
    }
    switch (storageOf(type)) {
        case Storage::Int8:
            return std::make_unique<ChosenItems<kChoice, int8_t>>(type);
        case Storage::Int16:
            return std::make_unique<ChosenItems<kChoice, int16_t>>(type);
        case Storage::Int32:
            return std::make_unique<ChosenItems<kChoice, int32_t>>(type);
        case Storage::Int64:
            return std::make_unique<ChosenItems<kChoice, int64_t>>(type);
        case Storage::Float32:
            return std::make_unique<ChosenItems<kChoice, float>>(type);
        case Storage::Float64:
            return std::make_unique<ChosenItems<kChoice, double>>(type);
        case Storage::Bytes16:
            if (type == Type::Decimal128) return std::make_unique<ChosenItems<kChoice, __int128>>(type);
            break;
        default:
            break;
    }
    if (kOrders && !isLiteral(type)) {
        throw UserError(0, fmt::format("X must be ordered, but it is {}.", typeName(type)));
    }
    return std::make_unique<ChosenValues<kChoice>>(type);
}

// min(X, Y): the elementwise minimum; comparison takes NULL as the smallest, so NULLs are handled separately.
Value pairwise(Operator comparison, const Value& x, const Value& y) {
    const Value first = applyBinary(comparison, x, y);
    // With the rows of an array vector, or the columns of a matrix, a vector applies to each.
    if (!first.isMatrix()) return selectItems(first, x, y);
    const Matrix& shape = first.matrix();
    const Value cells = selectItems(Value::of(shape.cells), broadcastToCells(x, shape), broadcastToCells(y, shape));
    return Value::of(shape.withCells(Ref<Vector>(&cells.vector())));
}

template <Choice kChoice>
Value extremeKernel(Context&, Arguments arguments) {
    if (isGiven(arguments, 1))
        return pairwise(kChoice == Choice::Min ? Operator::Lt : Operator::Gt, arguments[0], arguments[1]);
    return aggregateForms(makeChosen<kChoice>, arguments.first(1));
}

// first and last also accept values with parts: rows, columns, elements.
template <Choice kChoice>
Value endKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (x.isTuple() || x.isArrayVector()) {
        if (x.size() == 0) return Value();
        return x.at(kChoice == Choice::First ? 0 : x.size() - 1);
    }
    return aggregateForms(makeChosen<kChoice>, arguments.first(1));
}

// firstNot(X, [k]): values equal to k are skipped as NULLs are.
template <Choice kChoice>
Value notKernel(Context& context, Arguments arguments) {
    if (isGiven(arguments, 1)) {
        std::vector<Value> call = {arguments[0], arguments[1]};
        arguments[0] = FunctionRegistry::instance().get("nullIf").call(context, call);
    }
    return aggregateForms(makeChosen<kChoice>, arguments.first(1));
}

// Returns the position of the chosen value in X.
template <Choice kChoice, bool kLastOfEqual = false>
Value positionOf(std::span<const Value> vectors) {
    if (vectors[0].isTuple()) throw UserError(0, "X must be a vector of one type.");
    const Vector& v = vectors[0].vector();
    int64_t best = -1;
    auto better = [&](int64_t i) {
        if (best < 0) return true;
        if (kChoice == Choice::FirstNot) return false;
        if (kChoice == Choice::LastNot) return true;
        int order;
        if (isLiteral(v.type())) {
            order = v.string(i).compare(v.string(best));
        } else if (isFloating(v.type()) || isDecimal(v.type())) {
            order = v.asDouble(i) < v.asDouble(best) ? -1 : v.asDouble(i) > v.asDouble(best);
        } else {
            order = v.asLong(i) < v.asLong(best) ? -1 : v.asLong(i) > v.asLong(best);
        }
        if (order == 0) return kLastOfEqual;
        return kChoice == Choice::Min ? order < 0 : order > 0;
    };
    for (int64_t i = 0; i < v.size(); ++i) {
        if (!v.isNullAt(i) && better(i)) best = i;
    }
    return Value::ofInt(static_cast<int32_t>(best));
}

template <Choice kChoice, bool kLastOfEqual = false>
Value positionKernel(Context&, Arguments arguments) {
    return aggregateForms(positionOf<kChoice, kLastOfEqual>, arguments);
}

// ifirstNot of a tuple of vectors: the first position where no vector has a NULL; ilastNot the last one.
template <Choice kChoice>
Value fullRowKernel(Context& context, Arguments arguments) {
    const Value& x = arguments[0];
    const bool vectors = x.isTuple() && x.size() > 0 &&
                         std::all_of(x.tuple().elements.begin(), x.tuple().elements.end(),
                                     [&](const Value& v) { return v.isTypedVector() && v.size() == x.at(0).size(); });
    if (!vectors) return positionKernel<kChoice>(context, arguments);
    const int64_t rows = x.at(0).size();
    for (int64_t k = 0; k < rows; ++k) {
        const int64_t r = kChoice == Choice::FirstNot ? k : rows - 1 - k;
        bool full = true;
        for (const Value& v : x.tuple().elements) full &= !v.vector().isNullAt(r);
        if (full) return Value::ofInt(static_cast<int32_t>(r));
    }
    return Value::ofInt(-1);
}

static Value noItemOf(const Vector& v) {
    Value none = Value::nullOf(v.type());
    if (isDecimal(v.type())) none.setExtra(v.scale());
    return none;
}

// atImax(location, value): the element of `value` where `location` is largest.
template <Choice kChoice>
Value valueAt(std::span<const Value> vectors) {
    Value position = positionOf<kChoice>(vectors.first(1));
    if (position.integer() < 0) return noItemOf(vectors[1].vector());
    // A single value repeats for every row; without values the result is NULL.
    if (vectors[1].size() == 1) return vectors[1].at(0);
    if (position.integer() >= vectors[1].size()) return noItemOf(vectors[1].vector());
    return vectors[1].at(position.integer());
}

template <Choice kChoice>
Value valueAtKernel(Context&, Arguments arguments) {
    return aggregateForms(valueAt<kChoice>, arguments);
}

template <RowChoice kChoice>
std::unique_ptr<GroupedState> makePosition(std::span<const Type> types) {
    return makeChosenPosition(kChoice, types[0]);
}

template <RowChoice kChoice>
std::unique_ptr<GroupedState> makeValue(std::span<const Type> types) {
    return makeChosenValue(kChoice, types[0], types[1]);
}

}  // namespace

void registerChoices(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, MakeState make, std::string_view summary,
                   std::string_view nulls, std::string_view example, bool ordered = false, Role role = Role::None,
                   TypeRule gives = same(0), int8_t elementwiseFrom = -1) {
        registry.add(syntax, kernel, {.summary = summary, .nulls = nulls, .example = example},
                     {.gives = gives,
                      .kind = FunctionKind::Aggregate,
                      .nulls = NullRule::Skip,
                      .role = role,
                      .orderSensitive = ordered,
                      .exact = true,
                      .elementwiseFrom = elementwiseFrom,
                      .state = make});
    };
    constexpr std::string_view kSkipped = "NULLs are skipped; nothing left gives NULL.";
    add("min(X, [Y])", extremeKernel<Choice::Min>, makeChosen<Choice::Min>,
        "The smallest element of X, in its type; with Y, the elementwise minimum.", kSkipped,
        "min(3 1 NULL 2) -> 1\nmin(1 5, 3) -> [1,3]", false, Role::Min, common(0, 1), 2);
    add("max(X, [Y])", extremeKernel<Choice::Max>, makeChosen<Choice::Max>,
        "The largest element of X, in its type; with Y, the elementwise maximum.", kSkipped,
        "max(3 1 NULL 2) -> 3\nmax(1 5, 3) -> [3,5]", false, Role::Max, common(0, 1), 2);
    add("first(X)", endKernel<Choice::First>, makeChosen<Choice::First>, "The first element of X.",
        "Counted as elements.", "first(3 1 2) -> 3", true, Role::First);
    add("last(X)", endKernel<Choice::Last>, makeChosen<Choice::Last>, "The last element of X.", "Counted as elements.",
        "last(3 1 2) -> 2", true, Role::Last);
    auto skipping = [&](std::string_view syntax, MakeState make, Kernel kernel, std::string_view summary,
                        std::string_view example) { add(syntax, kernel, make, summary, kSkipped, example, true); };
    skipping("firstNot(X, [k])", makeChosen<Choice::FirstNot>, notKernel<Choice::FirstNot>,
             "The first element of X that is neither NULL nor k.", "firstNot(NULL 3 2) -> 3\nfirstNot(0 5 6, 0) -> 5");
    skipping("lastNot(X, [k])", makeChosen<Choice::LastNot>, notKernel<Choice::LastNot>,
             "The last element of X that is neither NULL nor k.", "lastNot(1 3 NULL) -> 3");
    constexpr std::string_view kPosition = "NULLs are skipped; -1 when nothing is left.";
    add("imin(X)", positionKernel<Choice::Min>, makePosition<RowChoice::Min>,
        "The position of the first smallest element.", kPosition, "imin(3 1 1) -> 1", true, Role::None, is(Type::Int));
    add("imax(X)", positionKernel<Choice::Max>, makePosition<RowChoice::Max>,
        "The position of the first largest element.", kPosition, "imax(3 1 3) -> 0", true, Role::None, is(Type::Int));
    add("iminLast(X)", positionKernel<Choice::Min, true>, makePosition<RowChoice::LastMin>,
        "The position of the last smallest element.", kPosition, "iminLast(3 1 1) -> 2", true, Role::None,
        is(Type::Int));
    add("imaxLast(X)", positionKernel<Choice::Max, true>, makePosition<RowChoice::LastMax>,
        "The position of the last largest element.", kPosition, "imaxLast(3 1 3) -> 2", true, Role::None,
        is(Type::Int));
    add("ifirstNot(X)", fullRowKernel<Choice::FirstNot>, makePosition<RowChoice::First>,
        "The position of the first element that is not NULL; of a tuple of vectors, the first where none is.",
        kPosition, "ifirstNot(NULL 3 2) -> 1", true, Role::None, is(Type::Int));
    add("ilastNot(X)", fullRowKernel<Choice::LastNot>, makePosition<RowChoice::Last>,
        "The position of the last element that is not NULL; of a tuple of vectors, the last where none is.", kPosition,
        "ilastNot(1 3 NULL) -> 1", true, Role::None, is(Type::Int));
    add("atImax(location, value)", valueAtKernel<Choice::Max>, makeValue<RowChoice::Max>,
        "The element of value where location is largest.", kSkipped, "atImax(1 9 3, 10 20 30) -> 20", true, Role::None,
        same(1));
    add("atImin(location, value)", valueAtKernel<Choice::Min>, makeValue<RowChoice::Min>,
        "The element of value where location is smallest.", kSkipped, "atImin(4 9 3, 10 20 30) -> 30", true, Role::None,
        same(1));
}

}  // namespace pelorus
