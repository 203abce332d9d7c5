#include "storage/segment/table_file.h"

#include "common/error.h"
#include "common/io/bytes.h"
#include "storage/codec/row_codec.h"
#include "storage/segment/block_cache.h"
#include "storage/segment/segment_writer.h"

namespace pelorus {

namespace {

constexpr std::string_view kMagic = "PLRSTBL\x01";
constexpr size_t kTrailerBytes = 8 + 8;

}  // namespace

// A table without rows is stored as its columns only: a segment has at least one row.
void writeTableFile(FileSystem& files, const std::string& path, const MemoryTable& rows) {
    std::string bytes;
    if (rows.rowCount() == 0) {
        encodeSchema(rows.columns(), bytes);
    } else {
        bytes = encodeSegment(rows);
    }
    ByteWriter writer(bytes);
    writer.fixed(rows.rowCount());
    writer.raw(kMagic.data(), kMagic.size());
    replaceFile(files, path, bytes);
}

Ref<MemoryTable> readTableFile(FileSystem& files, const std::string& path) {
    const SystemError damaged("The table file " + path + " is damaged: it does not end as one.",
                              "Restore the file from a copy.");
    const std::unique_ptr<File> file = files.openForRead(path);
    const int64_t size = file->size();
    char trailer[kTrailerBytes];
    const int64_t end = size - static_cast<int64_t>(kTrailerBytes);
    if (end < 0 || file->readAt(end, trailer, kTrailerBytes) != kTrailerBytes) throw damaged;
    ByteReader reader({trailer, kTrailerBytes});
    const auto rows = reader.fixed<int64_t>();
    if (rows < 0 || reader.raw(kMagic.size()) != kMagic) throw damaged;
    if (rows > 0) {
        BlockCache cache(0);
        const SegmentLocation location{0, 0, static_cast<uint64_t>(end), rows};
        return Segment(std::make_shared<SegmentFile>(files, path, 0), location, cache).readAll();
    }
    std::string bytes(static_cast<size_t>(end), '\0');
    if (file->readAt(0, bytes.data(), bytes.size()) != bytes.size()) throw damaged;
    ByteReader schema(bytes);
    return MemoryTable::empty(decodeSchema(schema));
}

}  // namespace pelorus
