// Statements as plain data. See expression.h.
#pragma once

#include "runtime/code/expression.h"

namespace pelorus {

struct ExpressionStatement final : Node {
    ExpressionStatement(NodeRef expression, SourcePosition p)
        : Node(NodeKind::ExpressionStatement, p), expression(std::move(expression)) {}
    NodeRef expression;
};

// x = e, a, b = e, x[i] += e, const x = e, &y = x
struct Assign final : Node {
    Assign(NodeList targets, NodeRef value, SourcePosition p)
        : Node(NodeKind::Assign, p), targets(std::move(targets)), value(std::move(value)) {}
    NodeList targets;  // Name, Index or Member nodes
    NodeRef value;     // a TupleLiteral for a, b = 1, 2
    bool compound = false;
    Operator op = Operator::Add;  // operator of a compound assignment
    bool isConst = false;
    bool byReference = false;
};

struct FunctionDefinition final : Node {
    FunctionDefinition(FunctionBody function, SourcePosition p)
        : Node(NodeKind::FunctionDefinition, p), function(std::move(function)) {}
    FunctionBody function;
    // mapr f(…) { map, … -> reduce; running, … -> result }: code of the parts in source order; empty otherwise.
    bool isMapReduce = false;
    NodeList mapParts, runningParts;
    NodeRef reducePart, runningResult;
};

struct Block final : Node {
    Block(NodeList statements, SourcePosition p) : Node(NodeKind::Block, p), statements(std::move(statements)) {}
    NodeList statements;
};

struct If final : Node {
    If(NodeRef condition, NodeRef then, NodeRef otherwise, SourcePosition p)
        : Node(NodeKind::If, p),
          condition(std::move(condition)),
          then(std::move(then)),
          otherwise(std::move(otherwise)) {}
    NodeRef condition, then, otherwise;  // otherwise may be null
};

struct For final : Node {
    For(std::vector<std::string> variables, NodeRef range, NodeRef body, SourcePosition p)
        : Node(NodeKind::For, p), variables(std::move(variables)), range(std::move(range)), body(std::move(body)) {}
    std::vector<std::string> variables;
    NodeRef range, body;
};

struct DoWhile final : Node {
    DoWhile(NodeRef body, NodeRef condition, SourcePosition p)
        : Node(NodeKind::DoWhile, p), body(std::move(body)), condition(std::move(condition)) {}
    NodeRef body, condition;
};

struct Jump final : Node {  // Break, Continue, Go
    Jump(NodeKind kind, SourcePosition p) : Node(kind, p) {}
};

struct Return final : Node {
    Return(NodeRef value, SourcePosition p) : Node(NodeKind::Return, p), value(std::move(value)) {}
    NodeRef value;  // may be null
};

struct Try final : Node {
    Try(NodeRef body, std::string variable, NodeRef handler, SourcePosition p)
        : Node(NodeKind::Try, p), body(std::move(body)), variable(std::move(variable)), handler(std::move(handler)) {}
    NodeRef body;
    std::string variable;
    NodeRef handler;
};

struct Throw final : Node {
    Throw(NodeRef value, SourcePosition p) : Node(NodeKind::Throw, p), value(std::move(value)) {}
    NodeRef value;
};

struct Assert final : Node {
    Assert(NodeRef name, NodeRef condition, SourcePosition p)
        : Node(NodeKind::Assert, p), name(std::move(name)), condition(std::move(condition)) {}
    NodeRef name;  // may be null
    NodeRef condition;
    NodeRef caseName;  // name that an annotation before it sets; may be null
};

struct Timer final : Node {
    Timer(NodeRef count, NodeRef body, SourcePosition p)
        : Node(NodeKind::Timer, p), count(std::move(count)), body(std::move(body)) {}
    NodeRef count;  // may be null
    NodeRef body;   // an expression or a Block
};

struct Share final : Node {  // share t as name
    Share(NodeRef value, std::string name, SourcePosition p)
        : Node(NodeKind::Share, p), value(std::move(value)), name(std::move(name)) {}
    NodeRef value;
    std::string name;
};

// use a::b, use catalog c, module a::b, #include "path", undef all: `text` holds the source after the keyword.
struct Directive final : Node {
    Directive(NodeKind kind, std::string text, SourcePosition p) : Node(kind, p), text(std::move(text)) {}
    std::string text;
};

// class C : B { attribute :: TYPE  def method(…) {…} }
struct ClassDefinition final : Node {
    ClassDefinition(std::string name, std::string base, SourcePosition p)
        : Node(NodeKind::ClassDefinition, p), name(std::move(name)), base(std::move(base)) {}
    std::string name;
    std::string base;                                             // empty when there is none
    std::vector<std::pair<std::string, std::string>> attributes;  // name, type as written
    NodeList methods;  // FunctionDefinitions; the constructor has the class's name
};

struct TransactionBlock final : Node {
    TransactionBlock(NodeRef body, SourcePosition p) : Node(NodeKind::Transaction, p), body(std::move(body)) {}
    NodeRef body;
    bool rollsBack = false;  // it ends with `rollback`
};

}  // namespace pelorus
