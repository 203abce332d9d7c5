// Steps that run for each row of other steps: correlated sub-queries and lateral.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "postgres/steps/domain_steps.h"
#include "postgres/steps/plan_steps.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus::postgres {

// A value of a row that steps see under a name.
struct RowInput {
    std::string name;
    std::string source;  // a column of the rows; with = before it a name of the scope
};

// What rows get of steps that give a value for each of them.
struct RowValue {
    std::string column;                              // the name of the new column
    std::function<Value(const StepScope&)> compute;  // from the scope in which the steps have run; VOID is `null`
    Value null;                                      // NULL of its type
    bool isText = false;                             // strings, whatever the type of `null`
    // The same steps over all rows at once, if they can: their result has the value, or is there.
    std::optional<DomainSteps> overDomain = {};
};

// Returns the rows with one more column: the value of the steps for each row. Equal inputs are computed once, many of
// them together where `value` has steps for that. Throws SqlError 54000 for more than 100,000 different ones that are
// computed one by one, 21000 for several rows where one value is needed, and what the steps throw.
Value withRowValues(const std::vector<PlanStep>& steps, const std::vector<RowInput>& inputs, const Value& rows,
                    const RowValue& value, const StepScope& scope, Context& context);

// What rows are joined with.
struct RowJoin {
    std::string table;                                         // the name of the table that the steps make
    std::vector<std::pair<std::string, std::string>> columns;  // of it, with their names in the result
    bool isLeft = false;                                       // rows for which it is empty stay, with NULLs
};

// Returns the rows, each as often as the steps make rows for it, with the columns of these. Throws as withRowValues
// does, and 54000 for more than 100,000,000 rows.
Value joinedWithRows(const std::vector<PlanStep>& steps, const std::vector<RowInput>& inputs, const Value& rows,
                     const RowJoin& join, const StepScope& scope, Context& context);

}  // namespace pelorus::postgres
