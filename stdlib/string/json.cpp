// JSON: toStdJson, fromStdJson, jsonExtract.
#include "runtime/text/json.h"

#include <cmath>

#include "runtime/dictionary.h"
#include "runtime/kernel/assemble.h"
#include "runtime/kernel/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

Value toStdJsonKernel(Context&, Arguments a) {
    return Value::ofString(toJson(a[0]));
}

Value fromStdJsonKernel(Context&, Arguments a) {
    if (a[0].isText()) return parseJson(a[0].text());
    if (!a[0].isTypedVector() || !isLiteral(a[0].type())) refuseArgument(0, "X", "text", a[0]);
    std::vector<Value> results;
    for (int64_t i = 0; i < a[0].size(); ++i) results.push_back(parseJson(a[0].vector().text(i)));
    return listOf(std::move(results));
}

// One step down: a key, or a position from 1, or from the end when negative. False when there is nothing.
bool stepInto(Value& node, const Value& step) {
    if (step.isText()) {
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

Value extracted(std::string_view text, const Value& location, Type type) {
    Value node;
    try {
        node = parseJson(text, JsonStrings::AsText);
    } catch (const UserError&) {
        return Value::nullOf(type);
    }
    for (int64_t i = 0; i < location.size(); ++i) {
        if (!stepInto(node, location.at(i))) return Value::nullOf(type);
    }
    if (type == Type::String) return node.isText() ? node : Value::ofString(node.isVoid() ? "" : toJson(node));
    if (!node.isNumber()) return Value::nullOf(type);
    return type == Type::Double ? cast(node, type) : cast(Value::ofDouble(std::trunc(node.asDouble())), type);
}

Value jsonExtractKernel(Context&, Arguments a) {
    const std::string name = textArgument(a, 2, "type");
    Type type = Type::Void;
    for (Type known : {Type::Long, Type::Int, Type::Double, Type::String}) {
        Type named;
        if (typeByName(name, named) && named == known) type = known;
    }
    if (type == Type::Void) refuseArgument(2, "type", "long, int, double or string", a[2]);
    if (a[0].isText()) return extracted(a[0].text(), a[1], type);
    if (!a[0].isTypedVector() || !isLiteral(a[0].type())) refuseArgument(0, "json", "text", a[0]);
    Ref<Vector> out = Vector::make(type, a[0].size());
    for (int64_t i = 0; i < a[0].size(); ++i) out->set(i, extracted(a[0].vector().text(i), a[1], type));
    return Value::of(out);
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
        "fromStdJson(X)", fromStdJsonKernel,
        {.summary = "The value of the JSON text X: objects as dictionaries with STRING keys, arrays as vectors "
                    "or tuples, numbers as DOUBLE, strings as times where they are one.",
         .nulls = "null is NULL.",
         .errors = "X is no JSON.",
         .example = "fromStdJson(\"[1.5, null, 3]\") -> [1.5,,3]"});
    registry.add(
        "jsonExtract(json, location, type)", jsonExtractKernel,
        {.summary = "The item at a place inside JSON text.",
         .parameters = "location: keys and positions from 1 (from the end when negative), from the outside in\n"
                       "type: long, int, double or string",
         .nulls = "NULL where there is no such place, or it holds another type.",
         .errors = "location or type are not of their kind.",
         .example = "jsonExtract(\"[4, [5, 6]]\", 2 -1, `int) -> 6"},
        kElementwise);
}

}  // namespace pelorus
