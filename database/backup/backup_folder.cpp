#include "database/backup/backup_folder.h"

#include <fmt/format.h>

#include <cctype>

#include "common/error.h"
#include "common/io/bytes.h"
#include "common/io/crc32c.h"
#include "storage/segment/block_cache.h"
#include "storage/segment/segment_writer.h"

namespace pelorus {

namespace {

constexpr std::string_view kTableMagic = "PLRSBKT\x01";
constexpr std::string_view kChunkMagic = "PLRSBKC\x01";
constexpr std::string_view kDescriptionName = "table.meta";
constexpr std::string_view kChunkSuffix = ".chunk";
// Size of magic, length and checksum of the header.
constexpr size_t kPrefixBytes = 8 + 4 + 4;

std::string escaped(std::string_view name) {
    std::string string;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-')
            string += c;
        else
            string += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return string;
}

std::string unescaped(std::string_view string) {
    std::string name;
    for (size_t i = 0; i < string.size(); ++i) {
        if (string[i] == '%' && i + 2 < string.size() && std::isxdigit(static_cast<unsigned char>(string[i + 1])) &&
            std::isxdigit(static_cast<unsigned char>(string[i + 2]))) {
            name += static_cast<char>(std::stoi(std::string(string.substr(i + 1, 2)), nullptr, 16));
            i += 2;
        } else {
            name += string[i];
        }
    }
    return name;
}

std::string framed(std::string_view magic, std::string_view content) {
    std::string bytes(magic);
    ByteWriter writer(bytes);
    writer.fixed(static_cast<uint32_t>(content.size()));
    writer.fixed(crc32c(content));
    bytes += content;
    return bytes;
}

// Reads the header that `framed` wrote at the begin of the file.
std::string readFramed(const File& file, std::string_view magic) {
    const SystemError damaged("The backup file " + file.path() + " is damaged: its header fails the checksum.",
                              "Back the partition up again with force=true.");
    char prefix[kPrefixBytes];
    if (file.readAt(0, prefix, kPrefixBytes) != kPrefixBytes) throw damaged;
    ByteReader reader({prefix, kPrefixBytes});
    if (reader.raw(8) != magic) throw damaged;
    const auto size = reader.fixed<uint32_t>();
    const auto checksum = reader.fixed<uint32_t>();
    if (static_cast<int64_t>(size) > file.size()) throw damaged;
    std::string content(size, '\0');
    if (file.readAt(kPrefixBytes, content.data(), size) != size || crc32c(content) != checksum) throw damaged;
    return content;
}

// Returns the checksum of all bytes of the file from `offset` on.
uint32_t crc32cFrom(const File& file, int64_t offset) {
    constexpr size_t kPieceBytes = 1 << 20;
    std::string piece(kPieceBytes, '\0');
    uint32_t checksum = 0;
    for (;;) {
        piece.resize(file.readAt(offset, piece.data(), kPieceBytes));
        checksum = crc32c(piece, checksum);
        offset += static_cast<int64_t>(piece.size());
        if (piece.size() < kPieceBytes) return checksum;
    }
}

// A segment within a backup file. It is read once, so that its blocks are not cached.
struct BackedUpSegment {
    BackedUpSegment(UserFiles& files, const std::string& path, int64_t offset, int64_t rows,
                    const TableCipherRef& cipher)
        : cache(0),
          segment(
              std::make_shared<SegmentFile>(files, path, 0, [cipher](uint64_t) { return cipher; }),
              {0, static_cast<uint64_t>(offset), static_cast<uint64_t>(files.openForRead(path)->size() - offset), rows},
              cache) {}

    BlockCache cache;
    Segment segment;
};

}  // namespace

TableBackup::TableBackup(UserFiles& files, const std::string& folder, std::string database, std::string table)
    : files_(&files), database_(std::move(database)), table_(std::move(table)) {
    const std::string_view name = std::string_view(database_).substr(std::string_view("dfs://").size());
    folder_ = joinPath(joinPath(folder, escaped(name)), escaped(table_));
}

std::string TableBackup::fileOf(const std::string& path) const {
    return joinPath(folder_, escaped(path) + std::string(kChunkSuffix));
}

// The key of an encrypted backup, stored after the table's description.
struct TableBackup::Sealing {
    CipherMode mode = CipherMode::Plaintext;
    uint32_t version = 0;  // version of the master key
    std::string wrapped;
};

std::optional<TableBackup::Sealing> TableBackup::sealing() const {
    const std::string path = joinPath(folder_, kDescriptionName);
    if (!files_->exists(path)) return std::nullopt;
    const std::string content = readFramed(*files_->openForRead(path), kTableMagic);
    ByteReader reader(content);
    for (int strings = 0; strings < 4; ++strings) reader.string();
    if (reader.left() == 0) return std::nullopt;
    Sealing sealing;
    sealing.mode = reader.fixed<CipherMode>();
    sealing.version = reader.fixed<uint32_t>();
    sealing.wrapped = reader.string();
    if (cipherModeName(sealing.mode).empty())
        throw SystemError("The backup " + path + " was encrypted by a newer version of Pelorus.");
    return sealing;
}

void TableBackup::unlock(const std::optional<MasterKey>& key) {
    const std::optional<Sealing> sealed = sealing();
    if (!sealed) return;
    const std::string what =
        fmt::format("The backup of {} of {} is encrypted with the master key {}", table_, database_, sealed->version);
    if (!key) throw UserError(what + ".", "Give the file of that key as keyPath.");
    const std::optional<std::string> own = unwrapKey(key->bytes, sealed->wrapped);
    if (key->version != sealed->version || !own)
        throw UserError(fmt::format("{}, but keyPath names the key {}.", what, key->version),
                        "Give the file of the key that the backup was made with.");
    cipher_ = std::make_shared<const TableCipher>(0, sealed->mode, *own);
}

TableDescription TableBackup::description() const {
    const std::string path = joinPath(folder_, kDescriptionName);
    if (!files_->exists(path)) {
        throw UserError("There is no backup of the table " + table_ + " of " + database_ + " in " +
                        folderOf(folderOf(folder_)) + ".");
    }
    const std::string content = readFramed(*files_->openForRead(path), kTableMagic);
    ByteReader reader(content);
    MetaEntry database, table;
    for (std::string* string : {&database.key, &database.value, &table.key, &table.value}) *string = reader.string();
    return {databaseEntryOf(database), tableEntryOf(table)};
}

void TableBackup::describe(const TableDescription& description, const std::optional<MasterKey>& key) {
    if (!description.table.encryptMode.empty() && !key)
        throw UserError(fmt::format("The table {} of {} is encrypted, and its backup must be, too.", table_, database_),
                        "Give a file with a master key as keyPath.");
    const CipherMode mode = cipherModeNamed(description.table.encryptMode).value_or(CipherMode::Aes256Ctr);
    std::optional<Sealing> sealed = sealing();
    // Existing chunks must be readable with the same key.
    const bool isSame = sealed.has_value() == key.has_value() && (!sealed || sealed->version == key->version);
    if (!isSame && !paths().empty()) {
        throw UserError(
            fmt::format("The folder has a backup of {} of {} that is {}.", table_, database_,
                        sealed ? fmt::format("encrypted with the master key {}", sealed->version) : "not encrypted"),
            "Back it up in the same way, or into another folder.");
    }
    if (key && (!isSame || sealed->mode != mode)) {
        if (!paths().empty()) removeAll();  // they belong to another table that had the name before
        sealed = Sealing{mode, key->version, wrapKey(key->bytes, Cipher::randomKey(mode))};
    }
    files_->makeFolder(folder_);
    const MetaEntry database = metaEntryOf(description.database), table = metaEntryOf(description.table);
    std::string content;
    ByteWriter writer(content);
    for (const std::string* string : {&database.key, &database.value, &table.key, &table.value}) writer.string(*string);
    if (key) {
        writer.fixed(sealed->mode);
        writer.fixed(sealed->version);
        writer.string(sealed->wrapped);
    }
    replaceFile(*files_, joinPath(folder_, kDescriptionName), framed(kTableMagic, content));
    if (key) unlock(key);
}

std::vector<std::string> TableBackup::paths() const {
    std::vector<std::string> paths;
    for (const std::string& name : files_->list(folder_)) {
        if (name.ends_with(kChunkSuffix)) paths.push_back(unescaped(name.substr(0, name.size() - kChunkSuffix.size())));
    }
    return paths;
}

ChunkBackup TableBackup::readHeader(const std::string& path, int64_t& segmentAt,
                                    std::optional<uint32_t>* checksum) const {
    const std::unique_ptr<File> file = files_->openForRead(fileOf(path));
    const std::string content = readFramed(*file, kChunkMagic);
    segmentAt = static_cast<int64_t>(kPrefixBytes + content.size());
    ByteReader reader(content);
    ChunkBackup chunk;
    chunk.kind = reader.fixed<BackupKind>();
    chunk.path = reader.string();
    chunk.version = reader.varint();
    chunk.rows = static_cast<int64_t>(reader.varint());
    chunk.updatedMillis = reader.fixed<int64_t>();
    if (checksum != nullptr && reader.left() > 0) *checksum = reader.fixed<uint32_t>();
    return chunk;
}

std::vector<ChunkBackup> TableBackup::chunks() const {
    std::vector<ChunkBackup> chunks;
    int64_t segmentAt = 0;
    for (const std::string& path : paths()) chunks.push_back(readHeader(path, segmentAt));
    return chunks;
}

Ref<MemoryTable> TableBackup::load(const ChunkBackup& chunk) const {
    int64_t segmentAt = 0;
    const ChunkBackup header = readHeader(chunk.path, segmentAt);
    return BackedUpSegment(*files_, fileOf(chunk.path), segmentAt, header.rows, cipher_).segment.readAll();
}

bool TableBackup::isWhole(const std::string& path) const {
    try {
        int64_t segmentAt = 0;
        std::optional<uint32_t> checksum;
        const ChunkBackup header = readHeader(path, segmentAt, &checksum);
        if (header.path != path) return false;
        if (checksum) return crc32cFrom(*files_->openForRead(fileOf(path)), segmentAt) == *checksum;
        BackedUpSegment(*files_, fileOf(path), segmentAt, header.rows, nullptr).segment.verify();
        return true;
    } catch (const Error&) {
        return false;
    }
}

void TableBackup::store(const ChunkBackup& chunk, const MemoryTable& rows) {
    std::string content;
    ByteWriter writer(content);
    writer.fixed(chunk.kind);
    writer.string(chunk.path);
    writer.varint(chunk.version);
    writer.varint(static_cast<uint64_t>(chunk.rows));
    writer.fixed(chunk.updatedMillis);
    const std::string segment = encodeSegment(rows, {}, cipher_.get());
    // The checksum allows to verify an encrypted file without its key.
    if (cipher_) writer.fixed(crc32c(segment));
    replaceFile(*files_, fileOf(chunk.path), framed(kChunkMagic, content) + segment);
}

void TableBackup::remove(const std::string& path) {
    files_->remove(fileOf(path));
}

void TableBackup::removeAll() {
    for (const std::string& path : paths()) remove(path);
    files_->remove(joinPath(folder_, kDescriptionName));
}

std::vector<TableBackup> backupsIn(UserFiles& files, const std::string& folder) {
    std::vector<TableBackup> backups;
    for (const std::string& database : files.list(folder)) {
        const std::string inside = joinPath(folder, database);
        if (!files.isFolder(inside)) continue;
        for (const std::string& table : files.list(inside)) {
            if (files.exists(joinPath(joinPath(inside, table), kDescriptionName)))
                backups.emplace_back(files, folder, "dfs://" + unescaped(database), unescaped(table));
        }
    }
    return backups;
}

}  // namespace pelorus
