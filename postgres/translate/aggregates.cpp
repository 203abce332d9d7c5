// Aggregates, groups and window functions: SelectTranslator's part.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/functions/conversions.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/operator_calls.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kAggregates[] = {
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "stddev",
    "stddev_samp",
    "stddev_pop",
    "variance",
    "var_samp",
    "var_pop",
    "bool_and",
    "bool_or",
    "every",
    "string_agg",
    "array_agg",
    "percentile_cont",
    "percentile_disc",
    "mode",
    "corr",
    "covar_pop",
    "covar_samp",
    "regr_slope",
    "regr_intercept",
    "regr_r2",
    "regr_count",
    "regr_avgx",
    "regr_avgy",
};

constexpr std::string_view kWindowFunctions[] = {
    "row_number", "rank", "dense_rank",  "percent_rank", "cume_dist", "ntile",
    "lag",        "lead", "first_value", "last_value",   "nth_value",
};

bool isIn(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns whether a call that `test` accepts is in the tree, outside of sub-queries.
template <class Test>
bool holdsCall(const Json& node, const Test& test) {
    std::vector<const Json*> pending = {&node};
    while (!pending.empty()) {
        const Json& current = *pending.back();
        pending.pop_back();
        if (!current.is_structured()) continue;
        if (current.is_object()) {
            if (current.size() == 1 && current.begin().key() == "SubLink") {
                const Json& body = current.begin().value();
                if (body.contains("testexpr")) pending.push_back(&body["testexpr"]);
                continue;
            }
            if (current.contains("FuncCall") && test(current["FuncCall"])) return true;
        }
        for (const Json& child : current) pending.push_back(&child);
    }
    return false;
}

NodeRef number(int64_t x) {
    return constantNode(Value::ofInt(static_cast<int32_t>(x)));
}

NodeRef typedNullOf(const Typed& like) {
    Value null = Value::nullOf(like.kept);
    if (isDecimal(like.kept)) null.setExtra(static_cast<uint8_t>(like.scale));
    return constantNode(null);
}

}  // namespace

bool SelectTranslator::isAggregateCall(const Json& body) const {
    if (body.contains("over")) return false;
    const std::vector<std::string> names = namesOf(body["funcname"]);
    return isIn(kAggregates, names.back());
}

bool SelectTranslator::hasAggregates(const Json& node) const {
    return holdsCall(node, [this](const Json& body) { return isAggregateCall(body); });
}

bool SelectTranslator::hasWindows(const Json& node) const {
    return holdsCall(node, [](const Json& body) { return body.contains("over"); });
}

void SelectTranslator::translateGroups(const Json& select) {
    const Json nothing = Json::array();
    const Json& groups = select.contains("groupClause") ? select["groupClause"] : nothing;
    const Json& targets = select.contains("targetList") ? select["targetList"] : nothing;
    std::vector<GroupKey> keys;
    plainPlace_ = "GROUP BY";
    Level& grouped = level();
    for (const Json& item : groups) {
        if (kindOf(item) == "GroupingSet")
            throw SqlError(sql_state::kFeatureNotSupported, "GROUPING SETS, ROLLUP and CUBE are not supported.",
                           placeOf(bodyOf(item)));
        const Json* node = &item;
        if (kindOf(item) == "A_Const" && bodyOf(item).contains("ival")) {
            const auto position = static_cast<size_t>(numberOf(bodyOf(item)["ival"], "ival"));
            if (position < 1 || position > targets.size())
                throw SqlError(sql_state::kInvalidColumnReference,
                               fmt::format("GROUP BY position {} is not in select list", position),
                               placeOf(bodyOf(item)));
            node = &bodyOf(targets[position - 1])["val"];
        } else if (kindOf(item) == "ColumnRef" && bodyOf(item)["fields"].size() == 1 &&
                   !findColumn("", "", wordOf(bodyOf(item)["fields"][0]), placeOf(bodyOf(item)))) {
            const std::string name = wordOf(bodyOf(item)["fields"][0]);
            for (const Json& target : targets)
                if (textOf(bodyOf(target), "name") == name) node = &bodyOf(target)["val"];
        }
        if (hasAggregates(*node))
            throw SqlError(sql_state::kGroupingError, "aggregate functions are not allowed in GROUP BY",
                           placeOf(bodyOf(*node)));
        Typed key = value(*node);
        if (key.isUnknown()) key = convert(std::move(key), oid::kText, -1, Conversion::Implicit, translation_.host());
        const std::string canonicalKey = canonical(*node);
        Typed seen = key;
        // Constants make no groups, but that without rows there is none.
        const bool isLast = &item == &groups.back() && grouped.query->groupBy.empty();
        if (!key.constant || isLast) {
            const std::string name = translation_.freshName("c");
            grouped.query->groupBy.push_back({key.code, {name}, {}});
            seen.code = columnNode(grouped.name, name);
            if (key.constant) seen = key;
            grouped.exported.emplace(sourceOf(key.code), seen);
        }
        keys.push_back({canonicalKey, std::move(seen)});
    }
    plainPlace_ = nullptr;
    if (!grouped.query->groupBy.empty()) grouped.query->grouping = GroupKind::Group;
    grouped.isGrouped = true;
    pushLevel();
    groupKeys_ = std::move(keys);
    if (select.contains("havingClause")) {
        prepareSubqueries(select["havingClause"]);
        for (const Json* node : conjuncts(select["havingClause"])) {
            NodeRef code = condition(*node, true);
            level().query->where.push_back(std::move(code));
        }
    }
    // A group without keys and without aggregates is one row.
    Level& below = levels_[at_ - 1];
    if (below.isGrouped && below.query->items.empty())
        below.query->items.push_back(
            {callNode("count", {makeRef<Star>(SourcePosition())}), {translation_.freshName("c")}, {}});
}

Typed SelectTranslator::aggregateValue(const Json& body) {
    size_t grouped = 0;
    while (grouped < levels_.size() && !levels_[grouped].isGrouped) ++grouped;
    if (grouped == levels_.size())
        throw SqlError(sql_state::kGroupingError, "aggregate functions are not allowed here", placeOf(body));
    // Arguments are read in the rows that are grouped.
    const size_t above = at_;
    std::vector<NodeRef> guards;
    std::swap(guards, guards_);
    at_ = grouped;
    isInAggregate_ = true;
    const auto add = [&](NodeRef code, Oid type) {
        const std::string source = sourceOf(code);
        Level& level = levels_[grouped];
        if (const auto known = level.exported.find(source); known != level.exported.end()) return known->second;
        const std::string name = translation_.freshName("c");
        level.query->items.push_back({code, {name}, {}});
        Typed typed = typedCode(columnNode(level.name, name), type);
        level.exported.emplace(source, typed);
        return typed;
    };
    struct Restore {
        SelectTranslator& translator;
        size_t above;
        std::vector<NodeRef>& guards;
        ~Restore() {
            translator.at_ = above;
            translator.isInAggregate_ = false;
            std::swap(translator.guards_, guards);
        }
    };
    Typed result;
    {
        const Restore restore{*this, above, guards};
        result = aggregateOf(wordOf(body["funcname"].back()), body, add);
    }
    result.place = placeOf(body);
    result = exported(std::move(result), grouped + 1, at_, placeOf(body));
    if (!guards_.empty()) result.code = callNode("iif", {guards_.back(), result.code, typedNullOf(result)});
    return result;
}

Typed SelectTranslator::aggregateOf(const std::string& name, const Json& body,
                                    const std::function<Typed(NodeRef, Oid)>& add) {
    const int place = placeOf(body);
    const ConversionHost& host = translation_.host();
    const bool isDistinct = flagOf(body, "agg_distinct");
    const Json nothing = Json::array();
    std::vector<Typed> arguments = values(body.contains("args") ? body["args"] : nothing);
    NodeRef filter;
    if (body.contains("agg_filter")) filter = condition(body["agg_filter"], true);
    const auto only = [&](Typed typed) {
        if (typed.isUnknown()) typed = convert(std::move(typed), oid::kText, -1, Conversion::Implicit, host);
        // Rows that the filter leaves out are NULL, which aggregates skip.
        if (filter) typed.code = callNode("iif", {filter, typed.code, typedNullOf(typed)});
        // A constant is one of each row.
        else if (typed.constant && !ranges_.empty())
            typed.code = callNode("iif", {constantNode(Value::ofBool(true)), typed.code, typedNullOf(typed)});
        return typed;
    };
    const auto call = [&](const char* function, Typed argument, Oid type) {
        Typed typed = only(std::move(argument));
        return add(callNode(function, {typed.code}), type);
    };
    const auto require = [&](size_t count) {
        if (arguments.size() != count) refuseFunction(name, arguments, place);
    };
    const auto asLong = [](Typed typed) {
        typed.code = callNode("long", {typed.code});
        typed.type = oid::kInt8;
        typed.kept = Type::Long;
        typed.isNullable = false;
        return typed;
    };
    const auto unsupportedDistinct = [&] {
        if (isDistinct)
            throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{}(DISTINCT …) is not supported.", name),
                           place);
    };
    if (name == "count") {
        if (flagOf(body, "agg_star")) {
            if (!filter) return asLong(add(callNode("count", {makeRef<Star>(SourcePosition())}), oid::kInt4));
            return asLong(
                add(callNode("count", {callNode("iif", {filter, number(1), constantNode(Value::nullOf(Type::Int))})}),
                    oid::kInt4));
        }
        require(1);
        if (isDistinct) {
            const Typed typed = only(arguments[0]);
            return asLong(add(callNode("nunique", {typed.code, constantNode(Value::ofBool(true))}), oid::kInt4));
        }
        return asLong(call("count", arguments[0], oid::kInt4));
    }
    if (name == "min" || name == "max") {
        require(1);
        const Typed argument = only(arguments[0]);
        if (argument.type == oid::kInterval)
            throw SqlError(sql_state::kFeatureNotSupported, "min and max of intervals are not supported.", place);
        if (argument.type == oid::kBool) refuseFunction(name, arguments, place);
        Typed result = add(callNode(name, {argument.code}), argument.type);
        result.modifier = argument.modifier;
        result.kept = argument.kept;
        result.scale = argument.scale;
        return result;
    }
    if (name == "sum" || name == "avg") {
        require(1);
        Typed argument = arguments[0].isUnknown() ? convert(arguments[0], oid::kFloat8, -1, Conversion::Implicit, host)
                                                  : arguments[0];
        if (!isNumberType(argument.type)) refuseFunction(name, arguments, place);
        if (argument.kept != Type::Decimal128 && argument.type == oid::kNumeric)
            argument = convert(std::move(argument), oid::kNumeric, numericModifier(38, argument.scale),
                               Conversion::Explicit, host);
        const bool isFloat = isFloatType(argument.type);
        if (isDistinct) {
            // Each value once: a group is summed over its distinct values.
            argument = only(std::move(argument));
            argument.code = callNode("distinct", {argument.code});
            filter = NodeRef();
            argument.constant.reset();
        }
        if (name == "sum") {
            if (argument.type == oid::kFloat8) return call("sum", argument, oid::kFloat8);
            if (argument.type == oid::kFloat4) {
                Typed sum = call("sum", argument, oid::kFloat8);
                sum.code = callNode("pgFloat", {sum.code});
                sum.type = oid::kFloat4;
                sum.kept = Type::Float;
                return sum;
            }
            if (argument.type == oid::kInt8)
                argument =
                    convert(std::move(argument), oid::kNumeric, numericModifier(38, 0), Conversion::Explicit, host);
            const int scale = argument.scale;
            Typed sum = call("sum", argument, argument.type == oid::kNumeric ? oid::kNumeric : oid::kInt8);
            if (sum.type == oid::kNumeric) sum.scale = scale;
            return sum;
        }
        if (isFloat) return call("avg", argument, oid::kFloat8);
        // The exact quotient of sum and count.
        if (argument.type == oid::kInt8)
            argument = convert(std::move(argument), oid::kNumeric, numericModifier(38, 0), Conversion::Explicit, host);
        const int scale = argument.scale;
        Typed sum = call("sum", argument, argument.type == oid::kNumeric ? oid::kNumeric : oid::kInt8);
        Typed count = call("count", argument, oid::kInt4);
        const int shown = std::max(16, scale);
        // No rows: the sum is NULL, and so the quotient, whatever the count.
        return typedNumeric(
            callNode("pgNumericDivide",
                     {sum.code, callNode("iif", {isNullNode(sum.code), number(1), count.code}), number(shown)}),
            shown, place);
    }
    if (name.starts_with("stddev") || name.starts_with("var")) {
        require(1);
        unsupportedDistinct();
        const bool isNumeric = !isFloatType(arguments[0].type) && !arguments[0].isUnknown();
        const char* function = name == "stddev_pop"         ? "stdp"
                               : name == "var_pop"          ? "varp"
                               : name.starts_with("stddev") ? "std"
                                                            : "var";
        Typed result =
            call(function, convert(arguments[0], oid::kFloat8, -1, Conversion::Explicit, host), oid::kFloat8);
        if (!isNumeric) return result;
        return typedNumeric(callNode("pgNumeric", {result.code, number(16), number(38)}), 16, place);
    }
    if (name == "bool_and" || name == "bool_or" || name == "every") {
        require(1);
        return call(name == "bool_or" ? "max" : "min",
                    convert(arguments[0], oid::kBool, -1, Conversion::Implicit, host), oid::kBool);
    }
    if (name == "corr" || name == "covar_samp" || name == "covar_pop" || name.starts_with("regr_")) {
        require(2);
        unsupportedDistinct();
        Typed y = convert(arguments[0], oid::kFloat8, -1, Conversion::Explicit, host),
              x = convert(arguments[1], oid::kFloat8, -1, Conversion::Explicit, host);
        const char* function = name == "corr"         ? "corr"
                               : name == "covar_samp" ? "covar"
                               : name == "covar_pop"  ? "covarp"
                                                      : nullptr;
        if (function == nullptr)
            throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{} is not supported.", name), place);
        y = only(std::move(y));
        x = only(std::move(x));
        return add(callNode(function, {y.code, x.code}), oid::kFloat8);
    }
    // The keys of `order by` in an aggregate.
    NodeList keys;
    if (body.contains("agg_order"))
        for (const Json& item : body["agg_order"]) {
            const Json& sort = bodyOf(item);
            const bool isDescending = textOf(sort, "sortby_dir") == "SORTBY_DESC";
            const std::string nulls = textOf(sort, "sortby_nulls");
            const bool nullsFirst = nulls == "SORTBY_NULLS_FIRST" || (nulls != "SORTBY_NULLS_LAST" && isDescending);
            keys.push_back(value(sort["node"]).code);
            keys.push_back(number((isDescending ? 1 : 0) + (nullsFirst ? 2 : 0)));
        }
    const bool isWithin = flagOf(body, "agg_within_group");
    // A column says how many rows a group has, where the values are one for all of them.
    const NodeRef rows = ranges_.empty() || ranges_[0].columns.empty() ? number(1) : ranges_[0].columns[0].value.code;
    if (name == "string_agg") {
        require(2);
        NodeList all = {rows, only(convert(arguments[0], oid::kText, -1, Conversion::Implicit, host)).code,
                        convert(arguments[1], oid::kText, -1, Conversion::Implicit, host).code,
                        constantNode(Value::ofBool(isDistinct))};
        all.insert(all.end(), keys.begin(), keys.end());
        return add(callNode("pgStringAgg", std::move(all)), oid::kText);
    }
    if (name == "array_agg") {
        require(1);
        unsupportedDistinct();
        if (filter) throw SqlError(sql_state::kFeatureNotSupported, "array_agg with FILTER is not supported.", place);
        const Typed item = only(arguments[0]);
        const OidFacts* facts = oidFacts(item.type);
        NodeList all = {rows, item.code, number(item.type)};
        all.insert(all.end(), keys.begin(), keys.end());
        return add(callNode("pgArrayAgg", std::move(all)), facts->array != 0 ? facts->array : oid::kTextArray);
    }
    if (!isWithin || body["agg_order"].size() != 1)
        throw SqlError(sql_state::kDatatypeMismatch,
                       fmt::format("WITHIN GROUP is required for ordered-set aggregate {}", name), place);
    const Json& sort = bodyOf(body["agg_order"][0]);
    Typed ordered = value(sort["node"]);
    if (name == "mode") {
        ordered = only(std::move(ordered));
        Typed result = add(callNode("pgMode", {ordered.code}), ordered.type);
        result.kept = ordered.kept;
        result.scale = ordered.scale;
        return result;
    }
    require(1);
    Typed fraction = convert(arguments[0], oid::kFloat8, -1, Conversion::Explicit, host);
    if (textOf(sort, "sortby_dir") == "SORTBY_DESC") {
        if (name == "percentile_disc")
            throw SqlError(sql_state::kFeatureNotSupported, "percentile_disc in descending order is not supported.",
                           place);
        fraction.code = binaryNode(Operator::Sub, constantNode(Value::ofDouble(1)), fraction.code);
    }
    if (name == "percentile_cont") {
        ordered = only(convert(std::move(ordered), oid::kFloat8, -1, Conversion::Explicit, host));
        return add(callNode("pgPercentileCont", {ordered.code, fraction.code}), oid::kFloat8);
    }
    ordered = only(std::move(ordered));
    Typed result = add(callNode("pgPercentileDisc", {ordered.code, fraction.code}), ordered.type);
    result.kept = ordered.kept;
    result.scale = ordered.scale;
    return result;
}

Ref<Window> SelectTranslator::windowOf(const Json& definition, NodeRef call) {
    constexpr int64_t kNonDefault = 0x1, kRange = 0x2, kGroups = 0x8, kStartUnbounded = 0x20, kEndUnbounded = 0x100,
                      kStartCurrent = 0x200, kEndCurrent = 0x400, kStartPreceding = 0x800, kEndPreceding = 0x1000,
                      kStartFollowing = 0x2000, kEndFollowing = 0x4000, kExcludeRow = 0x8000, kExcludeGroup = 0x10000,
                      kExcludeTies = 0x20000;
    Ref<Window> window = makeRef<Window>(std::move(call), SourcePosition());
    const Json* named = nullptr;
    const std::string name = definition.contains("name") ? textOf(definition, "name") : textOf(definition, "refname");
    if (!name.empty()) {
        for (const Json* known : windowDefinitions_)
            if (textOf(*known, "name") == name) named = known;
        if (named == nullptr)
            throw SqlError(sql_state::kUndefinedObject, fmt::format("window \"{}\" does not exist", name),
                           placeOf(definition));
    }
    const bool isNameAlone = definition.contains("name");
    const Json& frame = isNameAlone ? *named : definition;
    const auto member = [&](const char* key) -> const Json* {
        if (!isNameAlone && definition.contains(key)) return &definition[key];
        return named != nullptr && named->contains(key) ? &(*named)[key] : nullptr;
    };
    if (const Json* keys = member("partitionClause"))
        for (const Json& node : *keys) window->partitionBy.push_back(value(node).code);
    if (const Json* keys = member("orderClause"))
        for (const Json& item : *keys) {
            const Json& sort = bodyOf(item);
            OrderItem order;
            const Typed typed = value(sort["node"]);
            order.value = typed.type == oid::kInterval ? callNode("pgIntervalOrder", {typed.code}) : typed.code;
            order.ascending = textOf(sort, "sortby_dir") != "SORTBY_DESC";
            order.nullsGiven = true;
            const std::string nulls = textOf(sort, "sortby_nulls");
            order.nullsFirst = nulls == "SORTBY_NULLS_FIRST" || (nulls != "SORTBY_NULLS_LAST" && !order.ascending);
            window->orderBy.push_back(std::move(order));
        }
    const int64_t options = numberOf(frame, "frameOptions");
    if ((options & kNonDefault) == 0) return window;
    window->hasFrame = true;
    window->unit = (options & kRange) != 0    ? FrameUnit::Range
                   : (options & kGroups) != 0 ? FrameUnit::Groups
                                              : FrameUnit::Rows;
    window->exclusion = (options & kExcludeRow) != 0     ? FrameExclusion::CurrentRow
                        : (options & kExcludeGroup) != 0 ? FrameExclusion::Group
                        : (options & kExcludeTies) != 0  ? FrameExclusion::Ties
                                                         : FrameExclusion::None;
    window->low = (options & kStartUnbounded) != 0   ? FrameBound::UnboundedPreceding
                  : (options & kStartCurrent) != 0   ? FrameBound::CurrentRow
                  : (options & kStartPreceding) != 0 ? FrameBound::Preceding
                  : (options & kStartFollowing) != 0 ? FrameBound::Following
                                                     : FrameBound::UnboundedPreceding;
    window->high = (options & kEndUnbounded) != 0   ? FrameBound::UnboundedFollowing
                   : (options & kEndCurrent) != 0   ? FrameBound::CurrentRow
                   : (options & kEndPreceding) != 0 ? FrameBound::Preceding
                   : (options & kEndFollowing) != 0 ? FrameBound::Following
                                                    : FrameBound::CurrentRow;
    if (frame.contains("startOffset")) window->lowOffset = value(frame["startOffset"]).code;
    if (frame.contains("endOffset")) window->highOffset = value(frame["endOffset"]).code;
    if (window->unit == FrameUnit::Range && (window->lowOffset || window->highOffset))
        throw SqlError(sql_state::kFeatureNotSupported, "RANGE frames with offsets are not supported.",
                       placeOf(definition));
    return window;
}

Typed SelectTranslator::windowValue(const Json& body) {
    const std::string name = wordOf(body["funcname"].back());
    const int place = placeOf(body);
    const ConversionHost& host = translation_.host();
    if (!isIn(kWindowFunctions, name) && !isIn(kAggregates, name))
        throw SqlError(sql_state::kUndefinedFunction, fmt::format("{} is no window function", name), place);
    if (at_ == 0) throw SqlError(sql_state::kWindowingError, "window functions are not allowed here", place);
    // The window is a column of the rows below.
    const size_t above = at_, below = at_ - 1;
    std::vector<NodeRef> guards;
    std::swap(guards, guards_);
    at_ = below;
    struct Restore {
        SelectTranslator& translator;
        size_t above;
        std::vector<NodeRef>& guards;
        ~Restore() {
            translator.at_ = above;
            std::swap(translator.guards_, guards);
        }
    };
    const auto add = [&](NodeRef call, Oid type) {
        const std::string column = translation_.freshName("c");
        levels_[below].query->items.push_back({windowOf(body["over"], std::move(call)), {column}, {}});
        return typedCode(columnNode(levels_[below].name, column), type);
    };
    Typed result;
    {
        const Restore restore{*this, above, guards};
        if (isIn(kAggregates, name)) {
            if (flagOf(body, "agg_distinct"))
                throw SqlError(sql_state::kFeatureNotSupported, "DISTINCT is not implemented for window functions",
                               place);
            result = aggregateOf(name, body, add);
        } else {
            const Json nothing = Json::array();
            std::vector<Typed> arguments = values(body.contains("args") ? body["args"] : nothing);
            NodeList codes;
            Oid type = oid::kInt8;
            if (name == "percent_rank" || name == "cume_dist") type = oid::kFloat8;
            if (name == "ntile") {
                type = oid::kInt4;
                if (arguments.size() != 1) refuseFunction(name, arguments, place);
                codes = {convert(arguments[0], oid::kInt4, -1, Conversion::Implicit, host).code};
            } else if (!arguments.empty()) {
                if (arguments[0].isUnknown())
                    arguments[0] = convert(arguments[0], oid::kText, -1, Conversion::Implicit, host);
                type = arguments[0].type;
                codes = {arguments[0].code};
                if (arguments.size() > 1)
                    codes.push_back(convert(arguments[1], oid::kInt4, -1, Conversion::Implicit, host).code);
                if (arguments.size() > 2)
                    codes.push_back(convert(arguments[2], type, -1, Conversion::Implicit, host).code);
            }
            result = add(callNode(name, std::move(codes)), type);
            if (!arguments.empty() && name != "ntile") {
                result.kept = arguments[0].kept;
                result.scale = arguments[0].scale;
                result.modifier = arguments[0].modifier;
            }
            if (name == "row_number" || name == "rank" || name == "dense_rank")
                result.code = callNode("long", {result.code});
        }
    }
    result.place = place;
    if (!guards_.empty()) result.code = callNode("iif", {guards_.back(), result.code, typedNullOf(result)});
    return result;
}

}  // namespace pelorus::postgres
