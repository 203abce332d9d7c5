#include "storage/folder/checkpoint.h"
#include "storage/version/version_set.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/crc32c.h"
#include "common/log.h"
#include "storage/codec/row_codec.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/storage_parts.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/folder/damaged_data.h"
#include "storage/folder/row_image_files.h"

namespace pelorus {

using format::EditKind;

// Format of a part of a chunk in a checkpoint. In files: append, never renumber.
enum class PartKind : uint8_t { Rows = 0, Segment = 1, SealedRows = 2 };

static void encodeChunk(const VersionSet::State& chunk, const EncryptionKeys& keys, std::string& bytes) {
    ByteWriter writer(bytes);
    writer.varint(chunk.identity->id);
    writer.varint(chunk.identity->table);
    writer.string(chunk.identity->path);
    writer.varint(chunk.identity->index.size());
    for (const int position : chunk.identity->index) writer.varint(static_cast<uint64_t>(position));
    writer.varint(chunk.identity->route);
    writer.varint(chunk.version ? chunk.version->since : 0);
    writer.varint(chunk.version ? chunk.version->generation : 0);
    writer.varint(chunk.version ? chunk.version->changedAt : 0);
    writer.varint(chunk.version ? chunk.version->parts.size() : 0);
    if (!chunk.version) return;
    // Without rows in memory no key is needed: a missing one must not keep the log from being cut.
    const TableCipherRef cipher = chunk.version->cachedRows > 0 ? keys.of(chunk.identity->table) : nullptr;
    for (const ChunkPart& part : chunk.version->parts) {
        writer.fixed(part.segment ? PartKind::Segment : cipher ? PartKind::SealedRows : PartKind::Rows);
        if (part.segment)
            encodeLocation(part.segment->location(), writer);
        else if (cipher)
            encodeSealedRows(*part.rows, *cipher, bytes);
        else
            encodeRows(*part.rows, bytes);
    }
}

// Decodes a chunk as the edits that make it.
static std::vector<Edit> decodeChunk(ByteReader& reader, const CipherOf& cipherOf, int version, uint64_t& since,
                                     uint64_t& generation, uint64_t& changedAt) {
    std::vector<Edit> edits(1);
    edits[0].kind = EditKind::ChunkCreated;
    edits[0].chunk = reader.varint();
    edits[0].table = reader.varint();
    edits[0].path = reader.string();
    edits[0].index.resize(reader.count());
    for (int& position : edits[0].index) position = static_cast<int>(reader.varint());
    if (version > 1) edits[0].route = reader.varint();
    since = reader.varint();
    generation = reader.varint();
    changedAt = version > 3 ? reader.varint() : 0;
    for (uint64_t parts = reader.count(); parts > 0; --parts) {
        Edit edit;
        edit.chunk = edits[0].chunk;
        switch (reader.fixed<PartKind>()) {
            case PartKind::Segment:
                edit.kind = EditKind::SegmentAdded;
                edit.segment = decodeLocation(reader);
                break;
            case PartKind::Rows:
                edit.kind = EditKind::Rows;
                edit.rows = decodeRows(reader);
                break;
            case PartKind::SealedRows:
                decodeSealedRows(reader, cipherOf, edit);
                break;
        }
        edits.push_back(std::move(edit));
    }
    return edits;
}

CheckpointState encodeCheckpoint(StorageParts& parts, const PreparedCommits& prepared, uint64_t number) {
    CheckpointState state;
    state.rows = parts.rows->beginLogFile(number);
    std::string& bytes = state.bytes;
    ByteWriter writer(bytes);
    writer.varint(parts.clock());
    const std::vector<MetaEntry> entries = parts.metadata.entries();
    writer.varint(entries.size());
    for (const MetaEntry& entry : entries) {
        writer.string(entry.key);
        writer.string(entry.value);
        writer.varint(entry.revision);
    }
    const std::vector<VersionSet::State> chunks = parts.versions.state();
    writer.varint(chunks.size());
    for (const VersionSet::State& chunk : chunks) encodeChunk(chunk, *parts.keys, bytes);
    prepared.encode(bytes);
    const std::vector<std::pair<std::string, uint64_t>> answers = parts.idempotency.all();
    writer.varint(answers.size());
    for (const auto& [id, number] : answers) {
        writer.string(id);
        writer.varint(number);
    }
    return state;
}

void writeCheckpoint(const StorageParts& parts, uint64_t number, const CheckpointState& state) {
    std::string rows;
    if (state.rows.firstFile != 0) ByteWriter(rows).varint(state.rows.firstFile);
    if (state.rows.images) encodeRowImages(*state.rows.images, rows);
    std::string content(state.rows.images           ? format::kImageCheckpointMagic
                        : state.rows.firstFile != 0 ? format::kRowCheckpointMagic
                                                    : format::kCheckpointMagic);
    ByteWriter(content).fixed(crc32c(rows, crc32c(state.bytes)));
    content += state.bytes;
    content += rows;
    replaceFile(parts.files, joinPath(joinPath(parts.folder, "checkpoint"), format::numberedName(number, ".state")),
                content);
    logInfo("storage", "checkpoint", {{"number", number}, {"bytes", content.size()}});
}

void removeOlderThan(const StorageParts& parts, uint64_t number, const CheckpointState& state) {
    const uint64_t firstFile = state.rows.firstFile == 0 ? number : std::min(state.rows.firstFile, number);
    for (const std::string& name : parts.files.list(parts.logFolder)) {
        uint64_t older;
        if (format::parseNumberedName(name, ".wal", older) && older < firstFile)
            parts.files.remove(joinPath(parts.logFolder, name));
    }
    const std::string folder = joinPath(parts.folder, "checkpoint");
    for (const std::string& name : parts.files.list(folder)) {
        uint64_t older = 0;
        const bool isState = format::parseNumberedName(name, ".state", older);
        if (!isState || older < number) parts.files.remove(joinPath(folder, name));
    }
    removeOtherRowImages(parts, state.rows.images.get());
}

// Returns the version of a checkpoint's format; 0 when it has none that is known.
static int versionOf(const std::string& content) {
    if (content.starts_with(format::kFirstCheckpointMagic)) return 1;
    if (content.starts_with(format::kSecondCheckpointMagic)) return 2;
    if (content.starts_with(format::kThirdCheckpointMagic)) return 3;
    if (content.starts_with(format::kCheckpointMagic)) return 4;
    if (content.starts_with(format::kRowCheckpointMagic)) return 5;
    return content.starts_with(format::kImageCheckpointMagic) ? 6 : 0;
}

uint64_t loadCheckpoint(StorageParts& parts, PreparedCommits& prepared, uint64_t number) {
    const std::string path = joinPath(joinPath(parts.folder, "checkpoint"), format::numberedName(number, ".state"));
    const std::string content = readWholeFile(parts.files, path);
    const size_t headBytes = format::kCheckpointMagic.size() + sizeof(uint32_t);
    uint32_t checksum = 0;
    if (content.size() >= headBytes)
        std::memcpy(&checksum, content.data() + format::kCheckpointMagic.size(), sizeof checksum);
    const std::string_view bytes = std::string_view(content).substr(std::min(headBytes, content.size()));
    const int version = versionOf(content);
    if (content.size() < headBytes || version == 0 || crc32c(bytes) != checksum) {
        throw DamagedData("The checkpoint " + path + " is damaged: it fails its checksum.",
                          "Restore the folder from a copy.");
    }
    ByteReader reader(bytes);
    const uint64_t clock = reader.varint();
    std::vector<MetaEntry> entries(reader.count(3));
    for (MetaEntry& entry : entries) {
        entry.key = reader.string();
        entry.value = reader.string();
        entry.revision = reader.varint();
    }
    parts.metadata.restore(entries, clock);
    for (uint64_t chunks = reader.count(); chunks > 0; --chunks) {
        uint64_t since = 0, generation = 0, changedAt = 0;
        const std::vector<Edit> edits = decodeChunk(reader, parts.cipherOf, version, since, generation, changedAt);
        parts.versions.install(since, edits);
        parts.versions.setGeneration(edits[0].chunk, since, generation, changedAt);
    }
    prepared.restore(reader, version > 2);
    for (uint64_t count = version == 1 ? 0 : reader.count(); count > 0; --count) {
        const std::string id(reader.string());
        parts.idempotency.note(id, reader.varint());
    }
    parts.versions.setVisible(clock);
    parts.versions.forgetBefore(clock);
    const uint64_t firstFile = version > 4 ? reader.varint() : 0;
    if (version > 5) loadRowImages(parts, std::make_shared<const RowImages>(decodeRowImages(reader)));
    return firstFile;
}

}  // namespace pelorus
