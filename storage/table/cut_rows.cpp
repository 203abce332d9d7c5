// Cuts the rows of an append by partition.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "common/check.h"
#include "common/thread/thread_pool.h"
#include "runtime/value/print.h"
#include "storage/commit/write_batch.h"
#include "storage/table/local_table.h"

namespace pelorus {

namespace {

// The rows of each partition: their positions ordered by partition, within one in the order of arrival.
struct Grouping {
    std::vector<int64_t> partitions;  // ascending
    std::vector<int64_t> begins;      // into positions, one more than partitions
    std::vector<int32_t> positions;   // empty where they would be 0, 1, 2 …
    bool inOrder = true;              // then partitions are slices of the table
};

// A run of adjacent rows of one partition.
struct Run {
    int64_t partition;
    int64_t begin, end;
};

std::vector<Run> runsOf(const std::vector<int64_t>& partitionOf) {
    std::vector<Run> runs;
    for (auto begin = partitionOf.begin(); begin < partitionOf.end();) {
        const auto end = std::find_if(begin, partitionOf.end(), [&](int64_t p) { return p != *begin; });
        runs.push_back({*begin, begin - partitionOf.begin(), end - partitionOf.begin()});
        begin = end;
    }
    return runs;
}

Grouping group(const std::vector<int64_t>& partitionOf) {
    const std::vector<Run> runs = runsOf(partitionOf);
    Grouping grouping;
    std::unordered_map<int64_t, int64_t> rowCounts;
    for (const Run& run : runs) {
        if (run.partition < 0) {
            grouping.inOrder = false;
            continue;
        }
        const auto [it, added] = rowCounts.try_emplace(run.partition, 0);
        it->second += run.end - run.begin;
        const bool follows = grouping.partitions.empty() || run.partition > grouping.partitions.back();
        grouping.inOrder = grouping.inOrder && added && follows;
        if (added) grouping.partitions.push_back(run.partition);
    }
    std::sort(grouping.partitions.begin(), grouping.partitions.end());
    int64_t at = 0;
    for (const int64_t partition : grouping.partitions) {
        grouping.begins.push_back(at);
        // The counts become the positions of the next rows.
        at += std::exchange(rowCounts[partition], at);
    }
    grouping.begins.push_back(at);
    if (grouping.inOrder) return grouping;
    grouping.positions.resize(static_cast<size_t>(at));
    for (const Run& run : runs) {
        if (run.partition < 0) continue;
        int64_t& place = rowCounts[run.partition];
        for (int64_t i = run.begin; i < run.end; ++i)
            grouping.positions[static_cast<size_t>(place++)] = static_cast<int32_t>(i);
    }
    return grouping;
}

std::string describeRow(int64_t i, const std::vector<std::string>& names, const std::vector<const Vector*>& columns) {
    std::string string = fmt::format("row {}:", i);
    for (size_t c = 0; c < names.size(); ++c) {
        string += fmt::format("{} {}={}", c > 0 ? "," : "", names[c], toString(columns[c]->at(i)));
    }
    return string;
}

void collectNewValues(PartitionedRows& cut, const PartitionScheme& scheme, const std::vector<const Vector*>& columns) {
    const auto n = static_cast<size_t>(columns[0]->size());
    for (size_t level = 0; level < columns.size(); ++level) {
        if (scheme.levels()[level].kind() != PartitionKind::Value) continue;
        std::vector<int32_t> own(n);
        scheme.levels()[level].place(*columns[level], own.data());
        PartitionLevel grown = scheme.levels()[level];
        for (size_t i = 0; i < n; ++i) {
            const auto row = static_cast<int64_t>(i);
            if (own[i] >= 0 || columns[level]->isNullAt(row)) continue;
            const Value value = columns[level]->at(row);
            if (grown.placeOne(value) >= 0) continue;
            grown.extend(value);
            cut.newValues.emplace_back(level, value);
        }
    }
}

}  // namespace

PartitionedRows cutByPartition(const MemoryTable& rows, const TableEntry& table, const PartitionScheme& scheme,
                               bool listNewValues) {
    PartitionedRows cut;
    const int64_t n = rows.rowCount();
    if (n == 0) return cut;
    if (scheme.levels().empty()) {
        cut.chunks.push_back({table.id, "/", {}, rows.slice(0, n)});
        cut.report.written = n;
        return cut;
    }
    std::vector<const Vector*> columns;
    std::vector<Value> computed;  // keys that columns point to
    for (size_t level = 0; level < table.partitionColumns.size(); ++level) {
        const std::string& name = table.partitionColumns[level];
        const auto column =
            std::find_if(table.schema.begin(), table.schema.end(), [&](const auto& c) { return c.name == name; });
        CHECK(column != table.schema.end()) << "a partition column is a column of its table";
        const Value& elements = rows.column(static_cast<int>(column - table.schema.begin()));
        const PartitionFunction* function = functionOf(table.partitionFunctions, level);
        computed.push_back(function == nullptr ? elements : function->keys(elements));
        columns.push_back(&computed.back().vector());
    }
    CHECK(columns.size() == scheme.levels().size()) << "a table has a column for each level of its scheme";
    std::vector<int64_t> partitionOf(static_cast<size_t>(n));
    scheme.place(columns, partitionOf.data());
    const Grouping grouping = group(partitionOf);
    CHECK(grouping.begins.back() <= n) << "a row belongs to one partition at most";
    cut.report.written = grouping.begins.back();
    cut.report.outsideScheme = n - cut.report.written;
    if (cut.report.outsideScheme > 0) {
        const auto first = std::find(partitionOf.begin(), partitionOf.end(), -1) - partitionOf.begin();
        cut.report.firstOutside = describeRow(first, table.partitionColumns, columns);
        if (listNewValues) collectNewValues(cut, scheme, columns);
    }
    cut.chunks.resize(grouping.partitions.size());
    parallelFor(static_cast<int64_t>(cut.chunks.size()), [&](int64_t i) {
        const auto at = static_cast<size_t>(i);
        const int64_t begin = grouping.begins[at];
        const int64_t count = grouping.begins[at + 1] - begin;
        ChunkRows& chunk = cut.chunks[at];
        chunk.table = table.id;
        chunk.index = scheme.unflatten(grouping.partitions[at]);
        chunk.path = scheme.path(chunk.index);
        chunk.rows =
            grouping.inOrder ? rows.slice(begin, count) : rows.gather(grouping.positions.data() + begin, count);
    });
    return cut;
}

}  // namespace pelorus
