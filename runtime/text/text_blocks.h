// A delimited text file, read in large blocks of whole lines, so that any file fits into memory.
#pragma once

#include <future>
#include <memory>
#include <string>

#include "common/file.h"
#include "runtime/text/delimited_text.h"

namespace pelorus::text {

class TextBlocks {
public:
    // Reads the head. Throws UserError when the file is empty, SystemError when it cannot be read.
    TextBlocks(std::unique_ptr<File> file, const TextOptions& options, size_t blockBytes = 256 << 20);
    ~TextBlocks();

    const TextHead& head() const { return head_; }
    // From the head and lines all over the file.
    TextSchema detectSchema() const;

    // The next whole lines and the number of the first; false at the end. The next block is read meanwhile.
    bool next(std::string& lines, int64_t& firstLine);

private:
    std::string readAt(int64_t offset, size_t sizeBytes) const;
    void readAhead();

    const std::unique_ptr<File> file_;
    const TextOptions options_;
    const size_t blockBytes_;
    const int64_t fileBytes_;
    TextHead head_;
    std::string sample_;
    int64_t offset_ = 0;  // of what was read so far
    int64_t line_ = 1;
    std::string rest_;  // begins the next block
    std::future<std::string> ahead_;
};

}  // namespace pelorus::text
