#include "storage/rows/row_part.h"

#include <algorithm>
#include <numeric>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"

namespace pelorus {

static constexpr auto kPageRows = static_cast<uint64_t>(RowPage::kRows);
static constexpr uint64_t kMaxRows = uint64_t{1} << 40;
static constexpr size_t kEntriesPerStep = 256;
static constexpr int64_t kBytesOfChange = 16;  // beside its cells

static int slotOf(uint64_t row) {
    return static_cast<int>(row % kPageRows);
}

RowPart::RowPart(uint64_t table, RowColumns columns, TransactionSlots& slots)
    : table_(table), slots_(slots), columns_(std::move(columns)), indexes_(std::make_shared<const Indexes>()) {}

RowPart::~RowPart() = default;

RowColumns RowPart::columns() const {
    const ReaderLock lock(mutex_);
    return columns_;
}

void RowPart::addColumns(const RowColumns& columns) {
    const WriterLock lock(mutex_);
    for (size_t i = columns_.size(); i < columns.size(); ++i) columns_.push_back(columns[i]);
    for (const auto& page : pages_) page->addColumns(columns_);
}

std::shared_ptr<const RowPart::Indexes> RowPart::indexes() const {
    const ReaderLock lock(mutex_);
    return indexes_;
}

RowPage& RowPart::page(uint64_t row) const {
    const ReaderLock lock(mutex_);
    return *pages_[row / kPageRows];
}

uint64_t RowPart::endOfRows() const {
    const ReaderLock lock(mutex_);
    return endOfRows_;
}

std::vector<const RowPage*> RowPart::pages() const {
    const ReaderLock lock(mutex_);
    std::vector<const RowPage*> all;
    for (const auto& page : pages_) all.push_back(page.get());
    return all;
}

std::vector<uint64_t> RowPart::rows(const RowView& view) const {
    std::vector<uint64_t> rows;
    const std::vector<const RowPage*> pages = this->pages();
    for (size_t page = 0; page < pages.size(); ++page) {
        std::vector<int> slots;
        pages[page]->slots(view, slots);
        for (const int slot : slots) rows.push_back(page * kPageRows + static_cast<uint64_t>(slot));
    }
    return rows;
}

uint64_t RowPart::takeSlot() {
    const WriterLock lock(mutex_);
    if (!freeSlots_.empty()) {
        const uint64_t row = freeSlots_.back();
        freeSlots_.pop_back();
        return row;
    }
    if (endOfRows_ == pages_.size() * kPageRows) pages_.push_back(std::make_unique<RowPage>(columns_, slots_));
    return endOfRows_++;
}

void RowPart::freeSlot(uint64_t row) {
    const WriterLock lock(mutex_);
    freeSlots_.push_back(row);
}

// Holds the latches of indexes for writing, in their order, which is that of all threads.
class RowPart::AllLatches {
public:
    explicit AllLatches(const std::vector<std::shared_ptr<RowKeyIndex>>& indexes) NO_THREAD_SAFETY_ANALYSIS
        : indexes_(indexes) {
        for (const auto& index : indexes_) index->latch().lock();
    }
    ~AllLatches() NO_THREAD_SAFETY_ANALYSIS {
        for (const auto& index : indexes_) index->latch().unlock();
    }
    AllLatches(const AllLatches&) = delete;
    AllLatches& operator=(const AllLatches&) = delete;

private:
    const std::vector<std::shared_ptr<RowKeyIndex>>& indexes_;
};

// Judges the uniqueness of a key. Every entry of it counts by the newest version of its row: owned by another
// transaction it may still come or go, live it is a duplicate, erased it is none. The caller holds the index's latch
// until its own entry is there, so of two that insert one key the second sees the first.
RowPart::Result RowPart::judge(const std::shared_ptr<RowKeyIndex>& index, const std::string& key, RowStamp tag,
                               uint64_t mine) const NO_THREAD_SAFETY_ANALYSIS {
    Result duplicate;
    for (const uint64_t row : index->rowsWith(key)) {
        if (row == mine) continue;
        RowCells cells;
        const RowPage::Newest newest = page(row).newest(slotOf(row), index->definition().columns, cells);
        const bool isOthers = newest.stamp != tag && newest.number >= TransactionSlots::kAborted;
        if (isOthers) return {RowOutcome::Busy, row, newest.stamp, index};
        // A number that somebody has met may not be durable yet; the transaction's own has none.
        const uint64_t number = newest.stamp == tag ? 0 : newest.number;
        if (newest.isLive && index->keyOf(cells) == key) duplicate = {RowOutcome::Duplicate, row, 0, index, number};
    }
    return duplicate;
}

static RowOutcome changeIn(RowPage& page, RowStamp tag, uint64_t seen, const std::vector<RowCell>& cells,
                           UndoRecord& undo, RowPart::Result& result) {
    RowPage::Met met;
    const RowOutcome outcome = page.change(tag, seen, cells, undo, met);
    result.owner = met.owner;
    result.number = met.number;
    return outcome;
}

// Notes a change for the log.
static void note(RowChanges& changes, RowChange change) {
    changes.bytes += kBytesOfChange;
    for (size_t i = 0; i < change.cells.size(); ++i) changes.bytes += static_cast<int64_t>(change.cells[i].size());
    changes.edits.changes.push_back(std::move(change));
}

RowPart::Result RowPart::insert(RowTransaction& transaction,
                                const std::vector<RowCell>& given) NO_THREAD_SAFETY_ANALYSIS {
    const std::shared_ptr<const Indexes> indexes = this->indexes();
    const RowColumns columns = this->columns();
    std::vector<RowCell> cells = given;
    CHECK(cells.size() <= columns.size()) << "a row has no more cells than there are columns";
    while (cells.size() < columns.size()) cells.push_back(nullCell(columns[cells.size()].type));
    std::vector<std::string> keys;
    std::vector<bool> judged;
    for (const auto& index : *indexes) {
        RowCells key;
        for (const int column : index->definition().columns) key.add(cells[static_cast<size_t>(column)]);
        keys.push_back(index->keyOf(key));
        judged.push_back(index->definition().isUnique && !index->hasNull(key));
    }
    const AllLatches latches(*indexes);
    for (size_t i = 0; i < indexes->size(); ++i) {
        if (!judged[i]) continue;
        Result found = judge((*indexes)[i], keys[i], transaction.tag(), kNoRow);
        if (found.outcome != RowOutcome::Done) return found;
    }
    const uint64_t row = takeSlot();
    RowChanges& changes = transaction.changesOf(shared_from_this());
    UndoRecord& undo = changes.undo->records.emplace_back();
    undo.slot = slotOf(row);
    undo.row = row;
    undo.kind = RowChangeKind::Insert;
    undo.columns.resize(columns.size());
    std::iota(undo.columns.begin(), undo.columns.end(), 0);
    RowChange change{RowChangeKind::Insert, row, undo.columns, {}};
    for (const RowCell cell : cells) change.cells.add(cell);
    RowPage::Met met;
    const bool isDone =
        page(row).change(transaction.tag(), TransactionSlots::kNewest, cells, undo, met) == RowOutcome::Done;
    CHECK(isDone) << "a free slot belongs to nobody";
    note(changes, std::move(change));
    for (size_t i = 0; i < indexes->size(); ++i) {
        changes.added.push_back({(*indexes)[i], keys[i], row});  // first: what is noted and not there is no harm
        (*indexes)[i]->add(keys[i], row);
    }
    return {RowOutcome::Done, row, 0, nullptr};
}

RowPart::Result RowPart::update(RowTransaction& transaction, uint64_t row, const std::vector<int>& columns,
                                const std::vector<RowCell>& cells, uint64_t seen) NO_THREAD_SAFETY_ANALYSIS {
    const std::shared_ptr<const Indexes> indexes = this->indexes();
    Indexes changed;
    for (const auto& index : *indexes) {
        const std::vector<int>& keyColumns = index->definition().columns;
        const bool isChanged = std::any_of(columns.begin(), columns.end(), [&](int column) {
            return std::find(keyColumns.begin(), keyColumns.end(), column) != keyColumns.end();
        });
        if (isChanged) changed.push_back(index);
    }
    // Keys change under the latches of their indexes alone, so those read here are the row's until they are released.
    const AllLatches latches(changed);
    std::vector<std::string> oldKeys, newKeys;
    for (const auto& index : changed) {
        RowCells before, after;
        page(row).newest(slotOf(row), index->definition().columns, before);
        for (size_t i = 0; i < index->definition().columns.size(); ++i) {
            const auto at = std::find(columns.begin(), columns.end(), index->definition().columns[i]);
            after.add(at == columns.end() ? before[i] : cells[static_cast<size_t>(at - columns.begin())]);
        }
        oldKeys.push_back(index->keyOf(before));
        newKeys.push_back(index->keyOf(after));
        if (!index->definition().isUnique || index->hasNull(after) || oldKeys.back() == newKeys.back()) continue;
        Result found = judge(index, newKeys.back(), transaction.tag(), row);
        if (found.outcome != RowOutcome::Done) return found;
    }
    RowChanges& changes = transaction.changesOf(shared_from_this());
    UndoRecord& undo = changes.undo->records.emplace_back();
    undo.slot = slotOf(row);
    undo.row = row;
    undo.kind = RowChangeKind::Update;
    undo.columns = columns;
    Result result{RowOutcome::Done, row, 0, nullptr};
    RowChange change{RowChangeKind::Update, row, columns, {}};
    for (const RowCell cell : cells) change.cells.add(cell);
    result.outcome = changeIn(page(row), transaction.tag(), seen, cells, undo, result);
    if (result.outcome != RowOutcome::Done) {
        changes.undo->records.pop_back();
        return result;
    }
    note(changes, std::move(change));
    for (size_t i = 0; i < changed.size(); ++i) {
        if (oldKeys[i] == newKeys[i]) continue;
        // Also when the entry is there for an older version: that may be purged before this transaction ends.
        changes.added.push_back({changed[i], newKeys[i], row});
        changed[i]->add(newKeys[i], row);
        changes.undo->superseded.push_back({changed[i], oldKeys[i], row});
    }
    return result;
}

RowPart::Result RowPart::erase(RowTransaction& transaction, uint64_t row, uint64_t seen) {
    RowChanges& changes = transaction.changesOf(shared_from_this());
    UndoRecord& undo = changes.undo->records.emplace_back();
    undo.slot = slotOf(row);
    undo.row = row;
    undo.kind = RowChangeKind::Erase;
    Result result{RowOutcome::Done, row, 0, nullptr};
    result.outcome = changeIn(page(row), transaction.tag(), seen, {}, undo, result);
    if (result.outcome != RowOutcome::Done) {
        changes.undo->records.pop_back();
        return result;
    }
    note(changes, {RowChangeKind::Erase, row, {}, {}});
    return result;
}

RowPage::Newest RowPart::newest(uint64_t row, const std::vector<int>& columns, RowCells& cells) const {
    return page(row).newest(slotOf(row), columns, cells);
}

RowPage::Newest RowPart::versionOf(uint64_t row, const RowView& view, const std::vector<int>& columns,
                                   RowCells& cells) const {
    return page(row).versionOf(slotOf(row), view, columns, cells);
}

bool RowPart::read(uint64_t row, const RowView& view, const std::vector<int>& columns, RowCells& cells) const {
    {
        const ReaderLock lock(mutex_);
        if (row >= endOfRows_) return false;
    }
    return page(row).read(slotOf(row), view, columns, cells);
}

void RowPart::range(const RowKeyIndex& index, const std::string& low, const std::string* high, const RowView& view,
                    const std::function<bool(uint64_t row)>& visit) const {
    std::string key = low;
    uint64_t from = 0;
    std::vector<RowKeyIndex::Entry> entries;
    do {
        entries.clear();
        {
            const LatchReader latch(index.latch());
            index.entriesFrom(key, from, kEntriesPerStep, entries);
        }
        for (const RowKeyIndex::Entry& entry : entries) {
            if (high != nullptr && entry.key >= *high) return;
            // A row has an entry for the key of each of its versions, and is met through that of the one that is seen.
            RowCells cells;
            if (!read(entry.row, view, index.definition().columns, cells)) continue;
            if (index.keyOf(cells) == entry.key && !visit(entry.row)) return;
        }
        if (!entries.empty()) {
            key = entries.back().key;
            from = entries.back().row + 1;
        }
    } while (entries.size() == kEntriesPerStep);
}

uint64_t RowPart::find(const RowKeyIndex& index, const std::string& key, const RowView& view) const {
    std::vector<uint64_t> rows;
    {
        const LatchReader latch(index.latch());
        rows = index.rowsWith(key);
    }
    for (const uint64_t row : rows) {
        RowCells cells;
        if (read(row, view, index.definition().columns, cells) && index.keyOf(cells) == key) return row;
    }
    return kNoRow;
}

bool RowPart::hasVersionWith(const RowKeyIndex& index, const std::string& key, uint64_t row) const {
    std::vector<RowCells> versions;
    page(row).versions(slotOf(row), index.validFrom(), index.definition().columns, versions);
    return std::any_of(versions.begin(), versions.end(),
                       [&](const RowCells& cells) { return index.keyOf(cells) == key; });
}

// Removes the entry, unless a version of its row still has the key. An erased row keeps its entries until it is purged:
// its last version is a before-image.
void RowPart::eraseIfUnused(const RowKey& entry) const {
    const LatchWriter latch(entry.index->latch());
    if (!hasVersionWith(*entry.index, entry.key, entry.row)) entry.index->erase(entry.key, entry.row);
}

void RowPart::putBack(RowChanges& changes, const RowChanges::Mark& mark) {
    std::deque<UndoRecord>& records = changes.undo->records;
    // The last change may have ended with an exception before it was made: its record names no page, and its slot stays
    // unused until the next start.
    if (records.size() > mark.undo && records.back().page == nullptr) records.pop_back();
    bool isCovered = false;
    for (size_t i = records.size(); i > mark.undo; --i) isCovered |= !records[i - 1].page->putBack(records[i - 1]);
    for (size_t i = mark.added; i < changes.added.size(); ++i) eraseIfUnused(changes.added[i]);
    for (size_t i = mark.undo; i < records.size(); ++i) {
        const UndoRecord& undo = records[i];
        if (undo.kind == RowChangeKind::Insert && undo.page->vacate(undo.slot)) freeSlot(undo.row);
    }
    if (isCovered) {
        // Versions of others still have these keys, and will not name them when they are put back themselves.
        const MutexLock lock(undoMutex_);
        leftKeys_.insert(leftKeys_.end(), changes.added.begin(), changes.added.end());
    }
    while (records.size() > mark.undo) records.pop_back();
    changes.undo->superseded.resize(mark.superseded);
    changes.added.resize(mark.added);
    changes.edits.changes.resize(mark.edits);
    changes.bytes = mark.bytes;
}

void RowPart::keepUndo(uint64_t number, std::unique_ptr<RowUndo> undo) {
    undoBytes_.fetch_add(undo->bytes(), std::memory_order_relaxed);
    const MutexLock lock(undoMutex_);
    undo_.emplace(number, std::move(undo));
}

// Removes entries that withdrawn changes have left, as soon as the changes over them have ended.
void RowPart::purgeLeftKeys() {
    std::vector<RowKey> left;
    {
        const MutexLock lock(undoMutex_);
        left.swap(leftKeys_);
    }
    for (RowKey& entry : left) {
        eraseIfUnused(entry);
        RowCells cells;
        const RowPage::Newest newest = page(entry.row).newest(slotOf(entry.row), {}, cells);
        if (newest.number < TransactionSlots::kAborted) continue;
        const MutexLock lock(undoMutex_);
        leftKeys_.push_back(std::move(entry));
    }
}

void RowPart::purge(uint64_t horizon) {
    const MutexLock one(purging_);
    purgeLeftKeys();
    for (;;) {
        std::unique_ptr<RowUndo> oldest;
        {
            const MutexLock lock(undoMutex_);
            if (undo_.empty() || undo_.begin()->first > horizon) return;
            oldest = std::move(undo_.begin()->second);
            undo_.erase(undo_.begin());
        }
        undoBytes_.fetch_sub(oldest->bytes(), std::memory_order_relaxed);
        // Newest first: older before-images of a row are unlinked with newer ones, while all are still there.
        for (auto undo = oldest->records.rbegin(); undo != oldest->records.rend(); ++undo) undo->page->cut(*undo);
        for (const RowKey& entry : oldest->superseded) eraseIfUnused(entry);
        for (const UndoRecord& undo : oldest->records) {
            if (undo.kind == RowChangeKind::Erase) purgeErased(undo.row);
        }
    }
}

// Removes the entries of an erased row that no reader sees any more, and frees its slot.
void RowPart::purgeErased(uint64_t row) {
    const std::shared_ptr<const Indexes> indexes = this->indexes();
    for (const auto& index : *indexes) {
        const LatchWriter latch(index->latch());
        RowCells cells;
        const RowPage::Newest newest = page(row).newest(slotOf(row), index->definition().columns, cells);
        if (!newest.isLive) index->erase(index->keyOf(cells), row);
    }
    if (page(row).vacate(slotOf(row))) freeSlot(row);
}

void RowPart::load(uint64_t number, const RowEdits& edits) {
    addColumns(edits.columns);
    const RowColumns columns = this->columns();
    for (const RowChange& change : edits.changes) {
        if (change.row >= kMaxRows) throw SystemError("The log names a row that no table has.");
        {
            const WriterLock lock(mutex_);
            while (pages_.size() <= change.row / kPageRows)
                pages_.push_back(std::make_unique<RowPage>(columns_, slots_));
            endOfRows_ = std::max(endOfRows_, change.row + 1);
        }
        std::vector<RowCell> cells;
        for (size_t i = 0; i < change.cells.size(); ++i) cells.push_back(change.cells[i]);
        page(change.row).load(slotOf(change.row), change.kind, number, columns, change.columns, cells);
    }
}

void RowPart::loadPages(const RowColumns& columns, size_t count,
                        const std::function<int(size_t page, RowPage& to)>& load) {
    addColumns(columns);
    std::vector<std::unique_ptr<RowPage>> pages(count);
    std::vector<int> used(count);
    parallelFor(static_cast<int64_t>(count), [&](int64_t i) {
        const auto page = static_cast<size_t>(i);
        pages[page] = std::make_unique<RowPage>(columns, slots_);
        used[page] = load(page, *pages[page]);
    });
    const WriterLock lock(mutex_);
    CHECK(pages_.empty()) << "images come before all changes";
    pages_ = std::move(pages);
    for (size_t page = 0; page < count; ++page) {
        if (used[page] > 0) endOfRows_ = page * kPageRows + static_cast<uint64_t>(used[page]);
    }
}

void RowPart::endLoad() {
    const WriterLock lock(mutex_);
    freeSlots_.clear();
    for (uint64_t row = endOfRows_; row > 0; --row) {
        if (pages_[(row - 1) / kPageRows]->vacate(slotOf(row - 1))) freeSlots_.push_back(row - 1);
    }
}

std::vector<uint64_t> RowPart::versionedRows() const {
    const ReaderLock lock(mutex_);
    std::vector<uint64_t> rows(endOfRows_);
    std::iota(rows.begin(), rows.end(), uint64_t{0});
    return rows;
}

std::shared_ptr<RowKeyIndex> RowPart::filled(const RowIndexDefinition& definition, uint64_t validFrom) const {
    auto index = std::make_shared<RowKeyIndex>(definition, columns(), validFrom);
    const LatchWriter latch(index->latch());
    for (const uint64_t row : versionedRows()) {
        // Older versions get no entries, which nothing would remove with them: their readers do not use the index.
        RowCells now;
        const bool isLive = page(row).newest(slotOf(row), definition.columns, now).isLive;
        if (isLive && definition.isUnique && !index->hasNull(now) &&
            judge(index, index->keyOf(now), 0, row).outcome == RowOutcome::Duplicate) {
            throw UserError(
                "<DuplicateKey>The unique index " + definition.name + " cannot be made: two rows have one key.",
                "Delete or change one of them.");
        }
        if (isLive) index->add(index->keyOf(now), row);
    }
    return index;
}

void RowPart::setIndexes(const std::vector<RowIndexDefinition>& definitions, uint64_t number) {
    const std::shared_ptr<const Indexes> before = indexes();
    auto after = std::make_shared<Indexes>();
    for (const RowIndexDefinition& definition : definitions) {
        const auto same = std::find_if(before->begin(), before->end(),
                                       [&](const auto& index) { return index->definition() == definition; });
        after->push_back(same != before->end() ? *same : filled(definition, number));
    }
    const WriterLock lock(mutex_);
    indexes_ = std::move(after);
}

std::vector<std::string> RowPart::check() const {
    const MutexLock noPurge(purging_);
    std::vector<std::string> wrong;
    const std::vector<uint64_t> rows = versionedRows();
    for (const auto& index : *indexes()) {
        const LatchReader latch(index->latch());
        for (const uint64_t row : rows) {
            std::vector<RowCells> versions;
            page(row).versions(slotOf(row), index->validFrom(), index->definition().columns, versions);
            for (const RowCells& cells : versions) {
                const std::vector<uint64_t> named = index->rowsWith(index->keyOf(cells));
                if (std::find(named.begin(), named.end(), row) == named.end())
                    wrong.push_back("the index " + index->definition().name + " lacks the row " + std::to_string(row));
            }
        }
        std::vector<RowKeyIndex::Entry> entries;
        index->entriesFrom("", 0, SIZE_MAX, entries);
        for (const RowKeyIndex::Entry& entry : entries) {
            if (entry.row < rows.size() && hasVersionWith(*index, entry.key, entry.row)) continue;
            wrong.push_back("the index " + index->definition().name + " has an entry for the row " +
                            std::to_string(entry.row) + ", which has no such key");
        }
    }
    return wrong;
}

}  // namespace pelorus
