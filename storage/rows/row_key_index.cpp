#include "storage/rows/row_key_index.h"

#include <absl/container/btree_set.h>

#include <cstring>

#include "common/check.h"
#include "storage/rows/index_key.h"

namespace pelorus {
namespace {

constexpr size_t kInlineBytes = 16;

// An entry of the tree: the first 16 bytes of the key, or, where keys may be longer, the first 8 and the place of the
// whole key.
struct TreeEntry {
    uint64_t first = 0;
    union {
        uint64_t second = 0;
        const std::string* whole;
    };
    uint64_t row = 0;
};

uint64_t bigEndian(const std::string& key, size_t begin) {
    uint64_t bits = 0;
    for (size_t i = begin; i < begin + 8; ++i)
        bits = bits << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0);
    return bits;
}

struct Less {
    bool isInline;
    bool operator()(const TreeEntry& a, const TreeEntry& b) const {
        if (a.first != b.first) return a.first < b.first;
        if (isInline) {
            if (a.second != b.second) return a.second < b.second;
        } else if (const int order = a.whole->compare(*b.whole); order != 0) {
            return order < 0;
        }
        return a.row < b.row;
    }
};

bool fitsInline(const std::vector<RowColumn>& columns) {
    size_t total = 0;
    for (const RowColumn& column : columns) {
        const size_t part = keyPartBytes(column);
        if (part == 0) return false;
        total += part;
    }
    return total <= kInlineBytes;
}

std::vector<RowColumn> columnsOf(const RowIndexDefinition& definition, const RowColumns& all) {
    std::vector<RowColumn> columns;
    for (const int column : definition.columns) columns.push_back(all[static_cast<size_t>(column)]);
    return columns;
}

}  // namespace

struct RowKeyIndex::Entries {
    explicit Entries(const std::vector<RowColumn>& columns)
        : isInline(fitsInline(columns)), keyBytes(0), tree(Less{isInline}) {
        for (const RowColumn& column : columns) keyBytes += keyPartBytes(column);
    }
    ~Entries() {
        if (isInline) return;
        for (const TreeEntry& entry : tree) delete entry.whole;
    }
    // Returns an entry to compare with those of the tree; it refers to `key`.
    TreeEntry probe(const std::string& key, uint64_t row) const {
        TreeEntry entry;
        entry.first = bigEndian(key, 0);
        if (isInline)
            entry.second = bigEndian(key, 8);
        else
            entry.whole = &key;
        entry.row = row;
        return entry;
    }
    std::string keyOf(const TreeEntry& entry) const {
        if (!isInline) return *entry.whole;
        std::string key;
        for (const uint64_t part : {entry.first, entry.second}) {
            for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(part >> shift));
        }
        key.resize(keyBytes);
        return key;
    }

    const bool isInline;
    size_t keyBytes;  // of inline keys
    absl::btree_set<TreeEntry, Less> tree;
};

RowKeyIndex::RowKeyIndex(RowIndexDefinition definition, const RowColumns& columns, uint64_t validFrom)
    : definition_(std::move(definition)),
      validFrom_(validFrom),
      columns_(columnsOf(definition_, columns)),
      entries_(std::make_unique<Entries>(columns_)) {}

RowKeyIndex::~RowKeyIndex() = default;

std::string RowKeyIndex::keyOf(const RowCells& cells) const {
    CHECK(cells.size() <= columns_.size()) << "a key has the index's columns, or the first ones";
    std::string key;
    for (size_t i = 0; i < cells.size(); ++i) appendKeyPart(columns_[i], cells[i], key);
    return key;
}

bool RowKeyIndex::hasNull(const RowCells& cells) const {
    for (size_t i = 0; i < cells.size(); ++i) {
        if (isNullCell(columns_[i].type, cells[i])) return true;
    }
    return false;
}

bool RowKeyIndex::add(const std::string& key, uint64_t row) {
    TreeEntry entry = entries_->probe(key, row);
    if (entries_->isInline) return entries_->tree.insert(entry).second;
    if (entries_->tree.contains(entry)) return false;
    auto owned = std::make_unique<const std::string>(key);
    entry.whole = owned.get();
    entries_->tree.insert(entry);
    owned.release();
    return true;
}

void RowKeyIndex::erase(const std::string& key, uint64_t row) {
    const auto at = entries_->tree.find(entries_->probe(key, row));
    if (at == entries_->tree.end()) return;
    const std::string* owned = entries_->isInline ? nullptr : at->whole;
    entries_->tree.erase(at);
    delete owned;
}

std::vector<uint64_t> RowKeyIndex::rowsWith(const std::string& key) const {
    std::vector<uint64_t> rows;
    const TreeEntry probe = entries_->probe(key, 0);
    for (auto at = entries_->tree.lower_bound(probe); at != entries_->tree.end(); ++at) {
        TreeEntry same = probe;
        same.row = at->row;
        const Less less{entries_->isInline};
        if (less(same, *at) || less(*at, same)) break;
        rows.push_back(at->row);
    }
    return rows;
}

void RowKeyIndex::entriesFrom(const std::string& key, uint64_t row, size_t limit, std::vector<Entry>& entries) const {
    for (auto at = entries_->tree.lower_bound(entries_->probe(key, row)); at != entries_->tree.end() && limit > 0;
         ++at, --limit)
        entries.push_back({entries_->keyOf(*at), at->row});
}

bool RowKeyIndex::rowsBetween(std::string& key, uint64_t& row, const std::string* high, size_t limit,
                              std::vector<uint64_t>& rows) const {
    const Less less{entries_->isInline};
    TreeEntry end;
    if (high != nullptr) end = entries_->probe(*high, 0);
    auto at = entries_->tree.lower_bound(entries_->probe(key, row));
    for (; limit > 0; --limit, ++at) {
        if (at == entries_->tree.end() || (high != nullptr && !less(*at, end))) return false;
        rows.push_back(at->row);
    }
    if (at == entries_->tree.end()) return false;
    key = entries_->keyOf(*at);
    row = at->row;
    return true;
}

size_t RowKeyIndex::size() const {
    return entries_->tree.size();
}

}  // namespace pelorus
