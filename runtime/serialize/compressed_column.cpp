#include "runtime/serialize/compressed_column.h"

#include <lz4.h>

#include <algorithm>
#include <cstring>

#include "common/error.h"

namespace pelorus {
namespace {

[[noreturn]] void malformed(const char* what) {
    throw UserError(std::string("A compressed column cannot be read: ") + what + ".");
}

// Reader of bits of little-endian 64-bit words, the most significant bit of each word first.
class BitReader {
public:
    explicit BitReader(std::string_view bytes) : bytes_(bytes.substr(0, bytes.size() / 8 * 8)) {}

    uint64_t take(int bits) {
        uint64_t result = 0;
        while (bits > 0) {
            if (left_ == 0) next();
            const int part = bits < left_ ? bits : left_;
            const uint64_t chunk = (word_ >> (left_ - part)) & (part == 64 ? ~uint64_t{0} : (uint64_t{1} << part) - 1);
            result = part == 64 ? chunk : (result << part) | chunk;
            left_ -= part;
            bits -= part;
        }
        return result;
    }
    bool bit() { return take(1) != 0; }

private:
    void next() {
        if (position_ >= bytes_.size()) malformed("its bits end early");
        std::memcpy(&word_, bytes_.data() + position_, 8);
        position_ += 8;
        left_ = 64;
    }

    std::string_view bytes_;
    size_t position_ = 0;
    uint64_t word_ = 0;
    int left_ = 0;
};

uint64_t unzigzag(uint64_t z) {
    return (z >> 1) ^ (~(z & 1) + 1);
}

class DeltaDecoder {
public:
    DeltaDecoder(int width, int64_t values, std::string_view block, std::string& plain)
        : width_(width), bits_(width * 8), left_(values), reader_(block), plain_(plain) {}

    void run() {
        uint64_t value = 0;
        uint64_t delta = 0;
        if (!firstAfterNulls(value)) return;
        emit(value);
        if (!firstAfterNulls(delta)) return;
        value += delta;
        emit(value);
        while (left_ > 0) {
            int prefix = 0;
            while (prefix < 6 && reader_.bit()) ++prefix;
            if (prefix == 6) {
                emitNull();
                continue;
            }
            static constexpr int kBits[] = {0, 7, 9, 16, 32, 64};
            if (prefix > 0) {
                const uint64_t code = reader_.take(kBits[prefix]);
                if (prefix == 5 && code == ~uint64_t{0}) return;  // the end mark
                delta += unzigzag(code + 1);
            }
            value += delta;
            emit(value);
        }
    }

private:
    // Skips NULLs and reads one number of the values' width; returns false when only NULLs remain.
    bool firstAfterNulls(uint64_t& number) {
        while (left_ > 0 && !reader_.bit()) emitNull();
        if (left_ == 0) return false;
        number = unzigzag(reader_.take(bits_));
        return true;
    }
    void emit(uint64_t value) {
        plain_.append(reinterpret_cast<const char*>(&value), static_cast<size_t>(width_));
        --left_;
    }
    void emitNull() { emit(uint64_t{1} << (bits_ - 1)); }

    const int width_;
    const int bits_;
    int64_t left_;
    BitReader reader_;
    std::string& plain_;
};

}  // namespace

void decompressBlock(CompressionMethod method, int width, int64_t values, std::string_view block, std::string& plain) {
    if (method == CompressionMethod::DeltaOfDelta) {
        if (width != 2 && width != 4 && width != 8) malformed("delta of delta needs integers of 2, 4 or 8 bytes");
        const auto most = static_cast<int64_t>(kCompressedBlockBytes / static_cast<size_t>(width));
        return DeltaDecoder(width, std::min(values, most), block, plain).run();
    }
    if (method != CompressionMethod::Lz4) malformed("its method is unknown");
    const size_t before = plain.size();
    plain.resize(before + kCompressedBlockBytes);
    const int size = LZ4_decompress_safe(block.data(), plain.data() + before, static_cast<int>(block.size()),
                                         static_cast<int>(kCompressedBlockBytes));
    if (size < 0) malformed("an LZ4 block is damaged");
    plain.resize(before + static_cast<size_t>(size));
}

}  // namespace pelorus
