#include "runtime/code/column_name.h"

#include "runtime/code/query.h"
#include "runtime/value/print.h"

namespace pelorus {

std::string defaultColumnName(const Node& node) {
    auto first = [](const NodeRef& n) { return defaultColumnName(*n); };
    switch (node.kind) {
        case NodeKind::Name: {
            // A query's own name for a hidden column has a blank in front: " left.id".
            const std::string& name = static_cast<const Name&>(node).name;
            return name.starts_with(' ') && name.find('.') != std::string::npos ? name.substr(name.rfind('.') + 1)
                                                                                : name;
        }
        case NodeKind::Constant:
            if (static_cast<const Constant&>(node).value.isVoid()) return "NULL";
            return toString(static_cast<const Constant&>(node).value);
        case NodeKind::Unary:
            return first(static_cast<const Unary&>(node).operand) + "_" +
                   facts(static_cast<const Unary&>(node).op).function;
        case NodeKind::Binary: {
            const auto& n = static_cast<const Binary&>(node);
            // The name of a + b + c is that of the first operand and one operator: a_add.
            const NodeRef* left = &n.left;
            while ((*left)->kind == NodeKind::Binary && static_cast<const Binary&>(**left).op == n.op) {
                left = &static_cast<const Binary&>(**left).left;
            }
            return first(*left) + "_" + facts(n.op).function;
        }
        case NodeKind::Call: {
            const auto& n = static_cast<const Call&>(node);
            bool isName = n.callee->kind == NodeKind::Name;
            std::string f = isName ? static_cast<const Name&>(*n.callee).name : "";
            // A function by value is named by its name, or by nothing but an underscore when it is a lambda.
            bool byValue = n.callee->kind == NodeKind::Constant;
            if (byValue) f = static_cast<const Constant&>(*n.callee).spelling;
            for (const Argument& a : n.arguments) {
                if (a.value->kind == NodeKind::Star) return f;
                // The first argument that names a column; literals do not.
                if (a.value->kind != NodeKind::Constant && a.value->kind != NodeKind::Omitted) {
                    std::string inner = defaultColumnName(*a.value);
                    return f.empty() && !byValue ? inner : f + "_" + inner;
                }
            }
            return f;
        }
        case NodeKind::Member:
            return static_cast<const Member&>(node).name;
        case NodeKind::Index:
            return first(static_cast<const Index&>(node).object);
        case NodeKind::Alias:
            return static_cast<const Alias&>(node).names[0];
        default:
            return "col";
    }
}

bool catalogTable(const Node& node, std::string& path, std::string& table) {
    if (node.kind != NodeKind::Member) return false;
    const auto& m = static_cast<const Member&>(node);
    if (m.key) return false;
    if (m.object->kind == NodeKind::Name) {
        path = static_cast<const Name&>(*m.object).name;
    } else {
        std::string first, second;
        if (!catalogTable(*m.object, first, second) || first.find('.') != std::string::npos) return false;
        path = first + "." + second;
    }
    table = m.name;
    return true;
}

}  // namespace pelorus
