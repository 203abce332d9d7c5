// What a data folder holds, after any end of the process before: the newest checkpoint, then the log behind it.
#include "common/crc32c.h"
#include "common/error.h"
#include "storage/local_storage.h"
#include "storage/wal_reader.h"

namespace pelorus {

using format::RecordKind;

// Numbers of the files of one kind in a folder, ascending.
static std::vector<uint64_t> numbersIn(FileSystem& files, const std::string& folder, std::string_view suffix) {
    std::vector<uint64_t> numbers;
    for (const std::string& name : files.list(folder)) {
        uint64_t number;
        if (format::parseNumberedName(name, suffix, number)) numbers.push_back(number);
    }
    return numbers;
}

// A folder that is opened without its log would lose what the log holds, so one with a log elsewhere says where.
void LocalStorage::claimLogFolder() {
    const std::string own = joinPath(folder_, "wal"), note = joinPath(folder_, "LOGFOLDER");
    const std::string known = files_.exists(note) ? readWholeFile(files_, note) : own;
    const bool isNew = known == own && files_.list(own).empty() && files_.list(joinPath(folder_, "checkpoint")).empty();
    if (known != logFolder_ && !isNew) {
        throw SystemError("The log of " + folder_ + " lies in " + known + ", not in " + logFolder_ + ".",
                          known == own ? "Leave redoLogDir as it was when the folder was made: unset."
                                       : "Set redoLogDir=" + known + ".");
    }
    if (logFolder_ == own) return;
    logLock_ = files_.lock(joinPath(logFolder_, "LOCK"), nullptr);
    if (!logLock_) throw SystemError("The log folder " + logFolder_ + " is in use by another process or data folder.");
    if (isNew && !files_.list(logFolder_).empty() && files_.list(logFolder_) != std::vector<std::string>{"LOCK"})
        throw SystemError("The log folder " + logFolder_ + " of a new data folder is not empty.",
                          "Choose another one.");
    if (known != logFolder_) replaceFile(files_, note, logFolder_);
}

void LocalStorage::recover() {
    claimLogFolder();
    uint64_t checkpointNumber = 0;
    const std::vector<uint64_t> checkpoints = numbersIn(files_, joinPath(folder_, "checkpoint"), ".state");
    if (!checkpoints.empty()) {
        // A checkpoint is renamed into place when it is whole, and what it replaces is removed after: a damaged newest
        // one means a damaged disk, and going back to an older one would lose commits without a word.
        checkpointNumber = checkpoints.back();
        loadCheckpoint(checkpointNumber);
    }
    uint64_t lastLog = checkpointNumber;
    const std::vector<uint64_t> logs = numbersIn(files_, logFolder_, ".wal");
    for (size_t i = 0; i < logs.size(); ++i) {
        lastLog = std::max(lastLog, logs[i]);
        if (logs[i] < checkpointNumber) continue;
        const std::string path = joinPath(logFolder_, format::numberedName(logs[i], ".wal"));
        // A record that was not synced may be gone after the next power loss, but what recovery does because of it,
        // such as removing files, would stay.
        files_.openForAppend(path)->sync();
        WalReader reader(files_, path);
        WalRecord record;
        while (reader.next(record)) applyRecord(record.number, record.kind, record.payload);
        if (!reader.torn()) continue;
        // Only the end of the last log can be torn by a crash. It is cut off, so that the next start, which finds a
        // newer log behind it, does not take it for damage.
        if (i + 1 < logs.size() && reader.goodBytes() > 0) {
            throw SystemError("The log " + path + " is damaged at byte " + std::to_string(reader.goodBytes()) + ".",
                              "Restore the folder from a copy.");
        }
        const std::unique_ptr<File> file = files_.openForAppend(path);
        file->truncate(reader.goodBytes());
        file->sync();
    }
    for (const std::string& folder : volumes_.folders()) {
        for (const uint64_t number : numbersIn(files_, folder, ".seg"))
            lastSegmentFile_ = std::max(lastSegmentFile_.load(), number);
    }
    removeOrphans();
    keys_->recovered();
    wal_ = std::make_unique<WalWriter>(files_, logFolder_, lastLog + 1, clock(), options_.dataSync);
}

void LocalStorage::applyRecord(uint64_t number, RecordKind kind, std::string_view payload) {
    if (number <= versions_->visible()) return;  // in the checkpoint already
    ByteReader reader(payload);
    switch (kind) {
        case RecordKind::Commit:
            install(number, decodeEdits(reader, cipherOf_));
            return;
        case RecordKind::Prepare: {
            const std::string transaction(reader.text());
            holdPrepared(transaction, number, decodeEdits(reader, cipherOf_));
            versions_->setVisible(number);
            return;
        }
        case RecordKind::Decide: {
            const std::string transaction(reader.text());
            const bool commit = reader.fixed<uint8_t>() != 0;
            applyDecision(number, transaction, commit, reader.fixed<uint64_t>());
            return;
        }
    }
    throw SystemError("The log in " + folder_ + " holds a record of a kind that this version does not know.",
                      "Open the folder with a newer version of Pelorus.");
}

// Files of commits that never reached the log, and of segments that went away just before a crash.
void LocalStorage::removeOrphans() {
    std::set<uint64_t> used = versions_->liveFiles();
    for (const auto& [name, prepared] : prepared_) {
        for (const Edit& edit : prepared.edits) {
            if (edit.kind == format::EditKind::SegmentAdded) used.insert(edit.segment.file);
        }
    }
    for (const std::string& folder : volumes_.folders()) {
        for (const std::string& name : files_.list(folder)) {
            uint64_t number;
            if (!format::parseNumberedName(name, ".seg", number) || used.erase(number) == 0) {
                files_.remove(joinPath(folder, name));
            }
        }
    }
    if (used.empty()) return;
    throw SystemError("The column file " + volumes_.pathOf(*used.begin()) + " is missing.",
                      "Name all volumes that were in use in the setting volumes, or restore the folder from a copy.");
}

}  // namespace pelorus
