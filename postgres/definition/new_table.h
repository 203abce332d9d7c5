// The table that `create table` describes.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "postgres/types/declared_type.h"
#include "storage/catalog/catalog.h"

namespace pelorus::postgres {

struct NewColumn {
    std::string name;
    DeclaredType declared;
    int place = -1;
    nlohmann::json whenMissing = {};  // expression of the default; null: it has none
    bool isSerial = false;            // takes the numbers of a sequence of its own
    ColumnDefault::Identity identity = ColumnDefault::Identity::None;
    nlohmann::json sequenceOptions = nlohmann::json::array();

    bool isNumbered() const { return isSerial || identity != ColumnDefault::Identity::None; }
};

// A check constraint.
struct NewCheck {
    std::string name;  // empty: it gets one
    nlohmann::json expression;
};

// An index that a constraint makes.
struct NewIndex {
    std::string name;
    std::vector<std::string> columns;
    bool isPrimary = false;
    bool isNameMade = false;  // nobody has given it one
};

// A foreign key.
struct NewForeignKey {
    std::string name;  // empty: it gets one
    std::vector<std::string> columns;
    std::string parentSchema, parentTable;
    std::vector<std::string> parentColumns;  // none: those of the primary key
    ForeignKey::Action onUpdate = ForeignKey::Action::NoAction;
    ForeignKey::Action onDelete = ForeignKey::Action::NoAction;
    std::vector<std::string> setColumns;
    bool isDeferrable = false;
    bool isDeferred = false;
    int place = -1;
};

struct NewTable {
    std::string schema, name;
    std::vector<NewColumn> columns;
    bool isRowTable = false;  // using rows
    std::vector<NewIndex> indexes;
    std::vector<NewCheck> checks;
    std::vector<NewForeignKey> foreignKeys;
};

// Reads the definition of one column, with its constraints, and adds it to the table. Throws as newTableOf does.
void addColumn(NewTable& table, const nlohmann::json& columnDef);
// Reads a constraint of a table, and adds it. Throws as newTableOf does.
void addConstraint(NewTable& table, const nlohmann::json& constraint);

// Reads a CreateStmt. `method` is the access method of tables that name none. Throws SqlError 0A000 for what no table
// has, 42701 for a column that is there twice.
NewTable newTableOf(const nlohmann::json& body, const std::string& method = "columns");

// Returns the entry of the table in the catalog, but for its database, owner, defaults and checks.
TableEntry entryOf(const NewTable& table);

}  // namespace pelorus::postgres
