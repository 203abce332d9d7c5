#include "sql/rewrite/key_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "common/string/ascii_case.h"
#include "runtime/code/column_name.h"
#include "runtime/code/made_call.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/registry/registry.h"
#include "sql/expression/called_functions.h"
#include "sql/rewrite/ordered_items.h"

namespace pelorus {

namespace {

using KeySet = std::vector<size_t>;

// The names that the query above sees: no script writes them, since they hold a blank.
std::string keyName(size_t key) {
    return fmt::format("key {}", key);
}
std::string valueName(size_t value) {
    return fmt::format("value {}", value);
}
std::string partName(size_t value, size_t part) {
    return fmt::format("part {} of {}", part, value);
}
std::string groupingName(size_t grouping) {
    return fmt::format("grouping {}", grouping);
}
const std::string kFinestGroups = "groups of all keys";

NodeRef nameOf(const std::string& name, SourcePosition position) {
    return makeRef<Name>(name, position);
}

bool isCallOf(const Node& node, std::string_view function) {
    if (node.kind != NodeKind::Call) return false;
    const auto& callee = static_cast<const Call&>(node).callee;
    if (callee->kind != NodeKind::Name) return false;
    const std::string& name = static_cast<const Name&>(*callee).name;
    return isEqualInAnyCase(name, function);
}

// How the value of an aggregate over the groups of all keys becomes that over groups of fewer keys.
struct Merge {
    std::vector<const char*> parts;  // the aggregates of the rows
    const char* merged;              // what merges each part
    bool isRatio = false;            // the value is the first part divided by the second
    bool isCount = false;            // it is 0 where there are no groups to merge
};

std::optional<Merge> mergeOf(const Call& call, Context& context) {
    if (call.arguments.size() != 1 || !call.arguments[0].keyword.empty()) return std::nullopt;
    // Distinct values, for one, are no values of rows.
    const NodeRef& argument = call.arguments[0].value;
    const auto isOfRows = [](const BuiltinFunction& function, const Call&) { return function.signature().elementwise; };
    if (argument->kind != NodeKind::Star && !callsOnly(argument, context, isOfRows)) return std::nullopt;
    if (isCallOf(call, "sum")) return Merge{{"sum"}, "sum"};
    if (isCallOf(call, "count")) return Merge{{"count"}, "sum", false, true};
    if (isCallOf(call, "min")) return Merge{{"min"}, "min"};
    if (isCallOf(call, "max")) return Merge{{"max"}, "max"};
    if (isCallOf(call, "avg")) return Merge{{"sum", "count"}, "sum", true};
    return std::nullopt;
}

class SetsOfKeys {
public:
    SetsOfKeys(const Query& query, Context& context) : query_(query), context_(context) {}

    Ref<Query> united() {
        Ref<Query> above = copyQuery(query_);
        above->grouping = GroupKind::None;
        above->groupBy.clear();
        above->groupingSets.clear();
        above->where.clear();
        above->joins.clear();
        above->tableAlias.clear();
        above->having = NodeRef();
        for (SelectItem& item : above->items) {
            if (item.value->kind == NodeKind::Star)
                throw UserError(item.value->position, "With sets of keys each column of the result is named.");
            if (item.aliases.empty() && !item.aliasMacro) item.aliases = {nameOfItem(*item.value)};
            item.value = overGroups(item.value);
        }
        if (query_.having) above->where.push_back(overGroups(query_.having));
        for (OrderItem& order : above->orderBy) order.value = overGroups(order.value);
        above->table = unionOfSets();
        return above;
    }

private:
    static std::string nameOfItem(const Node& value) {
        const bool isWindow = value.kind == NodeKind::Window;
        const auto& shown = isWindow ? *static_cast<const Window&>(value).call : value;
        if (isWindow && shown.kind == NodeKind::Call) return columnOf(*static_cast<const Call&>(shown).callee);
        return defaultColumnName(shown);
    }

    // Returns an expression over the columns of the groups.
    NodeRef overGroups(const NodeRef& whole) {
        Replace replace = [&](const NodeRef& node) -> NodeRef {
            for (size_t k = 0; k < query_.groupBy.size(); ++k) {
                if (node->kind != NodeKind::Constant && isKey(node, k)) return nameOf(keyName(k), node->position);
            }
            if (isCallOf(*node, "grouping") || isCallOf(*node, "grouping_id"))
                return groupingOf(static_cast<const Call&>(*node));
            // The function of a window is called above; aggregates among its arguments are not.
            if (node->kind == NodeKind::Window) return windowOverGroups(node, replace);
            if (node->kind != NodeKind::Call) return NodeRef();
            const Ref<Function> function = calledFunction(static_cast<const Call&>(*node), context_);
            return function && function->signature().aggregate ? valueOf(node) : NodeRef();
        };
        return rewrite(whole, replace);
    }

    static NodeRef windowOverGroups(const NodeRef& node, const Replace& replace) {
        const auto& given = static_cast<const Window&>(*node);
        return rewrite(node, [&](const NodeRef& part) -> NodeRef {
            if (part == node) return NodeRef();
            if (part != given.call) return rewrite(part, replace);
            const auto& call = static_cast<const Call&>(*part);
            std::vector<Argument> arguments = call.arguments;
            for (Argument& argument : arguments) argument.value = rewrite(argument.value, replace);
            return makeRef<Call>(call.callee, std::move(arguments), call.style, call.position);
        });
    }

    bool isKey(const NodeRef& node, size_t key) const {
        const SelectItem& item = query_.groupBy[key];
        if (isSameColumn(node, item.value)) return true;
        return node->kind == NodeKind::Name && !item.aliases.empty() && item.aliases[0] == columnOf(*node);
    }

    NodeRef groupingOf(const Call& call) {
        std::vector<size_t> keys;
        for (const Argument& argument : call.arguments) {
            size_t k = 0;
            while (k < query_.groupBy.size() && !isKey(argument.value, k)) ++k;
            if (k == query_.groupBy.size())
                throw UserError(call.position, "The arguments of grouping are keys of group by.");
            keys.push_back(k);
        }
        groupings_.push_back(std::move(keys));
        return nameOf(groupingName(groupings_.size() - 1), call.position);
    }

    NodeRef valueOf(const NodeRef& call) {
        size_t v = 0;
        while (v < values_.size() && !isSameCode(values_[v], call)) ++v;
        if (v == values_.size()) values_.push_back(call);
        return nameOf(valueName(v), call->position);
    }

    NodeRef unionOfSets() {
        std::vector<std::optional<Merge>> merges;
        for (const NodeRef& value : values_) merges.push_back(mergeOf(static_cast<const Call&>(*value), context_));
        const bool mayMerge = std::all_of(merges.begin(), merges.end(), [](const auto& merge) { return merge; });
        Ref<Query> whole;
        for (const KeySet& set : query_.groupingSets) {
            Ref<Query> one = mayMerge ? setOfGroups(set, merges) : setOfRows(set);
            if (whole) {
                whole->unions.push_back({SetOperator::Union, true, one});
            } else {
                whole = std::move(one);
            }
        }
        if (mayMerge) whole->with.emplace_back(kFinestGroups, groupsOfAllKeys(merges));
        return whole;
    }

    // Adds the keys of a set, NULL for the others, and what grouping says of it.
    void addKeys(Query& one, const KeySet& set, bool isOverGroups) const {
        const SourcePosition here = query_.position;
        const auto holds = [&](size_t key) { return std::find(set.begin(), set.end(), key) != set.end(); };
        for (size_t k = 0; k < query_.groupBy.size(); ++k) {
            const NodeRef key = isOverGroups ? nameOf(keyName(k), here) : query_.groupBy[k].value;
            if (holds(k)) {
                one.groupBy.push_back({key, {keyName(k)}, {}});
                one.grouping = GroupKind::Group;
            } else {
                one.items.push_back({makeRef<Constant>(Value(), here), {keyName(k)}, {}});
            }
        }
        // All rows are one group, whatever is asked of them.
        if (set.empty()) one.items.push_back({callOf("count", {makeRef<Star>(here)}, here), {"rows"}, {}});
        for (size_t g = 0; g < groupings_.size(); ++g) {
            int32_t bits = 0;
            for (const size_t key : groupings_[g]) bits = bits * 2 + (holds(key) ? 0 : 1);
            one.items.push_back({makeRef<Constant>(Value::ofInt(bits), here), {groupingName(g)}, {}});
        }
    }

    Ref<Query> setOfRows(const KeySet& set) const {
        Ref<Query> one = overSource();
        addKeys(*one, set, false);
        for (size_t v = 0; v < values_.size(); ++v) one->items.push_back({values_[v], {valueName(v)}, {}});
        return inOrder(std::move(one));
    }

    Ref<Query> setOfGroups(const KeySet& set, const std::vector<std::optional<Merge>>& merges) const {
        const SourcePosition here = query_.position;
        Ref<Query> one = makeRef<Query>(here);
        one->table = nameOf(kFinestGroups, here);
        addKeys(*one, set, true);
        for (size_t v = 0; v < values_.size(); ++v) {
            const auto merged = [&](size_t part) {
                return callOf(merges[v]->merged, {nameOf(partName(v, part), here)}, here);
            };
            if (merges[v]->isCount && set.empty()) {
                NodeRef count = callOf("nullFill", {merged(0), makeRef<Constant>(Value::ofInt(0), here)}, here);
                one->items.push_back({std::move(count), {valueName(v)}, {}});
                continue;
            }
            NodeRef value = merges[v]->isRatio ? callOf("ratio", {merged(0), merged(1)}, here) : merged(0);
            one->items.push_back({std::move(value), {valueName(v)}, {}});
        }
        return inOrder(std::move(one));
    }

    // Makes the columns of all sets stand in one order: those of union are joined by their places.
    Ref<Query> inOrder(Ref<Query> groups) const {
        const SourcePosition here = query_.position;
        Ref<Query> ordered = makeRef<Query>(here);
        const auto add = [&](const std::string& name) { ordered->items.push_back({nameOf(name, here), {name}, {}}); };
        for (size_t k = 0; k < query_.groupBy.size(); ++k) add(keyName(k));
        for (size_t g = 0; g < groupings_.size(); ++g) add(groupingName(g));
        for (size_t v = 0; v < values_.size(); ++v) add(valueName(v));
        ordered->table = std::move(groups);
        return ordered;
    }

    NodeRef groupsOfAllKeys(const std::vector<std::optional<Merge>>& merges) const {
        Ref<Query> finest = overSource();
        KeySet all;
        for (const KeySet& set : query_.groupingSets) all.insert(all.end(), set.begin(), set.end());
        for (size_t k = 0; k < query_.groupBy.size(); ++k) {
            finest->groupBy.push_back({query_.groupBy[k].value, {keyName(k)}, {}});
            finest->grouping = GroupKind::Group;
        }
        for (size_t v = 0; v < values_.size(); ++v) {
            const auto& call = static_cast<const Call&>(*values_[v]);
            for (size_t part = 0; part < merges[v]->parts.size(); ++part) {
                finest->items.push_back({callOf(merges[v]->parts[part], {call.arguments[0].value}, call.position),
                                         {partName(v, part)},
                                         {}});
            }
        }
        return finest;
    }

    Ref<Query> overSource() const {
        Ref<Query> one = makeRef<Query>(query_.position);
        one->table = query_.table;
        one->tableAlias = query_.tableAlias;
        one->joins = query_.joins;
        one->where = query_.where;
        return one;
    }

    const Query& query_;
    Context& context_;
    NodeList values_;                             // the aggregates, each once
    std::vector<std::vector<size_t>> groupings_;  // the keys of each grouping(…)
};

}  // namespace

Ref<Query> withoutGroupingSets(const Query& query, Context& context) {
    return SetsOfKeys(query, context).united();
}

}  // namespace pelorus
