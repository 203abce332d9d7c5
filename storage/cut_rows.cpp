// Rows of an append to rows per partition.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "common/thread_pool.h"
#include "runtime/format/print.h"
#include "storage/local_table.h"

namespace pelorus {

namespace {

// Where each partition's rows are: positions ordered by partition, within one in the order of arrival.
struct Grouping {
    std::vector<int64_t> partitions;  // ascending
    std::vector<int64_t> begins;      // into positions, one more than partitions
    std::vector<int32_t> positions;
    bool inOrder = true;  // positions are 0, 1, 2 …: partitions are slices of the table
};

Grouping group(const std::vector<int64_t>& partitionOf) {
    // Distinct partitions in runs: a look-up per run, not per row.
    std::unordered_map<int64_t, int32_t> numbers;
    std::vector<int64_t> distinct;
    std::vector<int64_t> counts;
    std::vector<int32_t> numberOf(partitionOf.size());
    for (size_t i = 0; i < partitionOf.size(); ++i) {
        const int64_t partition = partitionOf[i];
        if (partition < 0) {
            numberOf[i] = -1;
            continue;
        }
        if (i > 0 && partition == partitionOf[i - 1]) {
            numberOf[i] = numberOf[i - 1];
        } else {
            const auto [it, added] = numbers.try_emplace(partition, static_cast<int32_t>(distinct.size()));
            if (added) {
                distinct.push_back(partition);
                counts.push_back(0);
            }
            numberOf[i] = it->second;
        }
        ++counts[static_cast<size_t>(numberOf[i])];
    }
    std::vector<int32_t> order(distinct.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return distinct[static_cast<size_t>(a)] < distinct[static_cast<size_t>(b)];
    });
    Grouping grouping;
    std::vector<int64_t> next(distinct.size());
    int64_t at = 0;
    for (const int32_t number : order) {
        grouping.partitions.push_back(distinct[static_cast<size_t>(number)]);
        grouping.begins.push_back(at);
        next[static_cast<size_t>(number)] = at;
        at += counts[static_cast<size_t>(number)];
    }
    grouping.begins.push_back(at);
    grouping.positions.resize(static_cast<size_t>(at));
    for (size_t i = 0; i < numberOf.size(); ++i) {
        if (numberOf[i] < 0) {
            grouping.inOrder = false;
            continue;
        }
        const int64_t place = next[static_cast<size_t>(numberOf[i])]++;
        grouping.inOrder = grouping.inOrder && place == static_cast<int64_t>(i);
        grouping.positions[static_cast<size_t>(place)] = static_cast<int32_t>(i);
    }
    return grouping;
}

std::string describeRow(int64_t i, const std::vector<std::string>& names, const std::vector<const Vector*>& columns) {
    std::string text = fmt::format("row {}:", i);
    for (size_t c = 0; c < names.size(); ++c) {
        text += fmt::format("{} {}={}", c > 0 ? "," : "", names[c], scalarText(columns[c]->at(i)));
    }
    return text;
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
        const Value& items = rows.column(static_cast<int>(column - table.schema.begin()));
        const PartitionFunction* function = functionOf(table.partitionFunctions, level);
        computed.push_back(function == nullptr ? items : function->keys(items));
        columns.push_back(&computed.back().vector());
    }
    std::vector<int64_t> partitionOf(static_cast<size_t>(n));
    scheme.place(columns, partitionOf.data());
    const Grouping grouping = group(partitionOf);
    cut.report.written = static_cast<int64_t>(grouping.positions.size());
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
