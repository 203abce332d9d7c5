// Sub-queries in expressions: SelectTranslator's part.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include <fmt/format.h>

#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/operator_calls.h"
#include "postgres/translate/select_translator.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

// The most different rows for which a sub-query is computed one by one.
constexpr size_t kMaxOuterRows = 100'000;

enum class SubqueryKind : uint8_t { Scalar, Exists, Array };

// How a sub-query's rows become one value.
struct Shape {
    SubqueryKind kind = SubqueryKind::Scalar;
    Type kept = Type::Bool;
    int scale = 0;
    Oid type = oid::kBool;
};

Value typedNullOf(const Shape& shape) {
    Value null = Value::nullOf(shape.kept);
    if (isDecimal(shape.kept)) null.setExtra(static_cast<uint8_t>(shape.scale));
    return null;
}

Value shaped(const Shape& shape, const Value& rows) {
    const MemoryTable& table = *rows.table().asMemory();
    if (shape.kind == SubqueryKind::Exists) return Value::ofBool(table.rowCount() > 0);
    if (shape.kind == SubqueryKind::Array) {
        std::vector<ArrayItem> items;
        for (int64_t row = 0; row < table.rowCount(); ++row) {
            const Value item = table.column(0).at(row);
            items.push_back(item.isNull() ? ArrayItem() : ArrayItem(textForm(item, shape.type, -1)));
        }
        return textValue(arrayText(items));
    }
    if (table.rowCount() > 1)
        throw SqlError(sql_state::kCardinality, "more than one row returned by a subquery used as an expression");
    return table.rowCount() == 0 ? typedNullOf(shape) : table.column(0).at(0);
}

void requireOneColumn(const Selected& selected, const Json& body) {
    if (selected.columns.size() != 1)
        throw SqlError(
            sql_state::kSyntaxError,
            selected.columns.empty() ? "subquery must return a column" : "subquery must return only one column",
            placeOf(body));
}

}  // namespace

bool SelectTranslator::hasSubqueries(const Json& node) const {
    std::vector<const Json*> pending = {&node};
    while (!pending.empty()) {
        const Json& current = *pending.back();
        pending.pop_back();
        if (!current.is_structured()) continue;
        if (current.is_object() && current.contains("SubLink")) return true;
        for (const Json& child : current) pending.push_back(&child);
    }
    return false;
}

void SelectTranslator::prepareSubqueries(const Json& node) {
    std::vector<const Json*> pending = {&node};
    while (!pending.empty()) {
        const Json& current = *pending.back();
        pending.pop_back();
        if (!current.is_structured()) continue;
        if (current.is_object() && current.size() == 1 && current.begin().key() == "SubLink") {
            const Json& body = current.begin().value();
            if (body.contains("testexpr")) pending.push_back(&body["testexpr"]);
            prepareSubquery(body);
            continue;
        }
        for (const Json& child : current) pending.push_back(&child);
    }
}

void SelectTranslator::prepareSubquery(const Json& body) {
    if (subqueries_.contains(&body)) return;
    const Translation::Depth depth(translation_);
    const std::string type = textOf(body, "subLinkType");
    std::vector<PlanStep> innerSteps;
    SelectTranslator inner(translation_, this, innerSteps);
    const Selected selected = inner.translate(bodyOf(body["subselect"]));
    Shape shape;
    shape.kind = type == "EXISTS_SUBLINK"  ? SubqueryKind::Exists
                 : type == "ARRAY_SUBLINK" ? SubqueryKind::Array
                                           : SubqueryKind::Scalar;
    Typed result = typedCode({}, oid::kBool, -1, placeOf(body));
    result.isNullable = shape.kind == SubqueryKind::Scalar;
    if (shape.kind != SubqueryKind::Exists) {
        if (type == "EXPR_SUBLINK" || type == "ARRAY_SUBLINK") requireOneColumn(selected, body);
        const Typed& column = selected.columns[0].value;
        shape.kept = column.kept;
        shape.scale = column.scale;
        shape.type = column.type;
        if (shape.kind == SubqueryKind::Array) {
            const OidFacts* facts = oidFacts(column.type);
            result = typedCode({}, facts->array != 0 ? facts->array : oid::kTextArray, -1, placeOf(body));
        } else {
            result = column;
            result.constant.reset();
            result.isNullable = true;
            result.place = placeOf(body);
        }
    }
    const bool isTest = type == "ANY_SUBLINK" || type == "ALL_SUBLINK";
    if (!inner.outerColumns_.empty()) {
        if (isTest)
            throw SqlError(
                sql_state::kFeatureNotSupported,
                "IN, ANY and ALL of a sub-query that reads columns of the query around it are not supported.",
                placeOf(body), "Write EXISTS.");
        const size_t below = at_;
        const std::string column = translation_.freshName("c");
        std::vector<std::pair<std::string, std::string>> inputs;  // name of the value, column of the rows below
        for (const OuterColumn& outer : inner.outerColumns_) {
            const Typed given = exportedOnce(outer.value, levels_[below], placeOf(body));
            const std::string source =
                given.code->kind == NodeKind::Member ? static_cast<const Member&>(*given.code).name : "";
            inputs.emplace_back(outer.name, source.empty() ? "=" + static_cast<const Name&>(*given.code).name : source);
        }
        const std::string step = translation_.freshName("pgApplied");
        const std::string rows = levels_[below].after.empty() ? levels_[below].name : levels_[below].after.back().name;
        const auto compute = [innerSteps = std::move(innerSteps), inputs, rows, column, shape, last = selected.step](
                                 const StepScope& scope, Context& context) {
            return applyToRows(
                innerSteps, inputs, scope.get(rows), column,
                [&](const StepScope& inside) { return shaped(shape, inside.get(last)); }, typedNullOf(shape),
                shape.kind == SubqueryKind::Array, scope, context);
        };
        levels_[below].after.push_back({step, {}, compute, "a sub-query for each row"});
        const std::string alias = levels_[below].name;
        pushLevel();
        level().query->table = nameNode(step);
        level().query->tableAlias = alias;
        result.code = columnNode(alias, column);
        subqueries_[&body] = {result, at_};
        return;
    }
    std::move(innerSteps.begin(), innerSteps.end(), std::back_inserter(steps_));
    if (isTest) {
        requireOneColumn(selected, body);
        testedQueries_[&body] = selected;
        return;
    }
    const std::string step = translation_.freshName("pgScalar");
    steps_.push_back(
        {step,
         {},
         [shape, rows = selected.step](const StepScope& scope, Context&) { return shaped(shape, scope.get(rows)); },
         "a value of a sub-query"});
    result.code = nameNode(step);
    subqueries_[&body] = {result, at_};
}

SelectTranslator::Membership SelectTranslator::membershipOf(const Json& body) {
    prepareSubquery(body);
    const auto found = testedQueries_.find(&body);
    const std::string op = body.contains("operName") ? wordOf(body["operName"].back()) : "=";
    const bool isAny = textOf(body, "subLinkType") == "ANY_SUBLINK";
    if (found == testedQueries_.end() || !((isAny && op == "=") || (!isAny && (op == "<>" || op == "!="))))
        throw SqlError(sql_state::kFeatureNotSupported, "ANY and ALL of a sub-query are supported as = ANY and <> ALL.",
                       placeOf(body));
    if (kindOf(body["testexpr"]) == "RowExpr")
        throw SqlError(sql_state::kFeatureNotSupported, "Rows in IN are not supported.", placeOf(body));
    Membership membership;
    membership.isNegated = !isAny;
    std::vector<Typed> both = {value(body["testexpr"]), found->second.columns[0].value};
    const Oid type = commonType(both[0].type, both[1].type);
    if (type == 0) refuseOperator("=", &both[0], both[1], placeOf(body));
    convertAll(both, "IN", placeOf(body), translation_.host());
    membership.tested = both[0];
    const std::string column = translation_.freshName("c"), rows = translation_.freshName("pgRows");
    Ref<Query> query = makeRef<Query>(SourcePosition());
    query->table = nameNode(found->second.step);
    query->items.push_back({both[1].code, {column}, {}});
    steps_.push_back({rows, query, {}, {}});
    membership.values = translation_.freshName("pgValues");
    membership.hasNull = translation_.freshName("pgHasNull");
    membership.isEmpty = translation_.freshName("pgIsEmpty");
    steps_.push_back({membership.values,
                      {},
                      [rows](const StepScope& scope, Context&) {
                          const Value all = scope.get(rows).table().asMemory()->column(0);
                          std::vector<int64_t> kept;
                          for (int64_t i = 0; i < all.size(); ++i)
                              if (!all.at(i).isNull()) kept.push_back(i);
                          return gatherElements(all, kept.data(), static_cast<int64_t>(kept.size()));
                      },
                      "values without NULL"});
    steps_.push_back({membership.hasNull,
                      {},
                      [rows, values = membership.values](const StepScope& scope, Context&) {
                          return Value::ofBool(scope.get(rows).table().rowCount() > scope.get(values).size());
                      },
                      "whether NULL is among them"});
    steps_.push_back(
        {membership.isEmpty,
         {},
         [rows](const StepScope& scope, Context&) { return Value::ofBool(scope.get(rows).table().rowCount() == 0); },
         "whether there is none"});
    return membership;
}

Typed SelectTranslator::subqueryValue(const Json& body) {
    const std::string type = textOf(body, "subLinkType");
    if (type == "ANY_SUBLINK" || type == "ALL_SUBLINK") {
        const Membership membership = membershipOf(body);
        const NodeRef null = constantNode(Value::nullOf(Type::Bool));
        const auto truth = [&](bool x) { return constantNode(Value::ofBool(x != membership.isNegated)); };
        NodeRef unknown = binaryNode(Operator::Or, isNullNode(membership.tested.code), nameNode(membership.hasNull));
        NodeRef code = callNode("iif", {std::move(unknown), null, truth(false)});
        code =
            callNode("iif", {binaryNode(Operator::And, isValidNode(membership.tested.code),
                                        binaryNode(Operator::In, membership.tested.code, nameNode(membership.values))),
                             truth(true), std::move(code)});
        code = callNode("iif", {binaryNode(Operator::And, nameNode(membership.isEmpty),
                                           binaryNode(Operator::Or, isNullNode(membership.tested.code),
                                                      isValidNode(membership.tested.code))),
                                truth(false), std::move(code)});
        return typedCode(std::move(code), oid::kBool, -1, placeOf(body));
    }
    prepareSubquery(body);
    const PreparedSubquery& prepared = subqueries_.at(&body);
    Typed typed = exported(prepared.value, std::min(prepared.level, at_), at_, placeOf(body));
    return typed;
}

NodeRef SelectTranslator::subqueryCondition(const Json& body, bool wanted) {
    const std::string type = textOf(body, "subLinkType");
    if (type == "EXISTS_SUBLINK") {
        const Typed typed = subqueryValue(body);
        return wanted ? typed.code : notNode(typed.code);
    }
    if (type == "ANY_SUBLINK" || type == "ALL_SUBLINK") {
        const Membership membership = membershipOf(body);
        NodeRef isIn = binaryNode(Operator::In, membership.tested.code, nameNode(membership.values));
        if (wanted != membership.isNegated)
            return binaryNode(Operator::And, isValidNode(membership.tested.code), std::move(isIn));
        // Not in: of no rows always, else where neither side has a NULL.
        NodeRef known =
            binaryNode(Operator::And, isValidNode(membership.tested.code), notNode(nameNode(membership.hasNull)));
        return binaryNode(Operator::And, notNode(std::move(isIn)),
                          binaryNode(Operator::Or, nameNode(membership.isEmpty), std::move(known)));
    }
    Typed typed = convert(subqueryValue(body), oid::kBool, -1, Conversion::Implicit, translation_.host());
    return binaryNode(Operator::Eq, typed.code, constantNode(Value::ofBool(wanted)));
}

Value applyToRows(const std::vector<PlanStep>& steps, const std::vector<std::pair<std::string, std::string>>& inputs,
                  const Value& rows, const std::string& column, const std::function<Value(const StepScope&)>& result,
                  const Value& null, bool isText, const StepScope& scope, Context& context) {
    const MemoryTable& table = *rows.table().asMemory();
    const int64_t count = table.rowCount();
    Ref<Vector> out = Vector::make(isText ? Type::String : null.type(), 0, count);
    if (isDecimal(null.type()) && !isText) out->setScale(null.extra());
    std::unordered_map<std::string, Value> known;
    for (int64_t row = 0; row < count; ++row) {
        context.checkCancelled();
        StepScope inside(&scope);
        std::string key;
        for (const auto& [name, source] : inputs) {
            Value given;
            if (source.starts_with('=')) {
                given = scope.get(source.substr(1));
            } else {
                given = table.column(source)->at(row);
            }
            key +=
                textForm(given.isNull() ? Value::ofString("") : given, oid::kText, -1) + (given.isNull() ? '\1' : '\2');
            key += '\0';
            inside.set(name, std::move(given));
        }
        const auto found = known.find(key);
        if (found != known.end()) {
            out->append(found->second);
            continue;
        }
        if (known.size() >= kMaxOuterRows)
            throw SqlError(
                sql_state::kProgramLimit,
                "A sub-query that reads columns of the query around it is computed for at most 100,000 different rows.",
                -1, "Write a join.");
        runSteps(steps, inside, context);
        Value value = result(inside);
        if (value.isVoid()) value = null;
        out->append(value);
        known.emplace(std::move(key), std::move(value));
    }
    Ref<MemoryTable> with = table.copy();
    with->setColumn(column, Value::of(out));
    return Value::of(Ref<Table>(with));
}

}  // namespace pelorus::postgres
