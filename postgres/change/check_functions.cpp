#include "postgres/change/check_functions.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include <fmt/format.h>

#include "common/thread/mutex.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/parse/expression_text.h"
#include "postgres/sql_error.h"
#include "postgres/steps/standard_names.h"
#include "postgres/translate/select_translator.h"
#include "postgres/types/declared_type.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr const char* kRows = "pgRows";
constexpr const char* kNumber = " row";  // no name of a column begins with a blank
constexpr size_t kMostBound = 256;

// The steps that find the numbers of rows for which a check is false. Immutable.
struct BoundCheck {
    std::vector<PlanStep> steps;
    std::string column;  // of the last step
};
using BoundCheckRef = std::shared_ptr<const BoundCheck>;

Json columnRef(const char* name) {
    return {{"ColumnRef", {{"fields", Json::array({{{"String", {{"sval", name}}}}})}}}};
}

BoundCheckRef bindCheck(std::string_view expression, const TableSchema& schema, std::span<const std::string> declared,
                        Context& context) {
    const SessionFacts nobody;
    Translation translation(nobody, context, {});
    std::vector<RangeColumn> columns;
    for (size_t c = 0; c < schema.size(); ++c) {
        const DeclaredType type = declaredTypeOf(schema[c], declared[c]);
        columns.push_back({schema[c].name, columnOfType(schema[c], type.shown, nameNode(schema[c].name))});
    }
    const ColumnSchema number{.name = kNumber, .type = Type::Int};
    columns.push_back({kNumber, columnOfType(number, {oid::kInt4, -1}, nameNode(kNumber))});
    const Json select = {
        {"targetList", Json::array({{{"ResTarget", {{"val", columnRef(kNumber)}}}}})},
        {"fromClause", Json::array({{{"RangeVar", {{"relname", kRows}}}}})},
        {"whereClause", {{"BoolExpr", {{"boolop", "NOT_EXPR"}, {"args", Json::array({parseExpression(expression)})}}}}},
        {"op", "SETOP_NONE"}};
    auto bound = std::make_shared<BoundCheck>();
    SelectTranslator translator(translation, nullptr, bound->steps);
    translator.addTable(kRows, {kRows, std::move(columns)});
    const Selected selected = translator.translate(select);
    const Name* name = dynamic_cast<const Name*>(selected.columns.at(0).value.code.get());
    bound->column = name != nullptr ? name->name : selected.columns[0].name;
    return bound;
}

// The checks that were bound, by all that their meaning depends on. Thread-safe.
class BoundChecks {
public:
    BoundCheckRef get(const std::string& expression, const TableSchema& schema, std::span<const std::string> declared,
                      Context& context) {
        std::string key = expression;
        for (size_t c = 0; c < schema.size(); ++c)
            key += fmt::format("\n{} {} {} {}", schema[c].name, static_cast<int>(schema[c].type), schema[c].scale,
                               declared[c]);
        {
            const MutexLock guard(mutex_);
            if (const auto known = bound_.find(key); known != bound_.end()) return known->second;
        }
        BoundCheckRef made = bindCheck(expression, schema, declared, context);
        const MutexLock guard(mutex_);
        if (bound_.size() >= kMostBound) bound_.clear();
        bound_[key] = made;
        return made;
    }

private:
    Mutex mutex_;
    std::map<std::string, BoundCheckRef> bound_ GUARDED_BY(mutex_);
};

Value failedRows(Context& context, const MemoryTable& rows, const Value& types, std::string_view expression) {
    static BoundChecks bound;
    std::vector<std::string> declared;
    for (int64_t c = 0; c < types.size(); ++c) declared.emplace_back(types.vector().string(c));
    const BoundCheckRef check = bound.get(std::string(expression), rows.columns(), declared, context);
    const Ref<MemoryTable> numbered = rows.copy();
    std::vector<int32_t> numbers(static_cast<size_t>(rows.rowCount()));
    std::iota(numbers.begin(), numbers.end(), 0);
    numbered->setColumn(kNumber, Value::of(Vector::of(Type::Int, numbers)));
    StepScope scope;
    setStandardNames(scope);
    scope.set(kRows, Value::of(Ref<Table>(numbered)));
    runSteps(check->steps, scope, context);
    const Value failed = scope.get(check->steps.back().name);
    const Value* positions = failed.table().asMemory()->column(check->column);
    return positions != nullptr ? *positions : failed.table().asMemory()->column(0);
}

Value failedRowsKernel(Context& context, Arguments arguments) {
    const bool fits = arguments[0].isTable() && arguments[0].table().asMemory() != nullptr &&
                      arguments[1].isTypedVector() && arguments[1].type() == Type::String &&
                      arguments[1].size() == static_cast<int64_t>(arguments[0].table().columns().size());
    if (!fits) throw UserError("pgFailedRows takes a table in memory and the types of its columns.");
    try {
        return failedRows(context, *arguments[0].table().asMemory(), arguments[1], textArgument(arguments, 2));
    } catch (const SqlError& error) {
        throw UserError(withState(error));
    }
}

}  // namespace

void requireCheck(std::string_view expression, const TableSchema& columns, std::span<const std::string> declared,
                  Context& context) {
    bindCheck(expression, columns, declared, context);
}

void registerCheckFunctions(FunctionRegistry& registry) {
    Declaration declaration;
    declaration.effect = Effect::Stable;
    declaration.facet = Facet::Node;
    registry.add("pgFailedRows(rows, types, expression)", failedRowsKernel,
                 {.summary = "The numbers of the rows for which a condition of PostgreSQL's language is false."},
                 declaration);
}

}  // namespace pelorus::postgres
