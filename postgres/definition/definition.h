// Statements that define tables, sequences and schemas.
#pragma once

#include <string>
#include <vector>

#include "postgres/parse/parsed_statement.h"
#include "postgres/session_facts.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

// A remark of a statement that did less than it says.
struct DefinitionNotice {
    std::string state;
    std::string message;
};

// Returns whether the statement is one of them.
bool isDefinition(const Statement& statement);

// Carries the statement out: each table is a transaction of its own. `tag` is what clients are told. Throws SqlError:
// 42P07 for a table that exists, 42P01 for one that does not, 0A000 for what no table of columns has.
struct Defined {
    std::string tag;
    std::vector<DefinitionNotice> notices;
};
Defined define(const Statement& statement, const SessionFacts& session, Context& context);

}  // namespace pelorus::postgres
