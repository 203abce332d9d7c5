// The values that every run of a translated statement has.
#pragma once

#include <span>
#include <vector>

#include "postgres/steps/plan_steps.h"
#include "postgres/types/oids.h"

namespace pelorus::postgres {

// Sets the time, and a table of one row.
void setStandardNames(StepScope& scope);
// Sets $1, $2 …: scalars of the types' kept types, VOID for NULL.
void setParameters(StepScope& scope, std::span<const Value> parameters, const std::vector<Oid>& types);

}  // namespace pelorus::postgres
