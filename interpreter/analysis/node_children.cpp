#include "interpreter/analysis/node_children.h"

#include "common/thread/stack_room.h"
#include "runtime/code/query.h"
#include "runtime/code/statement.h"

namespace pelorus {

namespace {

class Children {
public:
    explicit Children(const std::function<void(const NodeRef&)>& visit) : visit_(visit) {}

    void of(const Node& node) {
        switch (node.kind) {
            case NodeKind::Constant:
            case NodeKind::Name:
            case NodeKind::MacroColumn:
            case NodeKind::Omitted:
            case NodeKind::Star:
            case NodeKind::ColumnRange:
            case NodeKind::Break:
            case NodeKind::Continue:
            case NodeKind::Go:
            case NodeKind::Use:
            case NodeKind::Module:
            case NodeKind::Include:
                return;
            case NodeKind::Query:
                return ofQuery(static_cast<const Query&>(node));
            case NodeKind::Window:
                return ofWindow(static_cast<const Window&>(node));
            default:
                return node.kind < NodeKind::ExpressionStatement ? ofExpression(node) : ofStatement(node);
        }
    }

private:
    void add(const NodeRef& node) {
        if (node) visit_(node);
    }
    void add(const NodeList& nodes) {
        for (const NodeRef& node : nodes) add(node);
    }
    void add(const std::vector<Argument>& arguments) {
        for (const Argument& argument : arguments) add(argument.value);
    }
    void add(const std::vector<SelectItem>& items) {
        for (const SelectItem& item : items) {
            add(item.value);
            add(item.aliasMacro);
        }
    }
    void add(const std::vector<OrderItem>& items) {
        for (const OrderItem& item : items) add(item.value);
    }
    void add(const FunctionBody& function) {
        for (const ParameterNode& parameter : function.parameters) add(parameter.defaultValue);
        add(function.body);
    }

    void ofExpression(const Node& node) {
        switch (node.kind) {
            case NodeKind::Unary:
                return add(static_cast<const Unary&>(node).operand);
            case NodeKind::Binary: {
                const auto& n = static_cast<const Binary&>(node);
                add(n.left);
                return add(n.right);
            }
            case NodeKind::Ternary: {
                const auto& n = static_cast<const Ternary&>(node);
                add(n.condition);
                add(n.then);
                return add(n.otherwise);
            }
            case NodeKind::Call: {
                const auto& n = static_cast<const Call&>(node);
                add(n.callee);
                return add(n.arguments);
            }
            case NodeKind::Partial: {
                const auto& n = static_cast<const Partial&>(node);
                add(n.callee);
                return add(n.arguments);
            }
            case NodeKind::HigherOrder:
                return add(static_cast<const HigherOrder&>(node).function);
            case NodeKind::Index: {
                const auto& n = static_cast<const Index&>(node);
                add(n.object);
                return add(n.indices);
            }
            case NodeKind::Member: {
                const auto& n = static_cast<const Member&>(node);
                add(n.object);
                return add(n.key);
            }
            case NodeKind::TupleLiteral:
                return add(static_cast<const TupleLiteral&>(node).items);
            case NodeKind::ListLiteral:
                return add(static_cast<const ListLiteral&>(node).items);
            case NodeKind::DictionaryLiteral:
                for (const auto& [key, value] : static_cast<const DictionaryLiteral&>(node).entries) {
                    add(key);
                    add(value);
                }
                return;
            case NodeKind::Lambda:
                return add(static_cast<const Lambda&>(node).function);
            case NodeKind::Metacode:
                return add(static_cast<const Metacode&>(node).code);
            case NodeKind::Alias:
                return add(static_cast<const Alias&>(node).value);
            default:
                return;
        }
    }

    void ofStatement(const Node& node) {
        switch (node.kind) {
            case NodeKind::ExpressionStatement:
                return add(static_cast<const ExpressionStatement&>(node).expression);
            case NodeKind::Assign: {
                const auto& n = static_cast<const Assign&>(node);
                add(n.value);
                return add(n.targets);
            }
            case NodeKind::FunctionDefinition: {
                const auto& n = static_cast<const FunctionDefinition&>(node);
                add(n.function);
                add(n.mapParts);
                add(n.reducePart);
                add(n.runningParts);
                return add(n.runningResult);
            }
            case NodeKind::Block:
                return add(static_cast<const Block&>(node).statements);
            case NodeKind::If: {
                const auto& n = static_cast<const If&>(node);
                add(n.condition);
                add(n.then);
                return add(n.otherwise);
            }
            case NodeKind::For: {
                const auto& n = static_cast<const For&>(node);
                add(n.range);
                return add(n.body);
            }
            case NodeKind::DoWhile: {
                const auto& n = static_cast<const DoWhile&>(node);
                add(n.body);
                return add(n.condition);
            }
            case NodeKind::Return:
                return add(static_cast<const Return&>(node).value);
            case NodeKind::Try: {
                const auto& n = static_cast<const Try&>(node);
                add(n.body);
                return add(n.handler);
            }
            case NodeKind::Throw:
                return add(static_cast<const Throw&>(node).value);
            case NodeKind::Assert:
                add(static_cast<const Assert&>(node).name);
                return add(static_cast<const Assert&>(node).condition);
            case NodeKind::Timer:
                add(static_cast<const Timer&>(node).count);
                return add(static_cast<const Timer&>(node).body);
            case NodeKind::Share:
                return add(static_cast<const Share&>(node).value);
            case NodeKind::Transaction:
                return add(static_cast<const TransactionBlock&>(node).body);
            case NodeKind::ClassDefinition:
                return add(static_cast<const ClassDefinition&>(node).methods);
            default:
                return;
        }
    }

    void ofQuery(const Query& query) {
        for (const auto& [name, subquery] : query.with) add(subquery);
        add(query.table);
        add(query.updateSource);
        for (const JoinClause& join : query.joins) {
            add(join.table);
            add(join.on);
        }
        add(query.top);
        add(query.items);
        add(query.where);
        add(query.groupBy);
        add(query.csort);
        add(query.having);
        add(query.orderBy);
        add(query.offset);
        add(query.limit);
        for (const NodeList& row : query.insertRows) add(row);
        add(query.insertSource);
        for (const SetOperation& other : query.unions) add(other.query);
    }

    void ofWindow(const Window& window) {
        add(window.call);
        add(window.partitionBy);
        add(window.orderBy);
        add(window.lowOffset);
        add(window.highOffset);
    }

    const std::function<void(const NodeRef&)>& visit_;
};

}  // namespace

void forEachChild(const Node& node, const std::function<void(const NodeRef&)>& visit) {
    requireStackRoom();  // most that call this do so at each level
    Children(visit).of(node);
}

}  // namespace pelorus
