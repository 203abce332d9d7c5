#include "sql/bind/read_names.h"

#include "runtime/code/rewrite.h"
#include "sql/bind/qualified_names.h"

namespace pelorus {

ReadNames::ReadNames(const Query& query) {
    all_ = query.verb != QueryVerb::Select && query.verb != QueryVerb::Exec;
    rewriteQuery(query, [&](const NodeRef& n) { return note(n); });
    for (const JoinClause& join : query.joins) rewrite(join.on, [&](const NodeRef& n) { return note(n); });
}

// A sub-query may name columns of this source beside its own.
void ReadNames::noteOuter(const Query& query) {
    const Replace visit = [&](const NodeRef& node) -> NodeRef {
        if (node->kind == NodeKind::Name) names_.insert(static_cast<const Name&>(*node).name);
        if (node->kind == NodeKind::Query) noteOuter(static_cast<const Query&>(*node));
        if (node->kind == NodeKind::Member) {
            const auto& m = static_cast<const Member&>(*node);
            names_.insert(m.name);
            if (m.object->kind == NodeKind::Name)
                names_.insert(static_cast<const Name&>(*m.object).name + "_" + m.name);
        }
        return NodeRef();
    };
    rewriteQuery(query, visit);
    for (const JoinClause& join : query.joins) rewrite(join.on, visit);
}

NodeRef ReadNames::note(const NodeRef& node) {
    switch (node->kind) {
        case NodeKind::Name:
            names_.insert(static_cast<const Name&>(*node).name);
            return NodeRef();
        case NodeKind::Member:
            names_.insert(static_cast<const Member&>(*node).name);
            all_ = all_ || isQualifiedStar(*node);
            if (const auto& m = static_cast<const Member&>(*node); m.object->kind == NodeKind::Name) {
                names_.insert(static_cast<const Name&>(*m.object).name + "_" + m.name);
            }
            return NodeRef();
        case NodeKind::Call: {
            // count(*) reads nothing.
            const auto& arguments = static_cast<const Call&>(*node).arguments;
            return arguments.size() == 1 && arguments[0].value->kind == NodeKind::Star ? node : NodeRef();
        }
        case NodeKind::Constant:
            // A column may have the name of a constant.
            names_.insert(static_cast<const Constant&>(*node).spelling);
            return NodeRef();
        case NodeKind::Unary:
        case NodeKind::Binary:
        case NodeKind::Ternary:
        case NodeKind::Index:
        case NodeKind::TupleLiteral:
        case NodeKind::ListLiteral:
        case NodeKind::Alias:
        case NodeKind::Omitted:
            return NodeRef();
        case NodeKind::Query:
            noteOuter(static_cast<const Query&>(*node));
            return node;  // has a separate source
        case NodeKind::Star:
            all_ = true;
            return NodeRef();
        default:
            opaque_ = true;
            return node;
    }
}

}  // namespace pelorus
