// Concatenated rows of a source that pass, and functions of whole columns of them.
#include "sql/operators/select_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/code/name_uses.h"
#include "runtime/format/to_source.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/repeated_constants.h"
#include "sql/operators/scan/scan.h"
#include "sql/plan/row_source.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

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
        const ExpressionProgram e = bindProgram(condition, rows->columns(), context);
        std::vector<int32_t> kept = rowsWhere(e.evaluate(context, *rows), rows->rowCount(), "where");
        rows = rows->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }
    return rows;
}

Ref<MemoryTable> filteredRows(const SelectPlan& plan, Context& context) {
    std::vector<int> columns = mentionedColumns(plan);
    if (plan.source.memory() && hasTupleColumns(plan.source.columns())) {
        // Mixed columns are no vectors: the whole table at once.
        SelectPlan all = plan;
        all.laterFilters.insert(all.laterFilters.begin(), plan.filters.begin(), plan.filters.end());
        return filterLater(all, plan.source.memory()->copy(), context);
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

std::vector<OrderKey> orderKeys(const std::vector<OrderItem>& items, const MemoryTable& rows, Context& context) {
    std::vector<OrderKey> keys;
    for (const OrderItem& item : items) {
        const Value column = bindProgram(item.value, rows.columns(), context).evaluate(context, rows);
        if (column.isScalar()) continue;
        if (!column.isVector() || column.size() != rows.rowCount()) {
            throw UserError(fmt::format("An order takes one value per row, but {} returns {}.", toSource(*item.value),
                                        typeString(column)));
        }
        keys.push_back({column, item.ascending, item.nullsGiven, item.nullsFirst});
    }
    return keys;
}

void addOutput(MemoryTable& result, const OutputItem& item, Value value, int64_t rows) {
    auto repeated = [&](const Value& v) {
        if (!v.isScalar()) return v;
        if (storageOf(v.type()) == Storage::Boxed) {
            return Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(rows), v)));
        }
        return Value::of(Vector::filled(v.type(), rows, v));
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

// Whether an expression is an aggregate of an array vector, whose result is one cell, as in groups: first(v).
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

Ref<MemoryTable> collectedItems(const SelectPlan& plan, Context& context) {
    Ref<MemoryTable> rows = filteredRows(plan, context);
    std::vector<Value> values;
    bool allScalars = true;
    for (const OutputItem& item : plan.items) {
        const ExpressionProgram e =
            bindProgram(withRepeatedConstants(item.value, rows->columns(), context), rows->columns(), context);
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
