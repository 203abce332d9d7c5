#include "sql/expression/bind_only.h"

#include <utility>

#include "common/error.h"
#include "interpreter/bytecode/effects.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"

namespace pelorus {

namespace {

thread_local bool bindsOnly = false;

}  // namespace

BindOnly::BindOnly(bool on) : outer_(std::exchange(bindsOnly, on)) {}
BindOnly::~BindOnly() {
    bindsOnly = outer_;
}
bool BindOnly::isOn() {
    return bindsOnly;
}

void requireBindable(const Node& part, const Context& context) {
    // A built-in, as loadTable, returns its table as it is; what a function of a script does is not known.
    const auto* call = part.kind == NodeKind::Call ? static_cast<const Call*>(&part) : nullptr;
    const bool isBuiltin = call && call->callee->kind == NodeKind::Name &&
                           FunctionRegistry::instance().find(static_cast<const Name&>(*call->callee).name);
    if (!BindOnly::isOn() || isBuiltin || effectOf(NodeRef(const_cast<Node*>(&part)), context) < Effect::Writes) return;
    throw UserError(part.position,
                    "The query is not run to be explained, and its table is unknown without calling " + toSource(part) +
                        ", which may change something.",
                    "Assign the table to a variable, and explain the query over that.");
}

Value withoutRowsIfBound(const Value& table) {
    if (!BindOnly::isOn() || !table.isTable()) return table;
    return Value::of(Ref<Table>(MemoryTable::empty(table.table().columns())));
}

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
