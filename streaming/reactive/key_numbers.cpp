#include "streaming/reactive/key_numbers.h"

namespace pelorus {

KeyNumbers::KeyNumbers(const TableSchema& keyColumns) : keyColumns_(keyColumns) {
    reset();
}

void KeyNumbers::reset() {
    levels_.clear();
    keys_.clear();
    for (const ColumnSchema& column : keyColumns_) {
        levels_.push_back({std::make_unique<KeyIndex>(column.type), {}});
        keys_.push_back(filledColumn(column.type, column.scale, 0));
    }
    size_ = levels_.empty() ? 1 : 0;
}

void KeyNumbers::keep(std::span<const int32_t> numbers) {
    const std::vector<Value> keys = keysOf(numbers);
    reset();
    std::vector<int32_t> anew;
    number(keys, std::ssize(numbers), anew);
}

void KeyNumbers::number(std::span<const Value> columns, int64_t rows, std::vector<int32_t>& numbers) {
    numbers.assign(static_cast<size_t>(rows), 0);
    if (levels_.empty()) return;
    std::vector<int32_t> values(static_cast<size_t>(rows));
    levels_[0].values->insertAll(columns[0].vector(), numbers.data());
    for (size_t level = 1; level < levels_.size(); ++level) {
        levels_[level].values->insertAll(columns[level].vector(), values.data());
        auto& pairs = levels_[level].pairs;
        for (size_t i = 0; i < numbers.size(); ++i) {
            const uint64_t pair = static_cast<uint64_t>(numbers[i]) << 32 | static_cast<uint32_t>(values[i]);
            numbers[i] = pairs.emplace(pair, static_cast<int32_t>(pairs.size())).first->second;
        }
    }
    std::vector<int32_t> fresh;  // the first rows of new keys: keys are numbered in this order
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] < size_) continue;
        fresh.push_back(static_cast<int32_t>(i));
        ++size_;
    }
    if (fresh.empty()) return;
    for (size_t level = 0; level < levels_.size(); ++level)
        appendElements(keys_[level], gatherElements(columns[level], fresh.data(), static_cast<int64_t>(fresh.size())));
}

std::vector<Value> KeyNumbers::keysOf(std::span<const int32_t> numbers) const {
    std::vector<Value> columns;
    for (const Value& column : keys_)
        columns.push_back(gatherElements(column, numbers.data(), static_cast<int64_t>(numbers.size())));
    return columns;
}

int64_t KeyNumbers::memoryBytes() const {
    constexpr int64_t kBytesOfPair = 32;
    int64_t bytes = 0;
    for (const Level& level : levels_) bytes += static_cast<int64_t>(level.pairs.size()) * kBytesOfPair;
    for (const Value& column : keys_) bytes += column.isTypedVector() ? 2 * column.vector().memoryBytes() : 0;
    return bytes;
}

}  // namespace pelorus
