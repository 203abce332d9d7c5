// Tables that are made of the rows of a query: `create table … as` and `select … into`. Each is two statements, one
// that makes the table and one that fills it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postgres/parse/parsed_statement.h"
#include "postgres/types/oids.h"

namespace pelorus::postgres {

// What such a statement says.
struct QueryTable {
    std::shared_ptr<const Statement> query;
    std::string schema, name;          // the schema is empty where none is written
    std::vector<std::string> columns;  // names that are given to the first columns
    std::string method;                // of `using`; empty without it
    bool mayExist = false;             // `if not exists`
    bool isTemporary = false;
    bool hasRows = true;  // false `with no data`
};

// Reads a statement; nullopt for any other one. Throws SqlError 0A000 for what is not supported: materialized views,
// rows of prepared statements.
std::optional<QueryTable> queryTableOf(const Statement& statement);

// Returns the statement that makes the table, for the columns of its query. Throws SqlError 42601 where more names are
// given than there are columns.
std::shared_ptr<const Statement> creationOf(const QueryTable& table, std::span<const OutputColumn> columns);
// Returns the statement that drops it.
std::shared_ptr<const Statement> removalOf(const QueryTable& table);
// Returns the statement that inserts the query's rows.
std::shared_ptr<const Statement> fillingOf(const QueryTable& table);

}  // namespace pelorus::postgres
