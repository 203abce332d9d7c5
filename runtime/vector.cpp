#include "runtime/vector.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "common/cancellation.h"
#include "common/error.h"
#include "common/thread_pool.h"
#include "runtime/decimal.h"
#include "runtime/format/print.h"
#include "runtime/item_width.h"
#include "runtime/symbol_base.h"

namespace pelorus {

Vector::Vector(Type type, int64_t size, int64_t capacity)
    : type_(type), width_(static_cast<uint8_t>(widthOf(type))), size_(size) {
    // A Value would take it for an ArrayVector.
    if (isArrayType(type)) {
        throw UserError("This does not support array vectors, but was given " + std::string(typeName(type)) + ".",
                        "Take its items with flatten(X), or call a function for each row with byRow.");
    }
    capacity = std::max(size, capacity);
    buffer_ = std::make_shared<Buffer>(static_cast<size_t>(capacity) * width_);
    items_ = buffer_->begin();
    if (storageOf(type) == Storage::Text) {
        arena_ = std::make_shared<TextArena>();
        std::memset(items_, 0, static_cast<size_t>(size) * width_);
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
        case Storage::Text:
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
        T nullItem = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));
        std::fill_n(reinterpret_cast<T*>(target), count, nullItem);
    });
}

Ref<Vector> Vector::filled(Type type, int64_t size, const Value& item) {
    Ref<Vector> v = make(type, size);
    if (isDecimal(type) && isDecimal(item.type())) v->scale_ = item.extra();  // a NULL's too
    if (size == 0) return v;
    v->set(0, item);
    withWidth(v->width_, [&](auto zero) {
        using T = decltype(zero);
        T* items = reinterpret_cast<T*>(v->items_);
        std::fill(items + 1, items + size, items[0]);
    });
    if (!item.isNull()) v->mayHaveNull_ = false;
    return v;
}

Ref<Vector> Vector::ofStrings(const std::vector<std::string>& items, Type type) {
    Ref<Vector> v = make(type, static_cast<int64_t>(items.size()));
    inPieces(v->size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) v->setText(i, items[static_cast<size_t>(i)]);
    });
    return v;
}

char* Vector::mutableRaw() {
    if (buffer_.use_count() > 1) grow(size_);
    mayHaveNull_ = true;
    return items_;
}

// Moves the items to a buffer of their own.
void Vector::grow(int64_t capacity) {
    auto buffer = std::make_shared<Buffer>(static_cast<size_t>(std::max(capacity, size_)) * width_);
    std::memcpy(buffer->begin(), items_, static_cast<size_t>(size_) * width_);
    buffer_ = std::move(buffer);
    items_ = buffer_->begin();
    if (arena_ && arena_.use_count() > 1) {
        // Another vector may append to the old arena: texts move to one that only this vector writes.
        auto arena = std::make_shared<TextArena>();
        auto* handles = reinterpret_cast<uint64_t*>(items_);
        for (int64_t i = 0; i < size_; ++i) handles[i] = arena->add(arena_->get(handles[i]));
        arena_ = std::move(arena);
    }
}

void Vector::reserve(int64_t capacity) {
    int64_t available =
        (static_cast<int64_t>(buffer_->sizeBytes()) - (items_ - buffer_->begin())) / std::max<int>(width_, 1);
    if (buffer_.use_count() > 1 || capacity > available) grow(std::max(capacity, size_ + size_ / 2));
}

void Vector::resize(int64_t size) {
    if (size > size_) {
        reserve(size);
        writeNulls(type_, items_ + size_ * width_, size - size_);
        mayHaveNull_ = true;
    }
    size_ = size;
}

std::string_view Vector::text(int64_t i) const {
    return type_ == Type::Symbol ? symbols::text(items<int32_t>()[i]) : arena_->get(items<uint64_t>()[i]);
}

void Vector::setText(int64_t i, std::string_view text) {
    if (type_ == Type::Symbol) {
        mutableItems<int32_t>()[i] = symbols::intern(text);
        return;
    }
    auto* handles = mutableItems<uint64_t>();
    if (arena_.use_count() > 1) {
        grow(size_);
        handles = reinterpret_cast<uint64_t*>(items_);
    }
    handles[i] = arena_->add(text);
}

Value Vector::at(int64_t i) const {
    switch (storageOf(type_)) {
        case Storage::Int8:
            return Value::scalar(type_, items<int8_t>()[i]);
        case Storage::Int16:
            return Value::scalar(type_, items<int16_t>()[i]);
        case Storage::Int32:
            if (type_ == Type::Symbol) return Value::ofString(text(i), Type::Symbol);
            break;
        case Storage::Int64:
            if (type_ == Type::Duration) {
                const int32_t* parts = items<int32_t>() + 2 * i;
                return Value::ofDuration(parts[0], parts[1]);
            }
            break;
        case Storage::Float32:
            return Value::ofFloat(items<float>()[i]);
        case Storage::Float64:
            return Value::ofDouble(items<double>()[i]);
        case Storage::Text:
            return Value::ofString(text(i), type_);
        case Storage::Bytes16: {
            Value v = Value::ofBytes16(type_, raw() + i * 16);
            v.setExtra(scale_);
            return v;
        }
        default:
            return Value();
    }
    Value v = Value::scalar(type_, width_ == 4 ? items<int32_t>()[i] : items<int64_t>()[i]);
    v.setExtra(scale_);
    return v;
}

void Vector::set(int64_t i, const Value& item) {
    if (storageOf(type_) == Storage::Text || type_ == Type::Symbol) {
        setText(i, item.isVoid() ? std::string_view() : item.text());
        return;
    }
    if (!item.isScalar()) throw UserError("Expected an item, but this is " + typeString(item) + ".");
    char* target = mutableRaw() + i * width_;
    if (item.isNull()) {
        writeNulls(type_, target, 1);
        return;
    }
    switch (storageOf(type_)) {
        case Storage::Float32: {
            float x = static_cast<float>(item.asDouble());
            std::memcpy(target, &x, sizeof x);
            return;
        }
        case Storage::Float64: {
            double x = item.asDouble();
            std::memcpy(target, &x, sizeof x);
            return;
        }
        default:
            break;
    }
    if (type_ == Type::Duration) {
        int32_t parts[2] = {static_cast<int32_t>(item.integer()), item.unit()};
        std::memcpy(target, parts, sizeof parts);
        return;
    }
    if (isDecimal(type_) && (item.type() != type_ || item.extra() != scale_)) {
        takeScaleOf(item.extra());
        return decimal::write(target, type_, decimal::cast(item, type_, scale_));
    }
    if (storageOf(type_) == Storage::Bytes16) {
        std::memcpy(target, item.bytes16(), 16);
        return;
    }
    int64_t x = item.integer();
    std::memcpy(target, &x, width_);  // little-endian: the low bytes
}

void Vector::takeScaleOf(uint8_t scale) {
    if (scale_ == 0) scale_ = scale;
}

__int128 Vector::rawAt(int64_t i) const {
    switch (width_) {
        case 4:
            return isNull(items<int32_t>()[i]) ? null<__int128> : __int128{items<int32_t>()[i]};
        case 8:
            return isNull(items<int64_t>()[i]) ? null<__int128> : __int128{items<int64_t>()[i]};
        default: {
            __int128 raw;
            std::memcpy(&raw, items_ + i * 16, sizeof raw);
            return raw;
        }
    }
}

bool Vector::isNullAt(int64_t i) const {
    switch (storageOf(type_)) {
        case Storage::Int8:
            return isNull(items<int8_t>()[i]);
        case Storage::Int16:
            return isNull(items<int16_t>()[i]);
        case Storage::Int32:
            return type_ == Type::Symbol ? items<int32_t>()[i] == 0 : isNull(items<int32_t>()[i]);
        case Storage::Int64:
            return type_ == Type::Duration ? isNull(items<int32_t>()[2 * i]) : isNull(items<int64_t>()[i]);
        case Storage::Float32:
            return isNull(items<float>()[i]);
        case Storage::Float64:
            return isNull(items<double>()[i]);
        case Storage::Text:
            return items<uint64_t>()[i] == 0;
        case Storage::Bytes16:
            return at(i).isNull();
        default:
            return true;
    }
}

bool Vector::hasNull() const {
    if (!mayHaveNull_) return false;
    for (int64_t i = 0; i < size_; ++i) {
        if (isNullAt(i)) return true;
    }
    mayHaveNull_ = false;
    return false;
}

double Vector::asDouble(int64_t i) const {
    switch (storageOf(type_)) {
        case Storage::Float64:
            return items<double>()[i];
        case Storage::Float32:
            return isNull(items<float>()[i]) ? null<double> : static_cast<double>(items<float>()[i]);
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
            return widen(items<int8_t>()[i]);
        case Storage::Int16:
            return widen(items<int16_t>()[i]);
        case Storage::Int32:
            return widen(items<int32_t>()[i]);
        case Storage::Int64:
            return items<int64_t>()[i];
        default:
            return at(i).asLong();
    }
}

void Vector::append(const Value& scalar) {
    resize(size_ + 1);
    set(size_ - 1, scalar);
}

void Vector::append(const Vector& source, int64_t begin, int64_t count) {
    if (count == 0) return;
    if (isDecimal(type_) && source.scale_ != scale_) {
        if (size_ == 0) takeScaleOf(source.scale_);
        if (source.scale_ != scale_) return append(*decimal::cast(source, type_, scale_), begin, count);
    }
    reserve(size_ + count);
    char* target = items_ + size_ * width_;
    if (type_ == source.type_ && storageOf(type_) != Storage::Text) {
        std::memcpy(target, source.items_ + begin * width_, static_cast<size_t>(count) * width_);
    } else if (type_ == Type::Symbol) {
        for (int64_t i = 0; i < count; ++i) {
            reinterpret_cast<int32_t*>(target)[i] = symbols::intern(source.text(begin + i));
        }
    } else {
        if (arena_.use_count() > 1) {
            grow(size_ + count);
            target = items_ + size_ * width_;
        }
        for (int64_t i = 0; i < count; ++i) {
            reinterpret_cast<uint64_t*>(target)[i] = arena_->add(source.text(begin + i));
        }
    }
    size_ += count;
    mayHaveNull_ = mayHaveNull_ || source.mayHaveNull_;
}

Ref<Vector> Vector::slice(int64_t begin, int64_t count) const {
    Ref<Vector> v(new Vector);
    v->type_ = type_;
    v->scale_ = scale_;
    v->width_ = width_;
    v->mayHaveNull_ = mayHaveNull_;
    v->size_ = count;
    v->items_ = items_ + begin * width_;
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

template <class Position>
Ref<Vector> Vector::gatherItems(const Position* positions, int64_t count) const {
    Ref<Vector> result = make(type_, 0, count);
    result->scale_ = scale_;
    result->arena_ = arena_;  // texts stay where they are
    result->size_ = count;
    std::atomic<bool> anyOutside{false};
    withWidth(width_, [&](auto zero) {
        using T = decltype(zero);
        T nullItem;
        writeNulls(type_, reinterpret_cast<char*>(&nullItem), 1);
        const T* from = items<T>();
        T* to = reinterpret_cast<T*>(result->items_);
        // Far-apart items are waited for: several threads wait at once.
        constexpr int64_t kPiece = int64_t{1} << 17;
        parallelFor((count + kPiece - 1) / kPiece, [&](int64_t piece) {
            bool outside = false;
            const int64_t end = std::min(count, (piece + 1) * kPiece);
            for (int64_t i = piece * kPiece; i < end; ++i) {
                bool inside = static_cast<uint64_t>(static_cast<int64_t>(positions[i])) < static_cast<uint64_t>(size_);
                to[i] = inside ? from[positions[i]] : nullItem;
                outside |= !inside;
            }
            if (outside) anyOutside.store(true, std::memory_order_relaxed);
        });
    });
    result->mayHaveNull_ = mayHaveNull_ || anyOutside.load();
    return result;
}

Ref<Vector> Vector::gather(const int32_t* positions, int64_t count) const {
    return gatherItems(positions, count);
}
Ref<Vector> Vector::gather(const int64_t* positions, int64_t count) const {
    return gatherItems(positions, count);
}

std::string_view Vector::name() const {
    return symbols::text(name_);
}
void Vector::setName(std::string_view name) {
    name_ = symbols::intern(name);
}

int64_t Vector::memoryBytes() const {
    return size_ * width_ + (arena_ ? arena_->memoryBytes() : 0);
}

}  // namespace pelorus
