#include "sql/execute.h"

#include <optional>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "sql/change/change.h"
#include "sql/execution/query_profile.h"
#include "sql/execution/query_snapshot.h"
#include "sql/expression/with_scope.h"
#include "sql/physical/run_query.h"
#include "sql/physical/run_select.h"
#include "sql/rewrite/standard_query.h"

namespace pelorus {

namespace {

// Returns the select of the rows that an update or delete would change.
Ref<Query> countOfChange(const Query& query) {
    Ref<Query> count = copyQuery(query);
    count->verb = QueryVerb::Select;
    count->hint = 0;
    count->items.clear();
    count->items.push_back(countOfRows(query.position));
    if (query.updateSource) {
        count->table = query.updateSource;
        count->tableAlias = query.updateSourceAlias;
        count->updateSource = NodeRef();
    }
    count->grouping = GroupKind::None;
    count->groupBy.clear();
    count->csort.clear();
    count->having = NodeRef();
    return count;
}

// Reads what an update, delete or insert would, and notes it in the open step of a trace. Nothing is changed.
void readChange(const Query& query, TraceStep& step, Context& context) {
    step.note("sql", toSource(query));
    int64_t rows = static_cast<int64_t>(query.insertRows.size());
    if (query.verb != QueryVerb::Insert) {
        rows = selectRows(*countOfChange(query), context).rows->column(0).at(0).asLong();
    } else if (query.insertSource && query.insertSource->kind == NodeKind::Query) {
        rows = runQuery(static_cast<const Query&>(*query.insertSource), context).size();
    }
    step.note("rows", rows);
}

// Explains a change without it: what it would read, and how many rows it would change.
std::string explainedChange(const Query& query, TraceForm form, Context& context) {
    return traced(form, [&](TraceStep& step) { readChange(query, step, context); });
}

void change(const Query& query, Context& context) {
    if (query.verb == QueryVerb::Update) executeUpdate(query, context);
    if (query.verb == QueryVerb::Delete) executeDelete(query, context);
    if (query.verb == QueryVerb::Insert) executeInsert(query, context);
}

bool isSelect(const Query& query) {
    return query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
}

// Runs or, where a form of trace is asked for, explains a change.
Value runChange(const Query& query, std::optional<TraceForm> form, Context& outer) {
    requireStackRoom();
    const CancellationScope cancellation(&outer.request->cancelled);
    const OneSnapshot snapshot;
    outer.request->principal().requireChanges("An update, delete or insert");
    if (const Ref<Query> standard = standardQuery(query, outer)) return runChange(*standard, form, outer);
    WithScope scope(outer.scope);
    Context context = outer;
    if (!query.with.empty()) context.scope = &scope;
    runWith(query, scope, context);
    if (form) return Value::ofString(explainedChange(query, *form, context));
    change(query, context);
    return Value();
}

}  // namespace

Value executeQuery(const Query& query, Context& context) {
    if (isSelect(query)) return runQuery(query, context);
    const bool explains = (query.hint & kExplainHint) != 0;
    return runChange(query, explains ? std::optional(TraceForm::Json) : std::nullopt, context);
}

std::string analyzedQuery(const Query& query, Context& context) {
    if (isSelect(query)) return explainedQuery(query, TraceForm::Text, context);
    return std::string(runChange(query, TraceForm::Text, context).string());
}

}  // namespace pelorus
