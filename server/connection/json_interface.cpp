#include "server/connection/json_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/outside_json.h"
#include "common/string/ascii_case.h"
#include "common/thread/stack_room.h"
#include "net/host_name.h"
#include "net/http_request.h"
#include "runtime/memory/budget.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxArguments = 255;

// Returns a type's name as requests take it, a decimal's with its scale: decimal64(4).
std::string nameOfType(Type type, uint8_t scale = 0) {
    std::string name = asciiLower(typeName(type));
    if (!isDecimal(elementTypeOf(type))) return name;
    const bool isArray = isArrayType(type);
    if (isArray) name.resize(name.size() - 2);
    return fmt::format("{}({}){}", name, scale, isArray ? "[]" : "");
}

uint8_t scaleOf(const Value& value) {
    if (!isDecimal(elementTypeOf(value.type()))) return 0;
    if (value.isScalar()) return value.extra();
    if (value.isArrayVector()) return value.arrayVector().values()->scale();
    if (value.isMatrix()) return value.matrix().cells->scale();
    if (value.form() == Form::Set) return scaleOf(value.set().index.keys());
    return value.isTypedVector() || value.isPair() ? value.vector().scale() : uint8_t{0};
}

// ---- requests

std::string stringOf(const Json& object, const char* name, const std::string& where) {
    const auto found = object.find(name);
    if (found == object.end()) return "";
    if (found->is_string()) return found->get<std::string>();
    if (found->is_number_integer()) return std::to_string(found->get<int64_t>());
    throw UserError(fmt::format("{} of {} must be a string.", name, where));
}

// Converts one element to the string that a conversion from STRING takes; NULL is empty.
std::string elementString(const Json& element, const std::string& where) {
    if (element.is_null()) return "";
    if (element.is_string()) return element.get<std::string>();
    if (element.is_boolean()) return element.get<bool>() ? "true" : "false";
    if (element.is_number()) return element.dump();
    throw UserError("An element of " + where + " must be a string, a number, a boolean or null.");
}

Value elementOf(const Json& element, TypeSpec spec, const std::string& where) {
    const Type type = spec.type;
    const std::string string = elementString(element, where);
    if (isLiteral(type)) return Value::ofString(string, type);
    if (string.empty()) return isDecimal(type) ? cast(Value(), type, spec.scale) : Value::nullOf(type);
    if (type == Type::Bool && (string == "true" || string == "false")) return Value::ofBool(string == "true");
    // A CHAR is its character, or the number that is its code.
    const bool isCode = type == Type::Char && element.is_number_integer();
    if (type == Type::Char && !isCode && string.size() == 1) return Value::scalar(Type::Char, string[0]);
    const Value value = isCode ? castFitting(Value::ofLong(element.get<int64_t>()), type)
                               : cast(Value::ofString(string), type, spec.scale);
    if (value.isNull()) throw UserError(fmt::format("'{}' in {} is no {}.", string, where, typeName(type)));
    return value;
}

Ref<Vector> elementsFrom(const Json& elements, TypeSpec spec, const std::string& where) {
    if (!elements.is_array()) throw UserError("The value of the vector " + where + " must be an array.");
    Ref<Vector> vector = Vector::make(spec.type, static_cast<int64_t>(elements.size()));
    vector->setScale(spec.scale);
    for (size_t i = 0; i < elements.size(); ++i)
        vector->set(static_cast<int64_t>(i), elementOf(elements[i], spec, where));
    return vector;
}

Value argumentOf(const Json& object, int depth);

Value tableOf(const Json& columns, const std::string& where, int depth) {
    if (!columns.is_array() || columns.empty())
        throw UserError("The value of the table " + where + " must be an array of columns.");
    std::vector<std::string> names;
    std::vector<Value> values;
    for (const Json& column : columns) {
        if (!column.is_object()) throw UserError("A column of the table " + where + " must be an object.");
        names.push_back(stringOf(column, "name", "a column of " + where));
        values.push_back(argumentOf(column, depth + 1));
        if (!values.back().isTypedVector() || values.back().size() != values.front().size())
            throw UserError("The columns of the table " + where + " must be vectors of one length.");
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(values))));
}

// Makes a matrix of its columns, which are vectors of one length and type, and of its labels where there are some.
Value matrixOf(const Json& object, const Json& columns, const std::string& where, int depth) {
    if (!columns.is_array() || columns.empty())
        throw UserError("The value of the matrix " + where + " must be an array of columns.");
    Ref<Vector> cells;
    int64_t rows = 0;
    for (const Json& column : columns) {
        const Value elements = argumentOf(column, depth + 1);
        if (!elements.isTypedVector() || (cells && (elements.type() != cells->type() || elements.size() != rows)))
            throw UserError("The columns of the matrix " + where + " must be vectors of one type and length.");
        rows = elements.size();
        if (cells)
            cells->append(elements.vector(), 0, rows);
        else
            cells = elements.vector().copy();
    }
    auto matrix = makeRef<Matrix>(cells, rows, static_cast<int64_t>(columns.size()));
    if (object.contains("rowLabels")) matrix->rowLabels = argumentOf(object["rowLabels"], depth + 1);
    if (object.contains("columnLabels")) matrix->columnLabels = argumentOf(object["columnLabels"], depth + 1);
    const auto fits = [](const Value& labels, int64_t count) {
        return labels.isVoid() || (labels.isVector() && labels.size() == count);
    };
    if (!fits(matrix->rowLabels, matrix->rows) || !fits(matrix->columnLabels, matrix->columns))
        throw UserError("The labels of the matrix " + where + " must be vectors, one for each row or column.");
    return Value::of(std::move(matrix));
}

Value dictionaryOf(const Json& sides, const std::string& where, int depth) {
    if (!sides.is_array() || sides.size() != 2)
        throw UserError("The value of the dictionary " + where + " must be an array of its keys and its values.");
    const Value keys = argumentOf(sides[0], depth + 1), values = argumentOf(sides[1], depth + 1);
    if (!keys.isVector() || !values.isVector() || keys.size() != values.size())
        throw UserError("The keys and values of the dictionary " + where + " must be vectors of one length.");
    auto dictionary = makeRef<Dictionary>(keys.type(), values.isTypedVector() ? values.type() : Type::Any, false);
    for (int64_t i = 0; i < keys.size(); ++i) dictionary->set(keys.at(i), values.at(i));
    return Value::of(std::move(dictionary));
}

Value setOf(const Json& elements, TypeSpec spec, const std::string& where) {
    auto set = makeRef<Set>(spec.type);
    const Ref<Vector> members = elementsFrom(elements, spec, where);
    for (int64_t i = 0; i < members->size(); ++i) set->index.insert(members->at(i));
    return Value::of(std::move(set));
}

Value argumentOf(const Json& object, int depth) {
    if (depth > kMaxJsonDepth) throw UserError("The parameters lie too deep in one another.");
    if (!object.is_object()) throw UserError("A parameter must be an object with name, form, type and value.");
    std::string name = stringOf(object, "name", "a parameter");
    if (name.empty()) name = "a parameter";
    const std::string form = asciiLower(stringOf(object, "form", name));
    const auto value = object.find("value");
    if (value == object.end()) throw UserError("The parameter " + name + " has no value.");
    if (form == "table") return tableOf(*value, name, depth);
    if (form == "matrix") return matrixOf(object, *value, name, depth);
    if (form == "dictionary") return dictionaryOf(*value, name, depth);
    const std::string typeString = stringOf(object, "type", name);
    TypeSpec spec;
    const bool isArray = typeSpecByName(typeString, spec) && isArrayType(spec.type);
    if (form == "vector" && (isArray || asciiLower(typeString) == "any")) {
        if (!value->is_array()) throw UserError("The value of the vector " + name + " must be an array.");
        std::vector<Value> elements;
        for (const Json& element : *value) elements.push_back(argumentOf(element, depth + 1));
        const Value tuple = Value::of(makeRef<Tuple>(std::move(elements)));
        return isArray ? cast(tuple, spec.type, spec.scale) : tuple;
    }
    if (asciiLower(typeString) == "void" && (form.empty() || form == "scalar")) return Value();
    if (!typeSpecByName(typeString, spec) || isArrayType(spec.type) || storageOf(spec.type) == Storage::Boxed ||
        storageOf(spec.type) == Storage::None) {
        throw UserError(fmt::format("The parameter {} has the type '{}', which the JSON interface does not take.", name,
                                    typeString));
    }
    if (form.empty() || form == "scalar") return elementOf(*value, spec, name);
    if (form == "vector") return Value::of(elementsFrom(*value, spec, name));
    if (form == "set") return setOf(*value, spec, name);
    if (form == "pair" && value->size() == 2) return Value::of(elementsFrom(*value, spec, name), Form::Pair);
    throw UserError(
        fmt::format("The parameter {} has the form '{}'; scalar, vector, pair of two elements, matrix, set, "
                    "dictionary and table are taken.",
                    name, form));
}

int64_t sessionOf(const Json& request) {
    const std::string string = stringOf(request, "sessionID", "the request");
    if (string.empty()) return 0;
    if (string.size() > 19 || string.find_first_not_of("0123456789") != std::string::npos)
        throw UserError("sessionID must be the number of a session, or 0 for a new one.");
    return std::strtoll(string.c_str(), nullptr, 10);
}

// ---- answers

// Strings of clients are not always UTF-8; JSON is.
Json stringJson(std::string_view string) {
    return Json(std::string(string));
}

Json elementJson(const Value& element) {
    if (element.isNull()) return nullptr;
    switch (element.type()) {
        case Type::Bool:
            return element.integer() != 0;
        case Type::Short:
        case Type::Int:
        case Type::Long:
            return element.integer();
        case Type::Float:
        case Type::Double:
            if (std::isfinite(element.real())) return element.real();
            return stringJson(toString(element));
        case Type::Char: {
            // A character that is not printable is sent as its code.
            const auto c = static_cast<char>(element.integer());
            return c >= ' ' && c <= '~' ? stringJson({&c, 1}) : Json(element.integer());
        }
        default:
            return stringJson(toString(element));
    }
}

// The value of a scalar is a string, with all digits of a number.
Json scalarJson(const Value& scalar) {
    const bool isReal = scalar.type() == Type::Double && std::isfinite(scalar.real());
    if (scalar.isNull()) return nullptr;
    if (scalar.type() == Type::Char) return elementJson(scalar);
    if (scalar.type() == Type::Float && std::isfinite(scalar.real()))
        return stringJson(fmt::format("{}", static_cast<float>(scalar.real())));
    return stringJson(isReal ? fmt::format("{}", scalar.real()) : toString(scalar));
}

void requireFew(int64_t records) {
    if (records <= kMaxJsonRecords) return;
    throw UserError(fmt::format("The result has {} records; an answer of the JSON interface has at most {}.", records,
                                kMaxJsonRecords),
                    "Select fewer rows, for example by select top 1000.");
}

// `left`: how many more elements the answer may have.
Json describe(const std::string& name, const Value& value, int64_t& left);

Json described(const std::string& name, const char* form, const std::string& type, int64_t size, Json value) {
    Json object = {{"name", name}, {"form", form}, {"type", type}};
    if (size >= 0) object["size"] = std::to_string(size);
    object["value"] = std::move(value);
    return object;
}

Json elementsOf(const Value& vector, int64_t& left) {
    left -= vector.size();
    if (left < 0) {
        throw UserError(fmt::format("The result has more than {} elements, the most that an answer of the JSON "
                                    "interface has.",
                                    kMaxJsonElements),
                        "Select fewer rows or columns.");
    }
    memory::checkLimit();
    Json elements = Json::array();
    for (int64_t i = 0; i < vector.size(); ++i) {
        const Value element = vector.at(i);
        // The elements of a tuple have types of their own.
        const bool isPlain = element.isScalar() && !vector.isTuple();
        elements.push_back(isPlain ? elementJson(element) : describe("", element, left));
    }
    return elements;
}

Json tableJson(const std::string& name, const Table& table, int64_t& left) {
    const MemoryTable* memory = const_cast<Table&>(table).asMemory();
    if (!memory) {  // partitioned, or computed when it is read
        Json columns = Json::array();
        for (const ColumnSchema& column : table.columns())
            columns.push_back(described(column.name, "vector", nameOfType(column.type), 0, Json::array()));
        return described(name, "table", "", 0, std::move(columns));
    }
    const MemoryTable& rows = *memory;
    requireFew(rows.rowCount());
    Json columns = Json::array();
    for (int c = 0; c < rows.columnCount(); ++c)
        columns.push_back(describe(rows.columns()[static_cast<size_t>(c)].name, rows.column(c), left));
    return described(name, "table", "", rows.rowCount(), std::move(columns));
}

Json describe(const std::string& name, const Value& value, int64_t& left) {
    requireStackRoom();
    const std::string type = nameOfType(value.type(), scaleOf(value));
    switch (value.form()) {
        case Form::Scalar:
            return described(name, "scalar", type, -1, scalarJson(value));
        case Form::Vector:
            requireFew(value.size());
            return described(name, "vector", type, value.size(), elementsOf(value, left));
        case Form::Pair:
            return described(name, "pair", type, 2, elementsOf(value, left));
        case Form::Matrix: {
            requireFew(value.size());
            Json columns = Json::array();
            for (int64_t c = 0; c < value.matrix().columns; ++c) columns.push_back(describe("", value.at(c), left));
            Json matrix = described(name, "matrix", type, value.matrix().columns, std::move(columns));
            const Value &rowLabels = value.matrix().rowLabels, &columnLabels = value.matrix().columnLabels;
            if (!rowLabels.isVoid()) matrix["rowLabels"] = describe("", rowLabels, left);
            if (!columnLabels.isVoid()) matrix["columnLabels"] = describe("", columnLabels, left);
            return matrix;
        }
        case Form::Set: {
            requireFew(value.size());
            return described(name, "set", type, value.size(), elementsOf(value.set().index.keys(), left));
        }
        case Form::Dictionary: {
            requireFew(value.size());
            Json sides = Json::array();
            sides.push_back(describe("key", value.dictionary().keys(), left));
            sides.push_back(describe("value", value.dictionary().values(), left));
            return described(name, "dictionary", type, value.size(), std::move(sides));
        }
        case Form::Table:
            if (const Ref<MemoryTable> rows = tableToRead(value)) return tableJson(name, *rows, left);
            return tableJson(name, value.table(), left);
        default:
            return described(name, "scalar", type, -1, stringJson(display(value)));
    }
}

std::string dumped(int64_t sessionId, const std::string& userId, bool failed, std::string_view message, Json object) {
    Json answer = {{"sessionID", std::to_string(sessionId)},
                   {"userId", userId},
                   {"resultCode", failed ? "1" : "0"},
                   {"msg", std::string(message)},
                   {"object", std::move(object)}};
    return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string JsonRequest::script() const {
    if (arguments.empty() || !arguments[0].isString())
        throw UserError("executeCode takes one parameter: the script, a string.");
    const std::string string(arguments[0].string());
    std::string decoded;
    return percentDecode(string, false, decoded) ? decoded : string;
}

JsonRequest parseJsonRequest(std::string_view body) {
    if (jsonDepth(body) > kMaxJsonDepth) throw UserError("The request is nested too deeply.");
    const Json request = parseJson(body);
    if (request.is_discarded() || !request.is_object())
        throw UserError("The body of the request is no object of JSON.");
    JsonRequest parsed;
    parsed.sessionId = sessionOf(request);
    parsed.function = stringOf(request, "functionName", "the request");
    if (parsed.function.empty()) throw UserError("The request names no function: functionName is missing.");
    const auto params = request.find("params");
    if (params == request.end()) return parsed;
    if (!params->is_array() || params->size() > kMaxArguments)
        throw UserError("params must be an array of parameters.");
    for (const Json& param : *params) parsed.arguments.push_back(argumentOf(param, 0));
    return parsed;
}

std::string formatJsonAnswer(int64_t sessionId, const std::string& userId, const Value& value) {
    Json object = Json::array();
    int64_t left = kMaxJsonElements;
    if (!value.isVoid()) object.push_back(describe("", value, left));
    return dumped(sessionId, userId, false, "", std::move(object));
}

std::string formatJsonError(int64_t sessionId, const std::string& userId, std::string_view message) {
    return dumped(sessionId, userId, true, message, Json::array());
}

}  // namespace pelorus
