// A delimited text file, read in blocks of whole lines, so that any file fits into memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/io/file.h"
#include "runtime/text/delimited_text.h"

namespace pelorus {
class ProgressPhase;
}

namespace pelorus::text {

// A block of complete lines, in storage that is reused for the next ones.
struct TextBlock {
    std::string_view lines;
    int64_t offset = 0;     // offset of the lines in the file
    int64_t readBytes = 0;  // part of TextBlocks::bytesToRead since the block before
    std::string storage;
};

// A reader of one file. It owns the file; one thread uses it.
class TextBlocks {
public:
    static constexpr size_t kBlockBytes = 4 << 20;

    // Reads the head, and finds the delimiter when the options leave that open. Throws UserError when the file is
    // empty, SystemError when it cannot be read.
    TextBlocks(std::unique_ptr<File> file, const TextOptions& options, size_t blockBytes = kBlockBytes);

    const TextHead& head() const { return head_; }
    const TextOptions& options() const { return options_; }
    // Detects names and types from the head and lines all over the file; of one whose size is unknown, over its first
    // 256 MB. Adds the columns that nearly read as another type to `odd`, with their offsets in the file.
    TextSchema detectSchema(std::vector<OddColumn>* odd = nullptr) const;
    // Returns the total that progress counts to: the size of the file, or that of the packed file when the unpacked
    // size is unknown.
    int64_t bytesToRead() const;

    // Reads the next complete lines; returns false at the end.
    bool next(TextBlock& block);

private:
    std::string readAt(int64_t offset, size_t sizeBytes) const;
    void countRead(TextBlock& block);
    std::vector<int64_t> samplesBehind() const;

    const std::unique_ptr<File> file_;
    TextOptions options_;
    const size_t blockBytes_;
    int64_t fileBytes_;  // ConvertedFile::kUnknownSize until the end of such a file was read
    TextHead head_;
    std::string sample_;
    int64_t offset_ = 0;     // end of the bytes read so far
    int64_t readBytes_ = 0;  // part of bytesToRead so far
    std::string rest_;       // beginning of the next block
};

// Parses the next blocks, `mostBytes` or a little more, on all cores. Adds to the report, whose lines are those that
// were parsed before. Returns null at the end of the file. Sets the lines of those columns of `odd` whose offsets are
// in these blocks. Counts the bytes in `progress`.
Ref<MemoryTable> parseBlocks(TextBlocks& blocks, size_t mostBytes, const TextSchema& schema, TextReport& report,
                             std::vector<OddColumn>* odd = nullptr, ProgressPhase* progress = nullptr);

}  // namespace pelorus::text
