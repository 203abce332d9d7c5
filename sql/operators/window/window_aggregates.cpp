#include "sql/operators/window/window_aggregates.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/code/column_name.h"
#include "runtime/code/same_code.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/table/column_advice.h"
#include "runtime/value/cast.h"
#include "sql/bind/plan_aggregates.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/aggregate/grouped_rows.h"
#include "sql/operators/row_concatenation.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/rewrite/constant_calls.h"

namespace pelorus {

namespace {

constexpr const char* kLeftRow = " left";
// Rows that all windows of one grouped query hold together, at most (unless one window alone has more).
constexpr size_t kChunkRows = size_t{1} << 21;

SelectItem itemOf(const NodeRef& node) {
    if (node->kind != NodeKind::Alias) return {node, {defaultColumnName(*node)}, NodeRef()};
    const auto& alias = static_cast<const Alias&>(*node);
    return {alias.value, alias.names, NodeRef()};
}

std::vector<SelectItem> computedItems(const std::vector<SelectItem>& all) {
    std::vector<SelectItem> items;
    for (const SelectItem& item : all) {
        if (item.value->kind != NodeKind::Name) items.push_back(item);
    }
    return items;
}

// Groups the rows of the windows of left rows [begin, end), as one table, by the windows' numbers.
Ref<MemoryTable> grouped(const MemoryTable& right, size_t begin, size_t end, const std::vector<int32_t>& rows,
                         std::span<const RowSpan> windows, const std::vector<SelectItem>& items, Context& context) {
    std::vector<int32_t> windowRows, numbers;
    for (size_t i = begin; i < end; ++i) {
        for (int32_t at = windows[i].begin; at < windows[i].end; ++at) {
            windowRows.push_back(rows[static_cast<size_t>(at)]);
            numbers.push_back(static_cast<int32_t>(i));
        }
    }
    Ref<MemoryTable> all = right.gather(windowRows.data(), static_cast<int64_t>(windowRows.size()));
    all->setColumn(kLeftRow, Value::of(Vector::of(Type::Int, numbers)));
    const SourcePosition nowhere;
    auto query = makeRef<Query>(nowhere);
    query->items = items;
    query->table = makeRef<Constant>(Value::of(Ref<Table>(all)), nowhere);
    query->grouping = GroupKind::Group;
    query->groupBy.push_back({makeRef<Name>(kLeftRow, nowhere), {}, NodeRef()});
    const RowSource source = sourceOf(all);
    NamedQuery named = resolveNames(*query, source);
    named.resolved = withConstantCalls(*named.resolved, source.columns(), context);
    return groupedRows(planSelect(std::move(named), source, context), context);
}

// Computes any aggregates, by queries over the rows of many windows at a time.
Ref<MemoryTable> byGroups(const MemoryTable& right, const std::vector<int32_t>& rows, std::span<const RowSpan> windows,
                          const std::vector<SelectItem>& items, Context& context) {
    RowConcatenation chunks;
    size_t begin = 0;
    do {  // once without windows, too: the result has its columns
        context.checkCancelled();
        size_t end = begin, count = 0;
        auto length = [&](size_t i) { return static_cast<size_t>(windows[i].end - windows[i].begin); };
        while (end < windows.size() && (end == begin || count + length(end) <= kChunkRows)) count += length(end++);
        chunks.add(*grouped(right, begin, end, rows, windows, items, context));
        begin = end;
    } while (begin < windows.size());
    const Ref<MemoryTable> groups = chunks.finish();
    auto result = makeRef<MemoryTable>();
    std::vector<int32_t> groupOf(windows.size(), -1);
    const Value& numbers = *groups->column(kLeftRow);
    for (int64_t g = 0; g < numbers.size(); ++g) {
        groupOf[static_cast<size_t>(numbers.vector().asLong(g))] = static_cast<int32_t>(g);
    }
    for (int c = 0; c < groups->columnCount(); ++c) {
        result->setColumn(groups->columns()[static_cast<size_t>(c)].name,
                          gatherElements(groups->column(c), groupOf.data(), static_cast<int64_t>(groupOf.size())));
    }
    return result;
}

Value windowValues(const Value& column, const std::vector<int32_t>& rows, std::span<const RowSpan> windows) {
    std::vector<Value> values;
    for (const RowSpan& window : windows) {
        values.push_back(gatherElements(column, rows.data() + window.begin, window.end - window.begin));
    }
    return Value::of(makeRef<Tuple>(std::move(values)));
}

// Returns one value for each window, or nothing for an empty one.
Value withoutEmpty(const Value& values, std::span<const RowSpan> windows) {
    std::vector<int32_t> positions(windows.size());
    bool anyEmpty = false;
    for (size_t i = 0; i < windows.size(); ++i) {
        const bool isEmpty = windows[i].begin >= windows[i].end;
        positions[i] = isEmpty ? -1 : static_cast<int32_t>(i);
        anyEmpty |= isEmpty;
    }
    return anyEmpty ? gatherElements(values, positions.data(), static_cast<int64_t>(positions.size())) : values;
}

// Returns false when an expression cannot be computed from states.
bool planStates(const std::vector<SelectItem>& items, const TableSchema& right, Context& context, AggregatePlan& plan) {
    NodeList nodes;
    for (const SelectItem& item : items) {
        if (item.aliases.size() != 1) return false;
        nodes.push_back(item.value);
    }
    return planAggregates(nodes, NodeRef(), right, {}, {}, context, plan) && !plan.calls.empty();
}

// Computes an aggregate from states that see the rows of one window after the other, so that each result depends on its
// window alone. `arguments` are in the order of the windows' rows, or scalars.
Value byStates(const AggregatePlan& plan, size_t call, const std::vector<Value>& arguments,
               std::span<const RowSpan> windows) {
    constexpr size_t kPiece = size_t{1} << 12;
    std::vector<Value> pieces((windows.size() + kPiece - 1) / kPiece);
    parallelFor(static_cast<int64_t>(pieces.size()), [&](int64_t number) {
        const auto piece = static_cast<size_t>(number);
        const auto own = windows.subspan(piece * kPiece, std::min(kPiece, windows.size() - piece * kPiece));
        const std::unique_ptr<GroupedState> state = plan.newState(call);
        state->resize(static_cast<int64_t>(own.size()));
        std::vector<int32_t> groups;
        for (size_t w = 0; w < own.size(); ++w) {
            const int32_t begin = own[w].begin, count = own[w].end - begin;
            if (count <= 0) continue;
            std::vector<Value> slices;
            for (const Value& a : arguments)
                slices.push_back(a.isScalar() ? a : Value::of(a.vector().slice(begin, count)));
            groups.assign(static_cast<size_t>(count), static_cast<int32_t>(w));
            state->add(slices, groups.data(), count);
        }
        pieces[piece] = state->results();
    });
    Value all = plan.newState(call)->results();
    for (const Value& piece : pieces) appendElements(all, piece);
    CHECK(all.size() == std::ssize(windows)) << "an aggregate has one result for each window";
    return all;
}

// Computes the whole list from aggregates of ranges, each for all windows at once. Null when an expression is anything
// else.
Ref<MemoryTable> byRanges(const MemoryTable& right, const GroupRows& rows, std::span<const RowSpan> windows,
                          const std::vector<SelectItem>& items, const SumsBefore& before, Context& context) {
    AggregatePlan plan;
    if (!planStates(items, right.columns(), context, plan)) return Ref<MemoryTable>();
    auto table = makeRef<MemoryTable>();
    std::vector<std::pair<NodeRef, Value>> columns;  // of expressions, in the order of `rows`
    const auto columnOf = [&](const ExpressionProgram& argument) {
        for (const auto& [code, column] : columns) {
            if (isSameCode(code, argument.code())) return column;
        }
        Value column = argument.evaluate(context, right);
        if (column.isVector() && !column.isTuple() && !isArrayType(column.type()))
            column = gatherElements(column, rows.rows.data(), static_cast<int64_t>(rows.rows.size()));
        columns.emplace_back(argument.code(), column);
        return column;
    };
    for (size_t c = 0; c < plan.calls.size(); ++c) {
        const AggregateCall& call = plan.calls[c];
        std::vector<Value> arguments;
        for (const ExpressionProgram& argument : call.arguments) {
            arguments.push_back(columnOf(argument));
            if (arguments.back().isTuple() || isArrayType(arguments.back().type())) return Ref<MemoryTable>();
        }
        Value results;
        if (arguments.size() == 1 && arguments[0].isVector()) {
            results = rangeAggregate(call.function->declaration().role, arguments[0].vector(), windows, rows.begin,
                                     before.of(call.arguments[0].code()));
        }
        if (results.isVoid()) results = byStates(plan, c, arguments, windows);
        const Type type = plan.newState(c)->results().type();
        table->setColumn(call.column, results.type() == type ? results : cast(results, type));
    }
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < items.size(); ++i) {
        const ExpressionProgram e = bindProgram(plan.items[i], table->columns(), context);
        const Value values = e.evaluate(context, *table);
        if (!values.isVector()) return Ref<MemoryTable>();
        result->setColumn(items[i].aliases[0], withoutEmpty(values, windows));
    }
    return result;
}

}  // namespace

void addToSums(const MemoryTable& rows, const NodeList& aggregates, SumsBefore& sums, Context& context) {
    std::vector<SelectItem> all;
    for (const NodeRef& node : aggregates) all.push_back(itemOf(node));
    AggregatePlan plan;
    if (!planStates(computedItems(all), rows.columns(), context, plan)) return;
    NodeList added;
    for (const AggregateCall& call : plan.calls) {
        if (call.arguments.size() != 1) continue;
        const NodeRef& code = call.arguments[0].code();
        const auto isAdded = [&](const NodeRef& other) { return isSameCode(other, code); };
        if (std::any_of(added.begin(), added.end(), isAdded)) continue;
        added.push_back(code);
        const Value items = call.arguments[0].evaluate(context, rows);
        if (items.isTypedVector() && isFloating(items.type())) addValues(items.vector(), sums.changed(code));
    }
}

Ref<MemoryTable> windowAggregates(const MemoryTable& left, const MemoryTable& right, const GroupRows& rows,
                                  std::span<const RowSpan> windows, const NodeList& aggregates,
                                  const SumsBefore& before, Context& context) {
    std::vector<SelectItem> all;
    for (const NodeRef& node : aggregates) all.push_back(itemOf(node));
    CHECK(std::ssize(windows) == left.rowCount()) << "each left row has a window";
    const std::vector<SelectItem> items = computedItems(all);
    Ref<MemoryTable> computed =
        items.empty() ? makeRef<MemoryTable>() : byRanges(right, rows, windows, items, before, context);
    if (!computed) computed = byGroups(right, rows.rows, windows, items, context);
    Ref<MemoryTable> result = left.copy();
    for (const SelectItem& item : all) {
        if (item.value->kind == NodeKind::Name) {
            const std::string& name = static_cast<const Name&>(*item.value).name;
            const Value* column = right.column(name);
            if (!column) throw unknownColumn(name, right.columns());
            result->setColumn(item.aliases[0], windowValues(*column, rows.rows, windows));
            continue;
        }
        for (const std::string& name : item.aliases) {
            if (computed->column(name)) result->setColumn(name, *computed->column(name));
        }
    }
    return result;
}

}  // namespace pelorus
