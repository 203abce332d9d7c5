#include "sql/window_aggregates.h"

#include <algorithm>

#include "common/error.h"
#include "runtime/code/column_name.h"
#include "runtime/code/to_source.h"
#include "runtime/kernel/aggregate.h"
#include "runtime/kernel/cast.h"
#include "sql/aggregate_plan.h"
#include "sql/execute.h"

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

// The windows of left rows [begin, end) as one table, and a group by of their numbers.
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
    const Value result = executeQuery(*query, context);
    return Ref<MemoryTable>(&static_cast<MemoryTable&>(result.table()));
}

// Any aggregates, by queries over the rows of many windows at a time.
Ref<MemoryTable> byGroups(const MemoryTable& right, const std::vector<int32_t>& rows, std::span<const RowSpan> windows,
                          const std::vector<SelectItem>& items, Context& context) {
    Ref<MemoryTable> groups;
    size_t begin = 0;
    do {  // once without windows, too: the result has its columns
        context.checkCancelled();
        size_t end = begin, count = 0;
        auto length = [&](size_t i) { return static_cast<size_t>(windows[i].end - windows[i].begin); };
        while (end < windows.size() && (end == begin || count + length(end) <= kChunkRows)) count += length(end++);
        Ref<MemoryTable> part = grouped(right, begin, end, rows, windows, items, context);
        if (groups) {
            groups->append(*part);
        } else {
            groups = part->copy();
        }
        begin = end;
    } while (begin < windows.size());
    auto result = makeRef<MemoryTable>();
    std::vector<int32_t> groupOf(windows.size(), -1);
    const Value& numbers = *groups->column(kLeftRow);
    for (int64_t g = 0; g < numbers.size(); ++g) {
        groupOf[static_cast<size_t>(numbers.vector().asLong(g))] = static_cast<int32_t>(g);
    }
    for (int c = 0; c < groups->columnCount(); ++c) {
        result->setColumn(groups->columns()[static_cast<size_t>(c)].name,
                          gatherItems(groups->column(c), groupOf.data(), static_cast<int64_t>(groupOf.size())));
    }
    return result;
}

Value windowValues(const Value& column, const std::vector<int32_t>& rows, std::span<const RowSpan> windows) {
    std::vector<Value> values;
    for (const RowSpan& window : windows) {
        values.push_back(gatherItems(column, rows.data() + window.begin, window.end - window.begin));
    }
    return Value::of(makeRef<Tuple>(std::move(values)));
}

// One item of each window, or nothing in an empty one.
Value withoutEmpty(const Value& values, std::span<const RowSpan> windows) {
    std::vector<int32_t> positions(windows.size());
    bool anyEmpty = false;
    for (size_t i = 0; i < windows.size(); ++i) {
        const bool isEmpty = windows[i].begin >= windows[i].end;
        positions[i] = isEmpty ? -1 : static_cast<int32_t>(i);
        anyEmpty |= isEmpty;
    }
    return anyEmpty ? gatherItems(values, positions.data(), static_cast<int64_t>(positions.size())) : values;
}

// All items from aggregates of ranges, each computed for all windows at once. Null when one is something else.
Ref<MemoryTable> byRanges(const MemoryTable& right, const GroupRows& rows, std::span<const RowSpan> windows,
                          const std::vector<SelectItem>& items, Context& context) {
    NodeList nodes;
    for (const SelectItem& item : items) {
        if (item.aliases.size() != 1) return Ref<MemoryTable>();
        nodes.push_back(item.value);
    }
    AggregatePlan plan;
    if (!planAggregates(nodes, NodeRef(), right.columns(), {}, {}, context, plan)) return Ref<MemoryTable>();
    auto table = makeRef<MemoryTable>();
    std::vector<std::pair<std::string, Value>> arguments;  // in the order of `rows`
    for (size_t c = 0; c < plan.calls.size(); ++c) {
        const AggregateCall& call = plan.calls[c];
        if (call.arguments.size() != 1 || call.arguments[0].isConstant()) return Ref<MemoryTable>();
        const std::string text = toSource(*call.arguments[0].node());
        auto known = std::find_if(arguments.begin(), arguments.end(), [&](const auto& a) { return a.first == text; });
        if (known == arguments.end()) {
            const Value all = call.arguments[0].evaluate(context, right);
            if (!all.isVector() || all.isTuple() || isArrayType(all.type())) return Ref<MemoryTable>();
            arguments.emplace_back(text, gatherItems(all, rows.rows.data(), static_cast<int64_t>(rows.rows.size())));
            known = std::prev(arguments.end());
        }
        const Value results = rangeAggregate(call.function->name(), known->second.vector(), windows, rows.begin);
        if (results.isVoid()) return Ref<MemoryTable>();
        const Type type = plan.newState(c, right.columns())->results().type();
        table->setColumn(call.column, results.type() == type ? results : cast(results, type));
    }
    if (plan.calls.empty()) return Ref<MemoryTable>();
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < items.size(); ++i) {
        const ColumnExpression e(plan.items[i], table->columns(), context);
        const Value values = e.evaluate(context, *table);
        if (!values.isVector()) return Ref<MemoryTable>();
        result->setColumn(items[i].aliases[0], withoutEmpty(values, windows));
    }
    return result;
}

}  // namespace

Ref<MemoryTable> windowAggregates(const MemoryTable& left, const MemoryTable& right, const GroupRows& rows,
                                  std::span<const RowSpan> windows, const NodeList& aggregates, Context& context) {
    std::vector<SelectItem> items, all;
    for (const NodeRef& node : aggregates) {
        all.push_back(itemOf(node));
        if (all.back().value->kind != NodeKind::Name) items.push_back(all.back());
    }
    Ref<MemoryTable> computed = items.empty() ? makeRef<MemoryTable>() : byRanges(right, rows, windows, items, context);
    if (!computed) computed = byGroups(right, rows.rows, windows, items, context);
    Ref<MemoryTable> result = left.copy();
    for (const SelectItem& item : all) {
        if (item.value->kind == NodeKind::Name) {
            const std::string& name = static_cast<const Name&>(*item.value).name;
            const Value* column = right.column(name);
            if (!column) throw UserError("Unrecognized column name [" + name + "]. RefId: S02005");
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
