#include "runtime/value/array_vector.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"

namespace pelorus {

ArrayVector::ArrayVector(Type elements, uint8_t scale, int64_t capacity)
    : values_(Vector::make(elements, 0, capacity)), ends_(Vector::make(Type::Int, 0)) {
    values_->setScale(scale);
}

ArrayVector::ArrayVector(Ref<Vector> values, const std::vector<int32_t>& ends)
    : values_(std::move(values)), ends_(Vector::of(Type::Int, ends)) {
    CHECK(ends.empty() || ends.back() <= values_->size()) << "an array vector has the values of its rows";
    DCHECK(std::is_sorted(ends.begin(), ends.end())) << "rows of an array vector end one after the other";
}

Vector& ArrayVector::mutableValues() {
    if (!values_->unique()) values_ = values_->copy();
    return *values_;
}

Vector& ArrayVector::mutableEnds() {
    if (!ends_->unique()) ends_ = ends_->copy();
    return *ends_;
}

Ref<Vector> ArrayVector::row(int64_t i) const {
    return values_->slice(begin(i), rowSize(i));
}

Ref<Vector> ArrayVector::column(int64_t i) const {
    std::vector<int64_t> positions(static_cast<size_t>(size()));
    for (int64_t r = 0; r < size(); ++r) {
        const bool inside = i >= 0 && i < rowSize(r);
        positions[static_cast<size_t>(r)] = inside ? begin(r) + i : -1;
    }
    return values_->gather(positions.data(), size());
}

Ref<Vector> ArrayVector::rowOfValues() const {
    Ref<Vector> rows = Vector::make(Type::Int, values_->size());
    auto* out = rows->mutableData<int32_t>();
    for (int64_t r = 0; r < size(); ++r) std::fill(out + begin(r), out + end(r), static_cast<int32_t>(r));
    rows->setMayHaveNull(false);
    return rows;
}

Ref<ArrayVector> ArrayVector::withValues(Ref<Vector> values) const {
    CHECK(values->size() == values_->size()) << "new values are as many as those that they replace";
    return Ref<ArrayVector>(new ArrayVector(std::move(values), ends_));
}

int32_t ArrayVector::endOfRow(int64_t elements) {
    if (elements == 0) values_->resize(values_->size() + 1);
    if (values_->size() > INT32_MAX) {
        throw UserError("An array vector holds at most 2147483647 values. RefId: S05011", "Split it.");
    }
    return static_cast<int32_t>(values_->size());
}

void ArrayVector::appendRow(const Vector& elements) {
    mutableValues().append(elements, 0, elements.size());
    mutableEnds().append(Value::ofInt(endOfRow(elements.size())));
}

void ArrayVector::append(const ArrayVector& rows) {
    if (values_->size() + rows.values_->size() > INT32_MAX) {
        throw UserError("An array vector holds at most 2147483647 values. RefId: S05011", "Split it.");
    }
    const auto base = static_cast<int32_t>(values_->size());
    Ref<Vector> added = Vector::make(Type::Int, rows.size());
    auto* ends = added->mutableData<int32_t>();
    for (int64_t i = 0; i < rows.size(); ++i) ends[i] = base + static_cast<int32_t>(rows.end(i));
    mutableValues().append(*rows.values_, 0, rows.values_->size());
    mutableEnds().append(*added, 0, added->size());
}

Ref<ArrayVector> ArrayVector::slice(int64_t first, int64_t count) const {
    DCHECK(first >= 0 && count >= 0 && first + count <= size()) << "a slice is within the rows of its array vector";
    const int64_t from = begin(first), to = count == 0 ? from : end(first + count - 1);
    if (first == 0) return Ref<ArrayVector>(new ArrayVector(values_->slice(0, to), ends_->slice(0, count)));
    std::vector<int32_t> ends;
    ends.reserve(static_cast<size_t>(count));
    for (int64_t i = first; i < first + count; ++i) ends.push_back(static_cast<int32_t>(end(i) - from));
    return makeRef<ArrayVector>(values_->slice(from, to - from), std::move(ends));
}

Ref<ArrayVector> ArrayVector::copy() const {
    return withValues(values_->copy());
}

Ref<ArrayVector> ArrayVector::handOver() const {
    return Ref<ArrayVector>(new ArrayVector(values_->handOver(), ends_->handOver()));
}

}  // namespace pelorus
