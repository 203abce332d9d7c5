#include "postgres/change/kept_inserts.h"

#include <algorithm>
#include <utility>

#include "postgres/change/key_check.h"
#include "postgres/change/store_rows.h"
#include "runtime/table/value_bytes.h"

namespace pelorus::postgres {

namespace {

std::vector<Value> columnsOf(const MemoryTable& rows, const std::vector<std::string>& names) {
    std::vector<Value> columns;
    for (const std::string& name : names) columns.push_back(*rows.column(name));
    return columns;
}

bool isOfTable(const TargetTable& a, const TargetTable& b) {
    return a.database == b.database && a.name == b.name;
}

}  // namespace

// Adds the keys of rows to those that are known. They are forgotten where one repeats, and collected anew when needed.
void KeptInserts::addKeys(const TargetTable& target, const MemoryTable& rows) {
    const std::vector<std::string> names = keyColumns(target);
    if (names.empty()) return;
    const std::string table = target.database + '\n' + target.name;
    const std::vector<Value> added = columnsOf(rows, names);
    auto known = keys_.find(table);
    if (known == keys_.end()) {
        std::vector<Type> types;
        for (const Value& column : added) types.push_back(column.type());
        known = keys_.emplace(table, CompositeKeyIndex(types)).first;
        for (const Part& part : parts_)
            if (isOfTable(*part.target, target)) known->second.insertAll(columnsOf(*part.rows, names));
    }
    const int64_t before = known->second.size();
    known->second.insertAll(added);
    if (known->second.size() == before + rows.rowCount()) return;
    keys_.erase(known);
    refuseKey(target.name);
}

void KeptInserts::add(const std::shared_ptr<const TargetTable>& target, const Ref<MemoryTable>& rows) {
    addKeys(*target, *rows);
    const size_t fixed = savepoints_.empty() ? 0 : savepoints_.back();
    const bool follows = parts_.size() > fixed && isOfTable(*parts_.back().target, *target) &&
                         parts_.back().target->columns.size() == target->columns.size();
    if (follows) {
        parts_.back().rows->append(*rows);
    } else {
        parts_.push_back({target, rows});
    }
}

bool KeptInserts::has(std::string_view schema, std::string_view table) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const Part& part) { return part.target->schema == schema && part.target->name == table; });
}

int64_t KeptInserts::bytes() const {
    int64_t bytes = 0;
    for (const Part& part : parts_) bytes += memoryBytesOf(Value::of(Ref<Table>(part.rows)));
    return bytes;
}

void KeptInserts::savepoint() {
    savepoints_.push_back(parts_.size());
}

void KeptInserts::release(size_t count) {
    if (savepoints_.size() > count) savepoints_.resize(count);
}

void KeptInserts::rollbackTo(size_t count) {
    if (count == 0 || savepoints_.size() < count) return;
    savepoints_.resize(count);
    parts_.resize(savepoints_.back());
    keys_.clear();
}

void KeptInserts::commit(Context& context, Transaction* with) {
    std::vector<Part> parts = std::exchange(parts_, {});
    drop();
    std::vector<RowsOfTarget> rows;
    for (Part& part : parts) {
        const auto known = std::find_if(rows.begin(), rows.end(), [&](const RowsOfTarget& other) {
            return isOfTable(*other.target, *part.target);
        });
        if (known == rows.end()) {
            rows.push_back({std::move(part.target), std::move(part.rows)});
        } else {
            known->rows->append(*part.rows);
        }
    }
    storeRows(rows, context, with);
}

void KeptInserts::drop() {
    parts_.clear();
    keys_.clear();
    savepoints_.clear();
}

}  // namespace pelorus::postgres
