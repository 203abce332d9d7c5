#include "storage/row_table/row_references.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "common/check.h"
#include "storage/row_table/row_table.h"

namespace pelorus {

namespace {

template <class T>
int64_t integerIn(RowCell cell) {
    T value;
    std::memcpy(&value, cell.data(), sizeof value);
    return value;
}

int64_t integerOf(Type type, RowCell cell) {
    if (type == Type::Short) return integerIn<int16_t>(cell);
    return type == Type::Int ? integerIn<int32_t>(cell) : integerIn<int64_t>(cell);
}

// Adds a number in a type. Returns false where it does not fit: the least of a type is NULL.
template <class T>
bool addAs(int64_t number, RowCells& cells) {
    if (number <= std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max()) return false;
    const T value = static_cast<T>(number);
    cells.add(RowCell(reinterpret_cast<const char*>(&value), sizeof value));
    return true;
}

bool addInteger(Type type, int64_t number, RowCells& cells) {
    if (type == Type::Short) return addAs<int16_t>(number, cells);
    return type == Type::Int ? addAs<int32_t>(number, cells) : addAs<int64_t>(number, cells);
}

bool meet(const std::vector<int>& a, const std::vector<int>& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](int column) { return std::find(b.begin(), b.end(), column) != b.end(); });
}

// Returns cells of some columns after others were written over them.
RowCells after(const RowCells& before, const std::vector<int>& columns, const std::vector<int>& written,
               const std::vector<RowCell>& cells) {
    RowCells now;
    for (size_t i = 0; i < columns.size(); ++i) {
        const auto at = std::find(written.begin(), written.end(), columns[i]);
        now.add(at == written.end() ? before[i] : cells[static_cast<size_t>(at - written.begin())]);
    }
    return now;
}

bool areSame(const RowCells& a, const RowCells& b) {
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i]) return false;
    return true;
}

}  // namespace

std::optional<RowCells> inTypesOf(const RowCells& cells, const RowColumns& from, const RowColumns& to) {
    if (from == to) return cells;
    RowCells converted;
    for (size_t i = 0; i < from.size(); ++i) {
        if (from[i] == to[i]) {
            converted.add(cells[i]);
            continue;
        }
        CHECK(isIntegral(from[i].type) && isIntegral(to[i].type)) << "other types of a foreign key are the same";
        if (!addInteger(to[i].type, integerOf(from[i].type, cells[i]), converted)) return std::nullopt;
    }
    return converted;
}

bool hasNullCell(const RowCells& cells, const RowColumns& types) {
    for (size_t i = 0; i < types.size(); ++i)
        if (isNullCell(types[i].type, cells[i])) return true;
    return false;
}

const TableReferences::Keys& TableReferences::own() {
    if (!own_) own_ = openOwn_();
    return *own_;
}

const TableReferences::Keys& TableReferences::referring() {
    if (!referring_) referring_ = openReferring_();
    return *referring_;
}

void TableReferences::inserted(uint64_t row) {
    for (const auto& key : own()) note_({key, row, nullptr});
}

std::vector<TableReferences::Before> TableReferences::before(const RowPart& part, const RowView& view, uint64_t row,
                                                             const std::vector<int>& columns, bool changesKey) {
    std::vector<Before> all;
    const bool erases = columns.empty();
    const auto add = [&](const auto& key, bool isParent, const std::vector<int>& watched) {
        if (!erases && !meet(watched, columns)) return;
        Before one{key, isParent, {}};
        if (part.read(row, view, watched, one.cells)) all.push_back(std::move(one));
    };
    // The order of PostgreSQL: what follows for the children, then the row's own parents.
    if (erases || changesKey)
        for (const auto& key : referring()) add(key, true, key->parentColumns);
    if (!erases)
        for (const auto& key : own()) add(key, false, key->childColumns);
    return all;
}

void TableReferences::changed(uint64_t row, std::vector<Before> before, const std::vector<int>& columns,
                              const std::vector<RowCell>& cells) const {
    const bool erases = columns.empty();
    for (Before& one : before) {
        const OpenForeignKey& key = *one.key;
        if (one.isParent && hasNullCell(one.cells, key.parentTypes)) continue;
        RowCells now;
        if (!erases) {
            now = after(one.cells, one.isParent ? key.parentColumns : key.childColumns, columns, cells);
            if (areSame(one.cells, now)) continue;
        }
        NotedChange change{one.key, row, nullptr};
        if (one.isParent) {
            change.values = std::make_unique<NotedChange::Values>();
            change.values->before = std::move(one.cells);
            change.values->after = std::move(now);
            change.values->isErased = erases;
        }
        note_(std::move(change));
    }
}

}  // namespace pelorus
