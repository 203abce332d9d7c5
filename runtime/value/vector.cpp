#include "runtime/value/vector.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/value/decimal.h"
#include "runtime/value/element_width.h"
#include "runtime/value/print.h"
#include "runtime/value/symbol_base.h"

namespace pelorus {

Vector::Vector(Type type, int64_t size, int64_t capacity)
    : type_(type), width_(static_cast<uint8_t>(widthOf(type))), size_(size) {
    // A Value would take it for an ArrayVector.
    if (isArrayType(type)) {
        throw UserError("This does not support array vectors, but was given " + std::string(typeName(type)) + ".",
                        "Take its elements with flatten(X), or call a function for each row with byRow.");
    }
    if (type == Type::IotAny) throw UserError("There are no vectors of type IOTANY, only columns of tables.");
    capacity = std::max(size, capacity);
    buffer_ = std::make_shared<Buffer>(static_cast<size_t>(capacity) * width_);
    elements_ = buffer_->begin();
    ownsEnd_.store(true, std::memory_order_relaxed);
    if (storageOf(type) == Storage::String) {
        arena_ = std::make_shared<StringArena>();
        ownsStrings_ = true;
        std::memset(elements_, 0, static_cast<size_t>(size) * width_);
    }
}

Ref<Vector> Vector::make(Type type, int64_t size, int64_t capacity) {
    return makeRef<Vector>(type, size, capacity);
}

static void writeNulls(Type type, char* target, int64_t count) {
    switch (storageOf(type)) {
        case Storage::Float32:
            std::fill_n(reinterpret_cast<float*>(target), count, null<float>);
            return;
        case Storage::Float64:
            std::fill_n(reinterpret_cast<double*>(target), count, null<double>);
            return;
        case Storage::String:
            std::memset(target, 0, static_cast<size_t>(count) * 8);
            return;
        case Storage::Bytes16: {
            Value v = Value::nullOf(type);
            for (int64_t i = 0; i < count; ++i) std::memcpy(target + i * 16, v.bytes16(), 16);
            return;
        }
        default:
            break;
    }
    if (type == Type::Symbol || type == Type::Void) {
        std::memset(target, 0, static_cast<size_t>(count * widthOf(type)));
        return;
    }
    if (type == Type::Duration) {
        std::fill_n(reinterpret_cast<int64_t*>(target), count, static_cast<int64_t>(null<int32_t>) & 0xffffffff);
        return;
    }
    withWidth(widthOf(type), [&](auto zero) {
        using T = decltype(zero);
        T nullElement = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));
        std::fill_n(reinterpret_cast<T*>(target), count, nullElement);
    });
}

Ref<Vector> Vector::filled(Type type, int64_t size, const Value& element) {
    Ref<Vector> v = make(type, size);
    if (isDecimal(type) && isDecimal(element.type())) v->scale_ = element.extra();  // a NULL's too
    if (size == 0) return v;
    v->set(0, element);
    withWidth(v->width_, [&](auto zero) {
        using T = decltype(zero);
        T* elements = reinterpret_cast<T*>(v->elements_);
        inPieces(size - 1,
                 [&](int64_t begin, int64_t end) { std::fill(elements + 1 + begin, elements + 1 + end, elements[0]); });
    });
    if (!element.isNull()) v->properties_.set(VectorProperty::NoNull);
    return v;
}

Ref<Vector> Vector::ofStrings(const std::vector<std::string>& elements, Type type) {
    Ref<Vector> v = make(type, static_cast<int64_t>(elements.size()));
    inPieces(v->size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) v->setString(i, elements[static_cast<size_t>(i)]);
    });
    return v;
}

char* Vector::mutableRaw() {
    if (buffer_.use_count() > 1) grow(size_);
    buffer_->forgetRanges();
    properties_.clearAll();
    return elements_;
}

// Moves the elements to a new buffer.
void Vector::grow(int64_t capacity) {
    auto buffer = std::make_shared<Buffer>(static_cast<size_t>(std::max(capacity, size_)) * width_);
    std::memcpy(buffer->begin(), elements_, static_cast<size_t>(size_) * width_);
    buffer_ = std::move(buffer);
    elements_ = buffer_->begin();
    ownsEnd_.store(true, std::memory_order_relaxed);
}

void Vector::reserve(int64_t capacity) {
    int64_t available =
        (static_cast<int64_t>(buffer_->sizeBytes()) - (elements_ - buffer_->begin())) / std::max<int>(width_, 1);
    const bool owned = ownsEnd_.load(std::memory_order_relaxed), owns = owned || buffer_.use_count() == 1;
    if (!owns || capacity > available) return grow(std::max(capacity, size_ + size_ / 2));
    if (owned) return;
    // A former owner of the buffer may have read elements after this vector's end.
    buffer_->forgetRanges();
    ownsEnd_.store(true, std::memory_order_relaxed);
}

// Reserves memory for more elements after the existing ones; their count does not change yet.
char* Vector::extend(int64_t count) {
    reserve(size_ + count);
    return elements_ + size_ * width_;
}

void Vector::resize(int64_t size) {
    if (size > size_) {
        writeNulls(type_, extend(size - size_), size - size_);
        properties_.clearAll();
    } else if (size < size_ && buffer_.use_count() > 1) {
        // Others may see the elements after the new end.
        ownsEnd_.store(false, std::memory_order_relaxed);
    } else if (size < size_) {
        buffer_->forgetRanges();
    }
    size_ = size;
}

// Makes the arena this vector's own, before strings are added. An arena that mostly holds replaced strings is itself
// replaced by one with the remaining strings.
void Vector::ownStrings() {
    if (!ownsStrings_ && arena_.use_count() > 1) return moveStrings();
    ownsStrings_ = true;
    if (!arena_->isCheckDue()) return;
    size_t used = 0;
    for (int64_t i = 0; i < size_; ++i) used += arena_->lengthOf(data<uint64_t>()[i]);
    if (static_cast<int64_t>(4 * used) < arena_->memoryBytes()) return moveStrings();
    arena_->looked();
}

void Vector::moveStrings() {
    if (buffer_.use_count() > 1) grow(size_ + size_ / 2);
    auto arena = std::make_shared<StringArena>();
    auto* handles = reinterpret_cast<uint64_t*>(elements_);
    for (int64_t i = 0; i < size_; ++i) handles[i] = arena->add(arena_->get(handles[i]));
    arena->looked();
    arena_ = std::move(arena);
    ownsStrings_ = true;
}

// Combines the properties of the first `seam` elements with those of the elements added after them.
void Vector::joinFacts(int64_t seam, const VectorProperties& added) {
    const VectorProperties before = properties_;
    properties_ = added;
    if (seam == 0) return;
    if (!before.holds(VectorProperty::NoNull)) properties_.clear(VectorProperty::NoNull);
    const bool floating = isFloating(type_);
    for (const VectorProperty order : {VectorProperty::Ascending, VectorProperty::Descending}) {
        if (!added.holds(order)) continue;
        const auto follows = [&](auto x, auto y) { return order == VectorProperty::Ascending ? x <= y : x >= y; };
        const bool joins = before.holds(order) && (floating ? follows(asDouble(seam - 1), asDouble(seam))
                                                            : follows(asLong(seam - 1), asLong(seam)));
        if (!joins) properties_.clear(order);
    }
}

std::string_view Vector::string(int64_t i) const {
    return type_ == Type::Symbol ? symbols::string(data<int32_t>()[i]) : arena_->get(data<uint64_t>()[i]);
}

void Vector::setString(int64_t i, std::string_view string) {
    if (type_ == Type::Symbol) {
        mutableData<int32_t>()[i] = symbols::intern(string);
        return;
    }
    mutableRaw();
    ownStrings();
    reinterpret_cast<uint64_t*>(elements_)[i] = arena_->add(string);
}

Value Vector::at(int64_t i) const {
    switch (storageOf(type_)) {
        case Storage::Int8:
            return Value::scalar(type_, data<int8_t>()[i]);
        case Storage::Int16:
            return Value::scalar(type_, data<int16_t>()[i]);
        case Storage::Int32:
            if (type_ == Type::Symbol) return Value::ofString(string(i), Type::Symbol);
            break;
        case Storage::Int64:
            if (type_ == Type::Duration) {
                const int32_t* parts = data<int32_t>() + 2 * i;
                return Value::ofDuration(parts[0], parts[1]);
            }
            break;
        case Storage::Float32:
            return Value::ofFloat(data<float>()[i]);
        case Storage::Float64:
            return Value::ofDouble(data<double>()[i]);
        case Storage::String:
            return Value::ofString(string(i), type_);
        case Storage::Bytes16: {
            Value v = Value::ofBytes16(type_, raw() + i * 16);
            v.setExtra(scale_);
            return v;
        }
        default:
            return Value();
    }
    Value v = Value::scalar(type_, width_ == 4 ? data<int32_t>()[i] : data<int64_t>()[i]);
    v.setExtra(scale_);
    return v;
}

void Vector::set(int64_t i, const Value& element) {
    if (storageOf(type_) == Storage::String || type_ == Type::Symbol) {
        setString(i, element.isVoid() ? std::string_view() : element.string());
        return;
    }
    if (!element.isScalar()) throw UserError("Expected an element, but this is " + typeString(element) + ".");
    write(mutableRaw() + i * width_, element);
}

// Writes an element that is no string.
void Vector::write(char* target, const Value& element) {
    if (element.isNull()) {
        writeNulls(type_, target, 1);
        return;
    }
    switch (storageOf(type_)) {
        case Storage::Float32: {
            float x = static_cast<float>(element.asDouble());
            std::memcpy(target, &x, sizeof x);
            return;
        }
        case Storage::Float64: {
            double x = element.asDouble();
            std::memcpy(target, &x, sizeof x);
            return;
        }
        default:
            break;
    }
    if (type_ == Type::Duration) {
        int32_t parts[2] = {static_cast<int32_t>(element.integer()), element.unit()};
        std::memcpy(target, parts, sizeof parts);
        return;
    }
    if (isDecimal(type_) && (element.type() != type_ || element.extra() != scale_)) {
        takeScaleOf(element.extra());
        return decimal::write(target, type_, decimal::cast(element, type_, scale_));
    }
    if (storageOf(type_) == Storage::Bytes16) {
        std::memcpy(target, element.bytes16(), 16);
        return;
    }
    int64_t x = element.integer();
    std::memcpy(target, &x, width_);  // little-endian: the low bytes
}

void Vector::takeScaleOf(uint8_t scale) {
    if (scale_ == 0) scale_ = scale;
}

__int128 Vector::rawAt(int64_t i) const {
    switch (width_) {
        case 4:
            return isNull(data<int32_t>()[i]) ? null<__int128> : __int128{data<int32_t>()[i]};
        case 8:
            return isNull(data<int64_t>()[i]) ? null<__int128> : __int128{data<int64_t>()[i]};
        default: {
            __int128 raw;
            std::memcpy(&raw, elements_ + i * 16, sizeof raw);
            return raw;
        }
    }
}

bool Vector::isNullAt(int64_t i) const {
    switch (storageOf(type_)) {
        case Storage::Int8:
            return isNull(data<int8_t>()[i]);
        case Storage::Int16:
            return isNull(data<int16_t>()[i]);
        case Storage::Int32:
            return type_ == Type::Symbol ? data<int32_t>()[i] == 0 : isNull(data<int32_t>()[i]);
        case Storage::Int64:
            return type_ == Type::Duration ? isNull(data<int32_t>()[2 * i]) : isNull(data<int64_t>()[i]);
        case Storage::Float32:
            return isNull(data<float>()[i]);
        case Storage::Float64:
            return isNull(data<double>()[i]);
        case Storage::String:
            return data<uint64_t>()[i] == 0;
        case Storage::Bytes16:
            return at(i).isNull();
        default:
            return true;
    }
}

bool Vector::hasNull() const {
    if (!mayHaveNull()) return false;
    for (int64_t i = 0; i < size_; ++i) {
        if (isNullAt(i)) return true;
    }
    properties_.set(VectorProperty::NoNull);
    return false;
}

double Vector::asDouble(int64_t i) const {
    switch (storageOf(type_)) {
        case Storage::Float64:
            return data<double>()[i];
        case Storage::Float32:
            return isNull(data<float>()[i]) ? null<double> : static_cast<double>(data<float>()[i]);
        default: {
            if (isDecimal(type_)) return decimal::toDouble(rawAt(i), scale_);
            int64_t x = asLong(i);
            return isNull(x) ? null<double> : static_cast<double>(x);
        }
    }
}

template <class T>
static int64_t widen(T x) {
    return isNull(x) ? null<int64_t> : static_cast<int64_t>(x);
}

int64_t Vector::asLong(int64_t i) const {
    if (isDecimal(type_)) return decimal::toLong(rawAt(i), scale_);
    switch (storageOf(type_)) {
        case Storage::Int8:
            return widen(data<int8_t>()[i]);
        case Storage::Int16:
            return widen(data<int16_t>()[i]);
        case Storage::Int32:
            return widen(data<int32_t>()[i]);
        case Storage::Int64:
            return data<int64_t>()[i];
        default:
            return at(i).asLong();
    }
}

void Vector::append(const Value& scalar) {
    if (storageOf(type_) == Storage::String || type_ == Type::Symbol) {
        const std::string_view string = scalar.isVoid() ? std::string_view() : scalar.string();
        if (type_ == Type::Symbol) {
            const int32_t code = symbols::intern(string);
            std::memcpy(extend(1), &code, sizeof code);
        } else {
            ownStrings();
            char* target = extend(1);
            const uint64_t handle = arena_->add(string);
            std::memcpy(target, &handle, sizeof handle);
        }
    } else {
        if (!scalar.isScalar()) throw UserError("Expected an element, but this is " + typeString(scalar) + ".");
        write(extend(1), scalar);
    }
    ++size_;
    properties_.clearAll();
}

void Vector::append(const Vector& source, int64_t begin, int64_t count) {
    if (count == 0) return;
    if (isDecimal(type_) && source.scale_ != scale_) {
        if (size_ == 0) takeScaleOf(source.scale_);
        if (source.scale_ != scale_) return append(*decimal::cast(source, type_, scale_), begin, count);
    }
    CHECK(type_ == source.type_ || (isLiteral(type_) && isLiteral(source.type_)))
        << "elements are appended to a vector of their type";
    CHECK(begin >= 0 && count > 0 && begin + count <= source.size_) << "appended elements are of the source";
    const bool isString = storageOf(type_) == Storage::String, sharesStrings = isString && arena_ == source.arena_;
    if (isString && !sharesStrings) ownStrings();
    char* target = extend(count);
    if (sharesStrings || (type_ == source.type_ && !isString)) {
        std::memcpy(target, source.elements_ + begin * width_, static_cast<size_t>(count) * width_);
    } else if (type_ == Type::Symbol) {
        for (int64_t i = 0; i < count; ++i) {
            reinterpret_cast<int32_t*>(target)[i] = symbols::intern(source.string(begin + i));
        }
    } else {
        for (int64_t i = 0; i < count; ++i) {
            reinterpret_cast<uint64_t*>(target)[i] = arena_->add(source.string(begin + i));
        }
    }
    const int64_t seam = size_;
    size_ += count;
    joinFacts(seam, source.properties_);
}

Ref<Vector> Vector::slice(int64_t begin, int64_t count) const {
    Ref<Vector> v(new Vector);
    v->type_ = type_;
    v->scale_ = scale_;
    v->width_ = width_;
    v->properties_ = properties_;
    v->size_ = count;
    v->elements_ = elements_ + begin * width_;
    v->buffer_ = buffer_;
    v->arena_ = arena_;
    return v;
}

Ref<Vector> Vector::copy() const {
    Ref<Vector> v = slice(0, size_);
    v->grow(size_);
    v->isBig_ = isBig_;
    v->name_ = name_;
    return v;
}

Ref<Vector> Vector::handOver() const {
    Ref<Vector> v = slice(0, size_);
    v->isBig_ = isBig_;
    v->name_ = name_;
    if (ownsEnd_.exchange(false, std::memory_order_relaxed)) {
        v->ownsEnd_.store(true, std::memory_order_relaxed);
        v->ownsStrings_ = std::exchange(ownsStrings_, false);
    }
    return v;
}

template <class Position>
Ref<Vector> Vector::gatherElements(const Position* positions, int64_t count) const {
    Ref<Vector> result = make(type_, 0, count);
    result->scale_ = scale_;
    result->arena_ = arena_;  // strings are not copied
    result->ownsStrings_ = false;
    result->size_ = count;
    std::atomic<bool> anyOutside{false};
    withWidth(width_, [&](auto zero) {
        using T = decltype(zero);
        T nullElement;
        writeNulls(type_, reinterpret_cast<char*>(&nullElement), 1);
        const T* from = data<T>();
        T* to = reinterpret_cast<T*>(result->elements_);
        // Random access to far-apart elements waits for memory: several threads wait concurrently.
        constexpr int64_t kPiece = int64_t{1} << 17;
        parallelFor((count + kPiece - 1) / kPiece, [&](int64_t piece) {
            bool outside = false;
            const int64_t end = std::min(count, (piece + 1) * kPiece);
            for (int64_t i = piece * kPiece; i < end; ++i) {
                bool inside = static_cast<uint64_t>(static_cast<int64_t>(positions[i])) < static_cast<uint64_t>(size_);
                to[i] = inside ? from[positions[i]] : nullElement;
                outside |= !inside;
            }
            if (outside) anyOutside.store(true, std::memory_order_relaxed);
        });
    });
    if (!mayHaveNull() && !anyOutside) result->properties_.set(VectorProperty::NoNull);
    return result;
}

Ref<Vector> Vector::gather(const int32_t* positions, int64_t count) const {
    return gatherElements(positions, count);
}
Ref<Vector> Vector::gather(const int64_t* positions, int64_t count) const {
    return gatherElements(positions, count);
}

std::string_view Vector::name() const {
    return symbols::string(name_);
}
void Vector::setName(std::string_view name) {
    name_ = symbols::intern(name);
}

int64_t Vector::memoryBytes() const {
    return size_ * width_ + (arena_ ? arena_->memoryBytes() : 0);
}

}  // namespace pelorus
