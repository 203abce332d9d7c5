// The changes of one log record: chunks, their rows and segments, keys of the metadata store.
#pragma once

#include <memory>
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

struct RowEdits;

// A change, of which the members of its kind are set. A plain value; rows are shared, not copied.
struct Edit {
    format::EditKind kind = format::EditKind::Rows;
    uint64_t chunk = 0;

    // ChunkCreated, RowsDropped
    uint64_t table = 0;
    std::string path;
    std::vector<int> index;
    uint64_t route = 0;  // revision of its key in a store of an older version (PlacedChunk::routes); 0: none
    // Rows
    Ref<MemoryTable> rows;
    TableCipherRef cipher;  // cipher of an encrypted table; null otherwise
    // SegmentAdded, RangeMoved
    SegmentLocation segment;
    // RangeMoved: position in the chunk of the first row that the segment now contains. RowsReplaced: position of the
    // first row that stays.
    int64_t firstRow = 0;
    uint64_t generation = 0;  // RangeMoved: generation in which the chunk was read; in another one it does nothing
    uint64_t changedAt = 0;   // ChunkCopied: number of the last change of the rows
    // MetaWrite
    MetaWrite meta;
    // AppendId
    std::string appendId;
    // RowEdits
    std::shared_ptr<const RowEdits> rowEdits;
};

// Appends the encoded edits. Rows of an encrypted table are encrypted.
void encodeEdits(const std::vector<Edit>& edits, std::string& bytes);
// Returns the edits that encodeEdits appended. Throws SystemError when bytes are malformed, or rows are encrypted and
// their key is not available.
std::vector<Edit> decodeEdits(ByteReader& reader, const CipherOf& cipherOf);

// Appends rows of an encrypted table: its id and the encrypted bytes. REQUIRES: the cipher is that of the rows' table.
void encodeSealedRows(const MemoryTable& rows, const TableCipher& cipher, std::string& bytes);
// Decodes such rows into an edit of the kind Rows. Throws as decodeEdits.
void decodeSealedRows(ByteReader& reader, const CipherOf& cipherOf, Edit& edit);

}  // namespace pelorus
