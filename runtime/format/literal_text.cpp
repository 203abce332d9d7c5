// Printer of values as a script would write them.
#include <charconv>
#include <cmath>

#include "common/thread/stack_room.h"
#include "common/time/calendar.h"
#include "runtime/format/to_source.h"
#include "runtime/function/function.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

std::string quoted(std::string_view string) {
    std::string out = "\"";
    for (char c : string) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                out += c;
        }
    }
    return out + "\"";
}

// Returns the fewest digits that read back as the same number, with a point or an exponent.
template <class T>
std::string realString(T x, const char* suffix) {
    if (std::isnan(x)) return "double(\"NaN\")";
    if (std::isinf(x)) return x < 0 ? "double(\"-inf\")" : "double(\"inf\")";
    char buffer[40];
    auto result = std::to_chars(buffer, buffer + sizeof buffer, x);
    std::string string(buffer, result.ptr);
    bool whole = string.find_first_of(".e") == std::string::npos;
    return string + (whole && *suffix == '\0' ? ".0" : suffix);
}

std::string typedNull(Type type) {
    if (type == Type::Void) return "NULL";
    if (isLiteral(type)) return "\"\"";
    char suffix = facts(type).suffix;
    if (suffix != 0) return std::string("00") + suffix;
    std::string name(typeName(type));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name + "()";
}

// Returns decimal64(X, scale), where X is the source text of strings.
std::string decimalCall(Type type, const std::string& strings, int scale) {
    std::string name(typeName(type));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name + "(" + strings + ", " + std::to_string(scale) + ")";
}

std::string decimalLiteral(const Value& value) {
    if (value.isNull()) return decimalCall(value.type(), "\"\"", value.extra());
    if (value.type() == Type::Decimal64) return toString(value) + "P";
    return decimalCall(value.type(), quoted(toString(value)), value.extra());
}

std::string scalarLiteral(const Value& value) {
    if (isOmitted(value)) return "DFLT";
    Type type = value.type();
    if (isDecimal(type)) return decimalLiteral(value);
    if (type == Type::Blob) return "blob(" + quoted(value.string()) + ")";
    if (value.isNull() && type != Type::Function) return typedNull(type);
    switch (type) {
        case Type::Char: {
            int64_t code = value.integer();
            bool plain = code >= 32 && code < 127 && code != '\'' && code != '\\';
            return plain ? std::string("'") + static_cast<char>(code) + "'" : std::to_string(code) + "c";
        }
        case Type::Short:
            return std::to_string(value.integer()) + "h";
        case Type::Long:
            return std::to_string(value.integer()) + "l";
        case Type::Float:
            return realString(static_cast<float>(value.real()), "f");
        case Type::Double:
            return realString(value.real(), "");
        case Type::Symbol:
        case Type::String:
            return quoted(value.string());
        case Type::DateHour:
            return "datehour(" + toString(value) + ":00:00)";
        case Type::Uuid:
            return "uuid(\"" + toString(value) + "\")";
        case Type::IpAddr:
            return "ipaddr(\"" + toString(value) + "\")";
        case Type::Int128:
            return "int128(\"" + toString(value) + "\")";
        case Type::Complex:
        case Type::Point: {
            double parts[2];
            std::memcpy(parts, value.bytes16(), sizeof parts);
            std::string name = type == Type::Complex ? "complex(" : "point(";
            return name + realString(parts[0], "") + ", " + realString(parts[1], "") + ")";
        }
        case Type::Code:
            return "<" + toSource(*value.as<Code>()->node) + ">";
        default:
            return toString(value);
    }
}

std::string joined(const Value& elements, std::string_view separator) {
    std::string string;
    int64_t count = elements.size();
    for (int64_t i = 0; i < count; ++i) {
        if (i > 0) string += separator;
        string += toLiteral(elements.at(i));
    }
    return string;
}

std::string stringsOf(const Value& elements) {
    std::string string;
    for (int64_t i = 0; i < elements.size(); ++i)
        string += (i > 0 ? "," : "[") + quoted(elements.at(i).isNull() ? "" : toString(elements.at(i)));
    return string + "]";
}

// Returns the name of a type as `array` takes it, a decimal's with its scale.
std::string typeLiteral(Type type, int scale) {
    const std::string name(typeName(elementTypeOf(type)));
    const std::string scaled = isDecimal(elementTypeOf(type)) ? name + "(" + std::to_string(scale) + ")" : name;
    return scaled + (isArrayType(type) ? "[]" : "");
}

// Returns arrayVector([2,5], [1,2,3,4,5]): where rows end, and the elements of all rows.
std::string arrayVectorLiteral(const ArrayVector& rows) {
    const Value values = Value::of(rows.values());
    if (rows.size() == 0) return "array(" + typeLiteral(arrayTypeOf(values.type()), values.vector().scale()) + ", 0)";
    std::string ends;
    for (int64_t row = 0; row < rows.size(); ++row) ends += (row > 0 ? "," : "") + std::to_string(rows.end(row));
    return "arrayVector([" + ends + "], " + toLiteral(values) + ")";
}

std::string vectorLiteral(const Value& value) {
    Type type = value.type();
    if (value.isArrayVector()) return arrayVectorLiteral(value.arrayVector());
    if (value.size() == 0) return "array(" + typeLiteral(type, value.vector().scale()) + ", 0)";
    if (type == Type::Symbol) return "symbol([" + joined(value, ",") + "])";
    if (type == Type::Blob) return "blob(" + stringsOf(value) + ")";
    if (isDecimal(type) && (type != Type::Decimal64 || value.vector().hasNull()))
        return decimalCall(type, stringsOf(value), value.vector().scale());
    return "[" + joined(value, ",") + "]";
}

}  // namespace

std::string toLiteral(const Value& value) {
    requireStackRoom();
    switch (value.form()) {
        case Form::Scalar:
            return scalarLiteral(value);
        case Form::Vector:
            if (value.isTuple())
                return value.size() == 1 ? "enlist(" + joined(value, "") + ")" : "(" + joined(value, ", ") + ")";
            return vectorLiteral(value);
        case Form::Pair:
            return "pair(" + joined(value, ", ") + ")";
        case Form::Set:
            return "set(" + toLiteral(value.set().index.keys()) + ")";
        case Form::Dictionary:
            return "dict(" + toLiteral(value.dictionary().keys()) + ", " + toLiteral(value.dictionary().values()) + ")";
        case Form::Matrix: {
            const Matrix& matrix = value.matrix();
            return "matrix(" + toLiteral(Value::of(matrix.cells)) + "$" + std::to_string(matrix.rows) + ":" +
                   std::to_string(matrix.columns) + ")";
        }
        case Form::Table:
            return "objByName(" + quoted(value.table().name) + ")";
        default:
            return display(value);
    }
}

}  // namespace pelorus
