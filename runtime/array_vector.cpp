#include "runtime/array_vector.h"

#include "common/error.h"

namespace pelorus {

ArrayVector::ArrayVector(Type items, uint8_t scale, int64_t capacity) : values_(Vector::make(items, 0, capacity)) {
    values_->setScale(scale);
}

ArrayVector::ArrayVector(Ref<Vector> values, std::vector<int32_t> ends)
    : values_(std::move(values)), ends_(std::move(ends)) {}

Vector& ArrayVector::mutableValues() {
    if (!values_->unique()) values_ = values_->copy();
    return *values_;
}

Ref<Vector> ArrayVector::row(int64_t i) const {
    return values_->slice(begin(i), rowSize(i));
}

Ref<Vector> ArrayVector::column(int64_t i) const {
    std::vector<int64_t> positions(ends_.size());
    for (int64_t r = 0; r < size(); ++r) {
        const bool inside = i >= 0 && i < rowSize(r);
        positions[static_cast<size_t>(r)] = inside ? begin(r) + i : -1;
    }
    return values_->gather(positions.data(), size());
}

Ref<Vector> ArrayVector::rowOfValues() const {
    Ref<Vector> rows = Vector::make(Type::Int, values_->size());
    auto* out = rows->mutableItems<int32_t>();
    for (int64_t r = 0; r < size(); ++r) std::fill(out + begin(r), out + end(r), static_cast<int32_t>(r));
    rows->setMayHaveNull(false);
    return rows;
}

Ref<ArrayVector> ArrayVector::withValues(Ref<Vector> values) const {
    return makeRef<ArrayVector>(std::move(values), ends_);
}

// Ends the row whose items have been appended; an empty one gets its NULL.
void ArrayVector::addEnd(int64_t items) {
    if (items == 0) values_->resize(values_->size() + 1);
    if (values_->size() > INT32_MAX) {
        throw UserError("An array vector holds at most 2147483647 values. RefId: S05011", "Split it.");
    }
    ends_.push_back(static_cast<int32_t>(values_->size()));
}

void ArrayVector::appendRow(const Vector& items) {
    mutableValues().append(items, 0, items.size());
    addEnd(items.size());
}

void ArrayVector::append(const ArrayVector& rows) {
    if (values_->size() + rows.values_->size() > INT32_MAX) {
        throw UserError("An array vector holds at most 2147483647 values. RefId: S05011", "Split it.");
    }
    const auto base = static_cast<int32_t>(values_->size());
    const std::vector<int32_t> added = rows.ends_;  // `rows` may be this
    mutableValues().append(*rows.values_, 0, rows.values_->size());
    for (int32_t end : added) ends_.push_back(base + end);
}

Ref<ArrayVector> ArrayVector::slice(int64_t first, int64_t count) const {
    const int64_t from = begin(first), to = count == 0 ? from : end(first + count - 1);
    std::vector<int32_t> ends;
    ends.reserve(static_cast<size_t>(count));
    for (int64_t i = first; i < first + count; ++i) ends.push_back(static_cast<int32_t>(end(i) - from));
    return makeRef<ArrayVector>(values_->slice(from, to - from), std::move(ends));
}

Ref<ArrayVector> ArrayVector::copy() const {
    return makeRef<ArrayVector>(values_->copy(), ends_);
}

}  // namespace pelorus
