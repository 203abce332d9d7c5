// `create table`, with its defaults, checks and sequences.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "postgres/definition/definition_scope.h"
#include "postgres/definition/new_table.h"

namespace pelorus {
struct SequenceEntry;
}

namespace pelorus::postgres {

// Carries out a CreateStmt. Throws SqlError: nothing is made then.
void createTable(const nlohmann::json& body, DefinitionScope& scope);

// Makes the sequence of a column that is numbered, without an owner, and returns its entry.
SequenceEntry makeSequence(const NewColumn& column, const std::string& table, const std::string& schema,
                           DefinitionScope& scope);
// Returns the default of a column that takes the numbers of a sequence.
ColumnDefault numberedDefault(const NewColumn& column, const SequenceEntry& sequence);
// Returns the name of a new index of a row table: its own, or with a number where that is taken. Throws SqlError 42P07
// for a taken one that was given.
std::string freeIndexName(const NewIndex& index, const TableEntry& entry, const std::string& schema,
                          const DefinitionScope& scope);
// Adds a check to the entry; one without a name gets the one that PostgreSQL gives. Throws SqlError 42710 for a name
// that the table has.
void addCheck(TableEntry& entry, const NewCheck& check, Context& context);

}  // namespace pelorus::postgres
