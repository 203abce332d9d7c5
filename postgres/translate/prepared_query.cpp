#include "postgres/translate/prepared_query.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "common/check.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/select_translator.h"
#include "postgres/translate/translation.h"
#include "runtime/format/to_source.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

// What every run has: the time, and a table of one row.
void setStandardNames(StepScope& scope) {
    const int64_t micros =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    scope.set(kNowName, Value::scalar(Type::NanoTimestamp, micros * 1'000));
    scope.set(
        kOneRowName,
        Value::of(Ref<Table>(makeRef<MemoryTable>(
            std::vector<std::string>{"one"}, std::vector<Value>{Value::of(Vector::of<int32_t>(Type::Int, {1}))}))));
}

}  // namespace

Ref<MemoryTable> PreparedQuery::run(std::span<const Value> parameters, Context& context) const {
    StepScope scope;
    setStandardNames(scope);
    for (size_t i = 0; i < parameters.size(); ++i) {
        const OidFacts* facts = i < parameterTypes_.size() ? oidFacts(parameterTypes_[i]) : nullptr;
        scope.set(parameterName(static_cast<int>(i) + 1),
                  parameters[i].isVoid() && facts != nullptr ? Value::nullOf(facts->kept) : parameters[i]);
    }
    try {
        runSteps(steps_, scope, context);
    } catch (const Error& error) {
        throwByState(error);
    }
    const Value rows = scope.get(steps_.back().name);
    CHECK(rows.isTable() && rows.table().asMemory() != nullptr);
    return Ref<MemoryTable>(rows.table().asMemory());
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
    return std::make_shared<const PreparedQuery>(std::move(steps), translation.parameterTypes(), std::move(columns));
}

}  // namespace pelorus::postgres
