#include "storage/codec/block_codec.h"

#include <cstring>

#include "common/bytes.h"
#include "common/error.h"

namespace pelorus::codec {

static size_t widthOfStorage(Storage storage) {
    switch (storage) {
        case Storage::Int8: return 1;
        case Storage::Int16: return 2;
        case Storage::Int32:
        case Storage::Float32: return 4;
        case Storage::Int64:
        case Storage::Float64: return 8;
        case Storage::Bytes16: return 16;
        default: throw InternalError("a block of this storage cannot be encoded");
    }
}

void encodeBlock(Storage storage, const void* items, int64_t n, std::string& bytes) {
    bytes.push_back(0);
    bytes.append(static_cast<const char*>(items), static_cast<size_t>(n) * widthOfStorage(storage));
}

void decodeBlock(Storage storage, std::string_view bytes, int64_t n, void* items) {
    ByteReader reader(bytes);
    if (reader.fixed<uint8_t>() != 0) throw SystemError("unknown encoding");
    const size_t size = static_cast<size_t>(n) * widthOfStorage(storage);
    std::memcpy(items, reader.raw(size).data(), size);
}

void encodeTextBlock(const std::vector<std::string_view>& items, std::string& bytes) {
    ByteWriter writer(bytes);
    for (const std::string_view item : items) writer.text(item);
}

void decodeTextBlock(std::string_view bytes, int64_t n, std::vector<std::string_view>& items, std::string&) {
    ByteReader reader(bytes);
    items.resize(static_cast<size_t>(n));
    for (std::string_view& item : items) item = reader.text();
}

}  // namespace pelorus::codec
