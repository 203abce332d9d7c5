#include "postgres/catalog/primary_keys.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "postgres/catalog/object_numbers.h"
#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/quoted_name.h"

namespace pelorus::postgres {

namespace {

Value text(std::string_view x) {
    return textValue(x);
}
Value number(int64_t x) {
    return Value::ofLong(x);
}
Value flag(bool x) {
    return Value::ofBool(x);
}

// A list of one item for each column of the key, in the form of int2vector and oidvector.
template <class Item>
Value listOf(const PrimaryKey& key, const Item& item) {
    std::string list;
    for (size_t i = 0; i < key.places.size(); ++i) list += fmt::format("{}{}", i > 0 ? " " : "", item(i));
    return text(list);
}

std::string columnList(const PrimaryKey& key) {
    std::string list;
    for (const std::string& column : key.columns) list += (list.empty() ? "" : ", ") + quotedName(column);
    return list;
}

}  // namespace

PrimaryKey primaryKeyOf(const ShownTable& table) {
    std::map<int, size_t> places;
    for (size_t i = 0; i < table.types.size(); ++i)
        if (table.types[i].keyPlace > 0) places.emplace(table.types[i].keyPlace, i);
    PrimaryKey key{table.schema, table.name, table.name + "_pkey", {}, {}};
    for (const auto& [place, column] : places) {
        key.columns.push_back(table.columns[column].name);
        key.places.push_back(static_cast<int>(column) + 1);
    }
    return key;
}

std::vector<PrimaryKey> primaryKeys(Context& context) {
    std::vector<PrimaryKey> keys;
    for (const ShownTable& table : shownTables(context)) {
        PrimaryKey key = primaryKeyOf(table);
        if (!key.columns.empty()) keys.push_back(std::move(key));
    }
    return keys;
}

int64_t indexNumber(const PrimaryKey& key) {
    return tableNumber(key.schema, key.name);
}

int64_t constraintNumber(const PrimaryKey& key) {
    return tableNumber(key.schema, "constraint " + key.name);
}

std::string constraintDefinition(const PrimaryKey& key) {
    return fmt::format("PRIMARY KEY ({})", columnList(key));
}

std::string indexDefinition(const PrimaryKey& key) {
    return fmt::format("CREATE UNIQUE INDEX {} ON {}.{} USING btree ({})", quotedName(key.name), quotedName(key.schema),
                       quotedName(key.table), columnList(key));
}

void collectIndexes(Context& context, CatalogRows& rows) {
    for (const PrimaryKey& key : primaryKeys(context)) {
        const Value columns = Value::ofShort(static_cast<int16_t>(key.columns.size()));
        const auto zero = [](size_t) { return 0; };
        rows.push_back({number(indexNumber(key)),
                        number(tableNumber(key.schema, key.table)),
                        columns,
                        columns,
                        flag(true),
                        flag(false),
                        flag(true),
                        flag(false),
                        flag(true),
                        flag(false),
                        flag(true),
                        flag(false),
                        flag(true),
                        flag(true),
                        flag(false),
                        listOf(key, [&](size_t i) { return key.places[i]; }),
                        listOf(key, zero),
                        listOf(key, zero),
                        listOf(key, zero),
                        Value(),
                        Value()});
    }
}

void collectConstraints(Context& context, CatalogRows& rows) {
    for (const PrimaryKey& key : primaryKeys(context)) {
        std::vector<ArrayItem> places;
        for (const int place : key.places) places.emplace_back(std::to_string(place));
        rows.push_back({number(constraintNumber(key)),
                        text(key.name),
                        number(schemaNumber(key.schema)),
                        text("p"),
                        flag(false),
                        flag(false),
                        flag(true),
                        number(tableNumber(key.schema, key.table)),
                        number(0),
                        number(indexNumber(key)),
                        number(0),
                        number(0),
                        text(" "),
                        text(" "),
                        text(" "),
                        flag(true),
                        Value::ofInt(0),
                        flag(true),
                        text(arrayText(places)),
                        Value(),
                        Value()});
    }
}

void collectIndexDefinitions(Context& context, CatalogRows& rows) {
    for (const PrimaryKey& key : primaryKeys(context))
        rows.push_back({text(key.schema), text(key.table), text(key.name), Value(), text(indexDefinition(key))});
}

void collectTableConstraints(Context& context, CatalogRows& rows) {
    for (const PrimaryKey& key : primaryKeys(context))
        rows.push_back({text("pelorus"), text(key.schema), text(key.name), text("pelorus"), text(key.schema),
                        text(key.table), text("PRIMARY KEY"), text("NO"), text("NO"), text("YES")});
}

void collectKeyColumns(Context& context, CatalogRows& rows) {
    for (const PrimaryKey& key : primaryKeys(context))
        for (size_t i = 0; i < key.columns.size(); ++i)
            rows.push_back({text("pelorus"), text(key.schema), text(key.name), text("pelorus"), text(key.schema),
                            text(key.table), text(key.columns[i]), Value::ofInt(static_cast<int32_t>(i) + 1), Value()});
}

void collectConstraintColumns(Context& context, CatalogRows& rows) {
    for (const PrimaryKey& key : primaryKeys(context))
        for (const std::string& column : key.columns)
            rows.push_back({text("pelorus"), text(key.schema), text(key.table), text(column), text("pelorus"),
                            text(key.schema), text(key.name)});
}

}  // namespace pelorus::postgres
