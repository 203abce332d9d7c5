#include "sql/bind/query_snapshot.h"

#include "runtime/table/stored_table.h"

namespace pelorus {

static thread_local OneSnapshot* current = nullptr;

OneSnapshot::OneSnapshot(Start start) : outer_(current), isOwn_(start == Start::Apart || current == nullptr) {
    if (isOwn_) current = this;
}

OneSnapshot::~OneSnapshot() {
    if (isOwn_) current = outer_;
}

std::shared_ptr<TableSnapshot> snapshotForQuery(const PartitionedTable& table) {
    const auto* stored = dynamic_cast<const StoredTable*>(&table);
    const void* clock = stored == nullptr ? nullptr : stored->clock();
    if (current == nullptr || clock == nullptr) return table.snapshot();
    std::shared_ptr<TableSnapshot>& first = current->first_[clock];
    if (first) return table.snapshot(first->number());
    first = table.snapshot();
    return first;
}

}  // namespace pelorus
