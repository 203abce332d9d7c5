#include "postgres/translate/prepared_query.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "common/check.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/point_lookup.h"
#include "postgres/steps/standard_names.h"
#include "postgres/translate/select_translator.h"
#include "postgres/translate/translation.h"
#include "runtime/format/to_source.h"
#include "runtime/table/table.h"

namespace pelorus::postgres {

Ref<MemoryTable> PreparedQuery::run(std::span<const Value> parameters, Context& context) const {
    StepScope scope;
    setStandardNames(scope);
    setParameters(scope, parameters, parameterTypes_);
    try {
        runSteps(steps_, scope, context);
    } catch (const Error& error) {
        throwByState(error);
    }
    const Value rows = scope.get(steps_.back().name);
    CHECK(rows.isTable() && rows.table().asMemory() != nullptr);
    return Ref<MemoryTable>(rows.table().asMemory());
}

bool PreparedQuery::looksUp() const {
    return std::any_of(steps_.begin(), steps_.end(), [](const PlanStep& step) { return step.lookup != nullptr; });
}

std::string PreparedQuery::source() const {
    std::string text;
    for (const PlanStep& step : steps_)
        text += fmt::format("{}{} = {}", text.empty() ? "" : "\n", step.name,
                            step.query ? toSource(*step.query) : "<" + step.summary + ">");
    return text;
}

std::shared_ptr<const PreparedQuery> prepareQuery(const Statement& statement, std::span<const Oid> givenTypes,
                                                  const SessionFacts& session, Context& context) {
    if (statement.kind != StatementKind::Query)
        throw SqlError(sql_state::kFeatureNotSupported, "Only queries are supported here.");
    Translation translation(session, context, givenTypes);
    std::vector<PlanStep> steps;
    SelectTranslator translator(translation, nullptr, steps);
    const Selected selected = translator.translate(bodyOf(*statement.tree));
    std::vector<OutputColumn> columns;
    for (const RangeColumn& column : selected.columns)
        columns.push_back({column.name, column.value.type, column.value.modifier});
    for (PlanStep& step : steps)
        if (step.query) step.lookup = pointLookupOf(*step.query);
    return std::make_shared<const PreparedQuery>(std::move(steps), translation.parameterTypes(), std::move(columns),
                                                 translation.tables());
}

}  // namespace pelorus::postgres
