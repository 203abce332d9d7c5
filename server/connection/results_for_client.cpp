#include "server/connection/results_for_client.h"

#include "common/thread/stack_room.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"

namespace pelorus {
namespace {

Value tableWithout(const Value& value) {
    const Ref<MemoryTable> rows = tableToRead(value);
    if (!rows) return value;
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (int c = 0; c < rows->columnCount(); ++c) {
        names.push_back(rows->columns()[static_cast<size_t>(c)].name);
        columns.push_back(withoutDecimals(rows->column(c)));
    }
    auto table = makeRef<MemoryTable>(std::move(names), std::move(columns));
    table->name = rows->name;
    return Value::of(Ref<Table>(std::move(table)));
}

}  // namespace

Value withoutDecimals(const Value& value) {
    requireStackRoom();
    if (value.isTable()) return tableWithout(value);
    if (value.isTuple()) {
        std::vector<Value> elements;
        for (const Value& element : value.tuple().elements) elements.push_back(withoutDecimals(element));
        return Value::of(makeRef<Tuple>(std::move(elements)));
    }
    if (value.isDictionary()) {
        const Dictionary& from = value.dictionary();
        const Type type = isDecimal(from.valueType()) ? Type::Double : from.valueType();
        auto d = makeRef<Dictionary>(isDecimal(from.keyType()) ? Type::Double : from.keyType(), type, true);
        for (int64_t i = 0; i < from.size(); ++i)
            d->set(withoutDecimals(from.keyAt(i)), withoutDecimals(from.valueAt(i)));
        return Value::of(std::move(d));
    }
    const bool holds = value.isArrayVector() ? isDecimal(value.arrayVector().elementType()) : isDecimal(value.type());
    if (!holds || value.isSet()) return value;
    if (value.isArrayVector()) {
        const ArrayVector& rows = value.arrayVector();
        auto result = makeRef<ArrayVector>(Type::Double);
        for (int64_t i = 0; i < rows.size(); ++i) {
            result->appendRow(cast(Value::of(rows.row(i)), Type::Double, 0).vector());
        }
        return Value::of(std::move(result));
    }
    return cast(value, Type::Double, 0);
}

Value namedForConsole(const Value& value) {
    const PartitionedTable* stored = value.isTable() ? value.table().asPartitioned() : nullptr;
    if (!stored) return value;
    const Ref<MemoryTable> table = MemoryTable::empty(stored->columns());
    table->name = stored->databasePath() + "/" + stored->name;
    return Value::of(Ref<Table>(table));
}

}  // namespace pelorus
