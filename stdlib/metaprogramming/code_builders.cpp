// Functions that build metacode from values.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/registry/parameter_lines.h"
#include "stdlib/arguments.h"
#include "stdlib/metaprogramming/nodes.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// Returns the operator that a part denotes, or null: a function of an operator's name, or its symbol as a string.
const OperatorFacts* operatorOf(const Value& v) {
    if (v.isFunction()) return operatorByFunction(v.function().name());
    if (!v.isString()) return nullptr;
    const OperatorFacts* op = operatorBySymbol(v.string());
    return op ? op : operatorByFunction(v.string());
}

NodeRef binaryOf(NodeRef left, const Value& op, NodeRef right) {
    if (const OperatorFacts* facts = operatorOf(op)) {
        return makeRef<Binary>(facts->op, std::move(left), std::move(right), SourcePosition{});
    }
    std::vector<Argument> list = {{"", std::move(left)}, {"", std::move(right)}};
    return makeRef<Call>(nodeOf(op), std::move(list), Call::Style::Function, SourcePosition{});
}

// Parts x1, op1, x2, op2, … by the operators' precedence.
NodeRef climb(std::span<const Value> operands, std::span<const Value> operators, size_t& at, int lowest) {
    NodeRef left = nodeOf(operands[at]);
    while (at < operators.size()) {
        const OperatorFacts* facts = operatorOf(operators[at]);
        constexpr int kFunctionLevel = 10;
        int level = facts ? facts->precedence : kFunctionLevel;
        if (level < lowest) return left;
        const Value& op = operators[at];
        ++at;
        NodeRef right = climb(operands, operators, at, level + 1);
        left = binaryOf(std::move(left), op, std::move(right));
    }
    return left;
}

Value combined(std::span<const Value> operands, std::span<const Value> operators) {
    size_t at = 0;
    return codeValue(climb(operands, operators, at, 0));
}

// expr(x1, op1, x2, …); expr(f, x) is a call.
Value exprKernel(Context&, Arguments a) {
    if (a.size() == 2 && (a[0].isFunction() || a[0].isString())) {
        const OperatorFacts* facts = operatorOf(a[0]);
        bool unary = facts && (facts->op == Operator::Not || facts->op == Operator::Neg || facts->op == Operator::Sub);
        if (unary)
            return codeValue(makeRef<Unary>(facts->op == Operator::Not ? Operator::Not : Operator::Neg, nodeOf(a[1]),
                                            SourcePosition{}));
        std::vector<Argument> list = {{"", nodeOf(a[1])}};
        return codeValue(makeRef<Call>(nodeOf(a[0]), std::move(list), Call::Style::Prefix, SourcePosition{}));
    }
    if (a.size() % 2 == 0)
        throw UserError("expr needs operands with an operator between every two.", "As in expr(1, +, 2, *, 3).");
    std::vector<Value> operands, operators;
    for (size_t i = 0; i < a.size(); ++i) (i % 2 == 0 ? operands : operators).push_back(a[i]);
    return combined(operands, operators);
}

std::vector<Value> itemsOf(const Value& v) {
    if (v.isTuple()) return v.tuple().elements;
    std::vector<Value> elements;
    inPieces(v.size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) elements.push_back(v.isScalar() ? v : v.at(i));
    });
    return elements;
}

Value unifiedExprKernel(Context&, Arguments a) {
    std::vector<Value> operands = itemsOf(a[0]), operators = itemsOf(a[1]);
    if (operands.size() != operators.size() + 1) throw UserError(1, "There must be one operator fewer than operands.");
    return combined(operands, operators);
}

Value binaryExprKernel(Context&, Arguments a) {
    // The columns of sqlCol(`a`b) become one expression each.
    auto isCodes = [](const Value& v) {
        return v.isTuple() && v.size() > 0 && std::all_of(v.tuple().elements.begin(), v.tuple().elements.end(), isCode);
    };
    if (!isCodes(a[0]) && !isCodes(a[1])) return codeValue(binaryOf(nodeOf(a[0]), a[2], nodeOf(a[1])));
    if (isCodes(a[0]) && isCodes(a[1]) && a[0].size() != a[1].size()) {
        throw UserError(1, "X and Y must have as many expressions.");
    }
    std::vector<Value> codes;
    for (int64_t i = 0; i < (isCodes(a[0]) ? a[0] : a[1]).size(); ++i) {
        codes.push_back(codeValue(
            binaryOf(nodeOf(isCodes(a[0]) ? a[0].at(i) : a[0]), a[2], nodeOf(isCodes(a[1]) ? a[1].at(i) : a[1]))));
    }
    return Value::of(makeRef<Tuple>(std::move(codes)));
}

Value callOn(const Value& function, std::vector<Argument> arguments) {
    return codeValue(makeRef<Call>(nodeOf(function), std::move(arguments), Call::Style::Function, SourcePosition{}));
}

Value makeCallKernel(Context&, Arguments a) {
    std::vector<Argument> list;
    for (size_t i = 1; i < a.size(); ++i) list.push_back({"", nodeOf(a[i])});
    return callOn(a[0], std::move(list));
}

// The arguments are the elements of a tuple, or of metacode that is one.
Value makeUnifiedCallKernel(Context&, Arguments a) {
    std::vector<Argument> list;
    const NodeRef code = isCode(a[1]) ? a[1].as<Code>()->node : NodeRef();
    if (a[1].isTuple()) {
        for (const Value& element : a[1].tuple().elements) list.push_back({"", nodeOf(element)});
    } else if (code && code->kind == NodeKind::TupleLiteral) {
        for (const NodeRef& element : static_cast<const TupleLiteral&>(*code).items) list.push_back({"", element});
    } else {
        list.push_back({"", nodeOf(a[1])});
    }
    return callOn(a[0], std::move(list));
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "X1: an operand, a value or metacode; with one more argument a function\n"
    "X2: an operator, as + or add; with no more arguments the argument of the function\n"
    "expr.args: more operands, with an operator before each\n"
    "X: the left operand, a value or metacode\n"
    "Y: the right operand, a value or metacode\n"
    "optr: an operator, as + or add\n"
    "F: a function\n"
    "makeCall.args: its arguments, values or metacode";

void registerCodeBuilders(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example, const Declaration& declaration = {}) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = errors,
                      .example = example},
                     declaration);
    };
    constexpr Declaration kKeepsValues{.takesSharedTables = true};
    add("expr(X1, X2, args...)", exprKernel,
        "Metacode of operands with operators between, by their precedence; or of a function and its argument.",
        "Operands and operators do not alternate.", "expr(6, <, 8) -> < 6 < 8 >\neval(expr(1, +, 2, *, 3)) -> 7",
        kKeepsValues);
    add("unifiedExpr(objs, optrs)", unifiedExprKernel, "Metacode of the operands with the operators between.",
        "There is not one operator fewer than operands.", "eval(unifiedExpr(1 2 3, (add, mul))) -> 7");
    add("binaryExpr(X, Y, optr)", binaryExprKernel, "Metacode of one operator between two operands.", "",
        "binaryExpr(1, 2, +) -> < 1 + 2 >", kKeepsValues);
    add("makeUnifiedCall(func, args)", makeUnifiedCallKernel, "Metacode of a call with the arguments of a tuple.", "",
        "eval(makeUnifiedCall(add, (1, 2))) -> 3");
    add("makeCall(F, args...)", makeCallKernel,
        "Metacode that calls F with the given arguments, which may be metacode.", "",
        "makeCall(sum, 1 2 3) -> < sum([1,2,3]) >\nmakeCall(wavg, <price>, <qty>) -> < wavg(price, qty) >",
        kKeepsValues);
}

}  // namespace pelorus
