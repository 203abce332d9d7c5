// Prints code as nested lists, so that tests state which tree a source text means: the shape of `1 + 2 * x` is (add 1
// (mul 2 x)).
#pragma once

#include <string>

#include "runtime/code/query.h"
#include "runtime/code/statement.h"
#include "runtime/format/to_source.h"

namespace pelorus {

inline std::string shape(const NodeRef& node);

inline std::string shapes(const NodeList& nodes) {
    std::string string;
    for (const NodeRef& node : nodes) string += " " + shape(node);
    return string;
}

inline std::string shapes(const std::vector<Argument>& arguments) {
    std::string string;
    for (const Argument& argument : arguments) {
        string += " " + (argument.keyword.empty() ? "" : argument.keyword + "=") + shape(argument.value);
    }
    return string;
}

// Returns the elements of a vector of constants with blanks between, as scripts mostly write them.
inline std::string vectorShape(const Value& vector) {
    std::string string = "#";
    for (int64_t i = 0; i < vector.size(); ++i) string += (i > 0 ? " " : "") + toLiteral(vector.at(i));
    return string + "#";
}

// Returns whether a list such as [1, 2] means the same as 1 2.
inline bool isConstantList(const NodeList& elements) {
    for (const NodeRef& element : elements) {
        if (element->kind != NodeKind::Constant || !static_cast<const Constant&>(*element).value.isScalar())
            return false;
    }
    return elements.size() > 1;
}

inline std::string shape(const NodeRef& node) {
    if (!node) return "none";
    switch (node->kind) {
        case NodeKind::Constant: {
            const auto& constant = static_cast<const Constant&>(*node);
            if (!constant.spelling.empty()) return constant.spelling;
            bool vector = constant.value.isVector() && !constant.value.isTuple();
            return vector ? vectorShape(constant.value) : toLiteral(constant.value);
        }
        case NodeKind::Name: {
            const auto& name = static_cast<const Name&>(*node);
            return (name.functionOnly ? "&" : name.columnOnly ? "_" : "") + name.name;
        }
        case NodeKind::Unary: {
            const auto& unary = static_cast<const Unary&>(*node);
            return std::string("(") + facts(unary.op).function + " " + shape(unary.operand) + ")";
        }
        case NodeKind::Binary: {
            const auto& binary = static_cast<const Binary&>(*node);
            return std::string("(") + facts(binary.op).function + " " + shape(binary.left) + " " + shape(binary.right) +
                   ")";
        }
        case NodeKind::Ternary: {
            const auto& ternary = static_cast<const Ternary&>(*node);
            return "(if " + shape(ternary.condition) + " " + shape(ternary.then) + " " + shape(ternary.otherwise) + ")";
        }
        case NodeKind::Call: {
            const auto& call = static_cast<const Call&>(*node);
            return "(" + shape(call.callee) + shapes(call.arguments) + ")";
        }
        case NodeKind::Partial: {
            const auto& partial = static_cast<const Partial&>(*node);
            return "{" + shape(partial.callee) + shapes(partial.arguments) + "}";
        }
        case NodeKind::HigherOrder: {
            const auto& higher = static_cast<const HigherOrder&>(*node);
            return shape(higher.function) + ":" + higher.pattern + (higher.rule ? std::string(1, higher.rule) : "");
        }
        case NodeKind::Index: {
            const auto& index = static_cast<const Index&>(*node);
            return "(at " + shape(index.object) + shapes(index.indices) + ")";
        }
        case NodeKind::Member: {
            const auto& member = static_cast<const Member&>(*node);
            return "(member " + shape(member.object) + " " + (member.key ? shape(member.key) : member.name) + ")";
        }
        case NodeKind::TupleLiteral:
            return "(tuple" + shapes(static_cast<const TupleLiteral&>(*node).items) + ")";
        case NodeKind::ListLiteral: {
            const NodeList& elements = static_cast<const ListLiteral&>(*node).items;
            if (!isConstantList(elements)) return "[" + shapes(elements) + " ]";
            return "#" + shapes(elements).substr(1) + "#";
        }
        case NodeKind::DictionaryLiteral: {
            std::string string = "{dict";
            for (const auto& [key, value] : static_cast<const DictionaryLiteral&>(*node).entries) {
                string += " " + shape(key) + ":" + shape(value);
            }
            return string + "}";
        }
        case NodeKind::Lambda: {
            const FunctionBody& function = static_cast<const Lambda&>(*node).function;
            std::string string = "(lambda";
            for (const ParameterNode& parameter : function.parameters) string += " " + parameter.name;
            return string + " -> " + shape(function.body) + ")";
        }
        case NodeKind::Metacode:
            return "<" + shape(static_cast<const Metacode&>(*node).code) + ">";
        case NodeKind::Omitted:
            return "~";
        case NodeKind::ExpressionStatement:
            return shape(static_cast<const ExpressionStatement&>(*node).expression);
        case NodeKind::Block:
            return "(block" + shapes(static_cast<const Block&>(*node).statements) + ")";
        case NodeKind::Assign: {
            const auto& assign = static_cast<const Assign&>(*node);
            std::string sign = assign.compound ? std::string(facts(assign.op).symbol) + "=" : "=";
            return "(" + sign + (assign.isConst ? " const" : "") + (assign.byReference ? " &" : "") +
                   shapes(assign.targets) + " " + shape(assign.value) + ")";
        }
        default:
            return toSource(*node);
    }
}

}  // namespace pelorus
