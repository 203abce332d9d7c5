// Rows of a source that pass, and the select that gives one row for each of them.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread_pool.h"
#include "runtime/dictionary.h"
#include "runtime/format/print.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/index.h"
#include "runtime/kernel/row_order.h"
#include "sql/cross_join.h"
#include "sql/group_table.h"
#include "sql/partial_query.h"
#include "sql/select.h"

namespace pelorus {

namespace {

// Rows of a table where a condition holds.
std::vector<int32_t> passing(const Value& mask, int64_t rows) {
    std::vector<int32_t> positions;
    if (mask.isScalar()) {
        if (isTrue(mask)) {
            for (int64_t i = 0; i < rows; ++i) positions.push_back(static_cast<int32_t>(i));
        }
        return positions;
    }
    if (!mask.isVector() || mask.size() != rows) {
        throw UserError(fmt::format("A condition of where must give one BOOL per row, but it gives {}. RefId: S02035",
                                    typeString(mask)));
    }
    for (int64_t i = 0; i < rows; ++i) {
        if (isTrue(mask.at(i))) positions.push_back(static_cast<int32_t>(i));
    }
    return positions;
}

bool isStreamable(const SelectPlan& plan, const std::vector<ColumnExpression>& items) {
    if (!plan.laterFilters.empty()) return false;
    const TableSchema& columns = plan.source.columns();
    for (const ColumnExpression& e : items) {
        if (!e.isElementwise()) return false;
        // Array vectors are no vectors of one item per row.
        if (e.plainColumn() >= 0 && isArrayType(columns[static_cast<size_t>(e.plainColumn())].type)) return false;
    }
    for (const OutputItem& item : plan.items) {
        if (item.names.size() != 1) return false;
    }
    return true;
}

bool hasTupleColumns(const TableSchema& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [](const ColumnSchema& c) { return storageOf(c.type) == Storage::Boxed; });
}

// Elementwise items: block by block, straight into the result.
Ref<MemoryTable> streamItems(const SelectPlan& plan, const std::vector<ColumnExpression>& items, Context& context) {
    Filter filter(plan.filters, plan.source.columns(), context);
    std::vector<Ref<Vector>> columns(items.size());
    const auto typeOf = [&](size_t i) { return items[i].resultType(); };
    if (plan.source.pairs && filter.empty()) {
        TableSchema shown;
        for (size_t i = 0; i < items.size(); ++i) shown.push_back({plan.items[i].names[0], typeOf(i)});
        requireRoomForPairs(plan.source.table->rowCount(), shown);
    }
    // Columns of a table in memory, all of whose rows pass, are shared until someone changes one.
    if (plan.source.memory && filter.empty()) {
        for (size_t i = 0; i < items.size(); ++i) {
            if (const int c = items[i].plainColumn(); c >= 0)
                columns[i] = Ref<Vector>(&plan.source.memory->column(c).vector());
        }
    }
    const bool anyComputed = std::find(columns.begin(), columns.end(), Ref<Vector>()) != columns.end();
    const std::vector<Morsel> morsels =
        anyComputed ? morselsOf(plan.source, filter.constraints()) : std::vector<Morsel>();
    // For each morsel and item the vectors of its blocks, which are copied once, when the size of the whole is known.
    std::vector<std::vector<std::vector<Ref<Vector>>>> parts(morsels.size());
    std::vector<const ColumnExpression*> expressions;
    for (const ColumnExpression& item : items) expressions.push_back(&item);
    forEachMorsel(morsels, readColumns(filter, expressions, context), context,
                  [&](size_t number, const Morsel& morsel, Context& own) {
                      std::vector<std::vector<Ref<Vector>>> part(items.size());
                      for (int b = morsel.firstBlock; b < morsel.endBlock; ++b) {
                          Filter::Selection selection = filter.select(*morsel.reader, b, own);
                          if (!selection.all && selection.positions.empty()) continue;
                          BlockRows rows(*morsel.reader, b, selection);
                          for (size_t i = 0; i < items.size(); ++i) {
                              if (!columns[i]) part[i].emplace_back(&rows.evaluate(items[i], own).vector());
                          }
                      }
                      parts[number] = std::move(part);
                  });
    parallelFor(static_cast<int64_t>(items.size()), [&](int64_t item) {
        const auto i = static_cast<size_t>(item);
        if (columns[i]) return;
        int64_t total = 0;
        for (const auto& part : parts) {
            for (const Ref<Vector>& block : part[i]) total += block->size();
        }
        columns[i] = Vector::make(typeOf(i), 0, total);
        for (auto& part : parts) {
            for (Ref<Vector>& block : part[i]) {
                columns[i]->append(*block, 0, block->size());
                block = Ref<Vector>();
            }
        }
    });
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < items.size(); ++i) result->setColumn(plan.items[i].names[0], Value::of(columns[i]));
    return result;
}

}  // namespace

std::vector<int> mentionedColumns(const SelectPlan& plan) {
    const TableSchema& columns = plan.source.columns();
    std::vector<int> used;
    auto add = [&](const NodeRef& node) {
        if (!node) return;
        forEachName(*node, [&](const Name& n) {
            int c = plan.source.table->findColumn(n.name);
            if (c >= 0 && std::find(used.begin(), used.end(), c) == used.end()) used.push_back(c);
        });
    };
    for (const OutputItem& item : plan.items) add(item.value);
    for (const OutputItem& key : plan.keys) add(key.value);
    for (const NodeRef& f : plan.laterFilters) add(f);
    for (const OrderItem& o : plan.query->orderBy) add(o.value);
    for (const OrderItem& o : plan.query->csort) add(o.value);
    add(plan.query->having);
    // A query of constants still has as many rows as the table.
    if (used.empty() && !columns.empty()) used.push_back(0);
    std::sort(used.begin(), used.end());
    return used;
}

Ref<MemoryTable> filterLater(const SelectPlan& plan, Ref<MemoryTable> rows, Context& context) {
    for (const NodeRef& condition : plan.laterFilters) {
        ColumnExpression e(condition, rows->columns(), context);
        std::vector<int32_t> kept = passing(e.evaluate(context, *rows), rows->rowCount());
        rows = rows->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }
    return rows;
}

Ref<MemoryTable> filteredRows(const SelectPlan& plan, Context& context) {
    std::vector<int> columns = mentionedColumns(plan);
    if (plan.source.memory && hasTupleColumns(plan.source.columns())) {
        // Mixed columns are no vectors: the whole table at once.
        SelectPlan all = plan;
        all.laterFilters.insert(all.laterFilters.begin(), plan.filters.begin(), plan.filters.end());
        return filterLater(all, plan.source.memory->copy(), context);
    }
    Ref<MemoryTable> rows;
    if (needsOtherNodes(plan.source, context)) {
        rows = gatherColumns(plan, columns, context);
    } else {
        Filter filter(plan.filters, plan.source.columns(), context);
        rows = scanColumns(plan.source, filter, columns, context);
    }
    return filterLater(plan, rows, context);
}

void addOutput(MemoryTable& result, const OutputItem& item, Value value, int64_t rows) {
    auto repeated = [&](const Value& v) {
        if (!v.isScalar()) return v;
        if (storageOf(v.type()) == Storage::Boxed) {
            return Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(rows), v)));
        }
        return Value::of(Vector::filled(v.isVoid() ? Type::Int : v.type(), rows, v));
    };
    if (item.names.size() > 1) {
        if (value.isDictionary()) value = value.dictionary().values();
        for (size_t i = 0; i < item.names.size(); ++i) {
            if (!item.names[i].empty()) result.setColumn(item.names[i], repeated(value.at(static_cast<int64_t>(i))));
        }
        return;
    }
    if (value.isMatrix()) {
        for (int64_t c = 0; c < value.matrix().columns; ++c) {
            result.setColumn(fmt::format("{}_{}", item.names[0], c), value.at(c));
        }
        return;
    }
    result.setColumn(item.names[0], repeated(value));
}

// Whether an item is an aggregate of an array vector, whose result is one cell, as in groups: first(v).
static bool isCellOfArray(const NodeRef& item, const MemoryTable& rows, Context& context) {
    if (item->kind != NodeKind::Call) return false;
    const auto& call = static_cast<const Call&>(*item);
    const Ref<Function> function = calledFunction(call, context);
    if (!function || !function->signature().aggregate || call.arguments.empty()) return false;
    const NodeRef& argument = call.arguments[0].value;
    if (argument->kind != NodeKind::Name) return false;
    const Value* column = rows.column(static_cast<const Name&>(*argument).name);
    return column && column->isArrayVector();
}

Ref<MemoryTable> selectPlain(const SelectPlan& plan, Context& context) {
    std::vector<ColumnExpression> items;
    for (const OutputItem& item : plan.items) items.emplace_back(item.value, plan.source.columns(), context);
    bool remote = needsOtherNodes(plan.source, context);
    if (!remote && !(plan.source.memory && hasTupleColumns(plan.source.columns())) && isStreamable(plan, items)) {
        return streamItems(plan, items, context);
    }
    Ref<MemoryTable> rows = filteredRows(plan, context);
    std::vector<Value> values;
    bool allScalars = true;
    for (const OutputItem& item : plan.items) {
        ColumnExpression e(withRepeatedConstants(item.value, rows->columns(), context), rows->columns(), context);
        values.push_back(e.evaluate(context, *rows));
        if (values.back().isTypedVector() && isCellOfArray(item.value, *rows, context)) {
            const Type type = arrayTypeOf(values.back().type());
            values.back() = cast(Value::of(makeRef<Tuple>(std::vector<Value>{values.back()})), type);
        }
        const bool isCell = values.back().isArrayVector() && values.back().size() == 1;
        bool single = values.back().isScalar() && (!e.isConstant() || holdsAggregate(*item.value, context));
        allScalars = allScalars && (single || isCell || item.names.size() > 1);
    }
    int64_t count = allScalars && !values.empty() ? 1 : rows->rowCount();
    for (const Value& v : values) {
        if (v.isVector() && !allScalars && v.size() != rows->rowCount()) count = v.size();
    }
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < values.size(); ++i) addOutput(*result, plan.items[i], values[i], count);
    return result;
}

}  // namespace pelorus
