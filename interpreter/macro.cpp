#include "interpreter/macro.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/code/query.h"
#include "runtime/vector.h"

namespace pelorus {

namespace {

class Filler {
public:
    explicit Filler(const Scope& scope) : scope_(scope) {}

    std::vector<std::string> names(const MacroColumn& node) const {
        Value value;
        if (!scope_.lookup(node.variable, value)) {
            throw UserError(fmt::format("The macro variable {} is not defined.", node.variable));
        }
        if (!isLiteral(value.type())) {
            throw UserError(fmt::format("The macro variable {} must hold column names as strings.", node.variable));
        }
        if (!node.many && !value.isScalar()) {
            throw UserError(fmt::format("_${} takes one name; use _$${} for several.", node.variable, node.variable));
        }
        std::vector<std::string> names;
        for (int64_t i = 0; i < value.size(); ++i) names.emplace_back(value.at(i).text());
        return names;
    }

    NodeRef column(const std::string& name, SourcePosition position) const {
        auto node = makeRef<Name>(name, position);
        node->columnOnly = true;
        return node;
    }

    NodeRef fill(const NodeRef& node) const {
        if (!node) return node;
        switch (node->kind) {
            case NodeKind::MacroColumn: {
                const auto& n = static_cast<const MacroColumn&>(*node);
                std::vector<std::string> all = names(n);
                if (!n.many) return column(all[0], n.position);
                NodeList items;
                for (const std::string& name : all) items.push_back(column(name, n.position));
                return makeRef<TupleLiteral>(std::move(items), n.position);
            }
            case NodeKind::Unary: {
                const auto& n = static_cast<const Unary&>(*node);
                return makeRef<Unary>(n.op, fill(n.operand), n.position);
            }
            case NodeKind::Binary: {
                const auto& n = static_cast<const Binary&>(*node);
                return makeRef<Binary>(n.op, fill(n.left), fill(n.right), n.position);
            }
            case NodeKind::Ternary: {
                const auto& n = static_cast<const Ternary&>(*node);
                return makeRef<Ternary>(fill(n.condition), fill(n.then), fill(n.otherwise), n.position);
            }
            case NodeKind::Call: {
                const auto& n = static_cast<const Call&>(*node);
                return makeRef<Call>(fill(n.callee), fill(n.arguments), n.style, n.position);
            }
            case NodeKind::Index: {
                const auto& n = static_cast<const Index&>(*node);
                return makeRef<Index>(fill(n.object), fill(n.indices), n.position);
            }
            case NodeKind::TupleLiteral: {
                const auto& n = static_cast<const TupleLiteral&>(*node);
                return makeRef<TupleLiteral>(fill(n.items), n.position);
            }
            case NodeKind::ListLiteral: {
                const auto& n = static_cast<const ListLiteral&>(*node);
                return makeRef<ListLiteral>(fill(n.items), n.position);
            }
            case NodeKind::Query: return fill(static_cast<const Query&>(*node));
            default: return node;
        }
    }

private:
    NodeList fill(const NodeList& nodes) const {
        NodeList filled;
        for (const NodeRef& n : nodes) filled.push_back(fill(n));
        return filled;
    }

    std::vector<Argument> fill(const std::vector<Argument>& arguments) const {
        std::vector<Argument> filled;
        for (const Argument& a : arguments) filled.push_back({a.keyword, fill(a.value)});
        return filled;
    }

    std::vector<SelectItem> fill(const std::vector<SelectItem>& items) const {
        std::vector<SelectItem> filled;
        for (const SelectItem& item : items) {
            SelectItem copy = item;
            if (item.aliasMacro) copy.aliases = names(static_cast<const MacroColumn&>(*item.aliasMacro));
            copy.aliasMacro = NodeRef();
            bool many = item.value && item.value->kind == NodeKind::MacroColumn &&
                        static_cast<const MacroColumn&>(*item.value).many;
            if (!many) {
                copy.value = fill(item.value);
                filled.push_back(std::move(copy));
                continue;
            }
            // _$$names alone stands for as many items as there are names.
            std::vector<std::string> all = names(static_cast<const MacroColumn&>(*item.value));
            for (size_t i = 0; i < all.size(); ++i) {
                SelectItem one;
                one.value = column(all[i], item.value->position);
                if (i < copy.aliases.size()) one.aliases = {copy.aliases[i]};
                filled.push_back(std::move(one));
            }
        }
        return filled;
    }

    std::vector<OrderItem> fill(const std::vector<OrderItem>& items) const {
        std::vector<OrderItem> filled = items;
        for (OrderItem& item : filled) item.value = fill(item.value);
        return filled;
    }

    NodeRef fill(const Query& query) const {
        auto copy = makeRef<Query>(query.position);
        copy->verb = query.verb;
        copy->hint = query.hint;
        copy->distinct = query.distinct;
        copy->items = fill(query.items);
        copy->table = fill(query.table);
        copy->tableAlias = query.tableAlias;
        copy->joins = query.joins;
        copy->where = fill(query.where);
        copy->grouping = query.grouping;
        copy->groupBy = fill(query.groupBy);
        copy->csort = fill(query.csort);
        copy->having = fill(query.having);
        copy->orderBy = fill(query.orderBy);
        copy->top = query.top;
        copy->offset = query.offset;
        copy->limit = query.limit;
        copy->map = query.map;
        copy->with = query.with;
        copy->unions = query.unions;
        copy->insertColumns = query.insertColumns;
        copy->insertRows = query.insertRows;
        copy->insertSource = query.insertSource;
        return copy;
    }

    const Scope& scope_;
};

bool hasMacro(const Node* node);

template <class Items>
bool anyMacro(const Items& items) {
    for (const auto& item : items) {
        if (hasMacro(item.value.get())) return true;
    }
    return false;
}

bool hasMacro(const Node* node) {
    if (!node) return false;
    switch (node->kind) {
        case NodeKind::MacroColumn: return true;
        case NodeKind::Unary: return hasMacro(static_cast<const Unary*>(node)->operand.get());
        case NodeKind::Binary: {
            const auto* n = static_cast<const Binary*>(node);
            return hasMacro(n->left.get()) || hasMacro(n->right.get());
        }
        case NodeKind::Ternary: {
            const auto* n = static_cast<const Ternary*>(node);
            return hasMacro(n->condition.get()) || hasMacro(n->then.get()) || hasMacro(n->otherwise.get());
        }
        case NodeKind::Call: {
            const auto* n = static_cast<const Call*>(node);
            return hasMacro(n->callee.get()) || anyMacro(n->arguments);
        }
        case NodeKind::Index: {
            const auto* n = static_cast<const Index*>(node);
            for (const NodeRef& i : n->indices) {
                if (hasMacro(i.get())) return true;
            }
            return hasMacro(n->object.get());
        }
        case NodeKind::TupleLiteral:
            for (const NodeRef& i : static_cast<const TupleLiteral*>(node)->items) {
                if (hasMacro(i.get())) return true;
            }
            return false;
        case NodeKind::Query: {
            const auto* n = static_cast<const Query*>(node);
            for (const NodeRef& w : n->where) {
                if (hasMacro(w.get())) return true;
            }
            for (const SelectItem& i : n->items) {
                if (i.aliasMacro) return true;
            }
            return anyMacro(n->items) || anyMacro(n->groupBy) || anyMacro(n->csort) || anyMacro(n->orderBy) ||
                   hasMacro(n->having.get()) || hasMacro(n->table.get());
        }
        default: return false;
    }
}

}  // namespace

NodeRef fillMacros(const NodeRef& node, const Scope& scope) {
    return hasMacro(node.get()) ? Filler(scope).fill(node) : node;
}

}  // namespace pelorus
