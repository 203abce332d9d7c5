#include "stdlib/window/running_ranks.h"

#include <utility>

#include "runtime/kernel/rolling/group_rolling.h"
#include "runtime/value/key_index.h"
#include "stdlib/window/running_order.h"
#include "stdlib/window/window_ranks.h"

namespace pelorus {

namespace {

// The quantile of all elements so far.
class QuantileRow {
public:
    QuantileRow(double q, Interpolation interpolation) : q_(q), interpolation_(interpolation) {}
    double next(double x) {
        if (!isNull(x)) order_.add(x);
        return order_.count() > 0 ? quantileIn(order_, q_, interpolation_) : null<double>;
    }
    int64_t memoryBytes() const { return order_.memoryBytes(); }

private:
    RunningOrder<double> order_;
    double q_;
    Interpolation interpolation_;
};

// The rank of an element among all so far.
class RankRow {
public:
    explicit RankRow(RankOptions options) : options_(std::move(options)) {}
    double next(double x) {
        if (!isNull(x)) {
            order_.add(x);
        } else if (options_.ignoreNA) {
            return null<double>;
        } else {
            ++nulls_;
        }
        return rankIn(order_, x, isNull(x), nulls_, options_);
    }
    int64_t memoryBytes() const { return order_.memoryBytes(); }

private:
    RunningOrder<double> order_;
    RankOptions options_;
    int64_t nulls_ = 0;  // so far, unless they are ignored
};

struct DenseOptions {
    bool ascending = true, ignoreNA = true, percent = false, fromOne = true;
};

// The rank of an element among the distinct ones so far; NULL is the smallest.
template <class T>
class DenseRow {
public:
    explicit DenseRow(const DenseOptions& options) : options_(options) {}
    double next(T x) {
        if (isNull(x)) {
            if (options_.ignoreNA) return null<double>;
            hasNull_ = true;
        } else if (!distinct_.contains(x)) {
            distinct_.add(x);
        }
        const int64_t nulls = hasNull_ ? 1 : 0, count = distinct_.count() + nulls;
        const int64_t below = isNull(x) ? 0 : distinct_.below(x) + nulls;
        const int64_t place = options_.ascending ? below : count - 1 - below;
        if (!options_.percent) return static_cast<double>(place);
        const auto all = static_cast<double>(count - (options_.fromOne ? 0 : 1));
        return all == 0 ? 1 : static_cast<double>(place + (options_.fromOne ? 1 : 0)) / all;
    }
    int64_t memoryBytes() const { return distinct_.memoryBytes(); }

private:
    RunningOrder<T> distinct_;
    DenseOptions options_;
    bool hasNull_ = false;
};

// How many distinct elements each group has had, of any type.
class DistinctStates final : public RollingStates {
public:
    explicit DistinctStates(bool ignoresNull) : ignoresNull_(ignoresNull) {}

    void resize(int64_t groups) override { seen_.resize(static_cast<size_t>(groups)); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Vector& x = arguments[0].vector();
        Ref<Vector> out = Vector::make(Type::Int, count);
        for (int64_t i = 0; i < count; ++i) {
            std::unique_ptr<KeyIndex>& seen = seen_[static_cast<size_t>(groups[i])];
            if (!seen) seen = std::make_unique<KeyIndex>(x.type());
            if (!ignoresNull_ || !x.isNullAt(i)) seen->insert(x.at(i));
            out->mutableData<int32_t>()[i] = static_cast<int32_t>(seen->size());
        }
        return Value::of(out);
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) seen_[static_cast<size_t>(groups[i])].reset();
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(seen_, groups); }
    int64_t memoryBytes() const override {
        constexpr int64_t kBytesOfKey = 16;
        int64_t bytes = static_cast<int64_t>(seen_.capacity() * sizeof(seen_[0]));
        for (const auto& seen : seen_) bytes += seen ? seen->size() * kBytesOfKey : 0;
        return bytes;
    }

private:
    const bool ignoresNull_;
    std::vector<std::unique_ptr<KeyIndex>> seen_;  // by group; null before its first row
};

}  // namespace

std::optional<std::vector<Value>> rollingConstants(std::span<const Type> types, std::span<const Value> constants,
                                                   size_t from) {
    for (size_t i = from; i < constants.size(); ++i) {
        if (constants[i].isVoid() && i < types.size() && types[i] != Type::Void) return std::nullopt;
    }
    return std::vector<Value>(constants.begin(), constants.end());
}

std::unique_ptr<RollingStates> runningMedians(std::span<const Type> types, std::span<const Value>) {
    if (!areReals(types, 1)) return nullptr;
    return std::make_unique<GroupRolling<QuantileRow, 1>>(QuantileRow(0.5, Interpolation::Linear), Type::Double);
}

std::unique_ptr<RollingStates> runningPercentiles(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kPercent = 1, kInterpolation = 2;
    auto a = rollingConstants(types, constants, kPercent);
    if (!a || !areReals(types, 1)) return nullptr;
    const double percent = realArgument(*a, kPercent, "percent");
    if (percent < 0 || percent > 100) refuseArgument(kPercent, "percent", "between 0 and 100", (*a)[kPercent]);
    const QuantileRow row(percent / 100, interpolationArgument(*a, kInterpolation));
    return std::make_unique<GroupRolling<QuantileRow, 1>>(row, Type::Double);
}

std::unique_ptr<RollingStates> runningRanks(std::span<const Type> types, std::span<const Value> constants) {
    auto a = rollingConstants(types, constants, 1);
    if (!a || !areReals(types, 1)) return nullptr;
    const RankOptions options = RankOptions::given(*a, 1, 2);
    const Type gives = options.givesReals() ? Type::Double : Type::Int;
    return std::make_unique<GroupRolling<RankRow, 1>>(RankRow(options), gives);
}

std::unique_ptr<RollingStates> runningDenseRanks(std::span<const Type> types, std::span<const Value> constants) {
    auto a = rollingConstants(types, constants, 1);
    if (!a || types.empty() || !isNumeric(types[0])) return nullptr;
    const std::string norm = stringArgument(*a, 4, "norm", "max");
    if (norm != "max" && norm != "minmax") refuseArgument(4, "norm", "max or minmax", (*a)[4]);
    const DenseOptions options{flagArgument(*a, 1, "ascending", true), flagArgument(*a, 2, "ignoreNA", true),
                               flagArgument(*a, 3, "percent", false), norm == "max"};
    const Type gives = options.percent ? Type::Double : Type::Int;
    if (isFloating(types[0]))
        return std::make_unique<GroupRolling<DenseRow<double>, 1>>(DenseRow<double>(options), gives);
    using Row = DenseRow<int64_t>;
    return std::make_unique<GroupRolling<Row, 1, int64_t>>(Row(options), gives);
}

std::unique_ptr<RollingStates> runningDistinct(std::span<const Type> types, std::span<const Value> constants) {
    auto a = rollingConstants(types, constants, 1);
    if (!a || types.empty() || types[0] == Type::Void || isArrayType(types[0])) return nullptr;
    return std::make_unique<DistinctStates>(flagArgument(*a, 1, "ignoreNull", false));
}

}  // namespace pelorus
