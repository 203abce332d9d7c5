#include "runtime/table/table_access.h"

namespace pelorus {

void requireAccess(const Context& context, const Table& table, Right right) {
    // Every table that sessions share has a lock.
    const MemoryTable* memory = const_cast<Table&>(table).asMemory();
    if (!memory || !memory->lock) return;
    if (right != Right::Read) context.request->principal().requireChanges("A change of a shared table");
    const auto* access = context.service<TableAccess>();
    if (access && access->controlsAny()) access->require(table, right, context.principal());
}

}  // namespace pelorus
