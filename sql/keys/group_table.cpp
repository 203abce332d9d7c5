#include "sql/keys/group_table.h"
#include "sql/plan/aggregate_plan.h"

#include <algorithm>
#include <cstring>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/widest.h"
#include "runtime/kernel/index/row_selection.h"

namespace pelorus {

// The largest range for direct lookup: 4 M groups of 4 bytes.
constexpr int64_t kDirectRange = int64_t{1} << 22;
constexpr int64_t kSmallRange = int64_t{1} << 16;
constexpr int64_t kPlacesPerRow = 32;
constexpr size_t kFewSlots = 1024;
constexpr size_t kSettled = 16;

GroupTable::GroupTable(const std::vector<Type>& keyTypes, KeyLookup lookup)
    : width_(keyTypes.size()),
      lookup_(lookup),
      packed_(keyTypes),
      form_(lookup == KeyLookup::Direct ? Form::Direct : Form::Word) {}

static uint64_t hashWord(uint64_t k) {
    k *= 0x9E3779B97F4A7C15ull;
    return k ^ (k >> 29);
}
static uint64_t hashWord(WideWord k) {
    uint64_t high = hashWord(static_cast<uint64_t>(static_cast<uint64_t>(k >> 64) + 0x632BE59BD9B4E019u));
    return hashWord(static_cast<uint64_t>(k) ^ high);
}
// The half of a hash that a slot holds above its group.
constexpr uint64_t kTag = 0xffffffff00000000;

namespace {

// Groups by numbers, and the numbers of the rows of a piece.
template <class W>
struct KnownWords {
    std::vector<W>& known;
    const W* rows;
    size_t size() const { return known.size(); }
    uint64_t hashOfGroup(size_t g) const { return hashWord(known[g]); }
    uint64_t hashOfRow(int64_t r) const { return hashWord(rows[r]); }
    void fetch(uint64_t g) const { __builtin_prefetch(&known[g]); }
    bool isEqual(uint64_t g, int64_t r) const { return known[g] == rows[r]; }
    bool repeats(int64_t r) const { return rows[r] == rows[r - 1]; }
    void add(int64_t r) { known.push_back(rows[r]); }
};

// Known groups, and the rows of a piece, with a word for each key.
struct KnownWide {
    std::vector<uint64_t>& known;
    const std::vector<std::vector<uint64_t>>& rows;
    size_t width;
    size_t size() const { return known.size() / width; }
    uint64_t hashOfGroup(size_t g) const {
        uint64_t hash = 0;
        for (size_t k = 0; k < width; ++k) hash = hashWord(hash ^ known[g * width + k]);
        return hash;
    }
    uint64_t hashOfRow(int64_t r) const {
        uint64_t hash = 0;
        for (const auto& key : rows) hash = hashWord(hash ^ key[static_cast<size_t>(r)]);
        return hash;
    }
    void fetch(uint64_t g) const { __builtin_prefetch(&known[g * width]); }
    bool isEqual(uint64_t g, int64_t r) const {
        bool isEqual = true;
        for (size_t k = 0; k < width; ++k) isEqual &= known[g * width + k] == rows[k][static_cast<size_t>(r)];
        return isEqual;
    }
    bool repeats(int64_t) const { return false; }
    void add(int64_t r) {
        for (const auto& key : rows) known.push_back(key[static_cast<size_t>(r)]);
    }
};

}  // namespace

// Rebuilds the slots, with capacity for as many groups again.
template <class Known>
void GroupTable::fillSlots(const Known& known) {
    size_t slots = std::max(slots_.size(), kFewSlots);
    // Reserves for all expected groups, once layouts no longer change with every piece.
    const size_t room = known.size() * kSettled >= expected_ ? std::max(known.size(), expected_) : known.size();
    while (room * 2 >= slots) slots *= 2;
    slots_.assign(slots, 0);
    for (size_t g = 0; g < known.size(); ++g) {
        const uint64_t hash = known.hashOfGroup(g);
        size_t s = hash & (slots - 1);
        while (slots_[s] != 0) s = (s + 1) & (slots - 1);
        slots_[s] = (hash & kTag) | (g + 1);
    }
}

template <class Known>
void GroupTable::assignHashed(Known& known, int64_t from, int64_t rows, int32_t* groups) {
    constexpr int64_t kFar = 16, kNear = 8;  // prefetch distances in rows: of a slot, and of the group in it
    if (slots_.empty()) fillSlots(known);
    constexpr size_t kCached = 1 << 14;  // groups that fit in a core's cache anyway
    size_t mask = slots_.size() - 1;
    hashes_.resize(static_cast<size_t>(rows));
    uint64_t* const hashes = hashes_.data();
    for (int64_t r = from; r < rows; ++r) hashes[r] = known.hashOfRow(r);
    for (int64_t r = from; r < rows; ++r) {
        if (known.size() > kCached) {
            if (r + kFar < rows) __builtin_prefetch(&slots_[hashes[r + kFar] & mask]);
            if (r + kNear < rows) {
                const uint64_t slot = slots_[hashes[r + kNear] & mask];
                if (slot != 0) known.fetch((slot & ~kTag) - 1);
            }
        }
        if (r > from && known.repeats(r)) {
            groups[r] = groups[r - 1];
            continue;
        }
        const uint64_t hash = hashes[r];
        size_t i = hash & mask;
        while (slots_[i] != 0 && (((slots_[i] ^ hash) & kTag) != 0 || !known.isEqual((slots_[i] & ~kTag) - 1, r)))
            i = (i + 1) & mask;
        if (slots_[i] != 0) {
            groups[r] = static_cast<int32_t>((slots_[i] & ~kTag) - 1);
            continue;
        }
        known.add(r);
        slots_[i] = (hash & kTag) | known.size();
        groups[r] = static_cast<int32_t>(known.size() - 1);
        if (known.size() * 2 > slots_.size()) {
            fillSlots(known);
            mask = slots_.size() - 1;
        }
    }
}

// Rows that are sorted by their keys, as in a sorted partition, need no lookup: keys above the last one are new.
// Returns how many rows came so.
template <class W>
int64_t GroupTable::assignAscending(std::vector<W>& known, const W* words, int64_t rows, int32_t* groups) {
    int64_t r = 0;
    if (known.empty()) known.push_back(words[0]);
    for (; r < rows; ++r) {
        if (words[r] != known.back()) {
            if (words[r] < known.back()) break;
            known.push_back(words[r]);
        }
        groups[r] = static_cast<int32_t>(known.size() - 1);
    }
    return r;
}

template <class W>
void GroupTable::assignWords(std::vector<W>& known, int64_t rows, int32_t* groups) {
    std::vector<W> words(static_cast<size_t>(rows));
    packed_.pack(words.data());
    int64_t r = 0;
    if (ascending_) {
        r = assignAscending(known, words.data(), rows, groups);
        ascending_ = r == rows;
    }
    if (r < rows) {
        KnownWords<W> all{known, words.data()};
        assignHashed(all, r, rows, groups);
    }
    size_ = static_cast<int64_t>(known.size());
}

void GroupTable::assignWide(int64_t rows, int32_t* groups) {
    std::vector<std::vector<uint64_t>> words(width_);
    for (size_t k = 0; k < width_; ++k) {
        words[k].resize(static_cast<size_t>(rows));
        packed_.packKey(k, words[k].data());
    }
    KnownWide all{wideWords_, words, width_};
    assignHashed(all, 0, rows, groups);
    size_ = static_cast<int64_t>(all.size());
}

void GroupTable::fillDirect() {
    directGroups_.assign(size_t{1} << packed_.bits(), -1);
    for (size_t g = 0; g < words_.size(); ++g) directGroups_[words_[g]] = static_cast<int32_t>(g);
}

void GroupTable::assignDirect(int64_t rows, int32_t* groups) {
    places_.resize(static_cast<size_t>(rows));
    const uint32_t* const places = places_.data();
    packed_.pack(places_.data());
    int32_t* const known = directGroups_.data();
    const bool allKnown = onWidest([=]() __attribute__((always_inline)) {
        int32_t signs = 0;
        for (int64_t r = 0; r < rows; ++r) {
            groups[r] = known[places[r]];
            signs |= groups[r];
        }
        return signs >= 0;
    });
    if (allKnown) return;
    for (int64_t r = 0; r < rows; ++r) {
        int32_t& g = known[places[r]];
        if (g < 0) {
            g = static_cast<int32_t>(size_++);
            words_.push_back(places[r]);
        }
        groups[r] = g;
    }
}

GroupTable::Form GroupTable::formFor(int bits) const {
    if (form_ == Form::Wide || bits > 128) return Form::Wide;
    // Making the table must cost less than the other ways of looking the rows up.
    const int64_t most = std::min(kDirectRange, std::max(kSmallRange, kPlacesPerRow * rowsSeen_));
    if (form_ == Form::Direct && bits < 32 && int64_t{1} << bits <= most) return Form::Direct;
    return bits <= 64 && form_ != Form::TwoWords ? Form::Word : Form::TwoWords;
}

void GroupTable::follow(const PackedKeys::Layout& before) {
    const Form form = formFor(packed_.bits());
    if (form == Form::Wide && form_ != Form::Wide) packed_.makeWide();
    if (form == form_ && packed_.layout() == before && !(form == Form::Direct && directGroups_.empty())) return;
    if (form_ == Form::Direct && form != Form::Direct) ascending_ = ascending_ && size_ == 0;
    slots_.clear();
    if (form == Form::Wide) {
        if (form_ != Form::Wide) {
            // Numbers of the old layout become one word for each key of the new one.
            const auto known = static_cast<size_t>(size_);
            wideWords_.resize(known * width_);
            for (size_t g = 0; g < known; ++g) {
                const WideWord word = form_ == Form::TwoWords ? twoWords_[g] : WideWord{words_[g]};
                packed_.unpackFrom(word, before, &wideWords_[g * width_]);
            }
            words_ = {};
            twoWords_ = {};
        }
        ascending_ = false;
    } else if (form == Form::TwoWords) {
        if (form_ != Form::TwoWords) twoWords_.assign(words_.begin(), words_.end());
        for (WideWord& word : twoWords_) word = packed_.repacked(word, before);
        words_ = {};
    } else {
        for (uint64_t& word : words_) word = packed_.repacked(word, before);
    }
    form_ = form;
    if (form == Form::Direct) {
        fillDirect();
    } else {
        directGroups_ = {};
    }
}

// Sets the mask where a value differs from its predecessor.
template <class T>
static void markChanges(const Vector& items, int64_t rows, int8_t* mask) {
    const T* item = items.data<T>();
    onWidest([=]() __attribute__((always_inline)) {
        for (int64_t i = 1; i < rows; ++i) mask[i] = static_cast<int8_t>(mask[i] | (item[i] != item[i - 1]));
    });
}

// Counts the runs of equal keys of the first rows; the mask marks their begins.
static int64_t markRuns(std::span<const Value> keys, int64_t rows, int8_t* mask) {
    std::memset(mask, 0, static_cast<size_t>(rows));
    mask[0] = 1;
    for (const Value& key : keys) {
        if (key.isScalar()) continue;
        switch (key.vector().width()) {
            case 1:
                markChanges<int8_t>(key.vector(), rows, mask);
                break;
            case 2:
                markChanges<int16_t>(key.vector(), rows, mask);
                break;
            case 4:
                markChanges<int32_t>(key.vector(), rows, mask);
                break;
            default:
                markChanges<int64_t>(key.vector(), rows, mask);
        }
    }
    return std::count(mask, mask + rows, int8_t{1});
}

// If runs of equal keys are long, as in sorted data, only the first row of each is looked up.
bool GroupTable::assignRuns(std::span<const Value> keys, int64_t rows, int32_t* groups) {
    constexpr int64_t kSampleRows = 1024;
    if (rows < 4 * kSampleRows || form_ == Form::Direct || packed_.hasCodes()) return false;
    Ref<Vector> begins = Vector::make(Type::Bool, rows);
    auto* mask = begins->mutableData<int8_t>();
    if (markRuns(keys, kSampleRows, mask) * 2 > kSampleRows || markRuns(keys, rows, mask) * 2 > rows) return false;
    std::vector<int32_t> positions(static_cast<size_t>(rows));
    const int64_t runs = chosenPositions(mask, rows, positions.data());
    std::vector<Value> firsts;
    for (const Value& key : keys)
        firsts.push_back(key.isScalar() ? key : Value::of(chosenElements(key.vector(), mask, positions.data(), runs)));
    std::vector<int32_t> groupOfRun(static_cast<size_t>(runs));
    assignRows(firsts, runs, groupOfRun.data(), {});
    const int32_t* group = groupOfRun.data() - 1;
    for (int64_t r = 0; r < rows; ++r) groups[r] = *(group += mask[r]);
    return true;
}

// Works in pieces: the words of a piece stay in the cache, and cancellation is checked.
void GroupTable::assign(std::span<const Value> keys, int64_t rows, int32_t* groups, std::span<const Value> digests) {
    const bool sliceable =
        std::all_of(keys.begin(), keys.end(), [](const Value& k) { return k.isScalar() || k.isTypedVector(); });
    if (!sliceable) return assignPiece(keys, rows, groups, digests);
    inPieces(rows, [&](int64_t begin, int64_t end) {
        const auto pieceOf = [&](std::span<const Value> columns) {
            std::vector<Value> piece;
            for (const Value& column : columns)
                piece.push_back(column.isScalar() ? column : Value::of(column.vector().slice(begin, end - begin)));
            return piece;
        };
        assignPiece(pieceOf(keys), end - begin, groups + begin, pieceOf(digests));
    });
}

void GroupTable::assignPiece(std::span<const Value> keys, int64_t rows, int32_t* groups,
                             std::span<const Value> digests) {
    if (rows == 0) return;
    if (width_ == 0) {
        std::fill(groups, groups + rows, 0);
        size_ = 1;
        return;
    }
    if (!assignRuns(keys, rows, groups)) assignRows(keys, rows, groups, digests);
}

void GroupTable::assignRows(std::span<const Value> keys, int64_t rows, int32_t* groups,
                            std::span<const Value> digests) {
    const PackedKeys::Layout before = packed_.layout();
    packed_.take(keys, rows, digests);
    rowsSeen_ += rows;
    follow(before);
    switch (form_) {
        case Form::Direct:
            return assignDirect(rows, groups);
        case Form::Word:
            return assignWords(words_, rows, groups);
        case Form::TwoWords:
            return assignWords(twoWords_, rows, groups);
        case Form::Wide:
            return assignWide(rows, groups);
    }
}

std::vector<Value> GroupTable::keys() const {
    std::vector<Value> result;
    for (size_t k = 0; k < width_; ++k) {
        switch (form_) {
            case Form::TwoWords:
                result.push_back(packed_.items(k, twoWords_));
                break;
            case Form::Wide: {
                std::vector<uint64_t> words;
                words.reserve(static_cast<size_t>(size_));
                for (size_t at = k; at < wideWords_.size(); at += width_) words.push_back(wideWords_[at]);
                result.push_back(packed_.itemsOfWords(k, std::move(words)));
                break;
            }
            default:
                result.push_back(packed_.items(k, words_));
        }
    }
    return result;
}

}  // namespace pelorus
