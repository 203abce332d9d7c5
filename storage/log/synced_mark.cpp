#include "storage/log/synced_mark.h"

#include "common/error.h"
#include "common/io/bytes.h"
#include "common/io/crc32c.h"

namespace pelorus {

using format::WalPosition;

static constexpr size_t kBodyBytes = 16;
static constexpr size_t kMarkBytes = kBodyBytes + 4;

static std::string encoded(WalPosition position) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed(position.file);
    writer.fixed(position.offset);
    writer.fixed(crc32c(bytes));
    return bytes;
}

WalPosition SyncedMark::read(FileSystem& files, const std::string& logFolder) {
    const std::string path = joinPath(logFolder, format::kSyncedMarkName);
    if (!files.exists(path)) return {};
    const std::string bytes = readWholeFile(files, path);
    if (bytes.size() != kMarkBytes) return {};
    ByteReader reader(bytes);
    WalPosition position;
    position.file = reader.fixed<uint64_t>();
    position.offset = reader.fixed<int64_t>();
    if (reader.fixed<uint32_t>() != crc32c(std::string_view(bytes).substr(0, kBodyBytes))) return {};
    return position;
}

SyncedMark::SyncedMark(FileSystem& files, const std::string& logFolder) {
    const std::string path = joinPath(logFolder, format::kSyncedMarkName);
    if (files.exists(path)) file_ = files.openForAppend(path);
    if (file_ && file_->size() == static_cast<int64_t>(kMarkBytes)) return;
    file_ = files.create(path);
    file_->append(encoded({}));
    file_->sync();
    files.syncFolder(logFolder);
}

void SyncedMark::write(WalPosition position) noexcept {
    try {
        file_->overwrite(0, encoded(position));
        isSynced_ = false;
    } catch (const std::exception&) {
        // The previous mark is still true.
    }
}

void SyncedMark::sync() noexcept {
    if (isSynced_) return;
    try {
        file_->sync();
        isSynced_ = true;
    } catch (const std::exception&) {
    }
}

}  // namespace pelorus
