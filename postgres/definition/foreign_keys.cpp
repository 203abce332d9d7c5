#include "postgres/definition/foreign_keys.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "database/service/database_service.h"
#include "postgres/catalog/table_names.h"
#include "postgres/change/target_table.h"
#include "postgres/definition/column_rules.h"
#include "postgres/sql_error.h"
#include "runtime/append/table_transaction.h"
#include "runtime/function/principal.h"
#include "storage/catalog/foreign_key.h"
#include "storage/table/local_table.h"

namespace pelorus::postgres {

namespace {

bool isSelf(const NewForeignKey& key, const std::string& table, const std::string& schema) {
    return key.parentTable == table && (key.parentSchema.empty() || key.parentSchema == schema);
}

// Returns the entry of the parent, whose user may refer to it.
TableEntry parentOf(const NewForeignKey& key, DefinitionScope& scope) {
    const auto target = findTarget(key.parentSchema, key.parentTable, scope.session, scope.context, key.place);
    if (!target->isRowTable || !target->entry)
        refuseDefinition("a foreign key to a table of columns", "CREATE TABLE … USING rows makes row tables.");
    const Value opened = target->open(scope.context);
    opened.table().asPartitioned()->requireToAlter(scope.context.principal(), Right::CreateObject);
    return *target->entry;
}

// Returns the places of the columns in the table.
std::vector<size_t> placesIn(const TableEntry& table, const std::vector<std::string>& names, int place) {
    std::vector<size_t> places;
    for (const std::string& name : names) {
        const auto isIt = [&](const ColumnSchema& column) { return column.name == name; };
        const auto at = std::find_if(table.schema.begin(), table.schema.end(), isIt);
        if (at == table.schema.end())
            throw SqlError(sql_state::kUndefinedColumn,
                           fmt::format("column \"{}\" referenced in foreign key constraint does not exist", name),
                           place);
        places.push_back(static_cast<size_t>(at - table.schema.begin()));
    }
    return places;
}

std::vector<std::string> storedAt(const TableEntry& table, const std::vector<size_t>& places) {
    std::vector<std::string> names;
    for (const size_t place : places) names.push_back(table.storedNameOf(place));
    return names;
}

std::vector<size_t> primaryKeyOf(const TableEntry& table, int place) {
    for (const RowTableIndex& index : table.rowTable->indexes) {
        if (!index.isPrimary) continue;
        std::vector<size_t> places;
        for (const std::string& stored : index.columns)
            for (size_t c = 0; c < table.schema.size(); ++c)
                if (table.storedNameOf(c) == stored) places.push_back(c);
        return places;
    }
    throw SqlError(sql_state::kUndefinedObject,
                   fmt::format("there is no primary key for referenced table \"{}\"", table.name), place);
}

// Types of one class have the same values and operators of equality.
enum class TypeClass { Integer, Text, Other };
TypeClass classOf(Oid type) {
    if (type == oid::kInt2 || type == oid::kInt4 || type == oid::kInt8) return TypeClass::Integer;
    if (type == oid::kText || type == oid::kVarchar || type == oid::kBpchar || type == oid::kName)
        return TypeClass::Text;
    return TypeClass::Other;
}
bool isNumber(Oid type) {
    return classOf(type) == TypeClass::Integer || type == oid::kNumeric || type == oid::kFloat4 || type == oid::kFloat8;
}
bool isDay(Oid type) {
    return type == oid::kDate || type == oid::kTimestamp || type == oid::kTimestamptz;
}

void requireSameType(const std::string& name, const TableEntry& child, size_t own, const TableEntry& parent,
                     size_t other, int place) {
    const Oid a = declaredTypeOf(child.schema[own], child.declaredTypeOf(own)).shown.type;
    const Oid b = declaredTypeOf(parent.schema[other], parent.declaredTypeOf(other)).shown.type;
    const bool isKeptAlike =
        child.schema[own].type == parent.schema[other].type && child.schema[own].scale == parent.schema[other].scale;
    if (a == b && isKeptAlike) return;
    if (classOf(a) == classOf(b) && classOf(a) != TypeClass::Other) return;
    if (a == b || (isNumber(a) && isNumber(b)) || (isDay(a) && isDay(b)))
        refuseDefinition("a foreign key between different types", "Give both columns one type.");
    SqlError error("42804", fmt::format("foreign key constraint \"{}\" cannot be implemented", name), place);
    error.setDetail(fmt::format("Key columns \"{}\" and \"{}\" are of incompatible types.", child.schema[own].name,
                                parent.schema[other].name));
    throw error;
}

}  // namespace

bool hasUniqueIndex(const TableEntry& table, std::vector<std::string> columns) {
    std::sort(columns.begin(), columns.end());
    return std::any_of(table.rowTable->indexes.begin(), table.rowTable->indexes.end(), [&](const RowTableIndex& index) {
        std::vector<std::string> own = index.columns;
        std::sort(own.begin(), own.end());
        return index.isUnique && own == columns;
    });
}

ForeignKey foreignKeyOf(const NewForeignKey& key, const TableEntry& child, const std::string& schema,
                        DefinitionScope& scope) {
    if (!child.rowTable)
        refuseDefinition("a foreign key of a table of columns", "CREATE TABLE … USING rows makes row tables.");
    const TableEntry parent = isSelf(key, child.name, schema) ? child : parentOf(key, scope);
    ForeignKey made;
    made.name = key.name;
    const auto isTaken = [&](const std::string& name) { return hasConstraint(child, name); };
    if (!key.name.empty() && isTaken(key.name))
        throw SqlError("42710",
                       fmt::format("constraint \"{}\" for relation \"{}\" already exists", key.name, child.name));
    if (key.name.empty())
        made.name = madeName(child.name, fmt::format("{}", fmt::join(key.columns, "_")), "fkey", isTaken);
    const std::vector<size_t> own = placesIn(child, key.columns, key.place);
    const std::vector<size_t> other =
        key.parentColumns.empty() ? primaryKeyOf(parent, key.place) : placesIn(parent, key.parentColumns, key.place);
    made.columns = storedAt(child, own);
    made.parentDatabase = parent.database;
    made.parentTable = parent.name;
    made.parentColumns = storedAt(parent, other);
    if (!hasUniqueIndex(parent, made.parentColumns))
        throw SqlError(
            "42830",
            fmt::format("there is no unique constraint matching given keys for referenced table \"{}\"", parent.name),
            key.place);
    if (own.size() != other.size())
        throw SqlError("42830", "number of referencing and referenced columns for foreign key disagree", key.place);
    for (size_t i = 0; i < own.size(); ++i) requireSameType(made.name, child, own[i], parent, other[i], key.place);
    made.onUpdate = key.onUpdate;
    made.onDelete = key.onDelete;
    for (const std::string& name : key.setColumns) {
        const auto at = std::find(key.columns.begin(), key.columns.end(), name);
        if (at == key.columns.end()) {
            placesIn(child, {name}, key.place);
            throw SqlError(
                "42P10",
                fmt::format("column \"{}\" referenced in ON DELETE SET action must be part of foreign key", name),
                key.place);
        }
        made.setColumns.push_back(made.columns[static_cast<size_t>(at - key.columns.begin())]);
    }
    made.isDeferrable = key.isDeferrable;
    made.isDeferred = key.isDeferred;
    return made;
}

std::vector<std::unique_ptr<Transaction>> lockParents(const NewTable& table, const std::string& schema,
                                                      DefinitionScope& scope) {
    std::set<uint64_t> parents;  // in one order by all
    for (const NewForeignKey& key : table.foreignKeys)
        if (!isSelf(key, table.name, schema)) parents.insert(parentOf(key, scope).id);
    std::vector<std::unique_ptr<Transaction>> locks;
    for (const uint64_t parent : parents) locks.push_back(scope.databases().lockRows(parent));
    return locks;
}

std::vector<ReferringKey> referringKeys(const TableEntry& parent, DefinitionScope& scope) {
    std::vector<ReferringKey> keys;
    if (!parent.rowTable) return keys;
    for (const ReferringTable& name : parent.rowTable->referredBy) {
        const auto child = scope.databases().catalog().findTable(name.database, name.name);
        if (!child) continue;
        for (const ForeignKey& key : foreignKeysTo(*child, parent))
            keys.push_back({schemaOfDatabase(name.database), name.name, key});
    }
    return keys;
}

void dropReferringKey(const ReferringKey& referring, DefinitionScope& scope) {
    const auto target = findTarget(referring.schema, referring.table, scope.session, scope.context, -1);
    const Value opened = target->open(scope.context);
    dynamic_cast<CatalogTable&>(opened.table()).changeDefinition([&](TableEntry& table) {
        std::erase_if(table.rowTable->foreignKeys,
                      [&](const ForeignKey& key) { return key.name == referring.key.name; });
    });
    scope.note("00000", fmt::format("drop cascades to constraint {} on table {}", referring.key.name, referring.table));
}

void requireDeferrable(const std::string& constraint, bool isDeferred, Context& context) {
    bool isKnown = false;
    auto* const service = context.service<DatabaseService>();
    const std::vector<TableEntry> tables =
        service == nullptr ? std::vector<TableEntry>() : service->catalog().allTables();
    for (const TableEntry& table : tables) {
        if (!table.rowTable) continue;
        for (const ForeignKey& key : table.rowTable->foreignKeys) {
            if (key.name != constraint) continue;
            if (key.isDeferrable) return;
            isKnown = true;
        }
        for (const RowTableIndex& index : table.rowTable->indexes)
            isKnown |= index.name == constraint && (index.isConstraint || index.isPrimary);
        for (const RowTableCheck& check : table.rowTable->checks) isKnown |= check.name == constraint;
    }
    if (!isKnown) throw SqlError("42704", "constraint \"" + constraint + "\" does not exist");
    if (isDeferred) throw SqlError("42809", "constraint \"" + constraint + "\" is not deferrable");
}

}  // namespace pelorus::postgres
