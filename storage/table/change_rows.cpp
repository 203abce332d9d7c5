// Changes rows that a snapshot showed: whole partitions are replaced as one transaction.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "common/error.h"
#include "runtime/append/script_transaction.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/table_keys.h"
#include "storage/catalog/sort_rule.h"
#include "storage/commit/write_batch.h"
#include "storage/table/local_table.h"

namespace pelorus {

std::string CatalogTable::chunkPathOf(const PartitionEntry& partition) const {
    return partition.path.substr(partitionPath("").size());
}

// Maps chunk paths to positions in the snapshot's list.
std::unordered_map<std::string, size_t> CatalogTable::positionsOf(const TableSnapshot& snapshot) const {
    std::unordered_map<std::string, size_t> positions;
    for (size_t p = 0; p < snapshot.partitions().size(); ++p)
        positions.emplace(chunkPathOf(snapshot.partitions()[p]), p);
    return positions;
}

bool CatalogTable::replace(const TableSnapshot& seen,
                           const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) {
    if (!entry().rowTable) ScriptTransaction::refuse("A change of rows of the table of columns " + name);
    const TableEntry now = checkExists();
    std::vector<ReplacedChunk> chunks;
    for (const auto& [position, rows] : partitions) {
        const PartitionEntry& partition = seen.partitions()[position];
        chunks.push_back({{entry().id, chunkPathOf(partition), partition.index, withOwnColumns(*rows)}, position});
    }
    return replaceChunks(std::move(chunks), seen, now);
}

// Every partition that loses or gains rows is written in one transaction: its remaining rows, then the new
// ones.
bool CatalogTable::replaceAndMove(const TableSnapshot& seen,
                                  const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) {
    if (!entry().rowTable) ScriptTransaction::refuse("A change of rows of the table of columns " + name);
    const TableEntry now = checkExists();
    const SortRule rule = sortRuleOf(entry());
    if (rule.keep != SortRule::Keep::All) {
        throw UserError(fmt::format("The partition columns of {} can't be updated: rows with one key replace each "
                                    "other, and none shall be lost.",
                                    name),
                        "Delete the rows and append them with the new values.");
    }
    std::map<std::string, ReplacedChunk> changed;
    std::vector<ChunkRows> moved;
    for (const auto& [position, rows] : partitions) {
        const PartitionEntry& partition = seen.partitions()[position];
        const std::string path = chunkPathOf(partition);
        changed[path] = {{entry().id, path, partition.index, MemoryTable::empty(entry().storedSchema())}, position};
        PartitionedRows cut = placed(*withOwnColumns(*rows));
        if (cut.report.outsideScheme > 0) {
            throw UserError(fmt::format("No partition takes {} of the updated rows; the first is {}. Nothing was "
                                        "written.",
                                        cut.report.outsideScheme, cut.report.firstOutside),
                            "Extend the partition scheme first.");
        }
        for (ChunkRows& chunk : cut.chunks) {
            if (chunk.path == path) {
                changed[path].rows.rows = std::move(chunk.rows);
            } else {
                moved.push_back(std::move(chunk));
            }
        }
    }
    const std::unordered_map<std::string, size_t> positions = positionsOf(seen);
    for (const ChunkRows& chunk : moved) {
        auto [at, isNew] = changed.try_emplace(chunk.path, ReplacedChunk{chunk, std::nullopt});
        Ref<MemoryTable>& rows = at->second.rows.rows;
        if (isNew) {
            const auto known = positions.find(chunk.path);
            if (known != positions.end()) at->second.position = known->second;
            rows = known == positions.end() ? MemoryTable::empty(entry().storedSchema())
                                            : withOwnColumns(*readRows(*seen.open(known->second), columns()));
        }
        rows = rows->copy();
        rows->append(*chunk.rows);
        if (rule.isOrdered()) rows = ordered(rows, rule);
    }
    std::vector<ReplacedChunk> chunks;
    for (auto& [path, chunk] : changed) chunks.push_back(std::move(chunk));
    return replaceChunks(std::move(chunks), seen, now);
}

// A partition is read, changed and replaced; those that have no rows yet are made in the same transaction. When another
// client changed a partition meanwhile, all is repeated on its new state.
UpsertReport CatalogTable::upsert(const MemoryTable& given, const UpsertRule& rule) {
    ScriptTransaction::refuse("An upsert of rows of the table of columns " + name);
    std::vector<std::string> key = rule.keyColumns;
    for (const std::string& name : partitionColumns()) {
        if (std::find(key.begin(), key.end(), name) == key.end()) key.push_back(name);
    }
    const auto checkColumns = [&](const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            if (findColumn(name) < 0) throw unknownColumn(name, columns());
        }
    };
    checkColumns(key);
    checkColumns(rule.sortColumns);
    for (;;) {
        const TableEntry now = checkExists();
        const auto seen = takeSnapshot();
        const auto positions = positionsOf(*seen);
        PartitionedRows cut = placed(*withOwnColumns(given));
        UpsertReport report;
        std::vector<ReplacedChunk> changed;
        for (const ChunkRows& chunk : cut.chunks) {
            const auto at = positions.find(chunk.path);
            const bool isNew = at == positions.end();
            Ref<MemoryTable> rows =
                isNew ? MemoryTable::empty(columns()) : readRows(*seen->open(at->second), columns());
            TableKeys keys(key, "", false);
            const UpsertReport own = rows->upsert(*chunk.rows, keys, rule.ignoreNull);
            report.inserted += own.inserted;
            report.updated += own.updated;
            if (!isNew && !rule.sortColumns.empty()) {
                SortRule order;
                for (const std::string& name : rule.sortColumns) order.columns.push_back(findColumn(name));
                rows = ordered(std::move(rows), order);
            } else if (isNew && sortRuleOf(entry()).isOrdered()) {
                rows = ordered(std::move(rows), sortRuleOf(entry()));
            }
            changed.push_back({{entry().id, chunk.path, chunk.index, withOwnColumns(*rows)},
                               isNew ? std::nullopt : std::optional(at->second)});
        }
        if (replaceChunks(std::move(changed), *seen, now)) return report;
    }
}

}  // namespace pelorus
