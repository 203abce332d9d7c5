// Selects of few rows of several row tables, of which the condition fixes the key of each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "postgres/steps/plan_steps.h"
#include "postgres/steps/point_lookup.h"
#include "runtime/code/query.h"

namespace pelorus::postgres {

// An inner join whose conditions are equalities of columns with values, and with columns that have one: each table is
// looked up by its own values, and all rows that are found meet.
struct PointJoin {
    std::vector<PointLookup> tables;
    // Of each output of the query: the table, and the place among its outputs.
    struct Output {
        size_t table, place;
    };
    std::vector<Output> outputs;
    std::vector<std::string> names;  // of them
};

// Returns the query in this form; null when it is another one.
std::shared_ptr<const PointJoin> pointJoinOf(const Query& query);

// Returns the rows that the query would. Nothing when a table has no index that finds few rows, or a value is of
// another type than a column that it is to equal: the engine runs the query then.
std::optional<Value> lookUpAll(const PointJoin& join, const StepScope& scope, Context& context);

}  // namespace pelorus::postgres
