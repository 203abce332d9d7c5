#include "postgres/translate/prepared_query.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "common/check.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/point_join.h"
#include "postgres/steps/point_lookup.h"
#include "postgres/steps/point_select.h"
#include "postgres/steps/standard_names.h"
#include "postgres/translate/select_translator.h"
#include "postgres/translate/translation.h"
#include "runtime/append/row_access.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/table/table.h"
#include "sql/bind/plan_select.h"
#include "sql/execution/query_snapshot.h"
#include "sql/expression/constraint.h"
#include "sql/plan/index_text.h"

namespace pelorus::postgres {

namespace {

std::string sourceOfStep(const PlanStep& step) {
    return fmt::format("{} = {}", step.name, step.query ? toSource(*step.query) : "<" + step.summary + ">");
}

// Returns the conditions of a query over the table of this name, with the columns under their plain names.
NodeList conditionsOver(const Query& query, const std::string& table) {
    NodeList conditions;
    for (const NodeRef& written : query.where) {
        const NodeRef plain = rewrite(written, [&](const NodeRef& node) -> NodeRef {
            if (node->kind != NodeKind::Member) return NodeRef();
            const auto& member = static_cast<const Member&>(*node);
            const bool isOwn =
                member.object->kind == NodeKind::Name && static_cast<const Name&>(*member.object).name == table;
            return isOwn ? NodeRef(makeRef<Name>(member.name, member.position)) : NodeRef();
        });
        splitAnd(plain, conditions);
    }
    return conditions;
}

// Returns how an index finds the rows of a step that reads one stored table; empty where none does. The context knows
// the names of parameters.
std::string indexOf(const PlanStep& step, const std::vector<PlanStep>& steps, Context& context) {
    if (!step.query || !step.query->table || step.query->table->kind != NodeKind::Name || !step.query->joins.empty())
        return "";
    const std::string& name = static_cast<const Name&>(*step.query->table).name;
    const auto opens = std::find_if(steps.begin(), steps.end(),
                                    [&](const PlanStep& other) { return other.name == name && other.opensTable; });
    if (opens == steps.end()) return "";
    const Value opened = opens->compute(StepScope(), context);
    const PartitionedTable* const table = opened.isTable() ? opened.table().asPartitioned() : nullptr;
    if (table == nullptr || dynamic_cast<const RowAccess*>(table) == nullptr) return "";
    const std::vector<ColumnConstraint> constraints =
        constraintsOf(conditionsOver(*step.query, name), table->columns(), context);
    const std::string text = indexText(*table->snapshot(context.principal()), table->columns(), constraints);
    return text.empty() ? text : fmt::format("{} on {}", text, opens->summary);
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
    return areStillFound(*parts_.findings, session, context);
}

bool PreparedQuery::looksUp() const {
    return std::any_of(parts_.steps.begin(), parts_.steps.end(),
                       [](const PlanStep& step) { return step.lookup != nullptr || step.join != nullptr; });
}

std::string PreparedQuery::source() const {
    std::string text;
    for (const PlanStep& step : parts_.steps) text += (text.empty() ? "" : "\n") + sourceOfStep(step);
    return text;
}

std::string PreparedQuery::explained(Context& context) const {
    // Which value a parameter will have is not known; each finds rows in the same way.
    StepScope scope;
    setStandardNames(scope);
    for (size_t i = 0; i < parts_.parameterTypes.size(); ++i) {
        const OidFacts* const facts = oidFacts(parts_.parameterTypes[i]);
        if (facts != nullptr) scope.set(parameterName(static_cast<int>(i) + 1), Value::nullOf(facts->kept));
    }
    Context inner = context;
    inner.scope = &scope;
    std::string text;
    for (const PlanStep& step : parts_.steps) {
        text += (text.empty() ? "" : "\n") + sourceOfStep(step);
        if (const std::string index = indexOf(step, parts_.steps, inner); !index.empty()) text += "\n  " + index;
    }
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
    for (PlanStep& step : steps) {
        if (!step.query) continue;
        step.lookup = pointLookupOf(*step.query);
        step.join = pointJoinOf(*step.query);
        step.select = pointSelectOf(*step.query);
    }
    return std::make_shared<const PreparedQuery>(PreparedQuery::Parts{.steps = std::move(steps),
                                                                      .parameterTypes = translation.parameterTypes(),
                                                                      .columns = std::move(columns),
                                                                      .tables = translation.tables(),
                                                                      .findings = translation.findings(),
                                                                      .locksRows = translation.locksRows()});
}

}  // namespace pelorus::postgres
