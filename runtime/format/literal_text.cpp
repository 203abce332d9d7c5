// Printer of values as a script would write them.
#include <charconv>
#include <cmath>

#include "common/thread/stack_room.h"
#include "common/time/calendar.h"
#include "runtime/code/to_source.h"
#include "runtime/function/function.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
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
std::string realText(T x, const char* suffix) {
    if (std::isnan(x)) return "double(\"NaN\")";
    if (std::isinf(x)) return x < 0 ? "double(\"-inf\")" : "double(\"inf\")";
    char buffer[40];
    auto result = std::to_chars(buffer, buffer + sizeof buffer, x);
    std::string text(buffer, result.ptr);
    bool whole = text.find_first_of(".e") == std::string::npos;
    return text + (whole && *suffix == '\0' ? ".0" : suffix);
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

std::string decimalLiteral(const Value& value) {
    std::string scale = std::to_string(value.extra());
    switch (value.type()) {
        case Type::Decimal64:
            return scalarText(value) + "P";
        case Type::Decimal32:
            return "decimal32(\"" + scalarText(value) + "\", " + scale + ")";
        default:
            return "decimal128(\"" + scalarText(value) + "\", " + scale + ")";
    }
}

std::string scalarLiteral(const Value& value) {
    if (isOmitted(value)) return "DFLT";
    Type type = value.type();
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
            return realText(static_cast<float>(value.real()), "f");
        case Type::Double:
            return realText(value.real(), "");
        case Type::Symbol:
        case Type::String:
        case Type::Blob:
            return quoted(value.text());
        case Type::DateHour:
            return "datehour(" + scalarText(value) + ":00:00)";
        case Type::Uuid:
            return "uuid(\"" + scalarText(value) + "\")";
        case Type::IpAddr:
            return "ipaddr(\"" + scalarText(value) + "\")";
        case Type::Int128:
            return "int128(\"" + scalarText(value) + "\")";
        case Type::Complex:
        case Type::Point: {
            double parts[2];
            std::memcpy(parts, value.bytes16(), sizeof parts);
            std::string name = type == Type::Complex ? "complex(" : "point(";
            return name + realText(parts[0], "") + ", " + realText(parts[1], "") + ")";
        }
        case Type::Decimal32:
        case Type::Decimal64:
        case Type::Decimal128:
            return decimalLiteral(value);
        case Type::Code:
            return "<" + toSource(*value.as<Code>()->node) + ">";
        default:
            return scalarText(value);
    }
}

std::string joined(const Value& items, std::string_view separator) {
    std::string text;
    int64_t count = items.size();
    for (int64_t i = 0; i < count; ++i) {
        if (i > 0) text += separator;
        text += literalText(items.at(i));
    }
    return text;
}

std::string vectorLiteral(const Value& value) {
    Type type = value.type();
    if (value.size() == 0) return "array(" + std::string(typeName(type)) + ", 0)";
    if (type == Type::Symbol) return "symbol([" + joined(value, ",") + "])";
    return "[" + joined(value, ",") + "]";
}

}  // namespace

std::string literalText(const Value& value) {
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
            return "set(" + literalText(value.set().index.keys()) + ")";
        case Form::Dictionary:
            return "dict(" + literalText(value.dictionary().keys()) + ", " + literalText(value.dictionary().values()) +
                   ")";
        case Form::Matrix: {
            const Matrix& matrix = value.matrix();
            return "matrix(" + literalText(Value::of(matrix.cells)) + "$" + std::to_string(matrix.rows) + ":" +
                   std::to_string(matrix.columns) + ")";
        }
        case Form::Table:
            return "objByName(" + quoted(value.table().name) + ")";
        default:
            return display(value);
    }
}

}  // namespace pelorus
