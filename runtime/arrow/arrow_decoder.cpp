#include "runtime/arrow/arrow_decoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "runtime/arrow/packed_buffer.h"
#include "runtime/arrow/parallel_rows.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/decimal.h"

namespace pelorus::arrow {

namespace {

// Rows of one batch at most: places in it are integers of 32 bits.
constexpr int64_t kMaxRows = INT32_MAX - 1;
constexpr int64_t kNanosPerMicro = 1000;
constexpr int64_t kMillisPerSecond = 1000;

bool isSet(const uint8_t* bits, int64_t i) {
    return bits == nullptr || (bits[i / 8] >> i % 8 & 1) != 0;
}

template <class T>
T load(const char* from, int64_t i) {
    T x;
    std::memcpy(&x, from + i * static_cast<int64_t>(sizeof(T)), sizeof x);
    return x;
}

// Converts stored values of type From, which are NULL where the bits say so or where they are none of type To.
template <class From, class To, class F>
void convert(const char* from, const uint8_t* validity, int64_t rows, To* to, F&& f) {
    inParallel(rows, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = isSet(validity, i) ? f(load<From>(from, i)) : null<To>;
    });
}

template <class T>
void copy(const char* from, const uint8_t* validity, int64_t rows, T* to) {
    inParallel(rows, [&](int64_t begin, int64_t end) {
        if (begin == end) return;
        std::memcpy(to + begin, from + begin * static_cast<int64_t>(sizeof(T)),
                    static_cast<size_t>(end - begin) * sizeof(T));
        for (int64_t i = begin; validity && i < end; ++i) {
            if (!isSet(validity, i)) to[i] = null<T>;
        }
    });
}

template <class From, class To>
void narrow(const char* from, const uint8_t* validity, int64_t rows, To* to) {
    convert<From>(from, validity, rows, to,
                  [](From x) { return std::in_range<To>(x) ? static_cast<To>(x) : null<To>; });
}

void scale(const char* from, const uint8_t* validity, int64_t rows, int64_t* to, int64_t factor) {
    convert<int64_t>(from, validity, rows, to, [factor](int64_t x) {
        int64_t scaled;
        return __builtin_mul_overflow(x, factor, &scaled) ? null<int64_t> : scaled;
    });
}

// A NaN is a missing value in most data; the language's is NULL.
template <class T>
void copyReals(const char* from, const uint8_t* validity, int64_t rows, T* to) {
    convert<T>(from, validity, rows, to, [](T x) { return std::isnan(x) ? null<T> : x; });
}

float ofHalf(uint16_t half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 31 && fraction != 0) return null<float>;
    const float x = exponent == 31  ? INFINITY
                    : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                    : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    return (half & 0x8000) != 0 ? -x : x;
}

void copyIntegers(const ArrowField& field, const char* from, const uint8_t* validity, int64_t rows, Vector& target) {
    char* const to = target.mutableRaw();
    switch (field.bitWidth * 2 + field.isSigned) {
        case 8 * 2 + 1:
            return copy(from, validity, rows, reinterpret_cast<int8_t*>(to));
        case 8 * 2:
            return narrow<uint8_t>(from, validity, rows, reinterpret_cast<int16_t*>(to));
        case 16 * 2 + 1:
            return copy(from, validity, rows, reinterpret_cast<int16_t*>(to));
        case 16 * 2:
            return narrow<uint16_t>(from, validity, rows, reinterpret_cast<int32_t*>(to));
        case 32 * 2 + 1:
            return copy(from, validity, rows, reinterpret_cast<int32_t*>(to));
        case 32 * 2:
            return narrow<uint32_t>(from, validity, rows, reinterpret_cast<int64_t*>(to));
        case 64 * 2 + 1:
            return copy(from, validity, rows, reinterpret_cast<int64_t*>(to));
        default:
            return narrow<uint64_t>(from, validity, rows, reinterpret_cast<int64_t*>(to));
    }
}

void copyDecimals(int bits, const char* from, const uint8_t* validity, int64_t rows, Vector& target) {
    for (int64_t i = 0; i < rows; ++i) {
        __int128 whole = null<__int128>;
        if (isSet(validity, i)) {
            whole = bits == 32 ? load<int32_t>(from, i) : bits == 64 ? load<int64_t>(from, i) : load<__int128>(from, i);
            if (!decimal::fits(whole, target.type())) whole = null<__int128>;
        }
        decimal::put(target, i, whole);
    }
}

bool isText(ArrowType type) {
    return type == ArrowType::Utf8 || type == ArrowType::LargeUtf8 || type == ArrowType::Binary ||
           type == ArrowType::LargeBinary;
}

}  // namespace

BatchDecoder::BatchDecoder(const FlatView& batch, std::string_view body, Reserve reserve)
    : rows_(batch.number<int64_t>(0, 0)),
      body_(body),
      nodes_(batch.structs(1, 16)),
      places_(batch.structs(2, 16)),
      reserve_(std::move(reserve)) {
    if (rows_ < 0 || rows_ > kMaxRows) refuseArrow("a batch has a number of rows that it cannot have");
    if (batch.has(3)) codec_ = batch.table(3).number<int8_t>(0, 0);
}

BatchDecoder::BatchDecoder(int64_t rows, std::string_view nodes, std::vector<std::string_view> buffers)
    : rows_(rows), nodes_(nodes), buffers_(std::move(buffers)), reserve_([](int64_t) {}) {
    if (rows_ < 0 || rows_ > kMaxRows) refuseArrow("a batch has a number of rows that it cannot have");
}

BatchDecoder::Node BatchDecoder::takeNode(const ArrowField& field, int64_t expected) {
    if (node_ * 16 + 16 > nodes_.size()) refuseArrow("a batch has fewer columns than its schema");
    Node node;
    node.length = load<int64_t>(nodes_.data() + node_ * 16, 0);
    const int64_t nulls = load<int64_t>(nodes_.data() + node_ * 16 + 8, 0);
    ++node_;
    if (node.length != expected) refuseArrow("the column " + field.name + " has not as many elements as it must");
    if (field.type == ArrowType::Null && !field.dictionary) return node;
    const std::string_view bits = takeBuffer();
    if (nulls == 0 || bits.empty()) return node;
    if (static_cast<int64_t>(bits.size()) < (node.length + 7) / 8)
        refuseArrow("the column " + field.name + " does not say of each element whether it is there");
    node.validity = reinterpret_cast<const uint8_t*>(bits.data());
    return node;
}

std::string_view BatchDecoder::takeBuffer() {
    if (buffer_ < buffers_.size()) return buffers_[buffer_++];
    if (buffer_ * 16 + 16 > places_.size()) refuseArrow("a batch has fewer buffers than its columns need");
    const int64_t begin = load<int64_t>(places_.data() + buffer_ * 16, 0);
    const int64_t size = load<int64_t>(places_.data() + buffer_ * 16 + 8, 0);
    ++buffer_;
    const auto all = static_cast<int64_t>(body_.size());
    if (begin < 0 || size < 0 || begin > all || size > all - begin) refuseArrow("a buffer is not within its batch");
    const std::string_view bytes = body_.substr(static_cast<size_t>(begin), static_cast<size_t>(size));
    if (codec_ < 0 || bytes.empty()) return bytes;
    std::unique_ptr<Buffer> unpacked;
    reserve_(unpackedBytes(bytes));
    const std::string_view plain = unpack(bytes, codec_, unpacked);
    if (unpacked) unpacked_.push_back(std::move(unpacked));
    return plain;
}

std::string_view BatchDecoder::takeBuffer(int64_t elements, size_t elementBytes) {
    const std::string_view bytes = takeBuffer();
    // Both are below 2^32: the product does not overflow.
    if (bytes.size() < static_cast<size_t>(elements) * elementBytes)
        refuseArrow("a buffer has fewer bytes than its elements");
    return bytes;
}

template <class Offset>
std::vector<int64_t> BatchDecoder::takeOffsets(int64_t rows) {
    std::vector<int64_t> offsets{0};
    const std::string_view bytes = takeBuffer();
    if (rows == 0 && bytes.empty()) return offsets;  // empty arrays may have none
    if (bytes.size() < static_cast<size_t>(rows + 1) * sizeof(Offset))
        refuseArrow("a buffer has fewer bytes than its elements");
    offsets[0] = load<Offset>(bytes.data(), 0);
    if (offsets[0] < 0) refuseArrow("an element begins before its bytes");
    offsets.reserve(static_cast<size_t>(rows) + 1);
    for (int64_t i = 1; i <= rows; ++i) {
        offsets.push_back(load<Offset>(bytes.data(), i));
        if (offsets.back() < offsets[static_cast<size_t>(i - 1)]) refuseArrow("an element ends before it begins");
    }
    return offsets;
}

template <class Offset>
void BatchDecoder::takeTexts(Vector& target, const Node& node) {
    const std::vector<int64_t> offsets = takeOffsets<Offset>(node.length);
    const std::string_view bytes = takeBuffer();
    if (offsets.back() > static_cast<int64_t>(bytes.size())) refuseArrow("a string ends behind its bytes");
    for (int64_t i = 0; i < node.length; ++i) {
        const auto begin = static_cast<size_t>(offsets[static_cast<size_t>(i)]);
        const auto end = static_cast<size_t>(offsets[static_cast<size_t>(i) + 1]);
        target.setString(i, isSet(node.validity, i) ? bytes.substr(begin, end - begin) : std::string_view());
    }
}

void BatchDecoder::takeIndexes(const ArrowField& field, Vector& target, const Node& node,
                               const Dictionaries& dictionaries) {
    const int bits = field.dictionary->indexBits;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) refuseArrow("indexes of a dictionary have no known width");
    const std::string_view bytes = takeBuffer(node.length, static_cast<size_t>(bits) / 8);
    const auto known = dictionaries.find(field.dictionary->id);
    const int64_t size = known == dictionaries.end() ? 0 : known->second->size();
    // Each string of the dictionary is put into the column once.
    std::vector<int64_t> first(static_cast<size_t>(size), -1);
    const bool isSymbol = target.type() == Type::Symbol;
    const int width = target.width();
    for (int64_t i = 0; i < node.length; ++i) {
        if (!isSet(node.validity, i)) {
            target.setString(i, {});
            continue;
        }
        const int64_t index =
            bits == 8    ? field.dictionary->isSigned ? load<int8_t>(bytes.data(), i) : load<uint8_t>(bytes.data(), i)
               : bits == 16 ? field.dictionary->isSigned ? load<int16_t>(bytes.data(), i) : load<uint16_t>(bytes.data(), i)
               : bits == 32 ? load<int32_t>(bytes.data(), i)
                         : load<int64_t>(bytes.data(), i);
        if (index < 0 || index >= size) refuseArrow("an index is not in its dictionary");
        int64_t& place = first[static_cast<size_t>(index)];
        if (place < 0) {
            place = i;
            isSymbol && known->second->type() == Type::Symbol
                ? static_cast<void>(target.mutableData<int32_t>()[i] = known->second->data<int32_t>()[index])
                : target.setString(i, known->second->string(index));
        } else {
            char* const raw = target.mutableRaw();
            std::memcpy(raw + i * width, raw + place * width, static_cast<size_t>(width));
        }
    }
}

void BatchDecoder::takeFixed(const ArrowField& field, Vector& target, const Node& node) {
    const std::string_view buffer = field.type == ArrowType::Bool ? takeBuffer((node.length + 7) / 8, 1)
                                                                  : takeBuffer(node.length, elementBytes(field));
    const char* const bytes = buffer.data();
    const int64_t n = node.length;
    switch (field.type) {
        case ArrowType::Bool: {
            auto* to = target.mutableData<int8_t>();
            for (int64_t i = 0; i < n; ++i)
                to[i] = isSet(node.validity, i) ? isSet(reinterpret_cast<const uint8_t*>(bytes), i) : null<int8_t>;
            return;
        }
        case ArrowType::Int:
            return copyIntegers(field, bytes, node.validity, n, target);
        case ArrowType::Float:
            if (field.bitWidth == 64) return copyReals(bytes, node.validity, n, target.mutableData<double>());
            if (field.bitWidth == 32) return copyReals(bytes, node.validity, n, target.mutableData<float>());
            return convert<uint16_t>(bytes, node.validity, n, target.mutableData<float>(), ofHalf);
        case ArrowType::Decimal:
            return copyDecimals(field.bitWidth, bytes, node.validity, n, target);
        case ArrowType::Date:
            return field.bitWidth == 32 ? copy(bytes, node.validity, n, target.mutableData<int32_t>())
                                        : copy(bytes, node.validity, n, target.mutableData<int64_t>());
        case ArrowType::Time:
            if (field.bitWidth == 32) return copy(bytes, node.validity, n, target.mutableData<int32_t>());
            return scale(bytes, node.validity, n, target.mutableData<int64_t>(),
                         field.unit == ArrowUnit::Micro ? kNanosPerMicro : 1);
        case ArrowType::Timestamp:
            return scale(bytes, node.validity, n, target.mutableData<int64_t>(),
                         field.unit == ArrowUnit::Second  ? kMillisPerSecond
                         : field.unit == ArrowUnit::Micro ? kNanosPerMicro
                                                          : 1);
        case ArrowType::FixedBinary:
            if (target.width() == 16 && storageOf(target.type()) == Storage::Bytes16) {
                char* const to = target.mutableRaw();
                for (int64_t i = 0; i < n; ++i) {
                    std::reverse_copy(bytes + i * 16, bytes + i * 16 + 16, to + i * 16);
                    if (!isSet(node.validity, i)) std::memset(to + i * 16, 0, 16);
                }
                return;
            }
            for (int64_t i = 0; i < n; ++i) {
                const auto size = static_cast<size_t>(field.fixedSize);
                const std::string_view one(bytes + static_cast<size_t>(i) * size, size);
                target.setString(i, isSet(node.validity, i) ? one : std::string_view());
            }
            return;
        default:
            refuseArrow("a type is not known");
    }
}

Ref<Vector> BatchDecoder::takeElements(const ArrowField& field, TypeSpec type, int64_t rows,
                                       const Dictionaries& dictionaries) {
    // The type of the data as Arrow has them, before a type of the language that Arrow lacks is made of it.
    std::string obstacle;
    ArrowField plain = field;
    plain.metadata.clear();
    const TypeSpec read = typeOf(plain, obstacle);
    if (!obstacle.empty()) refuseArrow("the column " + field.name + " is " + obstacle);
    const bool isAsRead = isLiteral(type.type) || isDecimal(type.type) || storageOf(type.type) == Storage::Bytes16;
    const bool isString = isLiteral(read.type) && !isLiteral(type.type);
    const Node node = takeNode(field, rows);
    reserve_(rows * widthOf(read.type));
    Ref<Vector> elements = Vector::make(isAsRead && !isString ? type.type : read.type, rows);
    elements->setScale(type.scale);
    if (field.type == ArrowType::Null && !field.dictionary) {
        for (int64_t i = 0; i < rows; ++i) elements->set(i, Value());
    } else if (field.dictionary) {
        takeIndexes(field, *elements, node, dictionaries);
    } else if (isText(field.type)) {
        const bool isLarge = field.type == ArrowType::LargeUtf8 || field.type == ArrowType::LargeBinary;
        isLarge ? takeTexts<int64_t>(*elements, node) : takeTexts<int32_t>(*elements, node);
    } else {
        takeFixed(field, *elements, node);
    }
    return elements->type() == type.type ? elements : cast(*elements, type.type);
}

Value BatchDecoder::takeList(const ArrowField& field, TypeSpec type) {
    const Node node = takeNode(field, rows_);
    std::vector<int64_t> offsets;
    if (field.type == ArrowType::FixedList) {
        if (static_cast<int64_t>(field.fixedSize) * node.length > kMaxRows) refuseArrow("lists have too many elements");
        for (int64_t i = 0; i <= node.length; ++i) offsets.push_back(i * field.fixedSize);
    } else {
        offsets = field.type == ArrowType::List ? takeOffsets<int32_t>(node.length) : takeOffsets<int64_t>(node.length);
    }
    const ArrowField& child = field.children[0];
    if (node_ * 16 + 8 > nodes_.size()) refuseArrow("a batch has fewer columns than its schema");
    const int64_t count = load<int64_t>(nodes_.data() + node_ * 16, 0);
    if (count < offsets.back() || count > kMaxRows) refuseArrow("a list ends behind its elements");
    const Ref<Vector> all = takeElements(child, {elementTypeOf(type.type), type.scale}, count, {});
    // A list that is missing or empty is a list of one NULL here.
    std::vector<int64_t> positions;
    std::vector<int32_t> ends;
    for (int64_t i = 0; i < node.length; ++i) {
        const int64_t begin = offsets[static_cast<size_t>(i)], end = offsets[static_cast<size_t>(i) + 1];
        if (!isSet(node.validity, i) || begin == end) {
            positions.push_back(-1);
        } else {
            for (int64_t k = begin; k < end; ++k) positions.push_back(k);
        }
        if (positions.size() > static_cast<size_t>(kMaxRows)) refuseArrow("lists have too many elements");
        ends.push_back(static_cast<int32_t>(positions.size()));
    }
    Ref<Vector> values = all->gather(positions.data(), static_cast<int64_t>(positions.size()));
    return Value::of(makeRef<ArrayVector>(std::move(values), ends));
}

Value BatchDecoder::take(const ArrowField& field, TypeSpec type, const Dictionaries& dictionaries) {
    if (isArrayType(type.type)) return takeList(field, type);
    return Value::of(takeElements(field, type, rows_, dictionaries));
}

void BatchDecoder::skip(const ArrowField& field) {
    const auto pass = [&](size_t buffers) {
        ++node_;
        buffer_ += buffers;
    };
    if (field.dictionary) return pass(2);
    switch (field.type) {
        case ArrowType::Null:
            return pass(0);
        case ArrowType::Binary:
        case ArrowType::Utf8:
        case ArrowType::LargeBinary:
        case ArrowType::LargeUtf8:
            return pass(3);
        case ArrowType::Struct:
        case ArrowType::FixedList:
            pass(1);
            break;
        case ArrowType::List:
        case ArrowType::LargeList:
        case ArrowType::Map:
            pass(2);
            break;
        case ArrowType::Union:
            throw DamagedArrow("The column " + field.name + " is a union, whose parts cannot be passed over.");
        default:
            if (field.type > ArrowType::LargeList || field.type < ArrowType::Null)
                throw DamagedArrow("The column " + field.name + " is of a type that is not known here.");
            return pass(2);
    }
    for (const ArrowField& child : field.children) skip(child);
}

}  // namespace pelorus::arrow
