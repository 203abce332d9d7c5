// Joins as functions: ej, lj, lsj, fj, aj, cj.
#include <fmt/format.h>

#include <algorithm>

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

bool isGiven(std::span<const Value> arguments, size_t i) {
    return i < arguments.size() && !isOmitted(arguments[i]) && !arguments[i].isVoid();
}

JoinColumns keysOf(std::span<const Value> arguments) {
    JoinColumns keys;
    keys.left = namesOf(arguments[2], 2);
    keys.right = isGiven(arguments, 3) ? namesOf(arguments[3], 3) : keys.left;
    if (keys.left.size() != keys.right.size()) {
        throw UserError(3, fmt::format("The columns to match are {} on the left and {} on the right.", keys.left.size(),
                                       keys.right.size()));
    }
    return keys;
}

// What one side of a join is called: where it stands as a variable, or by the table's own name.
std::string nameOf(const Value& table, const Context& context) {
    std::string name = context.scope && table.hasObject() ? context.scope->nameOf(*table.object()) : "";
    return name.empty() && table.isTable() ? table.table().name : name;
}

template <JoinKind kind>
Ref<MemoryTable> equiJoinOf(std::span<const Value> arguments, const std::string& rightName, Context& context) {
    Ref<MemoryTable> left = tableOf(arguments[0], 0, context), right = tableOf(arguments[1], 1, context);
    return equiJoin(*left, *right, keysOf(arguments), kind, rightName);
}

Ref<MemoryTable> asofJoinOf(std::span<const Value> arguments, const std::string& rightName, Context& context) {
    Ref<MemoryTable> left = tableOf(arguments[0], 0, context), right = tableOf(arguments[1], 1, context);
    return asofJoin(*left, *right, keysOf(arguments), rightName);
}

Ref<MemoryTable> crossJoinOf(std::span<const Value> arguments, const std::string& rightName, Context& context) {
    Ref<MemoryTable> left = tableOf(arguments[0], 0, context), right = tableOf(arguments[1], 1, context);
    return crossJoin(*left, *right, rightName);
}

struct JoinFunction {
    std::string_view name;
    Ref<MemoryTable> (*join)(std::span<const Value> arguments, const std::string& rightName, Context& context);
};
constexpr JoinFunction kJoins[] = {{"ej", equiJoinOf<JoinKind::Inner>},
                                   {"lj", equiJoinOf<JoinKind::Left>},
                                   {"lsj", equiJoinOf<JoinKind::LeftSemi>},
                                   {"fj", equiJoinOf<JoinKind::Full>},
                                   {"aj", asofJoinOf},
                                   {"cj", crossJoinOf}};

const JoinFunction* findJoin(std::string_view name) {
    auto* found = std::find_if(std::begin(kJoins), std::end(kJoins), [&](const auto& j) { return j.name == name; });
    return found == std::end(kJoins) ? nullptr : found;
}

template <size_t index>
Value joinKernel(Context& context, Arguments arguments) {
    return Value::of(Ref<Table>(kJoins[index].join(arguments, nameOf(arguments[1], context), context)));
}

}  // namespace

bool isJoinName(std::string_view function) {
    return findJoin(function) != nullptr;
}

Ref<MemoryTable> joinByFunction(std::string_view function, std::span<const Value> arguments,
                                const std::string& rightName, Context& context) {
    return findJoin(function)->join(arguments, rightName.empty() ? nameOf(arguments[1], context) : rightName, context);
}

void registerJoins(FunctionRegistry& registry) {
    constexpr std::string_view kShape =
        "matchingCols: names of the key columns, of the left table when rightMatchingCols names the right ones";
    constexpr std::string_view kNulls = "A NULL key matches nothing.";
    registry.add("ej(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 joinKernel<0>,
                 {.summary = "The pairs of rows with equal keys, in the order of the left table.",
                  .parameters = kShape,
                  .nulls = kNulls});
    registry.add("lj(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 joinKernel<1>,
                 {.summary = "As ej, and each left row without a match once, with NULL in the right columns.",
                  .parameters = kShape,
                  .nulls = kNulls});
    registry.add("lsj(leftTable, rightTable, matchingCols, [rightMatchingCols], [leftFilter], [rightFilter])",
                 joinKernel<2>,
                 {.summary = "Each left row with its first match, or NULL.", .parameters = kShape, .nulls = kNulls});
    registry.add(
        "fj(leftTable, rightTable, matchingCols, [rightMatchingCols])", joinKernel<3>,
        {.summary = "As lj, and each right row without a match, last.", .parameters = kShape, .nulls = kNulls});
    registry.add(
        "aj(leftTable, rightTable, matchingCols, [rightMatchingCols])", joinKernel<4>,
        {.summary = "Each left row with the last right row whose leading keys are equal and whose last key is at most "
                    "the left's; NULL where there is none.",
         .parameters = kShape,
         .nulls = kNulls,
         .complexity = "O(left log right)"});
    registry.add("cj(leftTable, rightTable)", joinKernel<5>,
                 {.summary = "Every left row with every right row, the right varying fastest."});
}

}  // namespace pelorus
