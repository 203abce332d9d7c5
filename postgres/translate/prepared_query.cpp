#include "postgres/translate/prepared_query.h"

#include <algorithm>
#include <chrono>
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
#include "sql/execution/query_snapshot.h"

namespace pelorus::postgres {

namespace {

std::string sourceOfStep(const PlanStep& step) {
    return fmt::format("{} = {}", step.name, step.query ? toSource(*step.query) : "<" + step.summary + ">");
}

}  // namespace

Ref<MemoryTable> PreparedQuery::run(std::span<const Value> parameters, Context& context) const {
    return runAll(parameters, context, {});
}

std::string PreparedQuery::measured(std::span<const Value> parameters, Context& context) const {
    using Clock = std::chrono::steady_clock;
    const auto millis = [](Clock::time_point begin) {
        return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    };
    std::string text;
    const auto begin = Clock::now();
    auto stepBegin = begin;
    runAll(parameters, context, [&](const PlanStep& step, const Value& value) {
        const std::string rows = value.isTable() ? fmt::format("rows={}, ", value.table().rowCount()) : "";
        text += fmt::format("{} ({}actual time={:.3f} ms)\n", sourceOfStep(step), rows, millis(stepBegin));
        stepBegin = Clock::now();
    });
    return text + fmt::format("Execution Time: {:.3f} ms", millis(begin));
}

Ref<MemoryTable> PreparedQuery::runAll(std::span<const Value> parameters, Context& context, const StepRan& ran) const {
    // All steps read the tables as they are at one moment.
    const OneSnapshot snapshot;
    StepScope scope;
    setStandardNames(scope);
    setParameters(scope, parameters, parts_.parameterTypes);
    try {
        runSteps(parts_.steps, scope, context, ran);
    } catch (const Error& error) {
        throwByState(error);
    }
    const Value rows = scope.get(parts_.steps.back().name);
    CHECK(rows.isTable() && rows.table().asMemory() != nullptr);
    return Ref<MemoryTable>(rows.table().asMemory());
}

bool PreparedQuery::isStillMeant(const SessionFacts& session, Context& context) const {
    CHECK(isShareable());
    const auto isSame = [&](const TableFinding& finding) {
        return isSameTable(finding.found,
                           findTable(finding.written.schema, finding.written.name, session, context, -1));
    };
    try {
        return std::all_of(parts_.findings->begin(), parts_.findings->end(), isSame);
    } catch (const Error&) {
        return false;
    }
}

bool PreparedQuery::looksUp() const {
    return std::any_of(parts_.steps.begin(), parts_.steps.end(),
                       [](const PlanStep& step) { return step.lookup != nullptr; });
}

std::string PreparedQuery::source() const {
    std::string text;
    for (const PlanStep& step : parts_.steps) text += (text.empty() ? "" : "\n") + sourceOfStep(step);
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
    return std::make_shared<const PreparedQuery>(PreparedQuery::Parts{.steps = std::move(steps),
                                                                      .parameterTypes = translation.parameterTypes(),
                                                                      .columns = std::move(columns),
                                                                      .tables = translation.tables(),
                                                                      .findings = translation.findings(),
                                                                      .locksRows = translation.locksRows()});
}

}  // namespace pelorus::postgres
