#include "runtime/kernel/assemble.h"

#include <algorithm>

#include "runtime/dictionary.h"
#include "runtime/format/print.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/promotion.h"
#include "runtime/table.h"
#include "runtime/vector.h"

namespace pelorus {

// The type that all scalars share, or Any. Decimals of different scales share none.
static Type sharedType(const std::vector<Value>& items) {
    Type type = Type::Void;
    int scale = -1;
    for (const Value& item : items) {
        if (!item.isScalar()) return Type::Any;
        if (isDecimal(item.type()) && !item.isNull()) {
            if (scale >= 0 && scale != item.extra()) return Type::Any;
            scale = item.extra();
        }
        type = commonType(type, item.type());
        if (type == Type::Any || storageOf(type) == Storage::Boxed) return Type::Any;
    }
    return type;
}

Value listOf(std::vector<Value> items) {
    Type type = sharedType(items);
    if (items.empty() || type == Type::Any || type == Type::Void) return Value::of(makeRef<Tuple>(std::move(items)));
    Ref<Vector> result = Vector::make(type, static_cast<int64_t>(items.size()));
    for (const Value& item : items) {
        if (isDecimal(item.type())) result->setScale(std::max(result->scale(), item.extra()));
    }
    for (size_t i = 0; i < items.size(); ++i) {
        result->set(static_cast<int64_t>(i), items[i].isVoid() ? items[i] : cast(items[i], type, result->scale()));
    }
    return Value::of(result);
}

static bool areEqualVectors(const std::vector<Value>& items, Type& type) {
    type = Type::Void;
    for (const Value& item : items) {
        if (!item.isTypedVector() || item.size() != items[0].size()) return false;
        type = commonType(type, item.type());
    }
    return type != Type::Any && type != Type::Void && !items.empty();
}

static Value matrixOf(const std::vector<Value>& columns, Type type) {
    int64_t rows = columns[0].size();
    Ref<Vector> cells = Vector::make(type, 0, rows * static_cast<int64_t>(columns.size()));
    for (const Value& c : columns) {
        Ref<Vector> converted = cast(c.vector(), type);
        cells->append(*converted, 0, rows);
    }
    return Value::of(makeRef<Matrix>(cells, rows, static_cast<int64_t>(columns.size())));
}

// Rows as dictionaries to a table; columns are the keys of the first.
static Value tableOf(const std::vector<Value>& rows) {
    const Dictionary& first = rows[0].dictionary();
    auto table = makeRef<MemoryTable>();
    for (int64_t c = 0; c < first.size(); ++c) {
        std::vector<Value> items;
        for (const Value& row : rows) items.push_back(row.dictionary().get(first.keyAt(c)));
        table->setColumn(scalarText(first.keyAt(c)), listOf(std::move(items)));
    }
    return Value::of(Ref<Table>(table));
}

Value assemble(std::vector<Value> items) {
    if (items.empty()) return Value::of(makeRef<Tuple>());
    Type type = sharedType(items);
    if (type != Type::Any && type != Type::Void) return listOf(std::move(items));
    if (areEqualVectors(items, type) && items[0].size() > 0) return matrixOf(items, type);
    bool dictionaries = std::all_of(items.begin(), items.end(), [](const Value& v) { return v.isDictionary(); });
    if (dictionaries) return tableOf(items);
    return Value::of(makeRef<Tuple>(std::move(items)));
}

}  // namespace pelorus
