// Selects of few rows of a row table by any condition that an index narrows, which need no plan of the engine.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "postgres/steps/picked_rows.h"
#include "postgres/steps/plan_steps.h"
#include "runtime/code/query.h"

namespace pelorus {
class KeptChange;
}

namespace pelorus::postgres {

// A query that picks columns of the rows of one table that satisfy a condition, which is bound once for many runs.
struct PointSelect {
    std::string table;  // a name of the scope
    std::shared_ptr<const KeptChange> condition;
    std::shared_ptr<const PickedRows> picked;
};

// Returns the query in this form; null when it is another one.
std::shared_ptr<const PointSelect> pointSelectOf(const Query& query);

// Returns the rows that the query would. Nothing when the table is no row table, no index finds few rows, or the
// condition has no program: the engine runs the query then, and reports what is wrong.
std::optional<Value> selectFew(const PointSelect& select, const StepScope& scope, Context& context);

}  // namespace pelorus::postgres
