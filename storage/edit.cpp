#include "storage/edit.h"

#include "storage/row_codec.h"

namespace pelorus {

using format::EditKind;

static void encodeEdit(const Edit& edit, std::string& bytes) {
    ByteWriter writer(bytes);
    writer.fixed(edit.kind);
    if (edit.kind != EditKind::MetaWrite) writer.varint(edit.chunk);
    switch (edit.kind) {
        case EditKind::ChunkCreated:
            writer.varint(edit.table);
            writer.text(edit.path);
            writer.varint(edit.index.size());
            for (const int position : edit.index) writer.varint(static_cast<uint64_t>(position));
            break;
        case EditKind::Rows:
            encodeRows(*edit.rows, bytes);
            break;
        case EditKind::RangeMoved:
            writer.varint(static_cast<uint64_t>(edit.firstRow));
            writer.varint(edit.generation);
            encodeLocation(edit.segment, writer);
            break;
        case EditKind::SegmentAdded:
            encodeLocation(edit.segment, writer);
            break;
        case EditKind::ChunkDropped:
        case EditKind::ChunkCleared:
            break;
        case EditKind::MetaWrite:
            writer.text(edit.meta.key);
            writer.fixed<uint8_t>(edit.meta.value.has_value());
            if (edit.meta.value) writer.text(*edit.meta.value);
            break;
    }
}

static Edit decodeEdit(ByteReader& reader) {
    Edit edit;
    edit.kind = reader.fixed<EditKind>();
    if (edit.kind != EditKind::MetaWrite) edit.chunk = reader.varint();
    switch (edit.kind) {
        case EditKind::ChunkCreated:
            edit.table = reader.varint();
            edit.path = reader.text();
            edit.index.resize(reader.count());
            for (int& position : edit.index) position = static_cast<int>(reader.varint());
            return edit;
        case EditKind::Rows:
            edit.rows = decodeRows(reader);
            return edit;
        case EditKind::RangeMoved:
            edit.firstRow = static_cast<int64_t>(reader.varint());
            edit.generation = reader.varint();
            edit.segment = decodeLocation(reader);
            return edit;
        case EditKind::SegmentAdded:
            edit.segment = decodeLocation(reader);
            return edit;
        case EditKind::ChunkDropped:
        case EditKind::ChunkCleared:
            return edit;
        case EditKind::MetaWrite:
            edit.meta.key = reader.text();
            if (reader.fixed<uint8_t>() != 0) edit.meta.value = reader.text();
            return edit;
    }
    throw SystemError("A record of the log has a kind that this version does not know.",
                      "Open the folder with a newer version of Pelorus.");
}

void encodeEdits(const std::vector<Edit>& edits, std::string& bytes) {
    ByteWriter(bytes).varint(edits.size());
    for (const Edit& edit : edits) encodeEdit(edit, bytes);
}

std::vector<Edit> decodeEdits(ByteReader& reader) {
    std::vector<Edit> edits(reader.count());
    for (Edit& edit : edits) edit = decodeEdit(reader);
    return edits;
}

}  // namespace pelorus
