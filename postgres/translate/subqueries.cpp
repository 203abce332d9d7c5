// Sub-queries in expressions: SelectTranslator's part.
#include <algorithm>
#include <nlohmann/json.hpp>

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

enum class SubqueryKind : uint8_t { Scalar, Exists, Array };

// How a sub-query's rows become one value.
struct Shape {
    SubqueryKind kind = SubqueryKind::Scalar;
    Type kept = Type::Bool;
    int scale = 0;
    Oid type = oid::kBool;
    int32_t modifier = -1;
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
            items.push_back(item.isNull() ? ArrayItem() : ArrayItem(textForm(item, shape.type, shape.modifier)));
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
    if (subqueries_.contains(&body) || testedQueries_.contains(&body)) return;
    const Translation::Depth depth(translation_);
    const std::string type = textOf(body, "subLinkType");
    if (type == "ANY_SUBLINK" || type == "ALL_SUBLINK") return prepareTest(body);
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
        requireOneColumn(selected, body);
        const Typed& column = selected.columns[0].value;
        shape.kept = column.kept;
        shape.scale = column.scale;
        shape.type = column.type;
        shape.modifier = column.modifier;
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
    if (!inner.outerColumns_.empty()) {
        RowValue given{
            translation_.freshName("c"),
            [shape, last = selected.step](const StepScope& inside) { return shaped(shape, inside.get(last)); },
            typedNullOf(shape), shape.kind == SubqueryKind::Array};
        std::vector<RowInput> inputs;
        for (const OuterColumn& outer : inner.outerColumns_)
            inputs.push_back({outer.name, rowInput(outer.value, levels_[at_], placeOf(body))});
        if (shape.kind != SubqueryKind::Array) {
            std::vector<std::string> names;
            for (const RowInput& input : inputs)
                if (!input.source.starts_with('=')) names.push_back(input.name);
            const DomainUse use = shape.kind == SubqueryKind::Exists ? DomainUse::Existence : DomainUse::OneValue;
            given.overDomain = stepsOverDomain(innerSteps, names, selected.step, use, translation_.context());
        }
        applyToRows(body, std::move(innerSteps), std::move(inputs), std::move(given), std::move(result));
        return;
    }
    std::move(innerSteps.begin(), innerSteps.end(), std::back_inserter(steps_));
    const std::string step = translation_.freshName("pgScalar");
    steps_.push_back(
        {step,
         {},
         [shape, rows = selected.step](const StepScope& scope, Context&) { return shaped(shape, scope.get(rows)); },
         "a value of a sub-query"});
    result.code = nameNode(step);
    subqueries_[&body] = {result, at_};
}

// The rows of the level get one more column, and a level above them reads it.
void SelectTranslator::applyToRows(const Json& body, std::vector<PlanStep> steps, std::vector<RowInput> inputs,
                                   RowValue given, Typed result) {
    if (at_ + 1 != levels_.size())
        throw SqlError(sql_state::kFeatureNotSupported,
                       "A sub-query that reads columns of the query around it is not supported here.", placeOf(body),
                       "Put it into a sub-query of FROM.");
    Level& below = levels_[at_];
    const std::string step = translation_.freshName("pgApplied"), column = given.column, alias = below.name;
    const std::string rows = below.after.empty() ? below.name : below.after.back().name;
    const char* summary = given.overDomain ? "a sub-query for all rows" : "a sub-query for each row";
    below.after.push_back({step,
                           {},
                           [steps = std::move(steps), inputs = std::move(inputs), rows, given = std::move(given)](
                               const StepScope& scope, Context& context) {
                               return withRowValues(steps, inputs, scope.get(rows), given, scope, context);
                           },
                           summary});
    pushLevel();
    level().query->table = nameNode(step);
    level().query->tableAlias = alias;
    result.code = columnNode(alias, column);
    subqueries_[&body] = {std::move(result), at_};
}

namespace {

// What `x op any (rows)` or `x op all (rows)` is: rows that were asked for are counted.
Value testOf(bool isAny, int64_t rows, int64_t areTrue, int64_t areFalse) {
    if (isAny) return areTrue > 0 ? Value::ofBool(true) : areFalse == rows ? Value::ofBool(false) : Value();
    return areFalse > 0 ? Value::ofBool(false) : areTrue == rows ? Value::ofBool(true) : Value();
}

// Returns whether the test is the membership in a set, or that in none.
bool isMembership(const std::string& op, bool isAny) {
    return isAny ? op == "=" : op == "<>" || op == "!=";
}

}  // namespace

// x in (select …), x < all (select …): one that is no membership in a set that is the same for all rows is computed for
// each of them.
void SelectTranslator::prepareTest(const Json& body) {
    if (kindOf(body["testexpr"]) == "RowExpr")
        throw SqlError(sql_state::kFeatureNotSupported, "Rows in IN are not supported.", placeOf(body));
    const std::string op = body.contains("operName") ? wordOf(body["operName"].back()) : "=";
    const bool isAny = textOf(body, "subLinkType") == "ANY_SUBLINK";
    std::vector<PlanStep> steps;
    SelectTranslator inner(translation_, this, steps);
    const Selected selected = inner.translate(bodyOf(body["subselect"]));
    requireOneColumn(selected, body);
    if (inner.outerColumns_.empty() && isMembership(op, isAny)) {
        std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
        testedQueries_[&body] = selected;
        return;
    }
    if (!isComparisonName(op))
        throw SqlError(sql_state::kFeatureNotSupported, "ANY and ALL of a sub-query take a comparison.", placeOf(body));
    Typed tested = value(body["testexpr"]);
    std::vector<RowInput> inputs;
    for (const OuterColumn& outer : inner.outerColumns_)
        inputs.push_back({outer.name, rowInput(outer.value, levels_[at_], placeOf(body))});
    if (!tested.isUnknown() && !tested.constant) {
        inputs.push_back({translation_.freshName("pgTested"), rowInput(tested, levels_[at_], placeOf(body))});
        tested.code = nameNode(inputs.back().name);
    }
    const Comparison comparison =
        resolveComparison(op, tested, selected.columns[0].value, placeOf(body), translation_.host());
    const auto addCount = [&](bool wanted) {
        Ref<Query> query = makeRef<Query>(SourcePosition());
        query->table = nameNode(selected.step);
        query->items.push_back({constantNode(Value::ofInt(1)), {translation_.freshName("c")}, {}});
        query->where.push_back(comparisonIs(comparison, wanted));
        steps.push_back({translation_.freshName("pgTests"), query, {}, {}});
        return steps.back().name;
    };
    const std::string areTrue = addCount(true), areFalse = addCount(false);
    const auto count = [](const StepScope& scope, const std::string& name) {
        return scope.get(name).table().rowCount();
    };
    RowValue given{translation_.freshName("c"),
                   [=, rows = selected.step](const StepScope& inside) {
                       return testOf(isAny, count(inside, rows), count(inside, areTrue), count(inside, areFalse));
                   },
                   Value::nullOf(Type::Bool)};
    applyToRows(body, std::move(steps), std::move(inputs), std::move(given),
                typedCode({}, oid::kBool, -1, placeOf(body)));
}

SelectTranslator::Membership SelectTranslator::membershipOf(const Json& body) {
    const auto found = testedQueries_.find(&body);
    Membership membership;
    membership.isNegated = textOf(body, "subLinkType") != "ANY_SUBLINK";
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
    prepareSubquery(body);
    if (testedQueries_.contains(&body)) {
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
    prepareSubquery(body);
    if (testedQueries_.contains(&body)) {
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

}  // namespace pelorus::postgres
