#include "sql/expression/unknown_value.h"

#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"

namespace pelorus {

// No named constant ends so.
NodeRef unknownValue(const Node& part, Type type) {
    auto unknown = makeRef<Constant>(Value::nullOf(type), part.position);
    const std::string string = toSource(part);
    unknown->spelling = string.ends_with(')') ? string : "(" + string + ")";
    return unknown;
}

bool holdsUnknown(const Node& node) {
    bool found = false;
    rewrite(NodeRef(const_cast<Node*>(&node)), [&](const NodeRef& n) -> NodeRef {
        found = found || (n->kind == NodeKind::Constant && static_cast<const Constant&>(*n).spelling.ends_with(')'));
        return NodeRef();
    });
    return found;
}

}  // namespace pelorus
