#include "apps/library/brief_statement.h"

#include <algorithm>

#include "interpreter/engine/query_cache.h"
#include "runtime/code/query.h"
#include "runtime/code/statement.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns the variable that a node names, or null.
static const Value* variableNamed(const NodeRef& node, const Session& session) {
    if (!node || node->kind != NodeKind::Name) return nullptr;
    const int slot = session.findVariable(static_cast<const Name&>(*node).name);
    return slot < 0 ? nullptr : &session.variable(slot);
}

static bool isScalar(const NodeRef& node, const Session& session) {
    if (node->kind == NodeKind::Constant) return static_cast<const Constant&>(*node).value.isScalar();
    const Value* variable = variableNamed(node, session);
    return variable && variable->isScalar();
}

bool isBriefInsert(const NodeList& statements, const Session& session) {
    if (!QueryCache::isOneQuery(statements)) return false;
    const auto& query = static_cast<const Query&>(*static_cast<const ExpressionStatement&>(*statements[0]).expression);
    if (query.verb != QueryVerb::Insert || query.insertSource || query.insertRows.size() != 1) return false;
    const Value* target = variableNamed(query.table, session);
    const MemoryTable* table = target && target->isTable() ? target->table().asMemory() : nullptr;
    if (!table || table->lock || table->keeper || table->stream) return false;
    const NodeList& row = query.insertRows[0];
    return std::all_of(row.begin(), row.end(), [&](const NodeRef& node) { return node && isScalar(node, session); });
}

}  // namespace pelorus
