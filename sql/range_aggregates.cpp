#include "sql/range_aggregates.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "common/thread_pool.h"
#include "runtime/kernel/aggregate.h"
#include "runtime/kernel/cast.h"

namespace pelorus {

namespace {

constexpr int64_t kPiece = int64_t{1} << 14;
// Reading ranges that hold this many times the column's items together costs about what preparing it does.
constexpr int64_t kReadFactor = 8;

template <class F>
void forEachRange(size_t count, const F& f) {
    const auto ranges = static_cast<int64_t>(count);
    parallelFor((ranges + kPiece - 1) / kPiece, [&](int64_t piece) {
        for (int64_t i = piece * kPiece, end = std::min(ranges, i + kPiece); i < end; ++i) f(static_cast<size_t>(i));
    });
}

// A sum of doubles with an error term of its own: the difference of two such prefixes is as good as the sum itself.
struct DoubleDouble {
    double high = 0, low = 0;
    void add(double x) {
        const double sum = high + x, part = sum - high;
        const double error = ((high - (sum - part)) + (x - part)) + low;
        high = sum + error;
        low = error - (high - sum);
    }
    double minus(const DoubleDouble& other) const {
        const double difference = high - other.high, part = difference - high;
        const double error = (high - (difference - part)) - (other.high + part);
        return difference + (error + (low - other.low));
    }
};

// Sums of the items that are not NULL, and how many those are.
template <class T>
class RangeSums {
public:
    RangeSums(const T* items, int64_t count, bool prefixes) : items_(items) {
        if (!prefixes) return;
        if constexpr (std::is_floating_point_v<T>) {
            for (int64_t i = 0; i < count; ++i) {
                if (!isNull(items[i]) && !std::isfinite(items[i])) return;  // a difference would lose it
            }
        }
        counts_.resize(static_cast<size_t>(count) + 1);
        sums_.resize(static_cast<size_t>(count) + 1);
        for (int64_t i = 0; i < count; ++i) {
            const auto at = static_cast<size_t>(i);
            counts_[at + 1] = counts_[at] + !isNull(items[i]);
            sums_[at + 1] = sums_[at];
            if (isNull(items[i])) continue;
            if constexpr (std::is_floating_point_v<T>) {
                sums_[at + 1].add(items[i]);
            } else {
                sums_[at + 1] =
                    static_cast<int64_t>(static_cast<uint64_t>(sums_[at]) + static_cast<uint64_t>(items[i]));
            }
        }
    }

    int64_t count(RowSpan r) const {
        if (!counts_.empty()) return counts_[static_cast<size_t>(r.end)] - counts_[static_cast<size_t>(r.begin)];
        int64_t n = 0;
        for (int32_t i = r.begin; i < r.end; ++i) n += !isNull(items_[i]);
        return n;
    }
    T sum(RowSpan r) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (!sums_.empty()) return sums_[static_cast<size_t>(r.end)].minus(sums_[static_cast<size_t>(r.begin)]);
            CompensatedSum sum;
            for (int32_t i = r.begin; i < r.end; ++i) {
                if (!isNull(items_[i])) sum.add(items_[i]);
            }
            return sum.value();
        } else {
            uint64_t sum = 0;
            if (!sums_.empty()) {
                sum = static_cast<uint64_t>(sums_[static_cast<size_t>(r.end)]) -
                      static_cast<uint64_t>(sums_[static_cast<size_t>(r.begin)]);
            } else {
                for (int32_t i = r.begin; i < r.end; ++i)
                    sum += isNull(items_[i]) ? 0 : static_cast<uint64_t>(items_[i]);
            }
            return static_cast<T>(sum);
        }
    }

private:
    using Prefix = std::conditional_t<std::is_floating_point_v<T>, DoubleDouble, int64_t>;
    const T* items_;
    std::vector<int32_t> counts_;
    std::vector<Prefix> sums_;
};

// The least items of runs of 16, of runs of 16 of those, and so on: a range is covered by a few of each level.
// `kGreatest` turns it around. NULL is the least of all, so it is told apart.
template <class T, bool kGreatest>
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
        return kGreatest ? std::max(a, b) : std::min(a, b);
    }
    static T read(const T* items, int64_t begin, int64_t end) {
        T best = null<T>;
        for (int64_t i = begin; i < end; ++i) best = better(best, items[i]);
        return best;
    }

    const T* items_;
    std::vector<std::vector<T>> levels_;
};

template <class T, bool kGreatest>
Value extremes(const Vector& items, std::span<const RowSpan> ranges, bool longRanges) {
    const Pyramid<T, kGreatest> pyramid(items.items<T>(), items.size(), longRanges);
    Ref<Vector> result = Vector::make(items.type(), static_cast<int64_t>(ranges.size()));
    T* out = result->mutableItems<T>();
    forEachRange(ranges.size(), [&](size_t i) { out[i] = pyramid.of(ranges[i]); });
    return Value::of(result);
}

template <class T>
Value aggregateOf(std::string_view function, const Vector& items, std::span<const RowSpan> ranges, bool longRanges) {
    if (function == "min") return extremes<T, false>(items, ranges, longRanges);
    if (function == "max") return extremes<T, true>(items, ranges, longRanges);
    const RangeSums<T> sums(items.items<T>(), items.size(), longRanges);
    const Type type = function == "count" ? Type::Int : function == "avg" ? Type::Double : items.type();
    Ref<Vector> result = Vector::make(type, static_cast<int64_t>(ranges.size()));
    if (function == "count") {
        int32_t* out = result->mutableItems<int32_t>();
        forEachRange(ranges.size(), [&](size_t i) { out[i] = static_cast<int32_t>(sums.count(ranges[i])); });
    } else if (function == "sum") {
        T* out = result->mutableItems<T>();
        forEachRange(ranges.size(), [&](size_t i) { out[i] = sums.count(ranges[i]) ? sums.sum(ranges[i]) : null<T>; });
    } else {
        double* out = result->mutableItems<double>();
        forEachRange(ranges.size(), [&](size_t i) {
            const int64_t count = sums.count(ranges[i]);
            out[i] = count ? static_cast<double>(sums.sum(ranges[i])) / static_cast<double>(count) : null<double>;
        });
    }
    return Value::of(result);
}

}  // namespace

Value rangeAggregate(std::string_view function, const Vector& items, std::span<const RowSpan> ranges) {
    if (function == "first" || function == "last") {
        std::vector<int32_t> positions(ranges.size());
        for (size_t i = 0; i < ranges.size(); ++i) {
            const RowSpan r = ranges[i];
            positions[i] = r.begin >= r.end ? -1 : function == "first" ? r.begin : r.end - 1;
        }
        return Value::of(items.gather(positions.data(), static_cast<int64_t>(positions.size())));
    }
    constexpr std::string_view kKnown[] = {"sum", "avg", "count", "min", "max"};
    if (std::find(std::begin(kKnown), std::end(kKnown), function) == std::end(kKnown)) return Value();
    if (!isNumeric(items.type()) || isDecimal(items.type())) return Value();
    int64_t read = 0;
    for (const RowSpan& r : ranges) read += r.end - r.begin;
    const bool longRanges = read > kReadFactor * items.size();
    if (isFloating(items.type())) return aggregateOf<double>(function, *cast(items, Type::Double), ranges, longRanges);
    return aggregateOf<int64_t>(function, *cast(items, Type::Long), ranges, longRanges);
}

}  // namespace pelorus
