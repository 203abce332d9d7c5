#include "postgres/catalog/shown_keys.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "postgres/catalog/object_numbers.h"
#include "postgres/catalog/shown_expressions.h"
#include "postgres/catalog/table_names.h"
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
    for (const ForeignKey& own : table.entry->rowTable->foreignKeys) {
        TableKey& key = add(Kind::Foreign, own.name);
        for (const std::string& stored : own.columns) addStored(key, stored);
        key.parent = {own, schemaOfDatabase(own.parentDatabase), own.parentTable, own.parentColumns, {}, {}};
    }
    return keys;
}

namespace {

// Tells a foreign key what its parent shows of the columns that it refers to.
void describeParent(TableKey::Parent& parent, const ShownTable& table) {
    parent.columns.clear();
    for (const std::string& stored : parent.key.parentColumns)
        for (size_t c = 0; c < table.columns.size(); ++c) {
            if (table.entry->storedNameOf(c) != stored) continue;
            parent.columns.push_back(table.columns[c].name);
            parent.places.push_back(static_cast<int>(c) + 1);
        }
    std::vector<int> places = parent.places;
    std::sort(places.begin(), places.end());
    for (const TableKey& key : keysOf(table)) {
        std::vector<int> own = key.places;
        std::sort(own.begin(), own.end());
        if (key.isUnique() && own == places && (parent.uniqueName.empty() || key.kind == TableKey::Kind::Primary))
            parent.uniqueName = key.name;
    }
}

const char* typeLetter(TableKey::Kind kind) {
    switch (kind) {
        case TableKey::Kind::Primary:
            return "p";
        case TableKey::Kind::Unique:
            return "u";
        case TableKey::Kind::Foreign:
            return "f";
        default:
            return "c";
    }
}

const char* typeWords(TableKey::Kind kind) {
    switch (kind) {
        case TableKey::Kind::Primary:
            return "PRIMARY KEY";
        case TableKey::Kind::Unique:
            return "UNIQUE";
        case TableKey::Kind::Foreign:
            return "FOREIGN KEY";
        default:
            return "CHECK";
    }
}

// How the catalog tells an action: its letter, and its words.
struct ShownAction {
    const char* letter;
    const char* words;
};
ShownAction shownAction(ForeignKey::Action action) {
    constexpr ShownAction kActions[] = {
        {"a", "NO ACTION"}, {"r", "RESTRICT"}, {"c", "CASCADE"}, {"n", "SET NULL"}, {"d", "SET DEFAULT"}};
    return kActions[static_cast<size_t>(action)];
}

std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + quotedName(name);
    return list;
}

std::string foreignKeyDefinition(const TableKey& key) {
    const TableKey::Parent& parent = *key.parent;
    const std::string table = parent.schema == "public" ? quotedName(parent.table)
                                                        : quotedName(parent.schema) + "." + quotedName(parent.table);
    std::string text =
        fmt::format("FOREIGN KEY ({}) REFERENCES {}({})", columnList(key), table, listed(parent.columns));
    using Action = ForeignKey::Action;
    if (parent.key.onUpdate != Action::NoAction)
        text += fmt::format(" ON UPDATE {}", shownAction(parent.key.onUpdate).words);
    if (parent.key.onDelete != Action::NoAction)
        text += fmt::format(" ON DELETE {}", shownAction(parent.key.onDelete).words);
    std::vector<std::string> set;
    for (const std::string& stored : parent.key.setColumns) {
        const auto at = std::find(parent.key.columns.begin(), parent.key.columns.end(), stored);
        set.push_back(key.columns[static_cast<size_t>(at - parent.key.columns.begin())]);
    }
    if (!set.empty()) text += fmt::format(" ({})", listed(set));
    if (parent.key.isDeferrable) text += " DEFERRABLE";
    if (parent.key.isDeferred) text += " INITIALLY DEFERRED";
    return text;
}

Value placeList(const std::vector<int>& places) {
    std::vector<ArrayItem> items;
    for (const int place : places) items.emplace_back(std::to_string(place));
    return text(arrayText(items));
}

}  // namespace

std::vector<TableKey> tableKeys(Context& context) {
    std::vector<TableKey> keys;
    const std::vector<ShownTable> tables = shownTables(context);
    for (const ShownTable& table : tables)
        for (TableKey& key : keysOf(table)) {
            const auto isParent = [&](const ShownTable& other) {
                return other.entry && other.schema == key.parent->schema && other.name == key.parent->table;
            };
            if (key.parent) {
                const auto parent = std::find_if(tables.begin(), tables.end(), isParent);
                if (parent != tables.end()) describeParent(*key.parent, *parent);
            }
            keys.push_back(std::move(key));
        }
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
    if (key.kind == TableKey::Kind::Foreign) return foreignKeyDefinition(key);
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
        const bool isForeign = key.parent.has_value();
        const ForeignKey own = isForeign ? key.parent->key : ForeignKey();
        const int64_t under = key.hasIndex() ? indexNumber(key)
                              : isForeign && !key.parent->uniqueName.empty()
                                  ? tableNumber(key.parent->schema, key.parent->uniqueName)
                                  : 0;
        rows.push_back({number(constraintNumber(key)),
                        text(key.name),
                        number(schemaNumber(key.schema)),
                        text(typeLetter(key.kind)),
                        flag(own.isDeferrable),
                        flag(own.isDeferred),
                        flag(true),
                        number(tableNumber(key.schema, key.table)),
                        number(0),
                        number(under),
                        number(0),
                        number(isForeign ? tableNumber(key.parent->schema, key.parent->table) : 0),
                        text(isForeign ? shownAction(own.onUpdate).letter : " "),
                        text(isForeign ? shownAction(own.onDelete).letter : " "),
                        text(isForeign ? "s" : " "),
                        flag(true),
                        Value::ofInt(0),
                        flag(true),
                        placeList(key.places),
                        isForeign ? placeList(key.parent->places) : Value(),
                        key.kind == TableKey::Kind::Check ? text(key.expression) : Value()});
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
                            text(key.table), text(typeWords(key.kind)),
                            text(key.parent && key.parent->key.isDeferrable ? "YES" : "NO"),
                            text(key.parent && key.parent->key.isDeferred ? "YES" : "NO"), text("YES")});
}

// Returns the position of a column that a foreign key refers to in the unique constraint of its parent.
static Value positionInUnique(const TableKey& key, size_t column, Context& context) {
    if (!key.parent || column >= key.parent->places.size()) return {};
    for (const TableKey& other : tableKeys(context)) {
        if (other.schema != key.parent->schema || other.table != key.parent->table ||
            other.name != key.parent->uniqueName)
            continue;
        const auto at = std::find(other.places.begin(), other.places.end(), key.parent->places[column]);
        return Value::ofInt(static_cast<int32_t>(at - other.places.begin()) + 1);
    }
    return {};
}

void collectKeyColumns(Context& context, CatalogRows& rows) {
    for (const TableKey& key : tableKeys(context))
        for (size_t i = 0; key.isConstraint() && key.kind != TableKey::Kind::Check && i < key.columns.size(); ++i)
            rows.push_back({text("pelorus"), text(key.schema), text(key.name), text("pelorus"), text(key.schema),
                            text(key.table), text(key.columns[i]), Value::ofInt(static_cast<int32_t>(i) + 1),
                            positionInUnique(key, i, context)});
}

void collectReferences(Context& context, CatalogRows& rows) {
    for (const TableKey& key : tableKeys(context)) {
        if (!key.parent) continue;
        const TableKey::Parent& parent = *key.parent;
        const bool isKnown = !parent.uniqueName.empty();
        rows.push_back({text("pelorus"), text(key.schema), text(key.name), isKnown ? text("pelorus") : Value(),
                        isKnown ? text(parent.schema) : Value(), isKnown ? text(parent.uniqueName) : Value(),
                        text("NONE"), text(shownAction(parent.key.onUpdate).words),
                        text(shownAction(parent.key.onDelete).words)});
    }
}

void collectConstraintColumns(Context& context, CatalogRows& rows) {
    for (const TableKey& key : tableKeys(context))
        // Of a foreign key they are those of its parent.
        for (const std::string& column : !key.isConstraint() ? std::vector<std::string>()
                                         : key.parent        ? key.parent->columns
                                                             : key.columns)
            rows.push_back({text("pelorus"), text(key.parent ? key.parent->schema : key.schema),
                            text(key.parent ? key.parent->table : key.table), text(column), text("pelorus"),
                            text(key.schema), text(key.name)});
}

}  // namespace pelorus::postgres
