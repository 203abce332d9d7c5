#include "sql/expression/dummy_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

bool DummyCall::is(const Node& node, std::string_view name, Context& context) {
    if (node.kind != NodeKind::Call) return false;
    const auto& call = static_cast<const Call&>(node);
    if (call.callee->kind != NodeKind::Name || static_cast<const Name&>(*call.callee).name != name) return false;
    return !calledFunction(call, context);
}

DummyCall::DummyCall(const Node& node, std::vector<std::string> parameters)
    : parameters_(std::move(parameters)), values_(parameters_.size()) {
    const auto& call = static_cast<const Call&>(node);
    const std::string& function = static_cast<const Name&>(*call.callee).name;
    size_t next = 0;
    for (const Argument& argument : call.arguments) {
        std::string keyword = argument.keyword;
        NodeRef value = argument.value;
        // In a query `=` compares, so that a keyword comes as a comparison.
        if (keyword.empty() && value->kind == NodeKind::Binary) {
            const auto& n = static_cast<const Binary&>(*value);
            if (n.op == Operator::Eq && n.left->kind == NodeKind::Name) {
                const std::string& name = static_cast<const Name&>(*n.left).name;
                if (std::find(parameters_.begin(), parameters_.end(), name) != parameters_.end()) {
                    keyword = name;
                    value = n.right;
                }
            }
        }
        size_t at = next;
        if (!keyword.empty()) {
            at = static_cast<size_t>(std::find(parameters_.begin(), parameters_.end(), keyword) - parameters_.begin());
        }
        if (at >= parameters_.size()) {
            throw UserError(keyword.empty() ? fmt::format("{} takes at most {} arguments.", function, at)
                                            : fmt::format("{} has no parameter {}.", function, keyword));
        }
        next = at + 1;
        if (value->kind != NodeKind::Omitted) values_[at] = value;
    }
}

NodeRef DummyCall::node(std::string_view parameter) const {
    for (size_t i = 0; i < parameters_.size(); ++i) {
        if (parameters_[i] == parameter) return values_[i];
    }
    return NodeRef();
}

Value DummyCall::constant(std::string_view parameter, Context& context) const {
    const NodeRef value = node(parameter);
    if (!value) return Value();
    const ExpressionProgram e = bindProgram(value, {}, context);
    return e.evaluate(context, std::span<const Value>(), 0);
}

std::string DummyCall::word(std::string_view parameter, const std::vector<std::string>& words, Context& context) const {
    const Value value = constant(parameter, context);
    if (value.isVoid()) return words[0];
    if (value.isString() && std::find(words.begin(), words.end(), value.string()) != words.end())
        return std::string(value.string());
    throw UserError(fmt::format("{} must be one of {}.", parameter, fmt::join(words, ", ")));
}

}  // namespace pelorus
