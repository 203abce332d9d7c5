#include "postgres/catalog/shown_keys.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "postgres/catalog/object_numbers.h"
#include "postgres/catalog/shown_expressions.h"
#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/types/quoted_name.h"

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
Value listOf(const TableKey& key, const Item& item) {
    std::string list;
    for (size_t i = 0; i < key.places.size(); ++i) list += fmt::format("{}{}", i > 0 ? " " : "", item(i));
    return text(list);
}

std::string columnList(const TableKey& key) {
    std::string list;
    for (const std::string& column : key.columns) list += (list.empty() ? "" : ", ") + quotedName(column);
    return list;
}

}  // namespace

std::vector<TableKey> keysOf(const ShownTable& table) {
    using Kind = TableKey::Kind;
    std::vector<TableKey> keys;
    const auto add = [&](Kind kind, const std::string& name) -> TableKey& {
        return keys.emplace_back(TableKey{kind, table.schema, table.name, name, {}, {}});
    };
    const auto addColumn = [&](TableKey& key, size_t column) {
        key.columns.push_back(table.columns[column].name);
        key.places.push_back(static_cast<int>(column) + 1);
    };
    if (!table.entry || !table.entry->rowTable) {
        std::map<int, size_t> places;
        for (size_t i = 0; i < table.types.size(); ++i)
            if (table.types[i].keyPlace > 0) places.emplace(table.types[i].keyPlace, i);
        if (places.empty()) return keys;
        TableKey& key = add(Kind::Primary, table.name + "_pkey");
        for (const auto& [place, column] : places) addColumn(key, column);
        return keys;
    }
    const auto addStored = [&](TableKey& key, const std::string& stored) {
        for (size_t c = 0; c < table.columns.size(); ++c)
            if (table.entry->storedNameOf(c) == stored) addColumn(key, c);
    };
    for (const RowTableIndex& index : table.entry->rowTable->indexes) {
        TableKey& key = add(index.isPrimary      ? Kind::Primary
                            : index.isConstraint ? Kind::Unique
                            : index.isUnique     ? Kind::UniqueIndex
                                                 : Kind::Index,
                            index.name);
        for (const std::string& stored : index.columns) addStored(key, stored);
    }
    for (const RowTableCheck& check : table.entry->rowTable->checks) {
        TableKey& key = add(Kind::Check, check.name);
        for (const std::string& stored : check.columns) addStored(key, stored);
        key.expression = shownExpression(check.expression, *table.entry);
    }
    return keys;
}

std::vector<TableKey> tableKeys(Context& context) {
    std::vector<TableKey> keys;
    for (const ShownTable& table : shownTables(context))
        for (TableKey& key : keysOf(table)) keys.push_back(std::move(key));
    return keys;
}

int64_t indexNumber(const TableKey& key) {
    return tableNumber(key.schema, key.name);
}

int64_t constraintNumber(const TableKey& key) {
    return tableNumber(key.schema, "constraint " + key.name);
}

std::string constraintDefinition(const TableKey& key) {
    if (key.kind == TableKey::Kind::Check) return fmt::format("CHECK ({})", key.expression);
    return fmt::format("{} ({})", key.kind == TableKey::Kind::Primary ? "PRIMARY KEY" : "UNIQUE", columnList(key));
}

std::string indexDefinition(const TableKey& key) {
    return fmt::format("CREATE {}INDEX {} ON {}.{} USING btree ({})", key.isUnique() ? "UNIQUE " : "",
                       quotedName(key.name), quotedName(key.schema), quotedName(key.table), columnList(key));
}

void collectIndexes(Context& context, CatalogRows& rows) {
    for (const TableKey& key : tableKeys(context)) {
        if (!key.hasIndex()) continue;
        const Value columns = Value::ofShort(static_cast<int16_t>(key.columns.size()));
        const auto zero = [](size_t) { return 0; };
        rows.push_back({number(indexNumber(key)),
                        number(tableNumber(key.schema, key.table)),
                        columns,
                        columns,
                        flag(key.isUnique()),
                        flag(false),
                        flag(key.kind == TableKey::Kind::Primary),
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
    for (const TableKey& key : tableKeys(context)) {
        if (!key.isConstraint()) continue;
        std::vector<ArrayItem> places;
        for (const int place : key.places) places.emplace_back(std::to_string(place));
        rows.push_back({number(constraintNumber(key)),
                        text(key.name),
                        number(schemaNumber(key.schema)),
                        text(key.kind == TableKey::Kind::Primary  ? "p"
                             : key.kind == TableKey::Kind::Unique ? "u"
                                                                  : "c"),
                        flag(false),
                        flag(false),
                        flag(true),
                        number(tableNumber(key.schema, key.table)),
                        number(0),
                        number(key.hasIndex() ? indexNumber(key) : 0),
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
                        key.hasIndex() ? Value() : text(key.expression)});
    }
}

void collectIndexDefinitions(Context& context, CatalogRows& rows) {
    for (const TableKey& key : tableKeys(context))
        if (key.hasIndex())
            rows.push_back({text(key.schema), text(key.table), text(key.name), Value(), text(indexDefinition(key))});
}

void collectTableConstraints(Context& context, CatalogRows& rows) {
    for (const TableKey& key : tableKeys(context))
        if (key.isConstraint())
            rows.push_back({text("pelorus"), text(key.schema), text(key.name), text("pelorus"), text(key.schema),
                            text(key.table),
                            text(key.kind == TableKey::Kind::Primary  ? "PRIMARY KEY"
                                 : key.kind == TableKey::Kind::Unique ? "UNIQUE"
                                                                      : "CHECK"),
                            text("NO"), text("NO"), text("YES")});
}

void collectKeyColumns(Context& context, CatalogRows& rows) {
    for (const TableKey& key : tableKeys(context))
        for (size_t i = 0; key.isConstraint() && key.hasIndex() && i < key.columns.size(); ++i)
            rows.push_back({text("pelorus"), text(key.schema), text(key.name), text("pelorus"), text(key.schema),
                            text(key.table), text(key.columns[i]), Value::ofInt(static_cast<int32_t>(i) + 1), Value()});
}

void collectConstraintColumns(Context& context, CatalogRows& rows) {
    for (const TableKey& key : tableKeys(context))
        for (const std::string& column : key.isConstraint() ? key.columns : std::vector<std::string>())
            rows.push_back({text("pelorus"), text(key.schema), text(key.table), text(column), text("pelorus"),
                            text(key.schema), text(key.name)});
}

}  // namespace pelorus::postgres
