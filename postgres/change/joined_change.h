// `update … from` and `delete … using`: changes of a row table whose conditions and new values read other tables.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "postgres/change/target_table.h"
#include "postgres/change/update_values.h"
#include "postgres/steps/plan_steps.h"
#include "postgres/translate/select_translator.h"
#include "postgres/translate/translation.h"
#include "sql/change/row_change.h"

namespace pelorus::postgres {

// An update or delete that is computed by a select: of the table's rows, which it sees with their numbers, joined with
// what `from` or `using` names, and of sub-queries over columns of the changed row. A row that is joined several times
// is changed once, by the first of them. Immutable.
class JoinedChange {
public:
    // A column of the other tables, as `returning` may name it.
    struct OtherColumn {
        std::string table, name;
        RangeColumn met;  // as a column of the rows that `run` gives to takesMet
    };

    // Binds the statement, whose new values are `values`; `alias` is the name by which it knows its table. Throws
    // SqlError.
    JoinedChange(const nlohmann::json& body, std::shared_ptr<const TargetTable> target, const std::string& alias,
                 const std::vector<UpdateValue>& values, Translation& translation);

    const std::vector<OtherColumn>& otherColumns() const { return others_; }

    // Makes the change, within the transaction of the thread or as one of its own, and returns the number of rows. The
    // rows are given to `takesMet`: the table's columns, then the others of `returning`. Throws as changeRowsBy does.
    using TakesMet = std::function<void(const Ref<MemoryTable>& met)>;
    int64_t run(const StepScope& scope, const TakesMet& takesMet, Context& context) const;

private:
    ComputedChange compute(const Ref<MemoryTable>& rows, const StepScope& scope, Context& context) const;
    void bind(const nlohmann::json& select, const std::vector<UpdateValue>& values,
              const std::vector<std::string>& tables, Translation& translation);

    const std::shared_ptr<const TargetTable> target_;
    const bool erases_;
    std::string rows_;  // the name by which the steps see the table's rows
    std::vector<PlanStep> steps_;
    std::string number_;  // column of the last step: the number of the row
    struct Assigned {
        size_t place;       // of the column in the table
        std::string value;  // column of the last step
    };
    std::vector<Assigned> assigned_;
    std::vector<OtherColumn> others_;
};

// Returns the list of `returning` with columns of the other tables under the names of `met`. Throws SqlError 42702 for
// a name that several tables have.
nlohmann::json withOtherColumns(nlohmann::json list, const std::string& alias, const TargetTable& target,
                                const std::vector<JoinedChange::OtherColumn>& others);

}  // namespace pelorus::postgres
