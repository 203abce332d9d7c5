#include "common/io/packed_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "common/error.h"
#include "common/thread/cancellation.h"

namespace pelorus {

// ---- the directory of a .zip archive

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZipMagic = "PK\x03\x04", kEmptyZipMagic = "PK\x05\x06";
constexpr std::string_view kEntryMagic = "PK\x01\x02", kEndMagic = "PK\x05\x06";
constexpr std::string_view kEnd64Magic = "PK\x06\x06", kLocator64Magic = "PK\x06\x07";
constexpr size_t kEndBytes = 22, kLongestComment = 65535, kLocator64Bytes = 20, kEnd64Bytes = 56, kEntryBytes = 46,
                 kLocalBytes = 30;
constexpr int64_t kLargestDirectory = int64_t{1} << 30;

SystemError damagedArchive(const File& archive, int64_t offset, std::string_view what) {
    return SystemError(fmt::format("The archive {} is damaged at byte {}: {}.", archive.path(), offset, what),
                       "Get the file anew, or unpack what can be saved with another program.");
}

std::string bytesAt(const File& archive, int64_t offset, size_t sizeBytes) {
    std::string bytes(sizeBytes, '\0');
    if (offset < 0 || archive.readAt(offset, bytes.data(), sizeBytes) != sizeBytes)
        throw damagedArchive(archive, std::max<int64_t>(offset, 0), "it ends too early");
    return bytes;
}

template <class Number>
int64_t numberAt(std::string_view bytes, size_t at) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return static_cast<int64_t>(number);
}

struct Directory {
    int64_t entries = 0;
    int64_t sizeBytes = 0;
    int64_t offset = 0;
};

// Finds the record at the end of an archive, before a comment; a large archive has another one in front of it.
Directory findDirectory(const File& archive) {
    const int64_t size = archive.size();
    const auto tailBytes = static_cast<size_t>(std::min<int64_t>(size, kEndBytes + kLongestComment));
    const int64_t tailAt = size - static_cast<int64_t>(tailBytes);
    const std::string tail = bytesAt(archive, tailAt, tailBytes);
    const size_t end = tail.rfind(kEndMagic);
    if (end == std::string::npos || end + kEndBytes > tail.size())
        throw damagedArchive(archive, size, "its directory is missing, as of a file that is cut off");
    Directory directory{numberAt<uint16_t>(tail, end + 10), numberAt<uint32_t>(tail, end + 12),
                        numberAt<uint32_t>(tail, end + 16)};
    const bool isLarge =
        directory.entries == UINT16_MAX || directory.sizeBytes == UINT32_MAX || directory.offset == UINT32_MAX;
    const int64_t locatorAt = tailAt + static_cast<int64_t>(end) - static_cast<int64_t>(kLocator64Bytes);
    if (!isLarge || locatorAt < 0) return directory;
    const std::string locator = bytesAt(archive, locatorAt, kLocator64Bytes);
    if (!locator.starts_with(kLocator64Magic)) return directory;
    const int64_t end64At = numberAt<uint64_t>(locator, 8);
    const std::string end64 = bytesAt(archive, end64At, kEnd64Bytes);
    if (!end64.starts_with(kEnd64Magic)) throw damagedArchive(archive, end64At, "its directory has no end");
    return {numberAt<uint64_t>(end64, 32), numberAt<uint64_t>(end64, 40), numberAt<uint64_t>(end64, 48)};
}

// Numbers that do not fit 32 bits are, in this order, in the extra field of the kind 1.
void takeLargeNumbers(std::string_view extra, int64_t& sizeBytes, int64_t& packedBytes, int64_t& localAt) {
    while (extra.size() >= 4) {
        const auto kind = numberAt<uint16_t>(extra, 0);
        const auto length = static_cast<size_t>(numberAt<uint16_t>(extra, 2));
        std::string_view field = extra.substr(4, length);
        extra.remove_prefix(std::min(extra.size(), 4 + length));
        if (kind != 1) continue;
        for (int64_t* number : {&sizeBytes, &packedBytes, &localAt}) {
            if (*number != UINT32_MAX || field.size() < 8) continue;
            *number = numberAt<uint64_t>(field, 0);
            field.remove_prefix(8);
        }
    }
}

}  // namespace

std::vector<ZipEntry> zipEntries(const File& archive) {
    const Directory directory = findDirectory(archive);
    if (directory.sizeBytes < 0 || directory.sizeBytes > std::min(archive.size(), kLargestDirectory))
        throw damagedArchive(archive, directory.offset, "its directory is longer than the archive");
    const std::string bytes = bytesAt(archive, directory.offset, static_cast<size_t>(directory.sizeBytes));
    std::vector<ZipEntry> entries;
    size_t at = 0;
    for (int64_t count = directory.entries; count > 0; --count) {
        const std::string_view entry = std::string_view(bytes).substr(std::min(at, bytes.size()));
        const int64_t entryAt = directory.offset + static_cast<int64_t>(at);
        if (entry.size() < kEntryBytes || !entry.starts_with(kEntryMagic))
            throw damagedArchive(archive, entryAt, "the entry of a file is missing");
        const auto nameBytes = static_cast<size_t>(numberAt<uint16_t>(entry, 28));
        const auto extraBytes = static_cast<size_t>(numberAt<uint16_t>(entry, 30));
        const auto commentBytes = static_cast<size_t>(numberAt<uint16_t>(entry, 32));
        at += kEntryBytes + nameBytes + extraBytes + commentBytes;
        if (at > bytes.size()) throw damagedArchive(archive, entryAt, "the entry of a file ends too early");
        ZipEntry file;
        file.name = entry.substr(kEntryBytes, nameBytes);
        if (file.name.ends_with('/')) continue;
        const auto method = numberAt<uint16_t>(entry, 10);
        file.isDeflated = method == 8;
        file.checksum = static_cast<uint32_t>(numberAt<uint32_t>(entry, 16));
        file.packedBytes = numberAt<uint32_t>(entry, 20);
        file.sizeBytes = numberAt<uint32_t>(entry, 24);
        int64_t localAt = numberAt<uint32_t>(entry, 42);
        takeLargeNumbers(entry.substr(kEntryBytes + nameBytes, extraBytes), file.sizeBytes, file.packedBytes, localAt);
        if ((numberAt<uint16_t>(entry, 8) & 1) != 0)
            throw SystemError(fmt::format("{} in the archive {} is encrypted.", file.name, archive.path()),
                              "Unpack the archive first.");
        if (method != 0 && method != 8)
            throw SystemError(fmt::format("{} in the archive {} is packed in a way (method {}) that is not supported.",
                                          file.name, archive.path(), method),
                              "Unpack the archive first.");
        const std::string local = bytesAt(archive, localAt, kLocalBytes);
        if (!local.starts_with(kZipMagic)) throw damagedArchive(archive, localAt, "the head of a file is missing");
        file.offset =
            localAt + static_cast<int64_t>(kLocalBytes) + numberAt<uint16_t>(local, 26) + numberAt<uint16_t>(local, 28);
        if (file.packedBytes < 0 || file.sizeBytes < 0 || file.packedBytes > archive.size() - file.offset)
            throw damagedArchive(archive, file.offset, file.name + " ends behind the archive");
        // Deflate expands one byte to at most 1,032: a false size must not cause a large allocation.
        if (file.isDeflated ? file.sizeBytes / 1100 > file.packedBytes : file.packedBytes != file.sizeBytes)
            throw damagedArchive(archive, entryAt, file.name + " has two sizes that cannot both be");
        entries.push_back(std::move(file));
    }
    return entries;
}

// ---- inflating

struct InflatedFile::Stream {
    static constexpr size_t kInputBytes = 256 << 10;

    explicit Stream(int windowBits) {
        if (inflateInit2(&zlib, windowBits) != Z_OK) throw SystemError("zlib cannot begin: memory is short.");
    }
    ~Stream() { inflateEnd(&zlib); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    z_stream zlib{};
    std::string input = std::string(kInputBytes, '\0');
    int64_t readTo = 0;    // offset in the packed file; later bytes were not read yet
    int64_t position = 0;  // position of the next inflated byte
    uLong checksum = crc32(0, nullptr, 0);
    bool ended = false;
};

InflatedFile::InflatedFile(std::shared_ptr<const File> packed) : ConvertedFile(std::move(packed)), isGzip_(true) {}
InflatedFile::InflatedFile(std::shared_ptr<const File> archive, ZipEntry entry)
    : ConvertedFile(std::move(archive)), isGzip_(false), entry_(std::move(entry)) {}
InflatedFile::~InflatedFile() = default;

void InflatedFile::restart() const {
    constexpr int kWindowBits = 15, kGzipHeader = 16;
    stream_ = std::make_unique<Stream>(isGzip_ ? kWindowBits + kGzipHeader : -kWindowBits);
    stream_->readTo = isGzip_ ? 0 : entry_.offset;
}

void InflatedFile::refuse(const std::string& why) const {
    const int64_t at = stream_->readTo - static_cast<int64_t>(stream_->zlib.avail_in);
    stream_ = nullptr;  // a later read must not take this for the end
    throw SystemError(fmt::format("The compressed file {} is damaged at byte {}: {}.", path(), at, why),
                      "Get the file anew, or unpack what can be saved with another program.");
}

// Returns false at the end of the packed bytes.
bool InflatedFile::refill() const {
    Stream& stream = *stream_;
    if (stream.zlib.avail_in > 0) return true;
    const int64_t end = isGzip_ ? source().size() : entry_.offset + entry_.packedBytes;
    const auto wanted =
        static_cast<size_t>(std::clamp<int64_t>(end - stream.readTo, 0, static_cast<int64_t>(stream.input.size())));
    const size_t got = source().readAt(stream.readTo, stream.input.data(), wanted);
    stream.readTo += static_cast<int64_t>(got);
    stream.zlib.next_in = reinterpret_cast<Bytef*>(stream.input.data());
    stream.zlib.avail_in = static_cast<uInt>(got);
    return got > 0;
}

// Moves to the next member of a .gz file; zeros between members, as tapes leave them, are skipped.
bool InflatedFile::nextMember() const {
    z_stream& zlib = stream_->zlib;
    for (; refill(); ++zlib.next_in, --zlib.avail_in) {
        if (*zlib.next_in == 0) continue;
        if (*zlib.next_in != static_cast<Bytef>(kGzipMagic[0])) refuse("what follows a member is no other one");
        inflateReset(&zlib);
        return true;
    }
    return false;
}

void InflatedFile::checkEntry() const {
    if (stream_->position != entry_.sizeBytes)
        refuse(fmt::format("{} has {} bytes instead of {}", entry_.name, stream_->position, entry_.sizeBytes));
    if (stream_->checksum != entry_.checksum) refuse(entry_.name + " fails its checksum");
}

// Returns the next bytes, fewer only at the end.
size_t InflatedFile::take(char* target, size_t sizeBytes) const {
    Stream& stream = *stream_;
    z_stream& zlib = stream.zlib;
    size_t taken = 0;
    while (taken < sizeBytes && !stream.ended) {
        const bool isStored = !isGzip_ && !entry_.isDeflated;
        const bool hasInput = refill();
        if (!hasInput && !isStored) refuse("it is cut off");
        const size_t room = std::min<size_t>(sizeBytes - taken, Stream::kInputBytes);
        size_t made;
        if (isStored) {
            made = std::min<size_t>(room, zlib.avail_in);
            std::memcpy(target + taken, zlib.next_in, made);
            zlib.next_in += made;
            zlib.avail_in -= static_cast<uInt>(made);
            stream.ended = !refill();
        } else {
            zlib.next_out = reinterpret_cast<Bytef*>(target + taken);
            zlib.avail_out = static_cast<uInt>(room);
            const int outcome = inflate(&zlib, Z_NO_FLUSH);
            made = room - zlib.avail_out;
            if (outcome == Z_MEM_ERROR) throw SystemError("zlib cannot go on: memory is short.");
            if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR)
                refuse(zlib.msg == nullptr ? "it is no deflated stream" : zlib.msg);
            if (outcome == Z_STREAM_END) stream.ended = !isGzip_ || !nextMember();
        }
        if (!isGzip_)
            stream.checksum =
                crc32(stream.checksum, reinterpret_cast<const Bytef*>(target + taken), static_cast<uInt>(made));
        taken += made;
        stream.position += static_cast<int64_t>(made);
        if (stream.ended && !isGzip_) checkEntry();
    }
    return taken;
}

size_t InflatedFile::readAt(int64_t offset, void* target, size_t sizeBytes) const {
    const MutexLock guard(mutex_);
    if (!stream_ || offset < stream_->position) restart();
    std::string passed;
    while (stream_->position < offset && !stream_->ended) {
        checkCancelled();
        passed.resize(static_cast<size_t>(std::min<int64_t>(offset - stream_->position, Stream::kInputBytes)));
        take(passed.data(), passed.size());
    }
    size_t taken = 0;
    while (taken < sizeBytes && !stream_->ended) {
        checkCancelled();
        taken += take(static_cast<char*>(target) + taken, std::min<size_t>(sizeBytes - taken, 4 << 20));
    }
    return taken;
}

int64_t InflatedFile::sourceBytesRead() const {
    const MutexLock guard(mutex_);
    return stream_ ? stream_->readTo - static_cast<int64_t>(stream_->zlib.avail_in) : 0;
}

std::unique_ptr<File> openUnpacked(FileSystem& files, const std::string& path) {
    std::unique_ptr<File> file = files.openForRead(path);
    char start[4] = {};
    const std::string_view magic(start, file->readAt(0, start, sizeof start));
    if (magic.starts_with(kGzipMagic)) return std::make_unique<InflatedFile>(std::move(file));
    if (magic != kZipMagic && magic != kEmptyZipMagic) return file;
    std::vector<ZipEntry> entries = zipEntries(*file);
    if (entries.size() != 1) {
        throw SystemError(fmt::format("The archive {} holds {} files instead of one.", path, entries.size()),
                          "Unpack it, and read its files one by one.");
    }
    return std::make_unique<InflatedFile>(std::move(file), std::move(entries[0]));
}

}  // namespace pelorus
