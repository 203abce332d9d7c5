// A typed column in memory: one contiguous, 64-byte aligned buffer of fixed-width elements.
//
// Ownership. The Vector object is shared by Values; the buffer below it is shared by slices. `mutableData` returns a
// pointer for writing and copies the buffer first when a slice or parent still sees it. Call it only on a Vector that
// you own alone (Value::isUnique), or that nobody else has seen yet.
//
// Appending. One vector owns the end of a buffer: the one that made it. It writes new elements after all slices, which
// see none of them and may be read meanwhile; any other vector moves to a separate buffer before it grows, so that no
// reader can take the end from the writer. The arena of strings has the same rule.
//
// NULLs are in-band (null<T>). Properties that are proven of the elements (vector_properties.h) let kernels take
// shorter ways; unknown promises nothing.
//
// SYMBOL elements are codes of the process-wide SymbolBase. STRING and BLOB elements are handles into an append-only
// arena that several vectors may share. Array vectors are in array_vector.h.
//
// DECIMAL elements are integers times 10^-scale. A vector made without a scale takes that of the first value or vector
// that is put into it; later ones are converted to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/memory/block_ranges.h"
#include "runtime/memory/buffer.h"
#include "runtime/memory/string_arena.h"
#include "runtime/value/object.h"
#include "runtime/value/value.h"
#include "runtime/value/vector_properties.h"

namespace pelorus {

class Vector final : public Object {
public:
    // Makes `size` elements, uninitialised for numbers, NULL for strings, with capacity for `capacity`.
    static Ref<Vector> make(Type type, int64_t size, int64_t capacity = 0);
    // Makes `size` copies of a scalar. REQUIRES: it converts to `type`.
    static Ref<Vector> filled(Type type, int64_t size, const Value& element);
    template <class T>
    static Ref<Vector> of(Type type, const std::vector<T>& elements) {
        Ref<Vector> v = make(type, static_cast<int64_t>(elements.size()));
        if (!elements.empty()) std::memcpy(v->mutableData<T>(), elements.data(), elements.size() * sizeof(T));
        return v;
    }
    static Ref<Vector> ofStrings(const std::vector<std::string>& elements, Type type = Type::String);

    Type type() const { return type_; }
    int64_t size() const { return size_; }
    int width() const { return width_; }
    uint8_t scale() const { return scale_; }
    void setScale(uint8_t scale) { scale_ = scale; }

    const char* raw() const { return elements_; }
    char* mutableRaw();
    template <class T>
    const T* data() const {
        return reinterpret_cast<const T*>(elements_);
    }
    template <class T>
    T* mutableData() {
        return reinterpret_cast<T*>(mutableRaw());
    }

    // Returns the string of a STRING, BLOB or SYMBOL element. Valid while the vector lives and is not appended to.
    std::string_view string(int64_t i) const;
    void setString(int64_t i, std::string_view string);
    const std::shared_ptr<StringArena>& arena() const { return arena_; }

    // Return and set one element as a scalar Value. `set` converts nothing but NULLs: the value has the vector's type
    // (any literal for SYMBOL and STRING) or is VOID.
    Value at(int64_t i) const;
    void set(int64_t i, const Value& element);
    bool isNullAt(int64_t i) const;
    // Returns the integer of a decimal element, NULL as null<__int128>.
    __int128 rawAt(int64_t i) const;

    // Return an element as a number, NULL kept; of numeric, decimal and temporal types.
    double asDouble(int64_t i) const;
    int64_t asLong(int64_t i) const;

    // Appends. The source has this vector's type (STRING and SYMBOL mix freely); anything else is converted before.
    void append(const Value& scalar);
    void append(const Vector& source, int64_t begin, int64_t count);
    void resize(int64_t size);  // new elements are NULL
    void reserve(int64_t capacity);

    // Returns a view of [begin, begin + count) that shares the buffer.
    Ref<Vector> slice(int64_t begin, int64_t count) const;
    Ref<Vector> copy() const;
    // Returns a vector of the same elements that owns the end in place of this one, if this one did: for appending to a
    // vector that others hold.
    Ref<Vector> handOver() const;
    // Returns the elements at `positions`; a position outside the vector selects NULL.
    Ref<Vector> gather(const int32_t* positions, int64_t count) const;
    Ref<Vector> gather(const int64_t* positions, int64_t count) const;

    bool mayHaveNull() const { return !properties_.holds(VectorProperty::NoNull); }
    void setMayHaveNull(bool mayHaveNull) {
        mayHaveNull ? properties_.clear(VectorProperty::NoNull) : properties_.set(VectorProperty::NoNull);
    }
    // Scans the elements when needed and remembers a `false`.
    bool hasNull() const;
    // Returns the value range of the BlockRanges::kBlockElements elements from `begin`, of integers and times. Empty
    // for other types, for fewer elements, and on the first request for them.
    std::optional<BlockRange> range(int64_t begin) const;
    bool isKnown(VectorProperty property) const { return properties_.holds(property); }
    // Records a property of the elements. An order is one of integers or floating-point numbers other than NaN.
    void setProperty(VectorProperty property) const { properties_.set(property); }

    // Returns true for a view made by subarray, which is read only. A copy is no view.
    bool isView() const { return isView_; }
    void setView() { isView_ = true; }
    // Returns true for a big array, which differs from others in its name, HUGE, only.
    bool isBig() const { return isBig_; }
    void setBig() { isBig_ = true; }

    // Returns the name set by rename!, which table, stat and join use. Most vectors have none. Copies keep it, slices
    // do not.
    std::string_view name() const;
    void setName(std::string_view name);

    int64_t memoryBytes() const;

    Vector(Type type, int64_t size, int64_t capacity);

private:
    Vector() = default;
    void grow(int64_t capacity);
    char* extend(int64_t count);
    void write(char* target, const Value& element);
    void ownStrings();
    void moveStrings();
    void joinFacts(int64_t seam, const VectorProperties& added);
    void takeScaleOf(uint8_t scale);
    template <class Position>
    Ref<Vector> gatherElements(const Position* positions, int64_t count) const;

    Type type_ = Type::Void;
    uint8_t scale_ = 0;
    uint8_t width_ = 1;
    mutable VectorProperties properties_;  // readers that find no NULL remember it, several at once
    // True if this vector may write after its elements though others see the buffer, and add strings though others read
    // them. handOver resets it, which readers of one vector may call at once.
    mutable std::atomic<bool> ownsEnd_{false};
    mutable bool ownsStrings_ = false;
    bool isView_ = false;
    bool isBig_ = false;
    int32_t name_ = 0;  // a code of the symbol base
    int64_t size_ = 0;
    char* elements_ = nullptr;
    std::shared_ptr<Buffer> buffer_;
    std::shared_ptr<StringArena> arena_;
};

enum class TupleKind : uint8_t {
    Plain,
    Columnar,  // elements share a type, and an index looks inside each of them
    IotAny,    // a column of type IOTANY: each element is NULL or a scalar of a type that isIotAnyElement
};

// A vector of any values: the ANY vector of the language. Elements are shared, never copied.
class Tuple final : public Object {
public:
    Tuple() = default;
    explicit Tuple(std::vector<Value> elements, TupleKind kind = TupleKind::Plain)
        : elements(std::move(elements)), kind(kind) {}

    bool isColumnar() const { return kind == TupleKind::Columnar; }
    // Returns the kind of a tuple of other elements in the places of these.
    TupleKind kindOfResults() const { return isColumnar() ? kind : TupleKind::Plain; }

    std::vector<Value> elements;
    TupleKind kind = TupleKind::Plain;
};

// Returns the type of a column: that of the vector, and IOTANY for tuples of that kind.
Type columnType(const Value& column);
// Returns whether cells of IOTANY columns may have the type: BOOL, integers, floats, SYMBOL and STRING.
constexpr bool isIotAnyElement(Type type) {
    return (isNumeric(type) && type != Type::Compress) || type == Type::Symbol || type == Type::String;
}

// A matrix: column-major cells with optional labels.
class Matrix final : public Object {
public:
    Matrix(Ref<Vector> cells, int64_t rows, int64_t columns) : cells(std::move(cells)), rows(rows), columns(columns) {}

    Ref<Vector> column(int64_t i) const { return cells->slice(i * rows, rows); }
    // Returns cells of the same shape under this matrix's labels.
    Ref<Matrix> withCells(Ref<Vector> other) const {
        auto result = makeRef<Matrix>(std::move(other), rows, columns);
        result->copyLabels(*this);
        return result;
    }
    void copyLabels(const Matrix& from) {
        rowLabels = from.rowLabels;
        columnLabels = from.columnLabels;
        index = from.index;
    }
    bool isIndexed() const { return index != Index::None; }

    // An indexed matrix has strictly ascending labels, by which operators align. A series has one column without a
    // label.
    enum class Index : uint8_t { None, Matrix, Series };

    Ref<Vector> cells;
    int64_t rows;
    int64_t columns;
    Value rowLabels;     // a vector of `rows` elements, or VOID
    Value columnLabels;  // a vector of `columns` elements, or VOID
    Index index = Index::None;
};

inline Vector& Value::vector() const {
    if (!((tag_.form == Form::Vector || tag_.form == Form::Pair) && tag_.type != Type::Any &&
          !isArrayType(tag_.type))) {
        refuse("a vector");
    }
    return *as<Vector>();
}
inline Tuple& Value::tuple() const {
    if (!(isTuple())) refuse("a tuple");
    return *as<Tuple>();
}
inline Matrix& Value::matrix() const {
    if (!(isMatrix())) refuse("a matrix");
    return *as<Matrix>();
}

}  // namespace pelorus
