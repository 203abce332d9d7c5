// The one table of operators: symbol, built-in function, precedence.
#include <array>

#include "runtime/code/expression.h"

namespace pelorus {

namespace {

// The properties of the operators, in the order of enum Operator.
constexpr std::array<OperatorFacts, 31> kOperators = {{
    {Operator::Or, "||", "or", 1},
    {Operator::OrIgnoringNull, "or", "or", 1},
    {Operator::And, "&&", "and", 2},
    {Operator::Lt, "<", "lt", 3},
    {Operator::Le, "<=", "le", 3},
    {Operator::Eq, "==", "eq", 3},
    {Operator::Gt, ">", "gt", 3},
    {Operator::Ge, ">=", "ge", 3},
    {Operator::Ne, "!=", "ne", 3},
    {Operator::BitOr, "|", "bitOr", 4},
    {Operator::BitXor, "^", "bitXor", 5},
    {Operator::BitAnd, "&", "bitAnd", 6},
    {Operator::ShiftLeft, "<<", "lshift", 7},
    {Operator::ShiftRight, ">>", "rshift", 7},
    {Operator::Add, "+", "add", 8},
    {Operator::Sub, "-", "sub", 8},
    {Operator::Mul, "*", "mul", 10},
    {Operator::Dot, "**", "dot", 10},
    {Operator::Div, "/", "div", 10},
    {Operator::Ratio, "\\", "ratio", 10},
    {Operator::Mod, "%", "mod", 10},
    {Operator::Cast, "$", "cast", 10},
    {Operator::Join, "<-", "join", 10},
    {Operator::Pair, ":", "pair", 15},
    {Operator::Seq, "..", "seq", 15},
    {Operator::Not, "!", "not", 18},
    {Operator::Neg, "-", "neg", 18},
    {Operator::EachAt, "@", "eachAt", 20},
    // Outside queries these words bind like any other function name between operands; in queries like comparisons.
    {Operator::In, "in", "in", 10},
    {Operator::Between, "between", "between", 10},
    {Operator::Like, "like", "like", 10},
}};

}  // namespace

const OperatorFacts& facts(Operator op) {
    return kOperators[static_cast<size_t>(op)];
}

const OperatorFacts* operatorBySymbol(std::string_view symbol) {
    if (symbol == "<>") return &facts(Operator::Ne);
    for (const OperatorFacts& row : kOperators) {
        if (symbol == row.symbol && row.op != Operator::Neg) return &row;
    }
    return nullptr;
}

const OperatorFacts* operatorByFunction(std::string_view name) {
    for (const OperatorFacts& row : kOperators) {
        if (name == row.function && row.op != Operator::Or) return &row;
    }
    return nullptr;
}

Value codeValue(NodeRef node) {
    return Value::ofSystem(Type::Code, makeRef<Code>(std::move(node)));
}

}  // namespace pelorus
