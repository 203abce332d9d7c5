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
void encodeIntegerItems(const void* items, int64_t n, std::string& bytes, Compression compression) {
    const T* source = static_cast<const T*>(items);
    const size_t begin = bytes.size();
    bytes.push_back(kIntegers);
    encodeIntegers(std::vector<int64_t>(source, source + n), null<T>, bytes, compression);
    // Values that fill their width are no smaller as integers of any other form.
    if (bytes.size() - begin <= static_cast<size_t>(n) * sizeof(T)) return;
    bytes.resize(begin);
    bytes.push_back(kGeneral);
    compress({static_cast<const char*>(items), static_cast<size_t>(n) * sizeof(T)}, sizeof(T), bytes, compression);
}

template <class T>
void encodeRealItems(const void* items, int64_t n, std::string& bytes, Compression compression) {
    bytes.push_back(kDecimals);
    if (encodeDecimals(static_cast<const T*>(items), n, bytes, compression)) return;
    bytes.back() = kGeneral;
    compress({static_cast<const char*>(items), static_cast<size_t>(n) * sizeof(T)}, sizeof(T), bytes, compression);
}

// Decodes through 32 bits, which also hold the narrower types.
template <class T>
void decodeIntegerItems(std::string_view bytes, int64_t n, T* items) {
    using Number = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    IntegerReader<Number> reader(bytes, n, static_cast<Number>(null<T>));
    if constexpr (sizeof(T) >= 4) {
        // Whole groups are decoded in place.
        int64_t at = 0;
        for (; at + kGroup <= n; at += kGroup) reader.next(reinterpret_cast<Number*>(items + at));
        if (at == n) return;
        Number group[kGroup];
        const int count = reader.next(group);
        std::memcpy(items + at, group, static_cast<size_t>(count) * sizeof(T));
    } else {
        alignas(64) Number group[kGroup];
        for (int64_t at = 0; at < n; at += kGroup) {
            const int count = reader.next(group);
            for (int i = 0; i < count; ++i) items[at + i] = static_cast<T>(group[i]);
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
static bool decodesTo(Storage storage, std::string_view bytes, int64_t n, const void* items) {
    std::string decoded(static_cast<size_t>(n) * widthOfStorage(storage), '\0');
    decodeBlock(storage, bytes, n, decoded.data());
    return std::memcmp(decoded.data(), items, decoded.size()) == 0;
}

static void encodeUnchecked(Storage storage, const void* items, int64_t n, std::string& bytes,
                            Compression compression) {
    switch (storage) {
        case Storage::Int8:
            return encodeIntegerItems<int8_t>(items, n, bytes, compression);
        case Storage::Int16:
            return encodeIntegerItems<int16_t>(items, n, bytes, compression);
        case Storage::Int32:
            return encodeIntegerItems<int32_t>(items, n, bytes, compression);
        case Storage::Int64:
            return encodeIntegerItems<int64_t>(items, n, bytes, compression);
        case Storage::Float32:
            return encodeRealItems<float>(items, n, bytes, compression);
        case Storage::Float64:
            return encodeRealItems<double>(items, n, bytes, compression);
        default:
            break;
    }
    const size_t width = widthOfStorage(storage);
    bytes.push_back(kGeneral);
    compress({static_cast<const char*>(items), static_cast<size_t>(n) * width}, static_cast<int>(width), bytes,
             compression);
}

void encodeBlock(Storage storage, const void* items, int64_t n, std::string& bytes, Compression compression) {
    CHECK(n > 0 && n <= 65536) << "a block holds 1 to 65,536 values";
    const size_t begin = bytes.size();
    encodeUnchecked(storage, items, n, bytes, compression);
    // One block in 32, chosen by its size, is verified before it is stored; sanitizer builds verify each.
    const std::string_view block = std::string_view(bytes).substr(begin);
    CHECK(block.size() % 32 != 7 || decodesTo(storage, block, n, items)) << "a block decodes to what was encoded";
    DCHECK(decodesTo(storage, block, n, items)) << "a block decodes to what was encoded";
}

void decodeBlock(Storage storage, std::string_view bytes, int64_t n, void* items) {
    if (bytes.empty()) throw SystemError("a block is empty");
    const auto encoding = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    if (encoding == kGeneral) {
        return decompress(bytes, static_cast<char*>(items), static_cast<size_t>(n) * widthOfStorage(storage));
    }
    if (encoding == kDecimals && storage == Storage::Float64)
        return decodeDecimals(bytes, n, static_cast<double*>(items));
    if (encoding == kDecimals && storage == Storage::Float32)
        return decodeDecimals(bytes, n, static_cast<float*>(items));
    if (encoding == kIntegers) {
        switch (storage) {
            case Storage::Int8:
                return decodeIntegerItems(bytes, n, static_cast<int8_t*>(items));
            case Storage::Int16:
                return decodeIntegerItems(bytes, n, static_cast<int16_t*>(items));
            case Storage::Int32:
                return decodeIntegerItems(bytes, n, static_cast<int32_t*>(items));
            case Storage::Int64:
                return decodeIntegerItems(bytes, n, static_cast<int64_t*>(items));
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
void encodeStringBlock(const std::vector<std::string_view>& items, std::string& bytes, Compression compression) {
    std::vector<int64_t> lengths;
    std::string strings;
    for (const std::string_view item : items) {
        lengths.push_back(static_cast<int64_t>(item.size()));
        strings += item;
    }
    std::string packed;
    encodeIntegers(std::move(lengths), null<int64_t>, packed);
    ByteWriter writer(bytes);
    writer.text(packed);
    writer.varint(strings.size());
    const size_t begin = bytes.size();
    compress(strings, 1, bytes, compression);
    if (strings.size() <= (bytes.size() - begin) * kMaxCompressionRatio) return;
    bytes.resize(begin);
    compress(strings, 1, bytes);
}

void decodeStringBlock(std::string_view bytes, int64_t n, std::vector<std::string_view>& items, std::string& buffer) {
    ByteReader reader(bytes);
    IntegerReader<uint64_t> lengths(reader.text(), n, null<uint64_t>);
    const uint64_t total = reader.varint();
    if (total > (reader.left() + 16) * kMaxCompressionRatio) throw SystemError("the length of a string block is wrong");
    buffer.resize(total);
    decompress(reader.raw(reader.left()), buffer.data(), buffer.size());
    items.resize(static_cast<size_t>(n));
    uint64_t group[kGroup];
    uint64_t at = 0;
    for (int64_t i = 0; i < n;) {
        const int count = lengths.next(group);
        for (int k = 0; k < count; ++k, ++i) {
            if (group[k] > total - at) throw SystemError("the lengths of a string block are wrong");
            items[static_cast<size_t>(i)] = std::string_view(buffer).substr(at, group[k]);
            at += group[k];
        }
    }
}

}  // namespace pelorus::codec
