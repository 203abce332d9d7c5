#include "sql/operators/late_columns.h"

#include <algorithm>
#include <numeric>

#include "common/check.h"
#include "common/thread/thread_pool.h"

namespace pelorus {

Ref<MemoryTable> fetchRows(const TableScan& scan, const std::vector<RowPlace>& places,
                           const std::vector<RowItem>& items, Context& context) {
    std::vector<int32_t> byPlace(places.size());
    std::iota(byPlace.begin(), byPlace.end(), 0);
    std::sort(byPlace.begin(), byPlace.end(),
              [&](int32_t a, int32_t b) { return places[static_cast<size_t>(a)] < places[static_cast<size_t>(b)]; });
    const auto at = [&](size_t i) -> const RowPlace& { return places[static_cast<size_t>(byPlace[i])]; };
    std::vector<size_t> begins;  // of the rows of each block in that list
    for (size_t i = 0; i < byPlace.size(); ++i) {
        if (i == 0 || at(i).morsel != at(i - 1).morsel || at(i).block != at(i - 1).block) begins.push_back(i);
    }
    begins.push_back(byPlace.size());
    std::vector<std::vector<Value>> blocks(begins.size() - 1);
    parallelFor(std::ssize(blocks), [&](int64_t number) {
        Context worker = context;
        worker.callDepth = 0;
        worker.checkCancelled();
        const auto b = static_cast<size_t>(number);
        const RowPlace& first = at(begins[b]);
        const PartitionReader& reader = *scan.morsel(first.morsel).reader;
        std::vector<int32_t> rows;
        for (size_t i = begins[b]; i < begins[b + 1]; ++i) rows.push_back(at(i).row);
        Batch batch(reader, first.block, first.morsel, selectionOf(std::move(rows), reader.blockRows(first.block)));
        for (const RowItem& item : items) blocks[b].push_back(batch.evaluate(item.value, worker));
    });
    // Permutation from the order of places to that of the result.
    std::vector<int32_t> rank(byPlace.size());
    for (size_t i = 0; i < byPlace.size(); ++i) rank[static_cast<size_t>(byPlace[i])] = static_cast<int32_t>(i);
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < items.size(); ++i) {
        Value column = MemoryTable::empty({items[i].schema()}, std::ssize(places))->column(0);
        for (const std::vector<Value>& block : blocks) appendElements(column, block[i]);
        CHECK(column.size() == std::ssize(places)) << "each place gives one value";
        result->setColumn(items[i].name, gatherElements(column, rank.data(), std::ssize(rank)));
    }
    return result;
}

}  // namespace pelorus
