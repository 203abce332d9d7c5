// An insert, update or delete of PostgreSQL's language, bound to its table and ready to run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postgres/change/target_table.h"
#include "postgres/parse/parsed_statement.h"
#include "postgres/steps/plan_steps.h"
#include "runtime/code/query.h"

namespace pelorus {
class KeptChange;
}

namespace pelorus::postgres {

class ConflictClause;
class JoinedChange;

// A change with the types of its parameters. Immutable; may run many times, in the session that made it, or in those
// for which it means the same. Rights are asked at each run.
class PreparedChange {
public:
    // Computes the rows of an insert, in the order of the table's columns and in their types.
    using MakeRows = std::function<Ref<MemoryTable>(const StepScope& scope, Context& context)>;

    // The parts of an insert: `makeRows`, after the steps; or of an update or delete: `query`, whose `table` the last
    // step has opened, or `joined`. `tag` is INSERT, UPDATE or DELETE.
    struct Parts {
        std::string tag;
        std::shared_ptr<const TargetTable> target;
        std::vector<PlanStep> steps;
        std::vector<Oid> parameterTypes;
        std::vector<TableName> readTables;
        MakeRows makeRows;
        Ref<Query> query;
        std::shared_ptr<const KeptChange> kept = nullptr;  // `query`, where it may be bound once; null: it may not
        std::shared_ptr<const JoinedChange> joined;
        // Of `returning`: the steps that compute it from the rows that were met, which they see as `met`.
        std::vector<PlanStep> returned;
        std::string met;
        std::vector<OutputColumn> columns;
        // Where it gives columns as they are: their places in the table. Nothing is computed then.
        std::vector<int> plainColumns;
        std::shared_ptr<const ConflictClause> conflict;          // of an insert; null: a known key is an error
        bool locksRows = false;                                  // that its sub-queries read
        std::optional<std::vector<TableFinding>> findings = {};  // nothing: of the session that made it, alone
    };
    explicit PreparedChange(Parts parts) : parts_(std::move(parts)) {}

    const std::vector<Oid>& parameterTypes() const { return parts_.parameterTypes; }
    const std::shared_ptr<const TargetTable>& target() const { return parts_.target; }
    // Returns the tables that the rows of an insert are computed from.
    const std::vector<TableName>& readTables() const { return parts_.readTables; }
    bool isInsert() const { return parts_.makeRows != nullptr; }
    // Returns whether sub-queries lock rows: then it runs within a transaction of the session.
    bool locksRows() const { return parts_.locksRows; }
    // Returns the rows of an insert; nothing is stored. `parameters` are as those of PreparedQuery::run. Throws
    // SqlError, or any error of the engine.
    Ref<MemoryTable> rows(std::span<const Value> parameters, Context& context) const;
    // Returns whether other sessions of the same user, settings and search path may run it.
    bool isShareable() const { return parts_.findings.has_value(); }
    // Returns whether its names of tables still find what they did: see PreparedQuery. REQUIRES: isShareable().
    bool isStillMeant(const SessionFacts& session, Context& context) const;
    // Returns the columns that `returning` gives; none without.
    const std::vector<OutputColumn>& columns() const { return parts_.columns; }
    // Computes `returning` of rows that the statement writes. Throws as `rows` does.
    Ref<MemoryTable> returned(const Ref<MemoryTable>& rows, std::span<const Value> parameters, Context& context) const;
    // Returns whether what an insert writes depends on the keys that are there: its rows are not kept for later.
    bool meetsKnownKeys() const { return parts_.conflict != nullptr; }
    // Makes the change, a transaction of its own, and returns how many rows it met; `returning` is computed before
    // anything is written. Throws as `rows` does: nothing has changed then.
    struct Done {
        int64_t count = 0;
        Ref<MemoryTable> returned;  // null: the statement has no `returning`
    };
    Done run(std::span<const Value> parameters, Context& context) const;
    // Returns how clients are told of so many rows: "INSERT 0 3".
    std::string tagFor(int64_t rows) const;
    // Returns the code that the engine runs, for explain.
    std::string source() const;

private:
    int64_t change(StepScope& scope, const std::function<void(const Ref<MemoryTable>& met)>& takesMet,
                   Context& context) const;
    Done insert(std::span<const Value> parameters, Context& context) const;

    Parts parts_;
};

// Binds an insert, update or delete: resolves names, decides types, changes nothing. `givenTypes` are as those of
// prepareQuery. Throws SqlError.
std::shared_ptr<const PreparedChange> prepareChange(const Statement& statement, std::span<const Oid> givenTypes,
                                                    const SessionFacts& session, Context& context);

}  // namespace pelorus::postgres
