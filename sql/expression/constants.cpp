#include "sql/expression/constants.h"

#include "common/error.h"
#include "interpreter/bytecode/closure.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/vm/vm.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/table/column_lookup.h"

namespace pelorus {

bool constantValue(const Node& node, const TableSchema& columns, Context& context, Value& value) {
    if (node.kind == NodeKind::Constant) {
        value = static_cast<const Constant&>(node).value;
        return true;
    }
    bool readsColumn = false;
    forEachName(node, [&](const Name& n) { readsColumn |= findColumn(columns, n.name) >= 0; });
    if (readsColumn || node.kind == NodeKind::Query) return false;
    try {
        Ref<Closure> closure =
            compileExpression(NodeRef(const_cast<Node*>(&node)), {}, context.scope, *context.services);
        std::vector<Value> none;
        value = callFunction(*closure, context, none);
        return true;
    } catch (const Error&) {
        context.checkCancelled();
        return false;  // the expression itself will report it
    }
}

NodeRef withConstants(const NodeRef& node, const TableSchema& columns, Context& context) {
    return rewrite(node, [&](const NodeRef& n) -> NodeRef {
        switch (n->kind) {
            case NodeKind::Unary:
            case NodeKind::Binary:
            case NodeKind::Ternary:
            case NodeKind::Call:
            case NodeKind::Index:
            case NodeKind::Member: {
                Value value;
                if (!constantValue(*n, columns, context, value) || value.isFunction()) return NodeRef();
                return makeRef<Constant>(std::move(value), n->position);
            }
            default:
                return NodeRef();
        }
    });
}

}  // namespace pelorus
