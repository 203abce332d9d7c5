// Abstract syntax tree of scripts: the parser makes it, metacode holds it, the compiler reads it, and to_source prints
// it.
//
// Nodes are immutable once built and shared. Every node knows its position in the script.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/source_position.h"
#include "runtime/value/value.h"

namespace pelorus {

enum class NodeKind : uint8_t {
    // expressions
    Constant,
    Name,
    Unary,
    Binary,
    Ternary,
    Call,
    Partial,
    HigherOrder,
    Index,
    Member,
    TupleLiteral,
    ListLiteral,
    DictionaryLiteral,
    Lambda,
    Metacode,
    MacroColumn,
    Query,
    Omitted,
    Star,   // the * of select * and count(*)
    Alias,  // table(x as a), <avg(x) as m>
    ColumnRange,
    Window,
    // statements
    ExpressionStatement,
    Assign,
    FunctionDefinition,
    Block,
    If,
    For,
    DoWhile,
    Break,
    Continue,
    Return,
    Try,
    Throw,
    Assert,
    Timer,
    Share,
    Use,
    Module,
    Include,
    Go,
    Transaction,
    ClassDefinition,
};

class Node : public Object {
public:
    Node(NodeKind kind, SourcePosition position) : kind(kind), position(position) {}
    const NodeKind kind;
    SourcePosition position;
};
using NodeRef = Ref<Node>;
using NodeList = std::vector<NodeRef>;

// clang-format off
enum class Operator : uint8_t {
    Or, OrIgnoringNull, And,  // `||` is NULL when either side is; the word `or` then returns the other side
    Lt, Le, Eq, Gt, Ge, Ne,
    BitOr, BitXor, BitAnd, ShiftLeft, ShiftRight,
    Add, Sub,
    Mul, Dot, Div, Ratio, Mod, Cast, Join,
    Pair, Seq,
    Not, Neg,
    EachAt,
    // words that are predicates in SQL; between is kept as Between(x, pair)
    In, Between, Like,
};
// clang-format on

constexpr bool isComparison(Operator op) {
    return op >= Operator::Lt && op <= Operator::Ne;
}

constexpr bool isOr(Operator op) {
    return op == Operator::Or || op == Operator::OrIgnoringNull;
}

struct OperatorFacts {
    Operator op;
    const char* symbol;    // "+"
    const char* function;  // "add": the built-in that implements it
    int precedence;        // higher binds tighter
};
const OperatorFacts& facts(Operator op);
// Returns null when the string is no operator.
const OperatorFacts* operatorBySymbol(std::string_view symbol);
const OperatorFacts* operatorByFunction(std::string_view name);

// A literal: scalar, or a vector written as blank-separated constants.
struct Constant final : Node {
    Constant(Value value, SourcePosition p) : Node(NodeKind::Constant, p), value(std::move(value)) {}
    Value value;
    // The word as which a type, form or other named constant was written (INT, TABLE, pi); empty for plain literals. A
    // column may bear the same name, so queries search there first.
    std::string spelling;
};

// A variable, column, function or table; its place in the code decides which. `qualified` by module as a::b, or `::f`.
struct Name final : Node {
    Name(std::string name, SourcePosition p) : Node(NodeKind::Name, p), name(std::move(name)) {}
    std::string name;
    bool functionOnly = false;  // &f, ::f
    bool columnOnly = false;    // _"any name"
};

struct Unary final : Node {  // Neg, Not
    Unary(Operator op, NodeRef operand, SourcePosition p)
        : Node(NodeKind::Unary, p), op(op), operand(std::move(operand)) {}
    Operator op;
    NodeRef operand;
};

struct Binary final : Node {
    Binary(Operator op, NodeRef left, NodeRef right, SourcePosition p)
        : Node(NodeKind::Binary, p), op(op), left(std::move(left)), right(std::move(right)) {}
    Operator op;
    NodeRef left, right;  // an Omitted node where a pair leaves a side out
};

struct Ternary final : Node {
    Ternary(NodeRef condition, NodeRef then, NodeRef otherwise, SourcePosition p)
        : Node(NodeKind::Ternary, p),
          condition(std::move(condition)),
          then(std::move(then)),
          otherwise(std::move(otherwise)) {}
    NodeRef condition, then, otherwise;
};

struct Argument {
    std::string keyword;  // empty for a positional argument
    NodeRef value;        // an Omitted node for an empty slot
};

// A call, written as f(x, y), x.f(y), f x or x f y.
struct Call final : Node {
    enum class Style : uint8_t { Function, Method, Prefix, Infix };
    Call(NodeRef callee, std::vector<Argument> arguments, Style style, SourcePosition p)
        : Node(NodeKind::Call, p), callee(std::move(callee)), arguments(std::move(arguments)), style(style) {}
    NodeRef callee;
    std::vector<Argument> arguments;
    Style style;
};

struct Partial final : Node {  // f{a, , c}
    Partial(NodeRef callee, std::vector<Argument> arguments, SourcePosition p)
        : Node(NodeKind::Partial, p), callee(std::move(callee)), arguments(std::move(arguments)) {}
    NodeRef callee;
    std::vector<Argument> arguments;
};

// f:E, +:L … as a function value: `pattern` is E L R P O A T G X C U H V; `rule` D C U K, or 0.
struct HigherOrder final : Node {
    HigherOrder(NodeRef function, char pattern, char rule, SourcePosition p)
        : Node(NodeKind::HigherOrder, p), function(std::move(function)), pattern(pattern), rule(rule) {}
    NodeRef function;
    char pattern;
    char rule;
};

struct Index final : Node {  // x[i], x[i, j]; `each` marks x @ i
    Index(NodeRef object, NodeList indices, SourcePosition p)
        : Node(NodeKind::Index, p), object(std::move(object)), indices(std::move(indices)) {}
    NodeRef object;
    NodeList indices;  // Omitted nodes for empty slots
};

struct Member final : Node {  // x.name, or x.(expression) when `key` is set
    Member(NodeRef object, std::string name, NodeRef key, SourcePosition p)
        : Node(NodeKind::Member, p), object(std::move(object)), name(std::move(name)), key(std::move(key)) {}
    NodeRef object;
    std::string name;
    NodeRef key;
};

struct TupleLiteral final : Node {  // (a, b)
    TupleLiteral(NodeList items, SourcePosition p) : Node(NodeKind::TupleLiteral, p), items(std::move(items)) {}
    NodeList items;
};

struct ListLiteral final : Node {  // [a, b]
    ListLiteral(NodeList items, SourcePosition p) : Node(NodeKind::ListLiteral, p), items(std::move(items)) {}
    NodeList items;
};

struct DictionaryLiteral final : Node {  // {a: 1, "b": 2}
    DictionaryLiteral(std::vector<std::pair<NodeRef, NodeRef>> entries, SourcePosition p)
        : Node(NodeKind::DictionaryLiteral, p), entries(std::move(entries)) {}
    std::vector<std::pair<NodeRef, NodeRef>> entries;  // a bare-word key is a STRING Constant
};

struct ParameterNode {
    std::string name;
    bool isMutable = false;
    NodeRef defaultValue;  // null when there is none
    SourcePosition position;
};

struct FunctionBody {
    std::string name;  // empty for a lambda
    std::vector<ParameterNode> parameters;
    NodeRef body;              // a Block, or an expression for the : and -> forms
    bool isAggregate = false;  // defg
    bool isDeclaration = false;
    bool isJit = false;    // @jit
    bool isState = false;  // @state
    std::string source;    // the source as written, for display and for sending it to other nodes
};

struct Lambda final : Node {
    Lambda(FunctionBody function, SourcePosition p) : Node(NodeKind::Lambda, p), function(std::move(function)) {}
    FunctionBody function;
};

struct Metacode final : Node {  // <expression>
    Metacode(NodeRef code, SourcePosition p) : Node(NodeKind::Metacode, p), code(std::move(code)) {}
    NodeRef code;
};

struct MacroColumn final : Node {  // _$name, _$$names
    MacroColumn(std::string variable, bool many, SourcePosition p)
        : Node(NodeKind::MacroColumn, p), variable(std::move(variable)), many(many) {}
    std::string variable;
    bool many;
};

struct Alias final : Node {  // value as name; several names for a function with several results
    Alias(NodeRef value, std::vector<std::string> names, SourcePosition p)
        : Node(NodeKind::Alias, p), value(std::move(value)), names(std::move(names)) {}
    NodeRef value;
    std::vector<std::string> names;
};

struct ColumnRange final : Node {  // c1...c9 in a query
    ColumnRange(std::string first, std::string last, SourcePosition p)
        : Node(NodeKind::ColumnRange, p), first(std::move(first)), last(std::move(last)) {}
    std::string first, last;
};

struct Omitted final : Node {
    explicit Omitted(SourcePosition p) : Node(NodeKind::Omitted, p) {}
};

struct Star final : Node {
    explicit Star(SourcePosition p) : Node(NodeKind::Star, p) {}
};

// A piece of code as the content of a CODE value.
class Code final : public Object {
public:
    explicit Code(NodeRef node) : node(std::move(node)) {}
    const NodeRef node;
    // True for code parsed from a string (parseExpr). Its names resolve to those of `variables`, a dictionary or VOID,
    // then to the session's, never to those of the function that evaluates it. A variable named `variablesName` denotes
    // the dictionary, so that later changes of it take effect.
    bool wasString = false;
    Value variables;
    std::string variablesName;
};
Value codeValue(NodeRef node);

}  // namespace pelorus
