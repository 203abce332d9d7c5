// `on conflict` of an insert: rows whose key is there are left out, or update the row that has it.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "postgres/change/store_rows.h"
#include "postgres/change/target_table.h"
#include "postgres/steps/plan_steps.h"
#include "postgres/translate/translation.h"
#include "runtime/append/row_access.h"

namespace pelorus::postgres {

// The clause of one insert, bound. Immutable.
class ConflictClause {
public:
    // Binds an OnConflictClause. `alias` is the name by which it knows the table. Throws SqlError: 42P10 where no
    // unique index has the columns that it names.
    ConflictClause(const nlohmann::json& clause, std::shared_ptr<const TargetTable> target, const std::string& alias,
                   Translation& translation);

    // Throws SqlError 42601 for `do update` without a target.
    static void requireTarget(const nlohmann::json& clause);

    // Stores the rows, as one transaction of its own, and returns how many were written. `before` is given those that
    // are about to be written, as they will be, in the order of `rows`; `do nothing` gives it all rows, and tells
    // afterwards through `kept` which of them were. Throws SqlError 21000 where one row of the table is to be updated
    // twice; nothing is stored after an error.
    int64_t store(const Ref<MemoryTable>& rows, const StepScope& scope, const TakeRows& before,
                  std::vector<int32_t>& kept, Context& context) const;

private:
    void bindUpdate(const nlohmann::json& clause, const std::string& alias, Translation& translation);
    struct Met;
    Met meet(const Ref<MemoryTable>& rows, const RowAccess::Conflicts& conflicts, const StepScope& scope,
             Context& context) const;

    bool movesKey(const MemoryTable& computed, int32_t pair, const MemoryTable& there, int32_t row) const;

    const std::shared_ptr<const TargetTable> target_;
    std::vector<std::string> key_;  // columns of the unique index; empty: any
    // Of `do update`: the steps that compute the new values for pairs of rows, which they see as `pairs_`.
    bool updates_ = false;
    std::vector<PlanStep> steps_;
    std::string pairs_;
    std::string condition_;  // column of the last step, true where the row is updated; empty: everywhere
    struct Assigned {
        size_t place;       // of the column in the table
        std::string value;  // column of the last step
    };
    std::vector<Assigned> assigned_;
};

}  // namespace pelorus::postgres
