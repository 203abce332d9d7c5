// Functions of arrays, which are kept as their strings.
#include "postgres/functions/postgres_functions.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

using Row = std::span<const Value>;

ArrayItem itemOf(const Value& value, Oid type) {
    return value.isNull() ? ArrayItem() : ArrayItem(textForm(value, type, -1));
}

// pgArrayOf(oid, x…)
Value arrayOf(Row row) {
    const auto type = static_cast<Oid>(wholeArgument(row, 0));
    std::vector<ArrayItem> items;
    for (size_t i = 1; i < row.size(); ++i) items.push_back(itemOf(row[i], type));
    return textValue(arrayText(items));
}

std::vector<ArrayItem> itemsOf(Row row, size_t i) {
    const std::string_view text = textArgument(row, i);
    if (text.starts_with('{')) return arrayItems(text);
    // int2vector and oidvector: numbers with blanks between.
    std::vector<ArrayItem> items;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) items.emplace_back(std::string(text.substr(at, end - at)));
        at = end + 1;
    }
    return items;
}

Value element(Row row) {
    const std::vector<ArrayItem> items = itemsOf(row, 0);
    const int64_t index = wholeArgument(row, 1) - (wholeArgument(row, 2) != 0 ? 0 : 1);
    if (index < 0 || index >= static_cast<int64_t>(items.size()) || !items[static_cast<size_t>(index)]) return Value();
    return textValue(*items[static_cast<size_t>(index)]);
}

// The elements of the array that was read last: a query compares many rows with one.
struct KnownItems {
    std::string text;
    std::unordered_set<std::string> items;
    bool hasNull = false;
};

Value isInArray(Row row) {
    thread_local KnownItems known;
    const std::string_view text = textArgument(row, 1);
    if (known.text != text) {
        known = {std::string(text), {}, false};
        for (const ArrayItem& item : itemsOf(row, 1)) {
            if (item)
                known.items.insert(*item);
            else
                known.hasNull = true;
        }
    }
    if (known.items.contains(textForm(row[0], static_cast<Oid>(wholeArgument(row, 2)), -1))) return Value::ofBool(true);
    return known.hasNull ? Value() : Value::ofBool(false);
}

Value arrayLength(Row row) {
    const std::vector<ArrayItem> items = itemsOf(row, 0);
    if (items.empty() || wholeArgument(row, 1) != 1) return Value();
    return Value::ofInt(static_cast<int32_t>(items.size()));
}

Value cardinality(Row row) {
    return Value::ofInt(static_cast<int32_t>(itemsOf(row, 0).size()));
}

Value arrayLower(Row row) {
    return itemsOf(row, 0).empty() || wholeArgument(row, 1) != 1 ? Value() : Value::ofInt(1);
}

Value joined(Row row) {
    const std::string_view separator = textArgument(row, 1);
    std::string text;
    bool isFirst = true;
    for (const ArrayItem& item : itemsOf(row, 0)) {
        const bool hasReplacement = row.size() > 2 && !isOmitted(row[2]);
        if (!item && !hasReplacement) continue;
        if (!isFirst) text += separator;
        text += item ? std::string_view(*item) : textArgument(row, 2);
        isFirst = false;
    }
    return textValue(text);
}

Value split(Row row) {
    const std::string_view text = textArgument(row, 0), separator = textArgument(row, 1);
    std::vector<ArrayItem> items;
    if (text.empty()) return textValue("{}");
    size_t at = 0;
    for (size_t found; !separator.empty() && (found = text.find(separator, at)) != std::string_view::npos;
         at = found + separator.size())
        items.emplace_back(std::string(text.substr(at, found - at)));
    items.emplace_back(std::string(text.substr(at)));
    return textValue(arrayText(items));
}

// The names of a qualified name: a."B c" is {a,"B c"}.
Value parsedName(Row row) {
    const std::string_view text = textArgument(row, 0);
    std::vector<ArrayItem> items;
    size_t at = 0;
    while (true) {
        std::string name;
        if (at < text.size() && text[at] == '"') {
            for (++at; at < text.size(); ++at) {
                if (text[at] == '"' && at + 1 < text.size() && text[at + 1] == '"')
                    ++at;
                else if (text[at] == '"')
                    break;
                name += text[at];
            }
            ++at;
        } else {
            while (at < text.size() && text[at] != '.')
                name += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at++])));
        }
        if (name.empty())
            throw SqlError(sql_state::kInvalidParameter,
                           "string is not a valid identifier: \"" + std::string(text) + "\"");
        items.emplace_back(name);
        if (at >= text.size()) break;
        if (text[at] != '.')
            throw SqlError(sql_state::kInvalidParameter,
                           "string is not a valid identifier: \"" + std::string(text) + "\"");
        ++at;
    }
    return textValue(arrayText(items));
}

Value vectorArray(Row row) {
    return textValue(arrayText(itemsOf(row, 0)));
}

// array_position(array, x): where the element is first.
Value positionOf(Row row) {
    const std::vector<ArrayItem> items = itemsOf(row, 0);
    const auto found = std::find(items.begin(), items.end(), itemOf(row[1], static_cast<Oid>(wholeArgument(row, 2))));
    return found == items.end() ? Value() : Value::ofInt(static_cast<int32_t>(found - items.begin()) + 1);
}

// pgSubscripts(array, dimension, isFromZero): {1,2,…}
Value subscripts(Row row) {
    const std::vector<ArrayItem> items = itemsOf(row, 0);
    if (wholeArgument(row, 1) != 1) return Value();
    const int64_t first = wholeArgument(row, 2) != 0 ? 0 : 1;
    std::vector<ArrayItem> numbers;
    for (size_t i = 0; i < items.size(); ++i) numbers.emplace_back(std::to_string(first + static_cast<int64_t>(i)));
    return textValue(arrayText(numbers));
}

// pgExpandedArray(array): {"(7,1)","(9,2)",…}, the items with their places
Value expandedArray(Row row) {
    const std::vector<ArrayItem> items = itemsOf(row, 0);
    std::vector<ArrayItem> pairs;
    for (size_t i = 0; i < items.size(); ++i)
        pairs.emplace_back('(' + items[i].value_or("") + ',' + std::to_string(i + 1) + ')');
    return textValue(arrayText(pairs));
}

// pgPairPart(pair, n): 7 of (7,1) for n 1
Value pairPart(Row row) {
    std::string_view pair = textArgument(row, 0);
    const size_t comma = pair.rfind(',');
    if (!pair.starts_with('(') || !pair.ends_with(')') || comma == std::string_view::npos)
        throw SqlError(sql_state::kInvalidText, "malformed record literal: \"" + std::string(pair) + "\"");
    const std::string_view part =
        wholeArgument(row, 1) == 1 ? pair.substr(1, comma - 1) : pair.substr(comma + 1, pair.size() - comma - 2);
    return part.empty() ? Value() : parseText(part, oid::kInt4, -1);
}

// pgArrayConcat(a, b): NULL is no items
Value concatenated(Row row) {
    if (row[0].isNull()) return row[1].isNull() ? Value() : row[1];
    if (row[1].isNull()) return row[0];
    std::vector<ArrayItem> items = itemsOf(row, 0);
    for (ArrayItem& item : itemsOf(row, 1)) items.push_back(std::move(item));
    return textValue(arrayText(items));
}

constexpr int64_t kMaxSeries = 1'000'000;

Value seriesArray(Row row) {
    const int64_t from = wholeArgument(row, 0), to = wholeArgument(row, 1);
    if (to >= from && static_cast<uint64_t>(to) - static_cast<uint64_t>(from) >= static_cast<uint64_t>(kMaxSeries))
        throw SqlError(sql_state::kProgramLimit,
                       "generate_series in a select list gives at most 1,000,000 numbers a row; write it in FROM.");
    std::vector<ArrayItem> numbers;
    for (int64_t x = from; x <= to; ++x) numbers.emplace_back(std::to_string(x));
    return textValue(arrayText(numbers));
}

constexpr RowFunction kArrays[] = {
    {.syntax = "pgSubscripts(array, dimension, isFromZero)",
     .compute = subscripts,
     .result = Type::String,
     .summary = "The indexes of an array."},
    {.syntax = "pgExpandedArray(array)",
     .compute = expandedArray,
     .result = Type::String,
     .summary = "The items of an array with their places, as an array of records."},
    {.syntax = "pgPairPart(pair, n)",
     .compute = pairPart,
     .result = Type::Int,
     .summary = "A number of a record of two."},
    {.syntax = "pgArrayConcat(a, b)",
     .compute = concatenated,
     .result = Type::String,
     .isStrict = false,
     .summary = "The items of both arrays."},
    {.syntax = "pgSeriesArray(from, to)",
     .compute = seriesArray,
     .result = Type::String,
     .summary = "The whole numbers of a range as an array."},
    {.syntax = "pgVectorArray(x)",
     .compute = vectorArray,
     .result = Type::String,
     .summary = "An int2vector or oidvector as an array."},
    {.syntax = "pgArrayPosition(array, x, oid)",
     .compute = positionOf,
     .result = Type::Int,
     .summary = "Where x stands first."},
    {.syntax = "pgArrayOf(x...)",
     .compute = arrayOf,
     .result = Type::String,
     .isStrict = false,
     .summary = "The array of these values."},
    {.syntax = "pgArrayElement(array, index, isFromZero)",
     .compute = element,
     .result = Type::String,
     .summary = "One item as a text."},
    {.syntax = "pgInArray(x, array, oid)",
     .compute = isInArray,
     .result = Type::Bool,
     .summary = "Whether x is an item."},
    {.syntax = "pgArrayLength(array, dimension)",
     .compute = arrayLength,
     .result = Type::Int,
     .summary = "The number of items."},
    {.syntax = "pgCardinality(array)", .compute = cardinality, .result = Type::Int, .summary = "The number of items."},
    {.syntax = "pgArrayLower(array, dimension)",
     .compute = arrayLower,
     .result = Type::Int,
     .summary = "The first index."},
    {.syntax = "pgArrayToString(array, separator, [null])",
     .compute = joined,
     .result = Type::String,
     .summary = "The items with the separator between."},
    {.syntax = "pgStringToArray(x, separator)", .compute = split, .result = Type::String, .summary = "The parts of x."},
    {.syntax = "pgParseIdent(x)",
     .compute = parsedName,
     .result = Type::String,
     .summary = "The names of a qualified name."},
};

}  // namespace

void registerArrayFunctions(FunctionRegistry& registry) {
    registerRowFunctions<kArrays>(registry);
}

}  // namespace pelorus::postgres
