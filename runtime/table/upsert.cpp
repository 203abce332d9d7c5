// MemoryTable::upsert: rows replace those with the same key.
#include <algorithm>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "runtime/table/assign_rows.h"
#include "runtime/table/table.h"
#include "runtime/table/table_keys.h"

namespace pelorus {

namespace {

// The new rows that replace one row of the table, in their order: sources[begin … end).
struct TargetRow {
    int32_t row;
    size_t begin, end;
};
struct Targets {
    std::vector<TargetRow> rows;
    std::vector<int32_t> sources;
};

Targets byTarget(const std::vector<int32_t>& targets) {
    Targets result;
    std::vector<int32_t>& order = result.sources;
    order.resize(targets.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    if (!std::is_sorted(targets.begin(), targets.end())) {
        std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
            checkCancelled();
            return targets[static_cast<size_t>(a)] < targets[static_cast<size_t>(b)];
        });
    }
    for (size_t i = 0; i < order.size(); ++i) {
        const int32_t row = targets[static_cast<size_t>(order[i])];
        if (result.rows.empty() || result.rows.back().row != row) result.rows.push_back({row, i, i});
        result.rows.back().end = i + 1;
    }
    return result;
}

// Drops rows that are earlier than the row that they would replace.
void dropOutdated(Targets& targets, const Vector& known, const Vector& given) {
    for (TargetRow& target : targets.rows) {
        const bool isNew = target.row >= known.size();
        int64_t latest = isNew ? INT64_MIN : known.asLong(target.row);
        size_t end = target.begin;
        for (size_t i = target.begin; i < target.end; ++i) {
            const int32_t source = targets.sources[i];
            const int64_t time = given.asLong(source);
            if (time < latest) continue;
            latest = time;
            targets.sources[end++] = source;
        }
        target.end = end;
    }
}

// Values that replace others.
struct Replacement {
    size_t column;
    std::vector<int32_t> rows;
    Value elements;
};

// Returns the new row from which a cell is taken: the last, or the last that is not NULL; -1 for none.
int32_t sourceOf(const Targets& targets, const TargetRow& target, const Value& column, bool ignoreNull) {
    for (size_t i = target.end; i-- > target.begin;) {
        const int32_t source = targets.sources[i];
        if (!ignoreNull || !column.at(source).isNull()) return source;
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
        Targets targets = byTarget(keys.place(*this, keyColumns));
        CHECK(std::ssize(targets.sources) == keyColumns[0].size()) << "each given row has a target";
        if (!keys.timeColumn().empty()) {
            const int time = findColumn(keys.timeColumn());
            dropOutdated(targets, column(time).vector(), given[static_cast<size_t>(time)].vector());
        }
        const std::vector<TargetRow>& targetRows = targets.rows;
        const auto firstNew = std::partition_point(targetRows.begin(), targetRows.end(),
                                                   [&](const TargetRow& target) { return target.row < before; });
        UpsertReport report{.inserted = targetRows.end() - firstNew};
        std::vector<char> changed(static_cast<size_t>(firstNew - targetRows.begin()), 0);
        std::vector<Value> added;
        std::vector<Replacement> replacements;
        for (size_t c = 0; c < given.size(); ++c) {
            std::vector<int32_t> sources;
            inPieces(targetRows.end() - firstNew, [&](int64_t begin, int64_t end) {
                for (auto it = firstNew + begin; it != firstNew + end; ++it)
                    sources.push_back(sourceOf(targets, *it, given[c], ignoreNull));
            });
            added.push_back(gatherElements(given[c], sources.data(), static_cast<int64_t>(sources.size())));
            if (keys.contains(schema_[c].name)) continue;  // a replaced row has the key already
            std::vector<int32_t> replaced;
            sources.clear();
            for (auto it = targetRows.begin(); it != firstNew; ++it) {
                checkCancelled();
                const int32_t source = sourceOf(targets, *it, given[c], ignoreNull);
                if (source < 0) continue;
                changed[static_cast<size_t>(it - targetRows.begin())] = 1;
                replaced.push_back(it->row);
                sources.push_back(source);
            }
            if (replaced.empty()) continue;
            columns_[c].makeUnique();
            replacements.push_back({c, std::move(replaced),
                                    gatherElements(given[c], sources.data(), static_cast<int64_t>(sources.size()))});
        }
        for (const Replacement& r : replacements)
            CHECK(r.elements.size() == std::ssize(r.rows)) << "each replaced row has a new value";
        appendColumns(added);
        // From here on the request cannot be cancelled: rows would have old and new cells.
        const CancellationScope untilAllAreReplaced(nullptr);
        if (!replacements.empty()) ++changes_;
        for (const Replacement& r : replacements)
            assignRows(columns_[r.column], r.rows, r.elements, schema_[r.column].name);
        report.updated = std::count(changed.begin(), changed.end(), 1);
        return report;
    } catch (...) {
        keys.forgetRows();  // keys may stand for rows that never came
        throw;
    }
}

}  // namespace pelorus
