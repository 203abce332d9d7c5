#include "runtime/parquet/column_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "common/check.h"
#include "common/error.h"

namespace pelorus::parquet_file {

namespace {

// Levels of one read at most: what is read besides the elements stays in the caches of a core.
constexpr int64_t kPieceRows = 16384;

constexpr int64_t kNanosPerMicro = 1000;

// ---- Conversions of dense values; in place where both have one width.

void scaleMicros(const Column&, const void* raw, int64_t count, char* elements) {
    const auto* from = static_cast<const int64_t*>(raw);
    auto* to = reinterpret_cast<int64_t*>(elements);
    for (int64_t i = 0; i < count; ++i) {
        int64_t nanos;
        to[i] = __builtin_mul_overflow(from[i], kNanosPerMicro, &nanos) ? null<int64_t> : nanos;
    }
}

// A NaN is a missing value in most files; the language's is NULL.
template <class T>
void withoutNaN(const Column&, const void* raw, int64_t count, char* elements) {
    const auto* from = static_cast<const T*>(raw);
    auto* to = reinterpret_cast<T*>(elements);
    for (int64_t i = 0; i < count; ++i) to[i] = std::isnan(from[i]) ? null<T> : from[i];
}

void copyBools(const Column&, const void* raw, int64_t count, char* elements) {
    const auto* from = static_cast<const uint8_t*>(raw);
    for (int64_t i = 0; i < count; ++i) elements[i] = static_cast<char>(from[i] != 0);
}

// Values outside of the type, which a file that contradicts itself has, are NULL.
template <class From, class To>
void narrow(const Column&, const void* raw, int64_t count, char* elements) {
    const auto* from = static_cast<const From*>(raw);
    auto* to = reinterpret_cast<To*>(elements);
    for (int64_t i = 0; i < count; ++i) {
        const From x = from[i];
        to[i] = std::in_range<To>(x) ? static_cast<To>(x) : null<To>;
    }
}

void widenUInt32(const Column&, const void* raw, int64_t count, char* elements) {
    const auto* from = static_cast<const uint32_t*>(raw);
    auto* to = reinterpret_cast<int64_t*>(elements);
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
}

// 12 bytes: nanoseconds of a day, and its Julian number.
void convertInt96(const Column&, const void* raw, int64_t count, char* elements) {
    constexpr int64_t kEpochDay = 2440588, kNanosPerDay = 86'400'000'000'000;
    const auto* from = static_cast<const char*>(raw);
    auto* to = reinterpret_cast<int64_t*>(elements);
    for (int64_t i = 0; i < count; ++i) {
        int64_t nanos;
        int32_t day;
        std::memcpy(&nanos, from + i * 12, 8);
        std::memcpy(&day, from + i * 12 + 8, 4);
        int64_t whole;
        const bool overflows = __builtin_mul_overflow(day - kEpochDay, kNanosPerDay, &whole) ||
                               __builtin_add_overflow(whole, nanos, &whole);
        to[i] = overflows ? null<int64_t> : whole;
    }
}

void convertFloat16(const Column&, const void* raw, int64_t count, char* elements) {
    const auto* from = static_cast<const Bytes*>(raw);
    auto* to = reinterpret_cast<float*>(elements);
    for (int64_t i = 0; i < count; ++i) {
        uint16_t half;
        std::memcpy(&half, from[i].begin, 2);
        const int exponent = half >> 10 & 31, fraction = half & 1023;
        float x = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
        if (exponent == 31) x = fraction == 0 ? INFINITY : null<float>;
        to[i] = half & 0x8000 && !isNull(x) ? -x : x;
    }
}

// The bytes of a UUID stand in a file from the first to the last, in an element from the last to the first.
void convertUuids(const Column&, const void* raw, int64_t count, char* elements) {
    const auto* from = static_cast<const Bytes*>(raw);
    for (int64_t i = 0; i < count; ++i) std::reverse_copy(from[i].begin, from[i].begin + 16, elements + i * 16);
}

// Big-endian two's complement of any length.
__int128 integerOf(std::string_view bytes, bool& fits) {
    fits = bytes.size() <= 16;
    if (!fits) {
        const char sign = static_cast<signed char>(bytes[0]) < 0 ? '\xff' : '\0';
        const size_t extra = bytes.size() - 16;
        fits = bytes.substr(0, extra).find_first_not_of(sign) == std::string_view::npos &&
               (bytes[extra] & 0x80) == (sign & 0x80);
        bytes.remove_prefix(extra);
    }
    auto x = static_cast<unsigned __int128>(!bytes.empty() && static_cast<signed char>(bytes[0]) < 0 ? -1 : 0);
    for (const char byte : bytes) x = x << 8 | static_cast<uint8_t>(byte);
    return static_cast<__int128>(x);
}

template <class T>
void decimalsOfBytes(const Column&, const void* raw, int64_t count, char* elements) {
    const auto* from = static_cast<const Bytes*>(raw);
    for (int64_t i = 0; i < count; ++i) {
        bool fits = true;
        const __int128 whole = integerOf(from[i].view(), fits);
        const T x = fits && static_cast<__int128>(static_cast<T>(whole)) == whole ? static_cast<T>(whole) : null<T>;
        std::memcpy(elements + i * static_cast<int64_t>(sizeof(T)), &x, sizeof(T));
    }
}

template <class From, class To>
void widenDecimals(const Column&, const void* raw, int64_t count, char* elements) {
    const auto* from = static_cast<const From*>(raw);
    for (int64_t i = 0; i < count; ++i) {
        const To x = static_cast<To>(from[i]);
        std::memcpy(elements + i * static_cast<int64_t>(sizeof(To)), &x, sizeof(To));
    }
}

size_t rawBytesOf(Physical physical) {
    switch (physical) {
        case Physical::Bool:
            return 1;
        case Physical::Int32:
        case Physical::Float:
            return 4;
        case Physical::Int64:
        case Physical::Double:
            return 8;
        case Physical::Int96:
            return 12;
        case Physical::Bytes:
        case Physical::FixedBytes:
            return sizeof(Bytes);
    }
    return 0;
}

template <class T>
ConvertValues decimalConversion(Physical physical) {
    switch (physical) {
        case Physical::Int32:
            return sizeof(T) == 4 ? nullptr : widenDecimals<int32_t, T>;
        case Physical::Int64:
            return sizeof(T) == 4   ? narrow<int64_t, int32_t>
                   : sizeof(T) == 8 ? ConvertValues(nullptr)
                                    : widenDecimals<int64_t, T>;
        default:
            return decimalsOfBytes<T>;
    }
}

ConvertValues conversionOf(const Column& column, Type type) {
    switch (type) {
        case Type::Bool:
            return copyBools;
        case Type::Char:
            return narrow<int32_t, int8_t>;
        case Type::Short:
            return narrow<int32_t, int16_t>;
        case Type::Int:
            return column.logical == Logical::UInt16 ? narrow<uint32_t, int32_t> : nullptr;
        case Type::Long:
            if (column.physical == Physical::Int32) return widenUInt32;
            return column.logical == Logical::UInt64 ? narrow<uint64_t, int64_t> : nullptr;
        case Type::Float:
            return column.logical == Logical::Float16 ? convertFloat16 : withoutNaN<float>;
        case Type::Double:
            return withoutNaN<double>;
        case Type::NanoTime:
            return column.logical == Logical::TimeMicros ? scaleMicros : nullptr;
        case Type::NanoTimestamp:
            if (column.physical == Physical::Int96) return convertInt96;
            return column.logical == Logical::TimestampMicros ? scaleMicros : nullptr;
        case Type::Uuid:
        case Type::Int128:
        case Type::IpAddr:
        case Type::Complex:
        case Type::Point:
            return convertUuids;
        case Type::Decimal32:
            return decimalConversion<int32_t>(column.physical);
        case Type::Decimal64:
            return decimalConversion<int64_t>(column.physical);
        case Type::Decimal128:
            return decimalConversion<__int128>(column.physical);
        default:
            return nullptr;
    }
}

template <size_t width>
void spread(char* elements, int64_t levels, int64_t values, const int16_t* definitions, int16_t full,
            const char* null) {
    int64_t from = values;
    for (int64_t to = levels; to-- > 0;) {
        if (definitions[to] == full) {
            --from;
            if (from == to) return;  // those before are where they belong
            std::memcpy(elements + to * width, elements + from * width, width);
        } else {
            std::memcpy(elements + to * width, null, width);
        }
    }
}

// Moves dense elements apart, to the levels that have a value, and puts NULL between them.
void spreadElements(Vector& target, int64_t begin, int64_t levels, int64_t values, const int16_t* definitions,
                    int16_t full) {
    char* elements = target.mutableRaw() + begin * target.width();
    alignas(16) char null[16] = {};
    const Storage storage = storageOf(target.type());
    const auto set = [&](auto x) { std::memcpy(null, &x, sizeof x); };
    if (storage == Storage::Int8) set(pelorus::null<int8_t>);
    if (storage == Storage::Int16) set(pelorus::null<int16_t>);
    if (storage == Storage::Int32 && target.type() != Type::Symbol) set(pelorus::null<int32_t>);
    if (storage == Storage::Int64) set(pelorus::null<int64_t>);
    if (storage == Storage::Float32) set(pelorus::null<float>);
    if (storage == Storage::Float64) set(pelorus::null<double>);
    if (target.type() == Type::Decimal128) set(pelorus::null<__int128>);
    switch (target.width()) {
        case 1:
            return spread<1>(elements, levels, values, definitions, full, null);
        case 2:
            return spread<2>(elements, levels, values, definitions, full, null);
        case 4:
            return spread<4>(elements, levels, values, definitions, full, null);
        case 8:
            return spread<8>(elements, levels, values, definitions, full, null);
        default:
            return spread<16>(elements, levels, values, definitions, full, null);
    }
}

// A file may be wrong: as many definitions must say that there is a value as there are values.
void requireAgreement(const int16_t* definitions, int64_t levels, int64_t values, int16_t full) {
    int64_t counted = 0;
    if (definitions == nullptr) throw SystemError("the column has fewer values than rows");
    for (int64_t i = 0; i < levels; ++i) counted += definitions[i] == full;
    if (counted != values) throw SystemError("levels and values contradict each other");
}

}  // namespace

ReadPlan readPlan(const Column& column, TypeSpec elements) {
    ReadPlan plan;
    plan.column = column;
    plan.type = elements;
    plan.rawBytes = rawBytesOf(column.physical);
    plan.isText = isLiteral(elements.type);
    if (!plan.isText) plan.convert = conversionOf(column, elements.type);
    const bool fitsAsItIs = plan.convert != nullptr || plan.rawBytes == static_cast<size_t>(widthOf(elements.type));
    CHECK(plan.isText || fitsAsItIs) << "a stored value has the width of its element, or is converted";
    return plan;
}

void ColumnReader::convertInto(char* elements, const void* raw, int64_t values) const {
    if (plan_.convert != nullptr) {
        plan_.convert(plan_.column, raw, values, elements);
    } else if (raw != elements) {
        std::memcpy(elements, raw, static_cast<size_t>(values) * plan_.rawBytes);
    }
}

int64_t ColumnReader::readValues(Vector& target, int64_t begin, int64_t count) {
    char* const elements = target.mutableRaw() + begin * target.width();
    const bool inPlace = plan_.rawBytes == static_cast<size_t>(target.width());
    if (!inPlace) raw_.resize(static_cast<size_t>(count) * plan_.rawBytes);
    void* const raw = inPlace ? static_cast<void*>(elements) : raw_.data();
    int16_t* const definitions = plan_.column.maxDefinition > 0 ? definitions_.data() : nullptr;
    int16_t* const repetitions = plan_.column.maxRepetition > 0 ? repetitions_.data() : nullptr;
    const Read got = cursor_->read(count, definitions, repetitions, raw);
    convertInto(elements, raw, got.values);
    if (got.values < got.levels) {
        requireAgreement(definitions, got.levels, got.values, plan_.column.maxDefinition);
        spreadElements(target, begin, got.levels, got.values, definitions, plan_.column.maxDefinition);
    }
    return got.levels;
}

int64_t ColumnReader::readStrings(Vector& target, int64_t begin, int64_t count) {
    texts_.resize(static_cast<size_t>(count));
    int16_t* const definitions = plan_.column.maxDefinition > 0 ? definitions_.data() : nullptr;
    const Read got = cursor_->read(count, definitions, nullptr, texts_.data());
    if (got.values < got.levels) requireAgreement(definitions, got.levels, got.values, plan_.column.maxDefinition);
    for (int64_t i = 0, value = 0; i < got.levels; ++i) {
        const bool isNull = got.values < got.levels && definitions[i] != plan_.column.maxDefinition;
        target.setString(begin + i, isNull ? std::string_view() : texts_[static_cast<size_t>(value++)].view());
    }
    return got.levels;
}

int64_t ColumnReader::readCodes(Vector& target, int64_t begin, int64_t count) {
    codes_.resize(static_cast<size_t>(count));
    int16_t* const definitions = plan_.column.maxDefinition > 0 ? definitions_.data() : nullptr;
    const Bytes* dictionary = nullptr;
    int32_t size = 0;
    const Read got = cursor_->readCodes(count, definitions, nullptr, codes_.data(), dictionary, size);
    if (got.values < got.levels) requireAgreement(definitions, got.levels, got.values, plan_.column.maxDefinition);
    elements_.resize(static_cast<size_t>(size), 0);
    const bool isSymbol = target.type() == Type::Symbol;
    const auto elementAt = [&](int64_t i) {
        return isSymbol ? static_cast<uint64_t>(static_cast<uint32_t>(target.data<int32_t>()[i]))
                        : target.data<uint64_t>()[i];
    };
    char* const raw = target.mutableRaw();
    for (int64_t i = 0, value = 0; i < got.levels; ++i) {
        uint64_t element = 0;
        if (got.values == got.levels || definitions[i] == plan_.column.maxDefinition) {
            const auto code = static_cast<uint32_t>(codes_[static_cast<size_t>(value++)]);
            if (code >= static_cast<uint32_t>(size)) throw SystemError("a code is not in its dictionary");
            element = elements_[code];
            if (element == 0) {
                target.setString(begin + i, dictionary[code].view());
                elements_[code] = element = elementAt(begin + i);
            }
        }
        if (isSymbol) {
            const auto code = static_cast<int32_t>(element);
            std::memcpy(raw + (begin + i) * 4, &code, 4);
        } else {
            std::memcpy(raw + (begin + i) * 8, &element, 8);
        }
    }
    return got.levels;
}

void ColumnReader::skip(int64_t rows) {
    cursor_->skip(rows);
    position_ += rows;
}

void ColumnReader::read(Vector& target, int64_t begin, int64_t rows) {
    if (plan_.column.maxDefinition > 0) definitions_.resize(kPieceRows);
    if (plan_.type.type != Type::Symbol) elements_.clear();  // they are in the arena of another vector
    for (int64_t done = 0; done < rows;) {
        const int64_t count = std::min(kPieceRows, rows - done);
        const int64_t got = !plan_.isText         ? readValues(target, begin + done, count)
                            : cursor_->hasCodes() ? readCodes(target, begin + done, count)
                                                  : readStrings(target, begin + done, count);
        if (got <= 0) throw SystemError("the column ends before its last row");
        CHECK(got <= count) << "a cursor reads no more levels than it was asked for";
        done += got;
        position_ += got;
    }
}

Ref<ArrayVector> ColumnReader::readLists(int64_t rows) {
    definitions_.resize(kPieceRows);
    repetitions_.resize(kPieceRows);
    Ref<Vector> values = Vector::make(plan_.type.type, 0);
    values->setScale(plan_.type.scale);
    Ref<Vector> piece = Vector::make(plan_.type.type, kPieceRows);
    piece->setScale(plan_.type.scale);
    std::vector<int32_t> ends;
    for (;;) {
        // Each level is one element: an empty list and a NULL are lists of one NULL here.
        const int64_t got = readValues(*piece, 0, kPieceRows);
        if (got <= 0) break;
        for (int64_t i = 0; i < got; ++i) {
            const int64_t element = values->size() + i;
            if (element > INT32_MAX - kPieceRows)
                throw SystemError("the lists have more than 2^31 elements, which is what one array vector holds");
            if (repetitions_[static_cast<size_t>(i)] == 0 && element > 0) ends.push_back(static_cast<int32_t>(element));
        }
        values->append(*piece, 0, got);
    }
    if (values->size() > 0) ends.push_back(static_cast<int32_t>(values->size()));
    if (static_cast<int64_t>(ends.size()) != rows) throw SystemError("the lists are not as many as the rows");
    position_ += rows;
    return makeRef<ArrayVector>(std::move(values), ends);
}

}  // namespace pelorus::parquet_file
