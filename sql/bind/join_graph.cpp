#include "sql/bind/join_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/plan_select.h"
#include "sql/rewrite/converted_constants.h"

namespace pelorus {

namespace {

// Whether a node stands for one element per row of another vector: a variable's elements would be compared row by row.
bool isVectorOfRows(const Node& node, const Context& context) {
    if (node.kind == NodeKind::Constant) return static_cast<const Constant&>(node).value.isVector();
    Value held;
    return node.kind == NodeKind::Name && context.scope &&
           context.scope->lookup(static_cast<const Name&>(node).name, held) && held.isVector();
}

// Returns the operands of `or`, one for any other condition.
void splitOr(const NodeRef& node, NodeList& arms) {
    if (node->kind == NodeKind::Binary && isOr(static_cast<const Binary&>(*node).op)) {
        splitOr(static_cast<const Binary&>(*node).left, arms);
        splitOr(static_cast<const Binary&>(*node).right, arms);
    } else {
        arms.push_back(node);
    }
}

NodeList partsOf(const NodeRef& condition) {
    NodeList parts;
    splitAnd(condition, parts);
    return parts;
}

bool holds(const NodeList& parts, const NodeRef& part) {
    return std::any_of(parts.begin(), parts.end(), [&](const NodeRef& other) { return isSameCode(other, part); });
}

NodeRef joinedBy(Operator op, const NodeList& parts) {
    NodeRef whole = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) whole = makeRef<Binary>(op, whole, parts[i], parts[i]->position);
    return whole;
}

}  // namespace

std::string graphColumnName(size_t side, const std::string& column) {
    return fmt::format(" {}.{}", side, column);
}

JoinGraph::JoinGraph(std::vector<GraphSide> sides, size_t joined)
    : sides_(std::move(sides)), joined_(joined), filters_(joined) {}

GraphColumn JoinGraph::find(const std::string& name) const {
    for (size_t i = 0; i < sides_.size(); ++i) {
        if (const int c = findColumn(sides_[i].columns, name); c >= 0) return {i, c};
    }
    // The x of t is t_x where a table before t has an x, too.
    for (size_t i = 1; i < sides_.size(); ++i) {
        const std::string& qualifier = sides_[i].qualifier;
        if (qualifier.empty() || !name.starts_with(qualifier + "_")) continue;
        if (const int c = findColumn(sides_[i].columns, name.substr(qualifier.size() + 1)); c >= 0) return {i, c};
    }
    return {sides_.size(), -1};
}

GraphColumn JoinGraph::find(const std::string& qualifier, const std::string& name) const {
    for (size_t i = 0; i < sides_.size(); ++i) {
        if (sides_[i].qualifier != qualifier) continue;
        if (const int c = findColumn(sides_[i].columns, name); c >= 0) return {i, c};
    }
    return {sides_.size(), -1};
}

JoinGraph::Resolved JoinGraph::resolve(const NodeRef& condition, Context& context) const {
    Resolved result;
    std::vector<const Node*> callees;
    const auto column = [&](GraphColumn found, SourcePosition position) -> NodeRef {
        if (found.side >= joined_) {
            result.isKnown = false;
            return NodeRef();
        }
        if (std::find(result.columns.begin(), result.columns.end(), found) == result.columns.end())
            result.columns.push_back(found);
        const std::string& name = sides_[found.side].columns[static_cast<size_t>(found.number)].name;
        return makeRef<Name>(graphColumnName(found.side, name), position);
    };
    result.code = rewrite(condition, [&](const NodeRef& node) -> NodeRef {
        switch (node->kind) {
            case NodeKind::Call:
                callees.push_back(static_cast<const Call&>(*node).callee.get());
                return NodeRef();
            case NodeKind::Name: {
                if (std::find(callees.begin(), callees.end(), node.get()) != callees.end()) return NodeRef();
                const GraphColumn found = find(static_cast<const Name&>(*node).name);
                if (found.number >= 0) return column(found, node->position);
                result.isKnown = result.isKnown && !isVectorOfRows(*node, context);
                return NodeRef();
            }
            case NodeKind::Constant: {
                const GraphColumn found = find(static_cast<const Constant&>(*node).spelling);
                if (found.number >= 0) return column(found, node->position);
                result.isKnown = result.isKnown && !isVectorOfRows(*node, context);
                return NodeRef();
            }
            case NodeKind::Binary: {
                // The right side of `in` is a set.
                const auto& n = static_cast<const Binary&>(*node);
                if (n.op != Operator::In || !isVectorOfRows(*n.right, context)) return NodeRef();
                Resolved left = resolve(n.left, context);
                result.isKnown = result.isKnown && left.isKnown;
                for (const GraphColumn& c : left.columns) column(c, node->position);
                return makeRef<Binary>(n.op, left.code, n.right, n.position);
            }
            case NodeKind::Member: {
                const auto& member = static_cast<const Member&>(*node);
                if (member.key || member.object->kind != NodeKind::Name) return NodeRef();
                const GraphColumn found = find(static_cast<const Name&>(*member.object).name, member.name);
                return found.number >= 0 ? column(found, node->position) : NodeRef();
            }
            default:
                return NodeRef();
        }
    });
    TableSchema read;
    for (const GraphColumn& c : result.columns) {
        if (c.side >= joined_) continue;
        ColumnSchema own = sides_[c.side].columns[static_cast<size_t>(c.number)];
        own.name = graphColumnName(c.side, own.name);
        read.push_back(std::move(own));
    }
    result.code = withConvertedConstants(result.code, read);
    result.isKnown = result.isKnown && !result.columns.empty() && isRowwise(result.code, context);
    return result;
}

NodeRef JoinGraph::asFilter(const NodeRef& resolved, size_t side) const {
    const std::string prefix = graphColumnName(side, "");
    return rewrite(resolved, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Name) return NodeRef();
        const std::string& name = static_cast<const Name&>(*node).name;
        return name.starts_with(prefix) ? makeRef<Name>(name.substr(prefix.size()), node->position) : Ref<Name>();
    });
}

bool JoinGraph::add(const NodeRef& condition, Context& context) {
    const NodeList parts = partsOf(condition);
    std::vector<Resolved> resolved;
    for (const NodeRef& part : parts) {
        resolved.push_back(resolve(part, context));
        if (!resolved.back().isKnown) return false;
    }
    for (size_t i = 0; i < parts.size(); ++i) place(parts[i], std::move(resolved[i]), context);
    return true;
}

void JoinGraph::place(const NodeRef& original, Resolved resolved, Context& context) {
    std::vector<size_t> sides;
    for (const GraphColumn& c : resolved.columns) sides.push_back(c.side);
    std::sort(sides.begin(), sides.end());
    sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
    if (sides.size() == 1) {
        filters_[sides[0]].push_back(asFilter(resolved.code, sides[0]));
        return;
    }
    if (resolved.code->kind == NodeKind::Binary) {
        const auto& n = static_cast<const Binary&>(*resolved.code);
        const bool comparesColumns =
            sides.size() == 2 && n.left->kind == NodeKind::Name && n.right->kind == NodeKind::Name;
        if (n.op == Operator::Eq && comparesColumns) return addEquality(resolved.columns[0], resolved.columns[1]);
        if (isOr(n.op)) {
            addCommonParts(original, context);
            addFiltersOfArms(original, context);
        }
    }
    conditions_.push_back({std::move(resolved.code), std::move(resolved.columns), std::move(sides)});
}

// (a.x = b.x and p) or (a.x = b.x and q): the equality holds for all rows.
void JoinGraph::addCommonParts(const NodeRef& condition, Context& context) {
    NodeList arms;
    splitOr(condition, arms);
    for (const NodeRef& part : partsOf(arms[0])) {
        const bool isCommon =
            std::all_of(arms.begin() + 1, arms.end(), [&](const NodeRef& arm) { return holds(partsOf(arm), part); });
        if (isCommon) add(part, context);
    }
}

// (a.x = 1 and b.x = 2) or (a.x = 2 and b.x = 1): rows of a have x = 1 or x = 2.
void JoinGraph::addFiltersOfArms(const NodeRef& condition, Context& context) {
    NodeList arms;
    splitOr(condition, arms);
    for (size_t side = 0; side < joined_; ++side) {
        NodeList ofArms;
        for (const NodeRef& arm : arms) {
            NodeList own;
            for (const NodeRef& part : partsOf(arm)) {
                const Resolved resolved = resolve(part, context);
                const bool isOwn =
                    !resolved.columns.empty() && std::all_of(resolved.columns.begin(), resolved.columns.end(),
                                                             [&](const GraphColumn& c) { return c.side == side; });
                if (isOwn) own.push_back(asFilter(resolved.code, side));
            }
            if (own.empty()) break;
            ofArms.push_back(joinedBy(Operator::And, own));
        }
        if (ofArms.size() == arms.size()) filters_[side].push_back(joinedBy(Operator::OrIgnoringNull, ofArms));
    }
}

void JoinGraph::addEquality(GraphColumn a, GraphColumn b) {
    std::vector<GraphColumn> whole{a, b};
    std::vector<std::vector<GraphColumn>> others;
    for (std::vector<GraphColumn>& known : equalities_) {
        const bool touches =
            std::any_of(known.begin(), known.end(), [&](const GraphColumn& c) { return c == a || c == b; });
        if (!touches) {
            others.push_back(std::move(known));
            continue;
        }
        for (const GraphColumn& c : known) {
            if (std::find(whole.begin(), whole.end(), c) == whole.end()) whole.push_back(c);
        }
    }
    // Two columns of one side in a set: the side's own rows must have them equal.
    std::vector<GraphColumn> set;
    for (const GraphColumn& c : whole) {
        const auto same = std::find_if(set.begin(), set.end(), [&](const GraphColumn& o) { return o.side == c.side; });
        if (same == set.end()) {
            set.push_back(c);
            continue;
        }
        const auto name = [&](const GraphColumn& of) -> NodeRef {
            return makeRef<Name>(sides_[of.side].columns[static_cast<size_t>(of.number)].name, SourcePosition());
        };
        filters_[c.side].push_back(makeRef<Binary>(Operator::Eq, name(*same), name(c), SourcePosition()));
    }
    others.push_back(std::move(set));
    equalities_ = std::move(others);
}

}  // namespace pelorus
