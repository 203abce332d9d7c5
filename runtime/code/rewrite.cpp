#include "runtime/code/rewrite.h"

#include "common/thread/stack_room.h"

namespace pelorus {

static NodeList rewriteAll(const NodeList& nodes, const Replace& replace) {
    NodeList result;
    for (const NodeRef& n : nodes) result.push_back(rewrite(n, replace));
    return result;
}

static std::vector<Argument> rewriteAll(const std::vector<Argument>& arguments, const Replace& replace) {
    std::vector<Argument> result;
    for (const Argument& a : arguments) result.push_back({a.keyword, rewrite(a.value, replace)});
    return result;
}

NodeRef rewrite(const NodeRef& node, const Replace& replace) {
    requireStackRoom();
    if (!node) return node;
    if (NodeRef replaced = replace(node)) return replaced;
    switch (node->kind) {
        case NodeKind::Unary: {
            const auto& n = static_cast<const Unary&>(*node);
            return makeRef<Unary>(n.op, rewrite(n.operand, replace), n.position);
        }
        case NodeKind::Binary: {
            const auto& n = static_cast<const Binary&>(*node);
            return makeRef<Binary>(n.op, rewrite(n.left, replace), rewrite(n.right, replace), n.position);
        }
        case NodeKind::Ternary: {
            const auto& n = static_cast<const Ternary&>(*node);
            return makeRef<Ternary>(rewrite(n.condition, replace), rewrite(n.then, replace),
                                    rewrite(n.otherwise, replace), n.position);
        }
        case NodeKind::Call: {
            const auto& n = static_cast<const Call&>(*node);
            return makeRef<Call>(rewrite(n.callee, replace), rewriteAll(n.arguments, replace), n.style, n.position);
        }
        case NodeKind::Partial: {
            const auto& n = static_cast<const Partial&>(*node);
            return makeRef<Partial>(rewrite(n.callee, replace), rewriteAll(n.arguments, replace), n.position);
        }
        case NodeKind::Index: {
            const auto& n = static_cast<const Index&>(*node);
            return makeRef<Index>(rewrite(n.object, replace), rewriteAll(n.indices, replace), n.position);
        }
        case NodeKind::Member: {
            const auto& n = static_cast<const Member&>(*node);
            return makeRef<Member>(rewrite(n.object, replace), n.name, rewrite(n.key, replace), n.position);
        }
        case NodeKind::TupleLiteral:
            return makeRef<TupleLiteral>(rewriteAll(static_cast<const TupleLiteral&>(*node).items, replace),
                                         node->position);
        case NodeKind::ListLiteral:
            return makeRef<ListLiteral>(rewriteAll(static_cast<const ListLiteral&>(*node).items, replace),
                                        node->position);
        case NodeKind::Alias: {
            const auto& n = static_cast<const Alias&>(*node);
            return makeRef<Alias>(rewrite(n.value, replace), n.names, n.position);
        }
        case NodeKind::HigherOrder: {
            const auto& n = static_cast<const HigherOrder&>(*node);
            return makeRef<HigherOrder>(rewrite(n.function, replace), n.pattern, n.rule, n.position);
        }
        case NodeKind::Window: {
            const auto& n = static_cast<const Window&>(*node);
            auto copy = makeRef<Window>(rewrite(n.call, replace), n.position);
            copy->partitionBy = rewriteAll(n.partitionBy, replace);
            copy->orderBy = n.orderBy;
            for (OrderItem& item : copy->orderBy) item.value = rewrite(item.value, replace);
            copy->hasFrame = n.hasFrame;
            copy->unit = n.unit;
            copy->exclusion = n.exclusion;
            copy->low = n.low;
            copy->high = n.high;
            copy->lowOffset = n.lowOffset;
            copy->highOffset = n.highOffset;
            return copy;
        }
        default:
            return node;
    }
}

Ref<Query> copyQuery(const Query& query) {
    auto copy = makeRef<Query>(query.position);
    copy->verb = query.verb;
    copy->hint = query.hint;
    copy->distinct = query.distinct;
    copy->items = query.items;
    copy->table = query.table;
    copy->tableAlias = query.tableAlias;
    copy->joins = query.joins;
    copy->where = query.where;
    copy->grouping = query.grouping;
    copy->groupBy = query.groupBy;
    copy->groupingSets = query.groupingSets;
    copy->cumulativeKeys = query.cumulativeKeys;
    copy->csort = query.csort;
    copy->having = query.having;
    copy->orderBy = query.orderBy;
    copy->top = query.top;
    copy->offset = query.offset;
    copy->limit = query.limit;
    copy->map = query.map;
    copy->callsUnknown = query.callsUnknown;
    copy->with = query.with;
    copy->unions = query.unions;
    copy->insertColumns = query.insertColumns;
    copy->insertRows = query.insertRows;
    copy->insertSource = query.insertSource;
    copy->updateSource = query.updateSource;
    copy->updateSourceAlias = query.updateSourceAlias;
    return copy;
}

Ref<Query> rewriteQuery(const Query& query, const Replace& replace) {
    Ref<Query> copy = copyQuery(query);
    for (SelectItem& item : copy->items) item.value = rewrite(item.value, replace);
    copy->where = rewriteAll(copy->where, replace);
    for (SelectItem& item : copy->groupBy) item.value = rewrite(item.value, replace);
    for (OrderItem& item : copy->csort) item.value = rewrite(item.value, replace);
    copy->having = rewrite(copy->having, replace);
    for (OrderItem& item : copy->orderBy) item.value = rewrite(item.value, replace);
    return copy;
}

}  // namespace pelorus
