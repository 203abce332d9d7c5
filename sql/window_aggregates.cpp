#include "sql/window_aggregates.h"

#include "common/error.h"
#include "runtime/code/column_name.h"
#include "runtime/kernel/index.h"
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
Ref<MemoryTable> grouped(const MemoryTable& right, size_t begin, size_t end, const RowsOfWindow& rowsOf,
                         const std::vector<SelectItem>& items, Context& context) {
    std::vector<int32_t> rows, numbers;
    for (size_t i = begin; i < end; ++i) {
        for (int32_t row : rowsOf(i)) {
            rows.push_back(row);
            numbers.push_back(static_cast<int32_t>(i));
        }
    }
    Ref<MemoryTable> all = right.gather(rows.data(), static_cast<int64_t>(rows.size()));
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

Value windowValues(const Value& column, size_t count, const RowsOfWindow& rowsOf) {
    std::vector<Value> values;
    for (size_t i = 0; i < count; ++i) {
        const auto rows = rowsOf(i);
        values.push_back(takeRows(column, *Vector::of(Type::Int, std::vector<int32_t>(rows.begin(), rows.end()))));
    }
    return Value::of(makeRef<Tuple>(std::move(values)));
}

}  // namespace

Ref<MemoryTable> windowAggregates(const MemoryTable& left, const MemoryTable& right, size_t count,
                                  const RowsOfWindow& rowsOf, const NodeList& aggregates, Context& context) {
    std::vector<SelectItem> items, all;
    for (const NodeRef& node : aggregates) {
        all.push_back(itemOf(node));
        if (all.back().value->kind != NodeKind::Name) items.push_back(all.back());
    }
    Ref<MemoryTable> groups;
    for (size_t begin = 0; begin < count && !items.empty();) {
        context.checkCancelled();
        size_t end = begin, rows = 0;
        while (end < count && (end == begin || rows + rowsOf(end).size() <= kChunkRows)) rows += rowsOf(end++).size();
        Ref<MemoryTable> part = grouped(right, begin, end, rowsOf, items, context);
        if (groups) {
            groups->append(*part);
        } else {
            groups = part->copy();
        }
        begin = end;
    }
    std::vector<int32_t> groupOf(count, -1);
    if (groups) {
        const Value& numbers = *groups->column(kLeftRow);
        for (int64_t g = 0; g < numbers.size(); ++g) {
            groupOf[static_cast<size_t>(numbers.vector().asLong(g))] = static_cast<int32_t>(g);
        }
    }
    const Ref<Vector> places = Vector::of(Type::Int, groupOf);
    Ref<MemoryTable> result = left.copy();
    for (const SelectItem& item : all) {
        if (item.value->kind == NodeKind::Name) {
            const std::string& name = static_cast<const Name&>(*item.value).name;
            const Value* column = right.column(name);
            if (!column) throw UserError("Unrecognized column name [" + name + "]. RefId: S02005");
            result->setColumn(item.aliases[0], windowValues(*column, count, rowsOf));
            continue;
        }
        for (const std::string& name : item.aliases) {
            if (groups && groups->column(name)) result->setColumn(name, takeRows(*groups->column(name), *places));
        }
    }
    return result;
}

}  // namespace pelorus
