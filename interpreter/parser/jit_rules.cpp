#include "interpreter/parser/jit_rules.h"

#include <fmt/format.h>

#include <optional>

#include "common/type_table.h"
#include "interpreter/parser/parser.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/statement.h"
#include "runtime/registry/registry.h"

namespace pelorus {

namespace {

// The value of a literal without a spelling: type names are no data.
const Value* literal(const NodeRef& node) {
    return node && node->kind == NodeKind::Constant ? &static_cast<const Constant&>(*node).value : nullptr;
}

class JitRules {
public:
    void statement(const NodeRef& node) {
        if (!node) return;
        switch (node->kind) {
            case NodeKind::Block:
                for (const NodeRef& s : static_cast<const Block&>(*node).statements) statement(s);
                return;
            case NodeKind::If: {
                const auto& n = static_cast<const If&>(*node);
                expression(n.condition);
                statement(n.then);
                return statement(n.otherwise);
            }
            case NodeKind::For:
                expression(static_cast<const For&>(*node).range);
                return statement(static_cast<const For&>(*node).body);
            case NodeKind::DoWhile:
                expression(static_cast<const DoWhile&>(*node).condition);
                return statement(static_cast<const DoWhile&>(*node).body);
            case NodeKind::Assign:
                return expression(static_cast<const Assign&>(*node).value);
            case NodeKind::ExpressionStatement:
                return expression(static_cast<const ExpressionStatement&>(*node).expression);
            case NodeKind::Return:
                return result(static_cast<const Return&>(*node).value);
            default:
                return;
        }
    }

    void result(const NodeRef& value) {
        if (!value) return;
        expression(value);
        const Value* v = literal(value);
        if (!v) return;
        if (v->isVoid()) {
            throw SyntaxError(value->position,
                              "JIT: Inferring return type failed. The return value cannot be NULL. RefId: S09009",
                              "Return a NULL with a type, as 00i or 00F.");
        }
        if (returned_ && *returned_ != v->type()) {
            throw SyntaxError(
                value->position,
                "JIT: Inferring return type failed. All return values must have the same data type. "
                "RefId: S09008",
                fmt::format("One return gives {}, this one {}.", typeName(*returned_), typeName(v->type())));
        }
        returned_ = v->type();
    }

private:
    void expression(const NodeRef& node) {
        rewrite(node, [&](const NodeRef& n) -> NodeRef {
            if (n->kind == NodeKind::Binary) binary(static_cast<const Binary&>(*n));
            if (n->kind == NodeKind::Call) call(static_cast<const Call&>(*n));
            return NodeRef();
        });
    }

    void binary(const Binary& n) {
        if (n.op == Operator::Cast) castTarget(n.right);
        const Value *left = literal(n.left), *right = literal(n.right);
        if (!left || !right || left->type() == right->type()) return;
        if (n.op == Operator::Pair) {
            throw SyntaxError(n.position,
                              "JIT: To form a pair, both operands must have the same data type. "
                              "RefId: S09003");
        }
        if (n.op == Operator::Seq && (isTemporal(left->type()) || isTemporal(right->type()))) {
            throw SyntaxError(n.position,
                              "JIT: The start and end values of 'seq' must have the same temporal data "
                              "type. RefId: S09004");
        }
    }

    void call(const Call& n) {
        if (roleOf(n.callee) == Role::Convert && n.arguments.size() == 2) castTarget(n.arguments[1].value);
    }

    void castTarget(const NodeRef& target) {
        if (target->kind != NodeKind::Name) return;
        throw SyntaxError(target->position, "JIT: Right operand of 'cast' must be a constant. RefId: S09007",
                          "Write the type itself, as in x$LONG.");
    }

    std::optional<Type> returned_;
};

}  // namespace

void checkJitRules(const FunctionBody& body) {
    JitRules rules;
    if (body.body->kind == NodeKind::Block) return rules.statement(body.body);
    rules.result(body.body);
}

}  // namespace pelorus
