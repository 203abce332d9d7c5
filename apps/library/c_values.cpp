// Values of the C interface.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "apps/library/c_objects.h"
#include "common/error.h"
#include "runtime/arrow/arrow_encoder.h"
#include "runtime/arrow/c_export.h"
#include "runtime/arrow/c_import.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

// Returns the type that numbers given by a program may have: one whose elements are integers.
Type integerTypeNamed(const char* name) {
    for (const TypeFacts& each : kTypeTable) {
        const bool isInteger = each.category == Category::Logical || each.category == Category::Integral ||
                               each.category == Category::Temporal;
        if (each.name == name && isInteger && each.type != Type::Compress) return each.type;
    }
    throw UserError(fmt::format("{} is no type of numbers or times.", name), "Name one as LONG or NANOTIMESTAMP.");
}

Type typeNamed(const char* name) {
    for (const TypeFacts& each : kTypeTable) {
        if (each.name == name) return each.type;
    }
    throw UserError(fmt::format("{} is no type.", name));
}

Ref<MemoryTable> oneColumn(Value column) {
    return makeRef<MemoryTable>(std::vector<std::string>{"value"}, std::vector<Value>{std::move(column)});
}

Ref<MemoryTable> columnsOf(const Matrix& matrix) {
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (int64_t i = 0; i < matrix.columns; ++i) {
        const bool isLabelled = !matrix.columnLabels.isVoid();
        names.push_back(isLabelled ? toString(matrix.columnLabels.at(i)) : fmt::format("c{}", i));
        columns.push_back(Value::of(matrix.column(i)));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

// Finds out which columns of a table that the value alone has are without NULL, so that they remember it: each stream
// of the rows would look anew.
void noteNulls(const Value& value) {
    const MemoryTable* rows = asMemoryTable(value);
    if (!rows || rows->lock) return;
    for (int c = 0; c < rows->columnCount(); ++c) {
        if (rows->column(c).isTypedVector()) arrow::proveNoNull(rows->column(c).vector());
    }
}

// Returns the rows that stand for a value in other libraries. Throws UserError where there are none.
Ref<MemoryTable> rowsOf(const Value& value) {
    if (value.isTable()) {
        if (MemoryTable* rows = value.table().asMemory()) return rows->snapshot();
        throw UserError("The table lies on disk.", "Select the rows that are wanted: select … from it.");
    }
    if (value.isMatrix()) return columnsOf(value.matrix());
    if (value.isSet()) {
        return makeRef<MemoryTable>(std::vector<std::string>{"key"}, std::vector<Value>{value.as<Set>()->index.keys()});
    }
    if (value.isDictionary()) {
        const Dictionary& entries = value.dictionary();
        return makeRef<MemoryTable>(std::vector<std::string>{"key", "value"},
                                    std::vector<Value>{entries.keys(), entries.values()});
    }
    if (value.isVector()) return oneColumn(value);
    if (value.isPair()) return oneColumn(Value::of(value.vector().slice(0, 2)));
    const bool isPlain = value.isScalar() && categoryOf(value.type()) != Category::System && !value.isVoid();
    if (isPlain) return oneColumn(filledColumn(value.type(), value.extra(), 1, value));
    throw UserError(fmt::format("A {} is no table, vector or scalar that other libraries take.", typeString(value)));
}

pelorus_form formOf(const Value& value) {
    if (value.isTuple()) return PELORUS_TUPLE;
    switch (value.form()) {
        case Form::Scalar:
            return categoryOf(value.type()) == Category::System && value.type() != Type::Duration ? PELORUS_OTHER
                                                                                                  : PELORUS_SCALAR;
        case Form::Vector:
            return PELORUS_VECTOR;
        case Form::Pair:
            return PELORUS_PAIR;
        case Form::Matrix:
            return PELORUS_MATRIX;
        case Form::Set:
            return PELORUS_SET;
        case Form::Dictionary:
            return PELORUS_DICTIONARY;
        case Form::Table:
            return PELORUS_TABLE;
        case Form::Chart:
            return PELORUS_CHART;
        default:
            return PELORUS_OTHER;
    }
}

// Returns whether the keys can be those of one typed vector, and its type.
Type keyTypeOf(pelorus_value* const* keys, size_t count) {
    if (count == 0) return Type::String;
    const Type first = keys[0]->value.type();
    for (size_t i = 0; i < count; ++i) {
        if (!keys[i]->value.isScalar() || keys[i]->value.type() != first)
            throw UserError("The keys of a dictionary are scalars of one type.");
    }
    return first;
}

}  // namespace

}  // namespace pelorus

using namespace pelorus;

void pelorus_value_free(pelorus_value* value) {
    delete value;
}

pelorus_error* pelorus_value_copy(const pelorus_value* value, pelorus_value** copy) {
    return guarded([&] { give(copy, value->value); });
}

pelorus_form pelorus_form_of(const pelorus_value* value) {
    return formOf(value->value);
}

// Names of types are literals, each ended by a zero.
const char* pelorus_type_of(const pelorus_value* value) {
    const Type type = value->value.isDictionary() ? value->value.dictionary().valueType() : value->value.type();
    return typeName(type).data();
}

int64_t pelorus_size_of(const pelorus_value* value) {
    if (value->value.isMatrix()) return value->value.matrix().rows;
    return value->value.size();
}

int64_t pelorus_width_of(const pelorus_value* value) {
    if (value->value.isMatrix()) return value->value.matrix().columns;
    return value->value.isTable() ? value->value.table().columnCount() : 1;
}

int32_t pelorus_is_null(const pelorus_value* value) {
    return value->value.isScalar() && value->value.isNull() ? 1 : 0;
}

int64_t pelorus_integer_of(const pelorus_value* value) {
    const Value& v = value->value;
    if (!v.isScalar() || v.hasObject()) return 0;
    const Category category = categoryOf(v.type());
    const bool isInteger =
        category == Category::Logical || category == Category::Integral || category == Category::Temporal;
    return isInteger ? v.integer() : 0;
}

double pelorus_real_of(const pelorus_value* value) {
    const Value& v = value->value;
    return v.isScalar() && isFloating(v.type()) ? v.real() : 0;
}

const char* pelorus_text_of(const pelorus_value* value, size_t* bytes) {
    if (!value->value.isString()) return nullptr;
    const std::string_view text = value->value.string();
    *bytes = text.size();
    return text.data();
}

pelorus_error* pelorus_item_of(const pelorus_value* value, int64_t at, pelorus_value** item) {
    return guarded([&] {
        const Value& v = value->value;
        if (at < 0 || at >= v.size()) throw UserError(fmt::format("There is no element {} of {}.", at, v.size()));
        give(item, v.isDictionary() ? v.dictionary().valueAt(at) : v.at(at));
    });
}

pelorus_error* pelorus_keys_of(const pelorus_value* value, pelorus_value** keys) {
    return guarded([&] {
        const Value& v = value->value;
        if (v.isDictionary()) return give(keys, v.dictionary().keys());
        if (v.isSet()) return give(keys, v.as<Set>()->index.keys());
        if (v.isMatrix()) return give(keys, v.matrix().columnLabels);
        throw UserError(fmt::format("A {} has no keys.", typeString(v)));
    });
}

pelorus_error* pelorus_row_labels_of(const pelorus_value* value, pelorus_value** labels) {
    return guarded([&] { give(labels, value->value.matrix().rowLabels); });
}

pelorus_error* pelorus_shown(const pelorus_value* value, int32_t is_whole, char** string) {
    return guarded([&] { *string = allocatedCopy(is_whole ? displayWhole(value->value) : display(value->value)); });
}

void pelorus_string_free(char* string) {
    std::free(string);
}

pelorus_error* pelorus_export(const pelorus_value* value, int64_t rows, struct ArrowArrayStream* stream) {
    return guarded([&] {
        arrow::CStream made{};
        noteNulls(value->value);
        arrow::exportStream(rowsOf(value->value), made, rows > 0 ? rows : arrow::kExportedRows);
        std::memcpy(stream, &made, sizeof made);
    });
}

pelorus_error* pelorus_import(struct ArrowArrayStream* stream, const char* const* columns, size_t count,
                              pelorus_value** table) {
    return guarded([&] {
        arrow::CStream given{};
        std::memcpy(&given, stream, sizeof given);
        reinterpret_cast<arrow::CStream*>(stream)->release = nullptr;
        arrow::ImportedStream imported(given);
        const TableSchema& schema = imported.columns().schema();
        std::vector<int> wanted;
        for (size_t c = 0; c < schema.size(); ++c) {
            const bool isWanted = !columns || std::any_of(columns, columns + count,
                                                          [&](const char* name) { return schema[c].name == name; });
            if (isWanted) wanted.push_back(static_cast<int>(c));
        }
        // A table has a column at least: its rows are counted.
        if (wanted.empty() && !schema.empty()) wanted.push_back(0);
        give(table, Value::of(Ref<Table>(imported.readAll(wanted))));
    });
}

pelorus_error* pelorus_make_integer(const char* type, int64_t x, pelorus_value** value) {
    return guarded([&] {
        const Type named = integerTypeNamed(type);
        if (isTemporal(named) && widthOf(named) == 8) return give(value, Value::scalar(named, x));
        const int bits = 8 * widthOf(named);
        const bool fits = bits == 64 || (x > -(int64_t{1} << (bits - 1)) && x < int64_t{1} << (bits - 1));
        if (!fits) throw UserError(fmt::format("{} is too large for {}.", x, type));
        give(value, Value::scalar(named, x));
    });
}

pelorus_error* pelorus_make_null(const char* type, pelorus_value** value) {
    return guarded([&] { give(value, Value::nullOf(typeNamed(type))); });
}

pelorus_error* pelorus_make_real(double x, pelorus_value** value) {
    return guarded([&] { give(value, x == x ? Value::ofDouble(x) : Value::nullOf(Type::Double)); });
}

pelorus_error* pelorus_make_text(const char* type, const char* bytes, size_t count, pelorus_value** value) {
    return guarded([&] {
        const Type named = typeNamed(type);
        if (!isLiteral(named)) throw UserError(fmt::format("{} is no type of texts.", type));
        give(value, Value::ofString({bytes, count}, named));
    });
}

pelorus_error* pelorus_column_of(const pelorus_value* table, int64_t at, pelorus_value** vector) {
    return guarded([&] {
        const Ref<MemoryTable> rows = rowsOf(table->value);
        if (at < 0 || at >= rows->columnCount()) throw UserError(fmt::format("There is no column {}.", at));
        give(vector, rows->column(static_cast<int>(at)));
    });
}

pelorus_error* pelorus_make_matrix(const pelorus_value* table, pelorus_value** matrix) {
    return guarded([&] {
        const Ref<MemoryTable> rows = rowsOf(table->value);
        if (rows->columnCount() == 0) throw UserError("A matrix has a column at least.");
        Value cells = rows->column(0);
        cells.makeUnique();
        for (int i = 1; i < rows->columnCount(); ++i) {
            if (rows->column(i).type() != cells.type()) throw UserError("The columns of a matrix have one type.");
            appendElements(cells, rows->column(i));
        }
        if (!cells.isTypedVector()) throw UserError("The cells of a matrix are scalars of one type.");
        give(matrix, Value::of(makeRef<Matrix>(Ref<Vector>(&cells.vector()), rows->rowCount(), rows->columnCount())));
    });
}

pelorus_error* pelorus_make_tuple(pelorus_value* const* items, size_t count, pelorus_value** tuple) {
    return guarded([&] {
        std::vector<Value> elements;
        elements.reserve(count);
        for (size_t i = 0; i < count; ++i) elements.push_back(items[i]->value);
        give(tuple, Value::of(makeRef<Tuple>(std::move(elements))));
    });
}

pelorus_error* pelorus_make_dictionary(pelorus_value* const* keys, pelorus_value* const* values, size_t count,
                                       pelorus_value** dictionary) {
    return guarded([&] {
        auto made = makeRef<Dictionary>(keyTypeOf(keys, count), Type::Any, true);
        for (size_t i = 0; i < count; ++i) made->set(keys[i]->value, values[i]->value);
        give(dictionary, Value::of(std::move(made)));
    });
}
