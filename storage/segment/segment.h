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

// One per column; empty, or of another length, means the default for all.
using ColumnCompression = std::vector<codec::Compression>;

// Location of a segment: its bytes within a file.
struct SegmentLocation {
    uint64_t file = 0;
    uint64_t offset = 0;
    uint64_t sizeBytes = 0;
    int64_t rows = 0;

    friend bool operator==(const SegmentLocation&, const SegmentLocation&) = default;
};

// Segment file; opened at first use. After a call of `retire`, the last owner removes the file.
class SegmentFile {
public:
    // `cipherOf` may be empty where no segment is encrypted.
    SegmentFile(FileSystem& files, std::string path, uint64_t number, CipherOf cipherOf = nullptr);
    ~SegmentFile();

    uint64_t number() const { return number_; }
    const std::string& path() const { return path_; }
    void read(int64_t offset, void* target, size_t sizeBytes) const;
    void willRead(int64_t offset, int64_t sizeBytes) const;
    // Returns the cipher of the table that a sealed segment names. Throws SystemError when the key cannot be had.
    TableCipherRef cipherOf(uint64_t table) const;
    void retire() { retired_.store(true); }

    // Number of segments of this file that the newest versions hold; guarded by the VersionSet's lock.
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

// Reader of a segment. Thread-safe. Opens its directory of blocks at first use. Its blocks leave the cache, which lives
// longer, when it is destroyed.
class Segment {
public:
    Segment(std::shared_ptr<SegmentFile> file, const SegmentLocation& location, BlockCache& cache);
    ~Segment();

    const SegmentLocation& location() const { return location_; }
    const std::shared_ptr<SegmentFile>& file() const { return file_; }
    int64_t rowCount() const { return location_.rows; }
    int blockCount() const;
    int64_t blockRows(int block) const;
    // Throw SystemError when the file is damaged: names the file, the block and the column.
    const TableSchema& columns() const;
    BlockBounds bounds(int block, int column) const;
    // Returns the decoded values, a vector or array vector; shared with the cache, so never changed in place.
    Value read(int block, int column) const;
    // Prefetch hints for the system: the directory, unless it is there, and blocks that the cache lacks.
    void willOpen() const;
    void willRead(int firstBlock, int endBlock, int column) const;
    // Returns the bytes of a column: its blocks and, for strings, its dictionary.
    int64_t columnBytes(int column) const;
    // Decodes everything, bypassing the cache: throws SystemError naming the first damaged piece.
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
    mutable std::atomic<bool> isCached_{false};  // the cache took blocks of it
};

void encodeLocation(const SegmentLocation& location, ByteWriter& writer);
SegmentLocation decodeLocation(ByteReader& reader);

}  // namespace pelorus
