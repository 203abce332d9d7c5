#include "sql/bind/query_form.h"

#include "runtime/code/rewrite.h"
#include "sql/expression/dummy_call.h"

namespace pelorus {

size_t intervalKey(const SelectPlan& plan, Context& context) {
    for (size_t k = 0; k < plan.keys.size(); ++k) {
        if (DummyCall::is(*plan.keys[k].value, "interval", context)) return k;
    }
    return plan.keys.size();
}

bool groupsByInterval(const SelectPlan& plan, Context& context) {
    return intervalKey(plan, context) < plan.keys.size();
}

bool rollsWindows(const SelectPlan& plan, Context& context) {
    return !plan.items.empty() && DummyCall::is(*plan.items[0].value, "roll", context);
}

bool holdsWindow(const Node& node) {
    if (node.kind == NodeKind::Window) return true;
    bool found = false;
    rewrite(NodeRef(const_cast<Node*>(&node)), [&](const NodeRef& n) -> NodeRef {
        found = found || n->kind == NodeKind::Window;
        return NodeRef();
    });
    return found;
}

void nameWindow(SelectItem& item) {
    if (!item.aliases.empty() || item.value->kind != NodeKind::Window) return;
    const auto& call = static_cast<const Window&>(*item.value).call;
    if (call->kind == NodeKind::Call && static_cast<const Call&>(*call).callee->kind == NodeKind::Name) {
        item.aliases = {static_cast<const Name&>(*static_cast<const Call&>(*call).callee).name};
    }
}

}  // namespace pelorus
