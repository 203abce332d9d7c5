#include "sql/bind/join_sides.h"

#include <algorithm>

#include "runtime/code/rewrite.h"
#include "runtime/function/principal.h"
#include "runtime/memory/broker.h"
#include "runtime/registry/registry.h"
#include "runtime/table/spill_file.h"
#include "sql/bind/plan_select.h"
#include "sql/execution/query_snapshot.h"
#include "sql/expression/constraint.h"
#include "sql/plan/rules/prune.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

namespace {

constexpr size_t kNobody = static_cast<size_t>(-1);

bool hasColumn(const JoinSide& side, const std::string& name) {
    return side.table.isTable() && side.table.table().findColumn(name) >= 0;
}

size_t ownerOf(const std::vector<JoinSide>& sides, const std::string& name) {
    for (size_t i = 0; i < sides.size(); ++i) {
        if (hasColumn(sides[i], name)) return i;
    }
    return kNobody;
}

size_t ownerOf(const std::vector<JoinSide>& sides, const std::string& qualifier, const std::string& name) {
    for (size_t i = 0; i < sides.size(); ++i) {
        if (sides[i].qualifier == qualifier && hasColumn(sides[i], name)) return i;
    }
    return kNobody;
}

// Whether the name, which is no column of a side, may still be one of the join's result, like right_x for the x of the
// right side where the left one has an x, too.
bool mayBeNameOfJoin(const std::string& name, const std::vector<JoinSide>& sides, const Context& context) {
    for (size_t underscore = name.find('_'); underscore != std::string::npos;
         underscore = name.find('_', underscore + 1)) {
        if (ownerOf(sides, name.substr(underscore + 1)) != kNobody) return true;
    }
    Value held;
    const bool isVariable = context.scope && context.scope->lookup(name, held);
    return !isVariable && !FunctionRegistry::instance().find(name);
}

// Returns the condition with t.x as x when it reads columns of that side, and of no other; null otherwise.
NodeRef ofOneSide(const NodeRef& condition, const std::vector<JoinSide>& sides, size_t index, const Context& context) {
    bool reads = false, readsOthers = false;
    auto note = [&](size_t owner) {
        reads = reads || owner == index;
        readsOthers = readsOthers || (owner != index && owner != kNobody);
    };
    NodeRef plain = rewrite(condition, [&](const NodeRef& n) -> NodeRef {
        if (n->kind == NodeKind::Name) {
            const std::string& name = static_cast<const Name&>(*n).name;
            const size_t owner = ownerOf(sides, name);
            note(owner);
            readsOthers = readsOthers || (owner == kNobody && mayBeNameOfJoin(name, sides, context));
        }
        if (n->kind == NodeKind::Constant) note(ownerOf(sides, static_cast<const Constant&>(*n).spelling));
        if (n->kind != NodeKind::Member) return NodeRef();
        const auto& member = static_cast<const Member&>(*n);
        if (member.key || member.object->kind != NodeKind::Name) return NodeRef();
        const size_t owner = ownerOf(sides, static_cast<const Name&>(*member.object).name, member.name);
        if (owner == kNobody) return NodeRef();
        note(owner);
        return makeRef<Name>(member.name, member.position);
    });
    return reads && !readsOthers ? plain : NodeRef();
}

// Whether the condition compares row by row with a variable: its elements correspond to rows of the join.
bool readsRowsOfVariable(const NodeRef& condition, const JoinSide& side, Context& context) {
    bool found = false;
    rewrite(condition, [&](const NodeRef& n) -> NodeRef {
        if (n->kind == NodeKind::Binary && static_cast<const Binary&>(*n).op == Operator::In) {
            found = found || readsRowsOfVariable(static_cast<const Binary&>(*n).left, side, context);
            return n;
        }
        Value value;
        if (n->kind == NodeKind::Constant) value = static_cast<const Constant&>(*n).value;
        if (n->kind == NodeKind::Name && !hasColumn(side, static_cast<const Name&>(*n).name) && context.scope)
            context.scope->lookup(static_cast<const Name&>(*n).name, value);
        found = found || value.isVector();
        return NodeRef();
    });
    return found;
}

// A condition that reads other rows must see the rows that it would see after the join; so must all that follow it.
NodeList conditionsOf(const std::vector<JoinSide>& sides, size_t index, const NodeList& where, Context& context) {
    NodeList taken;
    for (const NodeRef& condition : where) {
        NodeList parts;
        splitAnd(condition, parts);
        const bool rowwise = std::all_of(parts.begin(), parts.end(), [&](const NodeRef& part) {
            return std::any_of(sides.begin(), sides.end(), [&](const JoinSide& side) {
                const NodeRef plain = ofOneSide(part, sides, static_cast<size_t>(&side - sides.data()), context);
                return plain && isRowwise(plain, context) && !readsRowsOfVariable(plain, side, context);
            });
        });
        if (!rowwise) break;
        for (const NodeRef& part : parts) {
            if (NodeRef plain = ofOneSide(part, sides, index, context)) taken.push_back(std::move(plain));
        }
    }
    return taken;
}

double bytesOf(const Table& table, const TableSchema& columns) {
    return static_cast<double>(estimatedRowBytes(columns)) * static_cast<double>(table.rowCount());
}

// Whether the needed part of the side fits into memory together with the others, and the join of them. When whole
// tables do not, fewer columns alone are no reason to keep the join from spilling.
bool haveRoom(const std::vector<JoinSide>& sides, const PartitionedTable& table, const TableSchema& columns,
              const NodeList& conditions, Context& context) {
    constexpr double kWithJoin = 3;  // a side, its part of the result, and keys
    const auto room = static_cast<double>(memory::availableBytes());
    double whole = 0;
    for (const JoinSide& side : sides) {
        if (side.table.isTable()) whole += bytesOf(side.table.table(), side.table.table().columns());
    }
    if (kWithJoin * whole <= room) return true;
    if (conditions.empty()) return false;
    const auto snapshot = snapshotForQuery(table, context.principal());
    const std::vector<ColumnConstraint> constraints = constraintsOf(conditions, table.columns(), context);
    const auto all = static_cast<double>(std::max<size_t>(snapshot->partitions().size(), 1));
    const double share = static_cast<double>(prunePartitions(table, *snapshot, constraints).size()) / all;
    return 2 * kWithJoin * bytesOf(table, columns) * share <= room;
}

}  // namespace

bool takesConditions(const std::vector<JoinKind>& joins, size_t index) {
    const auto keepsLeft = [](JoinKind kind) { return kind != JoinKind::Right && kind != JoinKind::Full; };
    if (!std::all_of(joins.begin() + static_cast<std::ptrdiff_t>(index), joins.end(), keepsLeft)) return false;
    if (index == 0) return true;
    const JoinKind own = joins[index - 1];
    return own == JoinKind::Inner || own == JoinKind::Cross || own == JoinKind::Right;
}

Ref<Query> neededRows(const std::vector<JoinSide>& sides, size_t index, const NodeList& where,
                      const std::function<bool(const std::string& column)>& isRead, Context& context) {
    const Value& side = sides[index].table;
    const PartitionedTable* table = side.isTable() ? side.table().asPartitioned() : nullptr;
    if (!table) return {};
    const SourcePosition nowhere;
    auto needed = makeRef<Query>(nowhere);
    TableSchema columns;
    for (const ColumnSchema& column : table->columns()) {
        if (!isRead(column.name)) continue;
        needed->items.push_back({makeRef<Name>(column.name, nowhere), {}, NodeRef()});
        columns.push_back(column);
    }
    needed->where = conditionsOf(sides, index, where, context);
    if (needed->where.empty() && columns.size() == table->columns().size()) return {};
    if (columns.empty() || !haveRoom(sides, *table, columns, needed->where, context)) return {};
    const Ref<Constant> from = makeRef<Constant>(side, nowhere);
    from->spelling = sides[index].qualifier;
    needed->table = from;
    return needed;
}

}  // namespace pelorus
