// The directory at the end of a segment: location and content of each piece. Bytes: docs/formats/segment.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/table/table.h"
#include "storage/encryption/table_cipher.h"
#include "storage/segment/segment.h"
#include "storage/segment/zone_map.h"

namespace pelorus {

// A byte range within a segment: that of a block or a dictionary.
struct Piece {
    uint64_t offset = 0;
    uint32_t sizeBytes = 0;
    uint32_t checksum = 0;
};

// The entry of a block: its zone map and its bytes.
struct BlockEntry : ZoneMap {
    Piece piece;
};

// The entry of a column.
struct ColumnEntry {
    bool hasDictionary = false;
    Piece dictionary;
    std::vector<BlockEntry> blocks;
};

// The directory of a segment, as Segment reads it. A plain value.
struct SegmentDirectory {
    TableCipherRef cipher;  // null: nothing is encrypted
    TableSchema schema;
    std::vector<ColumnEntry> columns;
};

// Returns the number of blocks of a segment of so many rows.
int blocksOf(int64_t rows);

// Appends the directory and the trailer, by which it is found, to the pieces of a segment.
void appendDirectory(const TableSchema& schema, int64_t rows, const std::vector<ColumnEntry>& columns,
                     const TableCipher* cipher, std::string& segment);
// Returns the directory of a segment. Throws SystemError when it is damaged, or the key of the table is not available.
SegmentDirectory readDirectory(const SegmentFile& file, const SegmentLocation& location);

}  // namespace pelorus
