#include "sql/physical/run_query.h"

#include <fmt/format.h>

#include <optional>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "runtime/format/to_source.h"
#include "sql/execution/query_profile.h"
#include "sql/execution/query_snapshot.h"
#include "sql/expression/with_scope.h"
#include "sql/operators/combined_rows.h"
#include "sql/operators/pivot/pivoted_rows.h"
#include "sql/physical/run_select.h"
#include "sql/rewrite/standard_query.h"

namespace pelorus {

namespace {

void requireSelect(const Query& query) {
    if (query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec) return;
    throw UserError(query.position, "A query within another, or of a data source, must be a select or exec.",
                    "Run the update, delete or insert as a statement of its own.");
}

int64_t rowsOf(const Value& result) {
    return result.isTable() ? result.table().rowCount() : result.isScalar() ? 1 : result.size();
}

Ref<MemoryTable> withUnions(const Query& query, Ref<MemoryTable> rows, Context& context) {
    for (const SetOperation& other : query.unions) {
        const TraceStep step(setOperatorName(other.op));
        const Value more = runQuery(static_cast<const Query&>(*other.query), context);
        if (!more.isTable())
            throw UserError(fmt::format("{} joins the results of selects.", setOperatorName(other.op)));
        rows = combinedRows(other.op, other.all, rows, static_cast<const MemoryTable&>(more.table()));
    }
    return rows;
}

// Returns the query's rows, or the form that exec makes of them.
Value formOf(const Query& query, SelectedRows result, Context& context) {
    const Ref<MemoryTable> rows = withUnions(query, std::move(result.rows), context);
    if (query.verb == QueryVerb::Exec && result.pivoted.table) {
        result.pivoted.table = rows;
        return pivotMatrix(result.pivoted);
    }
    if (query.verb == QueryVerb::Select) return Value::of(Ref<Table>(rows));
    // Groups yield a table even where one column is asked for: context by like group by.
    if (query.grouping == GroupKind::Context) return Value::of(Ref<Table>(rows));
    // having and limit may remove the only cell.
    const bool isCell = result.oneCell && rows->rowCount() == 1;
    if (rows->columnCount() == 1) return isCell ? rows->column(0).at(0) : rows->column(0);
    return Value::of(Ref<Table>(rows));
}

Value selected(const Query& query, Context& context) {
    return formOf(query, selectRows(query, context), context);
}

// Runs a query whose steps are recorded, below the step that needs it.
Value selectedAsDetail(const Query& query, Context& context) {
    TraceStep step("detail");
    if (!step) return selected(query, context);
    step.note("sql", toSource(query));
    const Value result = selected(query, context);
    step.note("rows", rowsOf(result));
    return result;
}

}  // namespace

void runWith(const Query& query, WithScope& scope, Context& context) {
    for (const auto& [name, inner] : query.with) {
        TraceStep step("with");
        step.note("name", name);
        scope.add(name, runQuery(static_cast<const Query&>(*inner), context));
    }
}

std::string traced(TraceForm form, const std::function<void(TraceStep& whole)>& run) {
    QueryTrace trace;
    {
        TraceStep whole("explain");
        run(whole);
    }
    return form == TraceForm::Json ? trace.json() : trace.text();
}

// Runs a select; where a form of trace is asked for, as its root.
static Value ran(const Query& query, std::optional<TraceForm> form, Context& outer) {
    requireStackRoom();
    requireSelect(query);
    if (const Ref<Query> standard = standardQuery(query, outer)) return ran(*standard, form, outer);
    const CancellationScope cancellation(&outer.request->cancelled);
    const OneSnapshot snapshot;
    WithScope scope(outer.scope);
    Context context = outer;
    if (!query.with.empty()) context.scope = &scope;
    if (!form) {
        runWith(query, scope, context);
        return QueryTrace::isOn() ? selectedAsDetail(query, context) : selected(query, context);
    }
    return Value::ofString(traced(*form, [&](TraceStep& whole) {
        runWith(query, scope, context);
        whole.note("rows", rowsOf(selected(query, context)));
    }));
}

Value runQuery(const Query& query, Context& context) {
    const bool explains = (query.hint & kExplainHint) != 0;
    return ran(query, explains ? std::optional(TraceForm::Json) : std::nullopt, context);
}

std::string explainedQuery(const Query& query, TraceForm form, Context& context) {
    return std::string(ran(query, form, context).string());
}

Value runQuery(const Query& query, RowSource source, Context& context) {
    requireStackRoom();
    requireSelect(query);
    if (!query.groupingSets.empty()) {
        throw UserError(query.position, "The rows of one data source cannot be grouped by several sets of keys.",
                        "Group by plain keys there, and by the sets in a query over the results.");
    }
    if (const Ref<Query> standard = standardQuery(query, context))
        return runQuery(*standard, std::move(source), context);
    const CancellationScope cancellation(&context.request->cancelled);
    const OneSnapshot snapshot;
    return formOf(query, selectRows(query, std::move(source), context), context);
}

}  // namespace pelorus
