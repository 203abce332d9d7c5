#include "storage/version/edit.h"

#include "common/check.h"
#include "common/error.h"
#include "storage/codec/row_codec.h"
#include "storage/rows/row_edits.h"

namespace pelorus {

using format::EditKind;

void encodeSealedRows(const MemoryTable& rows, const TableCipher& cipher, std::string& bytes) {
    std::string sealed;
    encodeRows(rows, sealed);
    cipher.cipher.seal(sealed);
    ByteWriter writer(bytes);
    writer.varint(cipher.table);
    writer.string(sealed);
}

void decodeSealedRows(ByteReader& reader, const CipherOf& cipherOf, Edit& edit) {
    const uint64_t table = reader.varint();
    std::string bytes(reader.string());
    edit.kind = EditKind::Rows;
    edit.cipher = cipherOf(table);
    if (!edit.cipher)
        throw SystemError("Rows of the table number " + std::to_string(table) + " are encrypted, but its key is lost.",
                          "Restore the data folder from a copy.");
    edit.cipher->cipher.open(bytes);
    ByteReader rows(bytes);
    edit.rows = decodeRows(rows);
}

static bool namesChunk(EditKind kind) {
    return kind != EditKind::MetaWrite && kind != EditKind::AppendId && kind != EditKind::RowEdits &&
           kind != EditKind::RowsDropped;
}

static void encodeEdit(const Edit& edit, std::string& bytes) {
    CHECK(edit.kind != EditKind::SealedRows && edit.kind != EditKind::RoutedChunk)
        << "kinds that only the log has are chosen by their content";
    CHECK(!edit.cipher || edit.kind == EditKind::Rows) << "only rows are sealed";
    CHECK(edit.kind != EditKind::Rows || edit.rows.get() != nullptr) << "an edit that adds rows has them";
    CHECK(edit.firstRow >= 0) << "rows are counted from 0";
    ByteWriter writer(bytes);
    const bool isRouted = edit.kind == EditKind::ChunkCreated && edit.route != 0;
    writer.fixed(edit.cipher ? EditKind::SealedRows : isRouted ? EditKind::RoutedChunk : edit.kind);
    if (namesChunk(edit.kind)) writer.varint(edit.chunk);
    switch (edit.kind) {
        case EditKind::ChunkCreated:
            writer.varint(edit.table);
            writer.string(edit.path);
            writer.varint(edit.index.size());
            for (const int position : edit.index) writer.varint(static_cast<uint64_t>(position));
            if (isRouted) writer.varint(edit.route);
            break;
        case EditKind::Rows:
            if (edit.cipher)
                encodeSealedRows(*edit.rows, *edit.cipher, bytes);
            else
                encodeRows(*edit.rows, bytes);
            break;
        case EditKind::RangeMoved:
            writer.varint(static_cast<uint64_t>(edit.firstRow));
            writer.varint(edit.generation);
            encodeLocation(edit.segment, writer);
            break;
        case EditKind::RowsReplaced:
            writer.varint(static_cast<uint64_t>(edit.firstRow));
            break;
        case EditKind::ChunkCopied:
            writer.varint(edit.changedAt);
            break;
        case EditKind::SegmentAdded:
            encodeLocation(edit.segment, writer);
            break;
        case EditKind::ChunkDropped:
        case EditKind::ChunkCleared:
        case EditKind::SealedRows:
        case EditKind::RoutedChunk:
            break;
        case EditKind::AppendId:
            writer.string(edit.appendId);
            break;
        case EditKind::RowEdits:
            encodeRowEdits(*edit.rowEdits, bytes);
            break;
        case EditKind::RowsDropped:
            writer.varint(edit.table);
            break;
        case EditKind::MetaWrite:
            writer.string(edit.meta.key);
            writer.fixed<uint8_t>(edit.meta.value.has_value());
            if (edit.meta.value) writer.string(*edit.meta.value);
            break;
    }
}

static Edit decodeEdit(ByteReader& reader, const CipherOf& cipherOf) {
    Edit edit;
    edit.kind = reader.fixed<EditKind>();
    if (namesChunk(edit.kind)) edit.chunk = reader.varint();
    const bool isRouted = edit.kind == EditKind::RoutedChunk;
    if (isRouted) edit.kind = EditKind::ChunkCreated;
    switch (edit.kind) {
        case EditKind::ChunkCreated:
            edit.table = reader.varint();
            edit.path = reader.string();
            edit.index.resize(reader.count());
            for (int& position : edit.index) position = static_cast<int>(reader.varint());
            if (isRouted) edit.route = reader.varint();
            return edit;
        case EditKind::RoutedChunk:
            break;  // became ChunkCreated
        case EditKind::AppendId:
            edit.appendId = reader.string();
            return edit;
        case EditKind::RowEdits:
            edit.rowEdits = std::make_shared<const RowEdits>(decodeRowEdits(reader));
            return edit;
        case EditKind::RowsDropped:
            edit.table = reader.varint();
            return edit;
        case EditKind::Rows:
            edit.rows = decodeRows(reader);
            return edit;
        case EditKind::SealedRows:
            decodeSealedRows(reader, cipherOf, edit);
            return edit;
        case EditKind::RangeMoved:
            edit.firstRow = static_cast<int64_t>(reader.varint());
            edit.generation = reader.varint();
            edit.segment = decodeLocation(reader);
            return edit;
        case EditKind::RowsReplaced:
            edit.firstRow = static_cast<int64_t>(reader.varint());
            return edit;
        case EditKind::ChunkCopied:
            edit.changedAt = reader.varint();
            return edit;
        case EditKind::SegmentAdded:
            edit.segment = decodeLocation(reader);
            return edit;
        case EditKind::ChunkDropped:
        case EditKind::ChunkCleared:
            return edit;
        case EditKind::MetaWrite:
            edit.meta.key = reader.string();
            if (reader.fixed<uint8_t>() != 0) edit.meta.value = reader.string();
            return edit;
    }
    throw SystemError("A record of the log has a kind that this version does not know.",
                      "Open the folder with a newer version of Pelorus.");
}

void encodeEdits(const std::vector<Edit>& edits, std::string& bytes) {
    ByteWriter(bytes).varint(edits.size());
    for (const Edit& edit : edits) encodeEdit(edit, bytes);
}

std::vector<Edit> decodeEdits(ByteReader& reader, const CipherOf& cipherOf) {
    std::vector<Edit> edits(reader.count());
    for (Edit& edit : edits) edit = decodeEdit(reader, cipherOf);
    return edits;
}

}  // namespace pelorus
