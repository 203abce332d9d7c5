#include <algorithm>
#include <array>
#include <cmath>

#include "common/error.h"
#include "runtime/serialize/compressed_column.h"
#include "runtime/serialize/value_decoder.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/symbol_base.h"

namespace pelorus {
namespace {

constexpr uint8_t kSymbolWithBase = 145;
constexpr int64_t kStringBytes = 24;  // size of a string element, without its bytes
constexpr int64_t kFirstPieceBytes = int64_t{1} << 20;

bool isArrayVector(uint8_t id) {
    return id >= kArrayVectorBase && id < kArrayVectorBase + kTypeCount;
}

// Clients that know no NULL of floating point send NaN, in whatever width they had it.
template <class T>
void nullForNaN(Vector& v) {
    T* elements = v.mutableData<T>();
    for (int64_t i = 0; i < v.size(); ++i) elements[i] = std::isnan(elements[i]) ? null<T> : elements[i];
}

}  // namespace

Value ValueDecoder::vectorOf(uint8_t typeId) {
    if (typeId == static_cast<uint8_t>(Type::Compress)) return compressedVector();
    const int64_t elements = count("items");
    const int64_t columns = count("columns");
    if (typeId == kSymbolWithBase) return symbolsWithBase(elements);
    if (isArrayVector(typeId)) {
        const Type type = checkedType(static_cast<uint8_t>(typeId - kArrayVectorBase));
        return arrayVector(type, elements, scaleOf(type));
    }
    const Type type = checkedType(typeId);
    if (columns != 1) malformed("a vector of " + std::to_string(columns) + " columns");
    return plainVector(type, elements, scaleOf(type));
}

Value ValueDecoder::plainVector(Type type, int64_t elements, uint8_t scale) {
    if (type == Type::Void) {
        budget_.charge(elements);  // they arrive without bytes
        Ref<Vector> nulls = Vector::make(Type::Void, 0);
        nulls->resize(elements);
        return Value::of(std::move(nulls));
    }
    if (type == Type::Any || type == Type::IotAny) {
        std::vector<Value> values;
        for (int64_t i = 0; i < elements; ++i) values.push_back(value());
        return type == Type::Any ? Value::of(makeRef<Tuple>(std::move(values))) : iotAny(values);
    }
    if (isLiteral(type)) return Value::of(strings(type, elements));
    Ref<Vector> v = fixedWidth(type, elements);
    if (type == Type::Double) nullForNaN<double>(*v);
    if (type == Type::Float) nullForNaN<float>(*v);
    v->setScale(scale);
    return Value::of(std::move(v));
}

// `parts`: the INT vector of counts, places and types, then a vector for each type, as iotAny of the encoder writes.
Value ValueDecoder::iotAny(const std::vector<Value>& parts) {
    const auto refuse = [] { malformed("a column of type IOTANY"); };
    if (parts.empty() || !parts[0].isTypedVector() || parts[0].type() != Type::Int || parts[0].size() < 2) refuse();
    const auto* numbers = parts[0].vector().data<int32_t>();
    const int64_t elements = numbers[0];
    if (elements < 0 || parts[0].size() != 2 + 2 * elements || numbers[1] != std::ssize(parts) - 1) refuse();
    std::array<const Vector*, kTypeCount> partOf = {};
    for (size_t p = 1; p < parts.size(); ++p) {
        if (!parts[p].isTypedVector() || !(isIotAnyElement(parts[p].type()) || parts[p].type() == Type::Void)) refuse();
        partOf[static_cast<size_t>(parts[p].type())] = &parts[p].vector();
    }
    budget_.charge(elements, static_cast<int64_t>(sizeof(Value)));
    std::vector<Value> values(static_cast<size_t>(elements));
    for (int64_t i = 0; i < elements; ++i) {
        const int32_t place = numbers[2 + i], type = numbers[2 + elements + i];
        if (type == static_cast<int32_t>(Type::Void)) continue;
        if (type < 0 || type >= kTypeCount) refuse();
        const Vector* part = partOf[static_cast<size_t>(type)];
        if (part == nullptr || place < 0 || place >= part->size()) refuse();
        if (!part->isNullAt(place)) values[static_cast<size_t>(i)] = part->at(place);
    }
    return Value::of(makeRef<Tuple>(std::move(values), TupleKind::IotAny));
}

// A claimed size is allocated in pieces: each may be as large as all that has arrived before.
Ref<Vector> ValueDecoder::fixedWidth(Type type, int64_t elements) {
    const Storage storage = storageOf(type);
    if (storage == Storage::None || storage == Storage::Boxed || storage == Storage::String || type == Type::Compress) {
        malformed("a vector of type " + std::string(typeName(type)));
    }
    const int64_t width = widthOf(type);
    int64_t have = std::min(elements, kFirstPieceBytes / width);
    budget_.charge(have * width);
    Ref<Vector> v = Vector::make(type, have);
    int64_t done = 0;
    for (;;) {
        read(v->mutableRaw() + done * width, static_cast<size_t>((have - done) * width));
        if (have == elements) return v;
        done = have;
        have = std::min(elements, 2 * have);
        budget_.charge((have - done) * width);
        v->resize(have);
    }
}

std::string ValueDecoder::blobString() {
    return takeBytes(count("bytes"));
}

std::string ValueDecoder::takeBytes(int64_t sizeBytes) {
    std::string bytes;
    int64_t done = 0;
    while (done < sizeBytes) {
        const int64_t have = std::min(sizeBytes, std::max(2 * done, kFirstPieceBytes));
        budget_.charge(have - done);
        bytes.resize(static_cast<size_t>(have));
        read(bytes.data() + done, static_cast<size_t>(have - done));
        done = have;
    }
    return bytes;
}

Ref<Vector> ValueDecoder::strings(Type type, int64_t elements) {
    Ref<Vector> v = Vector::make(type, 0);
    std::string element;
    for (int64_t i = 0; i < elements; ++i) {
        if (i == v->size()) {
            const int64_t have = std::min(elements, std::max<int64_t>(65536, 2 * i));
            budget_.charge((have - i) * kStringBytes);
            v->resize(have);
        }
        if (type == Type::Blob) {
            element = blobString();
        } else {
            readString(element);
        }
        if (!element.empty()) v->setString(i, element);
    }
    return v;
}

// Strings are interned, for good, once the whole column has arrived and is sound; only those that it uses.
Value ValueDecoder::symbolsWithBase(int64_t elements) {
    const auto id = take<int32_t>();
    const int64_t size = count("symbols");
    if (size > 0) {
        SymbolBase base;
        for (int64_t i = 0; i < size; ++i) {
            base.strings.push_back(string());
            base.codes.push_back(-1);
        }
        bases_.insert_or_assign(id, std::move(base));
    }
    // An empty column names a base that no row needs.
    if (elements == 0) return Value::of(Vector::make(Type::Symbol, 0));
    const auto known = bases_.find(id);
    if (known == bases_.end()) malformed("a symbol base that was not sent");
    SymbolBase& base = known->second;
    Ref<Vector> v = fixedWidth(Type::Int, elements);
    const auto* indices = v->data<int32_t>();
    const auto most = static_cast<int64_t>(base.strings.size());
    for (int64_t i = 0; i < elements; ++i) {
        if (indices[i] < 0 || indices[i] >= most) malformed("a symbol outside its base");
    }
    Ref<Vector> result = Vector::make(Type::Symbol, elements);
    auto* target = result->mutableData<int32_t>();
    for (int64_t i = 0; i < elements; ++i) {
        const auto at = static_cast<size_t>(indices[i]);
        if (base.codes[at] < 0) base.codes[at] = symbols::intern(base.strings[at]);
        target[i] = base.codes[at];
    }
    return Value::of(std::move(result));
}

Value ValueDecoder::arrayVector(Type type, int64_t rows, uint8_t scale) {
    if (!canBeInArrayVector(type)) malformed("an array vector of " + std::string(typeName(type)));
    auto result = makeRef<ArrayVector>(type, scale);
    while (result->size() < rows) {
        const auto blockRows = take<uint16_t>();
        const auto countWidth = take<uint8_t>();
        take<uint8_t>();
        if (blockRows == 0 || result->size() + blockRows > rows) malformed("an array vector's rows");
        if (countWidth != 1 && countWidth != 2 && countWidth != 4) malformed("an array vector's counts");
        std::vector<uint32_t> counts(blockRows);
        budget_.charge(blockRows * int64_t{16});
        for (uint32_t& n : counts) read(&n, countWidth);
        for (uint32_t n : counts) {
            if (n > static_cast<uint32_t>(INT32_MAX)) malformed("an array vector's counts");
            const Value row = plainVector(type, n, scale);
            result->appendRow(row.vector());
        }
    }
    return Value::of(result);
}

Value ValueDecoder::compressedVector() {
    constexpr int64_t kHeaderBytes = 20;
    const int64_t size = count("bytes");
    count("columns");
    take<uint8_t>();  // version
    const auto flags = take<uint8_t>();
    take<uint8_t>();  // char code
    const auto method = take<CompressionMethod>();
    const auto typeId = take<uint8_t>();
    const auto width = take<int8_t>();
    const auto scale = take<int16_t>();
    take<int32_t>();  // extra
    const int64_t elements = count("items");
    take<int32_t>();  // checksum
    if (!(flags & 1)) malformed("a compressed column in big-endian order");
    if (size < kHeaderBytes) malformed("a compressed column without its header");

    std::string plain;
    for (int64_t left = size - kHeaderBytes; left > 0;) {
        const int64_t blockBytes = take<int32_t>() & 0x7fffffff;
        left -= 4 + blockBytes;
        if (left < 0) malformed("a compressed block that is longer than its column");
        const int64_t done = width > 0 ? static_cast<int64_t>(plain.size()) / width : 0;
        budget_.charge(kCompressedBlockBytes);
        decompressBlock(method, width, elements - done, takeBytes(blockBytes), plain);
    }
    StringSource source(plain);
    ValueDecoder inner(source, peer_, budget_);
    inner.depth_ = depth_;
    if (isArrayVector(typeId)) {
        const Type type = checkedType(static_cast<uint8_t>(typeId - kArrayVectorBase));
        return inner.arrayVector(type, elements, static_cast<uint8_t>(scale));
    }
    const Type type = checkedType(typeId);
    if (type == Type::Any || type == Type::Void || type == Type::IotAny)
        malformed("a compressed column of type " + std::string(typeName(type)));
    return inner.plainVector(type, elements, static_cast<uint8_t>(scale));
}

}  // namespace pelorus
