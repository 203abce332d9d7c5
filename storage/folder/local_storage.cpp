#include "storage/folder/local_storage.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/log/wal_writer.h"
#include "storage/version/version_set.h"

#include <fmt/format.h>

#include <utility>

#include "common/error.h"
#include "common/log.h"
#include "storage/catalog/catalog.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/storage_parts.h"
#include "storage/commit/stored_transaction.h"
#include "storage/commit/stream_commits.h"
#include "storage/folder/damaged_data.h"
#include "storage/folder/folder_recovery.h"
#include "storage/folder/maintenance.h"
#include "storage/format.h"
#include "storage/rows/row_store.h"

namespace pelorus {
namespace {

constexpr const char* kDataFolders[] = {"wal", "segments", "checkpoint", format::kRowImageFolder};

// Returns whether the data may be moved aside. A log or column files elsewhere are left to people.
bool mayMoveAside(const StorageOptions& options, const DamagedData& damage) {
    return options.mayMoveAside && options.logFolder.empty() && options.volumes.empty() &&
           options.mayMoveAside(damage.what());
}

// Moves the data into the folder damaged/<n>, where people may examine it. After a crash in between, the rest is
// damaged, too.
void moveAside(const std::string& folder, FileSystem& files) {
    files.makeFolder(joinPath(folder, "damaged"));
    int number = 1;
    while (files.exists(joinPath(folder, fmt::format("damaged/{}", number)))) ++number;
    const std::string aside = joinPath(folder, fmt::format("damaged/{}", number));
    files.makeFolder(aside);
    for (const char* part : kDataFolders) {
        files.rename(joinPath(folder, part), joinPath(aside, part));
        files.makeFolder(joinPath(folder, part));
    }
    // The last: until then the rest is damaged. A new log says it again.
    if (const std::string begun = joinPath(folder, format::kBegunFile); files.exists(begun)) files.remove(begun);
    files.syncFolder(aside);
    files.syncFolder(folder);
    logWarning("storage", "damaged data was put aside, and the folder begins anew", {{"folder", aside}});
}

void makeFolders(const std::string& folder, FileSystem& files, const StorageOptions& options) {
    for (const char* part : kDataFolders) files.makeFolder(joinPath(folder, part));
    if (!options.logFolder.empty()) files.makeFolder(options.logFolder);
    files.syncFolder(folder);
}

}  // namespace

std::shared_ptr<LocalStorage> LocalStorage::open(const std::string& folder, FileSystem& files,
                                                 const StorageOptions& options) {
    FolderLock lock(files, folder);
    makeFolders(folder, files, options);
    std::shared_ptr<LocalStorage> storage(new LocalStorage(folder, files, options, std::move(lock)));
    const auto recover = [&] { FolderRecovery(*storage->parts_, *storage->commits_, *storage->prepared_).run(); };
    try {
        recover();
    } catch (const DamagedData& damage) {
        if (!mayMoveAside(options, damage)) throw;
        FolderLock held = std::move(storage->parts_->lock);
        storage.reset();
        moveAside(folder, files);
        storage.reset(new LocalStorage(folder, files, options, std::move(held)));
        recover();
    }
    if (options.maintenance) storage->maintenance_->begin();
    return storage;
}

LocalStorage::LocalStorage(const std::string& folder, FileSystem& files, const StorageOptions& options, FolderLock lock)
    : parts_(std::make_unique<StorageParts>(folder, files, options, std::move(lock),
                                            [this](std::vector<Edit> edits) { return commits_->commit(edits); })),
      commits_(std::make_unique<CommitPath>(*parts_, [this] { maintenance_->notePressure(); })),
      prepared_(std::make_unique<PreparedCommits>(*parts_, *commits_)),
      streams_(std::make_unique<StreamCommits>(*parts_, *commits_)),
      maintenance_(std::make_unique<Maintenance>(*parts_, *commits_, *prepared_)) {}

LocalStorage::~LocalStorage() = default;

const std::string& LocalStorage::folder() const {
    return parts_->folder;
}

const StorageOptions& LocalStorage::options() const {
    return parts_->options;
}

void LocalStorage::announce(const std::string& address) {
    parts_->lock.announce(address);
}

MetaStore& LocalStorage::metadata() {
    return parts_->metadata;
}

Catalog& LocalStorage::catalog() {
    return *parts_->catalog;
}

EncryptionKeys& LocalStorage::keys() {
    return *parts_->keys;
}

BlockCache& LocalStorage::blocks() {
    return parts_->blocks;
}

WalWriter& LocalStorage::log() const {
    return *parts_->log;
}

VersionSet& LocalStorage::versions() const {
    return parts_->versions;
}

RowStore& LocalStorage::rows() const {
    return *parts_->rows;
}

std::unique_ptr<StoredTransaction> LocalStorage::beginTransaction(const TransactionOptions& options) {
    auto transaction = std::make_unique<StoredTransaction>(*parts_, shared_from_this(), options);
    transaction->beginStatement(TransactionScope::settings());
    return transaction;
}

}  // namespace pelorus
