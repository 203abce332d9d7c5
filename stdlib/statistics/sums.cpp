// sum, avg, count and related functions of sums, moments and co-moments.
#include "common/check.h"
#include "runtime/kernel/block/block_kernels.h"
#include "runtime/kernel/forms/aggregate_impl.h"
#include "runtime/serialize/received.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/decimal.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/moments.h"

namespace pelorus {

namespace {

// The sum of decimals is the exact one, a decimal of the next wider type.
class DecimalSumState final : public ReusableState {
public:
    explicit DecimalSumState(Type type) : type_(decimal::next(type)) {}

    void setScale(uint8_t scale) override { scale_ = scale; }
    void resize(int64_t groups) override { sums_.resize(static_cast<size_t>(groups), null<__int128>); }
    void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Value& x = arguments[0];
        CHECK(x.isScalar() || x.size() >= count) << "the argument has a value for each row";
        scale_ = std::max(scale_, x.extra());
        const __int128 same = x.isScalar() ? decimal::rawOf(x) : 0;
        for (int64_t i = 0; i < count; ++i) {
            addRaw(groups ? static_cast<size_t>(groups[i]) : 0, x.isScalar() ? same : x.vector().rawAt(i));
        }
    }
    void merge(const GroupedState& other, const int32_t* groups, int64_t count) override {
        const auto& from = static_cast<const DecimalSumState&>(other);
        CHECK(from.sums_.size() >= count) << "each merged group has a sum";
        scale_ = std::max(scale_, from.scale_);
        for (int64_t i = 0; i < count; ++i) {
            addRaw(static_cast<size_t>(groups ? groups[i] : i), from.sums_[static_cast<size_t>(i)]);
        }
    }
    void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
               int64_t count) const override {
        CHECK(sums_.size() >= count) << "each group that moves to a partition has a sum";
        for (GroupedState* target : parts) static_cast<DecimalSumState*>(target)->scale_ = scale_;
        for (int64_t i = 0; i < count; ++i) {
            auto& target = static_cast<DecimalSumState&>(*parts[part[i]]);
            target.sums_[static_cast<size_t>(place[i])] = sums_[static_cast<size_t>(i)];
        }
    }
    void assign(const GroupedState& from, const int32_t* fromGroups, const int32_t* groups, int64_t count) override {
        const auto& other = static_cast<const DecimalSumState&>(from);
        scale_ = std::max(scale_, other.scale_);
        for (int64_t i = 0; i < count; ++i)
            sums_[static_cast<size_t>(groups[i])] = other.sums_[static_cast<size_t>(fromGroups[i])];
    }
    int64_t memoryBytes() const override { return static_cast<int64_t>(sums_.capacity() * sizeof(__int128)); }
    Value results() const override {
        Ref<Vector> out = Vector::make(type_, static_cast<int64_t>(sums_.size()));
        out->setScale(scale_);
        for (size_t i = 0; i < sums_.size(); ++i) {
            out->set(static_cast<int64_t>(i), decimal::make(type_, sums_[i], scale_));
        }
        return Value::of(out);
    }
    Value save() const override {
        Ref<Vector> out = Vector::of(Type::Decimal128, sums_);
        out->setScale(scale_);
        return Value::of(out);
    }
    void load(const Value& saved, int64_t groups) override {
        scale_ = received::vector(saved, Type::Decimal128, groups, "sums").scale();
        sums_.clear();
        for (int64_t i = 0; i < saved.size(); ++i) sums_.push_back(saved.vector().rawAt(i));
    }

private:
    void addRaw(size_t group, __int128 raw) {
        if (isNull(raw)) return;
        __int128& sum = sums_[group];
        if (isNull(sum)) {
            sum = raw;
        } else if (__builtin_add_overflow(sum, raw, &sum)) {
            throw UserError("Decimal math overflow. RefId: S05003", "Convert to DOUBLE first.");
        }
    }

    Type type_;
    uint8_t scale_ = 0;
    std::vector<__int128> sums_;
};

// Integers and BOOL sum as LONG, floats as DOUBLE.
template <class Integers, class Reals>
std::unique_ptr<GroupedState> makeByType(std::span<const Type> types) {
    if constexpr (std::is_same_v<Reals, RealSum>) {
        if (isDecimal(types[0])) return std::make_unique<DecimalSumState>(types[0]);
    }
    if (isFloating(types[0]) || isDecimal(types[0]))
        return std::make_unique<GroupedStateOf<Reals, double>>(Type::Double);
    return std::make_unique<GroupedStateOf<Integers, int64_t>>(Type::Long);
}

// Counts non-NULL values of any type.
class CountState final : public ReusableState {
public:
    void resize(int64_t groups) override { counts_.resize(static_cast<size_t>(groups)); }
    void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Value& x = arguments[0];
        bool scalar = x.isScalar();
        bool allNull = scalar && x.isNull();
        bool anyNull = !scalar && (x.isTuple() || x.vector().hasNull());
        if (!groups && !anyNull) {
            counts_[0] += allNull ? 0 : count;
            return;
        }
        if (!anyNull && !allNull) {
            int64_t* counts = counts_.data();
            inFourPlaces(count, [&](int64_t i) { ++counts[groups[i]]; });
            return;
        }
        if (allNull) return;
        const auto groupOf = [&](int64_t i) { return groups ? static_cast<size_t>(groups[i]) : size_t{0}; };
        if (x.isTypedVector() && (isNumeric(x.type()) || isTemporal(x.type()))) {
            // The kernel marks the NULLs strip by strip; the marks of a strip stay in the L1 cache.
            constexpr int64_t kStrip = 2048;
            int8_t isNull[kStrip];
            const auto kernel = blockKernels().isNull[static_cast<int>(laneOf(storageOf(x.type())))];
            for (int64_t begin = 0; begin < count; begin += kStrip) {
                const int64_t n = std::min(kStrip, count - begin);
                kernel(x.vector().raw() + begin * widthOf(x.type()), isNull, n);
                for (int64_t i = 0; i < n; ++i) counts_[groupOf(begin + i)] += isNull[i] ? 0 : 1;
            }
            return;
        }
        for (int64_t i = 0; i < count; ++i) {
            const bool isNull = x.isTuple() ? x.at(i).isNull() : x.vector().isNullAt(i);
            counts_[groupOf(i)] += isNull ? 0 : 1;
        }
    }
    void merge(const GroupedState& other, const int32_t* groups, int64_t count) override {
        const auto& from = static_cast<const CountState&>(other).counts_;
        CHECK(from.size() >= count) << "each merged group has a count";
        for (int64_t i = 0; i < count; ++i)
            counts_[static_cast<size_t>(groups ? groups[i] : i)] += from[static_cast<size_t>(i)];
    }
    void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
               int64_t count) const override {
        CHECK(counts_.size() >= count) << "each group that moves to a partition has a count";
        for (int64_t i = 0; i < count; ++i) {
            auto& target = static_cast<CountState&>(*parts[part[i]]);
            target.counts_[static_cast<size_t>(place[i])] = counts_[static_cast<size_t>(i)];
        }
    }
    void assign(const GroupedState& from, const int32_t* fromGroups, const int32_t* groups, int64_t count) override {
        const auto& other = static_cast<const CountState&>(from).counts_;
        for (int64_t i = 0; i < count; ++i)
            counts_[static_cast<size_t>(groups[i])] = other[static_cast<size_t>(fromGroups[i])];
    }
    int64_t memoryBytes() const override { return static_cast<int64_t>(counts_.capacity() * sizeof(int64_t)); }
    Value results() const override {
        Ref<Vector> out = Vector::make(Type::Int, static_cast<int64_t>(counts_.size()));
        int32_t* y = out->mutableData<int32_t>();
        for (size_t i = 0; i < counts_.size(); ++i) y[i] = static_cast<int32_t>(counts_[i]);
        return Value::of(out);
    }
    Value save() const override { return Value::of(Vector::of(Type::Long, counts_)); }
    void load(const Value& saved, int64_t groups) override {
        const int64_t* elements = received::vector(saved, Type::Long, groups, "counts").data<int64_t>();
        counts_.assign(elements, elements + saved.size());
    }

private:
    std::vector<int64_t> counts_;
};

std::unique_ptr<GroupedState> makeCount(std::span<const Type>) {
    return std::make_unique<CountState>();
}

// The count of a whole matrix or table is one number.
Value countKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (x.isTable()) {
        const int64_t rows = x.table().rowCount();
        return rows > INT32_MAX ? Value::ofLong(rows) : Value::ofInt(static_cast<int32_t>(rows));
    }
    if (x.isDictionary()) return Value::ofInt(static_cast<int32_t>(x.dictionary().size()));
    if (x.isScalar()) return Value::ofInt(x.isNull() ? 0 : 1);
    int64_t count = 0;
    if (x.isTuple()) {
        for (const Value& element : x.tuple().elements) count += element.isScalar() && element.isNull() ? 0 : 1;
        return Value::ofInt(static_cast<int32_t>(count));
    }
    if (x.isArrayVector()) arguments[0] = Value(Value::of(x.arrayVector().values()));
    Ref<Vector> elements = vectorArgument(arguments, 0, "X");
    CountState state;
    state.resize(1);
    Value whole = Value::of(elements);
    state.add({&whole, 1}, nullptr, elements->size());
    return state.results().at(0);
}

template <bool kKurtosis>
Value shapeKernel(Context&, Arguments arguments) {
    bool biased = flagArgument(arguments, 1, "biased", true);
    return aggregateForms(biased ? makeStateOf<Shape<kKurtosis, true>, double, 1, StateResult::Double>
                                 : makeStateOf<Shape<kKurtosis, false>, double, 1, StateResult::Double>,
                          arguments.first(1));
}

}  // namespace

void registerSums(FunctionRegistry& registry) {
    auto addMade = [&](std::string_view syntax, MakeState make, Kernel kernel, std::string_view summary,
                       std::string_view example, TypeRule gives, Role role = Role::None) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .nulls = "NULLs are skipped; nothing left gives NULL.",
                      .errors = "X is not numeric.",
                      .example = example},
                     {.takes = {kNumberOrTime},
                      .gives = gives,
                      .kind = FunctionKind::Aggregate,
                      .nulls = NullRule::Skip,
                      .role = role,
                      .state = make});
    };
    constexpr MakeState makeSum = makeByType<IntegerSum, RealSum>;
    constexpr MakeState makeProduct = makeByType<IntegerProduct, Product>;
    addMade(
        "sum(X)", makeSum, [](Context&, Arguments a) { return aggregateForms(makeSum, a); },
        "The sum of X: LONG for integers and BOOL, NULL when none holds it; DOUBLE (compensated) for floats.",
        "sum(1 2 NULL 3) -> 6\nsum(0.5 1) -> 1.5", sumOf(0), Role::Sum);
    addMade(
        "prod(X)", makeProduct, [](Context&, Arguments a) { return aggregateForms(makeProduct, a); },
        "The product of X: LONG for integers, NULL when none holds it; DOUBLE for floats.", "prod(2 3 4) -> 24",
        productOf(0));
    registry.add("count(X)", countKernel,
                 {.summary = "How many elements of X are not NULL, as INT; of a table, its rows.",
                  .nulls = "Not counted.",
                  .example = "count(1 NULL 3) -> 2"},
                 {.gives = is(Type::Int),
                  .kind = FunctionKind::Aggregate,
                  .nulls = NullRule::Skip,
                  .role = Role::Count,
                  .neverNull = true,
                  .neverFails = true,
                  .exact = true,
                  .state = makeCount});

    auto doc = [](std::string_view summary, std::string_view example) {
        return FunctionDoc{.summary = summary,
                           .nulls = "NULLs are skipped; too few elements left give NULL.",
                           .errors = "X is not numeric.",
                           .example = example};
    };
    addAggregate<Mean, double>(registry, "avg(X)", doc("The mean of X, as DOUBLE.", "avg(1 2 6) -> 3"), Role::Mean);
    registry.alias("mean", "avg");
    addAggregate<PowerSum<2>, double>(registry, "sum2(X)",
                                      doc("The sum of squares of X, as DOUBLE.", "sum2(1 2 3) -> 14"));
    addAggregate<PowerSum<3>, double>(registry, "sum3(X)", doc("The sum of cubes of X, as DOUBLE.", "sum3(1 2) -> 9"));
    addAggregate<PowerSum<4>, double>(registry, "sum4(X)",
                                      doc("The sum of fourth powers of X, as DOUBLE.", "sum4(1 2) -> 17"));
    addAggregate<StandardDeviation, double>(
        registry, "std(X)", doc("The standard deviation of a sample (divided by n-1).", "std(1 2 3) -> 1"));
    addAggregate<PopulationDeviation, double>(
        registry, "stdp(X)", doc("The standard deviation of a population (divided by n).", "stdp(1 3) -> 1"));
    addAggregate<Variance, double>(registry, "var(X)",
                                   doc("The variance of a sample (divided by n-1).", "var(1 2 3) -> 1"));
    addAggregate<PopulationVariance, double>(registry, "varp(X)",
                                             doc("The variance of a population (divided by n).", "varp(1 3) -> 1"));
    addAggregate<StandardError, double>(registry, "sem(X)",
                                        doc("The standard error of the mean of X.", "sem(1 2 3) -> 0.57735"));
    addAggregate<Covariance, double, 2>(
        registry, "covar(X, Y)", doc("The covariance of a sample (divided by n-1).", "covar(1 2 3, 2 4 6) -> 2"));
    registry.alias("cov", "covar");
    addAggregate<PopulationCovariance, double, 2>(
        registry, "covarp(X, Y)", doc("The covariance of a population (divided by n).", "covarp(1 3, 2 4) -> 1"));
    addAggregate<Correlation, double, 2>(registry, "corr(X, Y)",
                                         doc("The correlation (Pearson) of X and Y.", "corr(1 2 3, 2 4 6) -> 1"));
    addAggregate<Beta, double, 2>(registry, "beta(Y, X)",
                                  doc("The slope of the regression of Y on X.", "beta(2 4 6, 1 2 3) -> 2"));
    addAggregate<WeightedSum, double, 2>(registry, "wsum(X, Y)",
                                         doc("The sum of X * Y, as DOUBLE.", "wsum(1 2, 3 4) -> 11"));
    addAggregate<WeightedMean, double, 2>(registry, "wavg(X, Y)",
                                          doc("The mean of X weighted by Y, as DOUBLE.", "wavg(1 2, 1 3) -> 1.75"));
    constexpr Declaration shape{.takes = {kNumberOrTime, kAnything | Takes::Constant},
                                .gives = is(Type::Double),
                                .kind = FunctionKind::Aggregate,
                                .nulls = NullRule::Skip};
    registry.add("skew(X, [biased=true])", shapeKernel<false>, doc("The skewness of X, as DOUBLE.", "skew(1 2 3) -> 0"),
                 shape);
    registry.add("kurtosis(X, [biased=true])", shapeKernel<true>,
                 doc("The kurtosis of X, about 3 for a normal sample, as DOUBLE.", "kurtosis(1 2 3 4) -> 1.64"), shape);
}

}  // namespace pelorus
