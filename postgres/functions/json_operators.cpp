// Functions of json and jsonb, which are kept as their texts.
#include <algorithm>
#include <charconv>

#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/postgres_functions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/json/json_value.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

using Row = std::span<const Value>;

Value toJson(Row row) {
    return textValue(checkedJson(textArgument(row, 0), wholeArgument(row, 1) != 0));
}

// Returns a value that was found, as JSON or as the text that it stands for.
Value shown(const JsonValue* found, bool isText) {
    if (found == nullptr || (isText && found->kind == JsonValue::Kind::Null)) return {};
    return textValue(isText && found->kind == JsonValue::Kind::String ? found->text : jsonText(*found));
}

Value getJson(Row row) {
    const JsonValue value = parseJson(textArgument(row, 0));
    const bool isText = wholeArgument(row, 2) != 0;
    if (isLiteral(row[1].type())) return shown(memberOf(value, textArgument(row, 1)), isText);
    return shown(elementOf(value, wholeArgument(row, 1)), isText);
}

// A step of a path is a name in an object, and a number in an array.
const JsonValue* stepInto(const JsonValue& value, const std::string& step) {
    if (value.kind != JsonValue::Kind::Array) return memberOf(value, step);
    int64_t place = 0;
    const auto read = std::from_chars(step.data(), step.data() + step.size(), place);
    const bool isNumber = read.ec == std::errc() && read.ptr == step.data() + step.size();
    return isNumber ? elementOf(value, place) : nullptr;
}

Value followPath(Row row) {
    const JsonValue value = parseJson(textArgument(row, 0));
    const JsonValue* found = &value;
    for (const ArrayItem& step : arrayItems(textArgument(row, 1))) {
        found = step ? stepInto(*found, *step) : nullptr;
        if (found == nullptr) return {};
    }
    return shown(found, wholeArgument(row, 2) != 0);
}

Value typeOfJson(Row row) {
    constexpr std::string_view kNames[] = {"null", "boolean", "number", "string", "array", "object"};
    return textValue(kNames[static_cast<size_t>(parseJson(textArgument(row, 0)).kind)]);
}

Value lengthOfJson(Row row) {
    const JsonValue value = parseJson(textArgument(row, 0));
    if (value.kind == JsonValue::Kind::Array) return Value::ofInt(static_cast<int32_t>(value.items.size()));
    throw SqlError(sql_state::kInvalidParameter, value.kind == JsonValue::Kind::Object
                                                     ? "cannot get array length of a non-array"
                                                     : "cannot get array length of a scalar");
}

Value containsJson(Row row) {
    JsonValue value = parseJson(textArgument(row, 0)), part = parseJson(textArgument(row, 1));
    makeCanonical(value);
    makeCanonical(part);
    // An array contains a scalar that is one of its elements, at the top alone.
    const bool isScalar = part.kind != JsonValue::Kind::Array && part.kind != JsonValue::Kind::Object;
    if (value.kind == JsonValue::Kind::Array && isScalar)
        return Value::ofBool(std::any_of(value.items.begin(), value.items.end(),
                                         [&](const JsonValue& item) { return contains(item, part); }));
    return Value::ofBool(contains(value, part));
}

bool hasKey(const JsonValue& value, const std::string& key) {
    const auto isKey = [&](const JsonValue& item) { return item.kind == JsonValue::Kind::String && item.text == key; };
    if (value.kind == JsonValue::Kind::Array) return std::any_of(value.items.begin(), value.items.end(), isKey);
    return memberOf(value, key) != nullptr || isKey(value);
}

// pgJsonHas(json, keys, all)
Value hasKeys(Row row) {
    const JsonValue value = parseJson(textArgument(row, 0));
    const std::vector<ArrayItem> keys = arrayItems(textArgument(row, 1));
    const auto isThere = [&](const ArrayItem& key) { return key && hasKey(value, *key); };
    const bool needsAll = wholeArgument(row, 2) != 0;
    return Value::ofBool(needsAll ? std::all_of(keys.begin(), keys.end(), isThere)
                                  : std::any_of(keys.begin(), keys.end(), isThere));
}

constexpr RowFunction kJsonFunctions[] = {
    {.syntax = "pgJson(x, isBinary)",
     .compute = toJson,
     .result = Type::String,
     .summary = "A text as json, checked, or as jsonb."},
    {.syntax = "pgJsonGet(json, key, isText)",
     .compute = getJson,
     .result = Type::String,
     .summary = "The member of a name, or the element of a number: -> and, with isText, ->>."},
    {.syntax = "pgJsonPath(json, path, isText)",
     .compute = followPath,
     .result = Type::String,
     .summary = "The value at the end of a path of names and numbers: #> and, with isText, #>>."},
    {.syntax = "pgJsonContains(json, part)",
     .compute = containsJson,
     .result = Type::Bool,
     .summary = "Whether a jsonb has all of another one: @>."},
    {.syntax = "pgJsonHas(json, keys, all)",
     .compute = hasKeys,
     .result = Type::Bool,
     .summary = "Whether a jsonb has one of the keys, or all: ?| and ?&."},
    {.syntax = "pgJsonType(json)", .compute = typeOfJson, .result = Type::String, .summary = "json_typeof."},
    {.syntax = "pgJsonLength(json)", .compute = lengthOfJson, .result = Type::Int, .summary = "json_array_length."},
};

}  // namespace

void registerJsonFunctions(FunctionRegistry& registry) {
    registerRowFunctions<kJsonFunctions>(registry);
}

}  // namespace pelorus::postgres
