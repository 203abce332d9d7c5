// A query of PostgreSQL's language, bound to tables and ready to run.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/catalog/table_names.h"
#include "postgres/parse/parsed_statement.h"
#include "postgres/session_facts.h"
#include "postgres/steps/plan_steps.h"
#include "postgres/types/oids.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {
class MemoryTable;
}

namespace pelorus::postgres {

// A query with the types of its parameters and columns. Immutable; may run many times, in the session that made it.
// Rights are asked at each run.
class PreparedQuery {
public:
    // The last step returns the rows.
    struct Parts {
        std::vector<PlanStep> steps;
        std::vector<Oid> parameterTypes;
        std::vector<OutputColumn> columns;
        std::vector<TableName> tables;
        std::optional<std::vector<TableFinding>> findings;  // nothing: of the session that made it, alone
        bool locksRows = false;
    };
    explicit PreparedQuery(Parts parts) : parts_(std::move(parts)) {}

    const std::vector<Oid>& parameterTypes() const { return parts_.parameterTypes; }
    const std::vector<OutputColumn>& columns() const { return parts_.columns; }
    // Returns the tables of users that the query reads.
    const std::vector<TableName>& tables() const { return parts_.tables; }
    // Returns whether it locks rows: then it runs within a transaction.
    bool locksRows() const { return parts_.locksRows; }
    // Returns the rows: a table whose columns stand in the order of `columns()`, under names of their own. `parameters`
    // are scalars of the kept types (oidFacts), VOID for NULL. Throws SqlError, or any error of the engine.
    Ref<MemoryTable> run(std::span<const Value> parameters, Context& context) const;
    // Runs it, and returns each step with the number of its rows and the milliseconds that it took, a line each.
    std::string measured(std::span<const Value> parameters, Context& context) const;
    // Returns whether other sessions of the same user, settings and search path may run it.
    bool isShareable() const { return parts_.findings.has_value(); }
    // Returns whether its names of tables still find what they did: the same columns, declared in the same way, which
    // the running request may read. REQUIRES: isShareable().
    bool isStillMeant(const SessionFacts& session, Context& context) const;
    // Returns whether a step is a look-up by key.
    bool looksUp() const;
    // Returns the steps in the language of Pelorus, a line each, for the query monitor.
    std::string source() const;
    // Returns them for explain, with the indexes by which they look rows up. Reads no row. Throws as opening a table.
    std::string explained(Context& context) const;

private:
    Ref<MemoryTable> runAll(std::span<const Value> parameters, Context& context, const StepRan& ran) const;

    const Parts parts_;
};

// Binds a query: resolves names, decides types, reads no row. `givenTypes` are those that the client gave for $1, $2 …;
// 0 or missing: decided here. Throws SqlError.
std::shared_ptr<const PreparedQuery> prepareQuery(const Statement& statement, std::span<const Oid> givenTypes,
                                                  const SessionFacts& session, Context& context);

}  // namespace pelorus::postgres
