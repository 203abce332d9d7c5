// Statements of PostgreSQL's language as libpg_query parses them.
//
// One file knows that library (parse.cpp); it is opened by the first statement. A Statement says which kind it is, and
// what the connection needs to carry it out itself; queries and changes go to translate/ with their trees.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/types/oids.h"

namespace pelorus::postgres {

struct LiteralRows;

enum class StatementKind : uint8_t {
    Query,       // select, values, table t, with … select
    Change,      // insert, update, delete, and all that defines or drops something
    Begin,       // begin, start transaction
    Commit,      // commit, end
    Rollback,    // rollback, abort
    Savepoint,   // name
    Release,     // name
    RollbackTo,  // name
    Set,         // name, values; `isLocal`. `set x to default` has no values
    Show,        // name; "all"
    Reset,       // name; "all"
    Discard,     // all, plans, sequences, temp in `name`
    Prepare,     // name, argument types; the tree of the query is `inner`
    Execute,     // name; `arguments` are expressions
    Deallocate,  // name; empty: all
    Declare,     // name; `inner` is the query
    Fetch,       // name, count, direction; `isMove`
    Close,       // name; empty: all
    Copy,
    Explain,      // `inner` is the query; options
    Lock,         // lock table
    Call,         // call pelorus('…')
    Constraints,  // set constraints: names in `values`, none: all; `isDeferred`
    Nothing,      // vacuum, analyze, comment, grant on what is not there: taken, and does nothing
};

// A word of `with (…)` or of options: copy's, explain's, begin's.
struct Option {
    std::string name;   // lower case
    std::string value;  // empty: none was given
};

// The target of copy.
struct CopyTarget {
    std::string schema, table;  // both empty when a query is copied, which is `inner`
    std::vector<std::string> columns;
    bool isFrom = false;
    bool isProgram = false;
    std::string file;  // empty: the client's stream
};

// One statement. Immutable; shared by the sessions that prepare the same string.
struct Statement {
    StatementKind kind = StatementKind::Query;
    std::string text;  // its own part of the string, without the semicolon
    int begin = 0;     // the byte at which `text` begins in the whole text: what SqlError::position() refers to
    std::string tag;   // the command tag of what has no count: "BEGIN", "SET"
    std::string name;  // of a setting, savepoint, prepared statement, cursor
    std::vector<std::string> values;
    std::vector<Option> options;
    std::vector<Oid> argumentTypes;
    CopyTarget copy;
    bool isLocal = false;     // set local
    bool isDeferred = false;  // set constraints … deferred
    bool isMove = false;
    bool isBinary = false;    // declare binary cursor
    bool isWithHold = false;  // declare … with hold
    int64_t count = 0;        // of fetch: kFetchAll for all
    bool isBackward = false;
    std::shared_ptr<const nlohmann::json> tree;               // what libpg_query made of it
    std::shared_ptr<const LiteralRows> literalRows;           // of an insert: rows behind the one of the tree; or null
    std::shared_ptr<const Statement> inner;                   // the query of prepare, declare, explain and copy
    std::vector<std::shared_ptr<const Statement>> arguments;  // of execute: each `select expression`
};

constexpr int64_t kFetchAll = INT64_MAX;

// Returns the statements of a string, none for blanks, comments and semicolons alone. Throws SqlError 42601 with the
// position of a syntax error, 54001 where the nesting is too deep.
std::vector<std::shared_ptr<const Statement>> parseStatements(std::string_view text);

}  // namespace pelorus::postgres
