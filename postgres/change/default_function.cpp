#include "postgres/change/default_function.h"

#include <memory>
#include <string>

#include "postgres/change/column_defaults.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/sql_error.h"
#include "postgres/steps/standard_names.h"
#include "postgres/translate/translation.h"
#include "postgres/types/declared_type.h"
#include "runtime/registry/registry.h"

namespace pelorus::postgres {

namespace {

// `like` is a vector of the column's type.
Value defaultValue(const Value& like, std::string_view declared, std::string_view expression, Context& context) {
    auto table = std::make_shared<TargetTable>();
    table->name = "default";
    TargetColumn& column = table->columns.emplace_back();
    column.schema = {.name = "value", .type = like.type(), .scale = like.vector().scale()};
    column.declared = declaredTypeOf(column.schema, declared);
    column.declared.isRequired = false;  // the table refuses NULL itself
    column.whenMissing = expression;
    const SessionFacts nobody;
    Translation translation(nobody, context, {});
    const size_t place = 0;
    const ColumnDefaults defaults(table, std::span(&place, 1), translation);
    StepScope scope;
    setStandardNames(scope);
    AssignedColumn values(*table, table->columns[0]);
    defaults.fill(values, 1, scope, context);
    return values.take();
}

Value defaultValueKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isTypedVector()) throw UserError("pgDefaultValue takes a vector of the column's type.");
    const std::string_view expression = textArgument(arguments, 2);
    // Its numbers are of a data folder, which this place does not know.
    if (expression.find("nextval") != std::string_view::npos)
        throw UserError("<NotSupported>A foreign key does not set a default that takes the numbers of a sequence.");
    try {
        return defaultValue(arguments[0], textArgument(arguments, 1), expression, context);
    } catch (const SqlError& error) {
        throw UserError(withState(error));
    }
}

}  // namespace

void registerDefaultFunction(FunctionRegistry& registry) {
    Declaration declaration;
    declaration.effect = Effect::Stable;
    declaration.facet = Facet::Node;
    registry.add("pgDefaultValue(like, declared, expression)", defaultValueKernel,
                 {.summary = "The default of a column, by an expression of PostgreSQL's language."}, declaration);
}

}  // namespace pelorus::postgres
