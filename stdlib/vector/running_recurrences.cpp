#include "stdlib/vector/running_recurrences.h"

#include <utility>
#include <vector>

#include "runtime/kernel/rolling/group_rolling.h"
#include "stdlib/arguments.h"

namespace pelorus {

namespace {

// The element of the run of equal ones before that of each row; a NULL has the nearest element.
class StateBefore final : public RollingStates {
public:
    explicit StateBefore(Type type) : type_(type) {}

    void resize(int64_t groups) override { groups_.resize(static_cast<size_t>(groups), {Value(), Value()}); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Vector& x = arguments[0].vector();
        Ref<Vector> out = Vector::make(type_, count);
        out->setScale(x.scale());
        for (int64_t i = 0; i < count; ++i) {
            auto& [near, beyond] = groups_[static_cast<size_t>(groups[i])];
            if (x.isNullAt(i)) {
                out->set(i, near);
                continue;
            }
            Value own = x.at(i);
            if (!near.isVoid() && !identical(own, near)) beyond = near;
            near = std::move(own);
            out->set(i, beyond);
        }
        return Value::of(out);
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) groups_[static_cast<size_t>(groups[i])] = {};
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(groups_, groups); }
    int64_t memoryBytes() const override { return static_cast<int64_t>(groups_.capacity() * 2 * sizeof(Value)); }

private:
    const Type type_;
    std::vector<std::pair<Value, Value>> groups_;  // the last element that is not NULL, and that of the run before it
};

class SumbarsRow {
public:
    explicit SumbarsRow(double target) : target_(target) {}
    int32_t next(double x) {
        elements_.push_back(x);
        const size_t last = elements_.size() - 1;
        return barsToSum(std::ssize(elements_), target_,
                         [&](int64_t k) { return elements_[last - static_cast<size_t>(k)]; });
    }
    int64_t memoryBytes() const { return static_cast<int64_t>(elements_.capacity() * sizeof(double)); }

private:
    double target_;
    std::vector<double> elements_;
};

double orZero(double element) {
    return isNull(element) ? 0 : element;
}

// x[n] = the last elements times the coefficients, plus the input; NULL counts as 0.
class RecurrenceRow {
public:
    RecurrenceRow(std::vector<double> last, std::vector<double> coefficients)
        : last_(std::move(last)), coefficients_(std::move(coefficients)) {}
    double next(double input) {
        double result = orZero(input);
        for (size_t k = 0; k < last_.size(); ++k) result += last_[k] * coefficients_[k];
        last_.erase(last_.begin());
        last_.push_back(result);
        return result;
    }
    int64_t memoryBytes() const { return static_cast<int64_t>(2 * last_.capacity() * sizeof(double)); }

private:
    std::vector<double> last_;  // the oldest first
    std::vector<double> coefficients_;
};

// The first element of the session of each row. A NULL, and a late element, belong to the open session.
class SessionRow {
public:
    explicit SessionRow(int64_t gap) : gap_(gap) {}
    int64_t next(int64_t x) {
        if (isNull(x)) return first_;
        const bool isFirst = isNull(first_);
        if (isFirst || x - latest_ >= gap_) first_ = x;
        if (isFirst || x > latest_) latest_ = x;
        return first_;
    }
    int64_t memoryBytes() const { return 0; }

private:
    int64_t gap_;
    int64_t first_ = null<int64_t>, latest_ = 0;
};

class RowNumbers final : public RollingStates {
public:
    void resize(int64_t groups) override { next_.resize(static_cast<size_t>(groups)); }
    Value step(std::span<const Value>, const int32_t* groups, int64_t count) override {
        Ref<Vector> out = Vector::make(Type::Int, count);
        for (int64_t i = 0; i < count; ++i) out->mutableData<int32_t>()[i] = next_[static_cast<size_t>(groups[i])]++;
        return Value::of(out);
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) next_[static_cast<size_t>(groups[i])] = 0;
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(next_, groups); }
    int64_t memoryBytes() const override { return static_cast<int64_t>(next_.capacity() * sizeof(int32_t)); }

private:
    std::vector<int32_t> next_;
};

std::vector<double> zeroed(const Vector& v) {
    std::vector<double> elements;
    for (int64_t i = 0; i < v.size(); ++i) elements.push_back(orZero(v.data<double>()[i]));
    return elements;
}

bool isColumn(std::span<const Type> types, std::span<const Value> constants, size_t i) {
    return i < types.size() && types[i] != Type::Void && (i >= constants.size() || constants[i].isVoid());
}

}  // namespace

std::unique_ptr<RollingStates> stateBeforeStates(std::span<const Type> types, std::span<const Value>) {
    if (types.empty() || types[0] == Type::Void || isArrayType(types[0])) return nullptr;
    return std::make_unique<StateBefore>(types[0]);
}

std::unique_ptr<RollingStates> sumbarsStates(std::span<const Type> types, std::span<const Value> constants) {
    if (!areReals(types, 1) || constants.size() < 2 || isColumn(types, constants, 1)) return nullptr;
    std::vector<Value> a(constants.begin(), constants.end());
    const SumbarsRow row(realArgument(a, 1, "Y"));
    return std::make_unique<GroupRolling<SumbarsRow, 1, double, int32_t>>(row, Type::Int);
}

std::unique_ptr<RollingStates> sessionStates(std::span<const Type> types, std::span<const Value> constants) {
    if (types.empty() || !isIntegral(types[0]) || constants.size() < 2 || isColumn(types, constants, 1)) return nullptr;
    std::vector<Value> a(constants.begin(), constants.end());
    const int64_t gap = integerArgument(a, 1, "sessionGap");
    if (gap < 1) refuseArgument(1, "sessionGap", "above 0", a[1]);
    return std::make_unique<GroupRolling<SessionRow, 1, int64_t, int64_t>>(SessionRow(gap), types[0]);
}

std::unique_ptr<RollingStates> rowNumberStates(std::span<const Type> types, std::span<const Value>) {
    return types.empty() || types[0] == Type::Void ? nullptr : std::make_unique<RowNumbers>();
}

std::unique_ptr<RollingStates> recurrenceStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kInput = 2;
    const bool isOfRows = types.size() > kInput && areReals(types.subspan(kInput), 1) &&
                          isColumn(types, constants, kInput) && !isColumn(types, constants, 0) &&
                          !isColumn(types, constants, 1);
    if (!isOfRows) return nullptr;
    std::vector<Value> a(constants.begin(), constants.end());
    const Ref<Vector> init = realsArgument(a, 0, "init"), coefficients = realsArgument(a, 1, "coeffs");
    if (init->size() != coefficients->size() || init->size() == 0) return nullptr;
    const bool areIntegers = !isFloating(a[0].type()) && !isFloating(a[1].type()) && !isFloating(types[kInput]);
    return std::make_unique<GroupRolling<RecurrenceRow, 1>>(RecurrenceRow(zeroed(*init), zeroed(*coefficients)),
                                                            areIntegers ? Type::Long : Type::Double, 1, kInput);
}

}  // namespace pelorus
