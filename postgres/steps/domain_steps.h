// Steps of a correlated sub-query that run once over all outer rows, its domain, instead of once for each of them.
//
// The query that reads values of outer rows is joined with the domain, by the equalities that it has with them; what
// follows keeps the number of the outer row: groups are groups within it. So a thousand outer rows cost one join.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postgres/steps/plan_steps.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

// Names in the steps over a domain: the table of outer rows, which has a column for each value that steps see of them,
// and the number of the outer row in it and in each result, an INT.
constexpr const char* kDomainName = "pgDomain";
constexpr const char* kDomainRowName = "pgDomainRow";

// Steps over a domain. A plain value.
struct DomainSteps {
    std::vector<PlanStep> steps;    // the last one has the rows of all outer rows, in no order
    std::string value;              // the column of its result; empty where rows are only counted
    std::vector<PlanStep> forNone;  // what an outer row without any gets is the value of these, which read no outer
                                    // row; empty: nothing
};

// What is asked of a sub-query's rows for each outer row.
enum class DomainUse : uint8_t { OneValue, Existence };

// Returns the steps over a domain whose columns are `inputs`, the names under which `steps` see values of the outer
// row; `last` is the step that has the rows of the sub-query. Nothing where they must run row by row: they are more
// than queries over opened tables, no equality decides which rows belong together, or a limit, a window or a set
// operation is of one outer row. Opens and computes nothing.
std::optional<DomainSteps> stepsOverDomain(const std::vector<PlanStep>& steps, const std::vector<std::string>& inputs,
                                           const std::string& last, DomainUse use, Context& context);

}  // namespace pelorus::postgres
