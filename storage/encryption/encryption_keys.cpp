#include "storage/encryption/encryption_keys.h"

#include <fmt/format.h>

#include <filesystem>

#include "common/check.h"
#include "common/error.h"
#include "common/io/bytes.h"
#include "runtime/table/spill_file.h"

namespace pelorus {

// Keys of the metadata store. In files: never change.
//   tdekey/current       version of the master key in use, as decimal digits
//   tdekey/table/<id>    mode (1), version of the master key (4), the wrapped key
// The latter stay when their table is dropped: the log may still hold rows of it.
static constexpr const char* kCurrentKey = "tdekey/current";
static const std::string kTablePrefix = "tdekey/table/";

struct EncryptionKeys::Entry {
    TableKey state;
    std::string wrapped;

    static std::string encode(CipherMode mode, const MasterKey& master, std::string_view key) {
        std::string bytes;
        ByteWriter writer(bytes);
        writer.fixed(mode);
        writer.fixed(master.version);
        return bytes + wrapKey(master.bytes, key);
    }
};

EncryptionKeys::EncryptionKeys(MetaStore& store, FileSystem& files, std::string keyFolder, std::string dataFolder)
    : store_(store), files_(files), keyFolder_(std::move(keyFolder)), dataFolder_(std::move(dataFolder)) {}

void EncryptionKeys::recovered() {
    any_.store(false, std::memory_order_release);
    if (!store_.range(kTablePrefix, 0, 1).entries.empty()) encryptionBegins();
}

// Spilled rows of an encrypted table must not be readable on the disk either.
void EncryptionKeys::encryptionBegins() {
    any_.store(true, std::memory_order_release);
    SpillFile::sealNewFiles();
}

EncryptionKeys::Entry EncryptionKeys::entryOf(const MetaEntry& meta) const {
    ByteReader reader(meta.value);
    Entry entry;
    entry.state.table = std::stoull(meta.key.substr(kTablePrefix.size()));
    entry.state.mode = reader.fixed<CipherMode>();
    entry.state.version = reader.fixed<uint32_t>();
    entry.wrapped = reader.raw(reader.left());
    if (cipherModeName(entry.state.mode).empty())
        throw SystemError("The table " + tableName(entry.state.table) +
                          " was encrypted by a newer version of Pelorus.");
    return entry;
}

std::string EncryptionKeys::tableName(uint64_t table) const {
    for (const TableEntry& entry : Catalog(store_).allTables()) {
        if (entry.id == table) return entry.database + "/" + entry.name;
    }
    return "that was dropped, number " + std::to_string(table);
}

MasterKey EncryptionKeys::masterKey(uint32_t version, const std::string& user) const {
    if (keyFolder_.empty()) {
        throw SystemError(
            fmt::format("{} needs the master key {}, but the setting TDEKeyDir is missing.", user, version),
            "Set TDEKeyDir to the folder that holds the master key.");
    }
    if (std::optional<MasterKey> key = findMasterKey(files_, keyFolder_, version)) return std::move(*key);
    throw SystemError(fmt::format("{} needs the master key {}, which is not in {} (the setting TDEKeyDir).", user,
                                  version, keyFolder_),
                      "Put the file of this key there, or set TDEKeyDir to the folder that holds it.");
}

TableCipherRef EncryptionKeys::of(uint64_t table) const {
    if (!any_.load(std::memory_order_acquire)) return nullptr;
    const MutexLock guard(mutex_);
    const auto known = known_.find(table);
    if (known != known_.end()) return known->second;
    TableCipherRef cipher;
    if (const std::optional<MetaEntry> meta = store_.get(kTablePrefix + std::to_string(table))) {
        const Entry entry = entryOf(*meta);
        const std::string user = "The table " + tableName(table);
        const std::optional<std::string> key = unwrapKey(masterKey(entry.state.version, user).bytes, entry.wrapped);
        if (!key)
            throw SystemError(fmt::format("{} has a key that the master key {} of {} (the setting TDEKeyDir) does not "
                                          "open: it is damaged.",
                                          user, entry.state.version, keyFolder_),
                              "Restore the data folder from a copy.");
        cipher = std::make_shared<const TableCipher>(table, entry.state.mode, *key);
    }
    // A table gets its key when it is made, so that an unencrypted one stays so.
    known_.emplace(table, cipher);
    return cipher;
}

std::optional<uint32_t> EncryptionKeys::version() const {
    const std::optional<MetaEntry> current = store_.get(kCurrentKey);
    if (!current) return std::nullopt;
    return static_cast<uint32_t>(std::stoul(current->value));
}

// A key stored next to the data that it encrypts protects nothing.
void EncryptionKeys::requireFolder() const {
    if (keyFolder_.empty())
        throw UserError("The setting TDEKeyDir is missing: it names the folder that keeps master keys.",
                        "Set it to a folder outside the data folder, and start again.");
    namespace fs = std::filesystem;
    const fs::path inside = fs::weakly_canonical(keyFolder_).lexically_relative(fs::weakly_canonical(dataFolder_));
    if (!inside.empty() && *inside.begin() != "..")
        throw UserError("The setting TDEKeyDir names a folder within the data folder, where a key protects nothing.",
                        "Choose a folder elsewhere, and start again.");
}

void EncryptionKeys::enable(FileSystem& source, const std::string& keyFile) {
    requireFolder();
    const MasterKey key = readMasterKey(source, keyFile);
    const MutexLock changing(change_);
    const std::optional<uint32_t> current = version();
    if (current && *current != key.version)
        throw UserError(fmt::format("The master key {} is in use already.", *current),
                        "Change it with rotateTDEKey(masterKeyPath).");
    // The key is safe before anything is encrypted with it.
    keepMasterKey(files_, keyFolder_, key);
    if (!current) store_.transact({{kCurrentKey, 0}}, {{kCurrentKey, std::to_string(key.version), 0}});
}

void EncryptionKeys::rotate(FileSystem& source, const std::string& keyFile) {
    requireFolder();
    const MasterKey key = readMasterKey(source, keyFile);
    const MutexLock changing(change_);
    if (!version()) throw UserError("No master key is in use yet.", "Begin with enableTDEKey(masterKeyPath).");
    keepMasterKey(files_, keyFolder_, key);
    std::vector<MetaWrite> writes{{kCurrentKey, std::to_string(key.version), 0}};
    for (const MetaEntry& meta : store_.range(kTablePrefix).entries) {
        const uint64_t table = entryOf(meta).state.table;
        const TableCipherRef cipher = of(table);
        CHECK(cipher != nullptr) << "a table with a stored key has a cipher";
        writes.push_back({meta.key, Entry::encode(cipher->cipher.mode(), key, cipher->cipher.key()), 0});
    }
    store_.transact({}, writes);
}

TableEntry EncryptionKeys::createTable(Catalog& catalog, TableEntry table) {
    const CipherMode mode = cipherModeNamed(table.encryptMode).value_or(CipherMode::Plaintext);
    CHECK(!table.encryptMode.empty()) << "only an encrypted table gets a key";
    const MutexLock changing(change_);
    const std::optional<uint32_t> current = version();
    if (!current)
        throw UserError(fmt::format("The table {} of {} is to be encrypted, but no master key is in use.", table.name,
                                    table.database),
                        "Set TDEKeyDir and call enableTDEKey(masterKeyPath) first, or leave encryptMode out.");
    const MasterKey master = masterKey(*current, fmt::format("The table {} of {}", table.name, table.database));
    const std::string key = Cipher::randomKey(mode);
    const Cipher probe(mode, key);  // throws when there is no such cipher
    // Before the table becomes visible: its first rows must not be written unencrypted.
    encryptionBegins();
    return catalog.createTable(std::move(table), [&](uint64_t id) {
        return MetaWrite{kTablePrefix + std::to_string(id), Entry::encode(mode, master, key), 0};
    });
}

std::vector<EncryptionKeys::TableKey> EncryptionKeys::list() const {
    std::vector<TableKey> state;
    for (const MetaEntry& meta : store_.range(kTablePrefix).entries) state.push_back(entryOf(meta).state);
    return state;
}

}  // namespace pelorus
