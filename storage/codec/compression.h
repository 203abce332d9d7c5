// The compression methods of the blocks of a column, all of them lossless.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pelorus::codec {

// The method that a table asks for. Each takes the smallest of several encodings, and adds those named here.
enum class Compression : uint8_t {
    Lz4,    // the default: entropy coding where it saves much, LZ4 for blocks that no encoding suits
    Zstd,   // entropy coding wherever it saves anything, zstd for blocks that no encoding suits
    Delta,  // integers as differences to the number before
    Chimp   // floating-point numbers as decimals; the default does so too
};

// Returns the method of that name in scripts; nothing when there is none.
inline std::optional<Compression> compressionNamed(std::string_view name) {
    if (name == "lz4") return Compression::Lz4;
    if (name == "zstd") return Compression::Zstd;
    if (name == "delta") return Compression::Delta;
    if (name == "chimp") return Compression::Chimp;
    return std::nullopt;
}

}  // namespace pelorus::codec
