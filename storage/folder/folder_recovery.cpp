#include "storage/folder/folder_recovery.h"

#include <set>

#include "common/error.h"
#include "common/io/crc32c.h"
#include "common/log.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/storage_parts.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/folder/checkpoint.h"
#include "storage/folder/damaged_data.h"
#include "storage/log/synced_mark.h"
#include "storage/log/wal_reader.h"
#include "storage/log/wal_writer.h"
#include "storage/rows/row_store.h"
#include "storage/version/edit.h"

namespace pelorus {

using format::EditKind;
using format::RecordKind;

// Returns the numbers of the files of one kind in a folder, ascending.
static std::vector<uint64_t> numbersIn(FileSystem& files, const std::string& folder, std::string_view suffix) {
    std::vector<uint64_t> numbers;
    for (const std::string& name : files.list(folder)) {
        uint64_t number;
        if (format::parseNumberedName(name, suffix, number)) numbers.push_back(number);
    }
    return numbers;
}

// The file BEGUN says that a log was begun here: without one, a log folder that was lost would be taken for that of a
// new data folder. Folders of the versions before have none.
bool FolderRecovery::hasBegun() const {
    return parts_.files.exists(joinPath(parts_.folder, format::kBegunFile));
}

void FolderRecovery::noteBegun() {
    if (!hasBegun()) replaceFile(parts_.files, joinPath(parts_.folder, format::kBegunFile), "");
}

void FolderRecovery::run() {
    parts_.lock.claimLog(parts_.logFolder);
    uint64_t checkpointNumber = 0, rowsFrom = 0;
    const std::vector<uint64_t> checkpoints = numbersIn(parts_.files, joinPath(parts_.folder, "checkpoint"), ".state");
    if (!checkpoints.empty()) {
        // A checkpoint is renamed into place when it is whole, and older ones are removed after: a damaged newest one
        // means a damaged disk, and falling back to an older one would silently lose commits.
        checkpointNumber = checkpoints.back();
        rowsFrom = loadCheckpoint(parts_, prepared_, checkpointNumber);
    }
    for (const std::string& folder : parts_.volumes.folders()) {
        for (const uint64_t number : numbersIn(parts_.files, folder, ".seg"))
            parts_.lastSegmentFile = std::max(parts_.lastSegmentFile.load(), number);
    }
    const format::WalPosition end = replayLogs(checkpointNumber, rowsFrom);
    parts_.versions.endReplay();
    parts_.rows->endReplay(end.file + 1);
    removeOrphans();
    parts_.keys->recovered();
    logInfo("storage", "recovered",
            {{"folder", parts_.folder},
             {"checkpoint", checkpointNumber},
             {"logFile", end.file},
             {"chunks", parts_.versions.state().size()},
             {"inDoubt", prepared_.openTransactions().size()}});
    parts_.log = std::make_unique<WalWriter>(parts_.files, parts_.logFolder, end.file + 1, parts_.clock(),
                                             parts_.options.dataSync, end.offset);
    noteBegun();
}

namespace {

constexpr const char* kDamageHint =
    "Nothing was changed. Put the file back from a copy of the folder, or restore a backup; docs/operations.md, \"A "
    "damaged log\", says how to open the folder without what lies behind the damage.";

[[noreturn]] void throwDamaged(const std::string& path, int64_t offset, const std::string& what) {
    throw DamagedData("The log " + path + " is damaged at byte " + std::to_string(offset) + ": " + what + ".",
                      kDamageHint);
}

// The files of the log in the order of their numbers, which have no gaps, and the position up to which it was synced.
class LogFiles {
public:
    // Lists the files from `first` on; that one must be there when it `isNeeded`.
    LogFiles(FileSystem& files, std::string folder, uint64_t first, bool isNeeded)
        : files_(files), folder_(std::move(folder)) {
        const format::WalPosition noted = SyncedMark::read(files_, folder_);
        takeIn(noted);
        for (const uint64_t number : numbersIn(files_, folder_, ".wal")) {
            if (number >= first) numbers_.push_back(number);
        }
        uint64_t expected = first;
        for (const uint64_t number : numbers_) {
            if (number != expected) throwMissing(expected);
            ++expected;
        }
        if ((numbers_.empty() && isNeeded) || noted.file >= expected) throwMissing(expected);
    }

    const std::vector<uint64_t>& numbers() const { return numbers_; }
    std::string path(uint64_t number) const { return joinPath(folder_, format::numberedName(number, ".wal")); }

    void takeIn(format::WalPosition synced) {
        int64_t& offset = synced_[synced.file];
        offset = std::max(offset, synced.offset);
    }
    // Reads the marks of the files after the i-th one. Needed only after a bad record, so that each file is read once
    // otherwise.
    void takeInRest(size_t i) {
        for (size_t j = i + 1; j < numbers_.size(); ++j) {
            WalReader reader(files_, path(numbers_[j]), numbers_[j]);
            if (reader.header() == WalReader::Header::Damaged) takeIn({numbers_[j], 1});
            if (reader.header() != WalReader::Header::Whole) continue;
            if (reader.endOfFileBefore() > 0) takeIn({numbers_[j - 1], reader.endOfFileBefore()});
            // The header alone proves no sync: when a file cannot be begun, commits continue in the previous one.
            WalRecord record;
            if (reader.next(record) || reader.holdsRecords()) takeIn({numbers_[j], reader.goodBytes()});
            takeIn(reader.syncedWithRest());
        }
    }

    // Returns how far this file is known to be synced.
    int64_t syncedBytes(uint64_t number) const {
        const auto known = synced_.find(number);
        return known == synced_.end() ? 0 : known->second;
    }
    // Whether a later position was synced, and so all of this file.
    bool isComplete(uint64_t number) const { return synced_.rbegin()->first > number; }

private:
    [[noreturn]] void throwMissing(uint64_t number) const {
        throw DamagedData("The log file " + path(number) + " is missing.", kDamageHint);
    }

    FileSystem& files_;
    const std::string folder_;
    std::vector<uint64_t> numbers_;
    std::map<uint64_t, int64_t> synced_;
};

}  // namespace

// Reads a log file before the checkpoint up to its end, which the file after it names, and calls `apply` for its
// records. What a failed sync left behind that end belongs to no commit. Throws DamagedData when the file is shorter.
template <class Apply>
static void readOlderFile(FileSystem& files, const LogFiles& log, size_t i, const Apply& apply) {
    const uint64_t number = log.numbers()[i];
    WalReader reader(files, log.path(number), number);
    if (reader.header() == WalReader::Header::Damaged) throwDamaged(log.path(number), 0, "its header does not read");
    const WalReader next(files, log.path(log.numbers()[i + 1]), log.numbers()[i + 1]);
    const int64_t end = next.endOfFileBefore();
    WalRecord record;
    while (reader.goodBytes() < end && reader.next(record)) apply(record);
    if (reader.goodBytes() < end)
        throwDamaged(log.path(number), reader.goodBytes(),
                     "a record that was synced fails its checksum, or is missing");
}

// Replays the log and returns its end; the next file is the one after that. Of files before the checkpoint, from
// `rowsFrom` on, the changes of row tables alone.
//
// The cut-off end was never synced, according to every mark in the folder; any other unreadable record is damage, and
// then nothing is changed.
format::WalPosition FolderRecovery::replayLogs(uint64_t checkpointNumber, uint64_t rowsFrom) {
    const uint64_t first = rowsFrom != 0 ? rowsFrom : std::max<uint64_t>(checkpointNumber, 1);
    LogFiles log(parts_.files, parts_.logFolder, first,
                 checkpointNumber > 0 || parts_.lastSegmentFile > 0 || hasBegun());
    format::WalPosition end{first - 1, 0};
    for (size_t i = 0; i < log.numbers().size(); ++i) {
        const uint64_t number = log.numbers()[i];
        const std::string path = log.path(number);
        parts_.rows->beginLogFile(number);
        if (number < checkpointNumber && i + 1 < log.numbers().size()) {
            readOlderFile(parts_.files, log, i, [&](const WalRecord& record) {
                if (record.kind != RecordKind::Commit) return;
                ByteReader payload(record.payload);
                replayRows(record.number, decodeEdits(payload, parts_.cipherOf));
                parts_.rowLogBytes += static_cast<int64_t>(record.payload.size());
            });
            continue;
        }
        // An unsynced record may be lost in the next power loss, but actions of recovery based on it, such as removing
        // files, would stay.
        parts_.files.openForAppend(path)->sync();
        WalReader reader(parts_.files, path, number);
        if (reader.header() != WalReader::Header::Whole) {
            log.takeInRest(i);
            if (reader.header() == WalReader::Header::Damaged || log.syncedBytes(number) > 0)
                throwDamaged(path, 0, "its header does not read");
            continue;
        }
        if (i > 0 && end.file + 1 == number && reader.endOfFileBefore() > end.offset)
            throwDamaged(log.path(end.file), end.offset, "what was synced behind it is missing");
        WalRecord record;
        while (reader.next(record)) applyRecord(record.number, record.kind, record.payload);
        log.takeIn(reader.synced());
        end = {number, reader.goodBytes()};
        parts_.olderLogBytes += end.offset;
        if (reader.torn()) {
            log.takeIn(reader.syncedWithRest());
            log.takeInRest(i);
        }
        if (log.syncedBytes(number) > end.offset || (reader.torn() && log.isComplete(number)))
            throwDamaged(path, end.offset, "a record that was synced fails its checksum, or is missing");
        if (!reader.torn()) continue;
        logWarning("storage", "cutting off the torn end of the log", {{"path", path}, {"bytes", end.offset}});
        // The torn end is cut off, so that the next start, which finds a newer log after it, does not take it for
        // damage.
        const std::unique_ptr<File> file = parts_.files.openForAppend(path);
        file->truncate(end.offset);
        file->sync();
    }
    return end;
}

void FolderRecovery::applyRecord(uint64_t number, RecordKind kind, std::string_view payload) {
    if (number <= parts_.versions.visible()) return;  // in the checkpoint already
    ByteReader reader(payload);
    if (prepared_.replay(number, kind, reader) || kind == RecordKind::Synced) return;
    if (kind == RecordKind::Commit) {
        const std::vector<Edit> edits = decodeEdits(reader, parts_.cipherOf);
        replayRows(number, edits);
        return commits_.install(number, edits);
    }
    throw SystemError("The log in " + parts_.folder + " holds a record of a kind that this version does not know.",
                      "Open the folder with a newer version of Pelorus.");
}

void FolderRecovery::replayRows(uint64_t number, const std::vector<Edit>& edits) {
    for (const Edit& edit : edits) {
        if (edit.kind == EditKind::RowEdits) parts_.rows->replay(number, *edit.rowEdits);
        if (edit.kind == EditKind::RowsDropped) parts_.rows->drop(edit.table);
    }
}

// Removes files of commits that never reached the log, and of segments that were dropped just before a crash. None is
// removed when a needed one is missing: then a person has to look at the log and the unused files.
void FolderRecovery::removeOrphans() {
    std::set<uint64_t> missing = parts_.versions.liveFiles();
    for (const uint64_t file : prepared_.files()) missing.insert(file);
    std::vector<std::string> orphans;
    for (const std::string& folder : parts_.volumes.folders()) {
        for (const std::string& name : parts_.files.list(folder)) {
            uint64_t number;
            if (!format::parseNumberedName(name, ".seg", number) || missing.erase(number) == 0)
                orphans.push_back(joinPath(folder, name));
        }
    }
    if (!missing.empty()) {
        throw DamagedData(
            "The column file " + parts_.volumes.pathOf(*missing.begin()) + " is missing.",
            "Name all volumes that were in use in the setting volumes, or restore the folder from a copy.");
    }
    for (const std::string& path : orphans) {
        logInfo("storage", "removing a column file that nothing refers to", {{"path", path}});
        parts_.files.remove(path);
    }
}

}  // namespace pelorus
