// A query of PostgreSQL's language, bound to tables and ready to run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
    PreparedQuery(std::vector<PlanStep> steps, std::vector<Oid> parameterTypes, std::vector<OutputColumn> columns,
                  std::vector<TableName> tables)
        : steps_(std::move(steps)),
          parameterTypes_(std::move(parameterTypes)),
          columns_(std::move(columns)),
          tables_(std::move(tables)) {}

    const std::vector<Oid>& parameterTypes() const { return parameterTypes_; }
    const std::vector<OutputColumn>& columns() const { return columns_; }
    // Returns the tables of users that the query reads.
    const std::vector<TableName>& tables() const { return tables_; }
    // Returns the rows: a table whose columns stand in the order of `columns()`, under names of their own. `parameters`
    // are scalars of the kept types (oidFacts), VOID for NULL. Throws SqlError, or any error of the engine.
    Ref<MemoryTable> run(std::span<const Value> parameters, Context& context) const;
    // Returns whether a step is a look-up by key.
    bool looksUp() const;
    // Returns the steps in the language of Pelorus, a line each, for explain and the query monitor.
    std::string source() const;

private:
    std::vector<PlanStep> steps_;
    std::vector<Oid> parameterTypes_;
    std::vector<OutputColumn> columns_;
    std::vector<TableName> tables_;
};

// Binds a query: resolves names, decides types, reads no row. `givenTypes` are those that the client gave for $1, $2 …;
// 0 or missing: decided here. Throws SqlError.
std::shared_ptr<const PreparedQuery> prepareQuery(const Statement& statement, std::span<const Oid> givenTypes,
                                                  const SessionFacts& session, Context& context);

}  // namespace pelorus::postgres
