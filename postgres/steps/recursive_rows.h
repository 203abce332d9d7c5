// The rows of a query that reads its own rows: with recursive.
#pragma once

#include <string>
#include <vector>

#include "postgres/steps/plan_steps.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus::postgres {

// What a recursion runs.
struct RecursiveRows {
    std::string base;             // the name of the rows that it begins with
    std::string working;          // the name under which the steps see the rows of the round before
    std::vector<PlanStep> steps;  // of a round
    bool isAll = false;           // equal rows stay
    std::string next;             // the name of the rows that a round makes, in columns like those of `base`
};

// Returns the rows of all rounds, until one makes no new row. Throws SqlError 54000 after 1,000,000 rounds or
// 100,000,000 rows, and what a step throws.
Value recursiveRows(const RecursiveRows& recursion, const StepScope& scope, Context& context);

}  // namespace pelorus::postgres
