// ByteWriter and ByteReader encode values as fixed-width little-endian integers, varints and strings, for files and
// logs.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/error.h"

namespace pelorus {

// An encoder that appends to a string that the caller owns.
class ByteWriter {
public:
    explicit ByteWriter(std::string& bytes) : bytes_(bytes) {}

    template <class T>
    void fixed(T x) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&x), sizeof x);
    }
    void varint(uint64_t x) {
        for (; x >= 0x80; x >>= 7) bytes_.push_back(static_cast<char>(x | 0x80));
        bytes_.push_back(static_cast<char>(x));
    }
    void string(std::string_view x) {
        varint(x.size());
        bytes_.append(x);
    }
    void raw(const void* source, size_t sizeBytes) { bytes_.append(static_cast<const char*>(source), sizeBytes); }

private:
    std::string& bytes_;
};

// A decoder of ByteWriter's bytes, which the caller owns. Every read checks the bound and throws SystemError past the
// end, so that damaged bytes are an error and never a crash.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    template <class T>
    T fixed() {
        T x;
        std::memcpy(&x, take(sizeof x), sizeof x);
        return x;
    }
    uint64_t varint() {
        uint64_t x = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = fixed<uint8_t>();
            if (shift == 63 && byte > 1) break;
            x |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return x;
        }
        throw SystemError("A number in the file is damaged: it has more than 64 bits.");
    }
    std::string_view string() {
        const uint64_t size = varint();
        return {take(size), size};
    }
    std::string_view raw(size_t sizeBytes) { return {take(sizeBytes), sizeBytes}; }
    // Reads a count of elements that take at least `elementBytes` each: bounded by the remaining bytes, so it is safe
    // to allocate for.
    uint64_t count(size_t elementBytes = 1) {
        const uint64_t n = varint();
        if (n > left() / (elementBytes == 0 ? 1 : elementBytes)) throwShort(n);
        return n;
    }

    size_t left() const { return bytes_.size() - position_; }
    size_t position() const { return position_; }
    bool atEnd() const { return position_ == bytes_.size(); }

private:
    const char* take(uint64_t sizeBytes) {
        if (sizeBytes > left()) throwShort(sizeBytes);
        const char* at = bytes_.data() + position_;
        position_ += sizeBytes;
        return at;
    }
    [[noreturn]] void throwShort(uint64_t wanted) const {
        throw SystemError("The bytes end too early: " + std::to_string(wanted) + " more were expected, " +
                          std::to_string(left()) + " are left.");
    }

    std::string_view bytes_;
    size_t position_ = 0;
};

}  // namespace pelorus
