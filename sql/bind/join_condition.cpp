#include "sql/bind/join_condition.h"

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/table/column_lookup.h"

namespace pelorus {

namespace {

// Returns the condition with t.x as x, when all of it reads one side: true for the right one.
NodeRef oneSided(const NodeRef& node, const TableSchema& left, const TableSchema& right, const std::string& rightName,
                 bool& isRight) {
    bool readsLeft = false, readsRight = false;
    auto note = [&](const std::string& qualifier, const std::string& name) {
        const bool known = findColumn(right, name) >= 0;
        const bool ofRight =
            qualifier.empty() ? findColumn(left, name) < 0 && known : !rightName.empty() && qualifier == rightName;
        if (ofRight) {
            readsRight = true;
        } else if (findColumn(left, name) >= 0) {
            readsLeft = true;
        }
    };
    NodeRef plain = rewrite(node, [&](const NodeRef& n) -> NodeRef {
        if (n->kind == NodeKind::Name) note("", static_cast<const Name&>(*n).name);
        if (n->kind != NodeKind::Member) return NodeRef();
        const auto& member = static_cast<const Member&>(*n);
        if (member.key || member.object->kind != NodeKind::Name) return NodeRef();
        note(static_cast<const Name&>(*member.object).name, member.name);
        return makeRef<Name>(member.name, member.position);
    });
    isRight = readsRight;
    return readsLeft && readsRight ? NodeRef() : plain;
}

void conditionOf(const NodeRef& on, const TableSchema& left, const TableSchema& right, const std::string& rightName,
                 JoinCondition& condition) {
    JoinColumns& keys = condition.keys;
    if (on->kind == NodeKind::Binary && static_cast<const Binary&>(*on).op == Operator::And) {
        conditionOf(static_cast<const Binary&>(*on).left, left, right, rightName, condition);
        conditionOf(static_cast<const Binary&>(*on).right, left, right, rightName, condition);
        return;
    }
    bool isRight = false;
    if (NodeRef filter = oneSided(on, left, right, rightName, isRight)) {
        (isRight ? condition.rightFilters : condition.leftFilters).push_back(std::move(filter));
        return;
    }
    if (on->kind != NodeKind::Binary || static_cast<const Binary&>(*on).op != Operator::Eq) {
        throw UserError(
            "The condition of a join must be equalities between the tables, and filters of one of them, "
            "joined by and.");
    }
    const auto& n = static_cast<const Binary&>(*on);
    auto column = [](const NodeRef& side, std::string& qualifier) -> std::string {
        if (side->kind == NodeKind::Name) return static_cast<const Name&>(*side).name;
        if (side->kind == NodeKind::Member) {
            const auto& m = static_cast<const Member&>(*side);
            if (m.object->kind == NodeKind::Name) qualifier = static_cast<const Name&>(*m.object).name;
            return m.name;
        }
        throw UserError("The condition of a join must compare columns.");
    };
    std::string qualifierA, qualifierB;
    std::string a = column(n.left, qualifierA), b = column(n.right, qualifierB);
    bool swapped =
        (!rightName.empty() && qualifierA == rightName) || (findColumn(left, a) < 0 && findColumn(right, a) >= 0);
    keys.left.push_back(swapped ? b : a);
    keys.right.push_back(swapped ? a : b);
}

}  // namespace

JoinCondition joinCondition(const NodeRef& on, const TableSchema& left, const TableSchema& right,
                            const std::string& rightName) {
    JoinCondition condition;
    conditionOf(on, left, right, rightName, condition);
    if (condition.keys.left.empty()) {
        throw UserError("The condition of a join must compare a column of each table.");
    }
    return condition;
}

}  // namespace pelorus
