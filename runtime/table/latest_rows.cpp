#include "runtime/table/latest_rows.h"

#include <algorithm>
#include <string>
#include <utility>

namespace pelorus {

namespace {

// Times of one column, or of a date and a time of the day.
class RowTimes {
public:
    using Time = std::pair<int64_t, int64_t>;

    RowTimes(const MemoryTable& table, const std::vector<std::string>& names, const std::vector<Value>& columns) {
        for (const std::string& name : names)
            columns_.push_back(&columns[static_cast<size_t>(table.findColumn(name))].vector());
    }
    Time at(int64_t row) const {
        return {partOf(*columns_[0], row), columns_.size() > 1 ? partOf(*columns_[1], row) : 0};
    }

private:
    static int64_t partOf(const Vector& column, int64_t row) {
        return column.isNullAt(row) ? null<int64_t> : column.asLong(row);
    }
    std::vector<const Vector*> columns_;
};

// What is known of a key while an append is looked through.
struct LatestOfKey {
    bool isKnown = false;  // by the table
    RowTimes::Time time;
    int32_t row = -1;  // of a new key: the row of the append that is kept so far
};

}  // namespace

std::vector<int32_t> latestRows(const MemoryTable& table, const TableKeys& keys, const std::vector<Value>& columns) {
    std::vector<Value> own, present;
    std::vector<Type> types;
    for (const std::string& name : keys.columns()) {
        own.push_back(columns[static_cast<size_t>(table.findColumn(name))]);
        types.push_back(own.back().type());
    }
    for (int c = 0; c < table.columnCount(); ++c) present.push_back(table.column(c));
    const RowTimes times(table, keys.latestBy(), columns), before(table, keys.latestBy(), present);
    const std::vector<int32_t> known = keys.find(table, own);
    CompositeKeyIndex index(types);
    const std::vector<int32_t> numbers = index.insertAll(own);
    std::vector<LatestOfKey> latest(static_cast<size_t>(index.size()));
    std::vector<int32_t> kept;
    for (size_t i = 0; i < numbers.size(); ++i) {
        LatestOfKey& key = latest[static_cast<size_t>(numbers[i])];
        const auto row = static_cast<int32_t>(i);
        const RowTimes::Time time = times.at(row);
        if (known[i] >= 0 && !key.isKnown) key = {true, before.at(known[i]), -1};
        if (key.isKnown) {
            if (time <= key.time) continue;
            key.time = time;
            kept.push_back(row);
        } else if (key.row < 0 || time > key.time) {
            key.row = row;
            key.time = time;
        }
    }
    for (const LatestOfKey& key : latest) {
        if (key.row >= 0) kept.push_back(key.row);
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

}  // namespace pelorus
