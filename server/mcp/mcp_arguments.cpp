#include "server/mcp/mcp_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "common/string/ascii_case.h"
#include "common/type_table.h"
#include "runtime/function/function.h"
#include "runtime/text/temporal_text.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

// What one argument, or one element of a list, is.
struct ArgumentType {
    enum class Kind : uint8_t { Any, Text, Number, Integer, Truth, AnyTime, Time };
    Kind kind = Kind::Any;
    Type time = Type::Void;  // of Time
    bool isList = false;
};
using Kind = ArgumentType::Kind;

constexpr size_t kMaxElements = 100'000;
constexpr const char* kTypes =
    "The types are STRING, DOUBLE, LONG, BOOL, TEMPORAL and temporal types such as DATE, or string, number, integer "
    "and "
    "boolean; STRING[] and array<string> are lists.";

std::optional<ArgumentType> parsed(std::string_view text) {
    ArgumentType type;
    if (text.empty()) return type;
    std::string name = asciiLower(std::string(text));
    if (name.ends_with("[]")) {
        type.isList = true;
        name.resize(name.size() - 2);
    } else if (name.starts_with("array<") && name.ends_with('>')) {
        type.isList = true;
        name = name.substr(6, name.size() - 7);
    }
    if (name == "string" || name == "symbol") {
        type.kind = Kind::Text;
    } else if (name == "number" || name == "double" || name == "float") {
        type.kind = Kind::Number;
    } else if (name == "integer" || name == "long" || name == "int") {
        type.kind = Kind::Integer;
    } else if (name == "boolean" || name == "bool") {
        type.kind = Kind::Truth;
    } else if (name == "temporal") {
        type.kind = Kind::AnyTime;
    } else if (typeByName(name, type.time) && isTemporal(type.time)) {
        type.kind = Kind::Time;
    } else {
        return std::nullopt;
    }
    return type;
}

const char* jsonName(Kind kind) {
    switch (kind) {
        case Kind::Number:
            return "number";
        case Kind::Integer:
            return "integer";
        case Kind::Truth:
            return "boolean";
        default:
            return "string";
    }
}

// Says what a text must look like.
std::string timeHint(const ArgumentType& type) {
    return type.kind == Kind::Time ? fmt::format("a {}, as {}", typeName(type.time),
                                                 type.time == Type::Date ? "2024-01-31" : "the language writes it")
                                   : "a date or time, as 2024-01-31 or 2024-01-31T09:30:00";
}

// Reads one argument of a call.
class Reader {
public:
    Reader(const McpEntry::Argument& argument, const ArgumentType& type) : argument_(argument), type_(type) {}

    Value read(const McpJson& json) const {
        if (type_.kind == Kind::Any) return json.is_array() ? list(json) : any(json);
        if (!type_.isList) return scalar(json);
        if (!json.is_array()) refuse("a list");
        return list(json);
    }

private:
    [[noreturn]] void refuse(std::string_view what) const {
        throw UserError(fmt::format("The argument {} must be {}.", argument_.name, what));
    }

    Value list(const McpJson& json) const {
        if (json.size() > kMaxElements) refuse(fmt::format("a list of at most {} elements", kMaxElements));
        std::vector<Value> elements;
        elements.reserve(json.size());
        for (const McpJson& element : json)
            elements.push_back(type_.kind == Kind::Any ? any(element) : scalar(element));
        return Value::of(vectorOf(elements));
    }

    Ref<Vector> vectorOf(const std::vector<Value>& elements) const {
        const Type type = elements.empty() ? emptyType() : elements[0].type();
        Ref<Vector> vector = Vector::make(type, static_cast<int64_t>(elements.size()));
        for (size_t i = 0; i < elements.size(); ++i) {
            // Numbers of any kind and times of one kind are a vector; a list of several kinds is none.
            const bool fits = elements[i].type() == type || elements[i].isVoid();
            if (!fits) refuse("a list of values of one type");
            vector->set(static_cast<int64_t>(i), elements[i].isVoid() ? Value::nullOf(type) : elements[i]);
        }
        return vector;
    }

    Type emptyType() const {
        switch (type_.kind) {
            case Kind::Number:
                return Type::Double;
            case Kind::Integer:
                return Type::Long;
            case Kind::Truth:
                return Type::Bool;
            case Kind::Time:
                return type_.time;
            case Kind::AnyTime:
                return Type::Date;
            default:
                return Type::String;
        }
    }

    Value any(const McpJson& json) const {
        if (json.is_string()) return text(json);
        if (json.is_boolean()) return Value::ofBool(json.get<bool>());
        if (json.is_number()) return Value::ofDouble(json.get<double>());
        if (json.is_null()) return Value();
        refuse("a text, a number, true, false, or a list of one of these");
    }

    Value scalar(const McpJson& json) const {
        if (json.is_null()) return Value::nullOf(emptyType());
        switch (type_.kind) {
            case Kind::Number:
                if (!json.is_number()) refuse("a number");
                return Value::ofDouble(json.get<double>());
            case Kind::Integer:
                return Value::ofLong(whole(json));
            case Kind::Truth:
                if (!json.is_boolean()) refuse("true or false");
                return Value::ofBool(json.get<bool>());
            case Kind::AnyTime:
            case Kind::Time:
                return time(json);
            default:
                if (!json.is_string()) refuse("a text");
                return text(json);
        }
    }

    int64_t whole(const McpJson& json) const {
        constexpr double kMax = 9007199254740992;  // 2^53: whole numbers beyond are no numbers of JSON
        if (json.is_number_integer() && !json.is_number_unsigned()) return json.get<int64_t>();
        if (json.is_number_unsigned() && json.get<uint64_t>() <= INT64_MAX) return json.get<int64_t>();
        if (json.is_number_float()) {
            const auto number = json.get<double>();
            if (number >= -kMax && number <= kMax && number == static_cast<double>(static_cast<int64_t>(number)))
                return static_cast<int64_t>(number);
        }
        refuse("a whole number");
    }

    Value text(const McpJson& json) const {
        const auto& string = json.get_ref<const std::string&>();
        if (string.find('\0') != std::string::npos) refuse("a text without NUL characters");
        return Value::ofString(string);
    }

    Value time(const McpJson& json) const {
        const std::string hint = timeHint(type_);
        if (!json.is_string()) refuse(hint);
        const auto& string = json.get_ref<const std::string&>();
        const Type type = type_.kind == Kind::Time ? type_.time : text::temporalTypeOf(string);
        int64_t stored = 0;
        if (type == Type::Void || !text::parseTemporal(string, type, stored)) refuse(hint);
        return Value::scalar(type, stored);
    }

    const McpEntry::Argument& argument_;
    const ArgumentType& type_;
};

ArgumentType typeOf(const McpEntry::Argument& argument) {
    const std::optional<ArgumentType> type = parsed(argument.type);
    if (!type) throw UserError(fmt::format("The argument {} has a type of a newer version.", argument.name));
    return *type;
}

}  // namespace

void requireMcpType(std::string_view type) {
    if (!parsed(type)) throw UserError(3, fmt::format("{} is no type of an argument.", type.substr(0, 100)), kTypes);
}

McpJson mcpSchema(const McpEntry& tool) {
    McpJson properties = McpJson::object(), required = McpJson::array();
    for (const McpEntry::Argument& argument : tool.arguments) {
        const ArgumentType type = typeOf(argument);
        McpJson one = McpJson::object();
        if (type.kind != Kind::Any) one["type"] = jsonName(type.kind);
        if (type.isList) one = {{"type", "array"}, {"items", std::move(one)}};
        if (type.kind == Kind::AnyTime || type.kind == Kind::Time) one["description"] = timeHint(type);
        properties[argument.name] = std::move(one);
        if (!argument.isOptional) required.push_back(argument.name);
    }
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

std::vector<Value> mcpArguments(const McpEntry& tool, const McpJson& given) {
    if (!given.is_object()) throw UserError("The arguments of a tool are an object.");
    for (const auto& [name, ignored] : given.items()) {
        const bool isKnown = std::any_of(tool.arguments.begin(), tool.arguments.end(),
                                         [&](const McpEntry::Argument& argument) { return argument.name == name; });
        if (!isKnown) throw UserError(fmt::format("The tool {} has no argument {}.", tool.name, name.substr(0, 100)));
    }
    std::vector<Value> arguments;
    for (const McpEntry::Argument& argument : tool.arguments) {
        const auto member = given.find(argument.name);
        if (member != given.end()) {
            const ArgumentType type = typeOf(argument);
            arguments.push_back(Reader(argument, type).read(*member));
        } else if (argument.isOptional) {
            arguments.push_back(omitted());
        } else {
            throw UserError(fmt::format("The argument {} of the tool {} is missing.", argument.name, tool.name));
        }
    }
    while (!arguments.empty() && isOmitted(arguments.back())) arguments.pop_back();
    return arguments;
}

McpJson mcpJsonOf(const Value& value) {
    if (value.isVector()) {
        if (value.size() > static_cast<int64_t>(kMaxElements))
            throw UserError(fmt::format("A list of a tool has at most {} elements.", kMaxElements));
        McpJson list = McpJson::array();
        for (int64_t i = 0; i < value.size(); ++i) list.push_back(mcpJsonOf(value.at(i)));
        return list;
    }
    if (!value.isScalar() || value.isFunction())
        throw UserError(fmt::format("A {} cannot be an argument of a tool.", typeString(value)));
    if (value.isString()) return std::string(value.string());
    if (value.isNull()) return nullptr;
    if (value.type() == Type::Bool) return value.integer() != 0;
    if (isIntegral(value.type())) return value.asLong();
    if (value.isNumber()) return value.asDouble();
    if (isTemporal(value.type())) return toString(value);
    throw UserError(fmt::format("A {} cannot be an argument of a tool.", typeString(value)));
}

}  // namespace pelorus
