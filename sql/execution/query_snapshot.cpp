#include "sql/execution/query_snapshot.h"

#include "runtime/append/script_transaction.h"
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

std::shared_ptr<TableSnapshot> OneSnapshot::take(const PartitionedTable& table, const StoredTable* stored) {
    const void* const clock = stored == nullptr ? nullptr : stored->clock();
    if (clock == nullptr) return table.takeSnapshot();
    std::shared_ptr<TableSnapshot> none;
    std::shared_ptr<TableSnapshot>& first = current == nullptr ? none : current->first()[clock];
    Transaction* const transaction = TransactionScope::current();
    if (transaction != nullptr && transaction->clock() == clock) {
        // A session begins the statements of its transaction; within a script's block each query is one.
        if (ScriptTransaction::current() == nullptr) return stored->takeSnapshotIn(*transaction);
        if (!first) transaction->beginStatement(TransactionScope::settings());
        std::shared_ptr<TableSnapshot> snapshot = stored->takeSnapshotIn(*transaction);
        if (!first) first = snapshot;
        return snapshot;
    }
    if (first) return table.takeSnapshot(first->number());
    first = table.takeSnapshot();
    return first;
}

std::shared_ptr<TableSnapshot> snapshotForQuery(const PartitionedTable& table, const Principal& who) {
    table.require(who, Right::Read);
    const auto* const stored = dynamic_cast<const StoredTable*>(&table);
    std::shared_ptr<TableSnapshot> snapshot = OneSnapshot::take(table, stored);
    const ScriptTransaction* const block = ScriptTransaction::current();
    const Ref<MemoryTable> kept = block != nullptr && stored != nullptr ? block->keptRows(table) : Ref<MemoryTable>();
    return kept ? stored->withRows(std::move(snapshot), *kept) : snapshot;
}

}  // namespace pelorus
