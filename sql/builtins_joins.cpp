// Joins as functions: ej, lj, lsj, fj, aj, cj.
#include <fmt/format.h>

#include "common/error.h"
#include "runtime/format/print.h"
#include "sql/builtins.h"
#include "sql/joins.h"
#include "sql/row_source.h"

namespace pelorus {

namespace {

std::vector<std::string> namesOf(const Value& v, int argument) {
    if (!isLiteral(v.type())) {
        throw UserError(argument, fmt::format("The columns to match must be names, but they are {}.", typeString(v)));
    }
    std::vector<std::string> names;
    for (int64_t i = 0; i < v.size(); ++i) names.emplace_back(v.at(i).text());
    return names;
}

Ref<MemoryTable> tableOf(const Value& v, int argument, Context& context) {
    if (!v.isTable()) throw UserError(argument, fmt::format("A join needs tables, but this is {}.", typeString(v)));
    return materialise(v, context);
}

JoinColumns keysOf(Arguments arguments) {
    JoinColumns keys;
    keys.left = namesOf(arguments[2], 2);
    bool given = arguments.size() > 3 && !isOmitted(arguments[3]) && !arguments[3].isVoid();
    keys.right = given ? namesOf(arguments[3], 3) : keys.left;
    if (keys.left.size() != keys.right.size()) {
        throw UserError(3, fmt::format("The columns to match are {} on the left and {} on the right.", keys.left.size(),
                                       keys.right.size()));
    }
    return keys;
}

template <JoinKind kind>
Value equiJoinKernel(Context& context, Arguments arguments) {
    Ref<MemoryTable> left = tableOf(arguments[0], 0, context), right = tableOf(arguments[1], 1, context);
    return Value::of(Ref<Table>(equiJoin(*left, *right, keysOf(arguments), kind, arguments[1].table().name)));
}

Value asofJoinKernel(Context& context, Arguments arguments) {
    Ref<MemoryTable> left = tableOf(arguments[0], 0, context), right = tableOf(arguments[1], 1, context);
    return Value::of(Ref<Table>(asofJoin(*left, *right, keysOf(arguments), arguments[1].table().name)));
}

Value crossJoinKernel(Context& context, Arguments arguments) {
    Ref<MemoryTable> left = tableOf(arguments[0], 0, context), right = tableOf(arguments[1], 1, context);
    return Value::of(Ref<Table>(crossJoin(*left, *right, arguments[1].table().name)));
}

}  // namespace

void registerJoins(FunctionRegistry& registry) {
    constexpr std::string_view kShape =
        "matchingCols: names of the key columns, of the left table when rightMatchingCols names the right ones";
    constexpr std::string_view kNulls = "A NULL key matches nothing.";
    registry.add("ej(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 equiJoinKernel<JoinKind::Inner>,
                 {.summary = "The pairs of rows with equal keys, in the order of the left table.",
                  .parameters = kShape,
                  .nulls = kNulls});
    registry.add("lj(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 equiJoinKernel<JoinKind::Left>,
                 {.summary = "As ej, and each left row without a match once, with NULL in the right columns.",
                  .parameters = kShape,
                  .nulls = kNulls});
    registry.add("lsj(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 equiJoinKernel<JoinKind::LeftSemi>,
                 {.summary = "Each left row with its first match, or NULL.", .parameters = kShape, .nulls = kNulls});
    registry.add(
        "fj(leftTable, rightTable, matchingCols, [rightMatchingCols])", equiJoinKernel<JoinKind::Full>,
        {.summary = "As lj, and each right row without a match, last.", .parameters = kShape, .nulls = kNulls});
    registry.add(
        "aj(leftTable, rightTable, matchingCols, [rightMatchingCols])", asofJoinKernel,
        {.summary = "Each left row with the last right row whose leading keys are equal and whose last key is at most "
                    "the left's; NULL where there is none.",
         .parameters = kShape,
         .nulls = kNulls,
         .complexity = "O(left log right)"});
    registry.add("cj(leftTable, rightTable)", crossJoinKernel,
                 {.summary = "Every left row with every right row, the right varying fastest."});
}

}  // namespace pelorus
