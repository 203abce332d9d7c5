#include "storage/version/write_cache.h"

#include <algorithm>

#include "common/check.h"
#include "runtime/memory/budget.h"
#include "runtime/value/array_vector.h"

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
    CHECK(all->rowCount() == total) << "concatenated runs keep all rows";
    return all;
}

static int64_t bytesOf(const Value& column) {
    if (column.isArrayVector()) {
        const ArrayVector& rows = column.arrayVector();
        return rows.size() * static_cast<int64_t>(sizeof(int32_t)) + rows.values()->size() * rows.values()->width();
    }
    if (!column.isTypedVector()) return 0;
    const Vector& elements = column.vector();
    int64_t bytes = elements.size() * elements.width();
    // The size of their arena would count the strings of other chunks, too.
    if (elements.type() == Type::String || elements.type() == Type::Blob) {
        for (int64_t i = 0; i < elements.size(); ++i) bytes += static_cast<int64_t>(elements.string(i).size());
    }
    return bytes;
}

int64_t appendToWriteCache(ChunkVersion& version, Ref<MemoryTable> rows) {
    CHECK(rows->rowCount() > 0) << "a commit adds rows";
    int64_t run = rows->rowCount();
    int64_t added = 0;
    for (int c = 0; c < rows->columnCount(); ++c) added += bytesOf(rows->column(c));
    int64_t bytes = added;
    version.rowCount += run;
    version.cachedRows += run;
    version.cachedBytes += added;
    size_t first = version.parts.size();
    while (first > 0) {
        const ChunkPart& before = version.parts[first - 1];
        if (!before.rows || before.rowCount >= 2 * run || before.rowCount + run > format::kBlockRows) break;
        if (!sameColumns(before.rows->columns(), rows->columns())) break;
        run += before.rowCount;
        bytes += before.cachedBytes;
        --first;
    }
    if (first < version.parts.size()) {
        try {
            rows = concatenate(&version.parts[first], version.parts.size() - first, *rows);
            version.parts.resize(first);
        } catch (const memory::OutOfMemory&) {
            // The commit is in the log and must be shown: as a separate run, which needs no memory.
            run = rows->rowCount();
            bytes = added;
        }
    }
    version.parts.push_back({nullptr, std::move(rows), run, bytes});
    return added;
}

}  // namespace pelorus
