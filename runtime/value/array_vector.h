// The array vector of the language: rows of different lengths over one flat vector of values, as the price levels of an
// order book with one row per snapshot.
//
// Elementwise work runs over the flat values and keeps the rows (`withValues`). A row has at least one value: an empty
// row is kept as a row of one NULL.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

class ArrayVector final : public Object {
public:
    // Makes an array vector without rows. REQUIRES: canBeInArrayVector(elements).
    explicit ArrayVector(Type elements, uint8_t scale = 0, int64_t capacity = 0);
    // Row i ends before value ends[i]. REQUIRES: ends ascend from above 0 to values->size().
    ArrayVector(Ref<Vector> values, const std::vector<int32_t>& ends);

    Type type() const { return arrayTypeOf(values_->type()); }
    Type elementType() const { return values_->type(); }
    uint8_t scale() const { return values_->scale(); }
    int64_t size() const { return ends_->size(); }
    int64_t begin(int64_t row) const { return row == 0 ? 0 : end(row - 1); }
    int64_t end(int64_t row) const { return ends_->data<int32_t>()[row]; }
    int64_t rowSize(int64_t row) const { return end(row) - begin(row); }
    std::span<const int32_t> ends() const { return {ends_->data<int32_t>(), static_cast<size_t>(size())}; }

    const Ref<Vector>& values() const { return values_; }
    // Returns an unshared vector of the values, to be changed in place.
    Vector& mutableValues();
    // Returns a row that shares the values.
    Ref<Vector> row(int64_t i) const;
    // Returns element i of every row; NULL where the row is shorter.
    Ref<Vector> column(int64_t i) const;
    // Returns for each value the row it is in.
    Ref<Vector> rowOfValues() const;
    // Returns the same rows with other values: as many, in the same order.
    Ref<ArrayVector> withValues(Ref<Vector> values) const;
    bool sameRows(const ArrayVector& other) const { return std::ranges::equal(ends(), other.ends()); }

    // REQUIRES: the elements have this vector's type (see castForStorage). Throws UserError beyond 2^31 values.
    void appendRow(const Vector& elements);
    void append(const ArrayVector& rows);

    Ref<ArrayVector> slice(int64_t begin, int64_t count) const;
    // Returns the rows at `positions`; a position outside selects a row of one NULL.
    template <class Position>
    Ref<ArrayVector> gather(const Position* positions, int64_t count) const;
    Ref<ArrayVector> copy() const;
    // See Vector::handOver.
    Ref<ArrayVector> handOver() const;

private:
    ArrayVector(Ref<Vector> values, Ref<Vector> ends) : values_(std::move(values)), ends_(std::move(ends)) {}
    Vector& mutableEnds();
    // Returns the end of a row whose elements have been appended; an empty one gets its NULL.
    int32_t endOfRow(int64_t elements);

    Ref<Vector> values_;
    Ref<Vector> ends_;  // INT
};

template <class Position>
Ref<ArrayVector> ArrayVector::gather(const Position* positions, int64_t count) const {
    auto result = makeRef<ArrayVector>(elementType(), scale());
    result->ends_ = Vector::make(Type::Int, count);
    auto* ends = result->ends_->template mutableData<int32_t>();
    for (int64_t i = 0; i < count; ++i) {
        const auto p = static_cast<int64_t>(positions[i]);
        const bool inside = p >= 0 && p < size();
        if (inside) result->values_->append(*values_, begin(p), rowSize(p));
        ends[i] = result->endOfRow(inside ? rowSize(p) : 0);
    }
    return result;
}

inline ArrayVector& Value::arrayVector() const {
    if (!isArrayVector()) refuse("an array vector");
    return *as<ArrayVector>();
}

}  // namespace pelorus
