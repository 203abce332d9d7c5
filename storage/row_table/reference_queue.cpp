#include "storage/row_table/reference_queue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "storage/catalog/foreign_key.h"
#include "storage/commit/stored_transaction.h"
#include "storage/row_table/reference_errors.h"
#include "storage/row_table/row_cells.h"
#include "storage/row_table/row_checks.h"
#include "storage/row_table/row_keys.h"
#include "storage/row_table/row_statement.h"
#include "storage/row_table/row_table.h"
#include "storage/rows/index_key.h"
#include "storage/rows/row_key_index.h"
#include "storage/rows/row_store.h"

namespace pelorus {

namespace {

constexpr size_t kRowsBetweenChecks = 1024;

std::vector<int> placesOf(const TableEntry& table, const std::vector<std::string>& columns) {
    std::vector<int> places;
    const std::vector<std::string>& known = table.rowTable->columns;
    for (const std::string& column : columns)
        places.push_back(static_cast<int>(std::find(known.begin(), known.end(), column) - known.begin()));
    return places;
}

RowColumns typesOf(const TableEntry& table, const std::vector<std::string>& columns) {
    const TableSchema stored = table.storedSchema();
    const RowColumns types = rowColumnsOf(stored);
    RowColumns own;
    for (const std::string& column : columns) {
        const auto at = std::find_if(stored.begin(), stored.end(), [&](const auto& c) { return c.name == column; });
        CHECK(at != stored.end()) << "a column of a foreign key is not dropped";
        own.push_back(types[static_cast<size_t>(at - stored.begin())]);
    }
    return own;
}

// Returns the bytes of cells, by which equal ones are found.
std::string bytesOf(const RowCells& cells, const RowColumns& types) {
    std::string bytes;
    for (size_t i = 0; i < types.size(); ++i) appendKeyPart(types[i], cells[i], bytes);
    return bytes;
}

// Returns the index whose first columns are the most of those given, and how many these are; null for none.
std::pair<std::shared_ptr<RowKeyIndex>, size_t> indexFor(const RowPart::Indexes& indexes,
                                                         const std::vector<int>& columns) {
    std::pair<std::shared_ptr<RowKeyIndex>, size_t> best{nullptr, 0};
    for (const auto& index : indexes) {
        const std::vector<int>& own = index->definition().columns;
        size_t count = 0;
        while (count < own.size() && std::find(columns.begin(), columns.end(), own[count]) != columns.end()) ++count;
        if (count > best.second) best = {index, count};
    }
    return best;
}

// Returns the cells in the order of the first columns of an index.
RowCells inOrderOf(const RowKeyIndex& index, size_t count, const std::vector<int>& columns, const RowCells& cells) {
    RowCells ordered;
    for (size_t i = 0; i < count; ++i) {
        const auto at = std::find(columns.begin(), columns.end(), index.definition().columns[i]);
        ordered.add(cells[static_cast<size_t>(at - columns.begin())]);
    }
    return ordered;
}

}  // namespace

// Looks at noted changes, with a statement open on each table that it meets.
class ReferenceQueue::Run {
public:
    Run(StoredTransaction& transaction, std::vector<NotedChange>& pending)
        : transaction_(transaction), pending_(pending) {}
    // What was changed is taken back with the transaction, or with the statement that was checked.
    ~Run() {
        for (const auto& [table, statement] : statements_) statement->finish();
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void run() {
        for (size_t i = 0; i < pending_.size(); ++i) {
            if (i % kRowsBetweenChecks == 0) requireRoom(0);
            NotedChange change = std::move(pending_[i]);
            if (!change.values) {
                requireParent(*change.key, change.row);
            } else {
                act(change, i);
            }
        }
    }

    // Throws where a row of the child has no parent; a row that is gone needs none.
    void requireParent(const OpenForeignKey& key, uint64_t row) {
        RowCells cells;
        const RowView newest = transaction_.newest();
        if (!statementOf(key.child).part().versionOf(row, newest, key.childColumns, cells).isLive) return;
        if (hasNullCell(cells, key.childTypes)) return;
        if (!lockParent(key, cells)) refuseMissingParent(key, cells);
    }

    // Checks all rows of the child.
    void requireParents(const OpenForeignKey& key) {
        const std::vector<uint64_t> rows = statementOf(key.child).part().rows(transaction_.newest());
        for (size_t i = 0; i < rows.size(); ++i) {
            if (i % kRowsBetweenChecks == 0) requireRoom(0);
            RowCells cells;
            statementOf(key.child).part().read(rows[i], transaction_.newest(), key.childColumns, cells);
            if (!hasNullCell(cells, key.childTypes) && !hasParent(key, cells)) refuseMissingParent(key, cells);
        }
    }

private:
    using Action = ForeignKey::Action;

    RowStatement& statementOf(const Ref<RowTable>& table) {
        std::unique_ptr<RowStatement>& statement = statements_[table->entry().id];
        if (!statement) statement = table->begin(&transaction_, RowTable::Purpose::Lock);
        return *statement;
    }

    // Returns the index of the parent's key, and that key of a row of the child; none where the values fit in no key.
    struct ParentKey {
        std::shared_ptr<RowKeyIndex> index;
        std::optional<std::string> bytes;
    };
    ParentKey parentKey(const OpenForeignKey& key, const std::optional<RowCells>& cells) {
        const RowPart& part = statementOf(key.parent).part();
        std::shared_ptr<RowKeyIndex> index = uniqueIndexOf(*part.indexes(), key.parentColumns);
        if (!index)
            throw UserError("The table " + key.parent->entry().name +
                                " has no unique index of the columns that the foreign key " + key.key.name +
                                " refers to.",
                            "Make one first.");
        if (!cells) return {index, std::nullopt};
        return {index, index->keyOf(inOrderOf(*index, key.parentColumns.size(), key.parentColumns, *cells))};
    }

    bool hasParent(const OpenForeignKey& key, const RowCells& cells) {
        const auto [index, bytes] = parentKey(key, inTypesOf(cells, key.childTypes, key.parentTypes));
        return bytes && statementOf(key.parent).part().find(*index, *bytes, transaction_.newest()) != RowPart::kNoRow;
    }

    // Locks the row that has the key for key share, and returns whether there is one.
    bool lockParent(const OpenForeignKey& key, const RowCells& cells) {
        const auto [index, bytes] = parentKey(key, inTypesOf(cells, key.childTypes, key.parentTypes));
        if (!bytes) return false;
        const RowPart& part = statementOf(key.parent).part();
        for (;;) {
            const uint64_t row = part.find(*index, *bytes, transaction_.newest());
            if (transaction_.isRepeatable()) {
                if (part.find(*index, *bytes, transaction_.view()) == RowPart::kNoRow) return false;
                if (row == RowPart::kNoRow) refuseConcurrent(key.parent->entry().name);
            }
            if (row == RowPart::kNoRow) return false;
            transaction_.lockRow(part.table(), row, row_lock::kKeyShare, RowLockPolicy::Wait);
            RowCells now;
            const RowPage::Newest newest = part.versionOf(row, transaction_.newest(), index->definition().columns, now);
            // Who had the lock may have erased the row, or given it another key.
            if (!newest.isLive || index->keyOf(now) != *bytes) continue;
            transaction_.noteMet(newest.number);
            return true;
        }
    }

    // Does what follows from a key of the parent that is gone.
    void act(NotedChange& change, size_t at) {
        const OpenForeignKey& key = *change.key;
        NotedChange::Values& values = *change.values;
        const Action action = values.isErased ? key.key.onDelete : key.key.onUpdate;
        if (action == Action::NoAction) {
            const ParentKey own = parentKey(key, values.before);
            const RowPart& part = statementOf(key.parent).part();
            if (part.find(*own.index, *own.bytes, transaction_.newest()) != RowPart::kNoRow) return;
        }
        const std::optional<RowCells> wanted = inTypesOf(values.before, key.parentTypes, key.childTypes);
        if (!wanted) return;
        const std::string bytes = bytesOf(*wanted, key.childTypes);
        const bool isChecked = action == Action::NoAction || action == Action::Restrict;
        for (const uint64_t row : childrenOf(change, *wanted, at)) {
            RowStatement& child = statementOf(key.child);
            const LockMode mode = isChecked                                      ? row_lock::kKeyShare
                                  : values.isErased && action == Action::Cascade ? row_lock::kUpdate
                                                                                 : child.modeOf(key.childColumns);
            if (!hasKey(child, row, key, bytes)) continue;
            transaction_.lockRow(child.part().table(), row, mode, RowLockPolicy::Wait);
            RowCells cells;
            const RowPage::Newest newest = child.part().versionOf(row, transaction_.newest(), key.childColumns, cells);
            if (!newest.isLive || bytesOf(cells, key.childTypes) != bytes) continue;
            if (isChecked) refuseReferredRow(key, values.before);
            if (transaction_.isRepeatable() && newest.number < TransactionSlots::kAborted &&
                newest.number > transaction_.view().number)
                refuseConcurrent(key.child->entry().name);
            transaction_.noteMet(newest.number);
            follow(key, values, action, child, row);
        }
    }

    bool hasKey(const RowStatement& child, uint64_t row, const OpenForeignKey& key, const std::string& bytes) {
        RowCells cells;
        return child.part().read(row, transaction_.newest(), key.childColumns, cells) &&
               bytesOf(cells, key.childTypes) == bytes;
    }

    // Erases or changes a row of the child, which is locked.
    void follow(const OpenForeignKey& key, const NotedChange::Values& values, Action action, RowStatement& child,
                uint64_t row) {
        const std::string& table = key.child->entry().name;
        if (action == Action::Cascade && values.isErased) return requireDone(child.erase(row), table);
        RowCells cells;
        std::vector<int> columns = key.childColumns;
        if (action == Action::Cascade) {
            const std::optional<RowCells> fitted = inTypesOf(values.after, key.parentTypes, key.childTypes);
            if (!fitted) refuseUnfit(key);
            cells = *fitted;
        } else {
            std::vector<std::string> names = key.key.columns;
            if (values.isErased && !key.key.setColumns.empty()) names = key.key.setColumns;
            columns = placesOf(key.child->entry(), names);
            for (const std::string& name : names) {
                const RowColumn type = typesOf(key.child->entry(), {name})[0];
                if (action == Action::SetNull) {
                    cells.add(nullCell(type.type));
                } else {
                    cells.add(cellOf(defaultOf(key.child->entry(), name).vector(), 0));
                }
            }
        }
        std::vector<RowCell> written;
        for (size_t i = 0; i < cells.size(); ++i) written.push_back(cells[i]);
        requireDone(child.update(row, columns, written), table);
        requireRules(key.child->entry(), *readRows(child, key.child->entry(), {row}));
        // A default that is the value that was there is no change, and has no parent now.
        if (action == Action::SetDefault) pending_.push_back({sharedKey(key), row, nullptr});
    }

    static std::shared_ptr<const OpenForeignKey> sharedKey(const OpenForeignKey& key) {
        return std::make_shared<const OpenForeignKey>(key);
    }

    // Returns the rows of the child that may have the key. Without an index one pass over the table serves all changes
    // of the key that wait.
    std::vector<uint64_t> childrenOf(NotedChange& change, const RowCells& wanted, size_t at) {
        if (change.values->children) return std::move(*change.values->children);
        const OpenForeignKey& key = *change.key;
        const RowPart& part = statementOf(key.child).part();
        const RowView newest = transaction_.newest();
        const auto [index, count] = indexFor(*part.indexes(), key.childColumns);
        std::vector<uint64_t> rows;
        if (index != nullptr) {
            const std::string low = index->keyOf(inOrderOf(*index, count, key.childColumns, wanted));
            const std::optional<std::string> high = keyBehind(low);
            part.range(*index, low, high ? &*high : nullptr, newest, [&](uint64_t row) {
                rows.push_back(row);
                return true;
            });
            return rows;
        }
        std::unordered_map<std::string, std::vector<std::vector<uint64_t>*>> waiting;
        waiting[bytesOf(wanted, key.childTypes)].push_back(&rows);
        for (size_t i = at + 1; i < pending_.size(); ++i) {
            const NotedChange& other = pending_[i];
            if (other.key != change.key || !other.values || other.values->children) continue;
            const auto cells = inTypesOf(other.values->before, key.parentTypes, key.childTypes);
            if (!cells) continue;
            waiting[bytesOf(*cells, key.childTypes)].push_back(&other.values->children.emplace());
        }
        size_t visited = 0;
        for (const uint64_t row : part.rows(newest)) {
            if (++visited % kRowsBetweenChecks == 0) checkCancelled();
            RowCells cells;
            if (!part.read(row, newest, key.childColumns, cells)) continue;
            const auto found = waiting.find(bytesOf(cells, key.childTypes));
            if (found == waiting.end()) continue;
            for (std::vector<uint64_t>* list : found->second) list->push_back(row);
        }
        return rows;
    }

    StoredTransaction& transaction_;
    std::vector<NotedChange>& pending_;
    std::map<uint64_t, std::unique_ptr<RowStatement>> statements_;  // by table
};

ReferenceQueue::ReferenceQueue(std::shared_ptr<LocalStorage> storage, StoredTransaction& transaction)
    : storage_(std::move(storage)), transaction_(transaction) {}

ReferenceQueue::~ReferenceQueue() = default;

std::shared_ptr<TableReferences> ReferenceQueue::of(const RowTable& table, const std::shared_ptr<LocalStorage>& storage,
                                                    StoredTransaction& transaction) {
    const RowTableFacts& facts = *table.entry().rowTable;
    if (facts.foreignKeys.empty() && facts.referredBy.empty()) return nullptr;
    if (transaction.rules() == nullptr) transaction.setRules(std::make_unique<ReferenceQueue>(storage, transaction));
    return dynamic_cast<ReferenceQueue&>(*transaction.rules()).referencesOf(table);
}

std::shared_ptr<TableReferences> ReferenceQueue::referencesOf(const RowTable& table) {
    std::shared_ptr<TableReferences>& known = tables_[table.entry().id];
    if (known) return known;
    Ref<RowTable> self = open(table.entry().database, table.entry().name);
    if (!self) {
        throw UserError("The table " + table.entry().name + " of " + table.entry().database + " has been dropped.",
                        "Open the table again with loadTable.");
    }
    known = std::make_shared<TableReferences>([this, self] { return ownKeys(*self); },
                                              [this, self] { return keysTo(*self); },
                                              [this](NotedChange change) { note(std::move(change)); });
    return known;
}

Ref<RowTable> ReferenceQueue::open(const std::string& database, const std::string& name) const {
    const std::optional<TableEntry> entry = storage_->catalog().findTable(database, name);
    const std::optional<DatabaseEntry> own = storage_->catalog().findDatabase(database);
    if (!entry || !own || !entry->rowTable) return {};
    return makeRef<RowTable>(storage_, *own, *entry);
}

std::shared_ptr<const OpenForeignKey> ReferenceQueue::opened(const ForeignKey& key, Ref<RowTable> child,
                                                             Ref<RowTable> parent) const {
    auto made = std::make_shared<OpenForeignKey>();
    made->key = key;
    made->childColumns = placesOf(child->entry(), key.columns);
    made->parentColumns = placesOf(parent->entry(), key.parentColumns);
    made->childTypes = typesOf(child->entry(), key.columns);
    made->parentTypes = typesOf(parent->entry(), key.parentColumns);
    made->child = std::move(child);
    made->parent = std::move(parent);
    return made;
}

// Returns the keys of a table to others, and to itself.
TableReferences::Keys ReferenceQueue::ownKeys(const RowTable& table) const {
    TableReferences::Keys keys;
    for (const ForeignKey& key : table.entry().rowTable->foreignKeys) {
        const Ref<RowTable> child = open(table.entry().database, table.entry().name);
        const Ref<RowTable> parent = open(key.parentDatabase, key.parentTable);
        if (!child || !parent)
            throw SystemError(fmt::format("The table {}, to which the foreign key {} refers, is not there.",
                                          key.parentTable, key.name));
        keys.push_back(opened(key, child, parent));
    }
    return keys;
}

// Returns the keys to a table, of others and of itself. Their tables are locked first, so that they are those of the
// catalog until the transaction ends: who adds one locks this table.
TableReferences::Keys ReferenceQueue::keysTo(const RowTable& table) const {
    const TableEntry& parent = table.entry();
    std::vector<ReferringTable> children = parent.rowTable->referredBy;
    children.push_back({parent.database, parent.name});
    TableReferences::Keys keys;
    for (const ReferringTable& name : children) {
        const std::optional<TableEntry> entry = storage_->catalog().findTable(name.database, name.name);
        if (!entry || foreignKeysTo(*entry, parent).empty()) continue;
        transaction_.lockTable(entry->id, LockMode::RowExclusive);
        const Ref<RowTable> child = open(name.database, name.name);
        const Ref<RowTable> self = open(parent.database, parent.name);
        if (!child || !self || child->entry().id != entry->id) continue;  // dropped meanwhile
        for (const ForeignKey& key : foreignKeysTo(child->entry(), parent)) keys.push_back(opened(key, child, self));
    }
    return keys;
}

void ReferenceQueue::note(NotedChange change) {
    const ForeignKey& key = change.key->key;
    bool isDeferred = key.isDeferrable ? transaction_.isDeferred(key.name, key.isDeferred) : key.isDeferred;
    if (change.values) {
        // What changes other rows is not put off.
        const ForeignKey::Action action = change.values->isErased ? key.onDelete : key.onUpdate;
        isDeferred &= action == ForeignKey::Action::NoAction;
    }
    (isDeferred ? deferred_ : pending_).push_back(std::move(change));
}

void ReferenceQueue::requireParents(const ForeignKey& key, const RowTable& child,
                                    const std::shared_ptr<LocalStorage>& storage, StoredTransaction& transaction) {
    const ReferenceQueue queue(storage, transaction);
    const Ref<RowTable> own = queue.open(child.entry().database, child.entry().name);
    const Ref<RowTable> parent = queue.open(key.parentDatabase, key.parentTable);
    if (!own || !parent)
        throw UserError("There is no row table " + key.parentTable + " in " + key.parentDatabase + ".");
    transaction.lockTable(parent->entry().id, LockMode::ShareRowExclusive);
    std::vector<NotedChange> none;
    Run(transaction, none).requireParents(*queue.opened(key, own, parent));
}

void ReferenceQueue::endStatement() {
    if (pending_.empty()) return;
    struct Forget {
        std::vector<NotedChange>& pending;
        ~Forget() { pending.clear(); }
    } const forget{pending_};
    Run(transaction_, pending_).run();
}

void ReferenceQueue::checkDeferred(const std::vector<std::string>& constraints) {
    std::vector<NotedChange> left;
    for (NotedChange& change : deferred_) {
        const bool isMeant = constraints.empty() || std::find(constraints.begin(), constraints.end(),
                                                              change.key->key.name) != constraints.end();
        (isMeant ? pending_ : left).push_back(std::move(change));
    }
    deferred_ = std::move(left);
    endStatement();
}

void ReferenceQueue::beforeCommit() {
    checkDeferred({});
}

void ReferenceQueue::rollbackTo(const Position& position) {
    if (pending_.size() > position.pending)
        pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(position.pending), pending_.end());
    if (deferred_.size() > position.deferred)
        deferred_.erase(deferred_.begin() + static_cast<std::ptrdiff_t>(position.deferred), deferred_.end());
    tables_.clear();  // the locks that keep definitions away may be released
}

}  // namespace pelorus
