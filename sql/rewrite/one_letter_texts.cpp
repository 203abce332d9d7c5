#include "sql/rewrite/one_letter_texts.h"

#include "interpreter/analysis/node_children.h"
#include "runtime/code/rewrite.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/cast.h"

namespace pelorus {

namespace {

bool isTextColumn(const Node& node, const TableSchema& columns) {
    if (node.kind != NodeKind::Name) return false;
    const int c = findColumn(columns, static_cast<const Name&>(node).name);
    return c >= 0 && isLiteral(columns[static_cast<size_t>(c)].type);
}

// Returns constants of CHAR as texts; null where the node holds none.
NodeRef asTexts(const NodeRef& node) {
    bool found = false;
    NodeRef texts = rewrite(node, [&](const NodeRef& part) -> NodeRef {
        if (part->kind != NodeKind::Constant) return NodeRef();
        const Value& value = static_cast<const Constant&>(*part).value;
        if (value.type() != Type::Char || (!value.isScalar() && !value.isTypedVector())) return NodeRef();
        found = true;
        return makeRef<Constant>(cast(value, Type::String), part->position);
    });
    return found ? texts : NodeRef();
}

bool isConstants(const Node& node) {
    return node.kind == NodeKind::Constant || node.kind == NodeKind::TupleLiteral || node.kind == NodeKind::ListLiteral;
}

}  // namespace

NodeRef withOneLetterTexts(const NodeRef& expression, const TableSchema& columns) {
    return rewrite(expression, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Binary) return NodeRef();
        const auto& n = static_cast<const Binary&>(*node);
        const bool takesList = n.op == Operator::In || n.op == Operator::Between;
        if (!isComparison(n.op) && !takesList && n.op != Operator::Like) return NodeRef();
        const bool isLeft = isTextColumn(*n.left, columns) && (isConstants(*n.right) || n.op == Operator::Between);
        const bool isRight = !takesList && isTextColumn(*n.right, columns) && isConstants(*n.left);
        if (!isLeft && !isRight) return NodeRef();
        const NodeRef texts = asTexts(isLeft ? n.right : n.left);
        if (!texts) return NodeRef();
        return makeRef<Binary>(n.op, isLeft ? n.left : texts, isLeft ? texts : n.right, n.position);
    });
}

static bool holdsLetter(const Node& node) {
    if (node.kind == NodeKind::Constant) return static_cast<const Constant&>(node).value.type() == Type::Char;
    bool found = false;
    forEachChild(node, [&](const NodeRef& part) { found = found || holdsLetter(*part); });
    return found;
}

Ref<Query> withOneLetterTexts(const Ref<Query>& query, const TableSchema& columns) {
    if (!holdsLetter(*query)) return query;
    return rewriteQuery(*query, [&](const NodeRef& node) -> NodeRef {
        return node->kind == NodeKind::Binary ? withOneLetterTexts(node, columns) : NodeRef();
    });
}

}  // namespace pelorus
