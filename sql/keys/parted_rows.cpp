#include "sql/keys/parted_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/table/row_numbers.h"
#include "runtime/table/table.h"
#include "runtime/value/element_width.h"
#include "sql/keys/group_table.h"
#include "sql/keys/key_hash.h"
#include "sql/keys/row_pieces.h"

namespace pelorus {

namespace {

// Fewer rows are one part: they are in a cache anyway.
constexpr int64_t kMinRows = int64_t{1} << 15;
constexpr size_t kParts = 64;
constexpr int64_t kSampleRows = 8192;
// Rows of a part that several threads move.
constexpr int64_t kLargePart = int64_t{1} << 19;

bool isFlat(const Value& column) {
    return column.isScalar() || column.isTypedVector();
}

bool hasFixedWidth(const Value& column) {
    return column.isTypedVector() && storageOf(column.type()) != Storage::String &&
           storageOf(column.type()) != Storage::Boxed && storageOf(column.type()) != Storage::None;
}

Ref<Vector> likeVector(const Vector& items, int64_t size) {
    Ref<Vector> result = Vector::make(items.type(), size);
    result->setScale(items.scale());
    result->setMayHaveNull(items.mayHaveNull());
    return result;
}

Value sliced(const Value& column, int64_t begin, int64_t count) {
    return column.isScalar() ? column : Value::of(column.vector().slice(begin, count));
}

enum class Move : uint8_t { Gather, Scatter };

// Moves element order[i] of `items` to place i, or element i to place order[i], on all threads.
void moveByOrder(const Vector& items, const std::vector<int32_t>& order, char* target, Move move) {
    withWidth(items.width(), [&](auto zero) {
        using T = decltype(zero);
        const T* const from = items.data<T>();
        T* const to = reinterpret_cast<T*>(target);
        const int32_t* const places = order.data();
        forEachPiece(std::ssize(order), [=](int64_t begin, int64_t end) {
            if (move == Move::Gather) {
                for (int64_t i = begin; i < end; ++i) to[i] = from[places[i]];
            } else {
                for (int64_t i = begin; i < end; ++i) to[places[i]] = from[i];
            }
        });
    });
}

// Returns the ranges of a sample of rows at fixed places.
std::optional<KeyRanges> rangesOf(std::span<const Value> keys, int64_t rows) {
    std::vector<int32_t> positions;
    const int64_t step = std::max<int64_t>(1, rows / kSampleRows);
    for (int64_t i = 0; i < rows; i += step) positions.push_back(static_cast<int32_t>(i));
    const auto count = static_cast<int64_t>(positions.size());
    std::vector<Value> sample;
    for (const Value& key : keys) sample.push_back(key.isScalar() ? key : gatherElements(key, positions.data(), count));
    return KeyRanges::ofSample(sample, count);
}

// Returns the rank of each group, numbered as they were found, in ascending order of the keys.
std::vector<int32_t> ranksOf(const std::vector<Value>& keys, int64_t groups) {
    std::vector<OrderKey> order;
    for (const Value& key : keys) order.push_back({key});
    const std::vector<int32_t> sorted = sortPositions(order, groups);
    std::vector<int32_t> ranks(sorted.size());
    for (size_t i = 0; i < sorted.size(); ++i) ranks[static_cast<size_t>(sorted[i])] = static_cast<int32_t>(i);
    return ranks;
}

// Lists the rows group by group: a counting sort, which keeps the order of `sorted`, or of the rows where that is
// empty.
void listGroups(PartedRows::Part& part, const std::vector<int32_t>& groupOf, const std::vector<int32_t>& sorted,
                int64_t groups) {
    part.groupBegin.assign(static_cast<size_t>(groups) + 1, 0);
    for (const int32_t group : groupOf) ++part.groupBegin[static_cast<size_t>(group) + 1];
    std::partial_sum(part.groupBegin.begin(), part.groupBegin.end(), part.groupBegin.begin());
    CHECK(part.groupBegin.back() == std::ssize(groupOf)) << "each row of a part is in a group";
    const bool isSorted = sorted.empty();
    if (isSorted && std::is_sorted(groupOf.begin(), groupOf.end())) return;
    std::vector<int32_t> next(part.groupBegin.begin(), part.groupBegin.end() - 1);
    part.order.resize(groupOf.size());
    for (size_t i = 0; i < groupOf.size(); ++i) {
        const int32_t row = isSorted ? static_cast<int32_t>(i) : sorted[i];
        part.order[static_cast<size_t>(next[static_cast<size_t>(groupOf[static_cast<size_t>(row)])]++)] = row;
    }
}

// Returns the part's rows in the order of the keys; empty where they lie so.
std::vector<int32_t> sortedRows(std::span<const OrderKey> order, int64_t begin, int64_t rows) {
    if (order.empty()) return {};
    std::vector<OrderKey> own(order.begin(), order.end());
    for (OrderKey& key : own) {
        if (rows == key.column.size()) continue;
        if (key.column.isTypedVector()) {
            key.column = sliced(key.column, begin, rows);
        } else {
            std::vector<int32_t> positions(static_cast<size_t>(rows));
            std::iota(positions.begin(), positions.end(), static_cast<int32_t>(begin));
            key.column = gatherElements(key.column, positions.data(), rows);
        }
    }
    std::vector<int32_t> sorted = sortPositions(own, rows);
    if (std::is_sorted(sorted.begin(), sorted.end())) sorted.clear();
    return sorted;
}

}  // namespace

PartedRows::PartedRows(std::span<const Value> keys, std::span<const OrderKey> order, int64_t rows, GroupOrder groups)
    : rows_(rows) {
    requireRowNumbers(rows);
    const bool isCut = rows >= kMinRows && !keys.empty() && std::all_of(keys.begin(), keys.end(), isFlat) &&
                       !std::all_of(keys.begin(), keys.end(), [](const Value& key) { return key.isScalar(); });
    const bool isByOne = isCut && keys.size() == 1 && hasFixedWidth(keys[0]) && !isDecimal(keys[0].type()) &&
                         keys[0].type() != Type::Symbol;
    if (isByOne && inOrder(keys[0].vector(), true)) {
        cutBetweenKeys(keys[0].vector());
        buildParts(keys, order, false, groups);
        return;
    }
    std::optional<KeyRanges> ranges;
    if (isCut && groups == GroupOrder::ByKey) ranges = rangesOf(keys, rows);
    const auto slices = [&](int64_t begin, int64_t end) {
        std::vector<Value> own;
        for (const Value& key : keys) own.push_back(sliced(key, begin, end - begin));
        return own;
    };
    bool areSamples = false;
    if (ranges) {
        cutByPart(
            [&](int64_t begin, int64_t end, uint8_t* parts) { ranges->find(slices(begin, end), end - begin, parts); });
    } else if (isCut && groups == GroupOrder::Any) {
        areSamples = true;
        cutByPart([&](int64_t begin, int64_t end, uint8_t* parts) {
            std::vector<uint64_t> hashes(static_cast<size_t>(end - begin), 0);
            for (const Value& key : slices(begin, end)) mixKey(key, end - begin, hashes.data());
            for (size_t i = 0; i < hashes.size(); ++i) parts[i] = static_cast<uint8_t>(memoryPartOf(hashes[i]));
        });
    } else if (!isCut || !cutByGroup(keys)) {
        parts_.resize(1);
        parts_[0].groupBegin = {0, static_cast<int32_t>(rows)};
        buildParts(keys, order, false, groups);
        return;
    }
    std::vector<Value> cutKeys;
    for (const Value& key : keys) cutKeys.push_back(cut(key));
    std::vector<OrderKey> cutOrder(order.begin(), order.end());
    for (OrderKey& key : cutOrder) key.column = cut(key.column);
    buildParts(cutKeys, cutOrder, areSamples, groups);
}

// A counting sort by part: pieces of the rows are counted first, so that each knows the places of its rows.
void PartedRows::cutByPart(const std::function<void(int64_t begin, int64_t end, uint8_t* parts)>& find) {
    std::vector<uint8_t> partOf(static_cast<size_t>(rows_));
    std::vector<std::array<int32_t, kParts>> next(static_cast<size_t>(pieceCount(rows_)));
    forEachPiece(rows_, [&](int64_t begin, int64_t end) {
        checkCancelled();
        find(begin, end, partOf.data() + begin);
        auto& counts = next[static_cast<size_t>(begin / kPieceRows)];
        counts.fill(0);
        for (int64_t i = begin; i < end; ++i) ++counts[partOf[static_cast<size_t>(i)]];
    });
    int32_t place = 0;
    for (size_t p = 0; p < kParts; ++p) {
        const int32_t begin = place;
        for (auto& counts : next) place += std::exchange(counts[p], place);
        if (place == begin) continue;
        Part& part = parts_.emplace_back();
        part.begin = begin;
        part.groupBegin = {0, place - begin};
    }
    CHECK(place == rows_) << "each row is in a part";
    cutPlaces_ = Vector::make(Type::Int, rows_);
    int32_t* const places = cutPlaces_->mutableData<int32_t>();
    forEachPiece(rows_, [&](int64_t begin, int64_t end) {
        auto& own = next[static_cast<size_t>(begin / kPieceRows)];
        for (int64_t i = begin; i < end; ++i) places[i] = own[partOf[static_cast<size_t>(i)]]++;
    });
}

// Makes each group a part, where they are few. Returns false, having done nothing, for more.
bool PartedRows::cutByGroup(std::span<const Value> keys) {
    std::vector<Type> types;
    for (const Value& key : keys) types.push_back(key.type());
    GroupTable table(types);
    std::vector<int32_t> groupOf(static_cast<size_t>(rows_));
    for (int64_t begin = 0; begin < rows_; begin += kPieceRows) {
        const int64_t count = std::min(kPieceRows, rows_ - begin);
        std::vector<Value> own;
        for (const Value& key : keys) own.push_back(sliced(key, begin, count));
        table.assign(own, count, groupOf.data() + begin);
        if (table.size() > static_cast<int64_t>(kParts)) return false;
    }
    const std::vector<int32_t> ranks = ranksOf(table.keys(), table.size());
    cutByPart([&](int64_t begin, int64_t end, uint8_t* parts) {
        for (int64_t i = begin; i < end; ++i)
            parts[i - begin] = static_cast<uint8_t>(ranks[static_cast<size_t>(groupOf[static_cast<size_t>(i)])]);
    });
    return true;
}

// Rows that lie group by group are cut where another group begins.
void PartedRows::cutBetweenKeys(const Vector& key) {
    const int64_t size = (rows_ + static_cast<int64_t>(kParts) - 1) / static_cast<int64_t>(kParts);
    for (int64_t begin = 0; begin < rows_;) {
        int64_t end = std::min(rows_, begin + size);
        while (end < rows_ && compareElements(key, end - 1, key, end) == 0) ++end;
        Part& part = parts_.emplace_back();
        part.begin = static_cast<int32_t>(begin);
        part.groupBegin = {0, static_cast<int32_t>(end - begin)};
        begin = end;
    }
}

void PartedRows::buildParts(std::span<const Value> keys, std::span<const OrderKey> order, bool areSamples,
                            GroupOrder groups) {
    std::vector<Type> types;
    for (const Value& key : keys) types.push_back(key.type());
    parallelFor(static_cast<int64_t>(parts_.size()), [&](int64_t number) {
        checkCancelled();
        Part& part = parts_[static_cast<size_t>(number)];
        const int64_t rows = part.rows();
        if (rows == 0) {
            part.groupBegin = {0};
            return;
        }
        std::vector<int32_t> groupOf(static_cast<size_t>(rows), 0);
        int64_t count = 1;
        if (!keys.empty()) {
            std::vector<Value> own;
            for (const Value& key : keys) own.push_back(parts_.size() == 1 ? key : sliced(key, part.begin, rows));
            GroupTable table(types, areSamples ? KeyLookup::Hashed : KeyLookup::Direct);
            table.assign(own, rows, groupOf.data());
            count = table.size();
            if (groups == GroupOrder::ByKey) {
                const std::vector<int32_t> ranks = ranksOf(table.keys(), count);
                for (int32_t& group : groupOf) group = ranks[static_cast<size_t>(group)];
            }
        }
        listGroups(part, groupOf, sortedRows(order, part.begin, rows), count);
    });
}

Value PartedRows::cut(const Value& column) const {
    if (!cutPlaces_ || column.isScalar()) return column;
    CHECK(column.size() == rows_) << "a column of the rows that were cut";
    const int32_t* const places = cutPlaces_->data<int32_t>();
    if (!hasFixedWidth(column)) {
        std::vector<int32_t> list(static_cast<size_t>(rows_));
        for (int64_t i = 0; i < rows_; ++i) list[static_cast<size_t>(places[i])] = static_cast<int32_t>(i);
        return gatherElements(column, list.data(), rows_);
    }
    Ref<Vector> result = likeVector(column.vector(), rows_);
    char* const target = result->mutableRaw();
    withWidth(result->width(), [&](auto zero) {
        using T = decltype(zero);
        const T* const from = column.vector().data<T>();
        T* const to = reinterpret_cast<T*>(target);
        forEachPiece(rows_, [=](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) to[places[i]] = from[i];
        });
    });
    return Value::of(result);
}

Value PartedRows::inGroups(size_t number, const Value& cutColumn) const {
    const Part& part = parts_[number];
    const int64_t count = part.rows();
    if (cutColumn.isScalar()) return cutColumn;
    if (cutColumn.isTypedVector()) {
        if (part.order.empty()) return count == rows_ ? cutColumn : sliced(cutColumn, part.begin, count);
        const Ref<Vector> own = cutColumn.vector().slice(part.begin, count);
        if (count < kLargePart || !hasFixedWidth(cutColumn)) return Value::of(own->gather(part.order.data(), count));
        Ref<Vector> result = likeVector(*own, count);
        moveByOrder(*own, part.order, result->mutableRaw(), Move::Gather);
        return Value::of(result);
    }
    std::vector<int32_t> positions(static_cast<size_t>(count));
    for (size_t i = 0; i < positions.size(); ++i)
        positions[i] = part.begin + (part.order.empty() ? static_cast<int32_t>(i) : part.order[i]);
    return gatherElements(cutColumn, positions.data(), count);
}

Value PartedRows::inGroups(const Value& column) const {
    if (column.isScalar() || isInPlace()) return column;
    if (!hasFixedWidth(column)) {
        const std::vector<int32_t> rows = list();
        return gatherElements(column, rows.data(), rows_);
    }
    const Value moved = cut(column);
    Ref<Vector> result = likeVector(column.vector(), rows_);
    char* const target = result->mutableRaw();
    parallelFor(std::ssize(parts_), [&](int64_t number) {
        const Part& part = parts_[static_cast<size_t>(number)];
        const Ref<Vector> own = moved.vector().slice(part.begin, part.rows());
        char* const to = target + int64_t{part.begin} * own->width();
        if (part.order.empty()) {
            std::memcpy(to, own->raw(), static_cast<size_t>(own->size() * own->width()));
        } else {
            moveByOrder(*own, part.order, to, Move::Gather);
        }
    });
    return Value::of(result);
}

bool PartedRows::areMovable(std::span<const Value> parts) {
    return std::all_of(parts.begin(), parts.end(), [&](const Value& part) {
        return hasFixedWidth(part) && part.type() == parts[0].type() &&
               part.vector().scale() == parts[0].vector().scale();
    });
}

Value PartedRows::inTable(std::vector<Value>& parts) const {
    CHECK(parts.size() == parts_.size() && areMovable(parts)) << "each part has a vector of one type";
    if (parts.size() == 1 && parts_[0].order.empty()) return std::move(parts[0]);
    const bool hasNull =
        std::any_of(parts.begin(), parts.end(), [](const Value& p) { return p.vector().mayHaveNull(); });
    Ref<Vector> result = likeVector(parts[0].vector(), rows_);
    result->setMayHaveNull(hasNull);
    withWidth(result->width(), [&](auto zero) {
        using T = decltype(zero);
        T* const out = result->mutableData<T>();
        Ref<Vector> moved = cutPlaces_ ? likeVector(*result, rows_) : result;
        T* const to = cutPlaces_ ? moved->mutableData<T>() : out;
        parallelFor(static_cast<int64_t>(parts_.size()), [&](int64_t number) {
            const Part& part = parts_[static_cast<size_t>(number)];
            Value& own = parts[static_cast<size_t>(number)];
            CHECK(own.size() == part.rows()) << "a part has a value for each of its rows";
            T* const target = to + part.begin;
            if (part.order.empty()) {
                std::copy_n(own.vector().data<T>(), part.rows(), target);
            } else {
                moveByOrder(own.vector(), part.order, reinterpret_cast<char*>(target), Move::Scatter);
            }
            own = Value();
        });
        if (!cutPlaces_) return;
        const int32_t* const places = cutPlaces_->data<int32_t>();
        forEachPiece(rows_, [=](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) out[i] = to[places[i]];
        });
    });
    return Value::of(result);
}

std::vector<int32_t> PartedRows::places() const {
    std::vector<Value> parts(parts_.size());
    parallelFor(std::ssize(parts), [&](int64_t number) {
        const Part& part = parts_[static_cast<size_t>(number)];
        Ref<Vector> own = Vector::make(Type::Int, part.rows());
        std::iota(own->mutableData<int32_t>(), own->mutableData<int32_t>() + part.rows(), part.begin);
        parts[static_cast<size_t>(number)] = Value::of(own);
    });
    const Value all = inTable(parts);
    const auto* const places = all.vector().data<int32_t>();
    return {places, places + rows_};
}

std::vector<int32_t> PartedRows::list() const {
    std::vector<int32_t> cut(static_cast<size_t>(rows_));
    const int32_t* const places = cutPlaces_ ? cutPlaces_->data<int32_t>() : nullptr;
    forEachPiece(rows_, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            cut[static_cast<size_t>(places ? places[i] : i)] = static_cast<int32_t>(i);
    });
    std::vector<int32_t> result(cut.size());
    parallelFor(std::ssize(parts_), [&](int64_t number) {
        const Part& part = parts_[static_cast<size_t>(number)];
        const int32_t* const own = cut.data() + part.begin;
        int32_t* const to = result.data() + part.begin;
        if (part.order.empty()) {
            std::copy_n(own, part.rows(), to);
        } else {
            for (size_t i = 0; i < part.order.size(); ++i) to[i] = own[part.order[i]];
        }
    });
    return result;
}

std::vector<int32_t> PartedRows::groupBegin() const {
    std::vector<int32_t> result{0};
    for (const Part& part : parts_) {
        for (size_t g = 1; g < part.groupBegin.size(); ++g) result.push_back(part.begin + part.groupBegin[g]);
    }
    CHECK(result.back() == rows_) << "the last group ends with the rows";
    return result;
}

bool PartedRows::isInPlace() const {
    return !cutPlaces_ &&
           std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.order.empty(); });
}

}  // namespace pelorus
