// Aggregates, groups and window functions: SelectTranslator's part.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

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

SelectTranslator::RowsBelow::RowsBelow(SelectTranslator& translator, size_t level, bool isInAggregate)
    : translator_(translator),
      above_(std::exchange(translator.at_, level)),
      wasInAggregate_(translator.isInAggregate_) {
    std::swap(guards_, translator.guards_);
    translator.isInAggregate_ = wasInAggregate_ || isInAggregate;
}

SelectTranslator::RowsBelow::~RowsBelow() {
    translator_.at_ = above_;
    translator_.isInAggregate_ = wasInAggregate_;
    std::swap(guards_, translator_.guards_);
}

// Returns the expression that an item of `group by` means: it may be a place in the select list, or a name of it.
const Json& SelectTranslator::groupedBy(const Json& item, const Json& targets) {
    if (kindOf(item) == "A_Const" && bodyOf(item).contains("ival")) {
        const auto position = static_cast<size_t>(numberOf(bodyOf(item)["ival"], "ival"));
        if (position < 1 || position > targets.size())
            throw SqlError(sql_state::kInvalidColumnReference,
                           fmt::format("GROUP BY position {} is not in select list", position), placeOf(bodyOf(item)));
        return bodyOf(targets[position - 1])["val"];
    }
    if (kindOf(item) == "ColumnRef" && bodyOf(item)["fields"].size() == 1 &&
        !findColumn("", "", wordOf(bodyOf(item)["fields"][0]), placeOf(bodyOf(item)))) {
        const std::string name = wordOf(bodyOf(item)["fields"][0]);
        for (const Json& target : targets)
            if (textOf(bodyOf(target), "name") == name) return bodyOf(target)["val"];
    }
    return item;
}

// Sub-queries of keys, and of what is aggregated, are computed for the rows that are grouped.
void SelectTranslator::prepareGroupedSubqueries(const Json& select, const std::vector<const Json*>& keys) {
    for (const Json* key : keys) prepareSubqueries(*key);
    for (const char* member : {"targetList", "havingClause", "sortClause"}) {
        if (!select.contains(member)) continue;
        holdsCall(select[member], [this](const Json& body) {
            if (isAggregateCall(body)) prepareSubqueries(body);
            return false;
        });
    }
}

void SelectTranslator::translateGroups(const Json& select) {
    const Json nothing = Json::array();
    const Json& groups = select.contains("groupClause") ? select["groupClause"] : nothing;
    const Json& targets = select.contains("targetList") ? select["targetList"] : nothing;
    std::vector<const Json*> nodes;
    for (const Json& item : groups) nodes.push_back(&groupedBy(item, targets));
    plainPlace_ = "GROUP BY";
    prepareGroupedSubqueries(select, nodes);
    std::vector<GroupKey> keys;
    Level& grouped = level();
    for (const Json* node : nodes) {
        if (hasAggregates(*node))
            throw SqlError(sql_state::kGroupingError, "aggregate functions are not allowed in GROUP BY",
                           placeOf(bodyOf(*node)));
        Typed key = value(*node);
        if (key.isUnknown()) key = convert(std::move(key), oid::kText, -1, Conversion::Implicit, translation_.host());
        const std::string canonicalKey = canonical(*node);
        const bool isTwice = !groupPresence_.empty() &&
                             std::any_of(keys.begin(), keys.end(),
                                         [&](const GroupKey& known) { return known.canonical == canonicalKey; });
        if (isTwice)
            throw SqlError(sql_state::kFeatureNotSupported, "Equal keys of grouping sets are not supported.",
                           placeOf(bodyOf(*node)));
        if (!groupPresence_.empty() && !groupPresence_[keys.size()]) {
            Typed absent = key;
            absent.code = nullNodeOf(key);
            absent.constant.reset();
            absent.isNullable = true;
            keys.push_back({canonicalKey, std::move(absent), true});
            continue;
        }
        Typed seen = key;
        // Constants make no groups, but that without rows there is none.
        const auto present = [this](size_t place) { return groupPresence_.empty() || groupPresence_[place]; };
        bool isLast = grouped.query->groupBy.empty();
        for (size_t later = keys.size() + 1; later < nodes.size(); ++later) isLast = isLast && !present(later);
        if (!key.constant || isLast) {
            const std::string name = translation_.freshName("c");
            grouped.query->groupBy.push_back({key.code, {name}, {}});
            seen.code = columnNode(grouped.name, name);
            if (key.constant) seen = key;
            grouped.exported.emplace(sourceOf(key.code), seen);
        }
        keys.push_back({canonicalKey, std::move(seen), false});
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
    Typed result;
    {
        const RowsBelow within(*this, grouped, true);
        result = aggregateOf(wordOf(body["funcname"].back()), body, add);
    }
    result.place = placeOf(body);
    result = exported(std::move(result), grouped + 1, at_, placeOf(body));
    if (!guards_.empty()) result.code = callNode("iif", {guards_.back(), result.code, nullNodeOf(result)});
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
    const size_t below = at_ - 1;
    const auto add = [&](NodeRef call, Oid type) {
        const std::string column = translation_.freshName("c");
        levels_[below].query->items.push_back({windowOf(body["over"], std::move(call)), {column}, {}});
        return typedCode(columnNode(levels_[below].name, column), type);
    };
    Typed result;
    {
        const RowsBelow within(*this, below, false);
        if (isIn(kAggregates, name)) {
            if (flagOf(body, "agg_distinct"))
                throw SqlError(sql_state::kFeatureNotSupported, "a window function takes no DISTINCT", place);
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
    if (!guards_.empty()) result.code = callNode("iif", {guards_.back(), result.code, nullNodeOf(result)});
    return result;
}

}  // namespace pelorus::postgres
