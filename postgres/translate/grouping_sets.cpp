// group by grouping sets, rollup and cube: SelectTranslator's part that translates a select for each set.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/set_operations.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;
using KeySet = std::vector<const Json*>;

// Each set reads the tables anew.
constexpr size_t kMaxSets = 64;

[[noreturn]] void refuseSets() {
    throw SqlError(sql_state::kProgramLimit, fmt::format("GROUP BY has at most {} grouping sets.", kMaxSets));
}

// The keys that one element of a grouping set stands for: (a, b) are two.
KeySet keysOf(const Json& item) {
    if (kindOf(item) != "RowExpr") return {&item};
    KeySet keys;
    if (bodyOf(item).contains("args"))
        for (const Json& key : bodyOf(item)["args"]) keys.push_back(&key);
    return keys;
}

KeySet joined(KeySet a, const KeySet& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<KeySet> setsOf(const Json& item) {
    if (kindOf(item) != "GroupingSet") return {keysOf(item)};
    const Json& body = bodyOf(item);
    const std::string kind = textOf(body, "kind");
    const Json nothing = Json::array();
    const Json& content = body.contains("content") ? body["content"] : nothing;
    if (kind == "GROUPING_SET_EMPTY") return {KeySet()};
    std::vector<KeySet> sets;
    if (kind == "GROUPING_SET_SETS") {
        for (const Json& element : content)
            for (KeySet& set : setsOf(element)) sets.push_back(std::move(set));
        return sets;
    }
    if (kind == "GROUPING_SET_ROLLUP") {
        sets.emplace_back();
        for (const Json& element : content) sets.push_back(joined(sets.back(), keysOf(element)));
        std::reverse(sets.begin(), sets.end());
        return sets;
    }
    sets.emplace_back();
    for (const Json& element : content) {
        if (sets.size() > kMaxSets) refuseSets();
        const std::vector<KeySet> without = sets;
        for (KeySet& set : sets) set = joined(std::move(set), keysOf(element));
        sets.insert(sets.end(), without.begin(), without.end());
    }
    return sets;
}

// The sets of a whole clause: each of one element with each of the others.
std::vector<KeySet> allSets(const Json& groups) {
    std::vector<KeySet> all = {KeySet()};
    for (const Json& item : groups) {
        std::vector<KeySet> next;
        const std::vector<KeySet> own = setsOf(item);
        if (all.size() * own.size() > kMaxSets) refuseSets();
        for (const KeySet& set : all)
            for (const KeySet& more : own) next.push_back(joined(set, more));
        all = std::move(next);
    }
    return all;
}

// Returns the tree as a text without places, by which equal keys are known.
std::string formOf(const Json& node) {
    Json copy = node;
    std::vector<Json*> pending = {&copy};
    while (!pending.empty()) {
        Json& current = *pending.back();
        pending.pop_back();
        if (current.is_object()) current.erase("location");
        if (current.is_structured())
            for (Json& child : current) pending.push_back(&child);
    }
    return copy.dump();
}

}  // namespace

Selected SelectTranslator::translateGroupingSets(const Json& select) {
    const Json nothing = Json::array();
    const Json& sorts = select.contains("sortClause") ? select["sortClause"] : nothing;
    if (select.contains("distinctClause") || hasWindows(select["targetList"]) || hasWindows(sorts))
        throw SqlError(sql_state::kFeatureNotSupported,
                       "DISTINCT and window functions beside grouping sets are not supported.", -1,
                       "Put the grouping into a sub-query of FROM.");
    const std::vector<KeySet> sets = allSets(select["groupClause"]);
    Json one = select;
    for (const char* member : {"sortClause", "limitCount", "limitOffset", "limitOption", "withClause"})
        one.erase(member);
    one["groupClause"] = Json::array();
    std::vector<std::string> forms;  // of all keys
    for (const KeySet& set : sets)
        for (const Json* key : set) {
            std::string form = formOf(*key);
            if (std::find(forms.begin(), forms.end(), form) != forms.end()) continue;
            forms.push_back(std::move(form));
            one["groupClause"].push_back(*key);
        }
    // What the rows are sorted by, and the list does not name, is a column more until they are.
    Json order = Json::object();
    for (const char* member : {"sortClause", "limitCount", "limitOffset", "limitOption"})
        if (select.contains(member)) order[member] = select[member];
    std::vector<Json*> sortedBy;
    for (Json& item : order.contains("sortClause") ? order["sortClause"] : one["groupClause"]) {
        if (!order.contains("sortClause")) break;
        Json& node = item["SortBy"]["node"];
        const bool isPosition = kindOf(node) == "A_Const";
        const bool isName =
            kindOf(node) == "ColumnRef" && bodyOf(node)["fields"].size() == 1 &&
            std::any_of(select["targetList"].begin(), select["targetList"].end(), [&](const Json& target) {
                return labelOf(bodyOf(target)) == wordOf(bodyOf(node)["fields"][0]);
            });
        if (isPosition || isName) continue;
        one["targetList"].push_back(Json{{"ResTarget", {{"name", "sorted"}, {"val", node}}}});
        sortedBy.push_back(&node);
    }
    std::vector<Selected> selected;
    for (const KeySet& set : sets) {
        SelectTranslator inner(translation_, outer_, steps_);
        inner.commonTables_ = commonTables_;
        inner.groupPresence_.assign(forms.size(), false);
        for (const Json* key : set)
            inner.groupPresence_[static_cast<size_t>(std::find(forms.begin(), forms.end(), formOf(*key)) -
                                                     forms.begin())] = true;
        selected.push_back(inner.translateSelect(one));
        readAs(inner);
    }
    Selected rows = stacked(selected, "GROUPING SETS");
    const size_t shown = rows.columns.size() - sortedBy.size();
    for (size_t i = 0; i < sortedBy.size(); ++i)
        *sortedBy[i] = Json{{"A_Const", {{"ival", {{"ival", shown + i + 1}}}}}};
    return withOrder(std::move(rows), order, shown);
}

Selected SelectTranslator::stacked(const std::vector<Selected>& queries, const char* construct) {
    std::vector<Ref<Query>> shown;
    for (const Selected& query : queries) {
        shown.push_back(makeRef<Query>(SourcePosition()));
        shown.back()->table = nameNode(query.step);
    }
    Selected result;
    for (size_t i = 0; i < queries[0].columns.size(); ++i) {
        std::vector<Typed> all;
        for (const Selected& query : queries) all.push_back(query.columns[i].value);
        convertAll(all, construct, -1, translation_.host());
        const std::string name = translation_.freshName("c");
        for (size_t k = 0; k < all.size(); ++k) shown[k]->items.push_back({all[k].code, {name}, {}});
        Typed typed = all[0];
        typed.isNullable = true;
        typed.isEmptyNull = std::any_of(all.begin(), all.end(), [](const Typed& each) { return each.isEmptyNull; });
        typed.constant.reset();
        typed.code = nameNode(name);
        result.columns.push_back({queries[0].columns[i].name, std::move(typed), false});
    }
    std::vector<std::string> steps;
    for (const Ref<Query>& query : shown) {
        steps.push_back(translation_.freshName("pgSide"));
        steps_.push_back({steps.back(), query, {}, {}});
    }
    result.step = translation_.freshName("pgStacked");
    steps_.push_back({result.step,
                      {},
                      [steps](const StepScope& scope, Context&) {
                          std::vector<Value> tables;
                          for (const std::string& step : steps) tables.push_back(scope.get(step));
                          return stackedRows(tables);
                      },
                      construct});
    return result;
}

// grouping(a, b): a bit for each key, set where the row is of a set without it.
Typed SelectTranslator::groupingValue(const Json& body) {
    int32_t bits = 0;
    if (body["args"].size() > 31) throw SqlError("54023", "GROUPING must have fewer than 32 arguments", placeOf(body));
    for (const Json& argument : body["args"]) {
        const std::string form = canonical(argument);
        const auto key = std::find_if(groupKeys_.begin(), groupKeys_.end(),
                                      [&](const GroupKey& known) { return known.canonical == form; });
        if (key == groupKeys_.end())
            throw SqlError(sql_state::kGroupingError,
                           "arguments to GROUPING must be grouping expressions of the associated query level",
                           placeOf(body));
        bits = bits * 2 + (key->isAbsent ? 1 : 0);
    }
    return typedCode(constantNode(Value::ofInt(bits)), oid::kInt4, -1, placeOf(body));
}

}  // namespace pelorus::postgres
