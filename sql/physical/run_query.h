// Runs selects: those that a session sends, and those within other statements.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"
#include "sql/plan/row_source.h"

namespace pelorus {

class TraceStep;
class WithScope;

// Runs a select or exec in the scope of the context: returns a table for select, a vector or a single value where it
// can be for exec. Throws UserError for an invalid query, and for another statement.
Value runQuery(const Query& query, Context& context);
// Does the same over this source, instead of what `from` says.
Value runQuery(const Query& query, RowSource source, Context& context);

// Computes the queries that `with` names, in order, each of which sees those before it. `context` is of that scope.
void runWith(const Query& query, WithScope& scope, Context& context);

// What is told of a run: for [HINT_EXPLAIN] and for explain analyze.
enum class TraceForm : uint8_t { Json, Text };
constexpr int64_t kExplainHint = 32768;
// Runs something within the step of a trace, and returns the trace.
std::string traced(TraceForm form, const std::function<void(TraceStep& whole)>& run);
// Runs a select once, and returns its steps and plans instead of its rows.
std::string explainedQuery(const Query& query, TraceForm form, Context& context);

}  // namespace pelorus
