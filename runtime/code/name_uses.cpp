#include "runtime/code/name_uses.h"

namespace pelorus {

void forEachUse(const Node& node, const std::function<void(const Name&, bool called)>& f) {
    auto walk = [&](const NodeRef& n) {
        if (n) forEachUse(*n, f);
    };
    auto walkCallee = [&](const NodeRef& n) {
        if (n->kind == NodeKind::Name) return f(static_cast<const Name&>(*n), true);
        walk(n);
    };
    switch (node.kind) {
        case NodeKind::Name:
            f(static_cast<const Name&>(node), false);
            return;
        case NodeKind::Unary:
            return walk(static_cast<const Unary&>(node).operand);
        case NodeKind::Binary:
            walk(static_cast<const Binary&>(node).left);
            return walk(static_cast<const Binary&>(node).right);
        case NodeKind::Ternary: {
            const auto& n = static_cast<const Ternary&>(node);
            walk(n.condition);
            walk(n.then);
            return walk(n.otherwise);
        }
        case NodeKind::Call:
            walkCallee(static_cast<const Call&>(node).callee);
            for (const Argument& a : static_cast<const Call&>(node).arguments) walk(a.value);
            return;
        case NodeKind::Partial:
            walkCallee(static_cast<const Partial&>(node).callee);
            for (const Argument& a : static_cast<const Partial&>(node).arguments) walk(a.value);
            return;
        case NodeKind::HigherOrder:
            return walk(static_cast<const HigherOrder&>(node).function);
        case NodeKind::Index:
            walk(static_cast<const Index&>(node).object);
            for (const NodeRef& i : static_cast<const Index&>(node).indices) walk(i);
            return;
        case NodeKind::Member:
            walk(static_cast<const Member&>(node).object);
            return walk(static_cast<const Member&>(node).key);
        case NodeKind::TupleLiteral:
            for (const NodeRef& i : static_cast<const TupleLiteral&>(node).items) walk(i);
            return;
        case NodeKind::ListLiteral:
            for (const NodeRef& i : static_cast<const ListLiteral&>(node).items) walk(i);
            return;
        case NodeKind::Alias:
            return walk(static_cast<const Alias&>(node).value);
        default:
            return;
    }
}

void forEachName(const Node& node, const std::function<void(const Name&)>& f) {
    forEachUse(node, [&](const Name& name, bool) { f(name); });
}

}  // namespace pelorus
