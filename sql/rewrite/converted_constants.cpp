#include "sql/rewrite/converted_constants.h"

#include <optional>

#include "interpreter/analysis/node_children.h"
#include "runtime/code/rewrite.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/cast.h"

namespace pelorus {

namespace {

// Returns the type of the column that the node names; VOID for anything else.
Type columnType(const Node& node, const TableSchema& columns) {
    if (node.kind != NodeKind::Name) return Type::Void;
    const int c = findColumn(columns, static_cast<const Name&>(node).name);
    return c < 0 ? Type::Void : columns[static_cast<size_t>(c)].type;
}

// Returns a constant as one of the type of a column; empty where it is of a type that needs no conversion, or cannot be
// converted without loss.
std::optional<Value> converted(const Value& value, Type column) {
    if (!value.isScalar() && !value.isTypedVector()) return std::nullopt;
    if (isLiteral(column)) return value.type() == Type::Char ? std::optional(cast(value, Type::String)) : std::nullopt;
    if (!isTemporal(column) || !isLiteral(value.type())) return std::nullopt;
    const int64_t count = value.isScalar() ? 1 : value.size();
    for (int64_t i = 0; i < count; ++i) {
        const Value text = value.isScalar() ? value : value.at(i);
        if (text.isNull() || cast(text, column).isNull()) return std::nullopt;
    }
    return cast(value, column);
}

// Returns the node with its constants converted; null where it holds none to convert.
NodeRef withConverted(const NodeRef& node, Type column) {
    bool found = false;
    NodeRef whole = rewrite(node, [&](const NodeRef& part) -> NodeRef {
        if (part->kind == NodeKind::Call || part->kind == NodeKind::Query) return part;
        if (part->kind != NodeKind::Constant) return NodeRef();
        const std::optional<Value> value = converted(static_cast<const Constant&>(*part).value, column);
        found = found || value;
        return value ? NodeRef(makeRef<Constant>(*value, part->position)) : NodeRef();
    });
    return found ? whole : NodeRef();
}

bool isConstants(const Node& node) {
    return node.kind == NodeKind::Constant || node.kind == NodeKind::TupleLiteral || node.kind == NodeKind::ListLiteral;
}

}  // namespace

NodeRef withConvertedConstants(const NodeRef& expression, const TableSchema& columns) {
    return rewrite(expression, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Binary) return NodeRef();
        const auto& n = static_cast<const Binary&>(*node);
        const bool takesList = n.op == Operator::In || n.op == Operator::Between;
        if (!isComparison(n.op) && !takesList && n.op != Operator::Like) return NodeRef();
        const auto side = [&](const NodeRef& column, const NodeRef& other) -> NodeRef {
            const Type type = columnType(*column, columns);
            const bool mayConvert = isConstants(*other) || n.op == Operator::Between;
            return type != Type::Void && mayConvert ? withConverted(other, type) : NodeRef();
        };
        if (NodeRef right = side(n.left, n.right)) return makeRef<Binary>(n.op, n.left, std::move(right), n.position);
        NodeRef left = takesList ? NodeRef() : side(n.right, n.left);
        return left ? NodeRef(makeRef<Binary>(n.op, std::move(left), n.right, n.position)) : NodeRef();
    });
}

static bool holdsText(const Node& node) {
    if (node.kind == NodeKind::Constant) {
        const Type type = static_cast<const Constant&>(node).value.type();
        return type == Type::Char || isLiteral(type);
    }
    bool found = false;
    forEachChild(node, [&](const NodeRef& part) { found = found || holdsText(*part); });
    return found;
}

Ref<Query> withConvertedConstants(const Ref<Query>& query, const TableSchema& columns) {
    if (!holdsText(*query)) return query;
    return rewriteQuery(*query, [&](const NodeRef& node) -> NodeRef {
        return node->kind == NodeKind::Binary ? withConvertedConstants(node, columns) : NodeRef();
    });
}

}  // namespace pelorus
