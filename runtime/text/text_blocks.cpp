#include "runtime/text/text_blocks.h"

#include <algorithm>

#include "common/error.h"

namespace pelorus::text {

static constexpr size_t kSampledBytes = 1 << 20;
static constexpr int kSamplesBehind = 8;
static constexpr size_t kSampleBehindBytes = 64 << 10;

TextBlocks::TextBlocks(std::unique_ptr<File> file, const TextOptions& options, size_t blockBytes)
    : file_(std::move(file)), options_(options), blockBytes_(blockBytes), fileBytes_(file_->size()) {
    sample_ = readAt(0, kSampledBytes);
    head_ = readHead(sample_, options_);
    if (head_.names.empty()) throw UserError("The file " + file_->path() + " is empty.");
    offset_ = static_cast<int64_t>(head_.rowsBegin);
    line_ = head_.firstLine;
    readAhead();
}

TextBlocks::~TextBlocks() {
    if (ahead_.valid()) ahead_.wait();
}

std::string TextBlocks::readAt(int64_t offset, size_t sizeBytes) const {
    std::string bytes(std::min<size_t>(sizeBytes, static_cast<size_t>(std::max<int64_t>(0, fileBytes_ - offset))),
                      '\0');
    bytes.resize(file_->readAt(offset, bytes.data(), bytes.size()));
    return bytes;
}

TextSchema TextBlocks::detectSchema() const {
    std::string sample = sample_;
    const auto wholeLines = [](std::string& bytes) {
        if (const size_t end = bytes.rfind('\n'); end != std::string::npos) bytes.resize(end + 1);
    };
    if (static_cast<int64_t>(sample.size()) < fileBytes_) {
        wholeLines(sample);
        for (int i = 1; i <= kSamplesBehind; ++i) {
            const int64_t span = fileBytes_ - static_cast<int64_t>(kSampledBytes);
            std::string part = readAt(static_cast<int64_t>(kSampledBytes) + span / kSamplesBehind * i -
                                          static_cast<int64_t>(kSampleBehindBytes),
                                      kSampleBehindBytes);
            const size_t begin = part.find('\n');
            if (begin == std::string::npos) continue;
            wholeLines(part);
            sample += part.substr(begin + 1);
        }
    }
    return text::detectSchema(sample, options_);
}

void TextBlocks::readAhead() {
    if (offset_ >= fileBytes_) return;
    // A thread of its own, not a task: it waits for the disk.
    ahead_ = std::async(std::launch::async, [this, offset = offset_] { return readAt(offset, blockBytes_); });
}

bool TextBlocks::next(std::string& lines, int64_t& firstLine) {
    lines = std::move(rest_);
    rest_.clear();
    while (ahead_.valid()) {
        const std::string block = ahead_.get();
        if (block.empty()) break;  // the file was shortened meanwhile
        lines += block;
        offset_ += static_cast<int64_t>(block.size());
        readAhead();
        if (!ahead_.valid()) break;
        const std::vector<size_t> ends = cutAtLines(lines, options_, SIZE_MAX / 2, false);
        if (ends.empty()) continue;  // a line longer than the block
        rest_ = lines.substr(ends.back());
        lines.resize(ends.back());
        break;
    }
    firstLine = line_;
    line_ += std::count(lines.begin(), lines.end(), '\n');
    return !lines.empty();
}

}  // namespace pelorus::text
