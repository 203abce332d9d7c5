#include "sql/bind/join_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/bind_expression.h"
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

// Whether values of both are joined by equality as conditions compare them.
bool areJoinable(const ColumnSchema& a, const ColumnSchema& b) {
    const auto isWhole = [](Type type) { return type == Type::Short || type == Type::Int || type == Type::Long; };
    const auto isText = [](Type type) { return type == Type::String || type == Type::Symbol; };
    if (isWhole(a.type) && isWhole(b.type)) return true;
    if (isText(a.type) && isText(b.type)) return true;
    const bool isExact = a.type != Type::Float && a.type != Type::Double && a.type != Type::Any;
    return isExact && a.type == b.type && a.scale == b.scale;
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
    : sides_(std::move(sides)), joined_(joined), filters_(joined), keys_(joined) {}

TableSchema JoinGraph::columnsWithKeys(size_t side) const {
    TableSchema columns = sides_[side].columns;
    for (const GraphKey& key : keys_[side]) columns.push_back(key.column);
    return columns;
}

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
        filters_[c.side].push_back(makeRef<Binary>(Operator::Eq, codeOf(*same), codeOf(c), SourcePosition()));
    }
    others.push_back(std::move(set));
    equalities_ = std::move(others);
}

NodeRef JoinGraph::codeOf(const GraphColumn& column) const {
    const TableSchema& own = sides_[column.side].columns;
    const auto number = static_cast<size_t>(column.number);
    if (number < own.size()) return makeRef<Name>(own[number].name, SourcePosition());
    return keys_[column.side][number - own.size()].code;
}

void JoinGraph::settle(std::span<const int64_t> rows, Context& context) {
    std::vector<GraphCondition> between;
    for (GraphCondition& condition : conditions_) {
        if (const std::optional<OnSide> own = onOneSide(condition.code, rows)) {
            filters_[own->side].push_back(own->code);
            continue;
        }
        const bool isEquality =
            condition.code->kind == NodeKind::Binary && static_cast<const Binary&>(*condition.code).op == Operator::Eq;
        if (isEquality && addKeys(static_cast<const Binary&>(*condition.code), rows, context)) continue;
        between.push_back(std::move(condition));
    }
    conditions_ = std::move(between);
}

// f(a.x) = g(b.y, b.z): each side is one more column of its table.
bool JoinGraph::addKeys(const Binary& equality, std::span<const int64_t> rows, Context& context) {
    const std::optional<OnSide> left = onOneSide(equality.left, rows), right = onOneSide(equality.right, rows);
    if (!left || !right || left->side == right->side) return false;
    std::optional<GraphKey> a = keyFor(*left, context), b = keyFor(*right, context);
    if (!a || !b || !areJoinable(a->column, b->column)) return false;
    const GraphColumn first = addKey(std::move(*a), left->side);
    addEquality(first, addKey(std::move(*b), right->side));
    return true;
}

const ColumnSchema& JoinGraph::columnOf(const GraphColumn& column) const {
    return sides_[column.side].columns[static_cast<size_t>(column.number)];
}

std::optional<GraphColumn> JoinGraph::equalColumn(const GraphColumn& column, size_t side) const {
    if (column.side == side) return column;
    for (const std::vector<GraphColumn>& equal : equalities_) {
        if (std::find(equal.begin(), equal.end(), column) == equal.end()) continue;
        const auto own = std::find_if(equal.begin(), equal.end(), [&](const auto& c) { return c.side == side; });
        if (own == equal.end() || own->number >= std::ssize(sides_[side].columns)) return {};
        const ColumnSchema &mine = columnOf(*own), &other = columnOf(column);
        // Equal values of two types may give an expression different ones: 7/2 and 7.0/2.
        if (mine.type != other.type || mine.scale != other.scale) return {};
        return *own;
    }
    return {};
}

NodeRef JoinGraph::asCodeOf(const NodeRef& resolved, size_t side) const {
    bool isWhole = true, reads = false;
    NodeRef code = rewrite(resolved, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Name || !static_cast<const Name&>(*node).name.starts_with(' ')) return NodeRef();
        for (size_t of = 0; of < joined_; ++of) {
            const std::string prefix = graphColumnName(of, "");
            const std::string& name = static_cast<const Name&>(*node).name;
            if (!name.starts_with(prefix)) continue;
            const int number = findColumn(sides_[of].columns, name.substr(prefix.size()));
            const auto own = number < 0 ? std::nullopt : equalColumn({of, number}, side);
            if (!own) break;
            reads = true;
            return makeRef<Name>(columnOf(*own).name, node->position);
        }
        isWhole = false;
        return NodeRef();
    });
    return isWhole && reads ? code : NodeRef();
}

std::optional<JoinGraph::OnSide> JoinGraph::onOneSide(const NodeRef& resolved, std::span<const int64_t> rows) const {
    std::optional<OnSide> best;
    for (size_t side = 0; side < joined_; ++side) {
        if (best && rows[best->side] <= rows[side]) continue;
        if (NodeRef code = asCodeOf(resolved, side)) best = OnSide{std::move(code), side};
    }
    return best;
}

std::optional<GraphKey> JoinGraph::keyFor(const OnSide& part, Context& context) const {
    const BoundRef bound = bindOverColumns(part.code, sides_[part.side].columns, context);
    if (!bound->type.isKnown || !bound->isElementwise || bound->isScalar) return {};
    return GraphKey{part.code, {"", bound->type.type, static_cast<uint8_t>(bound->type.scale), {}}};
}

GraphColumn JoinGraph::addKey(GraphKey key, size_t side) {
    const TableSchema& own = sides_[side].columns;
    if (key.code->kind == NodeKind::Name) return {side, findColumn(own, static_cast<const Name&>(*key.code).name)};
    std::vector<GraphKey>& keys = keys_[side];
    const auto known =
        std::find_if(keys.begin(), keys.end(), [&](const GraphKey& other) { return isSameCode(other.code, key.code); });
    const auto number = known - keys.begin();
    if (known == keys.end()) {
        key.column.name = fmt::format(" key{}", number);
        keys.push_back(std::move(key));
    }
    return {side, static_cast<int>(std::ssize(own) + number)};
}

}  // namespace pelorus
