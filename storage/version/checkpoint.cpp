// Checkpoint: the state at the border of two log files, so that recovery need not read the older ones.
#include "common/error.h"
#include "common/io/crc32c.h"
#include "common/log.h"
#include "storage/codec/row_codec.h"
#include "storage/version/local_storage.h"
#include "storage/version/metadata_embedded.h"

namespace pelorus {

using format::EditKind;

// Rows in memory of larger chunks go to segments before a checkpoint; the others are written into it.
static constexpr int64_t kFlushedBeforeCheckpoint = 8192;

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

std::string LocalStorage::encodeCheckpoint() {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.varint(clock());
    const std::vector<MetaEntry> entries = metadata_->entries();
    writer.varint(entries.size());
    for (const MetaEntry& entry : entries) {
        writer.string(entry.key);
        writer.string(entry.value);
        writer.varint(entry.revision);
    }
    const std::vector<VersionSet::State> chunks = versions_->state();
    writer.varint(chunks.size());
    for (const VersionSet::State& chunk : chunks) encodeChunk(chunk, *keys_, bytes);
    const MutexLock guard(preparedMutex_);
    writer.varint(prepared_.size());
    for (const auto& [name, prepared] : prepared_) {
        writer.string(name);
        writer.varint(prepared.number);
        writer.varint(prepared.participants.size());
        for (const std::string& participant : prepared.participants) writer.string(participant);
        encodeEdits(prepared.edits, bytes);
    }
    const std::vector<std::pair<std::string, uint64_t>> answers = idempotency_.all();
    writer.varint(answers.size());
    for (const auto& [id, number] : answers) {
        writer.string(id);
        writer.varint(number);
    }
    return bytes;
}

void LocalStorage::checkpoint() {
    flush(kFlushedBeforeCheckpoint);
    const MutexLock guard(maintenance_);
    uint64_t number = 0;
    std::string bytes;
    // Commits wait only while the state is recorded; versions are immutable, but the bytes of memory runs are small.
    wal_->startNewFile([&](uint64_t fileNumber) {
        number = fileNumber;
        bytes = encodeCheckpoint();
    });
    writeCheckpoint(number, bytes);
    removeOlderThan(number);
}

// Rows in memory are written into the checkpoint, however many they are: a flush needs the log.
void LocalStorage::renewLog() {
    if (wal_->isSound()) return;
    const MutexLock guard(maintenance_);
    uint64_t number = 0;
    wal_->renew([&](uint64_t fileNumber) {
        number = fileNumber;
        writeCheckpoint(number, encodeCheckpoint());
        return clock();
    });
    if (number == 0) return;  // another thread was faster
    logWarning("storage", "the log was begun anew after a failed sync", {{"folder", folder_}, {"number", number}});
    removeOlderThan(number);
}

// Returns when the checkpoint is in place: what it replaces is garbage from then on.
void LocalStorage::writeCheckpoint(uint64_t number, const std::string& bytes) {
    std::string content(format::kCheckpointMagic);
    ByteWriter(content).fixed(crc32c(bytes));
    content += bytes;
    replaceFile(files_, joinPath(joinPath(folder_, "checkpoint"), format::numberedName(number, ".state")), content);
    logInfo("storage", "checkpoint", {{"number", number}, {"bytes", content.size()}});
}

void LocalStorage::removeOlderThan(uint64_t checkpoint) {
    for (const std::string& name : files_.list(logFolder_)) {
        uint64_t older;
        if (format::parseNumberedName(name, ".wal", older) && older < checkpoint)
            files_.remove(joinPath(logFolder_, name));
    }
    const std::string folder = joinPath(folder_, "checkpoint");
    for (const std::string& name : files_.list(folder)) {
        uint64_t older = 0;
        const bool isState = format::parseNumberedName(name, ".state", older);
        if (!isState || older < checkpoint) files_.remove(joinPath(folder, name));
    }
}

// Returns the version of a checkpoint's format; 0 when it has none that is known.
static int versionOf(const std::string& content) {
    if (content.starts_with(format::kFirstCheckpointMagic)) return 1;
    if (content.starts_with(format::kSecondCheckpointMagic)) return 2;
    if (content.starts_with(format::kThirdCheckpointMagic)) return 3;
    return content.starts_with(format::kCheckpointMagic) ? 4 : 0;
}

void LocalStorage::loadCheckpoint(uint64_t number) {
    const std::string path = joinPath(joinPath(folder_, "checkpoint"), format::numberedName(number, ".state"));
    const std::string content = readWholeFile(files_, path);
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
    metadata_->restore(entries, clock);
    for (uint64_t chunks = reader.count(); chunks > 0; --chunks) {
        uint64_t since = 0, generation = 0, changedAt = 0;
        const std::vector<Edit> edits = decodeChunk(reader, cipherOf_, version, since, generation, changedAt);
        versions_->install(since, edits);
        versions_->setGeneration(edits[0].chunk, since, generation, changedAt);
    }
    for (uint64_t count = reader.count(); count > 0; --count) {
        const std::string name(reader.string());
        Prepared prepared{reader.varint(), {}, {}};
        for (uint64_t names = version > 2 ? reader.count() : 0; names > 0; --names)
            prepared.participants.emplace_back(reader.string());
        prepared.edits = decodeEdits(reader, cipherOf_);
        lockRecovered(prepared);
        holdPrepared(name, std::move(prepared));
    }
    for (uint64_t count = version == 1 ? 0 : reader.count(); count > 0; --count) {
        const std::string id(reader.string());
        idempotency_.note(id, reader.varint());
    }
    versions_->setVisible(clock);
    versions_->forgetBefore(clock);
}

}  // namespace pelorus
