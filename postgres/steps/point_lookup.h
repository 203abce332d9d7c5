// Look-ups of rows by the whole key of a keyed table in memory or by an index of a row table, which need no plan of the
// engine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "postgres/steps/plan_steps.h"
#include "runtime/code/query.h"

namespace pelorus::postgres {

// The shape of a query that selects columns of a table where some are equal to constants or to values of the scope.
struct PointLookup {
    struct Condition {
        std::string column;
        std::string name;  // in the scope; empty: `constant`
        Value constant;
    };
    struct Output {
        std::string column, name;
    };
    std::string table;  // a name of the scope
    std::vector<Condition> conditions;
    std::vector<Output> outputs;
};

// Returns the shape of the query; null when it is another one.
std::shared_ptr<const PointLookup> pointLookupOf(const Query& query);

// Returns the rows that the query would. Nothing when the table is none with a key of just these columns or an index
// that finds few rows, or a value is of another type than its column: the engine runs the query then.
std::optional<Value> lookUp(const PointLookup& lookup, const StepScope& scope, Context& context);

}  // namespace pelorus::postgres
