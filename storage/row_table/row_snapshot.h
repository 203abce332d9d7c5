// Snapshots of row tables: their rows by pages, and by indexes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/append/indexed_snapshot.h"
#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"
#include "storage/row_table/index_choice.h"
#include "storage/rows/row_page.h"
#include "storage/version/version_set.h"

namespace pelorus {

class LocalStorage;
struct StoredRows;

// What snapshots of a row table share as long as its entry stays. Immutable.
struct RowShape {
    // `path` is that of the table's partition.
    RowShape(const TableEntry& entry, std::string path, bool showsEmptyTexts);

    const uint64_t table, revision;
    const TableSchema schema;         // under the stored names
    const std::vector<int> ordinals;  // of these columns in pages
    const std::vector<RowIndexDefinition> indexes;
    const std::vector<PartitionEntry> partitions;
    const bool showsEmptyTexts;  // see RowAccess
};

// A snapshot of a row table: by its Pin the before-images that it needs stay. Thread-safe.
class RowSnapshot final : public TableSnapshot, public IndexedSnapshot {
public:
    // It shows what `view` sees, or, where that has no number, what is visible at `pinned`; 0 is the newest number.
    RowSnapshot(std::shared_ptr<LocalStorage> storage, std::shared_ptr<const RowShape> shape, uint64_t pinned,
                const RowView& view);
    ~RowSnapshot() override;

    uint64_t number() const override { return view_.number; }
    const std::vector<PartitionEntry>& partitions() const override;
    bool isInSchemeOrder() const override { return true; }
    std::unique_ptr<PartitionReader> open(size_t partition) const override;
    std::unique_ptr<PartitionReader> find(size_t partition,
                                          const std::vector<ColumnConstraint>& constraints) const override;
    std::optional<Index> indexFor(const std::vector<ColumnConstraint>& constraints) const override;
    std::optional<std::vector<Value>> lookUp(const std::vector<ColumnConstraint>& equalities,
                                             const std::vector<int>& columns) const override;
    std::optional<std::vector<Value>> readFew(const std::vector<ColumnConstraint>& constraints,
                                              const std::vector<int>& columns) const override;

    const RowView& view() const { return view_; }
    // Returns the ids of rows that satisfy the constraints, and perhaps of others, as an index finds them, in order;
    // nothing when none finds few.
    std::optional<std::vector<uint64_t>> candidates(const std::vector<ColumnConstraint>& constraints) const;
    const std::shared_ptr<StoredRows>& rows() const { return rows_; }
    // Returns the revision of the entry whose columns the snapshot has.
    uint64_t revision() const { return shape_->revision; }

private:
    std::vector<ColumnConstraint> told(const std::vector<ColumnConstraint>& constraints) const;
    std::optional<IndexChoice> choose(const RowPart::Indexes& indexes,
                                      const std::vector<ColumnConstraint>& constraints) const;
    void makeIndexes() const;
    std::vector<Value> columnsOf(const std::vector<RowCells>& rows, const std::vector<int>& columns,
                                 size_t first) const;

    const std::shared_ptr<LocalStorage> storage_;
    const VersionSet::Pin pin_;
    const RowView view_;
    const std::shared_ptr<StoredRows> rows_;  // null: no row was ever written
    const std::shared_ptr<const RowShape> shape_;
};

}  // namespace pelorus
