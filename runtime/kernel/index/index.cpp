#include "runtime/kernel/index/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "runtime/function/function.h"
#include "runtime/function/instance.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/partitioned_columns.h"
#include "runtime/table/table.h"
#include "runtime/table/table_changes.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

bool isPosition(const Value& index) {
    return index.isScalar() && (isIntegral(index.type()) || index.type() == Type::Bool);
}

// Returns the positions that an index selects of `size` elements, in order. Not for scalar positions.
Ref<Vector> positionsOf(const Value& index, int64_t size) {
    if (isOmitted(index)) {
        Ref<Vector> all = Vector::make(Type::Long, size);
        for (int64_t i = 0; i < size; ++i) all->mutableData<int64_t>()[i] = i;
        return all;
    }
    if (index.isPair()) {
        int64_t from = index.vector().isNullAt(0) ? 0 : index.vector().asLong(0);
        int64_t to = index.vector().isNullAt(1) ? size : index.vector().asLong(1);
        int64_t count = std::abs(to - from);
        Ref<Vector> positions = Vector::make(Type::Long, count);
        auto* out = positions->mutableData<int64_t>();
        for (int64_t i = 0; i < count; ++i) out[i] = to >= from ? from + i : from - 1 - i;
        return positions;
    }
    if (index.isVector() && index.type() == Type::Bool) {
        if (index.size() != size) {
            throw UserError(
                fmt::format("A BOOL index must be as long as what it selects from: {} and {}.", index.size(), size));
        }
        const auto* mask = index.vector().data<int8_t>();
        int64_t count = std::count(mask, mask + size, 1);
        Ref<Vector> positions = Vector::make(Type::Long, count);
        auto* out = positions->mutableData<int64_t>();
        for (int64_t i = 0; i < size; ++i) {
            if (mask[i] == 1) *out++ = i;
        }
        return positions;
    }
    if (isPosition(index)) return Vector::filled(Type::Long, 1, cast(index, Type::Long));
    if (index.isVector() && isIntegral(index.type())) return cast(index.vector(), Type::Long);
    throw UserError(fmt::format("{} cannot be an index here; use integers, a pair or BOOL.", typeString(index)));
}

Value readVector(const Value& object, const Value& index) {
    int64_t size = object.size();
    if (isPosition(index)) {
        int64_t p = index.isNull() ? -1 : index.integer();
        if (p >= 0 && p < size) return object.at(p);
        return object.isTuple() ? Value() : Value::nullOf(object.type());
    }
    bool plainRange = index.isPair() && object.isTypedVector();
    if (plainRange) {
        int64_t from = index.vector().isNullAt(0) ? 0 : index.vector().asLong(0);
        int64_t to = index.vector().isNullAt(1) ? size : index.vector().asLong(1);
        if (from >= 0 && from <= to && to <= size) return Value::of(object.vector().slice(from, to - from));
    }
    return takeRows(object.isPair() ? Value::of(Ref<Vector>(&object.vector())) : object, *positionsOf(index, size));
}

Value readMatrix(const Matrix& m, const Value& rows, const Value& columns) {
    auto outside = [](const char* what, int64_t p) {
        return UserError(fmt::format("The {} index {} is out of range.", what, p));
    };
    auto check = [&](const Vector& positions, int64_t size, const char* what) {
        for (int64_t i = 0; i < positions.size(); ++i) {
            int64_t p = positions.data<int64_t>()[i];
            if (p < 0 || p >= size) throw outside(what, p);
        }
    };
    Ref<Vector> r = positionsOf(rows, m.rows);
    Ref<Vector> c = positionsOf(columns, m.columns);
    check(*c, m.columns, "column");
    if (isPosition(rows) && isPosition(columns)) {
        int64_t p = r->data<int64_t>()[0];
        return p < 0 || p >= m.rows ? Value::nullOf(m.cells->type()) : m.cells->at(c->data<int64_t>()[0] * m.rows + p);
    }
    Ref<Vector> cells = Vector::make(m.cells->type(), 0, r->size() * c->size());
    for (int64_t i = 0; i < c->size(); ++i) {
        Ref<Vector> column = m.column(c->data<int64_t>()[i])->gather(r->data<int64_t>(), r->size());
        cells->append(*column, 0, column->size());
    }
    auto result = makeRef<Matrix>(cells, r->size(), c->size());
    if (m.rowLabels.isVector()) result->rowLabels = takeRows(m.rowLabels, *r);
    if (m.columnLabels.isVector()) result->columnLabels = takeRows(m.columnLabels, *c);
    auto rises = [](const Vector& positions) {
        const auto* p = positions.data<int64_t>();
        return std::adjacent_find(p, p + positions.size(), std::greater_equal<>()) == p + positions.size();
    };
    if (rises(*r) && rises(*c)) result->index = m.index;
    return Value::of(result);
}

// Returns the matrix with NULL where the mask is not true.
Value maskedMatrix(const Matrix& m, const Matrix& mask) {
    if (mask.rows != m.rows || mask.columns != m.columns) {
        throw UserError(fmt::format("A BOOL index of {}x{} does not fit a matrix of {}x{}.", mask.rows, mask.columns,
                                    m.rows, m.columns));
    }
    std::vector<int64_t> positions(static_cast<size_t>(m.cells->size()));
    const auto* keep = mask.cells->data<int8_t>();
    for (size_t i = 0; i < positions.size(); ++i) positions[i] = keep[i] == 1 ? static_cast<int64_t>(i) : -1;
    auto result = makeRef<Matrix>(m.cells->gather(positions.data(), m.cells->size()), m.rows, m.columns);
    result->copyLabels(m);
    return Value::of(result);
}

// Returns the result of asMemoryTable or tableToRead, or throws when it is null.
template <class TableRef>
TableRef required(TableRef table) {
    if (!table) throw UserError("A partitioned table cannot be indexed.", "Use select to read from it.");
    return table;
}

Value columnOf(const MemoryTable& table, std::string_view name) {
    Value column = table.columnToRead(name);
    if (column.isVoid()) throw unknownColumn(name, table.columns());
    return column;
}

// Returns the columns that an index selects: positions or names.
std::vector<int> columnsOf(const MemoryTable& table, const Value& index) {
    std::vector<int> columns;
    auto add = [&](int64_t i) {
        if (i < 0 || i >= table.columnCount()) throw UserError(fmt::format("The column index {} is out of range.", i));
        columns.push_back(static_cast<int>(i));
    };
    if (isLiteral(index.type())) {
        for (int64_t i = 0; i < index.size(); ++i) {
            int c = table.findColumn(index.at(i).string());
            if (c < 0) throw unknownColumn(index.at(i).string(), table.columns());
            columns.push_back(c);
        }
        return columns;
    }
    Ref<Vector> positions = positionsOf(index, table.columnCount());
    for (int64_t i = 0; i < positions->size(); ++i) add(positions->data<int64_t>()[i]);
    return columns;
}

Value readTable(const Value& object, std::span<const Value> indices) {
    const Value& first = indices[0];
    if (indices.size() == 1 && isLiteral(first.type()) && first.isScalar())
        return columnOf(*required(asMemoryTable(object)), first.string());
    const Ref<MemoryTable> rows = required(tableToRead(object));
    const MemoryTable& table = *rows;
    if (indices.size() == 1) {
        if (isLiteral(first.type())) {
            auto result = makeRef<MemoryTable>();
            for (int c : columnsOf(table, first)) {
                result->setColumn(table.columns()[static_cast<size_t>(c)].name, table.column(c));
            }
            return Value::of(Ref<Table>(result));
        }
        if (isPosition(first)) {
            if (first.integer() < 0 || first.integer() >= table.rowCount()) {
                return Value::of(Ref<Table>(table.gather(std::vector<int32_t>{-1}.data(), 1))).at(0);
            }
            return table.row(first.integer());
        }
        return takeRows(Value::of(Ref<Table>(rows)), *positionsOf(first, table.rowCount()));
    }
    const Value& second = indices[1];
    std::vector<int> columns = columnsOf(table, second);
    bool oneColumn = (isPosition(second) || second.isString()) && columns.size() == 1;
    if (isPosition(first) && oneColumn) return readVector(table.column(columns[0]), first);
    auto chosen = makeRef<MemoryTable>();
    for (int c : columns) chosen->setColumn(table.columns()[static_cast<size_t>(c)].name, table.column(c));
    if (isOmitted(first)) return Value::of(Ref<Table>(chosen));
    return takeRows(Value::of(Ref<Table>(chosen)), *positionsOf(first, table.rowCount()));
}

Value readDictionary(const Dictionary& d, const Value& index) {
    if (index.isScalar()) return d.get(index);
    std::vector<Value> values;
    for (int64_t i = 0; i < index.size(); ++i) values.push_back(d.get(index.at(i)));
    if (d.valueType() == Type::Any) return Value::of(makeRef<Tuple>(std::move(values)));
    Ref<Vector> result = Vector::make(d.valueType(), index.size());
    for (size_t i = 0; i < values.size(); ++i) result->set(static_cast<int64_t>(i), values[i]);
    return Value::of(result);
}

[[noreturn]] void invalidIndices(const Value& index) {
    throw InvalidIndices(display(index));
}

[[noreturn]] void indexOutside(const Value& index, int64_t size) {
    throw InvalidIndices(display(index),
                         size == 0
                             ? std::string("There is no element yet: append!(x, value) adds one.")
                             : fmt::format("Indices go from 0 to {}; append!(x, value) adds an element.", size - 1));
}

void writeVector(Value& object, const Value& index, const Value& value) {
    int64_t size = object.size();
    if (!object.isTuple() && object.vector().isView()) invalidIndices(index);
    Ref<Vector> positions = positionsOf(index, size);
    for (int64_t i = 0; i < positions->size(); ++i) {
        int64_t p = positions->data<int64_t>()[i];
        if (p < 0 || p >= size) indexOutside(index, size);
    }
    bool single = isPosition(index);
    if (!value.isScalar() && !single && value.size() != positions->size()) {
        throw UserError(fmt::format("{} values cannot be assigned to {} positions.", value.size(), positions->size()));
    }
    object.makeUnique();
    if (object.isTuple()) {
        for (int64_t i = 0; i < positions->size(); ++i) {
            object.tuple().elements[static_cast<size_t>(positions->data<int64_t>()[i])] =
                single || value.isScalar() ? value : value.at(i);
        }
        return;
    }
    Value converted = castForStorage(value, object.type(), "", object.extra());
    for (int64_t i = 0; i < positions->size(); ++i) {
        object.vector().set(positions->data<int64_t>()[i], converted.isScalar() ? converted : converted.at(i));
    }
}

void writeMatrix(Value& object, std::span<const Value> indices, const Value& value) {
    // A tuple holds the row and the column; the column may be left out.
    if (indices.size() == 1 && indices[0].isTuple() && indices[0].size() >= 1 && indices[0].size() <= 2) {
        std::vector<Value> both = indices[0].tuple().elements;
        both.resize(2, omitted());
        for (Value& index : both) {
            if (index.isVoid()) index = omitted();
        }
        return writeMatrix(object, both, value);
    }
    object.makeUnique();
    Matrix& m = object.matrix();
    bool oneIndex = indices.size() == 1;
    if (oneIndex && indices[0].isMatrix() && indices[0].type() == Type::Bool) {
        Value cells = Value::of(m.cells), mask = Value::of(indices[0].matrix().cells);
        m.cells = Ref<Vector>();
        writeVector(cells, mask, value);
        m.cells = Ref<Vector>(&cells.vector());
        return;
    }
    Ref<Vector> rows = positionsOf(oneIndex ? omitted() : indices[0], m.rows);
    Ref<Vector> columns = positionsOf(oneIndex ? indices[0] : indices[1], m.columns);
    for (const auto& [positions, size] : {std::pair(rows, m.rows), std::pair(columns, m.columns)}) {
        for (int64_t i = 0; i < positions->size(); ++i) {
            int64_t p = positions->data<int64_t>()[i];
            if (p < 0 || p >= size) invalidIndices(indices[0]);
        }
    }
    Value source = value.isMatrix() ? Value::of(value.matrix().cells) : value;
    int64_t total = rows->size() * columns->size();
    if (!source.isScalar() && source.size() != total) {
        throw UserError(fmt::format("{} values cannot be assigned to {} cells.", source.size(), total));
    }
    Value converted = castForStorage(source, m.cells->type(), "", m.cells->scale());
    if (!m.cells->unique()) m.cells = m.cells->copy();
    int64_t next = 0;
    for (int64_t c = 0; c < columns->size(); ++c) {
        for (int64_t r = 0; r < rows->size(); ++r, ++next) {
            m.cells->set(columns->data<int64_t>()[c] * m.rows + rows->data<int64_t>()[r],
                         converted.isScalar() ? converted : converted.at(next));
        }
    }
}

Value repeated(const Value& value, int64_t rows) {
    if (!value.isScalar()) return value;
    if (value.isVoid()) {
        throw UserError("Not allowed to create void vector. RefId: S05005",
                        "Give the column a NULL of its type, for example 00F.");
    }
    return Value::of(Vector::filled(value.type(), rows, value));
}

void writeTable(Value& object, std::span<const Value> indices, const Value& value) {
    PartitionedTable* partitioned = object.table().asPartitioned();
    if (partitioned != nullptr && indices.size() == 1 && isLiteral(indices[0].type())) {
        const Value& names = indices[0];
        for (int64_t i = 0; i < names.size(); ++i)
            assignColumn(*partitioned, std::string(names.at(i).string()), names.isScalar() ? value : value.at(i));
        return;
    }
    MemoryTable& table = *required(asMemoryTable(object));
    requireChangeable(table);
    const OptionalLock guard(table.lock.get());
    if (indices.size() == 1 && isLiteral(indices[0].type())) {
        const Value& names = indices[0];
        for (int64_t i = 0; i < names.size(); ++i) {
            Value column = names.isScalar() ? value : value.at(i);
            // An existing column keeps its name, whatever the case it is written in.
            const std::string name(names.at(i).string());
            const int known = table.findColumn(name);
            table.setColumn(known < 0 ? name : table.columns()[static_cast<size_t>(known)].name,
                            repeated(column, table.rowCount()));
        }
        table.keep();
        return;
    }
    if (indices.size() != 2) invalidIndices(indices[0]);
    // t[`col, rows] and t[rows, `col] both occur.
    bool columnFirst = isLiteral(indices[0].type());
    const Value& rows = columnFirst ? indices[1] : indices[0];
    for (int c : columnsOf(table, columnFirst ? indices[0] : indices[1])) {
        if (table.keys()) table.keys()->refuseChangeOf(table.columns()[static_cast<size_t>(c)].name);
        std::vector<Value>& columns = table.mutableColumns();
        writeVector(columns[static_cast<size_t>(c)], rows, value);
    }
    table.keep();
}

void writeDictionary(Value& object, const Value& index, const Value& value) {
    object.makeUnique();
    Dictionary& d = object.dictionary();
    if (index.isScalar()) {
        d.set(index, value);
        return;
    }
    if (!value.isScalar() && value.size() != index.size()) {
        throw UserError(fmt::format("{} values cannot be assigned to {} keys.", value.size(), index.size()));
    }
    for (int64_t i = 0; i < index.size(); ++i) d.set(index.at(i), value.isScalar() ? value : value.at(i));
}

}  // namespace

Value takeRows(const Value& object, const Vector& positions) {
    Ref<Vector> wide = cast(positions, Type::Long);
    if (object.isTable()) {
        Ref<Vector> narrow = cast(*wide, Type::Int);
        return Value::of(Ref<Table>(required(tableToRead(object))->gather(narrow->data<int32_t>(), narrow->size())));
    }
    return gatherElements(object, wide->data<int64_t>(), wide->size());
}

// Reads a tuple by the elements of a tuple, one index for each level; none select nothing.
static Value readByTuple(const Value& object, const Value& index) {
    const Value* inner = &index;
    while (inner->isTuple() && inner->size() == 1) inner = inner->tuple().elements.data();
    if (!inner->isTuple()) return indexRead(object, std::span(inner, 1));
    if (inner->size() == 0) return Value::of(makeRef<Tuple>());
    return indexRead(object, inner->tuple().elements);
}

Value indexRead(const Value& object, std::span<const Value> indices) {
    const Value& first = indices[0];
    switch (object.form()) {
        case Form::Matrix: {
            if (indices.size() == 2) return readMatrix(object.matrix(), first, indices[1]);
            if (first.isMatrix() && first.type() == Type::Bool) return maskedMatrix(object.matrix(), first.matrix());
            if (first.isTuple() && first.size() == 2) return readMatrix(object.matrix(), first.at(0), first.at(1));
            if (isPosition(first)) {
                int64_t c = first.isNull() ? -1 : first.integer();
                if (c < 0 || c >= object.matrix().columns) {
                    throw UserError(fmt::format("The column index {} is out of range.", c));
                }
                return object.at(c);
            }
            return readMatrix(object.matrix(), omitted(), first);
        }
        case Form::Table:
            return readTable(object, indices);
        case Form::Dictionary: {
            Value value = readDictionary(object.dictionary(), first);
            if (indices.size() == 1) return value;
            if (first.isScalar()) return indexRead(value, indices.subspan(1));
            std::vector<Value> parts;
            for (int64_t k = 0; k < value.size(); ++k) parts.push_back(indexRead(value.at(k), indices.subspan(1)));
            return Value::of(makeRef<Tuple>(std::move(parts)));
        }
        case Form::Scalar: {
            if (object.isVoid()) return Value();
            if (object.isString() && first.isPair()) {
                auto string = object.string();
                auto size = static_cast<int64_t>(string.size());
                int64_t from = first.vector().isNullAt(0) ? 0 : std::clamp<int64_t>(first.vector().asLong(0), 0, size);
                int64_t to =
                    first.vector().isNullAt(1) ? size : std::clamp<int64_t>(first.vector().asLong(1), from, size);
                return Value::ofString(string.substr(static_cast<size_t>(from), static_cast<size_t>(to - from)));
            }
            if (isPosition(first) && first.integer() == 0 && storageOf(object.type()) != Storage::Boxed) return object;
            throw UserError(
                fmt::format("A scalar of type {} has no position {}.", typeName(object.type()), display(first)));
        }
        case Form::Set:
            throw UserError("A set has no positions. RefId: S05001", "Use keys(s) to read it as a vector.");
        default:
            break;
    }
    if (isRowwise(object)) return readRowwise(object, indices);
    // An array vector as index selects an array vector of its shape.
    if (indices.size() == 1 && first.isArrayVector() && object.isTypedVector() &&
        isIntegral(first.arrayVector().elementType())) {
        const ArrayVector& rows = first.arrayVector();
        const Value elements = readVector(object, Value::of(rows.values()));
        return Value::of(rows.withValues(Ref<Vector>(&elements.vector())));
    }
    if (indices.size() == 1 && first.isTuple() && !object.isTuple()) {
        std::vector<Value> parts;
        for (const Value& i : first.tuple().elements) parts.push_back(readVector(object, i));
        return Value::of(makeRef<Tuple>(std::move(parts)));
    }
    if (indices.size() == 1 && first.isTuple()) return readByTuple(object, first);
    Value selected = isOmitted(first) ? object : readVector(object, first);
    if (indices.size() == 1) return selected;
    if (isPosition(first)) return indexRead(selected, indices.subspan(1));
    std::vector<Value> parts;
    for (int64_t i = 0; i < selected.size(); ++i) {
        const Value element = selected.at(i);
        // A scalar among deeper elements is its own element at every position: (7, 8 9)[, 1].
        if (element.isScalar()) {
            parts.push_back(element);
        } else {
            parts.push_back(indexRead(element, indices.subspan(1, element.isTypedVector() ? 1 : std::dynamic_extent)));
        }
    }
    bool scalars = std::all_of(parts.begin(), parts.end(), [&](const Value& v) {
        return v.isScalar() && v.type() == parts[0].type() && storageOf(v.type()) != Storage::Boxed;
    });
    if (!scalars || parts.empty()) return Value::of(makeRef<Tuple>(std::move(parts)));
    Ref<Vector> result = Vector::make(parts[0].type(), static_cast<int64_t>(parts.size()));
    for (size_t i = 0; i < parts.size(); ++i) result->set(static_cast<int64_t>(i), parts[i]);
    return Value::of(result);
}

void indexWrite(Value& object, std::span<const Value> indices, const Value& value) {
    if (isInstance(object) && indices.size() == 1 && indices[0].isString()) {
        object.as<Instance>()->write(indices[0].string(), value);
        return;
    }
    switch (object.form()) {
        case Form::Vector:
        case Form::Pair:
            if (isRowwise(object)) return writeRowwise(object, indices, value);
            if (indices.size() != 1) {
                throw UserError("An element inside a tuple cannot be changed in place.",
                                "Take the element out, change it, and put it back.");
            }
            return writeVector(object, indices[0], value);
        case Form::Matrix:
            return writeMatrix(object, indices, value);
        case Form::Table:
            object.makeUnique();
            return writeTable(object, indices, value);
        case Form::Dictionary:
            if (indices.size() == 1) return writeDictionary(object, indices[0], value);
            // d[1, 2, 3] = …: several keys
            if (!value.isScalar() && value.size() != static_cast<int64_t>(indices.size())) invalidIndices(indices[0]);
            for (size_t k = 0; k < indices.size(); ++k) {
                writeDictionary(object, indices[k], value.isScalar() ? value : value.at(static_cast<int64_t>(k)));
            }
            return;
        default:
            throw UserError(fmt::format("A value of type {} cannot be changed by index.", typeString(object)));
    }
}

bool memberRead(const Value& object, std::string_view name, Value& result) {
    if (object.isTable()) {
        const MemoryTable* table = asMemoryTable(object);
        Value column = table ? table->columnToRead(name) : Value();
        if (column.isVoid()) return false;
        result = std::move(column);
        return true;
    }
    if (object.isDictionary() || object.isChart()) {
        const Dictionary& d = object.dictionary();
        Value key = Value::ofString(name);
        if (isIntegral(d.keyType())) {
            key = cast(key, d.keyType());
            if (key.isNull()) return false;
        } else if (!isLiteral(d.keyType()) && d.keyType() != Type::Any) {
            return false;
        }
        result = d.get(key);
        return true;
    }
    return isInstance(object) && object.as<Instance>()->read(name, result);
}

}  // namespace pelorus
