#include "presentation/import/utf16_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/text/utf8.h"

namespace pelorus::text {

namespace {

constexpr size_t kSourceBytes = 128 << 10;  // converted at once
constexpr uint32_t kReplacement = 0xFFFD;

bool isHigh(uint32_t unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}

bool isLow(uint32_t unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

// Returns whether more than half of the bytes at odd places (or, with `first` 0, at even ones) are zero, and none of
// the others: the file is UTF-16 without a mark.
bool hasZerosFrom(size_t first, std::string_view bytes) {
    size_t zeros = 0, others = 0;
    for (size_t i = 0; i < bytes.size(); ++i) (i % 2 == first ? zeros : others) += bytes[i] == '\0';
    return others == 0 && zeros * 4 > bytes.size();
}

}  // namespace

// The position of the reader: the converted bytes that it buffers, and the offset in the source after them.
struct Utf16File::Position {
    int64_t source = 0;     // offset of the next bytes to convert
    int64_t converted = 0;  // offset of `bytes` in the converted file
    std::string bytes;
    uint32_t high = 0;  // first half of a character, whose second one comes next; 0 when there is none
};

Utf16File::Utf16File(std::unique_ptr<File> source, bool isBigEndian, int64_t markBytes)
    : ConvertedFile(std::move(source)), isBigEndian_(isBigEndian), markBytes_(markBytes) {}

Utf16File::~Utf16File() = default;

int64_t Utf16File::sourceBytesRead() const {
    const MutexLock guard(mutex_);
    return position_ ? position_->source : 0;
}

// Converts the next bytes of the source; returns false at its end.
bool Utf16File::convertNext() const {
    Position& position = *position_;
    position.converted += static_cast<int64_t>(position.bytes.size());
    position.bytes.clear();
    unsigned char units[kSourceBytes];
    const size_t got = source().readAt(position.source, units, sizeof units);
    position.source += static_cast<int64_t>(got);
    for (size_t at = 0; at + 1 < got; at += 2) {
        const uint32_t unit = isBigEndian_ ? units[at] << 8 | units[at + 1] : units[at + 1] << 8 | units[at];
        if (const uint32_t high = std::exchange(position.high, 0); high != 0) {
            if (isLow(unit)) {
                appendUtf8(position.bytes, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
                continue;
            }
            appendUtf8(position.bytes, kReplacement);
        }
        if (isHigh(unit))
            position.high = unit;
        else
            appendUtf8(position.bytes, isLow(unit) ? kReplacement : unit);
    }
    const bool isEnd = got < sizeof units;
    if (isEnd && (got % 2 == 1 || std::exchange(position.high, 0) != 0)) appendUtf8(position.bytes, kReplacement);
    return got > 0 || !position.bytes.empty();
}

size_t Utf16File::readAt(int64_t offset, void* target, size_t sizeBytes) const {
    const MutexLock guard(mutex_);
    if (!position_ || offset < position_->converted) {
        position_ = std::make_unique<Position>();
        position_->source = markBytes_;
    }
    size_t taken = 0;
    while (taken < sizeBytes) {
        const Position& position = *position_;
        const int64_t inBytes = offset + static_cast<int64_t>(taken) - position.converted;
        if (inBytes >= static_cast<int64_t>(position.bytes.size())) {
            checkCancelled();
            if (!convertNext()) break;
            continue;
        }
        const size_t size = std::min(sizeBytes - taken, position.bytes.size() - static_cast<size_t>(inBytes));
        std::memcpy(static_cast<char*>(target) + taken, position.bytes.data() + inBytes, size);
        taken += size;
    }
    return taken;
}

std::unique_ptr<File> openAsUtf8(std::unique_ptr<File> file) {
    char first[512];
    const std::string_view bytes(first, file->readAt(0, first, sizeof first));
    using namespace std::string_view_literals;
    if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) {
        throw UserError("The file " + file->path() + " is of UTF-32, which cannot be read.",
                        "Save it as UTF-8 with the program that wrote it.");
    }
    if (bytes.starts_with("\xFF\xFE")) return std::make_unique<Utf16File>(std::move(file), false, 2);
    if (bytes.starts_with("\xFE\xFF")) return std::make_unique<Utf16File>(std::move(file), true, 2);
    if (bytes.size() < 4) return file;
    if (hasZerosFrom(1, bytes)) return std::make_unique<Utf16File>(std::move(file), false, 0);
    if (hasZerosFrom(0, bytes)) return std::make_unique<Utf16File>(std::move(file), true, 0);
    return file;
}

}  // namespace pelorus::text
