#include "storage/codec/general.h"

#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "common/check.h"
#include "common/io/bytes.h"

namespace pelorus::codec {

// On disk: append, never renumber.
enum Method : uint8_t { kStored = 0, kLz4 = 1, kPlanesLz4 = 2, kZstd = 3, kPlanesZstd = 4 };

static std::string planesOf(std::string_view elements, size_t width) {
    std::string planes(elements.size(), '\0');
    const size_t n = elements.size() / width;
    for (size_t b = 0; b < width; ++b) {
        for (size_t i = 0; i < n; ++i) planes[b * n + i] = elements[i * width + b];
    }
    return planes;
}

static std::string lz4(std::string_view source) {
    std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(source.size()))), '\0');
    const int size = LZ4_compress_default(source.data(), packed.data(), static_cast<int>(source.size()),
                                          static_cast<int>(packed.size()));
    CHECK(size > 0) << "the bound of LZ4 holds each result";
    packed.resize(static_cast<size_t>(size));
    return packed;
}

// A context is expensive to make and kept by each thread.
std::string zstd(std::string_view source) {
    thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    if (!context) throw std::bad_alloc();
    std::string packed(ZSTD_compressBound(source.size()), '\0');
    const size_t size = ZSTD_compressCCtx(context.get(), packed.data(), packed.size(), source.data(), source.size(), 1);
    if (ZSTD_isError(size)) throw SystemError(std::string("zstd: ") + ZSTD_getErrorName(size));
    packed.resize(size);
    return packed;
}

void unzstd(std::string_view packed, char* target, size_t sizeBytes) {
    thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    if (!context) throw std::bad_alloc();
    const size_t size = ZSTD_decompressDCtx(context.get(), target, sizeBytes, packed.data(), packed.size());
    if (ZSTD_isError(size) || size != sizeBytes) throw SystemError("compressed bytes are malformed");
}

static std::string packWith(Method method, std::string_view elements, size_t width) {
    switch (method) {
        case kLz4:
            return lz4(elements);
        case kPlanesLz4:
            return lz4(planesOf(elements, width));
        case kZstd:
            return zstd(elements);
        default:
            return zstd(planesOf(elements, width));
    }
}

static bool pays(size_t size, size_t of) {
    return size * 8 <= of * 7;
}

// Chooses the method that makes a sample smallest; a later one must pay for being slower than an earlier one.
static Method chooseMethod(std::string_view elements, size_t width, Compression compression) {
    const std::string_view sample = elements.substr(0, std::min<size_t>(elements.size(), 16384 / width * width));
    std::vector<Method> methods = {kLz4};
    if (compression == Compression::Zstd)
        methods = {kZstd, kPlanesZstd};
    else if (width > 1)
        methods = {kLz4, kPlanesLz4, kPlanesZstd};
    Method best = kStored;
    size_t bestSize = sample.size();
    for (const Method method : methods) {
        if (method == kPlanesZstd && width == 1) continue;
        const size_t size = packWith(method, sample, width).size();
        if (method == kPlanesLz4 && best == kLz4 ? size < bestSize : pays(size, bestSize)) {
            best = method;
            bestSize = size;
        }
    }
    return best;
}

void compress(std::string_view elements, int width, std::string& bytes, Compression compression) {
    ByteWriter writer(bytes);
    const auto elementBytes = static_cast<size_t>(width);
    CHECK(width > 0 && elements.size() % elementBytes == 0) << "values of one width are compressed";
    const Method method =
        elements.size() < INT32_MAX / 2 ? chooseMethod(elements, elementBytes, compression) : Method::kStored;
    if (method != kStored) {
        const std::string packed = packWith(method, elements, elementBytes);
        if (pays(packed.size(), elements.size())) {
            writer.fixed<uint8_t>(method);
            writer.fixed(static_cast<uint8_t>(width));
            writer.raw(packed.data(), packed.size());
            return;
        }
    }
    writer.fixed<uint8_t>(kStored);
    writer.raw(elements.data(), elements.size());
}

static void unpackLz4(std::string_view packed, char* target, size_t sizeBytes) {
    const int size =
        LZ4_decompress_safe(packed.data(), target, static_cast<int>(packed.size()), static_cast<int>(sizeBytes));
    if (size < 0 || static_cast<size_t>(size) != sizeBytes) throw SystemError("compressed bytes are malformed");
}

void decompress(std::string_view bytes, char* elements, size_t sizeBytes) {
    ByteReader reader(bytes);
    const auto method = reader.fixed<uint8_t>();
    if (method == kStored) {
        std::memcpy(elements, reader.raw(sizeBytes).data(), sizeBytes);
        return;
    }
    const size_t width = reader.fixed<uint8_t>();
    const std::string_view packed = reader.raw(reader.left());
    if (method == kLz4) return unpackLz4(packed, elements, sizeBytes);
    if (method == kZstd) return unzstd(packed, elements, sizeBytes);
    if ((method != kPlanesLz4 && method != kPlanesZstd) || width == 0 || sizeBytes % width != 0)
        throw SystemError("a compression method is unknown");
    thread_local std::string planes;
    planes.resize(sizeBytes);
    if (method == kPlanesLz4)
        unpackLz4(packed, planes.data(), sizeBytes);
    else
        unzstd(packed, planes.data(), sizeBytes);
    const size_t n = sizeBytes / width;
    for (size_t b = 0; b < width; ++b) {
        for (size_t i = 0; i < n; ++i) elements[i * width + b] = planes[b * n + i];
    }
}

}  // namespace pelorus::codec
