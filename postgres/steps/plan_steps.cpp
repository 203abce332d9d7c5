#include "postgres/steps/plan_steps.h"

#include <optional>
#include <utility>

#include "common/check.h"
#include "postgres/steps/picked_rows.h"
#include "postgres/steps/point_join.h"
#include "postgres/steps/point_lookup.h"
#include "postgres/steps/point_select.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "sql/execute.h"

namespace pelorus::postgres {

bool StepScope::lookup(std::string_view name, Value& value) const {
    const auto found = values_.find(std::string(name));
    if (found != values_.end()) {
        value = found->second;
        return true;
    }
    if (outer_ != nullptr) return outer_->lookup(name, value);
    if (!name.starts_with("pg")) return false;
    const BuiltinFunction* builtin = FunctionRegistry::instance().findForNode(name);
    if (builtin == nullptr) return false;
    value = Value::of(Ref<Function>(const_cast<BuiltinFunction*>(builtin)));
    return true;
}

Value StepScope::get(const std::string& name) const {
    Value value;
    const bool isThere = lookup(name, value);
    CHECK(isThere);
    return value;
}

// Picks of all rows of a step before.
static std::optional<Value> pickAll(const PlanStep& step, const StepScope& scope) {
    const Value rows = scope.get(step.picks.first);
    const MemoryTable* const table = rows.isTable() ? rows.table().asMemory() : nullptr;
    if (table == nullptr) return {};
    return step.picks.second->pick([&](const std::string& name) { return *table->column(name); }, table->rowCount(),
                                   scope);
}

void runSteps(std::span<const PlanStep> steps, StepScope& scope, Context& context, const StepRan& ran) {
    const Scope* const before = context.scope;
    context.scope = &scope;
    struct Restore {
        Context& context;
        const Scope* before;
        ~Restore() { context.scope = before; }
    } const restore{context, before};
    for (const PlanStep& step : steps) {
        context.checkCancelled();
        std::optional<Value> value;
        if (step.lookup) value = lookUp(*step.lookup, scope, context);
        if (step.picks.second) value = pickAll(step, scope);
        if (step.join) value = lookUpAll(*step.join, scope, context);
        if (!value && step.select) value = selectFew(*step.select, scope, context);
        if (!value) value = step.query ? executeQuery(*step.query, context) : step.compute(scope, context);
        if (ran) ran(step, *value);
        scope.set(step.name, std::move(*value));
    }
}

std::string parameterName(int number) {
    return "pgParameter" + std::to_string(number);
}

}  // namespace pelorus::postgres
