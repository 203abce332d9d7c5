#include "postgres/change/check_functions.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "common/thread/mutex.h"
#include "interpreter/expression/expression_program.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/parse/expression_text.h"
#include "postgres/parse/made_nodes.h"
#include "postgres/sql_error.h"
#include "postgres/steps/standard_names.h"
#include "postgres/translate/select_translator.h"
#include "postgres/types/declared_type.h"
#include "runtime/code/expression.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"
#include "sql/expression/bind_expression.h"
#include "sql/rewrite/converted_constants.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr const char* kRows = "pgRows";
constexpr const char* kNumber = " row";  // no name of a column begins with a blank
constexpr size_t kMostBound = 256;

// How the rows are found for which a check is false: by a program over their columns, or, where a check is no such
// expression, by steps that give their numbers. Immutable.
struct BoundCheck {
    std::optional<ExpressionProgram> program;
    std::vector<PlanStep> steps;
    std::string column;  // of the last step
};
using BoundCheckRef = std::shared_ptr<const BoundCheck>;

// Returns whether the code names what has another value at each run.
bool namesTime(const NodeRef& code) {
    bool isNamed = false;
    rewrite(code, [&](const NodeRef& node) {
        isNamed |= node->kind == NodeKind::Name && static_cast<const Name&>(*node).name == kNowName;
        return NodeRef();
    });
    return isNamed;
}

// Returns the conditions of the steps as a program over the columns; nothing where they are more than a filter of the
// rows, or each run has to evaluate them anew.
std::optional<ExpressionProgram> programOf(const std::vector<PlanStep>& steps, const Json& expression,
                                           const TableSchema& schema, Context& context) {
    if (steps.size() != 1 || !steps[0].query || steps[0].query->where.empty()) return {};
    const Query& query = *steps[0].query;
    const bool isFilter = query.joins.empty() && query.table->kind == NodeKind::Name &&
                          static_cast<const Name&>(*query.table).name == kRows;
    if (!isFilter || callsAny(expression, {"random", "gen_random_uuid", "clock_timestamp", "nextval", "setval"}))
        return {};
    NodeRef all;
    for (const NodeRef& condition : query.where)
        all = all ? NodeRef(makeRef<Binary>(Operator::And, all, condition, condition->position)) : condition;
    if (namesTime(all)) return {};
    const StepScope scope;
    Context inner = context;
    inner.scope = &scope;
    ExpressionProgram program = bindProgram(withConvertedConstants(all, schema), schema, inner);
    // Else the engine evaluates one condition after the other, each on the rows that those before have left.
    const bool isOne = query.where.size() == 1 || program.isCheap();
    if (!isOne || !program.isElementwise() || program.isConstant()) return {};
    return program;
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
    const Json parsed = parseExpression(expression);
    const Json select = {{"targetList", Json::array({selectTarget(columnReference({kNumber}))})},
                         {"fromClause", Json::array({{{"RangeVar", {{"relname", kRows}}}}})},
                         {"whereClause", {{"BoolExpr", {{"boolop", "NOT_EXPR"}, {"args", Json::array({parsed})}}}}},
                         {"op", "SETOP_NONE"}};
    auto bound = std::make_shared<BoundCheck>();
    SelectTranslator translator(translation, nullptr, bound->steps);
    translator.addTable(kRows, {kRows, std::move(columns)});
    const Selected selected = translator.translate(select);
    const Name* name = dynamic_cast<const Name*>(selected.columns.at(0).value.code.get());
    bound->column = name != nullptr ? name->name : selected.columns[0].name;
    bound->program = programOf(bound->steps, parsed, schema, context);
    return bound;
}

// The checks that were bound, by all that their meaning depends on. Thread-safe.
class BoundChecks {
public:
    BoundCheckRef get(const std::string& expression, const TableSchema& schema, std::span<const std::string> declared,
                      Context& context) {
        std::string key = expression;
        for (size_t c = 0; c < schema.size(); ++c) {
            key.append("\n").append(schema[c].name).append("\n").append(declared[c]);
            key.push_back(static_cast<char>(schema[c].type));
            key.push_back(static_cast<char>(schema[c].scale));
        }
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
    if (check->program) {
        const Value failed = check->program->evaluate(context, rows);
        return Value::of(Vector::of(Type::Int, rowsWhere(failed, rows.rowCount(), "check")));
    }
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
