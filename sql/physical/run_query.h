// Runs selects: those that a session sends, and those within other statements.
#pragma once

#include <functional>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"
#include "sql/plan/row_source.h"

namespace pelorus {

class WithScope;

// Runs a select or exec in the scope of the context: returns a table for select, a vector or a single value where it
// can be for exec. Throws UserError for an invalid query, and for another statement.
Value runQuery(const Query& query, Context& context);
// Does the same over this source, instead of what `from` says.
Value runQuery(const Query& query, RowSource source, Context& context);

// Computes the queries that `with` names, in order, each of which sees those before it. `context` is of that scope.
void runWith(const Query& query, WithScope& scope, Context& context);

// [HINT_EXPLAIN]: runs a statement once, and returns its steps as JSON instead of what it returns.
Value tracedRun(const std::function<Value()>& run);
constexpr int64_t kExplainHint = 32768;

}  // namespace pelorus
