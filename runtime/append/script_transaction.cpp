#include "runtime/append/script_transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/check.h"
#include "common/error.h"
#include "runtime/append/row_access.h"
#include "runtime/memory/budget.h"
#include "runtime/table/value_bytes.h"

namespace pelorus {

constexpr int64_t kKeptPart = 4;  // fraction of the memory that the rows that are kept may take

static UserError severalFolders() {
    return UserError("<NotSupported>A transaction changes tables of one data folder.",
                     "Commit between tables of different folders.");
}

static int64_t bytesOf(const Ref<MemoryTable>& rows) {
    return memoryBytesOf(Value::of(Ref<Table>(rows)));
}

constinit static thread_local ScriptTransaction* innermost = nullptr;

ScriptTransaction::ScriptTransaction(const TransactionSettings& settings)
    : outer_(innermost),
      own_(outer_ == nullptr ? std::make_unique<Work>() : nullptr),
      work_(own_ ? *own_ : outer_->work_) {
    if (own_) {
        work_.joined = TransactionScope::current();
        work_.scope.emplace(work_.joined, work_.joined != nullptr ? TransactionScope::settings() : settings);
    }
    for (const RowsOfTable& each : work_.kept) keptBefore_.push_back(each.rows->rowCount());
    if (Transaction* const transaction = work_.transaction()) {
        transaction->savepoint();
        savepoints_ = transaction->savepointCount();
    }
    innermost = this;
}

ScriptTransaction::~ScriptTransaction() {
    rollback();
}

ScriptTransaction* ScriptTransaction::current() {
    return innermost;
}

void ScriptTransaction::requireUnchanged(const std::string& what) {
    if (innermost == nullptr) return;
    const Transaction* const transaction = innermost->work_.transaction();
    if (transaction == nullptr || !transaction->hasChanges()) return;
    throw UserError("<ActiveTransaction>" + what + " would wait for the end of the transaction that it stands in.",
                    "Do it before the block, or behind it.");
}

void ScriptTransaction::refuse(const std::string& what) {
    if (innermost == nullptr) return;
    throw UserError("<NotSupported>" + what + " is a transaction of its own, and not done inside of another one.",
                    "Do it outside of the block. Rows may be appended inside: they are stored when it ends.");
}

Transaction* ScriptTransaction::open(const RowAccess& access) {
    if (Transaction* const transaction = work_.transaction()) return transaction;
    work_.own = access.beginTransaction();
    if (!work_.own) return nullptr;
    if (!work_.kept.empty()) {
        try {
            requireOneFolder(work_.own->clock());
        } catch (const UserError&) {
            work_.own.reset();
            throw;
        }
    }
    work_.own->beginStatement(TransactionScope::settings());
    TransactionScope::set(work_.own.get());
    return work_.own.get();
}

void ScriptTransaction::requireOneFolder(const void* clock) const {
    for (const RowsOfTable& each : work_.kept) {
        if (dynamic_cast<const StoredTable&>(*each.table).clock() != clock) throw severalFolders();
    }
}

static bool isSameTable(const PartitionedTable& a, const PartitionedTable& b) {
    return dynamic_cast<const StoredTable&>(a).isSameTable(dynamic_cast<const StoredTable&>(b));
}

void ScriptTransaction::keep(const Ref<PartitionedTable>& table, const MemoryTable& rows) {
    const void* const clock = dynamic_cast<const StoredTable&>(*table).clock();
    if (work_.joined != nullptr)
        throw UserError("<NotSupported>A script that runs within a transaction appends to row tables alone.",
                        "Append to tables of columns outside of it.");
    requireOneFolder(clock);
    if (work_.own && work_.own->clock() != clock) throw severalFolders();
    const Ref<MemoryTable> added = rows.copy();
    const int64_t bytes = work_.keptBytes + bytesOf(added);
    if (memory::limitBytes() > 0 && bytes > memory::limitBytes() / kKeptPart)
        throw UserError(
            "<TransactionTooLarge>The rows that a transaction appends to tables of columns take more than "
            "a quarter of the memory (maxMemSize).",
            "Commit more often.");
    const auto known = std::find_if(work_.kept.begin(), work_.kept.end(),
                                    [&](const auto& each) { return isSameTable(*each.table, *table); });
    if (known == work_.kept.end()) {
        work_.kept.push_back({table, added});
    } else {
        known->rows->append(rows);
    }
    work_.keptBytes = bytes;
}

Ref<MemoryTable> ScriptTransaction::keptRows(const PartitionedTable& table) const {
    if (work_.kept.empty()) return {};
    const auto known = std::find_if(work_.kept.begin(), work_.kept.end(),
                                    [&](const auto& each) { return isSameTable(*each.table, table); });
    return known == work_.kept.end() || known->rows->rowCount() == 0 ? Ref<MemoryTable>() : known->rows->copy();
}

void ScriptTransaction::end() {
    hasEnded_ = true;
    CHECK(innermost == this) << "the transaction block that began last ends first, on its thread";
    innermost = outer_;
    if (own_) work_.scope.reset();
}

void ScriptTransaction::commit() {
    CHECK(!hasEnded_) << "a transaction block ends once";
    if (!own_) {
        // All of it is stored, or taken back, by the outer block.
        if (savepoints_ > 0) work_.transaction()->release(savepoints_ - 1);
        return end();
    }
    if (work_.joined != nullptr) {
        work_.joined->release(savepoints_ - 1);
        return end();
    }
    end();
    const std::unique_ptr<Transaction> transaction = std::exchange(work_.own, nullptr);
    std::vector<RowsOfTable> kept = std::exchange(work_.kept, {});
    std::erase_if(kept, [](const auto& each) { return each.rows->rowCount() == 0; });
    if (kept.empty()) {
        if (transaction) transaction->commit();
        return;
    }
    dynamic_cast<StoredTable&>(*kept.front().table).appendTogether(kept, transaction.get());
}

void ScriptTransaction::rollback() {
    if (hasEnded_) return;
    if (own_ && work_.joined == nullptr) {
        work_.kept.clear();
        end();
        work_.own.reset();
        return;
    }
    if (Transaction* const transaction = work_.transaction()) {
        if (savepoints_ > 0) {
            transaction->rollbackTo(savepoints_);
            transaction->release(savepoints_ - 1);
        } else {
            // It began within this block.
            work_.own.reset();
            TransactionScope::set(nullptr);
        }
    }
    work_.kept.resize(std::min(work_.kept.size(), keptBefore_.size()));
    work_.keptBytes = 0;
    for (size_t i = 0; i < work_.kept.size(); ++i) {
        if (work_.kept[i].rows->rowCount() > keptBefore_[i])
            work_.kept[i].rows = work_.kept[i].rows->slice(0, keptBefore_[i]);
        work_.keptBytes += bytesOf(work_.kept[i].rows);
    }
    end();
}

}  // namespace pelorus
