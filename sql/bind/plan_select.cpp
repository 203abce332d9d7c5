#include "sql/bind/plan_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "common/error.h"
#include "runtime/code/column_name.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/format/to_source.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/partition_conditions.h"
#include "sql/bind/qualified_names.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/constants.h"
#include "sql/rewrite/column_ranges.h"
#include "sql/rewrite/converted_constants.h"
#include "sql/rewrite/mistyped_dates.h"
#include "sql/rewrite/text_indexes.h"

namespace pelorus {

namespace {

// Explicit names are not changed, and a column under the name of another would replace it.
[[noreturn]] void refuseName(const std::string& name, const Node& value) {
    throw UserError(value.position, fmt::format("Duplicate column name: [{}]. RefId: S02001", name),
                    "Give each column of the result a name of its own, with as.");
}

void requireOwnNames(const std::vector<OutputItem>& items) {
    std::set<std::string> taken;
    for (const OutputItem& item : items) {
        for (const std::string& name : item.names) {
            if (!name.empty() && !taken.insert(name).second) refuseName(name, *item.value);
        }
    }
}

// A column that * names as well occurs once, at its first place.
void dropRepeats(const std::vector<SelectItem>& items, std::vector<OutputItem>& result) {
    const bool hasStar = std::any_of(items.begin(), items.end(),
                                     [](const SelectItem& item) { return item.value->kind == NodeKind::Star; });
    if (!hasStar) return;
    std::unordered_set<std::string> seen;
    std::erase_if(result, [&](const OutputItem& item) {
        if (item.named || item.value->kind != NodeKind::Name) return false;
        return !seen.insert(static_cast<const Name&>(*item.value).name).second;
    });
}

// Columns with the same default name are numbered. Linear: a list made as metacode may have a million items.
void numberDefaultNames(std::vector<OutputItem>& items, Context& context) {
    std::unordered_set<std::string> taken;
    std::unordered_map<std::string, int> suffixes;
    for (OutputItem& item : items) {
        context.checkCancelled();
        std::string& name = item.names[0];
        if (!item.named && item.names.size() == 1 && taken.contains(name)) {
            int& suffix = suffixes.try_emplace(name, 0).first->second;
            std::string free;
            do free = fmt::format("{}_{}", name, ++suffix);
            while (taken.contains(free));
            name = std::move(free);
        }
        taken.insert(name);
    }
}

}  // namespace

std::vector<OutputItem> outputItems(const std::vector<SelectItem>& items, const TableSchema& columns,
                                    Context& context) {
    std::vector<OutputItem> result;
    for (const SelectItem& item : items) {
        if (item.value->kind == NodeKind::Star) {
            for (const ColumnSchema& c : columns) {
                // Columns that a query makes for itself have names that begin with a blank.
                if (c.name.starts_with(' ')) continue;
                result.push_back({{c.name}, makeRef<Name>(c.name, item.value->position), false});
            }
            continue;
        }
        if (holdsColumnRange(*item.value)) {
            const NodeList values = expandColumnRanges(item.value, columns, context);
            const bool named = !item.aliases.empty();
            for (size_t i = 0; i < values.size(); ++i) {
                const bool own = named && i < item.aliases.size();
                result.push_back({{own ? item.aliases[i] : defaultColumnName(*values[i])}, values[i], own});
            }
            if (named && values.size() == 1) result.back().names = item.aliases;
            continue;
        }
        OutputItem output;
        output.value = item.value;
        output.named = !item.aliases.empty();
        output.names = output.named ? item.aliases : std::vector<std::string>{defaultColumnName(*item.value)};
        result.push_back(std::move(output));
    }
    dropRepeats(items, result);
    numberDefaultNames(result, context);
    requireOwnNames(result);
    return result;
}

namespace {

// A key is shown next to the select list, unless that contains the key.
void requireNamesOtherThanKeys(const std::vector<OutputItem>& items, const std::vector<OutputItem>& keys,
                               const TableSchema& columns, Context& context) {
    for (const OutputItem& key : keys) {
        // `select k as z … group by z` knows no z.
        const std::string& name = key.names[0];
        try {
            if (key.value->kind == NodeKind::Name) requireKnownNames(*key.value, columns, context);
        } catch (const UserError& e) {
            for (const OutputItem& item : items) {
                if (std::find(item.names.begin(), item.names.end(), name) == item.names.end()) continue;
                throw UserError(
                    e.place(), e.what(),
                    fmt::format("{0} is the name of an output column. Group by its expression: group by {1} as {0}.",
                                name, toSource(*item.value)));
            }
            throw;
        }
        const auto isKey = [&](const Node& value) {
            return isSameCode(&value, key.value.get()) ||
                   (value.kind == NodeKind::Name && static_cast<const Name&>(value).name == name);
        };
        for (const OutputItem& item : items) {
            if (std::find(item.names.begin(), item.names.end(), name) == item.names.end()) continue;
            if (!isKey(*item.value)) refuseName(name, *item.value);
        }
    }
}

}  // namespace

static bool isAndOf(const NodeRef& node) {
    return node->kind == NodeKind::Binary && static_cast<const Binary&>(*node).op == Operator::And;
}

void splitAnd(const NodeRef& node, NodeList& parts) {
    if (isAndOf(node)) {
        splitAnd(static_cast<const Binary&>(*node).left, parts);
        splitAnd(static_cast<const Binary&>(*node).right, parts);
    } else {
        parts.push_back(node);
    }
}

bool isRowwise(const NodeRef& node, Context& context) {
    bool rowwise = true;
    std::function<void(const NodeRef&)> look = [&](const NodeRef& n) {
        if (!n || !rowwise) return;
        switch (n->kind) {
            case NodeKind::Name:
            case NodeKind::Constant:
            case NodeKind::Omitted:
                return;
            case NodeKind::Unary:
                return look(static_cast<const Unary&>(*n).operand);
            case NodeKind::Binary:
                look(static_cast<const Binary&>(*n).left);
                return look(static_cast<const Binary&>(*n).right);
            case NodeKind::TupleLiteral:
            case NodeKind::ListLiteral: {
                // Lists of constants, as in `sym in ["A", "B"]`.
                bool columns = false;
                forEachName(*n, [&](const Name&) { columns = true; });
                rowwise = rowwise && !columns;
                return;
            }
            case NodeKind::Call: {
                const auto& call = static_cast<const Call&>(*n);
                Ref<Function> f = calledFunction(call, context);
                const bool known = f && f->signature().elementwise;
                if (!known) rowwise = false;
                for (const Argument& a : call.arguments) look(a.value);
                return;
            }
            default:
                rowwise = false;
        }
    };
    look(node);
    return rowwise;
}

// In `having` the alias of an output expression is replaced by the expression, unless it is the name of a column:
// `count(*) as n … having n > 10`.
static NodeRef withItemsForNames(const NodeRef& having, const std::vector<SelectItem>& items,
                                 const TableSchema& columns) {
    return rewrite(having, [&](const NodeRef& n) -> NodeRef {
        if (n->kind != NodeKind::Name) return NodeRef();
        const std::string& name = static_cast<const Name&>(*n).name;
        if (std::any_of(columns.begin(), columns.end(), [&](const ColumnSchema& c) { return c.name == name; }))
            return NodeRef();
        for (const SelectItem& item : items) {
            if (item.aliases.size() == 1 && item.aliases[0] == name) return item.value;
        }
        return NodeRef();
    });
}

void requireClausesOfGroups(const Query& given) {
    if (given.distinct && given.grouping != GroupKind::None) {
        throw UserError("distinct can't be used with group by, context by or pivot by. RefId: S02055",
                        "Leave it out: each group occurs once. Else select distinct from the query in brackets.");
    }
    if (given.offset && given.grouping == GroupKind::Context) {
        throw UserError("limit with context by is how many rows of each group, without an offset.",
                        "Give a number, or a negative one for the last rows; rowNo(column) counts rows of a group.");
    }
}

// group by y, where y is the name of a select item and no column: by that item.
static void groupByAliases(Query& query, const TableSchema& columns) {
    if (query.grouping != GroupKind::Group) return;
    for (SelectItem& key : query.groupBy) {
        if (key.value->kind != NodeKind::Name) continue;
        const std::string& name = static_cast<const Name&>(*key.value).name;
        if (findColumn(columns, name) >= 0) continue;
        for (const SelectItem& item : query.items) {
            if (item.aliases == std::vector<std::string>{name}) key = item;
        }
    }
}

// select sym price from t, where price is a column as well: rather a comma that is missing than a name.
static void refuseMissingCommas(const Query& query, const TableSchema& columns) {
    for (const SelectItem& item : query.items) {
        if (!item.isPlain || findColumn(columns, item.aliases[0]) < 0) continue;
        const std::string column = toSource(*item.value);
        throw UserError(
            item.value->position, fmt::format("{0} {1} are two columns of the table.", column, item.aliases[0]),
            fmt::format("A comma or an operator may be missing; to name the one like the other write {} as {}.", column,
                        item.aliases[0]));
    }
}

NamedQuery resolveNames(const Query& given, const RowSource& source) {
    requireClausesOfGroups(given);
    refuseMissingCommas(given, source.columns());
    const bool hasStars = std::any_of(given.items.begin(), given.items.end(),
                                      [](const SelectItem& item) { return isQualifiedStar(*item.value); });
    NamedQuery named;
    named.written = hasStars ? expandQualifiedStars(given, source) : Ref<Query>(const_cast<Query*>(&given));
    if (source.remaining) {
        named.written = copyQuery(*named.written);
        named.written->where = *source.remaining;
    }
    named.resolved = resolveQualifiedNames(*named.written, source);
    named.resolved = withConvertedConstants(named.resolved, source.columns());
    groupByAliases(*named.resolved, source.columns());
    return named;
}

SelectPlan planSelect(NamedQuery named, RowSource source, Context& context) {
    const Query& query = *named.written;
    SelectPlan plan;
    plan.source = std::move(source);
    plan.query = std::move(named.resolved);
    takePartitionConditions(plan.source, plan.query->where, context);
    if (plan.source.partitioned()) {
        for (NodeRef& condition : plan.query->where) condition = withTextIndexes(condition, *plan.source.partitioned());
    }
    // t.x is called x, whatever the join calls it, unless two output columns would be called so.
    for (size_t i = 0; i < query.items.size(); ++i) {
        const NodeRef& written = query.items[i].value;
        SelectItem& item = plan.query->items[i];
        if (item.value->kind != NodeKind::Name || !item.aliases.empty()) continue;
        // A left key of a right join is hidden under another name.
        if (written->kind == NodeKind::Name) {
            if (static_cast<const Name&>(*item.value).name != static_cast<const Name&>(*written).name) {
                item.aliases = {static_cast<const Name&>(*written).name};
            }
            continue;
        }
        if (written->kind != NodeKind::Member) continue;
        const std::string& name = static_cast<const Member&>(*written).name;
        bool twice = false;
        for (size_t j = 0; j < query.items.size(); ++j) {
            if (j == i) continue;
            const Node& other = *query.items[j].value;
            twice = twice || (other.kind == NodeKind::Star && plan.source.table->findColumn(name) >= 0) ||
                    (query.items[j].aliases.empty() ? defaultColumnName(other) : query.items[j].aliases[0]) == name;
        }
        if (!twice) item.aliases = {name};
    }
    const TableSchema& columns = plan.source.columns();
    if (plan.query->having) plan.query->having = withItemsForNames(plan.query->having, plan.query->items, columns);
    plan.items = outputItems(plan.query->items, columns, context);
    for (size_t i = 0; i < query.groupBy.size(); ++i) {
        const SelectItem& key = plan.query->groupBy[i];
        OutputItem item;
        item.value = key.value;
        // An untyped NULL cannot be sorted by.
        if (key.value->kind == NodeKind::Constant && static_cast<const Constant&>(*key.value).value.isVoid())
            item.value = makeRef<Constant>(Value::nullOf(Type::Int), key.value->position);
        item.named = !key.aliases.empty();
        item.names = {item.named ? key.aliases[0] : defaultColumnName(*key.value)};
        if (!item.named && query.groupBy[i].value->kind == NodeKind::Member) {
            // group by t.x: called x, as in the select list.
            const std::string& name = static_cast<const Member&>(*query.groupBy[i].value).name;
            const auto isCalledSo = [&](const OutputItem& other) { return other.names[0] == name; };
            const bool taken = std::any_of(plan.items.begin(), plan.items.end(), isCalledSo) ||
                               std::any_of(plan.keys.begin(), plan.keys.end(), isCalledSo);
            if (!taken) item.names = {name};
        }
        plan.keys.push_back(std::move(item));
    }
    if (query.grouping != GroupKind::None && query.grouping != GroupKind::Context) {
        const bool pivots = query.grouping == GroupKind::Pivot;
        // The last key of pivot by becomes the names of columns, which are made distinct.
        requireOwnNames({plan.keys.begin(), plan.keys.end() - (pivots ? 1 : 0)});
        if (!pivots) requireNamesOtherThanKeys(plan.items, plan.keys, columns, context);
    }
    if (plan.query->having) {
        // Checked here, while names are still the user's: later there are columns that the query adds itself.
        TableSchema known = columns;
        for (const OutputItem& key : plan.keys) {
            if (findColumn(known, key.names[0]) < 0) known.push_back({key.names[0], Type::Void});
        }
        requireKnownNames(*plan.query->having, known, context);
    }
    bool later = false;
    for (const NodeRef& written : plan.query->where) {
        refuseMistypedDates(written, columns);
        const NodeRef condition = withConstants(written, columns, context);
        NodeList parts;
        splitAnd(condition, parts);
        bool all = std::all_of(parts.begin(), parts.end(), [&](const NodeRef& p) { return isRowwise(p, context); });
        if (!later && all && plan.filters.size() + parts.size() < 64) {
            plan.filters.insert(plan.filters.end(), parts.begin(), parts.end());
        } else {
            later = true;
            plan.laterFilters.push_back(condition);
        }
    }
    return plan;
}

}  // namespace pelorus
