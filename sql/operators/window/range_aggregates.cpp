#include "sql/operators/window/range_aggregates.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <vector>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/code/same_code.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/aggregate/wide_total.h"
#include "runtime/memory/buffer.h"
#include "runtime/value/cast.h"

namespace pelorus {

namespace {

constexpr int64_t kPiece = int64_t{1} << 14;
// Reading ranges that hold this many times the column's values together costs about as much as preparing it does.
constexpr int64_t kReadFactor = 8;

template <class F>
void forEachRange(size_t count, const F& f) {
    const auto ranges = static_cast<int64_t>(count);
    parallelFor((ranges + kPiece - 1) / kPiece, [&](int64_t piece) {
        checkCancelled();
        for (int64_t i = piece * kPiece, end = std::min(ranges, i + kPiece); i < end; ++i) f(static_cast<size_t>(i));
    });
}

// Ranges of more values than this take the difference of two prefixes. Each decides by itself, and prefixes begin anew
// in every group: its sum does not depend on the rest of the column.
constexpr int32_t kReadRows = 32;

// Sums of the values that are not NULL, and the number of those.
template <class T>
class RangeSums {
public:
    // `groups`: where groups begin, and the end of the last; no range reaches beyond its group. `before`: the initial
    // sums of doubles.
    RangeSums(const T* items, int64_t count, std::span<const int32_t> groups, bool prefixes, const DoubleDouble& before)
        : items_(items) {
        if (!prefixes) return;
        // Uninitialized, and on huge pages: page faults would take half of the time.
        memory_.emplace(static_cast<size_t>(count) * sizeof(Prefix));
        auto* all = reinterpret_cast<Prefix*>(memory_->begin());
        before_ = all;
        parallelFor((static_cast<int64_t>(groups.size()) - 1 + kGroups - 1) / kGroups, [&](int64_t piece) {
            const auto first = static_cast<size_t>(piece * kGroups);
            const size_t end = std::min(groups.size() - 1, first + static_cast<size_t>(kGroups));
            for (size_t g = first; g < end; ++g) {
                Prefix prefix;
                if constexpr (std::is_floating_point_v<T>) prefix.sum = before;
                for (int32_t i = groups[g]; i < groups[g + 1]; ++i) {
                    new (all + i) Prefix(prefix);
                    prefix.add(items[i]);
                }
            }
        });
    }

    // A sum of doubles, or of integers before it is known whether a LONG holds it.
    struct Total {
        std::conditional_t<std::is_floating_point_v<T>, T, WideTotal> sum;
        int64_t count;

        T value() const {
            if constexpr (std::is_floating_point_v<T>) return sum;
            if constexpr (!std::is_floating_point_v<T>) return sum.orNull();
        }
        double real() const {
            if constexpr (std::is_floating_point_v<T>) return sum;
            if constexpr (!std::is_floating_point_v<T>) return sum.toDouble();
        }
    };
    Total total(RowSpan r) const {
        if (r.end - r.begin > kReadRows) {
            Prefix end = before_[r.end - 1];
            end.add(items_[r.end - 1]);
            const Prefix& begin = before_[r.begin];
            // A difference would be wrong after an infinite value or NaN, also before the range.
            if (end.isFinite()) return {end.sum.minus(begin.sum), end.count - begin.count};
        }
        int64_t count = 0;
        Sum sum{};
        for (int32_t i = r.begin; i < r.end; ++i) {
            if (isNull(items_[i])) continue;
            ++count;
            sum.add(items_[i]);
        }
        return {sum.value(), count};
    }

private:
    static constexpr int64_t kGroups = 64;  // of one task

    struct IntegerTotal : WideTotal {
        WideTotal value() const { return *this; }
        WideTotal minus(const IntegerTotal& other) const {
            WideTotal rest = *this;
            rest.subtract(other);
            return rest;
        }
    };
    using Sum = std::conditional_t<std::is_floating_point_v<T>, CompensatedSum, IntegerTotal>;

    // Sum and count of the values of a group before one.
    struct Prefix {
        std::conditional_t<std::is_floating_point_v<T>, DoubleDouble, IntegerTotal> sum;
        int32_t count = 0;
        void add(T x) {
            if (isNull(x)) return;
            ++count;
            sum.add(x);
        }
        bool isFinite() const {
            if constexpr (std::is_floating_point_v<T>) return std::isfinite(sum.high);
            return true;
        }
    };

    const T* items_;
    std::optional<Buffer> memory_;
    const Prefix* before_ = nullptr;
};

// Min of runs of 16 values, of runs of 16 of those, and so on: a range is covered by a few of each level. `kIsMax`
// makes it the max. NULL is below all values, so it is handled separately.
template <class T, bool kIsMax>
class Pyramid {
public:
    Pyramid(const T* items, int64_t count, bool levels) : items_(items) {
        if (!levels) return;
        const T* below = items;
        for (int64_t n = count; n > kRun; n = static_cast<int64_t>(levels_.back().size())) {
            std::vector<T> level(static_cast<size_t>((n + kRun - 1) / kRun));
            for (size_t i = 0; i < level.size(); ++i) {
                const auto begin = static_cast<int64_t>(i) * kRun;
                level[i] = read(below, begin, std::min(n, begin + kRun));
            }
            levels_.push_back(std::move(level));
            below = levels_.back().data();
        }
    }

    T of(RowSpan r) const {
        int64_t begin = r.begin, end = r.end;
        T best = null<T>;
        const T* items = items_;
        for (size_t level = 0;; ++level) {
            if (level == levels_.size() || end - begin <= 2 * kRun) return better(best, read(items, begin, end));
            const int64_t inner = (begin + kRun - 1) / kRun, outer = end / kRun;
            best = better(best, better(read(items, begin, inner * kRun), read(items, outer * kRun, end)));
            begin = inner;
            end = outer;
            items = levels_[level].data();
        }
    }

private:
    static constexpr int64_t kRun = 16;
    static T better(T a, T b) {
        if (isNull(a)) return b;
        if (isNull(b)) return a;
        return kIsMax ? std::max(a, b) : std::min(a, b);
    }
    static T read(const T* items, int64_t begin, int64_t end) {
        T best = null<T>;
        for (int64_t i = begin; i < end; ++i) best = better(best, items[i]);
        return best;
    }

    const T* items_;
    std::vector<std::vector<T>> levels_;
};

template <class T, bool kIsMax>
Value extremes(const Vector& items, std::span<const RowSpan> ranges, bool longRanges) {
    const Pyramid<T, kIsMax> pyramid(items.data<T>(), items.size(), longRanges);
    Ref<Vector> result = Vector::make(items.type(), static_cast<int64_t>(ranges.size()));
    T* out = result->mutableData<T>();
    forEachRange(ranges.size(), [&](size_t i) { out[i] = pyramid.of(ranges[i]); });
    return Value::of(result);
}

template <class T>
Value aggregateOf(Role function, const Vector& items, std::span<const RowSpan> ranges, std::span<const int32_t> groups,
                  const DoubleDouble& before) {
    if (function == Role::Min || function == Role::Max) {
        int64_t read = 0;
        for (const RowSpan& r : ranges) read += r.end - r.begin;
        const bool longRanges = read > kReadFactor * items.size();
        return function == Role::Min ? extremes<T, false>(items, ranges, longRanges)
                                     : extremes<T, true>(items, ranges, longRanges);
    }
    const bool anyLong =
        std::any_of(ranges.begin(), ranges.end(), [](const RowSpan& r) { return r.end - r.begin > kReadRows; });
    const RangeSums<T> sums(items.data<T>(), items.size(), groups, anyLong, before);
    const Type type = function == Role::Count ? Type::Int : function == Role::Mean ? Type::Double : items.type();
    Ref<Vector> result = Vector::make(type, static_cast<int64_t>(ranges.size()));
    if (function == Role::Count) {
        int32_t* out = result->mutableData<int32_t>();
        forEachRange(ranges.size(), [&](size_t i) { out[i] = static_cast<int32_t>(sums.total(ranges[i]).count); });
    } else if (function == Role::Sum) {
        T* out = result->mutableData<T>();
        forEachRange(ranges.size(), [&](size_t i) {
            const auto total = sums.total(ranges[i]);
            out[i] = total.count ? total.value() : null<T>;
        });
    } else {
        double* out = result->mutableData<double>();
        forEachRange(ranges.size(), [&](size_t i) {
            const auto total = sums.total(ranges[i]);
            out[i] = total.count ? total.real() / static_cast<double>(total.count) : null<double>;
        });
    }
    return Value::of(result);
}

}  // namespace

const DoubleDouble& SumsBefore::of(const NodeRef& code) const {
    static const DoubleDouble kNothing;
    for (const auto& [known, sum] : sums_) {
        if (isSameCode(known, code)) return sum;
    }
    return kNothing;
}

DoubleDouble& SumsBefore::changed(const NodeRef& code) {
    for (auto& [known, sum] : sums_) {
        if (isSameCode(known, code)) return sum;
    }
    return sums_.emplace_back(code, DoubleDouble()).second;
}

void addValues(const Vector& items, DoubleDouble& sum) {
    const Ref<Vector> doubles = cast(items, Type::Double);
    const auto* x = doubles->data<double>();
    for (int64_t i = 0; i < doubles->size(); ++i) {
        if (!isNull(x[i])) sum.add(x[i]);
    }
}

Value rangeAggregate(Role function, const Vector& items, std::span<const RowSpan> ranges,
                     std::span<const int32_t> groups, const DoubleDouble& before) {
    if (function == Role::First || function == Role::Last) {
        std::vector<int32_t> positions(ranges.size());
        for (size_t i = 0; i < ranges.size(); ++i) {
            const RowSpan r = ranges[i];
            positions[i] = r.begin >= r.end ? -1 : function == Role::First ? r.begin : r.end - 1;
        }
        return Value::of(items.gather(positions.data(), static_cast<int64_t>(positions.size())));
    }
    CHECK(!groups.empty() && groups.back() == items.size()) << "the groups of the ranges hold all values";
    constexpr Role kKnown[] = {Role::Sum, Role::Mean, Role::Count, Role::Min, Role::Max};
    if (std::find(std::begin(kKnown), std::end(kKnown), function) == std::end(kKnown)) return Value();
    if (!isNumeric(items.type()) || isDecimal(items.type())) return Value();
    if (isFloating(items.type()))
        return aggregateOf<double>(function, *cast(items, Type::Double), ranges, groups, before);
    return aggregateOf<int64_t>(function, *cast(items, Type::Long), ranges, groups, before);
}

}  // namespace pelorus
