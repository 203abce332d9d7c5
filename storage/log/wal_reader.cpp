#include "storage/log/wal_reader.h"

#include <algorithm>

#include "common/check.h"
#include "common/io/bytes.h"
#include "common/io/crc32c.h"

namespace pelorus {

using format::RecordKind;
using format::WalPosition;

static constexpr auto kHeadBytes = static_cast<size_t>(format::kRecordHeaderBytes);
static constexpr uint32_t kMarkPayloadBytes = 16;

std::string encodeMark(WalPosition synced, uint32_t salt) {
    std::string payload;
    ByteWriter body(payload);
    body.fixed(synced.file);
    body.fixed(synced.offset);
    CHECK(payload.size() == kMarkPayloadBytes) << "readers find a mark by its length";
    std::string covered;
    ByteWriter(covered).fixed<uint64_t>(0);  // no commit's number
    ByteWriter(covered).fixed(RecordKind::Synced);
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed(crc32c(covered, crc32c(payload)) ^ salt);
    writer.fixed(kMarkPayloadBytes);
    bytes += covered;
    bytes += payload;
    return bytes;
}

static WalPosition decodeMark(std::string_view payload) {
    ByteReader reader(payload);
    WalPosition synced;
    synced.file = reader.fixed<uint64_t>();
    synced.offset = reader.fixed<int64_t>();
    return synced;
}

WalReader::WalReader(FileSystem& files, const std::string& path, uint64_t number)
    : file_(files.openForRead(path)), number_(number) {
    fileBytes_ = file_->size();
    readHeader();
}

void WalReader::readHeader() {
    std::string bytes;
    const bool isWhole = fill(0, static_cast<size_t>(format::kWalHeaderBytes), bytes);
    if (isWhole && bytes.starts_with(format::kWalMagic)) {
        ByteReader reader(bytes);
        reader.raw(format::kWalMagic.size());
        const auto number = reader.fixed<uint64_t>();
        const auto before = reader.fixed<int64_t>();
        const auto salt = reader.fixed<uint32_t>();
        const auto checksum = reader.fixed<uint32_t>();
        if (number == number_ && checksum == crc32c(std::string_view(bytes).substr(0, bytes.size() - 4))) {
            header_ = Header::Whole;
            endOfFileBefore_ = before;
            salt_ = salt;
            position_ = format::kWalHeaderBytes;
            return;
        }
    }
    if (fill(0, static_cast<size_t>(format::kFirstWalHeaderBytes), bytes) &&
        bytes.starts_with(format::kFirstWalMagic)) {
        ByteReader reader(bytes);
        reader.raw(format::kFirstWalMagic.size());
        if (reader.fixed<uint64_t>() == number_) {
            header_ = Header::Whole;
            position_ = format::kFirstWalHeaderBytes;
            return;
        }
    }
    if (fileBytes_ <= format::kWalHeaderBytes) header_ = Header::Unfinished;
}

bool WalReader::fill(int64_t offset, size_t sizeBytes, std::string& bytes) const {
    CHECK(offset >= 0) << "a log is read from a place in it";
    if (offset > fileBytes_ || static_cast<uint64_t>(fileBytes_ - offset) < sizeBytes) return false;
    bytes.resize(sizeBytes);
    return file_->readAt(offset, bytes.data(), sizeBytes) == sizeBytes;
}

bool WalReader::next(WalRecord& record) {
    for (;;) {
        std::string head;
        if (header_ != Header::Whole || !fill(position_, kHeadBytes, head)) return false;
        ByteReader reader(head);
        const auto checksum = reader.fixed<uint32_t>();
        const auto sizeBytes = reader.fixed<uint32_t>();
        const std::string_view covered = reader.raw(9);
        if (!fill(position_ + format::kRecordHeaderBytes, sizeBytes, payload_)) return false;
        if ((crc32c(covered, crc32c(payload_)) ^ salt_) != checksum) return false;
        holdsRecords_ = true;
        position_ += format::kRecordHeaderBytes + static_cast<int64_t>(sizeBytes);
        std::memcpy(&record.number, covered.data(), 8);
        CHECK(position_ <= fileBytes_) << "a record ends within its file";
        record.kind = static_cast<RecordKind>(covered[8]);
        record.payload = payload_;
        if (record.kind != RecordKind::Synced || sizeBytes != kMarkPayloadBytes) return true;
        synced_ = std::max(synced_, decodeMark(payload_));
    }
}

WalPosition WalReader::syncedWithRest() const {
    constexpr size_t kMarkBytes = kHeadBytes + kMarkPayloadBytes;
    constexpr size_t kStepBytes = 1 << 20;
    WalPosition largest = synced_;
    // All of a mark but its checksum, file number and offset is known: where its length does not match, the rest is not
    // read.
    std::string lead;
    ByteWriter(lead).fixed(kMarkPayloadBytes);
    ByteWriter(lead).fixed<uint64_t>(0);
    ByteWriter(lead).fixed(RecordKind::Synced);
    std::string bytes;
    for (int64_t begin = position_; begin < fileBytes_; begin += kStepBytes) {
        const auto size = static_cast<size_t>(std::min<int64_t>(kStepBytes + kMarkBytes, fileBytes_ - begin));
        if (!fill(begin, size, bytes)) break;
        for (size_t at = bytes.find(lead); at != std::string::npos; at = bytes.find(lead, at + 1)) {
            if (at < 4 || at - 4 + kMarkBytes > bytes.size()) continue;
            const WalPosition said = decodeMark(std::string_view(bytes).substr(at + lead.size(), kMarkPayloadBytes));
            if (encodeMark(said, salt_) == std::string_view(bytes).substr(at - 4, kMarkBytes))
                largest = std::max(largest, said);
        }
    }
    return largest;
}

}  // namespace pelorus
