// Column files: immutable runs of rows of one chunk, in blocks of 65,536 rows that are encoded, bounded and checked one
// by one. A file holds the segments of one or more chunks one after the other, so that a commit over many chunks costs
// one sync. Bytes: docs/formats/segment.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/io/bytes.h"
#include "common/io/file.h"
#include "common/thread/once.h"
#include "runtime/table/table.h"
#include "storage/codec/compression.h"
#include "storage/encryption/table_cipher.h"
#include "storage/format.h"

namespace pelorus {

class BlockCache;

// The compression methods of a table's columns; empty, or of another length: the default for all.
using ColumnCompression = std::vector<codec::Compression>;

// The location of a segment: its bytes within a file. A plain value.
struct SegmentLocation {
    uint64_t file = 0;
    uint64_t offset = 0;
    uint64_t sizeBytes = 0;
    int64_t rows = 0;

    friend bool operator==(const SegmentLocation&, const SegmentLocation&) = default;
};

// A file of segments, which is opened at first use. Its segments and VersionSet share it; after a call of `retire`, its
// last owner removes the file. Thread-safe, apart from liveSegments.
class SegmentFile {
public:
    // `cipherOf` may be empty where no segment is encrypted.
    SegmentFile(FileSystem& files, std::string path, uint64_t number, CipherOf cipherOf = nullptr);
    ~SegmentFile();

    uint64_t number() const { return number_; }
    const std::string& path() const { return path_; }
    // Reads a range of bytes. Throws SystemError when the file is shorter.
    void read(int64_t offset, void* target, size_t sizeBytes) const;
    // Hints to the system that a range of bytes will be read.
    void willRead(int64_t offset, int64_t sizeBytes) const;
    // Returns the cipher of the table that an encrypted segment names. Throws SystemError when the key is not
    // available.
    TableCipherRef cipherOf(uint64_t table) const;
    void retire() { retired_.store(true); }

    // The number of segments of this file that the newest versions contain; guarded by the mutex of VersionSet.
    int64_t liveSegments = 0;

private:
    FileSystem& files_;
    const std::string path_;
    const uint64_t number_;
    const CipherOf cipherOf_;
    mutable Once opened_;
    mutable std::unique_ptr<File> file_;
    std::atomic<bool> retired_{false};
};

// A reader of a segment, shared by the versions that contain it. It reads the segment's directory at first use. The
// cache outlives it; its blocks leave the cache when it is destroyed. Thread-safe. Calls that read throw SystemError
// when the file is damaged: the message names the file, the block and the column.
class Segment {
public:
    Segment(std::shared_ptr<SegmentFile> file, const SegmentLocation& location, BlockCache& cache);
    ~Segment();

    const SegmentLocation& location() const { return location_; }
    const std::shared_ptr<SegmentFile>& file() const { return file_; }
    int64_t rowCount() const { return location_.rows; }
    int blockCount() const;
    int64_t blockRows(int block) const;
    // Returns the columns under their names in chunks. `bounds` returns the zone map of a block.
    const TableSchema& columns() const;
    BlockBounds bounds(int block, int column) const;
    // Returns the decoded values, a vector or array vector; shared with the cache, so never changed in place.
    Value read(int block, int column) const;
    // Hint to the system that the directory, unless it is loaded, or blocks of a column will be read. Blocks whose
    // first one is in the cache are not prefetched.
    void willOpen() const;
    void willRead(int firstBlock, int endBlock, int column) const;
    // Returns the size of a column in bytes: its blocks and, for strings, its dictionary.
    int64_t columnBytes(int column) const;
    // Decodes everything, bypassing the cache. Throws SystemError, naming the first damaged piece.
    void verify() const;
    // Returns all rows, for compaction.
    Ref<MemoryTable> readAll() const;

private:
    struct Directory;
    const Directory& directory() const;
    Value decode(int block, int column) const;

    const std::shared_ptr<SegmentFile> file_;
    const SegmentLocation location_;
    BlockCache& cache_;
    const uint64_t cacheKey_;
    mutable Once opened_;
    mutable std::unique_ptr<Directory> directory_;
    mutable std::atomic<bool> isOpen_{false};
    mutable std::atomic<bool> isCached_{false};  // the cache has kept blocks of it
};

// Appends a location to the writer's bytes; decodeLocation returns the next one of the reader.
void encodeLocation(const SegmentLocation& location, ByteWriter& writer);
SegmentLocation decodeLocation(ByteReader& reader);

}  // namespace pelorus
