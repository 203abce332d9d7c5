#include "sql/execute.h"

#include <optional>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "sql/bind/plan_columns.h"
#include "sql/bind/with_scope.h"
#include "sql/change/change.h"
#include "sql/execution/query_profile.h"
#include "sql/execution/query_snapshot.h"
#include "sql/expression/bind_only.h"
#include "sql/operators/distinct.h"
#include "sql/operators/pivot/select_pivot.h"
#include "sql/physical/select_stages.h"
#include "sql/rewrite/function_case.h"

namespace pelorus {

namespace {

constexpr int64_t kExplainHint = 32768;  // HINT_EXPLAIN

Ref<MemoryTable> withUnions(const Query& query, Ref<MemoryTable> rows, Context& context) {
    bool distinct = false;
    for (const auto& [all, other] : query.unions) {
        const TraceStep step("union");
        Value more = executeQuery(static_cast<const Query&>(*other), context);
        if (!more.isTable()) throw UserError("union joins the results of selects.");
        rows = rows->copy();
        const auto& added = static_cast<const MemoryTable&>(more.table());
        // A column of NULL has no type, and takes that of the rows that follow.
        for (int c = 0; c < std::min(rows->columnCount(), added.columnCount()); ++c) {
            const ColumnSchema& own = rows->columns()[static_cast<size_t>(c)];
            const ColumnSchema& other = added.columns()[static_cast<size_t>(c)];
            if (own.type == Type::Void && other.type != Type::Void)
                rows->setColumn(std::string(own.name), filledColumn(other.type, other.scale, rows->rowCount()));
        }
        rows->append(added);
        distinct = distinct || !all;
    }
    return distinct ? distinctRows(rows, rows->columnCount(), INT64_MAX) : rows;
}

}  // namespace

static bool isReading(const Query& query) {
    return query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
}

// Returns the query's rows, or the form that exec makes of them.
static Value formOf(const Query& query, SelectedRows result, Context& context) {
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

static Value selected(const Query& query, Context& context) {
    return formOf(query, selectRows(query, context), context);
}

// Runs a query whose steps are recorded, below the step that needs it or as the root of the trace.
static Value traced(const Query& query, Context& context, const char* name) {
    TraceStep step(name);
    if (!step) return selected(query, context);
    step.note("sql", toSource(query));
    const Value result = selected(query, context);
    step.note("rows", result.isTable() ? result.table().rowCount() : result.isScalar() ? 1 : result.size());
    return result;
}

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
        const Value rows = selected(*count, context);
        step.note("rows", static_cast<MemoryTable&>(rows.table()).column(0).at(0).asLong());
    }
    return Value::ofString(trace.json());
}

Value executeQuery(const Query& query, Context& outer) {
    requireStackRoom();
    const CancellationScope cancellation(&outer.request->cancelled);
    const OneSnapshot snapshot;
    if (!isReading(query)) outer.request->principal().requireChanges("An update, delete or insert");
    if (BindOnly::isOn() && isReading(query)) return Value::of(Ref<Table>(boundTable(query, outer)));
    if (query.callsUnknown) return executeQuery(*withBuiltinsOfAnyCase(query, outer), outer);
    WithScope scope(outer.scope);
    Context context = outer;
    if (!query.with.empty()) context.scope = &scope;
    const bool explains = (query.hint & kExplainHint) != 0;
    std::optional<QueryTrace> trace;
    if (explains && query.verb != QueryVerb::Update && query.verb != QueryVerb::Delete) trace.emplace();
    // An explained query is the root of a trace; one inside of another is a detail of the step that needs it.
    const auto run = [&]() {
        for (const auto& [name, inner] : query.with) {
            TraceStep step("with");
            step.note("name", name);
            scope.add(name, executeQuery(static_cast<const Query&>(*inner), context));
        }
        switch (query.verb) {
            case QueryVerb::Update:
                if (explains) return explainedChange(query, context);
                executeUpdate(query, context);
                return Value();
            case QueryVerb::Delete:
                if (explains) return explainedChange(query, context);
                executeDelete(query, context);
                return Value();
            case QueryVerb::Insert:
                executeInsert(query, context);
                return Value();
            default:
                return explains || !QueryTrace::isOn() ? selected(query, context) : traced(query, context, "detail");
        }
    };
    if (!trace) return run();
    {
        TraceStep whole("explain");
        const Value result = run();
        whole.note("rows", result.isTable() ? result.table().rowCount() : result.isScalar() ? 1 : result.size());
    }
    return Value::ofString(trace->json());
}

Value executeSelect(const Query& query, RowSource source, Context& context) {
    requireStackRoom();
    if (!isReading(query)) throw UserError("The query of a data source must be a select or exec.");
    if (query.callsUnknown) return executeSelect(*withBuiltinsOfAnyCase(query, context), std::move(source), context);
    const CancellationScope cancellation(&context.request->cancelled);
    const OneSnapshot snapshot;
    return formOf(query, selectRows(query, std::move(source), context), context);
}

}  // namespace pelorus
