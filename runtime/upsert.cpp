// Rows that replace those with the same key: MemoryTable::upsert.
#include <algorithm>

#include "runtime/kernel/assign_rows.h"
#include "runtime/table.h"
#include "runtime/table_keys.h"

namespace pelorus {

namespace {

// The given rows that go to one row of the table, in the order given.
struct TargetRow {
    int32_t row;
    std::vector<int32_t> sources;
};

std::vector<TargetRow> byTarget(const std::vector<int32_t>& targets) {
    std::vector<int32_t> order(targets.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return targets[static_cast<size_t>(a)] < targets[static_cast<size_t>(b)];
    });
    std::vector<TargetRow> result;
    for (const int32_t source : order) {
        const int32_t row = targets[static_cast<size_t>(source)];
        if (result.empty() || result.back().row != row) result.push_back({row, {}});
        result.back().sources.push_back(source);
    }
    return result;
}

// Leaves the rows that are not earlier than what the row holds when they arrive.
void dropOutdated(std::vector<TargetRow>& targets, const Vector& known, const Vector& given) {
    for (TargetRow& target : targets) {
        const bool isNew = target.row >= known.size();
        int64_t latest = isNew ? INT64_MIN : known.asLong(target.row);
        std::vector<int32_t> kept;
        for (const int32_t source : target.sources) {
            const int64_t time = given.asLong(source);
            if (time < latest) continue;
            latest = time;
            kept.push_back(source);
        }
        target.sources = std::move(kept);
    }
}

// Which of the given rows a cell is taken from: the last, or the last that is not NULL; -1 for none.
int32_t sourceOf(const TargetRow& target, const Value& column, bool ignoreNull) {
    for (auto it = target.sources.rbegin(); it != target.sources.rend(); ++it) {
        if (!ignoreNull || !column.at(*it).isNull()) return *it;
    }
    return -1;
}

}  // namespace

UpsertReport MemoryTable::upsert(const MemoryTable& rows, TableKeys& keys, bool ignoreNull) {
    const std::vector<Value> given = convertedColumns(rows);
    std::vector<Value> keyColumns;
    for (const std::string& name : keys.columns()) {
        keyColumns.push_back(given[static_cast<size_t>(findColumn(name))]);
    }
    const auto before = static_cast<int32_t>(rowCount());
    try {
        std::vector<TargetRow> targets = byTarget(keys.place(*this, keyColumns));
        if (!keys.timeColumn().empty()) {
            const int time = findColumn(keys.timeColumn());
            dropOutdated(targets, column(time).vector(), given[static_cast<size_t>(time)].vector());
        }
        const auto firstNew = std::partition_point(targets.begin(), targets.end(),
                                                   [&](const TargetRow& target) { return target.row < before; });
        UpsertReport report{.inserted = targets.end() - firstNew};
        std::vector<char> changed(static_cast<size_t>(firstNew - targets.begin()), 0);
        std::vector<Value> added;
        for (size_t c = 0; c < given.size(); ++c) {
            std::vector<int32_t> sources;
            for (auto it = firstNew; it != targets.end(); ++it) sources.push_back(sourceOf(*it, given[c], ignoreNull));
            added.push_back(gatherItems(given[c], sources.data(), static_cast<int64_t>(sources.size())));
            if (keys.contains(schema_[c].name)) continue;  // a replaced row has the key already
            std::vector<int32_t> replaced;
            sources.clear();
            for (auto it = targets.begin(); it != firstNew; ++it) {
                const int32_t source = sourceOf(*it, given[c], ignoreNull);
                if (source < 0) continue;
                changed[static_cast<size_t>(it - targets.begin())] = 1;
                replaced.push_back(it->row);
                sources.push_back(source);
            }
            if (replaced.empty()) continue;
            columns_[c].makeUnique();
            assignRows(columns_[c], replaced,
                       gatherItems(given[c], sources.data(), static_cast<int64_t>(sources.size())), schema_[c].name);
        }
        appendColumns(added);
        report.updated = std::count(changed.begin(), changed.end(), 1);
        return report;
    } catch (...) {
        keys.forgetRows();  // keys may stand for rows that never came
        throw;
    }
}

}  // namespace pelorus
