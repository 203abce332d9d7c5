// Calls of aggregates, a family each: SelectTranslator's part.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr int kMostDigits = 38;
constexpr int kQuotientDigits = 16;

NodeRef number(int64_t x) {
    return constantNode(Value::ofInt(static_cast<int32_t>(x)));
}

Typed asLong(Typed count) {
    count.code = callNode("long", {count.code});
    count.type = oid::kInt8;
    count.kept = Type::Long;
    count.isNullable = false;
    return count;
}

// Makes the result one of the values that the call was given.
Typed likeArgument(Typed result, const Typed& argument) {
    result.modifier = argument.modifier;
    result.kept = argument.kept;
    result.scale = argument.scale;
    return result;
}

[[noreturn]] void refuse(const std::string& what, int place) {
    throw SqlError(sql_state::kFeatureNotSupported, what + " is not supported.", place);
}

}  // namespace

Typed SelectTranslator::perRow(const AggregateCall& call, Typed typed) const {
    if (typed.isUnknown()) typed = convert(std::move(typed), oid::kText, -1, Conversion::Implicit, translation_.host());
    // Rows that the filter leaves out are NULL, which aggregates skip.
    if (call.filter)
        typed.code = callNode("iif", {call.filter, typed.code, nullNodeOf(typed)});
    else if (typed.constant && !ranges_.empty())
        typed.code = callNode("iif", {constantNode(Value::ofBool(true)), typed.code, nullNodeOf(typed)});
    return typed;
}

Typed SelectTranslator::aggregateOf(const std::string& name, const Json& body, const AddAggregate& add) {
    const Json nothing = Json::array();
    AggregateCall call{name, body,  add,          values(body.contains("args") ? body["args"] : nothing),
                       {},   false, placeOf(body)};
    call.isDistinct = flagOf(body, "agg_distinct");
    if (body.contains("agg_filter")) call.filter = condition(body["agg_filter"], true);
    const auto require = [&](size_t count) {
        if (call.arguments.size() != count) refuseFunction(name, call.arguments, call.place);
    };
    if (name == "count") {
        if (!flagOf(body, "agg_star")) require(1);
        return countOf(call);
    }
    const bool isList = name == "string_agg" || name == "array_agg";
    const bool isPair = name == "corr" || name.starts_with("covar") || name.starts_with("regr_");
    if (!isList && !isPair && name != "mode") require(1);
    if (isPair) require(2);
    // The least and the greatest of the distinct values are those of all.
    if (name == "min" || name == "max") return extremeOf(call);
    if (name == "bool_and" || name == "bool_or" || name == "every") return truthOf(call);
    if (name == "sum" || name == "avg") return sumOf(call);
    if (call.isDistinct && name != "string_agg") refuse(name + "(DISTINCT …)", call.place);
    if (name.starts_with("stddev") || name.starts_with("var")) return deviationOf(call);
    if (isPair) return pairOf(call);
    if (isList) return listOf(call);
    return orderedSetOf(call);
}

Typed SelectTranslator::countOf(AggregateCall& call) {
    if (flagOf(call.body, "agg_star")) {
        if (!call.filter) return asLong(call.add(callNode("count", {makeRef<Star>(SourcePosition())}), oid::kInt4));
        const NodeRef counted = callNode("iif", {call.filter, number(1), constantNode(Value::nullOf(Type::Int))});
        return asLong(call.add(callNode("count", {counted}), oid::kInt4));
    }
    const Typed argument = perRow(call, call.arguments[0]);
    if (!call.isDistinct) return asLong(call.add(callNode("count", {argument.code}), oid::kInt4));
    return asLong(call.add(callNode("nunique", {argument.code, constantNode(Value::ofBool(true))}), oid::kInt4));
}

Typed SelectTranslator::extremeOf(AggregateCall& call) {
    const Typed argument = perRow(call, call.arguments[0]);
    if (argument.type == oid::kInterval) refuse(call.name + " of intervals", call.place);
    if (argument.type == oid::kBool) refuseFunction(call.name, call.arguments, call.place);
    return likeArgument(call.add(callNode(call.name, {argument.code}), argument.type), argument);
}

Typed SelectTranslator::sumOf(AggregateCall& call) {
    const ConversionHost& host = translation_.host();
    Typed argument = call.arguments[0];
    if (argument.isUnknown()) argument = convert(std::move(argument), oid::kFloat8, -1, Conversion::Implicit, host);
    if (!isNumberType(argument.type)) refuseFunction(call.name, call.arguments, call.place);
    // Sums of bigint and numeric are numeric, in all of its digits.
    const bool isWide = argument.type == oid::kInt8 || argument.type == oid::kNumeric;
    const int32_t modifier = argument.modifier;
    if (isWide && argument.kept != Type::Decimal128)
        argument = convert(std::move(argument), oid::kNumeric, numericModifier(kMostDigits, argument.scale),
                           Conversion::Explicit, host);
    // Code without a dot names no column: it has one value for all rows.
    const bool isOneValue =
        call.isDistinct && (argument.constant || sourceOf(argument.code).find('.') == std::string::npos);
    const bool isComputed = !argument.constant && !call.filter;
    argument = perRow(call, std::move(argument));
    if (isOneValue && isComputed)
        argument.code = callNode("iif", {constantNode(Value::ofBool(true)), argument.code, nullNodeOf(argument)});
    if (isOneValue) return sumOfOneValue(call, std::move(argument), isWide);
    if (call.isDistinct) argument.code = callNode("distinct", {argument.code});
    if (call.name == "avg" && !isFloatType(argument.type)) return exactMeanOf(call, std::move(argument));
    const Oid type = isWide ? oid::kNumeric : isFloatType(argument.type) ? oid::kFloat8 : oid::kInt8;
    Typed result = call.add(callNode(call.name, {argument.code}), type);
    if (isWide) result.scale = argument.scale, result.modifier = std::min(modifier, -1);
    if (call.name == "sum" && argument.type == oid::kFloat4) {
        result.code = callNode("pgFloat", {result.code});
        result.type = oid::kFloat4;
        result.kept = Type::Float;
    }
    return result;
}

// Of the distinct values of a constant there is one, where there is a row: it is their greatest.
Typed SelectTranslator::sumOfOneValue(AggregateCall& call, Typed argument, bool isWide) {
    Typed greatest = call.add(callNode("max", {argument.code}), isWide ? Oid{oid::kNumeric} : argument.type);
    if (isWide) greatest.scale = argument.scale;
    if (call.name == "sum" || isFloatType(argument.type)) {
        const bool isSmall = argument.type == oid::kInt2 || argument.type == oid::kInt4;
        if (isSmall) greatest = asLong(std::move(greatest));
        greatest.isNullable = true;
        return greatest;
    }
    const int scale = std::max(kQuotientDigits, argument.scale);
    return typedNumeric(callNode("pgNumericDivide", {greatest.code, number(1), number(scale)}), scale, call.place);
}

Typed SelectTranslator::exactMeanOf(AggregateCall& call, Typed argument) {
    const Typed sum =
        call.add(callNode("sum", {argument.code}), argument.type == oid::kNumeric ? oid::kNumeric : oid::kInt8);
    const Typed count = call.add(callNode("count", {argument.code}), oid::kInt4);
    const int scale = std::max(kQuotientDigits, argument.scale);
    // No rows: the sum is NULL, and so the quotient, whatever the count.
    const NodeRef divisor = callNode("iif", {isNullNode(sum.code), number(1), count.code});
    return typedNumeric(callNode("pgNumericDivide", {sum.code, divisor, number(scale)}), scale, call.place);
}

Typed SelectTranslator::deviationOf(AggregateCall& call) {
    const Typed& given = call.arguments[0];
    const bool isExact = !isFloatType(given.type) && !given.isUnknown();
    const char* function = call.name == "stddev_pop"         ? "stdp"
                           : call.name == "var_pop"          ? "varp"
                           : call.name.starts_with("stddev") ? "std"
                                                             : "var";
    const Typed argument = perRow(call, convert(given, oid::kFloat8, -1, Conversion::Explicit, translation_.host()));
    Typed result = call.add(callNode(function, {argument.code}), oid::kFloat8);
    if (!isExact) return result;
    return typedNumeric(callNode("pgNumeric", {result.code, number(kQuotientDigits), number(kMostDigits)}),
                        kQuotientDigits, call.place);
}

Typed SelectTranslator::truthOf(AggregateCall& call) {
    const Typed argument =
        perRow(call, convert(call.arguments[0], oid::kBool, -1, Conversion::Implicit, translation_.host()));
    return call.add(callNode(call.name == "bool_or" ? "max" : "min", {argument.code}), oid::kBool);
}

Typed SelectTranslator::pairOf(AggregateCall& call) {
    const char* function = call.name == "corr"         ? "corr"
                           : call.name == "covar_samp" ? "covar"
                           : call.name == "covar_pop"  ? "covarp"
                                                       : nullptr;
    if (function == nullptr) refuse(call.name, call.place);
    const auto real = [&](size_t i) {
        return perRow(call, convert(call.arguments[i], oid::kFloat8, -1, Conversion::Explicit, translation_.host()))
            .code;
    };
    return call.add(callNode(function, {real(0), real(1)}), oid::kFloat8);
}

NodeList SelectTranslator::orderKeysOf(const AggregateCall& call) {
    NodeList keys;
    if (!call.body.contains("agg_order")) return keys;
    for (const Json& item : call.body["agg_order"]) {
        const Json& sort = bodyOf(item);
        const bool isDescending = textOf(sort, "sortby_dir") == "SORTBY_DESC";
        const std::string nulls = textOf(sort, "sortby_nulls");
        const bool nullsFirst = nulls == "SORTBY_NULLS_FIRST" || (nulls != "SORTBY_NULLS_LAST" && isDescending);
        keys.push_back(value(sort["node"]).code);
        keys.push_back(number((isDescending ? 1 : 0) + (nullsFirst ? 2 : 0)));
    }
    return keys;
}

Typed SelectTranslator::listOf(AggregateCall& call) {
    const ConversionHost& host = translation_.host();
    const bool isString = call.name == "string_agg";
    if (call.arguments.size() != (isString ? 2 : 1)) refuseFunction(call.name, call.arguments, call.place);
    if (!isString && call.filter) refuse("array_agg with FILTER", call.place);
    // A column says how many rows a group has, where the values are one for all of them.
    const NodeRef rows = ranges_.empty() || ranges_[0].columns.empty()
                             ? number(1)
                             : exported(ranges_[0].columns[0].value, 0, at_, call.place).code;
    Typed item = call.arguments[0];
    if (isString) item = convert(std::move(item), oid::kText, -1, Conversion::Implicit, host);
    item = perRow(call, std::move(item));
    NodeList all = {rows, item.code};
    if (isString) {
        all.push_back(convert(call.arguments[1], oid::kText, -1, Conversion::Implicit, host).code);
        all.push_back(constantNode(Value::ofBool(call.isDistinct)));
    } else {
        all.push_back(number(item.type));
    }
    const NodeList keys = orderKeysOf(call);
    all.insert(all.end(), keys.begin(), keys.end());
    const OidFacts* facts = oidFacts(item.type);
    const Oid type = isString ? oid::kText : facts->array != 0 ? facts->array : oid::kTextArray;
    return call.add(callNode(isString ? "pgStringAgg" : "pgArrayAgg", std::move(all)), type);
}

Typed SelectTranslator::orderedSetOf(AggregateCall& call) {
    const ConversionHost& host = translation_.host();
    if (!flagOf(call.body, "agg_within_group") || call.body["agg_order"].size() != 1)
        throw SqlError(sql_state::kDatatypeMismatch,
                       fmt::format("WITHIN GROUP is required for ordered-set aggregate {}", call.name), call.place);
    const Json& sort = bodyOf(call.body["agg_order"][0]);
    Typed ordered = value(sort["node"]);
    if (call.name == "mode") {
        ordered = perRow(call, std::move(ordered));
        return likeArgument(call.add(callNode("pgMode", {ordered.code}), ordered.type), ordered);
    }
    Typed fraction = convert(call.arguments[0], oid::kFloat8, -1, Conversion::Explicit, host);
    const bool isContinuous = call.name == "percentile_cont";
    if (textOf(sort, "sortby_dir") == "SORTBY_DESC") {
        if (!isContinuous) refuse("percentile_disc in descending order", call.place);
        fraction.code = binaryNode(Operator::Sub, constantNode(Value::ofDouble(1)), fraction.code);
    }
    if (isContinuous) ordered = convert(std::move(ordered), oid::kFloat8, -1, Conversion::Explicit, host);
    ordered = perRow(call, std::move(ordered));
    const char* function = isContinuous ? "pgPercentileCont" : "pgPercentileDisc";
    return likeArgument(call.add(callNode(function, {ordered.code, fraction.code}), ordered.type), ordered);
}

}  // namespace pelorus::postgres
