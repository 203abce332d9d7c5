// Joins as functions: ej, lj, lsj, fj, aj, cj.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/code/query.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/join/cross_join.h"
#include "sql/operators/join/joined_rows.h"
#include "sql/operators/join/joins.h"
#include "sql/operators/join/spilled_join.h"
#include "sql/operators/join/spilled_ordered_join.h"
#include "sql/operators/scan/materialise.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/operators/window/window_aggregates.h"
#include "sql/sql_builtins.h"

namespace pelorus {

namespace {

std::vector<std::string> namesOf(const Value& v, int argument) {
    if (!isLiteral(v.type())) {
        throw UserError(argument, fmt::format("The columns to match must be names, but they are {}.", typeString(v)));
    }
    std::vector<std::string> names;
    for (int64_t i = 0; i < v.size(); ++i) names.emplace_back(v.at(i).string());
    return names;
}

Ref<MemoryTable> tableOf(const Value& v, int argument, Context& context) {
    if (!v.isTable()) throw UserError(argument, fmt::format("A join needs tables, but this is {}.", typeString(v)));
    return materialise(v, context);
}

bool isGiven(std::span<const Value> arguments, size_t i) {
    return i < arguments.size() && !isOmitted(arguments[i]) && !arguments[i].isVoid();
}

JoinColumns keysOf(std::span<const Value> arguments) {
    JoinColumns keys;
    keys.left = namesOf(arguments[2], 2);
    keys.right = isGiven(arguments, 3) ? namesOf(arguments[3], 3) : keys.left;
    if (keys.left.empty()) throw UserError(2, "A join matches at least one column.");
    if (keys.left.size() != keys.right.size()) {
        throw UserError(3, fmt::format("The columns to match are {} on the left and {} on the right.", keys.left.size(),
                                       keys.right.size()));
    }
    return keys;
}

// Returns the name of one side of a join: that of its variable, or the table's name.
std::string nameOf(const Value& table, const Context& context) {
    std::string name = context.scope && table.hasObject() ? context.scope->nameOf(*table.object()) : "";
    return name.empty() && table.isTable() ? table.table().name : name;
}

constexpr size_t kLeftFilter = 4, kRightFilter = 5;  // of ej, sej, lj and lsj

// Returns the rows of one side that match its filter, metacode over its columns; empty for no filter.
std::vector<char> maskOf(std::span<const Value> arguments, size_t i, const MemoryTable& table, Context& context) {
    std::vector<char> mask;
    if (!isGiven(arguments, i)) return mask;
    const Value& filter = arguments[i];
    if (!filter.isScalar() || filter.type() != Type::Code) {
        throw UserError(static_cast<int>(i), "A filter of a join must be metacode, as in <qty > 10>.");
    }
    const ExpressionProgram e = bindProgram(filter.as<Code>()->node, table.columns(), context);
    mask.resize(static_cast<size_t>(table.rowCount()));
    for (int32_t r : rowsWhere(e.evaluate(context, table), table.rowCount(), "a join"))
        mask[static_cast<size_t>(r)] = 1;
    return mask;
}

template <JoinKind kind>
Ref<Table> equiJoinOf(std::span<const Value> arguments, const JoinedColumns& shown, Context& context) {
    const JoinColumns keys = keysOf(arguments);
    auto join = [&](const Ref<MemoryTable>& left, const Ref<MemoryTable>& right) {
        if (kind == JoinKind::Full) return Ref<Table>(equiJoin(left, right, keys, kind, shown));
        return Ref<Table>(equiJoin(
            left, right, keys, kind, shown,
            {maskOf(arguments, kLeftFilter, *left, context), maskOf(arguments, kRightFilter, *right, context)}));
    };
    if (Ref<MemoryTable> rows = joinInParts(arguments[0], arguments[1], keys, orderOf(kind), join, context)) {
        return Ref<Table>(rows);
    }
    return join(tableOf(arguments[0], 0, context), tableOf(arguments[1], 1, context));
}

// Joins whose last key is compared differently: as-of and window joins.
Ref<Table> orderedJoinOf(std::span<const Value> tables, const JoinColumns& keys, const PartJoin& join,
                         Context& context) {
    JoinColumns equalKeys = keys;
    equalKeys.left.pop_back();
    equalKeys.right.pop_back();
    if (Ref<MemoryTable> rows = joinInParts(tables[0], tables[1], equalKeys, JoinOrder::Left, join, context)) {
        return Ref<Table>(rows);
    }
    return join(tableOf(tables[0], 0, context), tableOf(tables[1], 1, context));
}

constexpr size_t kDirection = 4, kTolerance = 5;  // of aj

AsofDirection directionOf(std::span<const Value> arguments) {
    if (!isGiven(arguments, kDirection)) return AsofDirection::Backward;
    const Value& direction = arguments[kDirection];
    if (direction.isScalar() && isLiteral(direction.type())) {
        if (direction.string() == "backward") return AsofDirection::Backward;
        if (direction.string() == "forward") return AsofDirection::Forward;
        if (direction.string() == "nearest") return AsofDirection::Nearest;
    }
    throw UserError(kDirection, R"(direction must be "backward", "forward" or "nearest".)");
}

// NULL, an integer or a DURATION.
Value toleranceOf(std::span<const Value> arguments, Context& context) {
    if (!isGiven(arguments, kTolerance)) return {};
    Value tolerance = arguments[kTolerance];
    if (tolerance.isScalar() && isLiteral(tolerance.type()) && !tolerance.isNull()) {
        try {
            std::vector<Value> string{tolerance};
            tolerance = FunctionRegistry::instance().get("duration").call(context, string);
        } catch (const UserError&) {  // reported below, for this argument
        }
    }
    const bool isLength = isIntegral(tolerance.type()) || tolerance.type() == Type::Duration;
    if (!tolerance.isScalar() || !isLength) {
        throw UserError(kTolerance, "tolerance must be an integer, a duration, or NULL for no bound.",
                        "For example 500ms, or 500 for a last key of TIMESTAMP.");
    }
    if (tolerance.isNull()) return {};
    if (tolerance.integer() < 0) throw UserError(kTolerance, "tolerance must be at least 0.");
    return tolerance;
}

Ref<Table> asofJoinOf(std::span<const Value> arguments, const JoinedColumns& shown, Context& context) {
    const JoinColumns keys = keysOf(arguments);
    const AsofJoin asof{directionOf(arguments), toleranceOf(arguments, context)};
    auto join = [&](const Ref<MemoryTable>& left, const Ref<MemoryTable>& right) {
        return Ref<Table>(asofJoin(left, right, keys, asof, shown));
    };
    if (keys.left.size() == 1) {
        const OrderedKey key{keys.left[0], keys.right[0],
                             [&](const Value& l, const Value& r) { return asofRange(l, r, keys.left[0]); }};
        if (Ref<MemoryTable> rows = joinInRanges(arguments[0], arguments[1], key, join, context))
            return Ref<Table>(rows);
    }
    return orderedJoinOf(arguments, keys, join, context);
}

Ref<Table> crossJoinOf(std::span<const Value> arguments, const JoinedColumns& shown, Context& context) {
    return Ref<Table>(makeRef<CrossJoin>(tableOf(arguments[0], 0, context), tableOf(arguments[1], 1, context), shown));
}

// Equi join with the result sorted by the keys.
Ref<Table> sortedJoinOf(std::span<const Value> arguments, const JoinedColumns& shown, Context& context) {
    const Value joined = Value::of(equiJoinOf<JoinKind::Inner>(arguments, shown, context));
    const Ref<MemoryTable> rows = materialise(joined, context);
    std::vector<OrderKey> order;
    for (const std::string& key : keysOf(arguments).left) order.push_back({*rows->column(key)});
    const std::vector<int32_t> positions = sortPositions(order, rows->rowCount());
    return Ref<Table>(rows->gather(positions.data(), static_cast<int64_t>(positions.size())));
}

Ref<Table> prefixJoinOf(std::span<const Value> arguments, const JoinedColumns& shown, Context& context) {
    const JoinColumns keys = keysOf(arguments);
    const auto sides = sidesToSpill(arguments[0], arguments[1], JoinOrder::Left, context);
    const Ref<MemoryTable> right = tableOf(arguments[1], 1, context);
    Ref<MemoryTable> result;
    // A left row may match any right one: the left side is processed block by block, when it exceeds memory.
    for (const Morsel& morsel : sides ? morselsOf(sides->left, {}) : std::vector<Morsel>()) {
        for (int b = morsel.firstBlock; b < morsel.endBlock; ++b) {
            const auto block = makeRef<MemoryTable>();
            for (size_t c = 0; c < sides->left.columns().size(); ++c)
                block->setColumn(sides->left.columns()[c].name, morsel.reader->read(b, static_cast<int>(c)));
            const Ref<MemoryTable> joined = prefixJoin(block, right, keys, shown)->rows(context);
            if (result) {
                result->append(*joined);
            } else {
                result = joined->copy();
            }
        }
    }
    if (result) return Ref<Table>(result);
    return Ref<Table>(prefixJoin(tableOf(arguments[0], 0, context), right, keys, shown));
}

// Metacode of one aggregate, a list of them, or a tuple of metacode.
NodeList aggregatesOf(const Value& v) {
    NodeList list;
    auto add = [&](const Value& code) {
        if (!code.isScalar() || code.type() != Type::Code) {
            throw UserError(3, "aggs must be metacode, as in <[avg(bid), max(offer)]>.");
        }
        const NodeRef& node = code.as<Code>()->node;
        if (node->kind == NodeKind::ListLiteral) {
            const NodeList& items = static_cast<const ListLiteral&>(*node).items;
            list.insert(list.end(), items.begin(), items.end());
        } else if (node->kind == NodeKind::TupleLiteral) {
            const NodeList& items = static_cast<const TupleLiteral&>(*node).items;
            list.insert(list.end(), items.begin(), items.end());
        } else {
            list.push_back(node);
        }
    };
    if (!v.isTuple()) {
        add(v);
        return list;
    }
    for (const Value& item : v.tuple().elements) add(item);
    return list;
}

template <bool prevailing>
Ref<Table> windowJoinOf(std::span<const Value> arguments, const JoinedColumns&, Context& context) {
    // wj(left, right, window, aggs, matchingCols, [rightMatchingCols])
    std::vector<Value> asEquiJoin{arguments[0], arguments[1], arguments[4],
                                  arguments.size() > 5 ? arguments[5] : omitted()};
    const JoinColumns keys = keysOf(asEquiJoin);
    const WindowJoin windows{arguments[2], aggregatesOf(arguments[3]), prevailing};
    if (keys.left.size() == 1) {
        WindowJoin rest = windows;  // the rows from a range on
        const OrderedKey key{keys.left[0], keys.right[0],
                             [&](const Value& l, const Value& r) { return windowRange(l, r, rest, keys.left[0]); },
                             rest.sincePrevious(),
                             [&](const MemoryTable& r) { addToSums(r, rest.aggregates, rest.before, context); }};
        auto join = [&](const Ref<MemoryTable>& l, const Ref<MemoryTable>& r) {
            return Ref<Table>(windowJoin(*l, *r, keys, rest, context));
        };
        if (Ref<MemoryTable> rows = joinInRanges(arguments[0], arguments[1], key, join, context))
            return Ref<Table>(rows);
    }
    auto join = [&](const Ref<MemoryTable>& left, const Ref<MemoryTable>& right) {
        return Ref<Table>(windowJoin(*left, *right, keys, windows, context));
    };
    return orderedJoinOf(arguments, keys, join, context);
}

struct JoinFunction {
    std::string_view name;
    Ref<Table> (*join)(std::span<const Value> arguments, const JoinedColumns& shown, Context& context);
};
// Those that plan/join_function.h knows.
constexpr JoinFunction kJoins[] = {{"ej", equiJoinOf<JoinKind::Inner>},
                                   {"lj", equiJoinOf<JoinKind::Left>},
                                   {"lsj", equiJoinOf<JoinKind::LeftSemi>},
                                   {"fj", equiJoinOf<JoinKind::Full>},
                                   {"aj", asofJoinOf},
                                   {"cj", crossJoinOf},
                                   {"sej", sortedJoinOf},
                                   {"pj", prefixJoinOf},
                                   {"wj", windowJoinOf<false>},
                                   {"pwj", windowJoinOf<true>}};

const JoinFunction* findJoin(std::string_view name) {
    auto* found = std::find_if(std::begin(kJoins), std::end(kJoins), [&](const auto& j) { return j.name == name; });
    return found == std::end(kJoins) ? nullptr : found;
}

template <size_t index>
Value joinKernel(Context& context, Arguments arguments) {
    const Value joined = Value::of(kJoins[index].join(arguments, {nameOf(arguments[1], context)}, context));
    return Value::of(Ref<Table>(materialise(joined, context)));
}

}  // namespace

Ref<Table> joinByFunction(std::string_view function, std::span<const Value> arguments, const JoinedColumns& shown,
                          Context& context) {
    JoinedColumns named = shown;
    if (named.rightName.empty()) named.rightName = nameOf(arguments[1], context);
    return findJoin(function)->join(arguments, named, context);
}

void registerJoins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Stable);
    constexpr std::string_view kShape =
        "leftTable: a table\nrightTable: a table\n"
        "matchingCols: names of the key columns, of the left table when rightMatchingCols names the right ones\n"
        "rightMatchingCols: names of the right key columns, as many; matchingCols when omitted";
    constexpr std::string_view kFilterLines =
        "\nleftFilter: metacode of a condition on left rows; where it is not true they match nothing\n"
        "rightFilter: the same on right rows";
    constexpr std::string_view kNulls = "A NULL key matches nothing.";
    constexpr Takes kFilter = kAnything | Takes::Code;
    static_assert(kLeftFilter == 4 && kRightFilter == 5);
    constexpr Declaration kFiltered{.takes = {kAnything, kAnything, kAnything, kAnything, kFilter, kFilter}};
    constexpr std::string_view kAsof =
        "leftTable: a table\nrightTable: a table\n"
        "matchingCols: names of the key columns, of the left table when rightMatchingCols names the right ones; the "
        "last one is the ordered one\n"
        "rightMatchingCols: names of the right key columns, as many; matchingCols when omitted\n"
        "direction: \"backward\" (default), \"forward\" for the first right row at or after the left's last key, or "
        "\"nearest\" for the nearer of the two, the earlier when both are as near\n"
        "tolerance: how far apart the last keys may be, ends in: an integer in their unit, or a duration such as 500ms "
        "or \"2s\"; NULL (default) for no bound";
    registry.add("ej(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 joinKernel<0>,
                 {.summary = "The pairs of rows with equal keys, in the order of the left table.",
                  .parameters = std::string(kShape).append(kFilterLines),
                  .nulls = kNulls,
                  .example = "exec b from ej(table(1 2 3 as k), table(2 3 4 as k, 5 6 7 as b), `k) -> [5,6]"},
                 kFiltered);
    registry.add("lj(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 joinKernel<1>,
                 {.summary = "As ej, and each left row without a match once, with NULL in the right columns.",
                  .parameters = std::string(kShape).append(kFilterLines),
                  .nulls = kNulls,
                  .example = "exec b from lj(table(1 2 as k), table(2 2 as k, 5 6 as b), `k) -> [,5,6]"},
                 kFiltered);
    registry.add("lsj(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 joinKernel<2>,
                 {.summary = "Each left row with its first match, or NULL.",
                  .parameters = std::string(kShape).append(kFilterLines),
                  .nulls = kNulls,
                  .example = "exec b from lsj(table(1 2 as k), table(2 2 as k, 5 6 as b), `k) -> [,5]"},
                 kFiltered);
    registry.add("fj(leftTable, rightTable, matchingCols, [rightMatchingCols])", joinKernel<3>,
                 {.summary = "As lj, and each right row without a match, last.",
                  .parameters = kShape,
                  .nulls = kNulls,
                  .example = "exec b from fj(table(1 2 as k), table(2 3 as k, 5 6 as b), `k) -> [,5,6]"});
    registry.add(
        "aj(leftTable, rightTable, matchingCols, [rightMatchingCols], [direction], [tolerance])", joinKernel<4>,
        {.summary = "Each left row with the right row whose leading keys are equal and whose last key is the greatest "
                    "that is at most the left's, the last of several; NULL where there is none.",
         .parameters = kAsof,
         .nulls = kNulls,
         .errors =
             "The last key is a string or a floating-point number; tolerance is negative, or a duration that the last "
             "key can't be apart.",
         .complexity = "O(left + right) when both sides are in the order of the last key, else O(left log right)",
         .example =
             "t = table(1 5 9 as at); q = table(2 6 as at, `a`b as x); exec x from aj(t, q, `at, , \"nearest\", 2)"
             " -> [\"a\",\"b\",]"});
    registry.add("sej(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 joinKernel<6>,
                 {.summary = "As ej, sorted by the keys.",
                  .parameters = std::string(kShape).append(kFilterLines),
                  .nulls = kNulls,
                  .example = "exec b from sej(table(2 1 as k), table(1 2 as k, 5 6 as b), `k) -> [5,6]"},
                 kFiltered);
    registry.add("pj(leftTable, rightTable, matchingCols, [rightMatchingCols])", joinKernel<7>,
                 {.summary = "The left rows whose string key begins with a right key, with that right row.",
                  .parameters = "leftTable: the table whose rows are looked up\n"
                                "rightTable: the table with the beginnings of keys\n"
                                "matchingCols: the name of the string key column\n"
                                "rightMatchingCols: its name in the right table; the same when omitted",
                  .errors = "The key is no string.",
                  .example = "exec b from pj(table(`abc`bcd as k), table(`a`bc as k, 5 6 as b), `k) -> [5,6]"});
    constexpr std::string_view kWindow =
        "leftTable: a table\nrightTable: a table\n"
        "window: a pair of integers in the unit of the last key, or of durations; both ends are in, and 0:0 reaches "
        "from the previous left key\naggs: metacode of aggregates over right columns\n"
        "matchingCols: names of the key columns, of which the last is the ordered one\n"
        "rightMatchingCols: names of the right key columns, as many; matchingCols when omitted";
    registry.add(
        "wj(leftTable, rightTable, window, aggs, matchingCols, [rightMatchingCols])", joinKernel<8>,
        {.summary = "The left rows with aggregates of the right rows in a window around their last key.",
         .parameters = kWindow,
         .nulls = "NULL where nothing is in the window.",
         .example = "exec sum_b from wj(table(3 as t), table(1 2 3 as t, 5 6 7 as b), -1:0, <sum(b)>, `t) -> [13]"});
    registry.add(
        "pwj(leftTable, rightTable, window, aggs, matchingCols, [rightMatchingCols])", joinKernel<9>,
        {.summary = "As wj; the last right row before the window counts when none is at its start.",
         .parameters = kWindow,
         .nulls = "NULL where nothing is in the window.",
         .example = "exec sum_b from pwj(table(3 as t), table(1 5 as t, 5 6 as b), -1:1, <sum(b)>, `t) -> [5]"});
    registry.add("cj(leftTable, rightTable)", joinKernel<5>,
                 {.summary = "Every left row with every right row, the right varying fastest.",
                  .example = "exec b from cj(table(1 2 as a), table(5 6 as b)) -> [5,6,5,6]"});
}

}  // namespace pelorus
