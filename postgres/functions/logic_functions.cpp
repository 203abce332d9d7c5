// Logic with NULL as "unknown", and comparisons of what is more than one value.
#include "postgres/functions/postgres_functions.h"

#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/functions/text_matching.h"

namespace pelorus::postgres {

namespace {

using Row = std::span<const Value>;

enum class Truth : uint8_t { False, True, Unknown };

Truth truthOf(const Value& x) {
    if (x.isNull()) return Truth::Unknown;
    if (x.type() != Type::Bool) throw UserError("A BOOL is needed here.");
    return x.integer() != 0 ? Truth::True : Truth::False;
}

Value ofTruth(Truth truth) {
    return truth == Truth::Unknown ? Value() : Value::ofBool(truth == Truth::True);
}

Value both(Row row) {
    const Truth a = truthOf(row[0]), b = truthOf(row[1]);
    if (a == Truth::False || b == Truth::False) return ofTruth(Truth::False);
    return ofTruth(a == Truth::True ? b : Truth::Unknown);
}

Value either(Row row) {
    const Truth a = truthOf(row[0]), b = truthOf(row[1]);
    if (a == Truth::True || b == Truth::True) return ofTruth(Truth::True);
    return ofTruth(a == Truth::False ? b : Truth::Unknown);
}

Value opposite(Row row) {
    return Value::ofBool(truthOf(row[0]) == Truth::False);
}

Value like(Row row) {
    return Value::ofBool(
        matchesLike(textArgument(row, 0), textArgument(row, 1), textArgument(row, 2), wholeArgument(row, 3) != 0));
}

Value matches(Row row) {
    return Value::ofBool(matchesRegex(textArgument(row, 0), textArgument(row, 1), wholeArgument(row, 2) != 0));
}

constexpr RowFunction kLogic[] = {
    {.syntax = "pgAnd(a, b)",
     .compute = both,
     .result = Type::Bool,
     .isStrict = false,
     .summary = "a and b, where NULL is unknown."},
    {.syntax = "pgOr(a, b)",
     .compute = either,
     .result = Type::Bool,
     .isStrict = false,
     .summary = "a or b, where NULL is unknown."},
    {.syntax = "pgNot(a)", .compute = opposite, .result = Type::Bool, .summary = "not a."},
    {.syntax = "pgLike(x, pattern, escape, isCaseless)",
     .compute = like,
     .result = Type::Bool,
     .summary = "Whether x is like the pattern."},
    {.syntax = "pgMatches(x, pattern, isCaseless)",
     .compute = matches,
     .result = Type::Bool,
     .summary = "Whether a part of x matches the regular expression."},
};

}  // namespace

void registerLogicFunctions(FunctionRegistry& registry) {
    registerRowFunctions<kLogic>(registry);
}

}  // namespace pelorus::postgres
