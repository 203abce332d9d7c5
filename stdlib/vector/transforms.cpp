// Transforms vectors elementwise after one scan of all elements: standardising, clipping, binning, comparing
// neighbours.
#include <algorithm>
#include <cmath>

#include "common/thread/cancellation.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/forms/vector_forms.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/moments.h"
#include "stdlib/statistics/quantile.h"
#include "stdlib/vector/running_recurrences.h"
#include "stdlib/vector/running_states.h"

namespace pelorus {

namespace {

// f maps each element that is not NULL, given the moments of all of them.
template <class F>
Value standardised(Arguments a, F f) {
    return vectorForms(
        [&](std::span<const Value> step) {
            Ref<Vector> x = numbersAs<double>(step[0].vector());
            Spread spread;
            for (int64_t i = 0; i < x->size(); ++i) {
                if (!isNull(x->data<double>()[i])) spread.add(x->data<double>()[i]);
            }
            Ref<Vector> out = Vector::make(Type::Double, x->size());
            for (int64_t i = 0; i < x->size(); ++i) {
                double element = x->data<double>()[i];
                out->mutableData<double>()[i] = isNull(element) ? element : finiteOrNull(f(spread, element));
            }
            return Value::of(out);
        },
        a.first(1));
}
Value zscoreKernel(Context&, Arguments a) {
    return standardised(a, [](const Spread& s, double x) {
        return s.count < 2 ? null<double> : (x - s.center()) / std::sqrt(s.m2 / (s.count - 1));
    });
}
Value demeanKernel(Context&, Arguments a) {
    return standardised(a, [](const Spread& s, double x) { return x - s.center(); });
}

// One value for both sides, or a vector of two.
template <class T, class Read>
std::pair<T, T> bothSides(Arguments a, size_t i, const char* name, Read read) {
    if (a[i].isScalar()) return {read(a[i]), read(a[i])};
    if (a[i].size() != 2) refuseArgument(i, name, "one value, or one for each side", a[i]);
    return {read(a[i].at(0)), read(a[i].at(1))};
}

// winsorize(X, limit, [inclusive=true], [nanPolicy='upper'])
Ref<Vector> winsorized(Arguments a, const Vector& x) {
    auto [low, high] = bothSides<double>(a, 1, "limit", [](const Value& v) { return v.asDouble(); });
    if (!(low >= 0 && low <= 1 && high >= 0 && high <= 1)) refuseArgument(1, "limit", "between 0 and 1", a[1]);
    bool cutLow = true, cutHigh = true;
    if (isGiven(a, 2))
        std::tie(cutLow, cutHigh) = bothSides<bool>(a, 2, "inclusive", [](const Value& v) { return isTrue(v); });
    std::string policy = stringArgument(a, 3, "nanPolicy", "upper");
    if (policy != "upper" && policy != "lower" && policy != "raise" && policy != "omit")
        refuseArgument(3, "nanPolicy", "upper, lower, raise or omit", a[3]);
    if (policy == "raise" && x.hasNull()) refuseArgument(0, "X", "without NULL", a[0]);
    std::vector<int32_t> order;
    OrderKey key{Value::of(Ref<Vector>(const_cast<Vector*>(&x)))};
    for (int32_t row : sortPositions({&key, 1}, x.size())) {
        if (!x.isNullAt(row)) order.push_back(row);
    }
    std::vector<int32_t> nulls;
    for (int64_t i = 0; i < x.size(); ++i) {
        if (x.isNullAt(i)) nulls.push_back(static_cast<int32_t>(i));
    }
    if (policy == "upper") order.insert(order.end(), nulls.begin(), nulls.end());
    if (policy == "lower") order.insert(order.begin(), nulls.begin(), nulls.end());
    auto n = static_cast<double>(order.size());
    auto count = [&](double share, bool cut) { return static_cast<int64_t>(cut ? share * n : std::round(share * n)); };
    int64_t below = count(low, cutLow), above = count(high, cutHigh), size = static_cast<int64_t>(order.size());
    Ref<Vector> out = x.copy();
    if (size == 0 || below + above >= size) return out;
    // A NULL that stays at a limit takes the nearest number.
    auto elementAt = [&](int64_t place, int64_t step) {
        while (place > 0 && place + 1 < size && x.isNullAt(order[static_cast<size_t>(place)])) place += step;
        return x.at(order[static_cast<size_t>(place)]);
    };
    for (int64_t i = 0; i < below; ++i) out->set(order[static_cast<size_t>(i)], elementAt(below, 1));
    for (int64_t i = size - above; i < size; ++i)
        out->set(order[static_cast<size_t>(i)], elementAt(size - above - 1, -1));
    return out;
}
Value winsorizeKernel(Context&, Arguments a) {
    return vectorForms([&](std::span<const Value> step) { return Value::of(winsorized(a, step[0].vector())); },
                       a.first(1));
}
Value winsorizeInPlace(Context& context, Arguments a) {
    a[0] = winsorizeKernel(context, a);
    return a[0];
}

// iterate(init, coeffs, input): x[n] = the last elements times the coefficients, plus input[n].
Value iterateKernel(Context&, Arguments a) {
    Ref<Vector> init = realsArgument(a, 0, "init"), coeffs = realsArgument(a, 1, "coeffs");
    if (init->size() != coeffs->size() || init->size() == 0)
        throw UserError(1, fmt::format("init and coeffs differ in length: {} and {}.", init->size(), coeffs->size()));
    bool steps = a[2].isScalar();
    int64_t count = steps ? integerArgument(a, 2, "input") : a[2].size();
    if (count < 0) refuseArgument(2, "input", "not negative", a[2]);
    Ref<Vector> added = steps ? nullptr : realsArgument(a, 2, "input");
    const auto orZero = [](double element) { return isNull(element) ? 0 : element; };  // NULL counts as 0
    std::vector<double> x;
    for (int64_t i = 0; i < init->size(); ++i) x.push_back(orZero(init->data<double>()[i]));
    auto order = static_cast<size_t>(init->size());
    for (int64_t n = 0; n < count; ++n) {
        checkCancelled();
        double next = added ? orZero(added->data<double>()[n]) : 0;
        for (size_t k = 0; k < order; ++k) next += x[x.size() - order + k] * orZero(coeffs->data<double>()[k]);
        x.push_back(next);
    }
    Ref<Vector> out = Vector::of(Type::Double, std::vector<double>(x.begin() + static_cast<ptrdiff_t>(order), x.end()));
    bool integers = !isFloating(a[0].type()) && !isFloating(a[1].type()) && !isFloating(a[2].type());
    return Value::of(integers ? cast(*out, Type::Long) : out);
}

// clip(X, Y, Z): X held between Y and Z.
Value clipKernel(Context&, Arguments a) {
    Value x = a[0];
    auto bound = [](const Value& v) { return v.isVoid() || (v.isScalar() && v.isNull()); };
    auto one = [&](const Value& element, const Value& low, const Value& high) {
        Value result = element;
        if (!bound(low)) result = selectItems(applyBinary(Operator::Lt, result, low), low, result);
        if (!bound(high)) result = selectItems(applyBinary(Operator::Gt, result, high), high, result);
        // A NULL on either side stays NULL.
        auto keepNull = [&](const Value& v) {
            if (v.isScalar()) return;
            Value missing = mapElements(v, [](const Vector& elements) {
                Ref<Vector> out = Vector::make(Type::Bool, elements.size());
                for (int64_t i = 0; i < elements.size(); ++i) out->mutableData<int8_t>()[i] = elements.isNullAt(i);
                return out;
            });
            result = selectItems(missing, Value::nullOf(element.type()), result);
        };
        if (element.isScalar() && element.isNull()) return element;
        keepNull(element);
        keepNull(low);
        keepNull(high);
        return result.type() == element.type() ? result : cast(result, element.type());
    };
    if (!x.isTable()) return mapContainer(x, [&](const Value& element) { return one(element, a[1], a[2]); });
    const Ref<MemoryTable> table = tableToRead(x);
    if (!table) refuseArgument(0, "X", "a table in memory", x);
    auto result = makeRef<MemoryTable>();
    auto columnOf = [](const Value& v, int c) {
        const Ref<MemoryTable> other = tableToRead(v);
        return other && c < other->columnCount() ? other->column(c) : v;
    };
    for (int c = 0; c < table->columnCount(); ++c) {
        const Value& column = table->column(c);
        bool clipped = isNumeric(column.type()) || isTemporal(column.type());
        result->setColumn(table->columns()[static_cast<size_t>(c)].name,
                          clipped ? one(column, columnOf(a[1], c), columnOf(a[2], c)) : column);
    }
    return Value::of(Ref<Table>(result));
}
Value clipInPlace(Context& context, Arguments a) {
    a[0] = clipKernel(context, a);
    return a[0];
}

// mask(X, Y): NULL where Y is true.
Value maskKernel(Context&, Arguments a) {
    if (a[1].isScalar() && !a[0].isScalar())
        return isTrue(a[1])
                   ? mapElements(a[0], [](const Vector& v) { return Vector::filled(v.type(), v.size(), Value()); })
                   : a[0];
    return selectItems(a[1], Value::nullOf(a[0].type()), a[0]);
}

template <Operator kOperator>
Value extremeIgnoringNull(Context&, Arguments a) {
    auto missing = [](const Value& v) {
        if (v.isScalar()) return Value::ofBool(v.isNull());
        return mapElements(v, [](const Vector& elements) {
            Ref<Vector> out = Vector::make(Type::Bool, elements.size());
            for (int64_t i = 0; i < elements.size(); ++i) out->mutableData<int8_t>()[i] = elements.isNullAt(i);
            return out;
        });
    };
    Value first = applyBinary(Operator::OrIgnoringNull, applyBinary(kOperator, a[0], a[1]), missing(a[1]));
    first = applyBinary(Operator::And, first, applyUnary(Operator::Not, missing(a[0])));
    return selectItems(first, a[0], a[1]);
}

struct Buckets {
    double low, high, width;
    int64_t count;
    bool outside;

    // Returns the bucket of a value, -1 for none.
    int64_t of(double x) const {
        if (isNull(x)) return -1;
        if (x < low) return outside ? 0 : -1;
        if (x >= high) return outside ? count + 1 : -1;
        auto bucket = static_cast<int64_t>((x - low) / width);
        return std::min(bucket, count - 1) + (outside ? 1 : 0);
    }
};

// bucket(vector, dataRange, bucketNum, [includeOutbound=false])
Buckets bucketsArgument(Arguments a) {
    if (!a[1].isPair()) refuseArgument(1, "dataRange", "a pair", a[1]);
    int64_t count = integerArgument(a, 2, "bucketNum");
    if (count < 1) refuseArgument(2, "bucketNum", "at least 1", a[2]);
    Ref<Vector> range = numbersAs<double>(*cast(a[1].vector(), isTemporal(a[1].type()) ? Type::Long : a[1].type()));
    double low = range->data<double>()[0], high = range->data<double>()[1];
    if (isNull(low) || isNull(high) || !(low < high)) refuseArgument(1, "dataRange", "rising", a[1]);
    bool whole = !isFloating(a[1].type());
    if (whole && std::fmod(high - low, static_cast<double>(count)) != 0)
        throw UserError(1, "dataRange must be the multiplier of bucketNum.", "Use digitize for other borders.");
    return {low, high, (high - low) / static_cast<double>(count), count, flagArgument(a, 3, "includeOutbound", false)};
}
Ref<Vector> bucketItems(Arguments a) {
    Ref<Vector> v = vectorArgument(a, 0, "vector");
    return isTemporal(v->type()) ? numbersAs<double>(*cast(*v, widthOf(v->type()) == 8 ? Type::Long : Type::Int))
                                 : numbersAs<double>(*v);
}
Value bucketCountKernel(Context&, Arguments a) {
    Buckets buckets = bucketsArgument(a);
    Ref<Vector> x = bucketItems(a);
    std::vector<int32_t> counts(static_cast<size_t>(buckets.count + (buckets.outside ? 2 : 0)));
    for (int64_t i = 0; i < x->size(); ++i) {
        int64_t bucket = buckets.of(x->data<double>()[i]);
        if (bucket >= 0) ++counts[static_cast<size_t>(bucket)];
    }
    return Value::of(Vector::of(Type::Int, counts));
}

// qcut(X, q, [labels], [dropDuplicates=false])
Value qcutKernel(Context&, Arguments a) {
    Ref<Vector> x = realsArgument(a, 0, "X");
    std::vector<double> valid, borders;
    for (int64_t i = 0; i < x->size(); ++i) {
        if (!isNull(x->data<double>()[i])) valid.push_back(x->data<double>()[i]);
    }
    std::vector<double> shares;
    if (a[1].isScalar()) {
        int64_t q = integerArgument(a, 1, "q");
        if (q < 1) refuseArgument(1, "q", "at least 1", a[1]);
        for (int64_t k = 0; k <= q; ++k) shares.push_back(static_cast<double>(k) / static_cast<double>(q));
    } else {
        Ref<Vector> given = realsArgument(a, 1, "q");
        shares.assign(given->data<double>(), given->data<double>() + given->size());
        if (shares.size() < 2 || !std::is_sorted(shares.begin(), shares.end()) || shares.front() < 0 ||
            shares.back() > 1)
            refuseArgument(1, "q", "rising fractions between 0 and 1", a[1]);
    }
    for (double share : shares) {
        checkCancelled();
        borders.push_back(quantileOf(valid, share, Interpolation::Linear));
    }
    bool drop = flagArgument(a, 3, "dropDuplicates", false);
    if (!drop && std::adjacent_find(borders.begin(), borders.end()) != borders.end())
        throw UserError(0, "Two borders of the intervals are equal.", "Use dropDuplicates=true.");
    auto bins = static_cast<int64_t>(shares.size()) - 1;
    if (isGiven(a, 2) && a[2].size() != bins)
        throw UserError(2, fmt::format("There must be {} labels, but there are {}.", bins, a[2].size()));
    Ref<Vector> out = Vector::make(Type::Int, x->size());
    for (int64_t i = 0; i < x->size(); ++i) {
        double element = x->data<double>()[i];
        int64_t bin = -1;
        if (!isNull(element) && !borders.empty() && element >= borders.front() && element <= borders.back()) {
            bin = std::max<int64_t>(0, std::lower_bound(borders.begin(), borders.end(), element) - borders.begin() - 1);
        }
        out->mutableData<int32_t>()[i] = bin < 0 ? null<int32_t> : static_cast<int32_t>(bin);
    }
    return isGiven(a, 2) ? takeRows(a[2], *out) : Value::of(out);
}

// histogram(X, [bins=10], [range], [density=false], [weights])
Value histogramKernel(Context&, Arguments a) {
    Ref<Vector> x = realsArgument(a, 0, "X");
    Ref<Vector> weights = isGiven(a, 4) ? realsArgument(a, 4, "weights") : nullptr;
    if (weights && weights->size() != x->size()) throw UserError(4, "weights and X differ in length.");
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < x->size(); ++i) {
        double element = x->data<double>()[i];
        if (isNull(element)) continue;
        low = std::min(low, element);
        high = std::max(high, element);
    }
    if (isGiven(a, 2)) {
        Ref<Vector> range = realsArgument(a, 2, "range");
        if (range->size() != 2 || !(range->data<double>()[0] <= range->data<double>()[1]))
            refuseArgument(2, "range", "two rising numbers", a[2]);
        low = range->data<double>()[0];
        high = range->data<double>()[1];
    }
    std::vector<double> edges;
    if (!isGiven(a, 1) || a[1].isScalar()) {
        int64_t bins = integerArgument(a, 1, "bins", 10);
        if (bins < 1) refuseArgument(1, "bins", "at least 1", a[1]);
        if (!(low <= high)) low = 0, high = 1;
        if (low == high) low -= 0.5, high += 0.5;
        for (int64_t k = 0; k <= bins; ++k)
            edges.push_back(low + (high - low) * static_cast<double>(k) / static_cast<double>(bins));
    } else {
        Ref<Vector> given = realsArgument(a, 1, "bins");
        edges.assign(given->data<double>(), given->data<double>() + given->size());
        bool rises = std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) == edges.end();
        if (edges.size() < 2 || !rises) refuseArgument(1, "bins", "strictly rising borders", a[1]);
    }
    std::vector<double> counts(edges.size() - 1);
    double total = 0;
    for (int64_t i = 0; i < x->size(); ++i) {
        double element = x->data<double>()[i];
        bool inside =
            !isNull(element) && element >= std::max(low, edges.front()) && element <= std::min(high, edges.back());
        if (!inside) continue;
        auto bin = static_cast<size_t>(std::upper_bound(edges.begin(), edges.end(), element) - edges.begin());
        double weight = weights ? weights->data<double>()[i] : 1;
        counts[std::min(bin, counts.size()) - 1] += weight;
        total += weight;
    }
    bool density = flagArgument(a, 3, "density", false);
    for (size_t k = 0; k < counts.size() && density; ++k) counts[k] /= total * (edges[k + 1] - edges[k]);
    Ref<Vector> h = Vector::of(Type::Double, counts);
    bool whole = !density && (!weights || !isFloating(a[4].type()));
    auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
    result->set(Value::ofString("H"), Value::of(whole ? cast(*h, Type::Long) : h));
    result->set(Value::ofString("edges"), Value::of(Vector::of(Type::Double, edges)));
    return Value::of(result);
}

// valueChanged(X, [mode='prev'])
Value valueChangedKernel(Context&, Arguments a) {
    std::string mode = stringArgument(a, 1, "mode", "prev");
    if (mode != "prev" && mode != "next" && mode != "either" && mode != "both")
        refuseArgument(1, "mode", "prev, next, either or both", a[1]);
    auto of = [&](const Value& x) {
        const Vector& v = x.vector();
        Ref<Vector> out = Vector::make(Type::Bool, v.size());
        int64_t n = v.size();
        for (int64_t i = 0; i < n; ++i) {
            bool before = i > 0 && compareElements(v, i, v, i - 1) != 0;
            bool after = i + 1 < n && compareElements(v, i, v, i + 1) != 0;
            bool changed = mode == "prev"     ? before
                           : mode == "next"   ? after
                           : mode == "either" ? before || after
                                              : before && after;
            out->mutableData<int8_t>()[i] = changed;
        }
        return Value::of(out);
    };
    if (a[0].isTable()) {
        const Ref<MemoryTable> table = tableToRead(a[0]);
        if (!table) refuseArgument(0, "X", "a table in memory", a[0]);
        auto result = makeRef<MemoryTable>();
        for (int c = 0; c < table->columnCount(); ++c)
            result->setColumn(table->columns()[static_cast<size_t>(c)].name, of(table->column(c)));
        return Value::of(Ref<Table>(result));
    }
    return vectorForms([&](std::span<const Value> step) { return of(step[0]); }, a.first(1));
}

// Tests each element against its neighbours, as BOOL; false at the ends and next to NULL.
template <class Test>
Value testNeighbours(Arguments a, Test test) {
    return vectorForms(
        [&](std::span<const Value> step) {
            Ref<Vector> x = numbersAs<double>(step[0].vector());
            const double* p = x->data<double>();
            Ref<Vector> out = Vector::make(Type::Bool, x->size());
            for (int64_t i = 0; i < x->size(); ++i) {
                bool inside = i > 0 && i + 1 < x->size() && !isNull(p[i]) && !isNull(p[i - 1]) && !isNull(p[i + 1]);
                out->mutableData<int8_t>()[i] = inside && test(p[i], p[i - 1]) && test(p[i], p[i + 1]);
            }
            return Value::of(out);
        },
        a.first(1));
}
Value isPeakKernel(Context&, Arguments a) {
    bool strict = flagArgument(a, 1, "strict", true);
    return testNeighbours(a, [strict](double x, double y) { return strict ? x > y : x >= y; });
}
Value isValleyKernel(Context&, Arguments a) {
    bool strict = flagArgument(a, 1, "strict", true);
    return testNeighbours(a, [strict](double x, double y) { return strict ? x < y : x <= y; });
}

// Counts the elements directly to the left that are smaller (or larger).
template <bool kTop>
Value rangeKernel(Context&, Arguments a) {
    return vectorForms(
        [](std::span<const Value> step) {
            const Vector& v = step[0].vector();
            Ref<Vector> out = Vector::make(Type::Int, v.size());
            // Rows that may end the run of a later one.
            std::vector<int64_t> stack;
            for (int64_t i = 0; i < v.size(); ++i) {
                auto passed = [&](int64_t row) {
                    int order = compareElements(v, row, v, i);
                    return kTop ? order < 0 : order > 0;
                };
                while (!stack.empty() && passed(stack.back())) stack.pop_back();
                int64_t from = stack.empty() ? -1 : stack.back();
                out->mutableData<int32_t>()[i] = static_cast<int32_t>(i - from - 1);
                stack.push_back(i);
            }
            return Value::of(out);
        },
        a.first(1));
}

// The row before decides, but where mode asks for those that follow.
int64_t reachOfChange(std::span<const Value> constants) {
    constexpr size_t kMode = 1;
    const bool isGiven = kMode < constants.size() && !constants[kMode].isVoid();
    return !isGiven || (constants[kMode].isString() && constants[kMode].string() == "prev") ? 1 : -1;
}

// sumbars(X, Y): how many elements up to this one have a sum of at least Y; 0 while they do not.
Value sumbarsKernel(Context&, Arguments a) {
    double target = realArgument(a, 1, "Y");
    return vectorForms(
        [target](std::span<const Value> step) {
            Ref<Vector> x = numbersAs<double>(step[0].vector());
            Ref<Vector> out = Vector::make(Type::Int, x->size());
            for (int64_t i = 0; i < x->size(); ++i) {
                out->mutableData<int32_t>()[i] =
                    barsToSum(i + 1, target, [&](int64_t k) { return x->data<double>()[i - k]; });
            }
            return Value::of(out);
        },
        a.first(1));
}

// trueRange(high, low, close): NULL in the first row, which has no close before.
Value trueRangeKernel(Context&, Arguments a) {
    return vectorForms(
        [](std::span<const Value> step) {
            Ref<Vector> high = numbersAs<double>(step[0].vector(), 0, "high"),
                        low = numbersAs<double>(step[1].vector(), 1, "low"),
                        close = numbersAs<double>(step[2].vector(), 2, "close");
            Ref<Vector> out = Vector::make(Type::Double, high->size());
            for (int64_t i = 0; i < high->size(); ++i) {
                double h = high->data<double>()[i], l = low->data<double>()[i];
                double c = i > 0 ? close->data<double>()[i - 1] : null<double>;
                bool missing = isNull(h) || isNull(l) || isNull(c);
                out->mutableData<double>()[i] =
                    missing ? null<double> : std::max({std::fabs(h - l), std::fabs(h - c), std::fabs(c - l)});
            }
            return Value::of(out);
        },
        a, 3);
}

// lowerBound(X, Y): the position of each Y in the rising X.
Value lowerBoundKernel(Context&, Arguments a) {
    Ref<Vector> x = vectorArgument(a, 0, "X");
    return mapElements(a[1], [&](const Vector& given) {
        Ref<Vector> y = cast(given, x->type());
        Ref<Vector> out = Vector::make(Type::Int, y->size());
        for (int64_t i = 0; i < y->size(); ++i) {
            int64_t low = 0, high = x->size();
            while (low < high) {
                int64_t middle = (low + high) / 2;
                if (compareElements(*x, middle, *y, i) < 0) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            out->mutableData<int32_t>()[i] = static_cast<int32_t>(low);
        }
        return out;
    });
}

// talibNull(args...): all vectors NULL up to the first row in which all have a value.
Value talibNullKernel(Context&, Arguments a) {
    std::vector<Ref<Vector>> vectors;
    for (size_t i = 0; i < a.size(); ++i) vectors.push_back(vectorArgument(a, i, "args"));
    int64_t n = vectors.empty() ? 0 : vectors[0]->size(), first = 0;
    for (const auto& v : vectors) {
        if (v->size() != n)
            throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", n, v->size()));
    }
    while (first < n &&
           std::any_of(vectors.begin(), vectors.end(), [&](const Ref<Vector>& v) { return v->isNullAt(first); }))
        ++first;
    std::vector<Value> results;
    for (const auto& v : vectors) {
        Ref<Vector> out = Vector::filled(v->type(), first, Value());
        out->append(*v, first, n - first);
        results.push_back(Value::of(out));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "winsorize.X: a numeric vector; a matrix or table is computed column by column\n"
    "winsorize!.X: a numeric vector that is changed; a matrix or table is computed column by column\n"
    "limit: the share of the elements that is cut on either side, from 0 to 1; two numbers for the low and the high "
    "side\n"
    "inclusive: true cuts the count of elements down to an integer, false rounds it; two of them for the low and the "
    "high side\n"
    "nanPolicy: what NULL is: upper the largest, lower the smallest, omit left out, raise an error\n"
    "clip.X: numbers or temporal values: a scalar, vector, matrix, table or dictionary\n"
    "clip!.X: numbers or temporal values that are changed: a vector, matrix, table or dictionary\n"
    "clip.Y: the lower border, a scalar or of the shape of X; none when NULL\n"
    "clip.Z: the upper border, a scalar or of the shape of X; none when NULL\n"
    "clip!.Y: the lower border, a scalar or of the shape of X; none when NULL\n"
    "clip!.Z: the upper border, a scalar or of the shape of X; none when NULL\n"
    "vector: a numeric or temporal vector\n"
    "dataRange: a pair low:high, with low in and high out\n"
    "bucketNum: how many buckets of equal width, at least 1; for integers it divides the range\n"
    "includeOutbound: true adds a bucket for what is below the range and one for what is not\n"
    "qcut.X: a numeric vector\n"
    "q: how many intervals of equal counts, or a vector of rising fractions from 0 to 1, the borders\n"
    "labels: a name for each interval in place of its number\n"
    "dropDuplicates: true joins intervals with equal borders, false makes them an error\n"
    "histogram.X: a numeric vector\n"
    "bins: how many bins of equal width, or a vector of strictly rising borders\n"
    "range: two numbers, the ends of the bins; the smallest and the largest of X when omitted\n"
    "density: true gives counts as a density, whose integral is 1\n"
    "weights: a numeric vector as long as X; 1 for each element when omitted\n"
    "high: the highest prices, a numeric vector or matrix\n"
    "low: the lowest prices, as long\n"
    "close: the closing prices, as long; the one of the row before counts\n"
    "args: vectors of one length";

void registerTransforms(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   std::string_view errors = "X is not numeric.") {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = errors,
                      .example = example});
    };
    auto ordered = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                       Reach reach = nullptr, MakeRolling rolling = nullptr) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = "X is not numeric.",
                      .example = example},
                     {.orderSensitive = true, .rolling = rolling, .reach = reach});
    };
    add("zscore(X)", zscoreKernel, "(X - mean) / sample's deviation, column by column.", "zscore(1 2 3) -> [-1,0,1]");
    add("demean(X)", demeanKernel, "X less its mean, column by column.", "demean(1 2 6) -> [-2,-1,3]");
    add("winsorize(X, limit, [inclusive=true], [nanPolicy='upper'])", winsorizeKernel,
        "X with the smallest and largest share of its elements set to the limit they pass.",
        "winsorize(1 2 3 4 9, 0.2) -> [2,2,3,4,4]", "limit is not between 0 and 1.");
    add("winsorize!(X, limit, [inclusive=true], [nanPolicy='upper'])", winsorizeInPlace, "As winsorize, changing X.",
        "x = 1 2 9; winsorize!(x, 0.4); x -> [2,2,2]");
    registry.add(
        "iterate(init, coeffs, input)", iterateKernel,
        {.summary = "The recurrence x[n] = the last elements times coeffs + input[n]; a scalar input is the "
                    "number of steps.",
         .parameters =
             "init: a numeric vector of the elements before the first result\n"
             "coeffs: a numeric vector as long as init, the factors of the last elements, the oldest first\n"
             "input: how many results, 0 or more, or a numeric vector of what is added to each; NULL counts as 0",
         .errors = "init and coeffs differ in length.",
         .example = "iterate(1 1, 1 1, 4) -> [2,3,5,8]"},
        {.orderSensitive = true, .rolling = recurrenceStates});
    add("clip(X, Y, Z)", clipKernel, "X held between Y and Z; NULL as a scalar border is none.",
        "clip(1 5 9, 2, 6) -> [2,5,6]");
    add("clip!(X, Y, Z)", clipInPlace, "As clip, changing X.", "x = 1 5; clip!(x, 2, 3); x -> [2,3]");
    add("mask(X, Y)", maskKernel, "X with NULL where Y is true.", "mask(1 2 3, false true false) -> [1,,3]");
    add("maxIgnoreNull(X, Y)", extremeIgnoringNull<Operator::Ge>,
        "The elementwise maximum of X and Y; NULL only for two.", "maxIgnoreNull(1 NULL 3, 2 5 NULL) -> [2,5,3]");
    add("minIgnoreNull(X, Y)", extremeIgnoringNull<Operator::Le>,
        "The elementwise minimum of X and Y; NULL only for two.", "minIgnoreNull(1 NULL 3, 2 5 NULL) -> [1,5,3]");
    add("bucketCount(vector, dataRange, bucketNum, [includeOutbound=false])", bucketCountKernel,
        "How many elements fall into each bucket.", "bucketCount(1 5 9, 0:10, 2) -> [1,2]",
        "dataRange is no rising pair.");
    add("qcut(X, q, [labels], [dropDuplicates=false])", qcutKernel,
        "The interval between quantiles that holds each element, as a number from 0 or a label.",
        "qcut(1 2 3 4, 2) -> [0,0,1,1]", "Two borders are equal, or there are not as many labels as intervals.");
    add("histogram(X, [bins=10], [range], [density=false], [weights])", histogramKernel,
        "How many elements (or how much weight) fall into bins: a dictionary of H and edges.",
        "histogram(1 2 3, 2)[`H] -> [1,2]");
    ordered("valueChanged(X, [mode='prev'])", valueChangedKernel,
            "Whether each element differs from the one before, after, either or both.",
            "valueChanged(1 1 2) -> [false,false,true]", reachOfChange);
    ordered("isPeak(X, [strict=true])", isPeakKernel, "Whether each element is larger than its neighbours.",
            "isPeak(1 3 2) -> [false,true,false]");
    ordered("isValley(X, [strict=true])", isValleyKernel, "Whether each element is smaller than its neighbours.",
            "isValley(3 1 2) -> [false,true,false]");
    ordered("topRange(X)", rangeKernel<true>, "How many elements directly to the left are smaller.",
            "topRange(1 3 2 4) -> [0,1,0,3]", nullptr, rangeStates<true>);
    ordered("lowRange(X)", rangeKernel<false>, "How many elements directly to the left are larger.",
            "lowRange(4 3 5 2) -> [0,1,0,3]", nullptr, rangeStates<false>);
    ordered("sumbars(X, Y)", sumbarsKernel, "How many elements up to each one add up to at least Y, or 0.",
            "sumbars(1 2 3, 4) -> [0,0,2]", nullptr, sumbarsStates);
    ordered("trueRange(high, low, close)", trueRangeKernel, "The true range of prices.",
            "trueRange(5 6, 3 5, 4 5) -> [,2]", [](std::span<const Value>) -> int64_t { return 1; });
    add("lowerBound(X, Y)", lowerBoundKernel, "The position of the first element of the rising X that is not below Y.",
        "lowerBound(1 3 5, 2 6) -> [1,3]");
    ordered("talibNull(args...)", talibNullKernel, "The vectors, NULL up to the first row in which all have a value.",
            "talibNull(1 2 3, NULL 5 6) -> ([,2,3],[,5,6])", nullptr, commonStartStates);
}

}  // namespace pelorus
