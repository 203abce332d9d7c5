// ReferenceQueue keeps the foreign keys of row tables: it checks the changes that a statement has made when it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "storage/commit/statement_rules.h"
#include "storage/folder/local_storage.h"
#include "storage/row_table/row_references.h"

namespace pelorus {

class RowStatement;
class StoredTransaction;

// The changes of one transaction that foreign keys are to be looked at for, in their order, as PostgreSQL has it: what
// an action changes in other rows is checked behind all that was there before. A row of a parent is locked for key
// share when a child refers to it, so that it stays; who removes a key has locked its row for update, so no child comes
// after the look. Used by the transaction's thread.
class ReferenceQueue final : public StatementRules {
public:
    ReferenceQueue(std::shared_ptr<LocalStorage> storage, StoredTransaction& transaction);
    ~ReferenceQueue() override;

    // Returns what changes of the table are noted at, under a lock that keeps definitions away; null for a table that
    // has no foreign keys, and that none refer to.
    static std::shared_ptr<TableReferences> of(const RowTable& table, const std::shared_ptr<LocalStorage>& storage,
                                               StoredTransaction& transaction);

    // Checks that all rows of a child have a parent, for a key that is new; the parent may be the child itself. Throws
    // ConstraintError. REQUIRES: the transaction keeps others from changing the child.
    static void requireParents(const ForeignKey& key, const RowTable& child,
                               const std::shared_ptr<LocalStorage>& storage, StoredTransaction& transaction);

    void endStatement() override;
    void checkDeferred(const std::vector<std::string>& constraints) override;
    void beforeCommit() override;
    Position position() const override { return {pending_.size(), deferred_.size()}; }
    void rollbackTo(const Position& position) override;

private:
    class Run;

    std::shared_ptr<TableReferences> referencesOf(const RowTable& table);
    Ref<RowTable> open(const std::string& database, const std::string& name) const;
    std::shared_ptr<const OpenForeignKey> opened(const ForeignKey& key, Ref<RowTable> child,
                                                 Ref<RowTable> parent) const;
    TableReferences::Keys ownKeys(const RowTable& table) const;
    TableReferences::Keys keysTo(const RowTable& table) const;
    void note(NotedChange change);

    const std::shared_ptr<LocalStorage> storage_;
    StoredTransaction& transaction_;
    std::map<uint64_t, std::shared_ptr<TableReferences>> tables_;  // by id
    std::vector<NotedChange> pending_, deferred_;
};

}  // namespace pelorus
