#include "storage/codec/general.h"

#include <lz4.h>

#include <cstring>

#include "common/bytes.h"

namespace pelorus::codec {

// On disk: append, never renumber.
enum Method : uint8_t { kStored = 0, kLz4 = 1, kPlanesLz4 = 2 };

static std::string planesOf(std::string_view items, size_t width) {
    std::string planes(items.size(), '\0');
    const size_t n = items.size() / width;
    for (size_t b = 0; b < width; ++b) {
        for (size_t i = 0; i < n; ++i) planes[b * n + i] = items[i * width + b];
    }
    return planes;
}

static std::string lz4(std::string_view source) {
    std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(source.size()))), '\0');
    const int size = LZ4_compress_default(source.data(), packed.data(), static_cast<int>(source.size()),
                                          static_cast<int>(packed.size()));
    packed.resize(static_cast<size_t>(size));
    return packed;
}

void compress(std::string_view items, int width, std::string& bytes) {
    ByteWriter writer(bytes);
    const auto itemBytes = static_cast<size_t>(width);
    const std::string_view sample = items.substr(0, std::min<size_t>(items.size(), 16384 / itemBytes * itemBytes));
    const size_t plain = lz4(sample).size();
    const size_t planes = width > 1 ? lz4(planesOf(sample, itemBytes)).size() : plain;
    const auto pays = [&](size_t size, size_t of) { return size * 8 <= of * 7; };
    if (items.size() < INT32_MAX / 2 && pays(std::min(plain, planes), sample.size())) {
        const bool usesPlanes = planes < plain;
        const std::string packed = usesPlanes ? lz4(planesOf(items, itemBytes)) : lz4(items);
        if (pays(packed.size(), items.size())) {
            writer.fixed<uint8_t>(usesPlanes ? kPlanesLz4 : kLz4);
            writer.fixed(static_cast<uint8_t>(width));
            writer.raw(packed.data(), packed.size());
            return;
        }
    }
    writer.fixed<uint8_t>(kStored);
    writer.raw(items.data(), items.size());
}

static void unpackLz4(std::string_view packed, char* target, size_t sizeBytes) {
    const int size =
        LZ4_decompress_safe(packed.data(), target, static_cast<int>(packed.size()), static_cast<int>(sizeBytes));
    if (size < 0 || static_cast<size_t>(size) != sizeBytes) throw SystemError("compressed bytes are malformed");
}

void decompress(std::string_view bytes, char* items, size_t sizeBytes) {
    ByteReader reader(bytes);
    const auto method = reader.fixed<uint8_t>();
    if (method == kStored) {
        std::memcpy(items, reader.raw(sizeBytes).data(), sizeBytes);
        return;
    }
    const size_t width = reader.fixed<uint8_t>();
    const std::string_view packed = reader.raw(reader.left());
    if (method == kLz4) return unpackLz4(packed, items, sizeBytes);
    if (method != kPlanesLz4 || width == 0 || sizeBytes % width != 0)
        throw SystemError("a compression method is unknown");
    thread_local std::string planes;
    planes.resize(sizeBytes);
    unpackLz4(packed, planes.data(), sizeBytes);
    const size_t n = sizeBytes / width;
    for (size_t b = 0; b < width; ++b) {
        for (size_t i = 0; i < n; ++i) items[i * width + b] = planes[b * n + i];
    }
}

}  // namespace pelorus::codec
