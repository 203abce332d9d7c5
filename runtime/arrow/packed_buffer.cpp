#include "runtime/arrow/packed_buffer.h"

#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "common/error.h"
#include "runtime/arrow/flat_view.h"

namespace pelorus::arrow {

namespace {

constexpr int64_t kNotPacked = -1;

void unpackLz4(std::string_view packed, char* target, size_t size) {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) throw SystemError("LZ4 gets no memory.");
    const std::unique_ptr<LZ4F_dctx, LZ4F_errorCode_t (*)(LZ4F_dctx*)> owner(context, LZ4F_freeDecompressionContext);
    size_t written = 0, read = 0;
    while (read < packed.size()) {
        size_t into = size - written, from = packed.size() - read;
        const size_t hint = LZ4F_decompress(context, target + written, &into, packed.data() + read, &from, nullptr);
        if (LZ4F_isError(hint)) refuseArrow("a buffer is no LZ4 frame");
        written += into;
        read += from;
        if (hint == 0) break;
        if (into == 0 && from == 0) break;
    }
    if (written != size) refuseArrow("a buffer has another length than it says");
}

}  // namespace

int64_t unpackedBytes(std::string_view packed) {
    int64_t size = 0;
    if (packed.size() >= sizeof size) std::memcpy(&size, packed.data(), sizeof size);
    return std::max<int64_t>(0, size);
}

std::string_view unpack(std::string_view packed, int codec, std::unique_ptr<Buffer>& unpacked) {
    if (packed.size() < 8) refuseArrow("a compressed buffer has no length");
    int64_t size;
    std::memcpy(&size, packed.data(), sizeof size);
    packed.remove_prefix(8);
    if (size == kNotPacked) return packed;
    if (size < 0) refuseArrow("a compressed buffer has a negative length");
    unpacked = std::make_unique<Buffer>(static_cast<size_t>(size));
    char* const target = unpacked->begin();
    if (codec == kZstd) {
        const size_t got = ZSTD_decompress(target, static_cast<size_t>(size), packed.data(), packed.size());
        if (ZSTD_isError(got) || got != static_cast<size_t>(size))
            refuseArrow("a buffer is no Zstandard frame of its length");
    } else if (codec == kLz4Frame) {
        unpackLz4(packed, target, static_cast<size_t>(size));
    } else {
        refuseArrow("a buffer is compressed by a method that is not known");
    }
    return {target, static_cast<size_t>(size)};
}

std::string pack(std::string_view plain, int codec, int level) {
    auto size = static_cast<int64_t>(plain.size());
    std::string packed(8, '\0');
    const size_t bound =
        codec == kZstd ? ZSTD_compressBound(plain.size()) : LZ4F_compressFrameBound(plain.size(), nullptr);
    packed.resize(8 + bound);
    const size_t got = codec == kZstd
                           ? ZSTD_compress(packed.data() + 8, bound, plain.data(), plain.size(), level)
                           : LZ4F_compressFrame(packed.data() + 8, bound, plain.data(), plain.size(), nullptr);
    const bool isError = codec == kZstd ? ZSTD_isError(got) != 0 : LZ4F_isError(got) != 0;
    if (isError) throw SystemError("A buffer could not be compressed.");
    if (got >= plain.size()) {
        size = kNotPacked;
        packed.resize(8);
        packed += plain;
    } else {
        packed.resize(8 + got);
    }
    std::memcpy(packed.data(), &size, sizeof size);
    return packed;
}

}  // namespace pelorus::arrow
