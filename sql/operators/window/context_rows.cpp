#include "sql/operators/window/context_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "runtime/function/progress.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/keys/parted_rows.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/row_concatenation.h"
#include "sql/operators/select_rows.h"
#include "sql/operators/window/group_limit.h"
#include "sql/operators/window/group_values.h"

namespace pelorus {

namespace {

using Output = WindowNode::Output;

bool isPlainVector(const Value& v) {
    return v.isVector() && !v.isTuple() && !isArrayType(v.type()) && storageOf(v.type()) != Storage::Boxed;
}

// Whether each item is one column, so that the rows of a group can be those of a slice.
bool haveOneColumn(const std::vector<WindowItem>& items) {
    return std::all_of(items.begin(), items.end(), [](const WindowItem& i) { return i.whole.names().size() == 1; });
}

// csort by cumsum(v) orders each group differently than all rows.
bool isOrderOfRows(const std::vector<OrderExpression>& order) {
    return std::all_of(order.begin(), order.end(), [](const OrderExpression& o) { return o.value.isElementwise(); });
}

// Whether the items of the rows that a limit keeps can be computed from those rows alone.
bool readOwnRow(const WindowNode& node) {
    return !node.having && std::all_of(node.items.begin(), node.items.end(),
                                       [](const WindowItem& item) { return item.whole.value.isElementwise(); });
}

// Returns the rows that having and limit keep, as positions in the list of the groups' rows.
std::vector<int32_t> keptRows(const std::vector<int32_t>& begin, const Value& mask,
                              const std::optional<int64_t>& limit) {
    std::vector<int32_t> kept, ofGroup;
    for (size_t g = 0; g + 1 < begin.size(); ++g) {
        ofGroup.clear();
        for (int32_t r = begin[g]; r < begin[g + 1]; ++r) {
            if (mask.isVoid() || isTrue(mask.vector().at(r))) ofGroup.push_back(r);
        }
        auto first = ofGroup.begin(), last = ofGroup.end();
        if (limit && std::abs(*limit) < static_cast<int64_t>(ofGroup.size())) {
            if (*limit >= 0)
                last = first + *limit;
            else
                first = last + *limit;
        }
        kept.insert(kept.end(), first, last);
    }
    return kept;
}

// The limit decides before anything is computed.
Ref<MemoryTable> limitedRows(const WindowNode& node, const MemoryTable& rows, Context& context,
                             std::vector<int32_t>* sources) {
    const std::vector<Value> keys = keysOfRows(node.partitionBy, rows, context);
    const std::vector<OrderKey> order = orderKeys(node.orderBy, rows, context);
    std::vector<int32_t> kept = rowsWithinLimit(keys, order, rows.rowCount(), *node.limit);
    if (node.output == Output::RowOrder) std::sort(kept.begin(), kept.end());
    const auto count = std::ssize(kept);
    const Ref<MemoryTable> first = rows.gather(kept.data(), count);
    auto result = makeRef<MemoryTable>();
    for (const WindowItem& item : node.items)
        addOutput(*result, item.whole.written, item.whole.value.evaluate(context, *first), count);
    if (sources) *sources = std::move(kept);
    return result;
}

// Computes all groups at once, along their bounds. Null where an item of some group is no column of one type.
Ref<MemoryTable> rowsAlongGroups(const WindowNode& node, const MemoryTable& rows, Context& context,
                                 std::vector<int32_t>* sources) {
    const PartedRows groups(keysOfRows(node.partitionBy, rows, context), orderKeys(node.orderBy, rows, context),
                            rows.rowCount(), PartedRows::GroupOrder::ByKey);
    GroupValues all(node, rows, groups, context);
    auto result = makeRef<MemoryTable>();
    for (const WindowItem& item : node.items) {
        Value values = all.next(item);
        if (values.isVoid()) return nullptr;
        if (!values.isScalar() && !(values.isVector() && values.size() == rows.rowCount())) return nullptr;
        addOutput(*result, item.whole.written, std::move(values), rows.rowCount());
    }
    Value mask;
    if (node.having) {
        mask = all.next(*node.having);
        if (!isPlainVector(mask) || mask.size() != rows.rowCount()) return nullptr;
    }
    const bool inRowOrder = node.output == Output::RowOrder;
    if (!node.limit && mask.isVoid() && !inRowOrder) {
        if (sources) *sources = groups.list();
        return result;
    }
    std::vector<int32_t> kept = keptRows(groups.groupBegin(), mask, node.limit);
    if (inRowOrder || sources) {
        const std::vector<int32_t> list = groups.list();
        if (inRowOrder) {
            std::sort(kept.begin(), kept.end(), [&](int32_t a, int32_t b) {
                return list[static_cast<size_t>(a)] < list[static_cast<size_t>(b)];
            });
        }
        if (sources) {
            for (const int32_t place : kept) sources->push_back(list[static_cast<size_t>(place)]);
        }
    }
    return result->gather(kept.data(), std::ssize(kept));
}

// The items of one group, and the rows of the table from which they come.
struct GroupResult {
    Ref<MemoryTable> items;
    std::vector<int32_t> rows;

    // Keeps some of the items, and where each row has one, those rows.
    void keep(const std::vector<int32_t>& positions) {
        if (items->rowCount() == std::ssize(rows)) {
            for (size_t i = 0; i < positions.size(); ++i) rows[i] = rows[static_cast<size_t>(positions[i])];
            rows.resize(positions.size());
        }
        items = items->gather(positions.data(), std::ssize(positions));
    }
};

Ref<MemoryTable> itemsOf(const WindowNode& node, const MemoryTable& group, Context& context) {
    auto items = makeRef<MemoryTable>();
    for (const WindowItem& item : node.items) {
        Value v = item.whole.value.evaluate(context, group);
        if (item.whole.names().size() == 1) v = rowsOfGroup(v, group.rowCount());
        addOutput(*items, item.whole.written, v, group.rowCount());
    }
    return items;
}

// Returns the columns of the items where there are no groups.
Ref<MemoryTable> itemsWithoutRows(const WindowNode& node, const MemoryTable& noRows, Context& context) {
    auto items = makeRef<MemoryTable>();
    for (const WindowItem& item : node.items)
        addOutput(*items, item.whole.written, item.whole.value.evaluate(context, noRows), 0);
    return items;
}

// Computes a group as a table of its own; nothing where having drops it. `rows`: its rows of the table.
std::optional<GroupResult> resultOfGroup(const WindowNode& node, const MemoryTable& table, std::vector<int32_t> rows,
                                         Context& context) {
    Ref<MemoryTable> group = table.gather(rows.data(), std::ssize(rows));
    if (!node.orderBy.empty()) {
        const std::vector<int32_t> order = sortPositions(orderKeys(node.orderBy, *group, context), group->rowCount());
        group = group->gather(order.data(), std::ssize(order));
        std::vector<int32_t> sorted;
        for (const int32_t at : order) sorted.push_back(rows[static_cast<size_t>(at)]);
        rows = std::move(sorted);
    }
    GroupResult result{itemsOf(node, *group, context), std::move(rows)};
    if (node.having) {
        const Value mask = node.having->whole.value.evaluate(context, *group);
        if (!mask.isScalar()) {
            result.keep(rowsWhere(mask, group->rowCount(), "having"));
        } else if (!isTrue(mask)) {
            return std::nullopt;
        }
    }
    const int64_t count = result.items->rowCount();
    if (node.limit && std::abs(*node.limit) < count) {
        const int64_t begin = *node.limit >= 0 ? 0 : count + *node.limit, kept = std::abs(*node.limit);
        if (std::ssize(result.rows) == count)
            result.rows = {result.rows.begin() + begin, result.rows.begin() + begin + kept};
        result.items = result.items->slice(begin, kept);
    }
    return result;
}

Ref<MemoryTable> inOrderOf(const std::vector<int32_t>& rows, const Ref<MemoryTable>& result) {
    const std::vector<OrderKey> byRow = {{Value::of(Vector::of(Type::Int, rows))}};
    const std::vector<int32_t> order = sortPositions(byRow, result->rowCount());
    return result->gather(order.data(), std::ssize(order));
}

// Computes group by group, whatever the items are.
Ref<MemoryTable> rowsGroupByGroup(const WindowNode& node, const MemoryTable& table, Context& context,
                                  std::vector<int32_t>* sources) {
    RowGroups groups = groupRows(node.partitionBy, table, context);
    RowConcatenation all;
    std::vector<int32_t> from;
    bool areRows = true;
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Tasks, std::ssize(groups.rows));
    for (std::vector<int32_t>& rows : groups.rows) {
        context.checkCancelled();
        progress.add(1);
        const int32_t first = rows[0];
        std::optional<GroupResult> group = resultOfGroup(node, table, std::move(rows), context);
        if (!group) continue;
        const int64_t count = group->items->rowCount();
        areRows = areRows && std::ssize(group->rows) == count;
        if (std::ssize(group->rows) != count) group->rows.assign(static_cast<size_t>(count), first);
        from.insert(from.end(), group->rows.begin(), group->rows.end());
        all.add(*group->items);
    }
    Ref<MemoryTable> result = all.finish();
    if (!result) return itemsWithoutRows(node, *table.slice(0, 0), context);
    if (node.output == Output::RowOrder && areRows) {
        result = inOrderOf(from, result);
        std::sort(from.begin(), from.end());
    }
    if (sources) *sources = std::move(from);
    return result;
}

}  // namespace

Value rowsOfGroup(const Value& v, int64_t rows) {
    if (v.isVector() && v.size() == rows) return v;
    // An indexed series is a column.
    if (v.isMatrix() && v.matrix().columns == 1 && v.matrix().rows == rows) return Value::of(v.matrix().cells);
    if (v.isScalar()) {
        if (storageOf(v.type()) == Storage::Boxed)
            return Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(rows), v)));
        return Value::of(Vector::filled(v.type(), rows, v));
    }
    throw UserError(
        fmt::format("An expression of a query with context by must return one value, or one per row of the group, but "
                    "it returns {}.",
                    typeString(v)));
}

Ref<MemoryTable> contextRows(const WindowNode& node, const MemoryTable& rows, Context& context,
                             std::vector<int32_t>* sources) {
    if (rows.rowCount() > 0 && haveOneColumn(node.items) && isOrderOfRows(node.orderBy)) {
        if (node.limit && readOwnRow(node)) return limitedRows(node, rows, context, sources);
        if (Ref<MemoryTable> result = rowsAlongGroups(node, rows, context, sources)) return result;
    }
    return rowsGroupByGroup(node, rows, context, sources);
}

}  // namespace pelorus
