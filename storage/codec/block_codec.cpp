#include "storage/codec/block_codec.h"

#include <cstring>

#include "common/check.h"
#include "common/error.h"
#include "common/io/bytes.h"
#include "storage/codec/decimal_codec.h"
#include "storage/codec/general.h"
#include "storage/codec/integer_codec.h"

namespace pelorus::codec {

namespace {

// First byte of a block. On disk: append, never renumber.
enum Encoding : uint8_t { kGeneral = 0, kIntegers = 1, kDecimals = 2 };

template <class T>
void encodeIntegers(const void* elements, int64_t n, std::string& bytes, Compression compression) {
    const T* source = static_cast<const T*>(elements);
    const size_t begin = bytes.size();
    bytes.push_back(kIntegers);
    encodeIntegers(std::vector<int64_t>(source, source + n), null<T>, bytes, compression);
    // Values that fill their width are no smaller as integers of any other form.
    if (bytes.size() - begin <= static_cast<size_t>(n) * sizeof(T)) return;
    bytes.resize(begin);
    bytes.push_back(kGeneral);
    compress({static_cast<const char*>(elements), static_cast<size_t>(n) * sizeof(T)}, sizeof(T), bytes, compression);
}

template <class T>
void encodeReals(const void* elements, int64_t n, std::string& bytes, Compression compression) {
    bytes.push_back(kDecimals);
    if (encodeDecimals(static_cast<const T*>(elements), n, bytes, compression)) return;
    bytes.back() = kGeneral;
    compress({static_cast<const char*>(elements), static_cast<size_t>(n) * sizeof(T)}, sizeof(T), bytes, compression);
}

// Decodes through 32 bits, which also hold the narrower types.
template <class T>
void decodeIntegers(std::string_view bytes, int64_t n, T* elements) {
    using Number = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    IntegerReader<Number> reader(bytes, n, static_cast<Number>(null<T>));
    if constexpr (sizeof(T) >= 4) {
        // Whole groups are decoded in place.
        int64_t at = 0;
        for (; at + kGroup <= n; at += kGroup) reader.next(reinterpret_cast<Number*>(elements + at));
        if (at == n) return;
        Number group[kGroup];
        const int count = reader.next(group);
        std::memcpy(elements + at, group, static_cast<size_t>(count) * sizeof(T));
    } else {
        alignas(64) Number group[kGroup];
        for (int64_t at = 0; at < n; at += kGroup) {
            const int count = reader.next(group);
            for (int i = 0; i < count; ++i) elements[at + i] = static_cast<T>(group[i]);
        }
    }
}

size_t widthOfStorage(Storage storage) {
    switch (storage) {
        case Storage::Int8:
            return 1;
        case Storage::Int16:
            return 2;
        case Storage::Int32:
        case Storage::Float32:
            return 4;
        case Storage::Int64:
        case Storage::Float64:
            return 8;
        case Storage::Bytes16:
            return 16;
        default:
            throw InternalError("a block of this storage cannot be encoded");
    }
}

}  // namespace

// Whether the bytes decode to the elements that were encoded.
static bool decodesTo(Storage storage, std::string_view bytes, int64_t n, const void* elements) {
    std::string decoded(static_cast<size_t>(n) * widthOfStorage(storage), '\0');
    decodeBlock(storage, bytes, n, decoded.data());
    return std::memcmp(decoded.data(), elements, decoded.size()) == 0;
}

static void encodeUnchecked(Storage storage, const void* elements, int64_t n, std::string& bytes,
                            Compression compression) {
    switch (storage) {
        case Storage::Int8:
            return encodeIntegers<int8_t>(elements, n, bytes, compression);
        case Storage::Int16:
            return encodeIntegers<int16_t>(elements, n, bytes, compression);
        case Storage::Int32:
            return encodeIntegers<int32_t>(elements, n, bytes, compression);
        case Storage::Int64:
            return encodeIntegers<int64_t>(elements, n, bytes, compression);
        case Storage::Float32:
            return encodeReals<float>(elements, n, bytes, compression);
        case Storage::Float64:
            return encodeReals<double>(elements, n, bytes, compression);
        default:
            break;
    }
    const size_t width = widthOfStorage(storage);
    bytes.push_back(kGeneral);
    compress({static_cast<const char*>(elements), static_cast<size_t>(n) * width}, static_cast<int>(width), bytes,
             compression);
}

void encodeBlock(Storage storage, const void* elements, int64_t n, std::string& bytes, Compression compression) {
    CHECK(n > 0 && n <= 65536) << "a block holds 1 to 65,536 values";
    const size_t begin = bytes.size();
    encodeUnchecked(storage, elements, n, bytes, compression);
    // One block in 32, chosen by its size, is verified before it is stored; sanitizer builds verify each.
    const std::string_view block = std::string_view(bytes).substr(begin);
    CHECK(block.size() % 32 != 7 || decodesTo(storage, block, n, elements)) << "a block decodes to what was encoded";
    DCHECK(decodesTo(storage, block, n, elements)) << "a block decodes to what was encoded";
}

void decodeBlock(Storage storage, std::string_view bytes, int64_t n, void* elements) {
    if (bytes.empty()) throw SystemError("a block is empty");
    const auto encoding = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    if (encoding == kGeneral) {
        return decompress(bytes, static_cast<char*>(elements), static_cast<size_t>(n) * widthOfStorage(storage));
    }
    if (encoding == kDecimals && storage == Storage::Float64)
        return decodeDecimals(bytes, n, static_cast<double*>(elements));
    if (encoding == kDecimals && storage == Storage::Float32)
        return decodeDecimals(bytes, n, static_cast<float*>(elements));
    if (encoding == kIntegers) {
        switch (storage) {
            case Storage::Int8:
                return decodeIntegers(bytes, n, static_cast<int8_t*>(elements));
            case Storage::Int16:
                return decodeIntegers(bytes, n, static_cast<int16_t*>(elements));
            case Storage::Int32:
                return decodeIntegers(bytes, n, static_cast<int32_t*>(elements));
            case Storage::Int64:
                return decodeIntegers(bytes, n, static_cast<int64_t*>(elements));
            default:
                break;
        }
    }
    throw SystemError("an encoding is unknown");
}

// LZ4 compresses at most 255 bytes into one, and no other method may exceed that: so damaged sizes cannot exhaust
// memory.
static constexpr size_t kMaxCompressionRatio = 256;

// Writes lengths as integers, then all strings concatenated.
void encodeStringBlock(const std::vector<std::string_view>& elements, std::string& bytes, Compression compression) {
    std::vector<int64_t> lengths;
    std::string strings;
    for (const std::string_view element : elements) {
        lengths.push_back(static_cast<int64_t>(element.size()));
        strings += element;
    }
    std::string packed;
    encodeIntegers(std::move(lengths), null<int64_t>, packed);
    ByteWriter writer(bytes);
    writer.string(packed);
    writer.varint(strings.size());
    const size_t begin = bytes.size();
    compress(strings, 1, bytes, compression);
    if (strings.size() <= (bytes.size() - begin) * kMaxCompressionRatio) return;
    bytes.resize(begin);
    compress(strings, 1, bytes);
}

void decodeStringBlock(std::string_view bytes, int64_t n, std::vector<std::string_view>& elements,
                       std::string& buffer) {
    ByteReader reader(bytes);
    IntegerReader<uint64_t> lengths(reader.string(), n, null<uint64_t>);
    const uint64_t total = reader.varint();
    if (total > (reader.left() + 16) * kMaxCompressionRatio) throw SystemError("the length of a string block is wrong");
    buffer.resize(total);
    decompress(reader.raw(reader.left()), buffer.data(), buffer.size());
    elements.resize(static_cast<size_t>(n));
    uint64_t group[kGroup];
    uint64_t at = 0;
    for (int64_t i = 0; i < n;) {
        const int count = lengths.next(group);
        for (int k = 0; k < count; ++k, ++i) {
            if (group[k] > total - at) throw SystemError("the lengths of a string block are wrong");
            elements[static_cast<size_t>(i)] = std::string_view(buffer).substr(at, group[k]);
            at += group[k];
        }
    }
}

}  // namespace pelorus::codec
