// Implements parseJsonTable, which makes a row of each JSON object.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "common/error.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/table/table.h"
#include "runtime/text/json.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr size_t kSampledObjects = 10;

struct JsonColumn {
    std::string name;
    TypeSpec spec;
    std::string format;
};

class JsonRows {
public:
    JsonRows(const Value& json, bool caseSensitive) : caseSensitive_(caseSensitive) {
        const auto add = [&](const Value& string) {
            if (!string.isString()) refuseArgument(0, "json", "a STRING scalar or vector", json);
            if (string.isNull()) {
                objects_.push_back({});
                return;
            }
            for (Value& object : parseJsonSequence(string.string(), JsonStrings::AsString)) {
                if (!object.isDictionary()) throw UserError(0, "json must be made of objects: arrays are no rows.");
                objects_.push_back(std::move(object));
            }
        };
        if (json.isScalar()) {
            add(json);
        } else {
            for (int64_t i = 0; i < json.size(); ++i) add(json.at(i));
        }
    }

    size_t size() const { return objects_.size(); }
    // Returns VOID when the object has no such key.
    Value cell(size_t row, const std::string& key) const {
        if (!objects_[row].isDictionary()) return {};
        const Dictionary& object = objects_[row].dictionary();
        for (int64_t i = 0; i < object.size(); ++i) {
            if (!sameKey(object.keyAt(i).string(), key)) continue;
            const Value value = object.valueAt(i);
            if (!value.isScalar()) throw UserError(0, fmt::format("The value of {} is no scalar.", key));
            return value;
        }
        return {};
    }
    // Columns and types from the first objects: the widest type of a key's values.
    std::vector<JsonColumn> detected() const {
        std::vector<JsonColumn> columns;
        for (size_t row = 0; row < std::min(kSampledObjects, objects_.size()); ++row) {
            if (!objects_[row].isDictionary()) continue;
            const Dictionary& object = objects_[row].dictionary();
            for (int64_t i = 0; i < object.size(); ++i) {
                const std::string key(object.keyAt(i).string());
                const Type type = typeOf(cell(row, key));
                auto known = std::find_if(columns.begin(), columns.end(),
                                          [&](const JsonColumn& c) { return sameKey(c.name, key); });
                if (known == columns.end()) {
                    columns.push_back({key, {type, 0}, ""});
                } else if (known->spec.type != type && type != Type::Void) {
                    known->spec.type = wider(known->spec.type, type);
                }
            }
        }
        for (JsonColumn& column : columns) {
            if (column.spec.type == Type::Void) column.spec.type = Type::String;
        }
        return columns;
    }

private:
    bool sameKey(std::string_view a, std::string_view b) const {
        if (caseSensitive_) return a == b;
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
    }
    static Type typeOf(const Value& value) {
        if (value.type() != Type::Double) return value.type();
        const double x = value.real();
        if (x != std::floor(x)) return Type::Double;
        return std::abs(x) <= INT32_MAX ? Type::Int : Type::Long;
    }
    static Type wider(Type a, Type b) {
        if (a == Type::Void) return b;
        const auto rank = [](Type t) { return t == Type::Int ? 1 : t == Type::Long ? 2 : t == Type::Double ? 3 : 0; };
        if (rank(a) == 0 || rank(b) == 0) return Type::String;
        return rank(a) > rank(b) ? a : b;
    }

    bool caseSensitive_;
    std::vector<Value> objects_;  // VOID for an empty string
};

std::vector<JsonColumn> columnsOf(const Value& schema) {
    const Ref<MemoryTable> table = tableToRead(schema);
    const Value* names = table ? table->column("name") : nullptr;
    const Value* types = table ? table->column("type") : nullptr;
    if (!names || !types) refuseArgument(1, "schema", "a table with the columns name and type", schema);
    const Value* formats = table->column("format");
    std::vector<JsonColumn> columns;
    for (int64_t i = 0; i < table->rowCount(); ++i) {
        const Value format = formats ? formats->at(i) : Value();
        columns.push_back({std::string(names->at(i).string()), typeOfValue(types->at(i), 1, "The type of schema"),
                           format.isString() ? std::string(format.string()) : ""});
    }
    return columns;
}

std::string cellString(const Value& cell) {
    if (cell.isVoid()) return "";
    if (cell.isString()) return std::string(cell.string());
    if (cell.type() == Type::Double && cell.real() == std::floor(cell.real()) && std::abs(cell.real()) < 1e15)
        return fmt::format("{}", static_cast<int64_t>(cell.real()));
    return cell.type() == Type::Double ? fmt::format("{}", cell.real()) : toString(cell);
}

Value columnOf(const JsonRows& rows, const JsonColumn& column, Context& context) {
    const auto n = static_cast<int64_t>(rows.size());
    if (column.format.empty() && isNumeric(column.spec.type) && !isDecimal(column.spec.type)) {
        Ref<Vector> elements = Vector::filled(column.spec.type, n, Value::nullOf(column.spec.type));
        for (int64_t i = 0; i < n; ++i) {
            const Value cell = rows.cell(static_cast<size_t>(i), column.name);
            if (!cell.isVoid() && !cell.isNull()) elements->set(i, cast(cell, column.spec.type));
        }
        return Value::of(std::move(elements));
    }
    Ref<Vector> strings = Vector::make(Type::String, n);
    for (int64_t i = 0; i < n; ++i) strings->setString(i, cellString(rows.cell(static_cast<size_t>(i), column.name)));
    Value elements = Value::of(std::move(strings));
    if (!column.format.empty()) {
        std::vector<Value> call{elements, Value::ofString(column.format)};
        elements = FunctionRegistry::instance().get("temporalParse").call(context, call);
    }
    return cast(elements, column.spec.type, column.spec.scale);
}

// parseJsonTable(json, [schema], [keyCaseSensitive=true])
Value parseJsonTableKernel(Context& context, Arguments arguments) {
    const JsonRows rows(arguments[0], flagArgument(arguments, 2, "keyCaseSensitive", true));
    const std::vector<JsonColumn> columns = isGiven(arguments, 1) ? columnsOf(arguments[1]) : rows.detected();
    if (columns.empty()) throw UserError(0, "The first objects of json have no keys.", "Give a schema.");
    auto table = makeRef<MemoryTable>();
    for (const JsonColumn& column : columns) table->setColumn(column.name, columnOf(rows, column, context));
    return Value::of(Ref<Table>(table));
}

}  // namespace

void registerJsonTables(FunctionRegistry& registry) {
    registry.add("parseJsonTable(json, [schema], [keyCaseSensitive=true])", parseJsonTableKernel,
                 {.summary = "A table with a row for each JSON object of a string, or of the strings of a vector.",
                  .parameters = "schema: a table with the columns name and type, and perhaps format, of temporal "
                                "columns; without it the first ten objects tell",
                  .nulls = "A key that an object lacks is NULL; so is all of an empty one.",
                  .errors = "The string is no JSON; a value is an array or object.",
                  .example = "parseJsonTable(\"{\\\"a\\\": 1}{\\\"a\\\": 2}\").a -> [1,2]"},
                 {.effect = Effect::Pure});
}

}  // namespace pelorus
