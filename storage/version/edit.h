// Changes of one log record: chunks, their rows and segments, keys of the metadata store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/io/bytes.h"
#include "common/meta_store.h"
#include "runtime/table/table.h"
#include "storage/encryption/table_cipher.h"
#include "storage/format.h"
#include "storage/segment/segment.h"

namespace pelorus {

struct Edit {
    format::EditKind kind = format::EditKind::Rows;
    uint64_t chunk = 0;

    // ChunkCreated
    uint64_t table = 0;
    std::string path;
    std::vector<int> index;
    uint64_t route = 0;  // see ChunkRows
    // Rows
    Ref<MemoryTable> rows;
    TableCipherRef cipher;  // of an encrypted table
    // SegmentAdded, RangeMoved
    SegmentLocation segment;
    // RangeMoved: the first row, in the chunk's order, of those that the segment now holds. RowsReplaced: the first one
    // that stays
    int64_t firstRow = 0;
    uint64_t generation = 0;  // RangeMoved: of the chunk when it was read; in another generation the edit does nothing
    uint64_t changedAt = 0;   // ChunkCopied: number of the last change of the rows
    // MetaWrite
    MetaWrite meta;
    // AppendId
    std::string appendId;
};

void encodeEdits(const std::vector<Edit>& edits, std::string& bytes);
// Throws SystemError when rows are encrypted and their key cannot be had.
std::vector<Edit> decodeEdits(ByteReader& reader, const CipherOf& cipherOf);

// Writes rows of an encrypted table: its id and the encrypted bytes. Only rows of that table may be written so.
void encodeSealedRows(const MemoryTable& rows, const TableCipher& cipher, std::string& bytes);
// Decodes them into an edit of the kind Rows.
void decodeSealedRows(ByteReader& reader, const CipherOf& cipherOf, Edit& edit);

}  // namespace pelorus
