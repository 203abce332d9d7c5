// Expressions: SelectTranslator's part that translates them, as values and as conditions.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "postgres/functions/conversions.h"
#include "postgres/parse/row_comparison.h"
#include "postgres/parse/sequence_literals.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/array_values.h"
#include "postgres/translate/catalog_calls.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/operator_calls.h"
#include "postgres/translate/select_translator.h"
#include "postgres/typing/literals.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

NodeRef truth(bool x) {
    return constantNode(Value::ofBool(x));
}

Typed constantOf(const Json& constant) {
    if (flagOf(constant, "isnull")) return typedNull();
    if (constant.contains("ival"))
        return typedConstant(Value::ofInt(static_cast<int32_t>(numberOf(constant["ival"], "ival"))), oid::kInt4);
    if (constant.contains("boolval"))
        return typedConstant(Value::ofBool(flagOf(constant["boolval"], "boolval")), oid::kBool);
    if (constant.contains("fval")) return typedNumber(textOf(constant["fval"], "fval"));
    if (constant.contains("sval")) return typedText(textOf(constant["sval"], "sval"));
    throw SqlError(sql_state::kFeatureNotSupported, "Bit strings are not supported.", placeOf(constant));
}

bool areHarmless(const Json& nodes);

// Returns whether an operator or test cannot fail for any values.
bool isHarmlessOperator(const Json& body) {
    const std::string kind = textOf(body, "kind");
    const bool isComparison = kind == "AEXPR_OP" && isComparisonName(wordOf(body["name"].back()));
    const bool isOther = kind == "AEXPR_IN" || kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN" ||
                         kind == "AEXPR_DISTINCT" || kind == "AEXPR_NOT_DISTINCT";
    return (isComparison || isOther) && body.contains("lexpr") && areHarmless(body["lexpr"]) &&
           areHarmless(body["rexpr"]);
}

// Returns whether computing a value cannot fail: such a branch of a case needs no guard.
bool isHarmless(const Json& node) {
    const std::string_view kind = kindOf(node);
    if (kind == "A_Const" || kind == "ColumnRef" || kind == "ParamRef") return true;
    const Json& body = bodyOf(node);
    if (kind == "A_Expr") return isHarmlessOperator(body);
    if (kind == "BoolExpr" || kind == "CoalesceExpr") return areHarmless(body["args"]);
    if (kind == "NullTest" || kind == "BooleanTest") return areHarmless(body["arg"]);
    if (kind == "List") return areHarmless(body["items"]);
    // What a constant cannot become is told before any row is read.
    const std::string_view cast = kind == "TypeCast" ? kindOf(body["arg"]) : std::string_view();
    return cast == "A_Const" || cast == "ParamRef";
}

bool areHarmless(const Json& nodes) {
    return nodes.is_array() ? std::all_of(nodes.begin(), nodes.end(), isHarmless) : isHarmless(nodes);
}

// Each guarded condition is a part of the guards behind it, in each of its columns, so that all of them together grow
// as a power of their number. Those behind so many are computed for all rows.
constexpr int kMaxGuardedConditions = 5;

NodeRef both(NodeRef a, NodeRef b) {
    if (!a) return b;
    return binaryNode(Operator::And, std::move(a), std::move(b));
}

// Joins conditions by `and` or `or`, in their order. The tree is as deep as the logarithm of their number, so that long
// lists neither meet the limit of depth nor take the compiler a time that grows with their square.
NodeRef joinedEvenly(Operator op, std::span<const NodeRef> parts) {
    if (parts.size() == 1) return parts[0];
    const size_t half = parts.size() / 2;
    return binaryNode(op, joinedEvenly(op, parts.first(half)), joinedEvenly(op, parts.subspan(half)));
}

}  // namespace

std::vector<Typed> SelectTranslator::values(const Json& list) {
    std::vector<Typed> typed;
    for (const Json& node : list) typed.push_back(value(node));
    return typed;
}

// Whether a value is computed of columns in which '' is NULL is noted here, whatever is between.
Typed SelectTranslator::value(const Json& node) {
    const Translation::Depth depth(translation_);
    const bool hadEmptyNull = std::exchange(hasEmptyNull_, false);
    Typed typed = groupedOrOwn(node);
    typed.isEmptyNull |= hasEmptyNull_;
    hasEmptyNull_ = hadEmptyNull || typed.isEmptyNull;
    return typed;
}

Typed SelectTranslator::groupedOrOwn(const Json& node) {
    if (!groupKeys_.empty() && !isInAggregate_ && kindOf(node) != "A_Const") {
        const std::string wanted = canonical(node);
        for (const GroupKey& key : groupKeys_) {
            if (key.canonical != wanted) continue;
            size_t level = 0;
            while (!levels_[level].isGrouped) ++level;
            return exported(key.value, level + 1, at_, placeOf(bodyOf(node)));
        }
    }
    Typed typed = valueOf(node);
    if (typed.place < 0) typed.place = placeOf(bodyOf(node));
    return typed;
}

Typed SelectTranslator::parameterValue(const Json& body) {
    const auto number = static_cast<int>(numberOf(body, "number"));
    if (!body.contains("literalType")) return translation_.parameter(number, placeOf(body));
    return translation_.literalParameter(number, static_cast<Oid>(numberOf(body, "literalType")),
                                         static_cast<int>(numberOf(body, "literalScale")), placeOf(body));
}

Typed SelectTranslator::valueOf(const Json& node) {
    const std::string_view kind = kindOf(node);
    const Json& body = bodyOf(node);
    if (kind == "A_Const") return constantOf(body);
    if (kind == "ColumnRef") return columnValue(body);
    if (kind == "ParamRef") return parameterValue(body);
    if (kind == "A_Expr") return operatorValue(body);
    if (kind == "BoolExpr" || kind == "NullTest" || kind == "BooleanTest") return booleanValue(node);
    if (kind == "CaseExpr") return caseValue(body);
    if (kind == "TypeCast") return castValue(body);
    if (kind == "FuncCall") return functionValue(body);
    if (kind == "CoalesceExpr") {
        const Json& items = body["args"];
        std::vector<Typed> typed;
        NodeRef guard;
        for (const Json& item : items) {
            // A later value is computed where the earlier ones are NULL.
            typed.push_back(guard ? under(guard, item) : value(item));
            guard = both(guard, isNullNode(typed.back().code));
        }
        return coalesced(std::move(typed), placeOf(body), translation_.host());
    }
    if (kind == "MinMaxExpr")
        return resolveFunction(textOf(body, "op") == "IS_LEAST" ? "least" : "greatest", values(body["args"]),
                               placeOf(body), translation_.host());
    if (kind == "SQLValueFunction") return sessionValue(body);
    if (kind == "SubLink") return subqueryValue(body);
    if (kind == "GroupingFunc") return groupingValue(body);
    if (kind == "A_ArrayExpr") return arrayValue(body);
    if (kind == "A_Indirection") return subscriptValue(body);
    if (kind == "CollateClause") {
        const std::string collation = namesOf(body["collname"]).back();
        if (collation != "default" && collation != "C" && collation != "POSIX" && collation != "ucs_basic")
            throw SqlError(sql_state::kFeatureNotSupported,
                           fmt::format("the collation \"{}\" is not supported: texts are ordered by bytes, as C has it",
                                       collation),
                           placeOf(body));
        return value(body["arg"]);
    }
    if (kind == "SetToDefault")
        throw SqlError(sql_state::kSyntaxError, "DEFAULT is not allowed in this context", placeOf(body));
    throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{} is not supported.", kind), placeOf(body));
}

Typed SelectTranslator::columnValue(const Json& body) {
    const std::vector<std::string> names = namesOf(body["fields"]);
    const int place = placeOf(body);
    const std::string column = names.back();
    const std::string table = names.size() > 1 ? names[names.size() - 2] : "";
    const std::string schema = names.size() > 2 ? names[names.size() - 3] : "";
    if (column == "*")
        throw SqlError(sql_state::kFeatureNotSupported, "Whole rows as values are not supported.", place);
    Typed typed;
    if (auto found = findColumn(schema, table, column, place)) {
        found->label = table.empty() ? column : table + "." + column;
        typed = exported(std::move(*found), 0, at_, place);
    } else {
        typed = outerColumn(schema, table, column, place);
    }
    typed.place = place;
    if (!guards_.empty() && !typed.constant) {
        // Rows that the guard excludes are NULL, so that nothing computed from them fails.
        const Typed nothing = typedConstant(Value(), typed.type);
        Value null = Value::nullOf(typed.kept);
        if (isDecimal(typed.kept)) null.setExtra(static_cast<uint8_t>(typed.scale));
        typed.code = callNode("iif", {guards_.back(), typed.code, constantNode(null)});
        typed.isNullable = true;
    }
    return typed;
}

Typed SelectTranslator::under(NodeRef guard, const Json& node) {
    if (isHarmless(node)) return value(node);
    guards_.push_back(guards_.empty() ? std::move(guard) : binaryNode(Operator::And, guards_.back(), std::move(guard)));
    Typed typed = value(node);
    guards_.pop_back();
    return typed;
}

Typed SelectTranslator::operatorValue(const Json& body) {
    const std::string kind = textOf(body, "kind");
    const int place = placeOf(body);
    const ConversionHost& host = translation_.host();
    if (const auto byValues = comparedByValues(body)) return value(*byValues);
    const std::string name = kind == "AEXPR_NULLIF" ? "=" : wordOf(body["name"].back());
    if (kind == "AEXPR_OP") {
        if (!body.contains("lexpr")) return resolvePrefix(name, value(body["rexpr"]), place, host);
        Typed left = value(body["lexpr"]), right = value(body["rexpr"]);
        if (isComparisonName(name))
            return comparisonValue(resolveComparison(name, std::move(left), std::move(right), place, host), place);
        return resolveOperator(name, std::move(left), std::move(right), place, host);
    }
    if (kind == "AEXPR_OP_ANY" || kind == "AEXPR_OP_ALL") return anyOfArray(body, kind == "AEXPR_OP_ALL");
    if (kind == "AEXPR_IN") return inListValue(body);
    if (kind == "AEXPR_LIKE" || kind == "AEXPR_ILIKE") {
        const bool isNot = name[0] == '!';
        Typed pattern, escape;
        const Json& right = body["rexpr"];
        const bool hasEscape = kindOf(right) == "FuncCall" && wordOf(bodyOf(right)["funcname"].back()) == "like_escape";
        if (hasEscape) {
            pattern = value(bodyOf(right)["args"][0]);
            escape = convert(value(bodyOf(right)["args"][1]), oid::kText, -1, Conversion::Implicit, host);
        } else {
            pattern = value(right);
        }
        Typed result = resolveLike(value(body["lexpr"]), std::move(pattern), hasEscape ? &escape : nullptr,
                                   kind == "AEXPR_ILIKE", place, host);
        if (isNot) result.code = callNode("pgNot", {result.code});
        return result;
    }
    if (kind == "AEXPR_NULLIF") {
        Typed left = value(body["lexpr"]), right = value(body["rexpr"]);
        return resolveFunction("nullif", {std::move(left), std::move(right)}, place, host);
    }
    if (kind == "AEXPR_DISTINCT" || kind == "AEXPR_NOT_DISTINCT") {
        Typed left = value(body["lexpr"]), right = value(body["rexpr"]);
        if (left.isNullConstant() && right.isNullConstant())
            return typedConstant(Value::ofBool(kind != "AEXPR_DISTINCT"), oid::kBool);
        const Comparison comparison = resolveComparison("=", std::move(left), std::move(right), place, host);
        NodeRef same = binaryNode(Operator::And, isNullNode(comparison.left.code), isNullNode(comparison.right.code));
        same = binaryNode(Operator::Or, std::move(same), comparisonIs(comparison, true));
        Typed result =
            typedCode(kind == "AEXPR_DISTINCT" ? notNode(std::move(same)) : std::move(same), oid::kBool, -1, place);
        result.isNullable = false;
        return result;
    }
    if (kind.starts_with("AEXPR_BETWEEN") || kind.starts_with("AEXPR_NOT_BETWEEN")) return betweenValue(body);
    throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{} is not supported.", kind), place);
}

Typed SelectTranslator::betweenValue(const Json& body) {
    const int place = placeOf(body);
    const ConversionHost& host = translation_.host();
    const std::string kind = textOf(body, "kind");
    const Json& bounds = bodyOf(body["rexpr"])["items"];
    const auto within = [&](size_t low, size_t high) {
        const Typed above =
            comparisonValue(resolveComparison(">=", value(body["lexpr"]), value(bounds[low]), place, host), place);
        const Typed below =
            comparisonValue(resolveComparison("<=", value(body["lexpr"]), value(bounds[high]), place, host), place);
        return typedCode(callNode("pgAnd", {above.code, below.code}), oid::kBool, -1, place);
    };
    Typed result = within(0, 1);
    if (kind.ends_with("_SYM"))
        result = typedCode(callNode("pgOr", {result.code, within(1, 0).code}), oid::kBool, -1, place);
    if (kind.starts_with("AEXPR_NOT")) result.code = callNode("pgNot", {result.code});
    return result;
}

Typed SelectTranslator::inListValue(const Json& body) {
    const int place = placeOf(body);
    const ConversionHost& host = translation_.host();
    const bool isNot = wordOf(body["name"][0]) == "<>";
    Typed result;
    bool isFirst = true;
    for (const Json& item : bodyOf(body["rexpr"])["items"]) {
        Typed equal = comparisonValue(resolveComparison("=", value(body["lexpr"]), value(item), place, host), place);
        result =
            isFirst ? std::move(equal) : typedCode(callNode("pgOr", {result.code, equal.code}), oid::kBool, -1, place);
        isFirst = false;
    }
    if (isNot) result.code = callNode("pgNot", {result.code});
    result.constant.reset();
    return result;
}

Typed SelectTranslator::booleanValue(const Json& node) {
    const std::string_view kind = kindOf(node);
    const Json& body = bodyOf(node);
    const int place = placeOf(body);
    const ConversionHost& host = translation_.host();
    if (kind == "NullTest") {
        const Typed typed = value(body["arg"]);
        Typed result =
            typedCode(textOf(body, "nulltesttype") == "IS_NULL" ? isNullNode(typed.code) : isValidNode(typed.code),
                      oid::kBool, -1, place);
        result.isNullable = false;
        return result;
    }
    if (kind == "BooleanTest") {
        const std::string test = textOf(body, "booltesttype");
        const Typed typed = convert(value(body["arg"]), oid::kBool, -1, Conversion::Implicit, host);
        NodeRef code = test.ends_with("UNKNOWN") ? isNullNode(typed.code)
                                                 : binaryNode(Operator::Eq, typed.code, truth(test.ends_with("TRUE")));
        if (test.find("NOT") != std::string::npos) code = notNode(std::move(code));
        Typed result = typedCode(std::move(code), oid::kBool, -1, place);
        result.isNullable = false;
        return result;
    }
    const std::string operation = textOf(body, "boolop");
    std::vector<Typed> parts;
    for (const Json& item : body["args"]) {
        Typed typed = value(item);
        if (!typed.isUnknown() && typed.type != oid::kBool)
            throw SqlError(sql_state::kDatatypeMismatch,
                           fmt::format("argument of {} must be type boolean, not type {}",
                                       operation == "NOT_EXPR"   ? "NOT"
                                       : operation == "AND_EXPR" ? "AND"
                                                                 : "OR",
                                       displayOf(typed)),
                           typed.place);
        parts.push_back(convert(std::move(typed), oid::kBool, -1, Conversion::Implicit, host));
    }
    if (operation == "NOT_EXPR") {
        Typed result = typedCode(parts[0].isNullable ? callNode("pgNot", {parts[0].code}) : notNode(parts[0].code),
                                 oid::kBool, -1, place);
        result.isNullable = parts[0].isNullable;
        return result;
    }
    const bool isAnd = operation == "AND_EXPR";
    Typed result = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) {
        const bool isNullable = result.isNullable || parts[i].isNullable;
        NodeRef code = isNullable ? callNode(isAnd ? "pgAnd" : "pgOr", {result.code, parts[i].code})
                                  : binaryNode(isAnd ? Operator::And : Operator::Or, result.code, parts[i].code);
        result = typedCode(std::move(code), oid::kBool, -1, place);
        result.isNullable = isNullable;
    }
    return result;
}

NodeRef SelectTranslator::condition(const Json& node, bool wanted) {
    const Translation::Depth depth(translation_);
    return conditionOf(node, wanted);
}

NodeRef SelectTranslator::conditionOf(const Json& node, bool wanted) {
    const std::string_view kind = kindOf(node);
    const Json& body = bodyOf(node);
    const ConversionHost& host = translation_.host();
    const int place = placeOf(body);
    if (kind == "BoolExpr") {
        const std::string operation = textOf(body, "boolop");
        if (operation == "NOT_EXPR") return condition(body["args"][0], !wanted);
        // By De Morgan: `and` is false where one of its parts is.
        const Operator op = (operation == "AND_EXPR") == wanted ? Operator::And : Operator::Or;
        NodeList parts;
        for (const Json& item : body["args"]) parts.push_back(condition(item, wanted));
        return joinedEvenly(op, parts);
    }
    if (kind == "A_Expr" && groupKeys_.empty()) {
        if (const auto byValues = comparedByValues(body)) return condition(*byValues, wanted);
        const std::string expression = textOf(body, "kind");
        if (expression == "AEXPR_OP" && body.contains("lexpr") && isComparisonName(wordOf(body["name"].back())))
            return comparisonIs(
                resolveComparison(wordOf(body["name"].back()), value(body["lexpr"]), value(body["rexpr"]), place, host),
                wanted);
        if (expression == "AEXPR_BETWEEN" || expression == "AEXPR_NOT_BETWEEN") {
            const bool isInside = (expression == "AEXPR_BETWEEN") == wanted;
            const Json& bounds = bodyOf(body["rexpr"])["items"];
            NodeRef above =
                comparisonIs(resolveComparison(">=", value(body["lexpr"]), value(bounds[0]), place, host), isInside);
            NodeRef below =
                comparisonIs(resolveComparison("<=", value(body["lexpr"]), value(bounds[1]), place, host), isInside);
            return binaryNode(isInside ? Operator::And : Operator::Or, std::move(above), std::move(below));
        }
        if (expression == "AEXPR_IN") {
            const bool isIn = (wordOf(body["name"][0]) == "=") == wanted;
            if (NodeRef code = membership(body, isIn)) return code;
            NodeList parts;
            for (const Json& item : bodyOf(body["rexpr"])["items"])
                parts.push_back(
                    comparisonIs(resolveComparison("=", value(body["lexpr"]), value(item), place, host), isIn));
            const Operator op = isIn ? Operator::Or : Operator::And;
            return joinedEvenly(op, parts);
        }
    }
    if (kind == "SubLink") return subqueryCondition(body, wanted);
    Typed typed = value(node);
    if (!typed.isUnknown() && typed.type != oid::kBool)
        throw SqlError(sql_state::kDatatypeMismatch,
                       fmt::format("argument of {} must be type boolean, not type {}",
                                   plainPlace_ == nullptr ? "a condition" : plainPlace_, displayOf(typed)),
                       place);
    typed = convert(std::move(typed), oid::kBool, -1, Conversion::Implicit, host);
    if (typed.isNullConstant()) return truth(false);
    if (typed.constant) return truth((typed.constant->integer() != 0) == wanted);
    if (!typed.isNullable) return wanted ? typed.code : notNode(typed.code);
    return binaryNode(Operator::Eq, typed.code, truth(wanted));
}

constexpr size_t kFewItems = 32;  // of a list of `in`

// x in (1, 2, 3) as a search in a vector, where all are constants of x's own type; null where it is not.
NodeRef SelectTranslator::membership(const Json& body, bool isIn) {
    const Json& items = bodyOf(body["rexpr"])["items"];
    if (items.size() < 3 || kindOf(body["lexpr"]) == "RowExpr") return {};
    const auto isConstant = [](const Json& item) {
        return kindOf(item) == "A_Const" && !flagOf(bodyOf(item), "isnull");
    };
    const auto isGiven = [&](const Json& item) { return isConstant(item) || kindOf(item) == "ParamRef"; };
    if (!std::all_of(items.begin(), items.end(), isConstant)) {
        // Where a parameter may be NULL, only `in` is a search.
        if (!isIn || !std::all_of(items.begin(), items.end(), isGiven)) return {};
        const Typed x = value(body["lexpr"]);
        // Comparisons with few values are bound once, and an index of a row table finds them.
        const bool isOfRowTable = kindOf(body["lexpr"]) == "ColumnRef" && !x.isEmptyNull;
        if (isOfRowTable && items.size() <= kFewItems) return {};
        return x.constant || x.isUnknown() ? NodeRef() : searchInParameters(items, x);
    }
    const Typed x = value(body["lexpr"]);
    if (x.constant || x.isUnknown() || x.type == oid::kInterval || isFloatType(x.type) || x.type == oid::kNumeric)
        return {};
    std::vector<Typed> constants;
    for (const Json& item : items) {
        const Comparison comparison = resolveComparison("=", x, value(item), placeOf(body), translation_.host());
        if (!comparison.right.constant || comparison.right.constant->isNull()) return {};
        const Value& constant = *comparison.right.constant;
        if (x.isEmptyNull && constant.isString() && textOfValue(constant).empty()) return {};
        constants.push_back(comparison.right);
    }
    const Value vector = vectorOfConstants(constants);
    if (vector.isVoid()) return {};
    NodeRef code = binaryNode(Operator::In, x.code, constantNode(vector));
    if (isIn) return code;
    code = notNode(std::move(code));
    return x.isNullable ? binaryNode(Operator::And, isValidNode(x.code), std::move(code)) : code;
}

Typed SelectTranslator::caseValue(const Json& body) {
    const int place = placeOf(body);
    const ConversionHost& host = translation_.host();
    std::vector<NodeRef> conditions;
    std::vector<Typed> results;
    NodeRef notBefore;  // true where no earlier branch is taken
    int guarded = 0;
    for (const Json& item : body["args"]) {
        const Json& when = bodyOf(item);
        NodeRef taken;
        if (body.contains("arg"))
            taken = comparisonIs(resolveComparison("=", value(body["arg"]), value(when["expr"]), place, host), true);
        else if (notBefore && !isHarmless(when["expr"]) && ++guarded <= kMaxGuardedConditions) {
            guards_.push_back(guards_.empty() ? notBefore : binaryNode(Operator::And, guards_.back(), notBefore));
            taken = condition(when["expr"], true);
            guards_.pop_back();
        } else {
            taken = condition(when["expr"], true);
        }
        results.push_back(under(notBefore ? binaryNode(Operator::And, notBefore, taken) : taken, when["result"]));
        notBefore = notBefore ? binaryNode(Operator::And, std::move(notBefore), notNode(taken)) : notNode(taken);
        conditions.push_back(std::move(taken));
    }
    results.push_back(body.contains("defresult") ? under(notBefore, body["defresult"]) : typedNull());
    convertAll(results, "CASE", place, host);
    Typed result = results.back();
    bool isNullable = result.isNullable;
    for (size_t i = conditions.size(); i-- > 0;) {
        isNullable |= results[i].isNullable;
        Typed chosen = results[i];
        chosen.code = callNode("iif", {conditions[i], results[i].code, result.code});
        result = std::move(chosen);
    }
    result.constant.reset();
    for (const Typed& each : results) result.modifier = jointModifier(result.modifier, each.modifier);
    result.modifier = std::min(result.modifier, -1);
    result.isNullable = isNullable;
    result.place = place;
    return result;
}

Typed SelectTranslator::castValue(const Json& body) {
    const WrittenType written = writtenType(body["typeName"]);
    Typed typed = value(body["arg"]);
    const int place = placeOf(body["typeName"]);
    if (typed.place < 0) typed.place = place;
    int32_t modifier = written.modifier;
    // A cast to char alone is one to char(1), of a string to varchar to any length.
    return convert(std::move(typed), written.type, modifier, Conversion::Explicit, translation_.host());
}

Typed SelectTranslator::functionValue(const Json& body) {
    const std::vector<std::string> names = namesOf(body["funcname"]);
    const std::string& name = names.back();
    const int place = placeOf(body);
    if (body.contains("over")) {
        if (plainPlace_ != nullptr)
            throw SqlError(sql_state::kWindowingError,
                           fmt::format("window functions are not allowed in {}", plainPlace_), place);
        return windowValue(body);
    }
    if (isAggregateCall(body)) {
        if (plainPlace_ != nullptr)
            throw SqlError(sql_state::kGroupingError,
                           fmt::format("aggregate functions are not allowed in {}", plainPlace_), place);
        if (isInAggregate_)
            throw SqlError(sql_state::kGroupingError, "aggregate function calls cannot be nested", place);
        return aggregateValue(body);
    }
    const Json nothing = Json::array();
    const Json& arguments = body.contains("args") ? body["args"] : nothing;
    if (isSequenceFunction(name)) return sequenceValue(name, arguments, place);
    if (auto session = sessionFunction(name, arguments, place)) {
        translation_.noteSession();
        return std::move(*session);
    }
    if (auto advisory = advisoryFunction(name, arguments, place)) return std::move(*advisory);
    std::vector<Typed> given = positional(name, arguments);
    if (auto known = catalogCall(name, given, place, translation_)) {
        translation_.noteSession();
        return std::move(*known);
    }
    return resolveFunction(name, std::move(given), place, translation_.host());
}

// The arguments in the order of the parameters, for the functions whose parameters have names.
std::vector<Typed> SelectTranslator::positional(const std::string& name, const Json& arguments) {
    constexpr std::array<std::string_view, 7> kIntervalParts = {"years", "months", "weeks", "days",
                                                                "hours", "mins",   "secs"};
    std::vector<Typed> typed;
    for (const Json& node : arguments) {
        if (kindOf(node) != "NamedArgExpr") {
            typed.push_back(value(node));
            continue;
        }
        const Json& body = bodyOf(node);
        const auto* part = std::find(kIntervalParts.begin(), kIntervalParts.end(), textOf(body, "name"));
        if (name != "make_interval" || part == kIntervalParts.end())
            throw SqlError(sql_state::kUndefinedFunction,
                           fmt::format("function {}({} => …) does not exist", name, textOf(body, "name")),
                           placeOf(body));
        const auto index = static_cast<size_t>(part - kIntervalParts.begin());
        while (typed.size() <= index) typed.push_back(typedConstant(Value::ofInt(0), oid::kInt4));
        typed[index] = value(body["arg"]);
    }
    return typed;
}

Typed SelectTranslator::sessionValue(const Json& body) {
    const std::string op = textOf(body, "op");
    const int place = placeOf(body);
    const auto name = [](std::string_view text) { return typedConstant(textValue(text), oid::kName); };
    if (op == "SVFOP_CURRENT_DATE") return typedCode(callNode("date", {nameNode(kNowName)}), oid::kDate, -1, place);
    if (op == "SVFOP_CURRENT_TIMESTAMP" || op == "SVFOP_CURRENT_TIMESTAMP_N")
        return typedCode(nameNode(kNowName), oid::kTimestamptz, -1, place);
    if (op == "SVFOP_LOCALTIMESTAMP" || op == "SVFOP_LOCALTIMESTAMP_N")
        return typedCode(nameNode(kNowName), oid::kTimestamp, -1, place);
    if (op.starts_with("SVFOP_CURRENT_TIME") || op.starts_with("SVFOP_LOCALTIME"))
        return typedCode(callNode("pgTime", {nameNode(kNowName)}), oid::kTime, -1, place);
    translation_.noteSession();
    if (op == "SVFOP_CURRENT_CATALOG") return name(translation_.session().database);
    if (op == "SVFOP_CURRENT_SCHEMA") return currentSchema();
    return name(translation_.session().user);
}

Typed SelectTranslator::arrayValue(const Json& body) {
    const Json nothing = Json::array();
    std::vector<Typed> items = values(body.contains("elements") ? body["elements"] : nothing);
    return arrayOf(std::move(items), placeOf(body), translation_.host());
}

Typed SelectTranslator::subscriptValue(const Json& body) {
    Typed array = value(body["arg"]);
    for (const Json& item : body["indirection"]) {
        // The fields of the records that _pg_expandarray gives: the only ones that have names.
        const std::string field = kindOf(item) == "String" ? wordOf(item) : "";
        if (array.type == oid::kRecord && (field == "x" || field == "n")) {
            const NodeRef part = constantNode(Value::ofInt(field == "x" ? 1 : 2));
            array = typedCode(callNode("pgPairPart", {array.code, part}), oid::kInt4, -1, placeOf(body));
            continue;
        }
        if (kindOf(item) != "A_Indices" || flagOf(bodyOf(item), "is_slice"))
            throw SqlError(sql_state::kFeatureNotSupported, "Slices and fields of values are not supported.",
                           placeOf(body));
        array = elementOf(std::move(array), value(bodyOf(item)["uidx"]), placeOf(body), translation_.host());
    }
    return array;
}

Typed SelectTranslator::anyOfArray(const Json& body, bool isAll) {
    const std::string name = wordOf(body["name"].back());
    const int place = placeOf(body);
    const ConversionHost& host = translation_.host();
    if (!isComparisonName(name))
        throw SqlError(sql_state::kFeatureNotSupported, "ANY and ALL take comparisons.", place);
    // Items that are written out are a list; an array that is a value is searched.
    const Json* right = &body["rexpr"];
    const Json* cast = nullptr;
    if (kindOf(*right) == "TypeCast" && kindOf(bodyOf(*right)["arg"]) == "A_ArrayExpr")
        cast = right, right = &bodyOf(*right)["arg"];
    if (kindOf(*right) == "A_ArrayExpr" && bodyOf(*right).contains("elements")) {
        Typed result;
        bool isFirst = true;
        for (const Json& item : bodyOf(*right)["elements"]) {
            Typed element = value(item);
            if (cast != nullptr) {
                const OidFacts* facts = oidFacts(writtenType(bodyOf(*cast)["typeName"]).type);
                if (facts != nullptr && facts->element != 0)
                    element = convert(std::move(element), facts->element, -1, Conversion::Explicit, host);
            }
            Typed one =
                comparisonValue(resolveComparison(name, value(body["lexpr"]), std::move(element), place, host), place);
            result =
                isFirst ? std::move(one)
                        : typedCode(callNode(isAll ? "pgAnd" : "pgOr", {result.code, one.code}), oid::kBool, -1, place);
            isFirst = false;
        }
        return result;
    }
    return comparedWithArray(name, value(body["lexpr"]), value(*right), isAll, place, host);
}

}  // namespace pelorus::postgres
