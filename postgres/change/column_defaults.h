// The values that an insert gives to the columns that it leaves out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "postgres/change/assigned_column.h"
#include "postgres/change/target_table.h"
#include "postgres/steps/plan_steps.h"
#include "postgres/translate/select_translator.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

// The defaults of some columns of a table, bound. Immutable; may be used by many runs.
class ColumnDefaults {
public:
    // Binds the defaults of the columns at these places. Throws SqlError.
    ColumnDefaults(std::shared_ptr<const TargetTable> table, std::span<const size_t> places, Translation& translation);

    // Adds so many values of its default to the column, or NULL where it has none. `scope` holds the standard names.
    void fill(AssignedColumn& column, int64_t count, const StepScope& scope, Context& context) const;

private:
    struct Bound {
        const TargetColumn* column = nullptr;
        std::string database, sequence;  // whose numbers it takes; empty: it is computed
        SelectTranslator::Cell cell;
        std::string step;  // has the cell's value
        std::vector<PlanStep> steps;
        bool isVolatile = false;  // computed anew for each row
    };
    static Bound bind(const TargetTable& table, const TargetColumn& column, Translation& translation);
    static Value compute(const Bound& bound, const StepScope& scope, Context& context);

    const std::shared_ptr<const TargetTable> table_;
    std::vector<Bound> bound_;
};

// Binds the defaults of all columns but those that a copy gives.
std::shared_ptr<const ColumnDefaults> defaultsBeside(const std::shared_ptr<const TargetTable>& table,
                                                     std::span<const size_t> given, const SessionFacts& session,
                                                     Context& context);

}  // namespace pelorus::postgres
