#include "storage/codec/row_codec.h"

#include <unordered_map>

#include "common/check.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/symbol_base.h"

namespace pelorus {

bool isStorable(Type type) {
    if (isArrayType(type)) return canBeInArrayVector(elementTypeOf(type));
    switch (storageOf(type)) {
        case Storage::Int8:
        case Storage::Int16:
        case Storage::Int32:
        case Storage::Int64:
        case Storage::Float32:
        case Storage::Float64:
        case Storage::Bytes16:
        case Storage::String:
            return type != Type::Compress;
        case Storage::None:
        case Storage::Boxed:
            return false;
    }
    return false;
}

static void encodeSymbols(const Vector& column, ByteWriter& writer) {
    const int32_t* codes = column.data<int32_t>();
    const int64_t n = column.size();
    std::unordered_map<int32_t, uint32_t> positions;
    std::vector<int32_t> distinct;
    std::vector<uint32_t> local(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        if (i > 0 && codes[i] == codes[i - 1]) {
            local[static_cast<size_t>(i)] = local[static_cast<size_t>(i) - 1];
            continue;
        }
        const auto [it, added] = positions.try_emplace(codes[i], static_cast<uint32_t>(distinct.size()));
        if (added) distinct.push_back(codes[i]);
        local[static_cast<size_t>(i)] = it->second;
    }
    CHECK(distinct.size() == positions.size()) << "each symbol is written once";
    writer.varint(distinct.size());
    for (const int32_t code : distinct) writer.string(symbols::string(code));
    writer.raw(local.data(), local.size() * sizeof(uint32_t));
}

static Ref<Vector> decodeSymbols(ByteReader& reader, int64_t n) {
    std::vector<int32_t> codes(reader.count());
    for (int32_t& code : codes) code = symbols::intern(reader.string());
    const std::string_view local = reader.raw(static_cast<size_t>(n) * sizeof(uint32_t));
    Ref<Vector> column = Vector::make(Type::Symbol, n);
    auto* elements = column->mutableData<int32_t>();
    for (int64_t i = 0; i < n; ++i) {
        uint32_t position;
        std::memcpy(&position, local.data() + static_cast<size_t>(i) * sizeof position, sizeof position);
        if (position >= codes.size()) throw SystemError("A SYMBOL column in the log is damaged.");
        elements[i] = codes[position];
    }
    return column;
}

static void encodeArrays(const ArrayVector& rows, ByteWriter& writer) {
    writer.raw(rows.ends().data(), rows.ends().size() * sizeof(int32_t));
    const Vector& values = *rows.values();
    writer.raw(values.raw(), static_cast<size_t>(values.size()) * static_cast<size_t>(values.width()));
}

static Ref<ArrayVector> decodeArrays(ByteReader& reader, const ColumnSchema& fact, int64_t n) {
    std::vector<int32_t> ends(static_cast<size_t>(n));
    const std::string_view bytes = reader.raw(ends.size() * sizeof(int32_t));
    if (n > 0) std::memcpy(ends.data(), bytes.data(), bytes.size());
    int32_t last = 0;
    for (const int32_t end : ends) {
        if (end <= last) throw SystemError("A column of array vectors in the log is damaged.");
        last = end;
    }
    const Type element = elementTypeOf(fact.type);
    const std::string_view elements = reader.raw(static_cast<size_t>(last) * static_cast<size_t>(widthOf(element)));
    Ref<Vector> values = Vector::make(element, last);
    values->setScale(fact.scale);
    if (last > 0) std::memcpy(values->mutableRaw(), elements.data(), elements.size());
    return makeRef<ArrayVector>(std::move(values), std::move(ends));
}

void encodeRows(const MemoryTable& rows, std::string& bytes) {
    ByteWriter writer(bytes);
    const int64_t n = rows.rowCount();
    encodeSchema(rows.columns(), bytes);
    writer.varint(static_cast<uint64_t>(n));
    for (int c = 0; c < rows.columnCount(); ++c) {
        if (!isStorable(rows.column(c).type())) {
            throw UserError("The column " + rows.columns()[static_cast<size_t>(c)].name + " has type " +
                            std::string(typeName(rows.column(c).type())) + ", which a table on disk cannot hold.");
        }
        CHECK(rows.column(c).size() == n) << "all columns have as many rows";
        if (rows.column(c).isArrayVector()) {
            encodeArrays(rows.column(c).arrayVector(), writer);
            continue;
        }
        const Vector& column = rows.column(c).vector();
        if (column.type() == Type::Symbol) {
            encodeSymbols(column, writer);
        } else if (storageOf(column.type()) == Storage::String) {
            for (int64_t i = 0; i < n; ++i) writer.string(column.string(i));
        } else {
            writer.raw(column.raw(), static_cast<size_t>(n) * static_cast<size_t>(column.width()));
        }
    }
}

Ref<MemoryTable> decodeRows(ByteReader& reader) {
    const TableSchema schema = decodeSchema(reader);
    const auto n = static_cast<int64_t>(reader.varint());
    if (schema.empty() || n < 0 || static_cast<uint64_t>(n) > reader.left()) {
        throw SystemError("Rows in the log are damaged.");
    }
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (const ColumnSchema& fact : schema) {
        Ref<Vector> column;
        if (isArrayType(fact.type)) {
            names.push_back(fact.name);
            columns.push_back(Value::of(decodeArrays(reader, fact, n)));
            continue;
        }
        if (fact.type == Type::Symbol) {
            column = decodeSymbols(reader, n);
        } else if (storageOf(fact.type) == Storage::String) {
            column = Vector::make(fact.type, n);
            for (int64_t i = 0; i < n; ++i) column->setString(i, reader.string());
        } else {
            const size_t sizeBytes = static_cast<size_t>(n) * static_cast<size_t>(widthOf(fact.type));
            const std::string_view elements = reader.raw(sizeBytes);
            column = Vector::make(fact.type, n);
            if (n > 0) std::memcpy(column->mutableRaw(), elements.data(), sizeBytes);
        }
        column->setScale(fact.scale);
        names.push_back(fact.name);
        columns.push_back(Value::of(std::move(column)));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

void encodeSchema(const TableSchema& schema, std::string& bytes) {
    ByteWriter writer(bytes);
    writer.varint(schema.size());
    for (const ColumnSchema& column : schema) {
        writer.string(column.name);
        writer.fixed(column.type);
        writer.fixed(column.scale);
        writer.string(column.comment);
    }
}

TableSchema decodeSchema(ByteReader& reader) {
    TableSchema schema(reader.count(4));
    for (ColumnSchema& column : schema) {
        column.name = reader.string();
        column.type = reader.fixed<Type>();
        column.scale = reader.fixed<uint8_t>();
        column.comment = reader.string();
        if (static_cast<int>(elementTypeOf(column.type)) >= kTypeCount || !isStorable(column.type)) {
            throw SystemError("The type of column " + column.name + " in the file is unknown.");
        }
    }
    return schema;
}

}  // namespace pelorus
