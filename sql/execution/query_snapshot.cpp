#include "sql/execution/query_snapshot.h"

#include "runtime/append/table_transaction.h"
#include "runtime/function/principal.h"
#include "runtime/table/stored_table.h"

namespace pelorus {

static thread_local OneSnapshot* current = nullptr;

OneSnapshot::OneSnapshot(Start start) : outer_(current), isOwn_(start == Start::Apart || current == nullptr) {
    if (isOwn_) current = this;
}

OneSnapshot::OneSnapshot(HeldSnapshot& held) : outer_(current), isOwn_(true), held_(&held) {
    current = this;
}

OneSnapshot::~OneSnapshot() {
    if (isOwn_) current = outer_;
}

std::shared_ptr<TableSnapshot> snapshotForQuery(const PartitionedTable& table, const Principal& who) {
    table.require(who, Right::Read);
    const auto* stored = dynamic_cast<const StoredTable*>(&table);
    const void* clock = stored == nullptr ? nullptr : stored->clock();
    Transaction* const transaction = TransactionScope::current();
    if (clock != nullptr && transaction != nullptr && transaction->clock() == clock)
        return stored->takeSnapshotIn(*transaction);
    if (current == nullptr || clock == nullptr) return table.takeSnapshot();
    std::shared_ptr<TableSnapshot>& first = current->first()[clock];
    if (first) return table.takeSnapshot(first->number());
    first = table.takeSnapshot();
    return first;
}

}  // namespace pelorus
