// Records in a small file next to the log how far the log was synced, for the end of the log that no later mark in it
// covers yet: the last batch before a process was killed.
//
// It is written after each sync of the log and itself synced only now and then: every state of it that a crash can
// leave was true when written. An absent or damaged one says nothing. Bytes: docs/formats/wal.md.
#pragma once

#include <memory>
#include <string>

#include "common/io/file.h"
#include "storage/format.h"

namespace pelorus {

// The file SYNCED of a log folder. WalWriter owns it and guards it: not thread-safe.
class SyncedMark {
public:
    SyncedMark(FileSystem& files, const std::string& logFolder);

    // Returns the position in the file of a folder; the beginning of the log when there is none, or it is damaged.
    static format::WalPosition read(FileSystem& files, const std::string& logFolder);

    // Writes the position, without a sync. Does not throw: a missing mark loses no data.
    void write(format::WalPosition position) noexcept;
    // Syncs marks that were written since the last sync.
    void sync() noexcept;

private:
    std::unique_ptr<File> file_;
    bool isSynced_ = true;
};

}  // namespace pelorus
