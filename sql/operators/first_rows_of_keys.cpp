#include "sql/operators/first_rows_of_keys.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"
#include "sql/keys/group_table.h"
#include "sql/keys/key_hash.h"
#include "sql/operators/row_concatenation.h"

namespace pelorus {

namespace {

// The rows of a piece, cut by the hash of their values.
class CutPiece {
public:
    explicit CutPiece(std::vector<Value> columns) : columns_(std::move(columns)) {}

    void cut() {
        const int64_t rows = columns_[0].size();
        std::vector<uint64_t> hashes(static_cast<size_t>(rows));
        for (const Value& column : columns_) mixKey(column, rows, hashes.data());
        for (const uint64_t hash : hashes) ++begins_[memoryPartOf(hash) + 1];
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        std::array<size_t, kKeyParts> next{};
        std::copy_n(begins_.begin(), kKeyParts, next.begin());
        rows_.resize(hashes.size());
        for (size_t row = 0; row < hashes.size(); ++row)
            rows_[next[memoryPartOf(hashes[row])]++] = static_cast<int32_t>(row);
        isFirst_.assign(hashes.size(), 0);
    }

    // Returns the rows of a part, ascending.
    std::span<const int32_t> ofPart(size_t part) const {
        return std::span(rows_).subspan(begins_[part], begins_[part + 1] - begins_[part]);
    }

    // Marks the rows of a part whose values the table does not know, and adds them to it.
    void markFirst(size_t part, GroupTable& known, std::vector<int32_t>& numbers) {
        const std::span<const int32_t> rows = ofPart(part);
        std::vector<Value> values;
        for (const Value& column : columns_) values.push_back(gatherElements(column, rows.data(), std::ssize(rows)));
        numbers.resize(rows.size());
        auto next = static_cast<int32_t>(known.size());
        known.assign(values, std::ssize(rows), numbers.data());
        for (size_t i = 0; i < rows.size(); ++i) {
            const bool isNew = numbers[i] == next;
            isFirst_[static_cast<size_t>(rows[i])] = isNew ? 1 : 0;
            next += isNew ? 1 : 0;
        }
    }

    // Drops the rows that are not marked.
    void keepFirst() {
        std::vector<int32_t> kept;
        for (size_t row = 0; row < isFirst_.size(); ++row) {
            if (isFirst_[row] != 0) kept.push_back(static_cast<int32_t>(row));
        }
        for (Value& column : columns_) column = gatherElements(column, kept.data(), std::ssize(kept));
        rows_ = {};
    }
    Value takeColumn(size_t c) { return std::move(columns_[c]); }

private:
    std::vector<Value> columns_;
    std::vector<int32_t> rows_;  // those of each part one after the other
    std::array<size_t, kKeyParts + 1> begins_{};
    std::vector<uint8_t> isFirst_;
};

}  // namespace

std::vector<Value> firstRowsOfKeys(const std::vector<Type>& types, std::vector<std::vector<Value>> columns) {
    std::vector<CutPiece> pieces;
    for (std::vector<Value>& piece : columns) {
        CHECK(piece.size() == types.size() && !piece.empty()) << "a piece has a column for each type";
        pieces.emplace_back(std::move(piece));
    }
    const auto forEachPiece = [&](const auto& f) {
        parallelFor(std::ssize(pieces), [&](int64_t p) {
            checkCancelled();
            f(pieces[static_cast<size_t>(p)]);
        });
    };
    forEachPiece([](CutPiece& piece) { piece.cut(); });
    parallelFor(static_cast<int64_t>(kKeyParts), [&](int64_t part) {
        // The keys of a part are a sample of their range.
        GroupTable known(types, KeyLookup::Hashed);
        std::vector<int32_t> numbers;
        for (CutPiece& piece : pieces) {
            checkCancelled();
            piece.markFirst(static_cast<size_t>(part), known, numbers);
        }
    });
    forEachPiece([](CutPiece& piece) { piece.keepFirst(); });
    std::vector<Value> result(types.size());
    parallelFor(std::ssize(result), [&](int64_t c) {
        ColumnConcatenation all;
        for (CutPiece& piece : pieces) all.add(piece.takeColumn(static_cast<size_t>(c)));
        result[static_cast<size_t>(c)] = all.finish();
    });
    return result;
}

}  // namespace pelorus
