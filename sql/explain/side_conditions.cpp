#include "sql/explain/side_conditions.h"

#include <optional>

#include "sql/bind/join_sides.h"
#include "sql/physical/bound_query.h"
#include "sql/plan/join_function.h"

namespace pelorus {

// Returns a side with its columns; nothing where only its rows have them.
static std::optional<JoinSide> joinSide(const SourceNode& source, Context& context) {
    if (source.kind == SourceNode::Kind::Table)
        return JoinSide{static_cast<const TableSourceNode&>(source).table, source.qualifier};
    if (source.kind != SourceNode::Kind::Derived) return std::nullopt;
    const Ref<MemoryTable> columns = boundTable(static_cast<const Query&>(*source.code), context);
    return JoinSide{Value::of(Ref<Table>(columns)), source.qualifier};
}

std::vector<NodeList> conditionsOfSides(const SourceNode& join, const Query& query, Context& context) {
    std::vector<const SourceNode*> sources;
    std::vector<JoinKind> kinds;
    if (join.kind == SourceNode::Kind::Join) {
        for (const SourceRef& side : static_cast<const JoinNode&>(join).sides) sources.push_back(side.get());
        for (const JoinClause& clause : static_cast<const JoinNode&>(join).clauses) kinds.push_back(clause.kind);
    } else {
        const auto& function = static_cast<const JoinFunctionNode&>(join);
        sources = {function.side(0), function.side(1)};
        const std::optional<JoinKind> kind = narrowedJoin(function.function.name());
        if (!kind || !sources[0] || !sources[1]) return std::vector<NodeList>(sources.size());
        kinds = {*kind};
    }
    std::vector<NodeList> conditions(sources.size());
    std::vector<JoinSide> sides;
    for (const SourceNode* source : sources) {
        const std::optional<JoinSide> side = joinSide(*source, context);
        if (!side) return conditions;
        sides.push_back(*side);
    }
    const auto isRead = [](const std::string&) { return true; };
    for (size_t i = 0; i < sides.size(); ++i) {
        if (!takesConditions(kinds, i)) continue;
        if (const Ref<Query> needed = neededRows(sides, i, query.where, isRead, context)) conditions[i] = needed->where;
    }
    return conditions;
}

}  // namespace pelorus
