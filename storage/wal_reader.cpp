#include "storage/wal_reader.h"

#include "common/bytes.h"
#include "common/crc32c.h"

namespace pelorus {

static constexpr size_t kFileHeaderBytes = 16;
static constexpr size_t kRecordHeaderBytes = 4 + 4 + 8 + 1;

WalReader::WalReader(FileSystem& files, const std::string& path) : file_(files.openForRead(path)) {
    fileBytes_ = file_->size();
    std::string header;
    if (!fill(0, kFileHeaderBytes, header)) return;
    if (!header.starts_with(format::kWalMagic)) return;
    usable_ = true;
    position_ = kFileHeaderBytes;
}

bool WalReader::fill(int64_t offset, size_t sizeBytes, std::string& bytes) const {
    if (static_cast<uint64_t>(fileBytes_ - offset) < sizeBytes) return false;
    bytes.resize(sizeBytes);
    return file_->readAt(offset, bytes.data(), sizeBytes) == sizeBytes;
}

bool WalReader::next(WalRecord& record) {
    std::string head;
    if (!usable_ || !fill(position_, kRecordHeaderBytes, head)) return false;
    ByteReader reader(head);
    const auto checksum = reader.fixed<uint32_t>();
    const auto sizeBytes = reader.fixed<uint32_t>();
    const std::string_view covered = reader.raw(9);
    if (!fill(position_ + static_cast<int64_t>(kRecordHeaderBytes), sizeBytes, payload_)) return false;
    if (crc32c(covered, crc32c(payload_)) != checksum) return false;
    std::memcpy(&record.number, covered.data(), 8);
    record.kind = static_cast<format::RecordKind>(covered[8]);
    record.payload = payload_;
    position_ += static_cast<int64_t>(kRecordHeaderBytes + sizeBytes);
    return true;
}

}  // namespace pelorus
