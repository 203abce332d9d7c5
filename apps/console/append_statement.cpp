#include "apps/console/append_statement.h"

#include <string_view>

#include "runtime/code/expression.h"

namespace pelorus {

bool isAppendStatement(const NodeList& statements) {
    if (statements.size() != 1 || statements[0]->kind != NodeKind::ExpressionStatement) return false;
    const Node& value = *static_cast<const ExpressionStatement&>(*statements[0]).expression;
    if (value.kind != NodeKind::Call) return false;
    const Node& callee = *static_cast<const Call&>(value).callee;
    const std::string_view name = callee.kind == NodeKind::Name     ? static_cast<const Name&>(callee).name
                                  : callee.kind == NodeKind::Member ? static_cast<const Member&>(callee).name
                                                                    : std::string_view();
    return name == "append!" || name == "upsert!";
}

}  // namespace pelorus
