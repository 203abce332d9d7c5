#include "storage/codec/array_block.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/io/bytes.h"
#include "storage/codec/block_codec.h"
#include "storage/format.h"

namespace pelorus {

namespace {

// Encodes runs of at most a block's length, each after its size in bytes.
void encodeRuns(Storage storage, const char* elements, int width, int64_t n, ByteWriter& writer,
                codec::Compression compression) {
    for (int64_t begin = 0; begin < n; begin += format::kBlockRows) {
        std::string run;
        codec::encodeBlock(storage, elements + begin * width, std::min(format::kBlockRows, n - begin), run,
                           compression);
        writer.string(run);
    }
}

void decodeRuns(Storage storage, ByteReader& reader, int width, int64_t n, char* elements) {
    for (int64_t begin = 0; begin < n; begin += format::kBlockRows) {
        codec::decodeBlock(storage, reader.string(), std::min(format::kBlockRows, n - begin), elements + begin * width);
    }
}

}  // namespace

void encodeArrayBlock(const ArrayVector& rows, int64_t begin, int64_t n, std::string& bytes,
                      codec::Compression compression) {
    CHECK(n > 0 && begin + n <= rows.size()) << "a block holds rows of its column";
    std::vector<int32_t> lengths(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) lengths[static_cast<size_t>(i)] = static_cast<int32_t>(rows.rowSize(begin + i));
    ByteWriter writer(bytes);
    encodeRuns(Storage::Int32, reinterpret_cast<const char*>(lengths.data()), sizeof(int32_t), n, writer, compression);
    const Vector& values = *rows.values();
    const int64_t first = rows.begin(begin);
    encodeRuns(storageOf(values.type()), values.raw() + first * values.width(), values.width(),
               rows.end(begin + n - 1) - first, writer, compression);
}

Ref<ArrayVector> decodeArrayBlock(Type elementType, uint8_t scale, std::string_view bytes, int64_t n) {
    ByteReader reader(bytes);
    std::vector<int32_t> ends(static_cast<size_t>(n));
    decodeRuns(Storage::Int32, reader, sizeof(int32_t), n, reinterpret_cast<char*>(ends.data()));
    int64_t total = 0;
    for (int32_t& end : ends) {
        total += end;
        if (end <= 0 || total > INT32_MAX) throw SystemError("a row of an array vector has a length that cannot be");
        end = static_cast<int32_t>(total);
    }
    // A run of values takes a byte at least: a damaged size is not allocated.
    if (total > static_cast<int64_t>(reader.left()) * format::kBlockRows) throw SystemError("its values are missing");
    Ref<Vector> values = Vector::make(elementType, total);
    values->setScale(scale);
    decodeRuns(storageOf(elementType), reader, values->width(), total, values->mutableRaw());
    values->setMayHaveNull(true);
    return makeRef<ArrayVector>(std::move(values), std::move(ends));
}

}  // namespace pelorus
