#include "sql/builtins.h"

#include "common/error.h"
#include "sql/execute.h"
#include "sql/partial_query.h"

namespace pelorus {

static Value executeQueryKernel(Context& context, Arguments arguments) {
    if (arguments[0].type() != Type::Code || arguments[0].as<Code>()->node->kind != NodeKind::Query) {
        throw UserError(0, "query must be the metacode of a query.");
    }
    return executeQuery(static_cast<const Query&>(*arguments[0].as<Code>()->node), context);
}

void registerSqlBuiltins(FunctionRegistry& registry) {
    registry.add("executeQuery(query)", executeQueryKernel,
                 {.summary = "The result of a query given as metacode, in the scope of the caller."});
    registerPartialQuery(registry);
    registerJoins(registry);
    registerDataSources(registry);
}

}  // namespace pelorus
