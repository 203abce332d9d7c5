// What an update stores, as functions of a row: pgStored(x) and the like.
#include "postgres/functions/postgres_functions.h"

#include <algorithm>

#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/functions/stored_text.h"
#include "postgres/sql_error.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

using Row = std::span<const Value>;

Value stored(Row row) {
    const ShownType type{static_cast<Oid>(wholeArgument(row, 1)), static_cast<int32_t>(wholeArgument(row, 2))};
    const std::string_view text = storedText(textArgument(row, 0), type);
    if (!text.empty()) return Value::ofString(text);
    return wholeArgument(row, 3) != 0 ? textValue(text) : Value();
}

bool hasNull(const Value& values) {
    if (values.isScalar()) return values.isNull();
    return values.isTypedVector() && values.vector().hasNull();
}

// Gives back what it was given.
Value requiredKernel(Context&, Arguments arguments) {
    if (hasNull(arguments[0])) {
        try {
            refuseNull(textArgument(arguments, 1), textArgument(arguments, 2));
        } catch (const SqlError& error) {
            throw UserError(withState(error));
        }
    }
    return arguments[0];
}

constexpr RowFunction kAssignments[] = {
    {.syntax = "pgStored(x, oid, modifier, hasEmpty)",
     .compute = stored,
     .result = Type::String,
     .summary = "x as a column of texts keeps it, '' as NULL unless it has both; an error when it is too long."},
};

}  // namespace

void registerAssignmentFunctions(FunctionRegistry& registry) {
    registerRowFunctions<kAssignments>(registry);
    Declaration required;
    required.kind = FunctionKind::Elementwise;
    required.effect = Effect::Pure;
    required.gives = same(0);
    required.facet = Facet::Node;
    registry.add("pgRequired(x, column, table)", requiredKernel,
                 {.summary = "x; an error when it is NULL, or has one."}, required);
}

}  // namespace pelorus::postgres
