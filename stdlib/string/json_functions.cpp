// JSON: toStdJson, fromStdJson, jsonExtract, and toJson, fromJson, whose output keeps forms and types.
#include "runtime/text/json.h"

#include <algorithm>
#include <cmath>

#include "common/thread/cancellation.h"
#include "common/thread/stack_room.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/table/make_table.h"

namespace pelorus {

namespace {

Value toStdJsonKernel(Context&, Arguments a) {
    return Value::ofString(toJson(a[0]));
}

Value fromStdJsonKernel(Context&, Arguments a) {
    if (a[0].isString()) return parseJson(a[0].string());
    if (!a[0].isTypedVector() || !isLiteral(a[0].type())) refuseArgument(0, "X", "text", a[0]);
    std::vector<Value> results;
    for (int64_t i = 0; i < a[0].size(); ++i) results.push_back(parseJson(a[0].vector().string(i)));
    return listOf(std::move(results));
}

// One step down: a key, or a position from 1, or from the end when negative. False when there is nothing.
bool stepInto(Value& node, const Value& step) {
    if (step.isString()) {
        if (!node.isDictionary() || !node.dictionary().contains(step)) return false;
        node = Value(node.dictionary().get(step));
        return true;
    }
    if (!step.isNumber() || isFloating(step.type())) {
        throw UserError(1, fmt::format("location must be made of keys and positions, but it holds {}.", display(step)));
    }
    if (!node.isDictionary() && !node.isVector()) return false;
    const int64_t position = step.asLong();
    const int64_t i = position > 0 ? position - 1 : node.size() + position;
    if (position == 0 || i < 0 || i >= node.size()) return false;
    node = Value(node.at(i));
    return true;
}

Value extracted(std::string_view string, const Value& location, Type type) {
    Value node;
    try {
        node = parseJson(string, JsonStrings::AsString);
    } catch (const UserError&) {
        return Value::nullOf(type);
    }
    for (int64_t i = 0; i < location.size(); ++i) {
        if (!stepInto(node, location.at(i))) return Value::nullOf(type);
    }
    if (type == Type::String) return node.isString() ? node : Value::ofString(node.isVoid() ? "" : toJson(node));
    if (!node.isNumber()) return Value::nullOf(type);
    if (type == Type::Double || type == node.type()) return cast(node, type);
    return cast(Value::ofDouble(std::trunc(node.asDouble())), type);
}

Value jsonExtractKernel(Context&, Arguments a) {
    const std::string name = stringArgument(a, 2, "type");
    Type type = Type::Void;
    for (Type known : {Type::Long, Type::Int, Type::Double, Type::String}) {
        Type named;
        if (typeByName(name, named) && named == known) type = known;
    }
    if (type == Type::Void) refuseArgument(2, "type", "long, int, double or string", a[2]);
    if (a[0].isString()) return extracted(a[0].string(), a[1], type);
    if (!a[0].isTypedVector() || !isLiteral(a[0].type())) refuseArgument(0, "json", "text", a[0]);
    Ref<Vector> out = Vector::make(type, a[0].size());
    for (int64_t i = 0; i < a[0].size(); ++i) out->set(i, extracted(a[0].vector().string(i), a[1], type));
    return Value::of(out);
}

// Returns a type's name in lower case, a decimal's with its scale: decimal64(4).
std::string describedType(Type type, uint8_t scale) {
    std::string name(typeName(elementTypeOf(type)));
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (isDecimal(elementTypeOf(type))) name += fmt::format("({})", scale);
    return isArrayType(type) ? name + "[]" : name;
}

std::string quoted(std::string_view string) {
    return toJson(Value::ofString(string));
}

// Returns an element as in other JSON, but a decimal as a string, which keeps all of its digits.
std::string describedItem(const Value& x) {
    return isDecimal(x.type()) && !x.isNull() ? quoted(toString(x)) : toJson(x);
}

std::string itemsString(const Value& x) {
    std::string string = "[";
    for (int64_t i = 0; i < x.size(); ++i) {
        checkCancelled();
        string += (i ? "," : "") + describedItem(x.at(i));
    }
    return string + "]";
}

std::string describedJson(const Value& x, std::string_view name);

std::string objectString(std::string_view name, std::string_view form, const std::string& type, int64_t size,
                         const std::string& value) {
    const std::string typed = type.empty() ? "" : fmt::format(R"("type":"{}",)", type);  // of a table its columns have
    return fmt::format(R"({{"name":{},"form":"{}",{}"size":"{}","value":{}}})", quoted(name), form, typed, size, value);
}

std::string listString(const std::vector<std::string>& parts) {
    std::string string = "[";
    for (size_t i = 0; i < parts.size(); ++i) string += (i ? "," : "") + parts[i];
    return string + "]";
}

// {"name", "form", "type", "size", "value"}: the value of a table is a list of its columns, of a dictionary its keys
// and values, of a matrix its columns and its labels.
std::string describedJson(const Value& x, std::string_view name) {
    requireStackRoom();
    std::vector<std::string> parts;
    switch (x.form()) {
        case Form::Scalar:
            if (!x.isVoid() && storageOf(x.type()) == Storage::Boxed) break;
            return objectString(name, "scalar", describedType(x.type(), x.extra()), 1, describedItem(x));
        case Form::Pair:
            return objectString(name, "pair", describedType(x.type(), x.vector().scale()), 2,
                                itemsString(Value::of(Ref<Vector>(&x.vector()))));
        case Form::Vector:
            if (x.isTypedVector())
                return objectString(name, "vector", describedType(x.type(), x.vector().scale()), x.size(),
                                    itemsString(x));
            for (int64_t i = 0; i < x.size(); ++i) parts.push_back(describedJson(x.at(i), ""));
            return objectString(name, "vector", x.isTuple() ? "any" : describedType(x.type(), x.extra()), x.size(),
                                listString(parts));
        case Form::Set:
            return objectString(name, "set", describedType(x.type(), x.set().index.keys().extra()), x.size(),
                                itemsString(x.set().index.keys()));
        case Form::Dictionary:
            parts = {describedJson(x.dictionary().keys(), ""), describedJson(x.dictionary().values(), "")};
            return objectString(name, "dictionary", describedType(x.dictionary().valueType(), 0), x.size(),
                                listString(parts));
        case Form::Matrix: {
            const Matrix& m = x.matrix();
            for (int64_t c = 0; c < m.columns; ++c) parts.push_back(itemsString(Value::of(m.column(c))));
            const std::string labels = describedJson(m.rowLabels, "") + "," + describedJson(m.columnLabels, "");
            return objectString(name, "matrix", describedType(m.cells->type(), m.cells->scale()), m.cells->size(),
                                "[" + listString(parts) + "," + labels + "]");
        }
        case Form::Table: {
            const Ref<MemoryTable> table = tableToRead(x);
            if (!table) break;
            for (int c = 0; c < table->columnCount(); ++c) {
                parts.push_back(describedJson(table->column(c), table->columns()[static_cast<size_t>(c)].name));
            }
            return objectString(name, "table", "", table->rowCount(), listString(parts));
        }
        default:
            break;
    }
    throw UserError(0, fmt::format("{} has no JSON.", typeString(x)));
}

// toJson(X, [name])
Value toJsonKernel(Context&, Arguments a) {
    const std::vector<std::string> names = takeColumnNames(a);
    return Value::ofString(describedJson(a[0], names.empty() ? "" : names[0]));
}

Value member(const Value& object, const char* key) {
    const Value name = Value::ofString(key);
    if (!object.isDictionary() || !object.dictionary().contains(name)) {
        throw UserError(0, fmt::format("X needs an object with the key \"{}\".", key),
                        "toJson makes such JSON; fromStdJson reads any other.");
    }
    return object.dictionary().get(name);
}

Value itemOfType(const Value& element, TypeSpec spec) {
    const Type type = spec.type;
    if (isDecimal(type)) return element.isVoid() ? cast(Value(), type, spec.scale) : cast(element, type, spec.scale);
    if (element.isVoid() || (type == Type::Void)) return Value::nullOf(type);
    if (!element.isScalar())
        throw UserError(0, fmt::format("{} holds a list where one value is needed.", typeName(type)));
    if (element.isString() && isTemporal(type)) {
        // Dates and times are separated by a blank.
        std::string string(element.string());
        std::replace(string.begin(), string.end(), ' ', 'T');
        return cast(Value::ofString(string), type);
    }
    return cast(element, type);
}

Ref<Vector> vectorOfType(const Value& elements, TypeSpec spec) {
    if (spec.type == Type::Void) spec.type = Type::Int;
    Ref<Vector> out = Vector::make(spec.type, elements.size());
    out->setScale(spec.scale);
    for (int64_t i = 0; i < elements.size(); ++i) out->set(i, itemOfType(elements.at(i), spec));
    return out;
}

std::string stringMember(const Value& object, const char* key) {
    const Value string = member(object, key);
    if (!string.isString()) throw UserError(0, fmt::format("The key \"{}\" must have a string.", key));
    return std::string(string.string());
}

Value describedValue(const Value& object) {
    const std::string form = stringMember(object, "form");
    const Value given = member(object, "value");
    const bool isTyped = form != "table" || object.dictionary().contains(Value::ofString("type"));
    const std::string named = isTyped ? stringMember(object, "type") : "";
    TypeSpec spec{Type::Any};
    if (form != "table" && !named.empty() && !typeSpecByName(named, spec) && named != "any") {
        throw UserError(0, fmt::format("There is no type {}.", named));
    }
    const Type type = spec.type;
    const bool plain =
        type != Type::Any && !isArrayType(type) && (type == Type::Void || storageOf(type) != Storage::Boxed);
    if ((form == "scalar" || form == "pair" || form == "set" || form == "matrix") && !plain) {
        throw UserError(0, fmt::format("A {} can't be of type {}.", form, named));
    }
    if (form == "scalar") return type == Type::Void ? Value() : itemOfType(given, spec);
    if (form == "pair") return Value::of(vectorOfType(given, spec), Form::Pair);
    auto children = [&] {
        std::vector<Value> parts;
        for (int64_t i = 0; i < given.size(); ++i) parts.push_back(describedValue(given.at(i)));
        return parts;
    };
    if (form == "vector") {
        if (plain) return Value::of(vectorOfType(given, spec));
        if (type != Type::Any && !isArrayType(type)) {
            throw UserError(0, fmt::format("A vector of {} can't be read from JSON.", named));
        }
        Value parts = Value::of(makeRef<Tuple>(children()));
        return isArrayType(type) ? cast(parts, type, spec.scale) : parts;
    }
    if (form == "set") {
        auto result = makeRef<Set>(type);
        const Ref<Vector> elements = vectorOfType(given, spec);
        for (int64_t i = 0; i < elements->size(); ++i) result->index.insert(elements->at(i));
        return Value::of(result);
    }
    if (form == "dictionary") {
        const std::vector<Value> parts = children();
        if (parts.size() != 2 || parts[0].size() != parts[1].size())
            throw UserError(0, "A dictionary needs as many values as keys.");
        auto result = makeRef<Dictionary>(parts[0].type(), type, false);
        for (int64_t i = 0; i < parts[0].size(); ++i) result->set(parts[0].at(i), parts[1].at(i));
        return Value::of(result);
    }
    if (form == "matrix" && given.size() == 3) {
        const Value columns = given.at(0);
        Ref<Vector> cells = Vector::make(type, 0);
        cells->setScale(spec.scale);
        int64_t rows = 0;
        for (int64_t c = 0; c < columns.size(); ++c) {
            const Ref<Vector> column = vectorOfType(columns.at(c), spec);
            if (c > 0 && column->size() != rows) throw UserError(0, "The columns of a matrix differ in length.");
            rows = column->size();
            cells->append(*column, 0, rows);
        }
        auto result = makeRef<Matrix>(cells, rows, columns.size());
        result->rowLabels = describedValue(given.at(1));
        result->columnLabels = describedValue(given.at(2));
        return Value::of(result);
    }
    if (form == "table") {
        auto result = makeRef<MemoryTable>();
        for (int64_t i = 0; i < given.size(); ++i) {
            const Value column = given.at(i);
            const Value elements = describedValue(column);
            if (!elements.isVector()) throw UserError(0, "The columns of a table must be vectors.");
            result->setColumn(stringMember(column, "name"), elements);
        }
        return Value::of(Ref<Table>(result));
    }
    throw UserError(0, fmt::format("There is no form {}.", form));
}

Value fromJsonKernel(Context&, Arguments a) {
    const Value object = parseJson(stringArgument(a, 0, "X"), JsonStrings::AsString);
    return describedValue(object);
}

}  // namespace

void registerJson(FunctionRegistry& registry) {
    registry.add("toStdJson(obj)", toStdJsonKernel,
                 {.summary = "obj as JSON: a dictionary as an object, a table as an array of objects, other vectors as "
                             "arrays.",
                  .nulls = "null; the empty string stays.",
                  .errors = "obj is a matrix or pair, or its type has no JSON.",
                  .example = "toStdJson({tick: 5, sizes: 1 2}) -> {\"tick\": 5,\"sizes\": [1, 2]}"});
    registry.add(
        "toJson(X, [name])", toJsonKernel,
        {.summary = "X as JSON that keeps its form and type, for fromJson: an object with the keys name, form, "
                    "type, size and value.",
         .parameters = "name: added by the compiler: how X is spelt",
         .nulls = "null; the empty string stays.",
         .errors = "X is a partitioned table, a function or another value that is no data.",
         .example = "toJson(1.5) -> {\"name\":\"\",\"form\":\"scalar\",\"type\":\"double\",\"size\":\"1\","
                    "\"value\":1.5}"},
        {.takes = {kAnything | Takes::Spelled}});
    registry.add("fromJson(X)", fromJsonKernel,
                 {.summary = "The value that toJson wrote as a string.",
                  .nulls = "null is NULL.",
                  .errors = "X is no JSON, or lacks form, type or value.",
                  .example = "fromJson(toJson(2024.03.15 2024.03.16)) -> [2024.03.15,2024.03.16]"});
    registry.add(
        "fromStdJson(X)", fromStdJsonKernel,
        {.summary = "The value of the JSON text X: objects as dictionaries with STRING keys, arrays as vectors "
                    "or tuples, numbers as DOUBLE, strings as times where they are one.",
         .nulls = "null is NULL.",
         .errors = "X is no JSON.",
         .example = "fromStdJson(\"[1.5, null, 3]\") -> [1.5,,3]"});
    registry.add(
        "jsonExtract(json, location, type)", jsonExtractKernel,
        {.summary = "The value at a path inside JSON text.",
         .parameters = "location: keys and positions from 1 (from the end when negative), from the outside in\n"
                       "type: long, int, double or string",
         .nulls = "NULL where there is no such place, or it holds another type.",
         .errors = "location or type are not of their kind.",
         .example = "jsonExtract(\"[4, [5, 6]]\", 2 -1, `int) -> 6"},
        {.takes = {kAnything, kTogether, kAnything | Takes::Constant},
         .gives = named(2),
         .kind = FunctionKind::Elementwise});
}

}  // namespace pelorus
