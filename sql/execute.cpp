#include "sql/execute.h"

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
#include "sql/rewrite/function_case.h"

namespace pelorus {

// Explains an update or delete. Nothing is changed.
static Value explainedChange(const Query& query, Context& context) {
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
    QueryTrace trace;
    {
        TraceStep step("explain");
        step.note("sql", toSource(query));
        const Ref<MemoryTable> rows = selectRows(*count, context).rows;
        step.note("rows", rows->column(0).at(0).asLong());
    }
    return Value::ofString(trace.json());
}

static Value changed(const Query& query, Context& context) {
    const bool explains = (query.hint & kExplainHint) != 0;
    if (explains && query.verb != QueryVerb::Insert) return explainedChange(query, context);
    if (query.verb == QueryVerb::Update) executeUpdate(query, context);
    if (query.verb == QueryVerb::Delete) executeDelete(query, context);
    if (query.verb == QueryVerb::Insert) executeInsert(query, context);
    return Value();
}

Value executeQuery(const Query& query, Context& outer) {
    if (query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec) return runQuery(query, outer);
    requireStackRoom();
    const CancellationScope cancellation(&outer.request->cancelled);
    const OneSnapshot snapshot;
    outer.request->principal().requireChanges("An update, delete or insert");
    if (query.callsUnknown) return executeQuery(*withBuiltinsOfAnyCase(query, outer), outer);
    WithScope scope(outer.scope);
    Context context = outer;
    if (!query.with.empty()) context.scope = &scope;
    const auto run = [&] {
        runWith(query, scope, context);
        return changed(query, context);
    };
    const bool isTraced = (query.hint & kExplainHint) != 0 && query.verb == QueryVerb::Insert;
    return isTraced ? tracedRun(run) : run();
}

}  // namespace pelorus
