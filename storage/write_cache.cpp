#include "storage/write_cache.h"

#include <algorithm>

namespace pelorus {

bool sameColumns(const TableSchema& a, const TableSchema& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ColumnSchema& x, const ColumnSchema& y) {
        return x.name == y.name && x.type == y.type && x.scale == y.scale;
    });
}

static Ref<MemoryTable> concatenate(const ChunkPart* parts, size_t count, const MemoryTable& last) {
    int64_t total = last.rowCount();
    for (size_t i = 0; i < count; ++i) total += parts[i].rowCount;
    Ref<MemoryTable> all = MemoryTable::empty(last.columns(), total);
    for (size_t i = 0; i < count; ++i) all->append(*parts[i].rows);
    all->append(last);
    return all;
}

void appendToWriteCache(ChunkVersion& version, Ref<MemoryTable> rows) {
    int64_t run = rows->rowCount();
    version.rowCount += run;
    version.cachedRows += run;
    size_t first = version.parts.size();
    while (first > 0) {
        const ChunkPart& before = version.parts[first - 1];
        if (!before.rows || before.rowCount >= 2 * run || before.rowCount + run > format::kBlockRows) break;
        if (!sameColumns(before.rows->columns(), rows->columns())) break;
        run += before.rowCount;
        --first;
    }
    if (first < version.parts.size()) {
        rows = concatenate(&version.parts[first], version.parts.size() - first, *rows);
        version.parts.resize(first);
    }
    version.parts.push_back({nullptr, std::move(rows), run});
}

}  // namespace pelorus
