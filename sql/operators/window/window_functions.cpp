#include "sql/operators/window/window_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/elementwise/duration.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/registry/registry.h"
#include "runtime/table/row_numbers.h"
#include "runtime/value/cast.h"
#include "sql/bind/query_form.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/row_concatenation.h"
#include "sql/operators/select_rows.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

std::vector<OrderKey> windowOrder(const Window& window, const MemoryTable& rows, Context& context) {
    return orderKeys(window.orderBy, rows, context);
}

// Equality in an order: -0.0 equals 0.0, and NaN equals NaN.
static bool areEqualInOrder(const Value& a, const Value& b) {
    return identical(a, b) || (isFloating(a.type()) && a.asDouble() == b.asDouble());
}

void findPeers(WindowRows& partition, const std::vector<OrderKey>& keys) {
    const auto count = static_cast<int32_t>(partition.rows->rowCount());
    auto equal = [&](int32_t a, int32_t b) {
        return std::all_of(keys.begin(), keys.end(),
                           [&](const OrderKey& k) { return areEqualInOrder(k.column.at(a), k.column.at(b)); });
    };
    partition.peerBegin.resize(static_cast<size_t>(count));
    partition.peerEnd.resize(static_cast<size_t>(count));
    for (int32_t begin = 0; begin < count;) {
        int32_t end = begin + 1;
        while (end < count && equal(begin, end)) ++end;
        for (int32_t i = begin; i < end; ++i) {
            partition.peerBegin[static_cast<size_t>(i)] = begin;
            partition.peerEnd[static_cast<size_t>(i)] = end;
        }
        begin = end;
    }
}

namespace {

Value constantValue(const NodeRef& node, Context& context) {
    const ExpressionProgram e = bindProgram(node, {}, context);
    return e.evaluate(context, std::span<const Value>(), 0);
}

// End of a frame among the values of its key.
struct Bound {
    Value value;
    int beyond = 0;  // -1 and 1: below and above all values that the type of the key holds
};

// Returns x shifted by n, or by a duration; in the direction of the order.
Bound moved(const Value& x, const Value& by, bool forward, bool ascending) {
    const bool adds = forward == ascending;
    Bound bound;
    if (by.type() == Type::Duration) {
        bound.value = temporalAdd(x, adds ? by.integer() : -by.integer(), by.unit());
    } else {
        bound.value = applyBinary(adds ? Operator::Add : Operator::Sub, x, by);
    }
    // Sums beyond the end of the type or the day wrap around to its other end. Distances are literals, without a sign.
    const bool cameRound = bound.value.isNull() || goesRoundTheClock(x.type(), by) ||
                           isTrue(applyBinary(adds ? Operator::Lt : Operator::Gt, bound.value, x));
    if (cameRound) bound.beyond = adds ? 1 : -1;
    return bound;
}

// Computes ends of frames given by values of the one order key.
void rangeFrame(const Window& window, WindowRows& partition, const OrderKey& key, Context& context) {
    const int64_t count = partition.rows->rowCount();
    const auto distance = [&](const NodeRef& offset) {
        if (!offset) return Value();
        const Value given = constantValue(offset, context);
        const bool isDistance = given.isScalar() && !given.isNull() &&
                                (given.isNumber() || isDecimal(given.type()) || given.type() == Type::Duration);
        if (!isDistance) throw UserError("The distance of a range must be a number or a duration.");
        return given;
    };
    const Value low = distance(window.lowOffset), high = distance(window.highOffset);
    const bool nullsFirst = key.nullsGiven ? key.nullsFirst : key.ascending;
    auto position = [&](const Value& offset, bool forward, bool isLow, int64_t i) {
        const Value x = key.column.at(i);
        // Only NULL is at any distance from NULL.
        if (x.isNull()) return (isLow ? partition.peerBegin : partition.peerEnd)[static_cast<size_t>(i)];
        const Bound bound = moved(x, offset, forward, key.ascending);
        // Counts rows before the bound, in the order of the window.
        auto before = [&](int64_t r) {
            const Value item = key.column.at(r);
            if (item.isNull()) return nullsFirst;
            if (bound.beyond != 0) return (bound.beyond > 0) == key.ascending;
            const Operator op =
                key.ascending ? (isLow ? Operator::Lt : Operator::Le) : (isLow ? Operator::Gt : Operator::Ge);
            return isTrue(applyBinary(op, item, bound.value));
        };
        int64_t begin = 0, end = count;
        while (begin < end) {
            const int64_t middle = (begin + end) / 2;
            if (before(middle)) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        return static_cast<int32_t>(begin);
    };
    for (int64_t i = 0; i < count; ++i) {
        auto at = static_cast<size_t>(i);
        switch (window.low) {
            case FrameBound::UnboundedPreceding:
                partition.first[at] = 0;
                break;
            case FrameBound::CurrentRow:
                partition.first[at] = partition.peerBegin[at];
                break;
            default:
                partition.first[at] = position(low, window.low == FrameBound::Following, true, i);
        }
        switch (window.high) {
            case FrameBound::UnboundedFollowing:
                partition.last[at] = static_cast<int32_t>(count);
                break;
            case FrameBound::CurrentRow:
                partition.last[at] = partition.peerEnd[at];
                break;
            default:
                partition.last[at] = position(high, window.high == FrameBound::Following, false, i);
        }
        // A frame that would end before it begins is empty.
        partition.last[at] = std::max(partition.first[at], partition.last[at]);
    }
}

// Returns how many rows away a frame begins or ends.
int64_t rowsOf(const NodeRef& offset, Context& context) {
    const Value given = constantValue(offset, context);
    if (!given.isNumber() || given.isNull()) throw UserError("The distance of a frame of rows must be a number.");
    return given.asLong();
}

// Returns row i shifted by a distance that may be larger than any number of rows.
int64_t movedRow(int64_t i, int64_t distance) {
    int64_t row = 0;
    if (__builtin_add_overflow(i, distance, &row)) return distance > 0 ? INT64_MAX : INT64_MIN;
    return row;
}

void rowsFrame(const Window& window, WindowRows& partition, Context& context) {
    const int64_t count = partition.rows->rowCount();
    auto offset = [&](const NodeRef& node) { return node ? rowsOf(node, context) : 0; };
    const int64_t lowOffset = offset(window.lowOffset), highOffset = offset(window.highOffset);
    auto end = [&](FrameBound bound, int64_t n, int64_t i) -> int64_t {
        switch (bound) {
            case FrameBound::UnboundedPreceding:
                return 0;
            case FrameBound::Preceding:
                return movedRow(i, -n);
            case FrameBound::CurrentRow:
                return i;
            case FrameBound::Following:
                return movedRow(i, n);
            default:
                return count - 1;
        }
    };
    for (int64_t i = 0; i < count; ++i) {
        const int64_t first = std::clamp<int64_t>(end(window.low, lowOffset, i), 0, count);
        const int64_t last = std::clamp<int64_t>(movedRow(end(window.high, highOffset, i), 1), first, count);
        partition.first[static_cast<size_t>(i)] = static_cast<int32_t>(first);
        partition.last[static_cast<size_t>(i)] = static_cast<int32_t>(last);
    }
}

void setFrames(const Window& window, WindowRows& partition, const std::vector<OrderKey>& keys, Context& context) {
    const auto count = static_cast<size_t>(partition.rows->rowCount());
    partition.first.assign(count, 0);
    partition.last.assign(count, static_cast<int32_t>(count));
    if (!window.hasFrame) {
        if (!window.orderBy.empty()) partition.last = partition.peerEnd;
    } else if (!window.byRange) {
        rowsFrame(window, partition, context);
    } else {
        const bool offsets = window.lowOffset || window.highOffset;
        if (offsets && keys.size() != 1) throw UserError("A range with a distance needs order by one column.");
        rangeFrame(window, partition, keys.empty() ? OrderKey{Value()} : keys[0], context);
    }
}

struct WindowCall {
    std::string name;
    const Call& call;
    std::vector<NodeRef> arguments;
};

int64_t integerArgument(const WindowCall& f, size_t i, int64_t whenMissing, Context& context) {
    if (i >= f.arguments.size()) return whenMissing;
    const int64_t given = constantValue(f.arguments[i], context).asLong();
    if (isNull(given)) throw UserError(fmt::format("{} needs a number of rows, but it is NULL.", f.name));
    return given;
}

// Returns one value for each row, unless the argument is a function that returns another number of them, as distinct
// does.
Value argumentColumn(const WindowCall& f, size_t i, const WindowRows& partition, Context& context) {
    if (i >= f.arguments.size()) throw UserError(fmt::format("{} needs an argument.", f.name));
    const ExpressionProgram e = bindProgram(f.arguments[i], partition.rows->columns(), context);
    Value v = e.evaluate(context, *partition.rows);
    if (v.isScalar()) return Value::of(Vector::filled(v.type(), partition.rows->rowCount(), v));
    return v;
}

using Ints = std::vector<int32_t>;

Value ints(const Ints& values) {
    return Value::of(Vector::of(Type::Int, values));
}

// Functions that depend on the order only. False for any other function.
bool rankingFunction(const WindowCall& f, const Window& window, const WindowRows& p, Context& context, Value& result) {
    const auto n = static_cast<int32_t>(p.rows->rowCount()), before = static_cast<int32_t>(p.before);
    const auto total = static_cast<int32_t>(p.total);
    Ints out(static_cast<size_t>(n));
    std::vector<double> shares(static_cast<size_t>(n));
    const bool ordered = !window.orderBy.empty();
    if (f.name == "row_number") {
        for (int32_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = before + i + 1;
    } else if (f.name == "rank") {
        for (size_t i = 0; i < out.size(); ++i) out[i] = ordered ? before + p.peerBegin[i] + 1 : 1;
    } else if (f.name == "dense_rank") {
        auto rank = static_cast<int32_t>(p.peersBefore);
        for (size_t i = 0; i < out.size(); ++i) {
            if (i == 0 || (ordered && p.peerBegin[i] == static_cast<int32_t>(i))) ++rank;
            out[i] = rank;
        }
    } else if (f.name == "percent_rank" || f.name == "cume_dist") {
        const bool percent = f.name == "percent_rank";
        for (size_t i = 0; i < shares.size(); ++i) {
            const double rank = ordered ? before + p.peerBegin[i] : 0;
            const double upTo = ordered ? before + p.peerEnd[i] : total;
            shares[i] = percent ? (total > 1 ? rank / (total - 1) : 0) : upTo / total;
        }
        result = Value::of(Vector::of(Type::Double, shares));
        return true;
    } else if (f.name == "ntile") {
        const int64_t tiles = integerArgument(f, 0, 0, context);
        if (tiles < 1) throw UserError(fmt::format("ntile needs a positive number of groups, but it is {}.", tiles));
        const int64_t size = total / tiles, larger = total % tiles;
        for (int64_t row = 0; row < n; ++row) {
            const int64_t i = before + row, inLarger = larger * (size + 1);
            const int64_t tile = i < inLarger ? i / (size + 1) : larger + (i - inLarger) / std::max<int64_t>(size, 1);
            out[static_cast<size_t>(row)] = static_cast<int32_t>(tile + 1);
        }
    } else {
        return false;
    }
    result = ints(out);
    return true;
}

// Functions that return one row's value: by distance, or by its position in the frame.
bool valueFunction(const WindowCall& f, const WindowRows& p, Context& context, Value& result) {
    const auto n = static_cast<int32_t>(p.rows->rowCount());
    Ints positions(static_cast<size_t>(n));
    Value whenMissing;
    if (f.name == "lead" || f.name == "lag") {
        const int64_t distance = integerArgument(f, 1, 1, context) * (f.name == "lead" ? 1 : -1);
        if (f.arguments.size() > 2) whenMissing = constantValue(f.arguments[2], context);
        for (int32_t i = 0; i < n; ++i) {
            const int64_t at = movedRow(i, distance);
            positions[static_cast<size_t>(i)] = at >= 0 && at < n ? static_cast<int32_t>(at) : -1;
        }
    } else if (f.name == "first_value" || f.name == "last_value" || f.name == "nth_value") {
        const int64_t nth = f.name == "nth_value" ? integerArgument(f, 1, 1, context) : 1;
        for (size_t i = 0; i < positions.size(); ++i) {
            const int64_t at = f.name == "last_value" ? p.last[i] - 1 : movedRow(p.first[i] - 1, nth);
            positions[i] = at >= p.first[i] && at < p.last[i] ? static_cast<int32_t>(at) : -1;
        }
    } else {
        return false;
    }
    const Value column = argumentColumn(f, 0, p, context);
    if (column.size() != n) {
        throw UserError(fmt::format("{} takes one value per row, but its argument returns {} for {} rows.", f.name,
                                    column.size(), n),
                        "Give it a column, or a function of each row.");
    }
    result = takeRows(column, *Vector::of(Type::Int, positions));
    if (!whenMissing.isVoid()) {
        result.makeUnique();
        const Value filler = cast(whenMissing, result.type());
        for (int32_t i = 0; i < n; ++i) {
            if (positions[static_cast<size_t>(i)] < 0) result.vector().set(i, filler);
        }
    }
    return true;
}

// Aggregates whose frames begin with the partition: their cumulative form, at the end of each frame.
bool runningAggregate(const WindowCall& f, const WindowRows& p, Context& context, Value& result) {
    constexpr std::string_view kRunning[] = {"sum",  "avg", "count", "max",   "min",  "std",  "var",  "stdp", "varp",
                                             "sum2", "med", "prod",  "covar", "corr", "beta", "wavg", "wsum"};
    if (std::find(std::begin(kRunning), std::end(kRunning), f.name) == std::end(kRunning)) return false;
    const BuiltinFunction* running = FunctionRegistry::instance().find("cum" + f.name);
    const bool fromStart = std::all_of(p.first.begin(), p.first.end(), [](int32_t first) { return first == 0; });
    const bool neverEmpty = std::all_of(p.last.begin(), p.last.end(), [](int32_t last) { return last > 0; });
    if (!running || !p.isWhole() || !fromStart || !neverEmpty || f.arguments.empty()) return false;
    std::vector<Value> columns;
    for (size_t i = 0; i < f.arguments.size(); ++i) {
        if (f.arguments[i]->kind == NodeKind::Star) return false;
        columns.push_back(argumentColumn(f, i, p, context));
        if (columns.back().size() != p.rows->rowCount()) return false;
        const Type type = columns.back().type();
        if (columns.back().isTuple() || (f.name != "count" && (isDecimal(type) || isLiteral(type)))) return false;
    }
    Value values = running->call(context, columns);
    if (f.name == "count") {  // cumcount has NULL before the first value
        values.makeUnique();
        for (int64_t i = 0; i < values.size(); ++i) {
            if (values.vector().isNullAt(i)) values.vector().set(i, Value::ofInt(0));
        }
    }
    Ints positions = p.last;
    for (int32_t& position : positions) --position;
    result = takeRows(values, *Vector::of(Type::Int, positions));
    return true;
}

Value framedAggregate(const WindowCall& f, const Window& window, const WindowRows& p, Context& context) {
    std::vector<Value> results;
    if (f.arguments.size() == 1 && f.arguments[0]->kind == NodeKind::Star) {
        Ints counts(p.first.size());
        for (size_t i = 0; i < counts.size(); ++i) counts[i] = p.last[i] - p.first[i];
        return ints(counts);
    }
    const ExpressionProgram e = bindProgram(window.call, p.rows->columns(), context);
    if (p.first.empty()) {
        const Value none = e.evaluate(context, *p.rows);
        return filledColumn(none.isVoid() ? Type::Double : none.type(), none.extra(), 0);
    }
    for (size_t i = 0; i < p.first.size(); ++i) {
        context.checkCancelled();
        // Consecutive equal frames are computed once.
        if (i > 0 && p.first[i] == p.first[i - 1] && p.last[i] == p.last[i - 1]) {
            results.push_back(results.back());
            continue;
        }
        const Ref<MemoryTable> frame = p.rows->slice(p.first[i], p.last[i] - p.first[i]);
        Value v = e.evaluate(context, *frame);
        if (!v.isScalar())
            throw UserError(fmt::format("{} is no function of a window: it returns no single value.", f.name));
        results.push_back(std::move(v));
    }
    return columnOf(std::move(results));
}

WindowCall callOf(const Window& window) {
    if (window.call->kind != NodeKind::Call) throw UserError("over needs a function call before it.");
    const auto& call = static_cast<const Call&>(*window.call);
    if (call.callee->kind != NodeKind::Name) throw UserError("over needs the name of a function before it.");
    std::string name = static_cast<const Name&>(*call.callee).name;
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    WindowCall f{std::move(name), call, {}};
    for (const Argument& argument : call.arguments) f.arguments.push_back(argument.value);
    return f;
}

}  // namespace

Value windowValues(const Window& window, WindowRows& partition, Context& context) {
    CHECK(std::ssize(partition.peerBegin) == partition.rows->rowCount() &&
          std::ssize(partition.peerEnd) == partition.rows->rowCount())
        << "the peers of each row are found before its frame";
    WindowCall f = callOf(window);
    setFrames(window, partition, windowOrder(window, *partition.rows, context), context);
    Value result;
    if (rankingFunction(f, window, partition, context, result)) return result;
    if (valueFunction(f, partition, context, result)) return result;
    f.name = static_cast<const Name&>(*f.call.callee).name;
    if (runningAggregate(f, partition, context, result)) return result;
    return framedAggregate(f, window, partition, context);
}

std::optional<WindowReach> reachOf(const Window& window, Context& context) {
    const WindowCall f = callOf(window);
    constexpr std::string_view kRanking[] = {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"};
    if (std::find(std::begin(kRanking), std::end(kRanking), f.name) != std::end(kRanking)) return WindowReach{};
    const auto reach = [](int64_t low, int64_t high) {
        return WindowReach{std::max<int64_t>(0, -std::min(low, high)), std::max<int64_t>(0, std::max(low, high))};
    };
    if (f.name == "lag" || f.name == "lead") {
        const int64_t distance = integerArgument(f, 1, 1, context) * (f.name == "lead" ? 1 : -1);
        return reach(distance, distance);
    }
    const auto bounded = [](FrameBound b) {
        return b == FrameBound::Preceding || b == FrameBound::CurrentRow || b == FrameBound::Following;
    };
    if (!window.hasFrame || window.byRange || !bounded(window.low) || !bounded(window.high)) return std::nullopt;
    const auto end = [&](FrameBound b, const NodeRef& offset) {
        const int64_t n = offset ? rowsOf(offset, context) : 0;
        return b == FrameBound::Preceding ? -n : n;
    };
    return reach(end(window.low, window.lowOffset), end(window.high, window.highOffset));
}

namespace {

// Returns the column of a window function, in the order of the rows.
Value windowColumn(const Window& window, const MemoryTable& rows, Context& context) {
    requireRowNumbers(rows.rowCount());
    std::vector<std::vector<int32_t>> partitions;
    if (window.partitionBy.empty()) {
        partitions.emplace_back();
        for (int32_t i = 0; i < rows.rowCount(); ++i) partitions.back().push_back(i);
    } else {
        std::vector<OutputItem> keys;
        for (const NodeRef& key : window.partitionBy) keys.push_back({{"key"}, key, true});
        partitions = groupRows(keys, rows, context).rows;
        if (partitions.empty()) partitions.emplace_back();  // an empty partition determines the type, too
    }
    ColumnConcatenation parts;
    Ints place(static_cast<size_t>(rows.rowCount()));
    int32_t next = 0;
    for (std::vector<int32_t>& positions : partitions) {
        const auto count = static_cast<int64_t>(positions.size());
        WindowRows partition;
        partition.rows = count == rows.rowCount() ? rows.copy() : rows.gather(positions.data(), count);
        std::vector<int32_t> order = sortPositions(windowOrder(window, *partition.rows, context), count);
        for (int32_t& at : order) at = positions[static_cast<size_t>(at)];
        partition.rows = rows.gather(order.data(), count);
        partition.total = count;
        findPeers(partition, windowOrder(window, *partition.rows, context));
        parts.add(windowValues(window, partition, context));
        for (int32_t at : order) place[static_cast<size_t>(at)] = next++;
    }
    CHECK(next == rows.rowCount()) << "each row is in one partition of a window";
    return takeRows(parts.finish(), *Vector::of(Type::Int, place));
}

}  // namespace

Ref<Query> withWindowColumns(const Query& query, MemoryTable& rows, Context& context) {
    if (query.grouping != GroupKind::None) {
        throw UserError("Window functions can't be used with group by, context by or pivot by. RefId: S02047",
                        "Use them in a query over the grouped one.");
    }
    int number = 0;
    Ref<Query> result = copyQuery(query);
    for (SelectItem& item : result->items) {
        if (!holdsWindow(*item.value)) continue;
        nameWindow(item);
        item.value = rewrite(item.value, [&](const NodeRef& n) -> NodeRef {
            if (n->kind != NodeKind::Window) return NodeRef();
            const std::string name = fmt::format(" window{}", number++);
            rows.setColumn(name, windowColumn(static_cast<const Window&>(*n), rows, context));
            return makeRef<Name>(name, n->position);
        });
    }
    return result;
}

}  // namespace pelorus
