#include "streaming/replay/row_message.h"

#include <fmt/format.h>

#include <cstring>

#include "common/error.h"
#include "runtime/value/array_vector.h"

namespace pelorus {

namespace {

bool hasForm(Type type) {
    return type != Type::Any && type != Type::Void && !isLiteral(type) && widthOf(type) > 0;
}

void requireForm(const ColumnSchema& column) {
    const Type type = isArrayType(column.type) ? elementTypeOf(column.type) : column.type;
    if (hasForm(type) || (isLiteral(type) && !isArrayType(column.type))) return;
    throw UserError(
        fmt::format("The column {} of {} can't be written to a message.", column.name, typeName(column.type)));
}

template <class T>
void put(std::string& bytes, T number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void putArray(std::string& bytes, const ArrayVector& rows, int64_t row) {
    const int64_t count = rows.rowSize(row);
    const uint8_t width = count <= UINT8_MAX ? 1 : count <= UINT16_MAX ? 2 : 4;
    put(bytes, uint16_t{1});
    put(bytes, width);
    put(bytes, uint8_t{0});
    const auto elements = static_cast<uint32_t>(count);
    bytes.append(reinterpret_cast<const char*>(&elements), width);  // little-endian: the low bytes
    const auto size = static_cast<size_t>(widthOf(rows.elementType()));
    bytes.append(rows.values()->raw() + static_cast<size_t>(rows.begin(row)) * size, static_cast<size_t>(count) * size);
}

// Appends the cells of a column to the messages of its rows.
void putColumn(std::vector<std::string>& messages, const Value& column) {
    if (isArrayType(column.type())) {
        const ArrayVector& rows = column.arrayVector();
        for (size_t i = 0; i < messages.size(); ++i) putArray(messages[i], rows, static_cast<int64_t>(i));
        return;
    }
    const Vector& cells = column.vector();
    if (isLiteral(cells.type())) {
        for (size_t i = 0; i < messages.size(); ++i) {
            const std::string_view string = cells.string(static_cast<int64_t>(i));
            if (cells.type() == Type::Blob) {
                put(messages[i], static_cast<int32_t>(string.size()));
                messages[i].append(string);
            } else {
                messages[i].append(string.substr(0, string.find('\0'))).push_back('\0');
            }
        }
        return;
    }
    const auto size = static_cast<size_t>(widthOf(cells.type()));
    for (size_t i = 0; i < messages.size(); ++i) messages[i].append(cells.raw() + i * size, size);
}

// Reads one message from its beginning to its end.
class MessageReader {
public:
    explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

    std::string_view take(size_t size) {
        if (size > rest_.size()) throw UserError("it ends too early");
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }
    template <class T>
    T number() {
        T number;
        std::memcpy(&number, take(sizeof number).data(), sizeof number);
        return number;
    }
    std::string_view string() {
        const size_t end = rest_.find('\0');
        if (end == std::string_view::npos) throw UserError("a string has no end");
        const std::string_view taken = take(end);
        take(1);
        return taken;
    }
    bool atEnd() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

void readArray(MessageReader& message, ArrayVector& column) {
    const auto rows = message.number<uint16_t>();
    const auto width = message.number<uint8_t>();
    message.take(1);
    if (rows != 1 || (width != 1 && width != 2 && width != 4)) throw UserError("an array has no block of one row");
    uint32_t count = 0;
    std::memcpy(&count, message.take(width).data(), width);
    const auto size = static_cast<size_t>(widthOf(column.elementType()));
    const std::string_view bytes = message.take(static_cast<size_t>(count) * size);
    const Ref<Vector> elements = Vector::make(column.elementType(), count);
    elements->setScale(column.scale());
    std::memcpy(elements->mutableRaw(), bytes.data(), bytes.size());
    column.appendRow(*elements);
}

void readCell(MessageReader& message, const ColumnSchema& schema, int64_t row, Value& column) {
    if (isArrayType(schema.type)) return readArray(message, static_cast<ArrayVector&>(*column.object()));
    Vector& cells = static_cast<Vector&>(*column.object());
    if (schema.type == Type::Blob) {
        const auto size = message.number<int32_t>();
        if (size < 0) throw UserError("a BLOB has a negative length");
        return cells.setString(row, message.take(static_cast<size_t>(size)));
    }
    if (isLiteral(schema.type)) return cells.setString(row, message.string());
    const auto size = static_cast<size_t>(widthOf(schema.type));
    std::memcpy(cells.mutableRaw() + static_cast<size_t>(row) * size, message.take(size).data(), size);
}

}  // namespace

Ref<Vector> rowMessages(const MemoryTable& rows) {
    for (const ColumnSchema& column : rows.columns()) requireForm(column);
    std::vector<std::string> messages(static_cast<size_t>(rows.rowCount()));
    for (int c = 0; c < rows.columnCount(); ++c) putColumn(messages, rows.column(c));
    Ref<Vector> bytes = Vector::make(Type::Blob, rows.rowCount());
    for (size_t i = 0; i < messages.size(); ++i) bytes->setString(static_cast<int64_t>(i), messages[i]);
    return bytes;
}

Ref<MemoryTable> rowsOfMessages(const TableSchema& columns, const Vector& messages,
                                const std::vector<int32_t>& chosen) {
    const auto count = static_cast<int64_t>(chosen.size());
    std::vector<std::string> names;
    std::vector<Value> cells;
    for (const ColumnSchema& column : columns) {
        requireForm(column);
        names.push_back(column.name);
        cells.push_back(filledColumn(column.type, column.scale, isArrayType(column.type) ? 0 : count));
    }
    for (size_t i = 0; i < chosen.size(); ++i) {
        MessageReader message(messages.string(chosen[i]));
        try {
            for (size_t c = 0; c < columns.size(); ++c)
                readCell(message, columns[c], static_cast<int64_t>(i), cells[c]);
            if (!message.atEnd()) throw UserError("it is longer than a row");
        } catch (const UserError& error) {
            throw UserError(fmt::format("The message in row {} is no row of the columns {}: {}.", chosen[i],
                                        fmt::join(names, ", "), error.what()));
        }
    }
    return makeRef<MemoryTable>(std::move(names), std::move(cells));
}

}  // namespace pelorus
