#include "sql/plan/rules/key_lookup.h"

#include <algorithm>
#include <cmath>

#include "common/check.h"
#include "common/thread/mutex.h"
#include "runtime/kernel/block/comparison.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/cast.h"
#include "sql/expression/constraint.h"

namespace pelorus {

namespace {

constexpr size_t kMaxKeys = 1024;

// Returns the values that the conditions allow for a column; null when they do not restrict it.
const std::vector<Value>* valuesOf(const std::vector<ColumnConstraint>& constraints, int column) {
    for (const ColumnConstraint& c : constraints) {
        if (c.column == column && !c.anyOf.empty()) return &c.anyOf;
    }
    return nullptr;
}

// Whether several integers compare equal to the value, because it is a large floating-point number.
bool isBlurred(const Value& v) {
    return isFloating(v.type()) && !v.isNull() && !(std::abs(v.asDouble()) < exactIntegers(v.type()));
}

// A value equals a key exactly when it is the key itself, if both are strings, or neither is; others are left to the
// scan.
bool isComparable(const std::vector<Value>& values, Type key) {
    return std::all_of(values.begin(), values.end(), [&](const Value& v) {
        return v.isScalar() && !v.isVoid() && isLiteral(v.type()) == isLiteral(key) &&
               (isLiteral(key) || isNumeric(v.type()) == isNumeric(key)) && !(isIntegral(key) && isBlurred(v)) &&
               (!isTemporal(key) || isTemporal(v.type()) || isIntegral(v.type()));
    });
}

}  // namespace

void lookUpKeys(RowSource& source, const NodeList& conditions, Context& context) {
    if (!source.memory()) return;
    const MemoryTable& table = *source.memory();
    const MemoryTable& indexed = source.shared ? *source.shared : table;
    // The index of a shared table is read under its lock. Rows that have moved since the snapshot are scanned.
    const auto guardIndex = [&] { return OptionalLock(indexed.lock.get()); };
    const auto isUsable = [&] {
        return indexed.keys() && indexed.keys()->isIndexed() &&
               (!source.shared || indexed.changeCount() == source.seenChanges);
    };
    std::vector<std::string> keyColumns;
    {
        const auto guard = guardIndex();
        if (!isUsable()) return;
        keyColumns = indexed.keys()->columns();
    }
    const std::vector<ColumnConstraint> constraints = constraintsOf(conditions, table.columns(), context);
    // Every combination of the values of the key's columns.
    std::vector<std::vector<Value>> wanted(1);
    for (const std::string& name : keyColumns) {
        const int column = table.findColumn(name);
        CHECK(column >= 0) << "a key column is a column of its table";
        const Type type = table.columns()[static_cast<size_t>(column)].type;
        const std::vector<Value>* values = valuesOf(constraints, column);
        if (!values || !isComparable(*values, type) || values->size() * wanted.size() > kMaxKeys) return;
        std::vector<std::vector<Value>> longer;
        for (const std::vector<Value>& key : wanted) {
            for (const Value& value : *values) {
                longer.push_back(key);
                longer.back().push_back(cast(value, type));
            }
        }
        wanted = std::move(longer);
    }
    std::vector<Value> columns;
    for (size_t k = 0; k < keyColumns.size(); ++k) {
        const Type type = table.column(keyColumns[k])->type();
        Ref<Vector> items = Vector::make(type, 0);
        for (const std::vector<Value>& key : wanted) items->append(key[k]);
        columns.push_back(Value::of(std::move(items)));
    }
    std::vector<int32_t> rows;
    {
        const auto guard = guardIndex();
        if (!isUsable()) return;
        rows = indexed.keys()->find(indexed, columns);
    }
    std::erase_if(rows, [&](int32_t row) { return row < 0 || row >= table.rowCount(); });
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    Ref<MemoryTable> found = table.gather(rows.data(), static_cast<int64_t>(rows.size()));
    found->name = table.name;
    source.table = Ref<Table>(found);
    source.snapshot = std::make_shared<MemoryTableSnapshot>(std::move(found));
}

}  // namespace pelorus
