#include "stdlib/statistics/chosen_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/kernel/aggregate/reusable_state.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/serialize/received.h"
#include "runtime/value/cast.h"

namespace pelorus {

namespace {

constexpr std::string_view kWhat = "chosen rows";

template <class T>
bool replaces(RowChoice choice, const T& chosen, const T& element) {
    switch (choice) {
        case RowChoice::Min:
            return element < chosen;
        case RowChoice::LastMin:
            return !(chosen < element);
        case RowChoice::Max:
            return chosen < element;
        case RowChoice::LastMax:
            return !(element < chosen);
        case RowChoice::First:
            return false;
        case RowChoice::Last:
            return true;
    }
    return false;
}

// Values are held as T: int64_t for integers and times, double for fractions and decimals, std::string for strings.
template <class T>
class ChosenRows final : public ReusableState {
public:
    // `values` is VOID where positions are asked for.
    ChosenRows(RowChoice choice, Type values) : choice_(choice), values_(values) {}

    void setScale(uint8_t scale) override { scale_ = scale; }
    void resize(int64_t groups) override {
        const auto size = static_cast<size_t>(groups);
        best_.resize(size);
        places_.resize(size, -1);
        rows_.resize(size, 0);
        if (givesValues()) elements_.resize(size);
    }
    // Values that need conversion are converted block by block, within the cache.
    void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        CHECK(arguments.size() >= (givesValues() ? 2 : 1)) << "the choice has its column, and that of its values";
        CHECK(arguments[0].isScalar() || arguments[0].size() >= count) << "the argument has a value for each row";
        if (givesValues() && isDecimal(values_)) {
            const Value& v = arguments[1];
            scale_ = v.isScalar() ? v.extra() : static_cast<uint8_t>(v.vector().scale());
        }
        constexpr int64_t kPiece = int64_t{1} << 16;
        for (int64_t begin = 0; begin < count; begin += kPiece) {
            const int64_t rows = std::min(kPiece, count - begin);
            const Value& x = arguments[0];
            const Ref<Vector> elements = x.isScalar() ? Vector::filled(x.isVoid() ? Type::Int : x.type(), rows, x)
                                                      : x.vector().slice(begin, rows);
            addPiece(*elements, arguments.last(givesValues() ? 1 : 0), groups ? groups + begin : nullptr, begin);
        }
    }
    void merge(const GroupedState& other, const int32_t* groups, int64_t count) override {
        const auto& from = static_cast<const ChosenRows&>(other);
        CHECK(from.rows_.size() >= count) << "each merged group has a state";
        CHECK(from.givesValues() == givesValues()) << "merged states choose the same";
        scale_ = std::max(scale_, from.scale_);
        for (int64_t i = 0; i < count; ++i) {
            const auto k = static_cast<size_t>(i), g = groups ? static_cast<size_t>(groups[i]) : k;
            if (from.places_[k] >= 0 && isChosen(g, from.best_[k])) {
                best_[g] = from.best_[k];
                places_[g] = rows_[g] + from.places_[k];
                if (givesValues()) elements_[g] = from.elements_[k];
            }
            rows_[g] += from.rows_[k];
        }
    }
    void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
               int64_t count) const override {
        CHECK(rows_.size() >= count) << "each group that moves to a partition has a state";
        for (GroupedState* target : parts) static_cast<ChosenRows*>(target)->scale_ = scale_;
        for (int64_t i = 0; i < count; ++i) {
            static_cast<ChosenRows&>(*parts[part[i]])
                .copyState(*this, static_cast<size_t>(i), static_cast<size_t>(place[i]));
        }
    }
    void assign(const GroupedState& from, const int32_t* fromGroups, const int32_t* groups, int64_t count) override {
        const auto& other = static_cast<const ChosenRows&>(from);
        scale_ = std::max(scale_, other.scale_);
        for (int64_t i = 0; i < count; ++i)
            copyState(other, static_cast<size_t>(fromGroups[i]), static_cast<size_t>(groups[i]));
    }
    int64_t memoryBytes() const override {
        return static_cast<int64_t>(best_.capacity() * (sizeof(T) + 2 * sizeof(int64_t)) +
                                    elements_.capacity() * sizeof(Value));
    }
    Value results() const override {
        if (givesValues()) return valuesOfRows();
        Ref<Vector> out = Vector::make(Type::Int, static_cast<int64_t>(places_.size()));
        std::transform(places_.begin(), places_.end(), out->mutableData<int32_t>(),
                       [](int64_t place) { return static_cast<int32_t>(place); });
        return Value::of(out);
    }
    Value save() const override {
        return Value::of(makeRef<Tuple>(std::vector<Value>{savedBest(), Value::of(Vector::of(Type::Long, places_)),
                                                           Value::of(Vector::of(Type::Long, rows_)),
                                                           Value::of(makeRef<Tuple>(elements_))}));
    }
    void load(const Value& saved, int64_t groups) override {
        const auto& parts = received::tuple(saved, 4, kWhat);
        loadBest(parts[0], groups);
        const auto numbers = [&](const Value& part) {
            const Vector& v = received::vector(part, Type::Long, groups, kWhat);
            return std::vector<int64_t>(v.data<int64_t>(), v.data<int64_t>() + v.size());
        };
        places_ = numbers(parts[1]);
        rows_ = numbers(parts[2]);
        elements_ = received::tuple(parts[3], givesValues() ? static_cast<size_t>(groups) : 0, kWhat);
        for (const Value& element : elements_) {
            received::require(element.isVoid() || values_ == Type::Any ||
                                  (element.isScalar() && element.type() == values_) ||
                                  (isLiteral(values_) && element.isString()),
                              kWhat);
        }
    }

private:
    bool givesValues() const { return values_ != Type::Void; }
    void copyState(const ChosenRows& other, size_t from, size_t to) {
        best_[to] = other.best_[from];
        places_[to] = other.places_[from];
        rows_[to] = other.rows_[from];
        if (givesValues()) elements_[to] = other.elements_[from];
    }
    bool isChosen(size_t group, const T& element) const {
        return places_[group] < 0 || replaces(choice_, best_[group], element);
    }

    // `begin`: the row of the other column at which the block begins.
    void addPiece(const Vector& x, std::span<const Value> beside, const int32_t* groups, int64_t begin) {
        const auto addRows = [&](auto isNone, auto at) {
            for (int64_t i = 0; i < x.size(); ++i) {
                const size_t g = groups ? static_cast<size_t>(groups[i]) : 0;
                const int64_t place = rows_[g]++;
                if (isNone(i)) continue;
                const auto& element = at(i);
                if (!isChosen(g, element)) continue;
                best_[g] = element;
                places_[g] = place;
                if (!beside.empty()) elements_[g] = beside[0].isScalar() ? beside[0] : beside[0].at(begin + i);
            }
        };
        if constexpr (std::is_same_v<T, std::string>) {
            addRows([&](int64_t i) { return x.isNullAt(i); }, [&](int64_t i) { return std::string(x.string(i)); });
        } else {
            const Ref<Vector> stored =
                isTemporal(x.type()) ? cast(x, widthOf(x.type()) == 8 ? Type::Long : Type::Int) : Ref<Vector>();
            const Ref<Vector> numbers = numbersAs<T>(stored ? *stored : x);
            const T* elements = numbers->template data<T>();
            addRows([=](int64_t i) { return isNull(elements[i]); }, [=](int64_t i) { return elements[i]; });
        }
    }

    Value valuesOfRows() const {
        if (values_ == Type::Any) return Value::of(makeRef<Tuple>(elements_));
        Ref<Vector> out = Vector::make(values_, static_cast<int64_t>(elements_.size()));
        if (isDecimal(values_)) out->setScale(scale_);
        for (size_t i = 0; i < elements_.size(); ++i) out->set(static_cast<int64_t>(i), elements_[i]);
        return Value::of(out);
    }

    Value savedBest() const {
        if constexpr (std::is_same_v<T, std::string>) {
            Ref<Vector> strings = Vector::make(Type::String, static_cast<int64_t>(best_.size()));
            for (size_t i = 0; i < best_.size(); ++i) strings->set(static_cast<int64_t>(i), Value::ofString(best_[i]));
            return Value::of(strings);
        } else {
            return Value::of(Vector::of(naturalType<T>(), best_));
        }
    }
    void loadBest(const Value& saved, int64_t groups) {
        if constexpr (std::is_same_v<T, std::string>) {
            const Vector& strings = received::vector(saved, Type::String, groups, kWhat);
            best_.clear();
            for (int64_t i = 0; i < groups; ++i) best_.emplace_back(strings.string(i));
        } else {
            const Vector& numbers = received::vector(saved, naturalType<T>(), groups, kWhat);
            best_.assign(numbers.data<T>(), numbers.data<T>() + groups);
        }
    }

    const RowChoice choice_;
    const Type values_;
    uint8_t scale_ = 0;
    std::vector<T> best_;
    std::vector<int64_t> places_, rows_;  // how many rows each group has had
    std::vector<Value> elements_;
};

std::unique_ptr<GroupedState> makeRows(RowChoice choice, Type elements, Type values) {
    if (isLiteral(elements)) return std::make_unique<ChosenRows<std::string>>(choice, values);
    if (isFloating(elements) || isDecimal(elements)) return std::make_unique<ChosenRows<double>>(choice, values);
    if (elements == Type::Void || isNumeric(elements) || isTemporal(elements))
        return std::make_unique<ChosenRows<int64_t>>(choice, values);
    throw UserError(0, fmt::format("The elements must have an order, but they are {}.", typeName(elements)));
}

}  // namespace

std::unique_ptr<GroupedState> makeChosenPosition(RowChoice choice, Type elements) {
    return makeRows(choice, elements, Type::Void);
}

std::unique_ptr<GroupedState> makeChosenValue(RowChoice choice, Type elements, Type values) {
    return makeRows(choice, elements, values == Type::Void ? Type::Int : values);
}

}  // namespace pelorus
