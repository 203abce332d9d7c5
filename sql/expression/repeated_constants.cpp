#include "sql/expression/repeated_constants.h"

#include "runtime/code/rewrite.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/constants.h"

namespace pelorus {

NodeRef withRepeatedConstants(const NodeRef& item, const TableSchema& columns, Context& context) {
    return rewrite(item, [&](const NodeRef& n) -> NodeRef {
        if (n->kind != NodeKind::Call || columns.empty()) return NodeRef();
        const auto& call = static_cast<const Call&>(*n);
        const Ref<Function> f = calledFunction(call, context);
        Value constant;
        const bool repeats = f && f->signature().aggregate && call.arguments.size() == 1 &&
                             call.arguments[0].value->kind != NodeKind::Star &&
                             constantValue(*call.arguments[0].value, columns, context, constant) && constant.isScalar();
        if (!repeats) return NodeRef();
        auto function = [&](const char* name, std::vector<Argument> arguments) -> NodeRef {
            auto callee = makeRef<Name>(name, n->position);
            callee->functionOnly = true;
            return makeRef<Call>(std::move(callee), std::move(arguments), Call::Style::Function, n->position);
        };
        NodeRef rows = function("size", {{"", makeRef<Name>(columns[0].name, n->position)}});
        NodeRef repeated = function("take", {{"", call.arguments[0].value}, {"", std::move(rows)}});
        return makeRef<Call>(call.callee, std::vector<Argument>{{"", std::move(repeated)}}, call.style, n->position);
    });
}

}  // namespace pelorus
