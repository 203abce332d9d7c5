#include "sql/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/to_source.h"
#include "runtime/dictionary.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/row_order.h"
#include "sql/change.h"
#include "sql/data_source.h"
#include "sql/external_sort.h"
#include "sql/grouped_windows.h"
#include "sql/key_lookup.h"
#include "sql/partition_advice.h"
#include "sql/prune.h"
#include "sql/query_snapshot.h"
#include "sql/query_trace.h"
#include "sql/select.h"
#include "sql/select_interval.h"
#include "sql/select_map_reduce.h"
#include "sql/select_roll.h"
#include "sql/spilled_windows.h"
#include "sql/window_functions.h"

namespace pelorus {

namespace {

constexpr int64_t kExplainHint = 32768;  // HINT_EXPLAIN

// The names of `with`, in front of the caller's.
class WithScope final : public Scope {
public:
    explicit WithScope(const Scope* outer) : outer_(outer) {}
    bool lookup(std::string_view name, Value& value) const override {
        for (const auto& [known, table] : tables_) {
            if (known == name) {
                value = table;
                return true;
            }
        }
        return outer_ && outer_->lookup(name, value);
    }
    std::string nameOf(const Object& object) const override { return outer_ ? outer_->nameOf(object) : ""; }
    void add(const std::string& name, Value table) { tables_.emplace_back(name, std::move(table)); }

private:
    const Scope* outer_;
    std::vector<std::pair<std::string, Value>> tables_;
};

Value constantOf(const NodeRef& node, Context& context) {
    ColumnExpression e(node, {}, context);
    return e.evaluate(context, std::span<const Value>(), 0);
}

// Columns that order by needs and the result does not show ride along under hidden names.
std::vector<std::string> addHiddenOrder(SelectPlan& plan) {
    std::vector<std::string> hidden;
    if (plan.query->grouping != GroupKind::None) return hidden;
    for (size_t i = 0; i < plan.query->orderBy.size(); ++i) {
        const NodeRef& node = plan.query->orderBy[i].value;
        bool isResult = node->kind == NodeKind::Name &&
                        std::any_of(plan.items.begin(), plan.items.end(), [&](const OutputItem& item) {
                            return std::find(item.names.begin(), item.names.end(),
                                             static_cast<const Name&>(*node).name) != item.names.end();
                        });
        if (isResult) {
            hidden.emplace_back();
            continue;
        }
        bool readsSource = false;
        forEachName(*node, [&](const Name& n) { readsSource |= plan.source.table->findColumn(n.name) >= 0; });
        hidden.push_back(readsSource ? fmt::format(" order{}", i) : "");
        if (readsSource) plan.items.push_back({{hidden.back()}, node, true});
    }
    return hidden;
}

// The rows that top or limit leave of the result. Neither is below 0.
struct RowRange {
    int64_t begin = 0, count = INT64_MAX;

    // How many rows from the first on are looked at.
    int64_t end() const { return count < INT64_MAX - begin ? begin + count : INT64_MAX; }
};

RowRange rangeOf(const Query& query, Context& context) {
    RowRange range;
    if (query.top) {
        Value v = constantOf(query.top, context);
        if (v.isPair()) {
            // An end that is left out is open.
            const Vector& ends = v.vector();
            if (!ends.isNullAt(0)) range.begin = ends.asLong(0);
            if (!ends.isNullAt(1) && __builtin_sub_overflow(ends.asLong(1), range.begin, &range.count))
                range.count = ends.asLong(1) < range.begin ? 0 : INT64_MAX;
        } else if (v.isScalar() && isIntegral(v.type())) {
            range.count = v.asLong();
        } else {
            throw UserError("integer constant expected after keyword top");
        }
    }
    if (query.limit) {
        if (query.offset) range.begin = constantOf(query.offset, context).asLong();
        Value v = constantOf(query.limit, context);
        if (!v.isScalar() || !isIntegral(v.type())) throw UserError("limit needs an integer.");
        range.count = v.asLong();
    }
    range.begin = std::max<int64_t>(range.begin, 0);
    range.count = std::max<int64_t>(range.count, 0);
    return range;
}

// `needed`: nobody looks at the rows behind so many.
Ref<MemoryTable> ordered(const SelectPlan& plan, const std::vector<std::string>& hidden, Ref<MemoryTable> rows,
                         int64_t needed, Context& context) {
    const auto& orderBy = plan.query->orderBy;
    if (orderBy.empty() && rows->findColumn(lastOrderColumn(0)) < 0) return rows;
    std::vector<OrderKey> keys;
    for (size_t i = 0; i < orderBy.size(); ++i) {
        Value column;
        if (i < hidden.size() && !hidden[i].empty()) {
            column = *rows->column(hidden[i]);
        } else {
            ColumnExpression e(orderBy[i].value, rows->columns(), context);
            column = e.evaluate(context, *rows);
        }
        if (column.isScalar()) continue;
        keys.push_back({column, orderBy[i].ascending, orderBy[i].nullsGiven, orderBy[i].nullsFirst});
    }
    size_t last = 0;
    for (; rows->findColumn(lastOrderColumn(last)) >= 0; ++last) keys.push_back({*rows->column(lastOrderColumn(last))});
    Ref<MemoryTable> sorted = sortedRows(std::move(rows), std::move(keys), context, needed);
    while (last-- > 0) sorted->dropColumn(sorted->findColumn(lastOrderColumn(last)));
    for (const std::string& name : hidden) {
        if (!name.empty()) sorted->dropColumn(sorted->findColumn(name));
    }
    return sorted;
}

Ref<MemoryTable> limited(const RowRange& range, Ref<MemoryTable> rows) {
    const int64_t total = rows->rowCount();
    const int64_t begin = std::min(range.begin, total);
    const int64_t count = std::min(range.count, total - begin);
    return begin == 0 && count == total ? rows : rows->slice(begin, count);
}

Ref<MemoryTable> distinctRows(Ref<MemoryTable> rows, Context& context) {
    std::vector<OutputItem> keys;
    for (const ColumnSchema& c : rows->columns())
        keys.push_back({{c.name}, makeRef<Name>(c.name, SourcePosition{}), false});
    std::vector<int32_t> first;
    for (const auto& group : groupRows(keys, *rows, context).rows) first.push_back(group[0]);
    std::sort(first.begin(), first.end());
    return rows->gather(first.data(), static_cast<int64_t>(first.size()));
}

bool needsOneRow(const SelectPlan& plan, Context& context) {
    return std::any_of(plan.items.begin(), plan.items.end(),
                       [&](const OutputItem& item) { return holdsAggregate(*item.value, context); });
}

// Whether all items are calls of aggregates, a script's among them.
bool onlyAggregates(const SelectPlan& plan, Context& context) {
    return std::all_of(plan.items.begin(), plan.items.end(), [&](const OutputItem& item) {
        if (item.value->kind != NodeKind::Call) return false;
        Ref<Function> f = calledFunction(static_cast<const Call&>(*item.value), context);
        return f && f->signature().aggregate;
    });
}

// Whether all items are aggregates, so that the whole table is one group whose states can be merged.
bool isGlobalAggregate(const SelectPlan& plan, Context& context) {
    if (plan.items.empty() || plan.query->grouping != GroupKind::None) return false;
    if (!needsOneRow(plan, context)) return false;
    AggregatePlan aggregates;
    if (!planGroups(plan, context, aggregates)) return false;
    // What is left of the items must not read rows any more.
    for (const NodeRef& item : aggregates.items) {
        bool readsRows = false;
        forEachName(*item, [&](const Name& n) { readsRows |= plan.source.table->findColumn(n.name) >= 0; });
        if (readsRows) return false;
    }
    return true;
}

Ref<MemoryTable> selectRows(const Query& query, Context& context, bool& oneCell, PivotedRows& pivoted);

// `map`: the whole statement in every partition by itself, one result after the other. SQL-82.
Ref<MemoryTable> selectByPartition(const SelectPlan& plan, Context& context) {
    const TracePause pause;
    Filter filter(plan.filters, plan.source.columns(), context);
    std::vector<std::vector<size_t>> parts;
    for (const size_t p : prunePartitions(*plan.source.partitioned, *plan.source.snapshot, filter.constraints())) {
        const auto& chosen = plan.source.partitions;
        if (!plan.source.restricted || std::find(chosen.begin(), chosen.end(), p) != chosen.end()) parts.push_back({p});
    }
    if (parts.empty()) parts.emplace_back();
    Ref<MemoryTable> result;
    for (std::vector<size_t>& part : parts) {
        context.checkCancelled();
        Ref<Query> own = copyQuery(*plan.query);
        own->map = false;
        own->tableAlias.clear();
        own->table = makeRef<Constant>(
            Value::of(Ref<Table>(makeRef<RestrictedTable>(plan.source.table, plan.source.snapshot, std::move(part)))),
            plan.query->position);
        bool oneCell = false;
        PivotedRows pivoted;
        const Ref<MemoryTable> rows = selectRows(*own, context, oneCell, pivoted);
        if (result) {
            result->append(*rows);
        } else {
            result = rows->copy();
        }
    }
    return result;
}

// Window functions become columns of the rows first; the query then reads those.
Ref<MemoryTable> selectWithWindows(const Query& query, const Ref<MemoryTable>& rows, Context& context, bool& oneCell) {
    Ref<Query> rest = withWindowColumns(query, *rows, context);
    rest->table = makeRef<Constant>(Value::of(Ref<Table>(rows)), query.position);
    rest->tableAlias.clear();
    rest->joins.clear();
    rest->where.clear();
    PivotedRows none;
    return selectRows(*rest, context, oneCell, none);
}

Ref<MemoryTable> selectWithWindows(const SelectPlan& plan, Context& context, bool& oneCell) {
    const auto select = [&](const Query& query, const Ref<MemoryTable>& rows) {
        return selectWithWindows(query, rows, context, oneCell);
    };
    if (Ref<MemoryTable> result = selectWindowsInParts(plan, context, select)) return result;
    SelectPlan all = plan;
    all.items.clear();
    for (const ColumnSchema& c : plan.source.columns()) {
        all.items.push_back({{c.name}, makeRef<Name>(c.name, SourcePosition{}), true});
    }
    return select(*plan.query, filteredRows(all, context)->copy());
}

// The source as a table that a further query may read.
Ref<Table> tableOf(const RowSource& source) {
    if (!source.restricted) return source.table;
    return Ref<Table>(makeRef<RestrictedTable>(source.table, source.snapshot, source.partitions));
}

SelectPlan planned(const Query& query, Context& context) {
    const TraceStep step("from");
    return planSelect(query, context);
}

// count(*)
SelectItem countOfRows(SourcePosition here) {
    std::vector<Argument> all;
    all.push_back({"", makeRef<Star>(here)});
    return {makeRef<Call>(makeRef<Name>("count", here), std::move(all), Call::Style::Function, here), {}, {}};
}

// How many rows the conditions leave, which the query itself finds out block by block only.
int64_t countSelected(const SelectPlan& plan, Context& context) {
    const TracePause pause;
    if (!plan.source.partitioned) return filteredRows(plan, context)->rowCount();
    const SourcePosition here = plan.query->position;
    auto query = makeRef<Query>(here);
    query->verb = QueryVerb::Select;
    query->table = makeRef<Constant>(Value::of(tableOf(plan.source)), here);
    query->where = plan.query->where;
    query->items.push_back(countOfRows(here));
    bool oneCell = false;
    PivotedRows pivoted;
    return selectRows(*query, context, oneCell, pivoted)->column(0).at(0).asLong();
}

// Before the query runs: what it reads.
void traceSource(const SelectPlan& plan, Context& context) {
    if (!QueryTrace::isOn()) return;
    if (plan.source.partitioned) {
        TraceStep map("map");
        Filter filter(plan.filters, plan.source.columns(), context);
        const std::vector<size_t> chosen =
            prunePartitions(*plan.source.partitioned, *plan.source.snapshot, filter.constraints());
        const std::string advice = partitionAdvice(*plan.source.partitioned, *plan.source.snapshot, chosen);
        if (!advice.empty()) map.note("advice", advice);
    }
    if (plan.query->where.empty()) return;
    TraceStep where("where");
    where.note("rows", countSelected(plan, context));
}

const char* stageName(GroupKind kind) {
    switch (kind) {
        case GroupKind::Group:
            return "groupBy";
        case GroupKind::Context:
            return "contextBy";
        case GroupKind::Pivot:
            return "pivotBy";
        case GroupKind::CumulativeGroup:
            return "cgroupBy";
        default:
            return "select";
    }
}

// Window functions over the groups: the groups become a table first, with what the windows need beside what is shown.
Ref<MemoryTable> selectGroupedWindows(const SelectPlan& plan, Context& context) {
    GroupedWindows parts = splitGroupedWindows(plan);
    bool oneCell = false;
    PivotedRows none;
    parts.groups->table = makeRef<Constant>(Value::of(tableOf(plan.source)), plan.query->position);
    const Ref<MemoryTable> groups = selectRows(*parts.groups, context, oneCell, none)->copy();
    showGroups(parts, *groups);
    parts.windows->table = makeRef<Constant>(Value::of(Ref<Table>(groups)), plan.query->position);
    return selectRows(*parts.windows, context, oneCell, none);
}

// How many rows partitions have together is a sum of counts, which is LONG.
void countAsLong(const SelectPlan& plan, MemoryTable& rows) {
    for (const OutputItem& item : plan.items) {
        if (item.value->kind != NodeKind::Call || item.names.size() != 1) continue;
        const NodeRef& callee = static_cast<const Call&>(*item.value).callee;
        if (roleOf(callee) != Role::Count) continue;
        const Value* counts = rows.column(item.names[0]);
        if (counts && counts->type() == Type::Int) rows.setColumn(item.names[0], cast(*counts, Type::Long));
    }
}

Ref<MemoryTable> selectRows(const Query& query, Context& context, bool& oneCell, PivotedRows& pivoted) {
    if (!query.table) {
        // select 1 + 1: one row of constants.
        auto result = makeRef<MemoryTable>();
        for (const SelectItem& item : query.items) {
            OutputItem output{
                item.aliases.empty() ? std::vector<std::string>{defaultColumnName(*item.value)} : item.aliases,
                item.value, false};
            addOutput(*result, output, constantOf(item.value, context), 1);
        }
        return result;
    }
    SelectPlan plan = planned(query, context);
    lookUpKeys(plan.source, plan.filters, context);
    traceSource(plan, context);
    if (query.map && plan.source.partitioned) return selectByPartition(plan, context);
    const bool windows = std::any_of(plan.items.begin(), plan.items.end(),
                                     [](const OutputItem& item) { return holdsWindow(*item.value); });
    if (windows && query.grouping == GroupKind::Group) return selectGroupedWindows(plan, context);
    if (windows) return selectWithWindows(plan, context, oneCell);
    // One row has no order.
    if (query.grouping == GroupKind::None && isGlobalAggregate(plan, context)) plan.query->orderBy.clear();
    std::vector<std::string> hidden = addHiddenOrder(plan);
    Ref<MemoryTable> rows;
    std::optional<TraceStep> stage(stageName(query.grouping));
    switch (query.grouping) {
        case GroupKind::Group:
            rows = groupsByInterval(plan, context)
                       ? selectInterval(plan, context)
                       : selectGrouped(plan, context,
                                       (!query.orderBy.empty() || query.limit || query.top) && !query.distinct);
            break;
        case GroupKind::Context:
            rows = rollsWindows(plan, context) ? selectRoll(plan, context) : selectContext(plan, context);
            break;
        case GroupKind::None:
            oneCell = isGlobalAggregate(plan, context);
            if (oneCell) {
                rows = selectGrouped(plan, context);
            } else if (onlyAggregates(plan, context)) {
                oneCell = true;
                rows = selectMapReduce(plan, context);
            }
            if (!rows) rows = selectPlain(plan, context);
            if (oneCell && plan.source.partitioned && query.verb == QueryVerb::Exec) countAsLong(plan, *rows);
            break;
        case GroupKind::CumulativeGroup:
            rows = selectCumulative(plan, context);
            break;
        case GroupKind::Pivot:
            pivoted = selectPivot(plan, context);
            rows = pivoted.table;
            break;
    }
    stage->note("rows", rows->rowCount());
    stage.reset();
    if (!query.orderBy.empty()) stage.emplace("sort");
    if (query.distinct) rows = distinctRows(rows, context);
    const RowRange range = query.grouping == GroupKind::Context ? RowRange{} : rangeOf(query, context);
    rows = ordered(plan, hidden, std::move(rows), range.end(), context);
    return limited(range, rows);
}

Ref<MemoryTable> withUnions(const Query& query, Ref<MemoryTable> rows, Context& context) {
    bool distinct = false;
    for (const auto& [all, other] : query.unions) {
        const TraceStep step("union");
        Value more = executeQuery(static_cast<const Query&>(*other), context);
        if (!more.isTable()) throw UserError("union joins the results of selects.");
        rows = rows->copy();
        rows->append(static_cast<const MemoryTable&>(more.table()));
        distinct = distinct || !all;
    }
    return distinct ? distinctRows(rows, context) : rows;
}

}  // namespace

// The query's rows, or what exec makes of them.
static Value selected(const Query& query, Context& context) {
    bool oneCell = false;
    PivotedRows pivoted;
    Ref<MemoryTable> rows = withUnions(query, selectRows(query, context, oneCell, pivoted), context);
    if (query.verb == QueryVerb::Exec && pivoted.table) {
        pivoted.table = rows;
        return pivotMatrix(pivoted);
    }
    if (query.verb == QueryVerb::Select) return Value::of(Ref<Table>(rows));
    // Groups give a table also where one column is asked for: context by as group by.
    if (query.grouping == GroupKind::Context) return Value::of(Ref<Table>(rows));
    if (rows->columnCount() == 1) return oneCell ? rows->column(0).at(0) : rows->column(0);
    return Value::of(Ref<Table>(rows));
}

// A query whose steps are recorded, below the step that needs it or as the whole that is explained.
static Value traced(const Query& query, Context& context, const char* name) {
    TraceStep step(name);
    if (!step) return selected(query, context);
    step.note("sql", toSource(query));
    const Value result = selected(query, context);
    step.note("rows", result.isTable() ? result.table().rowCount() : result.isScalar() ? 1 : result.size());
    return result;
}

// What an update or delete would read and change. Nothing is changed.
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
    const CancellationScope cancellation(&outer.request->cancelled);
    const OneSnapshot snapshot;
    WithScope scope(outer.scope);
    Context context = outer;
    if (!query.with.empty()) context.scope = &scope;
    const bool explains = (query.hint & kExplainHint) != 0;
    std::optional<QueryTrace> trace;
    if (explains && query.verb != QueryVerb::Update && query.verb != QueryVerb::Delete) trace.emplace();
    // An explained query is the whole of a trace; one inside of another is a detail of the step that needs it.
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

}  // namespace pelorus
