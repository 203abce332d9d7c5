// Runs and changing groups: streaks, ranges, distinct counts so far, sums of groups that rows move between.
#include <algorithm>
#include <cmath>

#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/rolling/group_rolling.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/value/key_index.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/streak.h"
#include "stdlib/window/running_ranks.h"
#include "stdlib/window/time_axis.h"
#include "stdlib/window/window_call.h"
#include "stdlib/window/window_family.h"

namespace pelorus {

namespace {

struct Nothing {
    void add(int64_t) {}
    void remove(int64_t) {}
};

// The number of consecutive rows, up to this one, for which the sign stays positive.
Value positiveStreakKernel(Context&, Arguments arguments) {
    return windowCall(WindowKind::Cumulative, 1, arguments, [](std::span<const Value> v, const RowWindow&) {
        const Ref<Vector> whole = numbersAs<int64_t>(v[0].vector()), real = numbersAs<double>(v[0].vector());
        const int64_t* x = whole->data<int64_t>();
        Ref<Vector> out = Vector::make(Type::Long, whole->size());
        int64_t sum = 0;
        for (int64_t i = 0; i < whole->size(); ++i) {
            const bool positive = real->data<double>()[i] > 0;  // NULL is the smallest
            sum = positive ? longerStreak(sum, x[i]) : 0;
            out->mutableData<int64_t>()[i] = sum;
        }
        return Value::of(out);
    });
}

class StreakStates final : public RollingStates {
public:
    void resize(int64_t groups) override { sums_.resize(static_cast<size_t>(groups)); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Vector& x = arguments[0].vector();
        const Ref<Vector> whole = numbersAs<int64_t>(x), real = numbersAs<double>(x);
        Ref<Vector> out = Vector::make(Type::Long, count);
        for (int64_t i = 0; i < count; ++i) {
            int64_t& sum = sums_[static_cast<size_t>(groups[i])];
            sum = real->data<double>()[i] > 0 ? longerStreak(sum, whole->data<int64_t>()[i]) : 0;
            out->mutableData<int64_t>()[i] = sum;
        }
        return Value::of(out);
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) sums_[static_cast<size_t>(groups[i])] = 0;
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(sums_, groups); }
    int64_t memoryBytes() const override { return static_cast<int64_t>(sums_.capacity() * sizeof(int64_t)); }

private:
    std::vector<int64_t> sums_;
};

std::unique_ptr<RollingStates> streakStates(std::span<const Type> types, std::span<const Value>) {
    return areReals(types, 1) ? std::make_unique<StreakStates>() : nullptr;
}

// mmaxPositiveStreak(X, window): the largest sum of consecutive positive values inside the window. O(window) per row.
Value streakColumn(std::span<const Value> vectors, const RowWindow& window) {
    Ref<Vector> x = numbersAs<int64_t>(vectors[0].vector());
    const int64_t* elements = x->data<int64_t>();
    Ref<Vector> out = Vector::make(Type::Long, x->size());
    Nothing state;
    slide(
        state, window, x->size(), [&](int64_t i) { return !isNull(elements[i]); },
        [&](int64_t i, bool complete) {
            checkCancelled();  // a row takes as long as the window is
            int64_t sum = 0, most = 0;
            for (int64_t k = window.first(i); complete && k <= i; ++k) {
                sum = !isNull(elements[k]) && elements[k] > 0 ? longerStreak(sum, elements[k]) : 0;
                most = largerStreak(most, sum);
            }
            out->mutableData<int64_t>()[i] = complete ? most : null<int64_t>;
        });
    return Value::of(out);
}

// Counts the values of the window directly to the left that are smaller (or larger); NULL is the smallest.
template <bool kTop>
Value rangeColumn(std::span<const Value> vectors, const RowWindow& window) {
    const Vector& v = vectors[0].vector();
    Ref<Vector> out = Vector::make(Type::Int, v.size());
    std::vector<int64_t> stack;  // rows that may end the run of a later one
    Nothing state;
    slide(
        state, window, v.size(), [&](int64_t i) { return !v.isNullAt(i); },
        [&](int64_t i, bool complete) {
            auto passed = [&](int64_t row) {
                int order = compareElements(v, row, v, i);
                return kTop ? order < 0 : order > 0;
            };
            while (!stack.empty() && passed(stack.back())) stack.pop_back();
            int64_t from = std::max(window.first(i) - 1, stack.empty() ? -1 : stack.back());
            stack.push_back(i);
            out->mutableData<int32_t>()[i] = complete ? static_cast<int32_t>(i - from - 1) : null<int32_t>;
        });
    return Value::of(out);
}

template <WindowKind kKind, Value (*kColumn)(std::span<const Value>, const RowWindow&)>
Value columnKernel(Context&, Arguments a) {
    return windowCall(kKind, 1, a, kColumn);
}

// cumnunique(X, [ignoreNull=false])
Value distinctSoFarKernel(Context&, Arguments a) {
    bool ignoreNull = flagArgument(a, 1, "ignoreNull", false);
    return vectorForms(
        [ignoreNull](std::span<const Value> step) {
            const Vector& v = step[0].vector();
            KeyIndex index(v.type());
            Ref<Vector> out = Vector::make(Type::Int, v.size());
            for (int64_t i = 0; i < v.size(); ++i) {
                if (!ignoreNull || !v.isNullAt(i)) index.insert(v.at(i));
                out->mutableData<int32_t>()[i] = static_cast<int32_t>(index.size());
            }
            return Value::of(out);
        },
        a.first(1));
}

// Counts the distinct ranks so far that are below one: a Fenwick tree of the ranks that have appeared. O(log n) per
// call.
class RanksSoFar {
public:
    explicit RanksSoFar(size_t ranks) : seen_(ranks), tree_(ranks + 1) {}
    void add(size_t rank) {
        if (seen_[rank]) return;
        seen_[rank] = true;
        ++count_;
        for (size_t k = rank + 1; k < tree_.size(); k += k & (~k + 1)) ++tree_[k];
    }
    int64_t below(size_t rank) const {
        int64_t sum = 0;
        for (size_t k = rank; k > 0; k &= k - 1) sum += tree_[k];
        return sum;
    }
    int64_t count() const { return count_; }

private:
    std::vector<bool> seen_;
    std::vector<int64_t> tree_;
    int64_t count_ = 0;
};

// cumdenseRank(X, [ascending=true], [ignoreNA=true], [percent=false], [norm='max'])
Value denseRankColumn(const Vector& v, bool ascending, bool ignoreNA, bool percent, bool fromOne) {
    OrderKey key{Value::of(Ref<Vector>(const_cast<Vector*>(&v)))};
    std::vector<int32_t> order = sortPositions({&key, 1}, v.size());
    std::vector<size_t> ranks(static_cast<size_t>(v.size()));
    size_t rank = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        if (i > 0 && compareElements(v, order[i - 1], v, order[i]) != 0) ++rank;
        ranks[static_cast<size_t>(order[i])] = rank;
    }
    RanksSoFar seen(rank + 1);
    Ref<Vector> out = Vector::make(percent ? Type::Double : Type::Int, v.size());
    for (int64_t i = 0; i < v.size(); ++i) {
        if (ignoreNA && v.isNullAt(i)) {
            out->set(i, Value());
            continue;
        }
        size_t own = ranks[static_cast<size_t>(i)];
        seen.add(own);
        int64_t below = seen.below(own), place = ascending ? below : seen.count() - 1 - below;
        if (!percent) {
            out->mutableData<int32_t>()[i] = static_cast<int32_t>(place);
        } else {
            double all = static_cast<double>(seen.count() - (fromOne ? 0 : 1));
            out->mutableData<double>()[i] = all == 0 ? 1 : static_cast<double>(place + (fromOne ? 1 : 0)) / all;
        }
    }
    return Value::of(out);
}
Value cumulativeDenseRankKernel(Context&, Arguments a) {
    bool ascending = flagArgument(a, 1, "ascending", true), ignoreNA = flagArgument(a, 2, "ignoreNA", true);
    bool percent = flagArgument(a, 3, "percent", false);
    std::string norm = stringArgument(a, 4, "norm", "max");
    if (norm != "max" && norm != "minmax") refuseArgument(4, "norm", "max or minmax", a[4]);
    return vectorForms(
        [&](std::span<const Value> step) {
            return denseRankColumn(step[0].vector(), ascending, ignoreNA, percent, norm == "max");
        },
        a.first(1));
}

// The totals of groups between which rows move: values are added to one and subtracted from another. kSum: of values,
// else of rows.
template <bool kSum>
class MovingTotals {
public:
    explicit MovingTotals(size_t groups) : totals_(groups) {}

    // Takes a row that moves to a group from another; -1 stands for none. `old` is its value there, NULL for none.
    void take(int64_t to, int64_t from, double value, double old) {
        const bool stays = from >= 0 && from == to;
        if (!stays && to >= 0) {
            totals_[static_cast<size_t>(to)] += kSum ? value : 1;
            if (from >= 0) totals_[static_cast<size_t>(from)] -= !kSum ? 1 : isNull(old) ? 0 : old;
        } else if (stays && kSum) {
            totals_[static_cast<size_t>(to)] += value - (isNull(old) ? 0 : old);
        }
    }
    const std::vector<double>& totals() const { return totals_; }

private:
    std::vector<double> totals_;
};

// The columns of a call: dynamicGroupCumsum(cumValue, prevCumValue, membership, prevMembership, groupCount), and
// dynamicGroupCumcount, which has no values.
template <bool kSum>
struct MovingRows {
    static constexpr size_t kMembership = kSum ? 2 : 0;
    Ref<Vector> to, from, value, before;

    explicit MovingRows(std::span<const Value> a)
        : to(cast(a[kMembership].vector(), Type::Long)), from(cast(a[kMembership + 1].vector(), Type::Long)) {
        if constexpr (kSum) {
            value = numbersAs<double>(a[0].vector(), 0, "cumValue");
            before = numbersAs<double>(a[1].vector(), 1, "prevCumValue");
        }
    }
    static int64_t group(const Vector& v, int64_t i) { return v.isNullAt(i) ? -1 : v.asLong(i); }
    void take(MovingTotals<kSum>& totals, int64_t i) const {
        totals.take(group(*to, i), group(*from, i), kSum ? value->data<double>()[i] : 0,
                    kSum ? before->data<double>()[i] : 0);
    }
};

// One column of results for each group.
template <bool kSum>
Value totalsAsColumns(const std::vector<std::vector<double>>& columns, Type values) {
    const bool whole = !kSum || !isFloating(values);
    std::vector<Value> result;
    for (const auto& column : columns) {
        const Ref<Vector> v = Vector::of(Type::Double, column);
        result.push_back(Value::of(whole ? cast(*v, kSum ? Type::Long : Type::Int) : v));
    }
    return Value::of(makeRef<Tuple>(std::move(result)));
}

constexpr int64_t kLeastMovingGroups = 2, kMostMovingGroups = 8;

template <bool kSum>
Value movingGroupsKernel(Context&, Arguments a) {
    constexpr size_t kMembership = MovingRows<kSum>::kMembership;
    for (size_t i = 0; i < kMembership + 2; ++i) vectorArgument(a, i, i < kMembership ? "cumValue" : "membership");
    const int64_t groups = integerArgument(a, kMembership + 2, "groupCount");
    if (groups < kLeastMovingGroups || groups > kMostMovingGroups)
        refuseArgument(kMembership + 2, "groupCount", "between 2 and 8", a[kMembership + 2]);
    const int64_t count = a[kMembership].size();
    for (size_t i = 0; i < kMembership + 2; ++i) {
        if (a[i].size() != count) throw UserError("The vectors don't have the same length.");
    }
    const MovingRows<kSum> rows(a);
    MovingTotals<kSum> totals(static_cast<size_t>(groups));
    std::vector<std::vector<double>> columns(static_cast<size_t>(groups));
    for (int64_t i = 0; i < count; ++i) {
        for (const size_t argument : {kMembership, kMembership + 1}) {
            const Vector& v = argument == kMembership ? *rows.to : *rows.from;
            if (!v.isNullAt(i) && (v.asLong(i) < 0 || v.asLong(i) >= groups))
                refuseArgument(argument, "membership", "from 0 to groupCount - 1", Value::ofLong(v.asLong(i)));
        }
        rows.take(totals, i);
        for (size_t g = 0; g < columns.size(); ++g) columns[g].push_back(totals.totals()[g]);
    }
    return totalsAsColumns<kSum>(columns, a[0].type());
}

// The same of the groups of a stream; a membership outside of the range belongs to none.
template <bool kSum>
class MovingTotalStates final : public RollingStates {
public:
    MovingTotalStates(int64_t groupCount, Type values)
        : empty_(static_cast<size_t>(groupCount)), groupCount_(groupCount), values_(values) {}

    void resize(int64_t groups) override { totals_.resize(static_cast<size_t>(groups), empty_); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        MovingRows<kSum> rows(arguments);
        leaveOut(rows.to);
        leaveOut(rows.from);
        std::vector<std::vector<double>> columns(static_cast<size_t>(groupCount_));
        for (int64_t i = 0; i < count; ++i) {
            MovingTotals<kSum>& totals = totals_[static_cast<size_t>(groups[i])];
            rows.take(totals, i);
            for (size_t g = 0; g < columns.size(); ++g) columns[g].push_back(totals.totals()[g]);
        }
        return totalsAsColumns<kSum>(columns, values_);
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) totals_[static_cast<size_t>(groups[i])] = empty_;
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(totals_, groups); }
    int64_t memoryBytes() const override {
        return static_cast<int64_t>(totals_.capacity()) *
               (groupCount_ * static_cast<int64_t>(sizeof(double)) + static_cast<int64_t>(sizeof(empty_)));
    }

private:
    void leaveOut(Ref<Vector>& membership) const {
        Ref<Vector> known = membership->copy();
        for (int64_t i = 0; i < known->size(); ++i) {
            int64_t& group = known->mutableData<int64_t>()[i];
            if (!isNull(group) && (group < 0 || group >= groupCount_)) group = null<int64_t>;
        }
        membership = known;
    }

    const MovingTotals<kSum> empty_;
    const int64_t groupCount_;
    const Type values_;
    std::vector<MovingTotals<kSum>> totals_;
};

template <bool kSum>
std::unique_ptr<RollingStates> movingGroupStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kMembership = MovingRows<kSum>::kMembership, kCount = kMembership + 2;
    if (constants.size() <= kCount || !areReals(types, kCount)) return nullptr;
    const Value& count = constants[kCount];
    if (!count.isScalar() || !count.isNumber() || count.isNull() || count.asLong() < kLeastMovingGroups ||
        count.asLong() > kMostMovingGroups)
        return nullptr;
    return std::make_unique<MovingTotalStates<kSum>>(count.asLong(), types[0]);
}

// tmove(T, X, window): the value at T - window, or the last one before it.
Value timedMoveKernel(Context&, Arguments a) {
    TimeAxis times(vectorArgument(a, 0, "T"), 0, "T");
    std::vector<int64_t> wanted = times.moved(a[2], true, 2);
    return vectorForms(
        [&](std::span<const Value> step) {
            const Vector& x = step[0].vector();
            if (x.size() != times.size())
                throw UserError(1, fmt::format("T and X differ in length: {} and {}.", times.size(), x.size()));
            std::vector<int32_t> rows(wanted.size(), -1);
            int64_t next = 0;
            for (size_t i = 0; i < wanted.size(); ++i) {
                if (isNull(wanted[i])) continue;
                while (next < times.size() && (times.isMissing(next) || times.at(next) <= wanted[i])) ++next;
                rows[i] = static_cast<int32_t>(next - 1);
            }
            return Value::of(x.gather(rows.data(), x.size()));
        },
        a.subspan(1, 1));
}

}  // namespace

void registerStreaks(FunctionRegistry& registry) {
    constexpr WindowKind m = WindowKind::Moving, tm = WindowKind::Timed;
    addWindowFunction(registry, "cumPositiveStreak(X)", positiveStreakKernel,
                      "The sum of X since it was last not positive, as LONG.",
                      "cumPositiveStreak(1 0 1 1) -> [1,0,1,2]", is(Type::Long), streakStates);
    addWindowFunction(registry, "mmaxPositiveStreak(X, window, [minPeriods])", columnKernel<m, streakColumn>,
                      "The largest sum of positive elements in a row inside the window, as LONG.",
                      "mmaxPositiveStreak(1 2 -1 3, 3) -> [,,3,3]", is(Type::Long));
    const char* top = "How many elements of the window directly to the left are smaller; NULL is the smallest.";
    const char* low = "How many elements of the window directly to the left are larger; NULL is the smallest.";
    addWindowFunction(registry, "mTopRange(X, window, [minPeriods])", columnKernel<m, rangeColumn<true>>, top,
                      "mTopRange(1 2 3 4, 3) -> [,,2,2]", is(Type::Int));
    addWindowFunction(registry, "mLowRange(X, window, [minPeriods])", columnKernel<m, rangeColumn<false>>, low,
                      "mLowRange(4 3 2 1, 3) -> [,,2,2]", is(Type::Int));
    addWindowFunction(registry, "tmTopRange(T, X, window)", columnKernel<tm, rangeColumn<true>>, top,
                      "tmTopRange(1 2 5 6, 1 2 4 8, 2) -> [0,1,0,1]", is(Type::Int));
    addWindowFunction(registry, "tmLowRange(T, X, window)", columnKernel<tm, rangeColumn<false>>, low,
                      "tmLowRange(1 2 5 6, 8 4 2 1, 2) -> [0,1,0,1]", is(Type::Int));
    addWindowFunction(registry, "cumnunique(X, [ignoreNull=false])", distinctSoFarKernel,
                      "The number of distinct elements so far, as INT.", "cumnunique(1 1 2) -> [1,1,2]", is(Type::Int),
                      runningDistinct);
    addWindowFunction(registry, "cumdenseRank(X, [ascending=true], [ignoreNA=true], [percent=false], [norm='max'])",
                      cumulativeDenseRankKernel, "The rank of each element among the rows so far without gaps, from 0.",
                      "cumdenseRank(1 3 2 3) -> [0,1,1,2]", ifTrue(3, Type::Double, Type::Int), runningDenseRanks);
    addWindowFunction(registry, "dynamicGroupCumsum(cumValue, prevCumValue, membership, prevMembership, groupCount)",
                      movingGroupsKernel<true>, "The running sums of groups between which rows move, as a tuple.",
                      "dynamicGroupCumsum(2 6, NULL 2, 0 1, NULL 0, 2) -> ([2,0],[0,6])", varying(),
                      movingGroupStates<true>);
    addWindowFunction(registry, "dynamicGroupCumcount(membership, prevMembership, groupCount)",
                      movingGroupsKernel<false>, "The running counts of groups between which rows move, as a tuple.",
                      "dynamicGroupCumcount(0 1, NULL 0, 2) -> ([1,0],[0,1])", varying(), movingGroupStates<false>);
    addWindowFunction(registry, "tmove(T, X, window)", timedMoveKernel, "What stood at T - window, or last before it.",
                      "tmove(1 2 5, 7 8 9, 2) -> [,,8]", same(1));
}

}  // namespace pelorus
