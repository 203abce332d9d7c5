// Keeps the keys of encrypted tables.
//
// Each table has a separate random key, made with it and kept in the metadata store, wrapped by a master key. Master
// keys are files in the folder that the setting TDEKeyDir names, outside the data: a thief of the data folder can read
// nothing. A rotation wraps the tables' keys by another master key; the data that they encrypt is not rewritten.
//
// Format and scope of the encryption: docs/formats/encryption.md.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "common/io/file.h"
#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "storage/catalog/catalog.h"
#include "storage/encryption/master_key.h"
#include "storage/encryption/table_cipher.h"

namespace pelorus {

// The keys of the encrypted tables of a data folder. StorageParts owns it; readers and writers of rows ask it for
// ciphers, and built-ins of administrators change master keys. Thread-safe.
class EncryptionKeys {
public:
    EncryptionKeys(MetaStore& store, FileSystem& files, std::string keyFolder, std::string dataFolder);

    // Returns the cipher of a table; null for one that is not encrypted, which costs next to nothing while no table is.
    // Throws SystemError, naming the table and the setting, when the master key is missing.
    TableCipherRef of(uint64_t table) const;

    // Takes the first master key into use, and copies it into the key folder. Throws UserError when the file contains
    // no key, another one is in use, or the key folder is not set or is within the data folder.
    void enable(FileSystem& source, const std::string& keyFile);
    // Wraps the keys of all tables by another master key, all or none. The old one stays in the key folder. Throws
    // UserError as `enable`, and when no master key is in use.
    void rotate(FileSystem& source, const std::string& keyFile);
    // Returns the version of the master key in use; nothing before `enable`.
    std::optional<uint32_t> version() const;

    // Creates the table with a new key, and returns its entry. REQUIRES: table.encryptMode names a mode other than
    // plaintext. Throws UserError when no master key is in use.
    TableEntry createTable(Catalog& catalog, TableEntry table);

    // The state of a table's key.
    struct TableKey {
        uint64_t table = 0;
        CipherMode mode = CipherMode::Plaintext;
        uint32_t version = 0;  // version of the master key that wraps it
    };
    // Returns the keys of all encrypted tables, also of dropped ones.
    std::vector<TableKey> list() const;

    // Called by recovery when the metadata store knows all tables; until then the key of each table is looked up.
    void recovered();

private:
    struct Entry;
    Entry entryOf(const MetaEntry& meta) const;
    MasterKey masterKey(uint32_t version, const std::string& user) const;
    std::string tableName(uint64_t table) const;
    void requireFolder() const;
    void encryptionBegins();

    MetaStore& store_;
    FileSystem& files_;
    const std::string keyFolder_;
    const std::string dataFolder_;
    std::atomic<bool> any_{true};  // false: no table is encrypted

    Mutex change_;  // orders steps: one table made, or rotation, at a time
    mutable Mutex mutex_;
    // Ciphers by table, as far as they were asked for; null: the table is not encrypted.
    mutable std::map<uint64_t, TableCipherRef> known_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
