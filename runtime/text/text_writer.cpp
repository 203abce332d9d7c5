// Writer of columns as lines.
#include <charconv>

#include "common/time/calendar.h"
#include "runtime/text/delimited_text.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/print.h"
#include "runtime/value/symbol_base.h"

namespace pelorus::text {

static void appendQuoted(std::string_view text, char delimiter, std::string& bytes) {
    const char special[] = {delimiter, '"', '\n', '\r', '\0'};
    if (text.find_first_of(special) == std::string_view::npos) {
        bytes += text;
        return;
    }
    bytes += '"';
    for (const char c : text) {
        if (c == '"') bytes += '"';
        bytes += c;
    }
    bytes += '"';
}

static void appendInteger(int64_t number, std::string& bytes) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    bytes.append(digits, end);
}

static void appendElement(const Value& column, int64_t row, char delimiter, std::string& bytes) {
    if (column.isArrayVector()) {
        const ArrayVector& rows = column.arrayVector();
        const Value elements = Value::of(rows.values());
        bytes += '"';
        for (int64_t i = rows.begin(row); i < rows.end(row); ++i) {
            if (i > rows.begin(row)) bytes += ',';
            appendElement(elements, i, delimiter, bytes);
        }
        bytes += '"';
        return;
    }
    if (column.isTuple()) return appendQuoted(toString(column.at(row)), delimiter, bytes);
    const Vector& elements = column.vector();
    if (elements.isNullAt(row)) return;
    const Type type = elements.type();
    if (isLiteral(type)) return appendQuoted(elements.string(row), delimiter, bytes);
    if (type == Type::Double) {
        bytes += exportDouble(elements.asDouble(row));
    } else if (type == Type::Float) {
        bytes += exportFloat(static_cast<float>(elements.asDouble(row)));
    } else if (type == Type::Char) {
        // A digit or a blank would be read as a number or as NULL.
        const auto c = static_cast<char>(elements.asLong(row));
        if (c > ' ' && c <= '~' && !(c >= '0' && c <= '9'))
            appendQuoted({&c, 1}, delimiter, bytes);
        else
            appendInteger(c, bytes);
    } else if (type == Type::Short || type == Type::Int || type == Type::Long) {
        appendInteger(elements.asLong(row), bytes);
    } else if (isTemporal(type)) {
        calendar::append(bytes, type, elements.asLong(row));
    } else {
        appendQuoted(toString(elements.at(row)), delimiter, bytes);
    }
}

void writeLines(const MemoryTable& rows, char delimiter, std::string& bytes) {
    const int columns = rows.columnCount();
    for (int64_t row = 0; row < rows.rowCount(); ++row) {
        for (int c = 0; c < columns; ++c) {
            if (c > 0) bytes += delimiter;
            appendElement(rows.column(c), row, delimiter, bytes);
        }
        bytes += '\n';
    }
}

void writeHeader(const TableSchema& schema, char delimiter, std::string& bytes) {
    for (size_t c = 0; c < schema.size(); ++c) {
        if (c > 0) bytes += delimiter;
        appendQuoted(schema[c].name, delimiter, bytes);
    }
    bytes += '\n';
}

}  // namespace pelorus::text
