// Concatenated rows of a source that pass, and functions of whole columns of them.
#include "sql/operators/select_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/format/to_source.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/scan/scan_columns.h"
#include "sql/plan/row_source.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

// Returns these columns of rows.
static Ref<MemoryTable> withColumns(const MemoryTable& rows, const std::vector<int>& columns) {
    auto result = makeRef<MemoryTable>();
    for (const int c : columns) result->setColumn(rows.columns()[static_cast<size_t>(c)].name, rows.column(c));
    return result;
}

Ref<MemoryTable> scannedRows(const ScanNode& scan, const RowSource& source, Context& context) {
    CHECK(scan.columns.has_value()) << "rows as whole columns have columns that are known";
    if (scan.isGiven) return withColumns(*source.memory(), *scan.columns);
    // Mixed columns are no vectors: the whole table at once.
    if (source.memory() && hasTupleColumns(source.columns())) {
        if (source.profile) source.profile->countWhole(source.memory()->rowCount());
        return source.memory()->copy();
    }
    if (needsOtherNodes(source, context)) return gatherColumns(source, scan.conditions, *scan.columns, context);
    Filter filter(scan.conditions, source.columns(), context);
    return scanColumns(source, filter, *scan.columns, context);
}

Ref<MemoryTable> filteredRows(const FilterNode& filter, Ref<MemoryTable> rows, Context& context) {
    for (const ExpressionProgram& condition : filter.conditions) {
        const std::vector<int32_t> kept = rowsWhere(condition.evaluate(context, *rows), rows->rowCount(), "where");
        rows = rows->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }
    return rows;
}

// Adds the values of a key of an order, unless it is a constant. `code`: the key as it is written.
static void addKey(std::vector<OrderKey>& keys, const Value& column, const Node& code, bool ascending, bool nullsGiven,
                   bool nullsFirst, int64_t rows) {
    if (column.isScalar()) return;
    if (!column.isVector() || column.size() != rows) {
        throw UserError(
            fmt::format("An order takes one value per row, but {} returns {}.", toSource(code), typeString(column)));
    }
    keys.push_back({column, ascending, nullsGiven, nullsFirst});
}

std::vector<OrderKey> orderKeys(const std::vector<OrderItem>& items, const MemoryTable& rows, Context& context) {
    std::vector<OrderKey> keys;
    for (const OrderItem& item : items) {
        const Value column = bindProgram(item.value, rows.columns(), context).evaluate(context, rows);
        addKey(keys, column, *item.value, item.ascending, item.nullsGiven, item.nullsFirst, rows.rowCount());
    }
    return keys;
}

std::vector<OrderKey> orderKeys(const std::vector<OrderExpression>& given, const MemoryTable& rows, Context& context) {
    std::vector<OrderKey> keys;
    for (const OrderExpression& key : given) {
        const Value column = key.value.evaluate(context, rows);
        addKey(keys, column, *key.value.code(), key.ascending, key.nullsGiven, key.nullsFirst, rows.rowCount());
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

Ref<MemoryTable> collectedItems(const CollectNode& node, const MemoryTable& rows, Context& context) {
    std::vector<Value> values;
    // A constant is repeated for each row, or stands beside the one cell of each aggregate.
    bool allScalars = true, areConstants = true;
    for (const CollectNode::Item& item : node.items) {
        const ExpressionProgram& e = item.item.value;
        values.push_back(e.evaluate(context, rows));
        if (values.back().isTypedVector() && item.isCellOfArray) {
            const Type type = arrayTypeOf(values.back().type());
            values.back() = cast(Value::of(makeRef<Tuple>(std::vector<Value>{values.back()})), type);
        }
        const bool isCell = values.back().isArrayVector() && values.back().size() == 1;
        if (values.back().isScalar() && e.isConstant() && !item.isAggregate) continue;
        areConstants = false;
        allScalars = allScalars && (values.back().isScalar() || isCell || item.item.names().size() > 1);
    }
    int64_t count = allScalars && !areConstants ? 1 : rows.rowCount();
    for (const Value& v : values) {
        if (v.isVector() && !allScalars && v.size() != rows.rowCount()) count = v.size();
    }
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < values.size(); ++i) addOutput(*result, node.items[i].item.written, values[i], count);
    return result;
}

}  // namespace pelorus
