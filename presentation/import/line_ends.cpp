#include "presentation/import/line_ends.h"

#include <cstring>

namespace pelorus::text {

namespace {

// Returns whether a carriage return before the last byte is not followed by a line feed.
bool hasLoneReturn(const char* string, size_t size) {
    const char* const end = string + size;
    for (const char* at = string; at < end; ++at) {
        at = static_cast<const char*>(std::memchr(at, '\r', static_cast<size_t>(end - at)));
        if (at == nullptr || at + 1 == end) return false;
        if (at[1] != '\n') return true;
    }
    return false;
}

// Visitor of the fields of a text block, which replaces the carriage returns that end lines.
class Turner {
public:
    Turner(char* string, size_t size, char delimiter, bool isComplete)
        : at_(string), end_(string + size), delimiter_(delimiter), isComplete_(isComplete) {}

    void skipLine() {
        while (at_ < end_ && !endsLine()) ++at_;
        if (at_ < end_) ++at_;
    }

    void turnAll() {
        bool atFieldBegin = true;
        while (at_ < end_) {
            if (atFieldBegin && *at_ == '"') skipQuoted();
            if (at_ >= end_) return;
            atFieldBegin = *at_ == delimiter_ || endsLine();
            ++at_;
        }
    }

private:
    // Returns whether a line ends here, and turns a carriage return that ends it.
    bool endsLine() {
        if (*at_ == '\n') return true;
        if (*at_ != '\r') return false;
        const bool isLast = at_ + 1 == end_;
        if (isLast ? !isComplete_ : at_[1] == '\n') return false;
        *at_ = '\n';
        return true;
    }

    // Moves behind the quote that closes the field; doubled ones do not.
    void skipQuoted() {
        for (++at_; at_ < end_; ++at_) {
            if (*at_ != '"') continue;
            if (at_ + 1 >= end_ || at_[1] != '"') break;
            ++at_;
        }
        if (at_ < end_) ++at_;
    }

    char* at_;
    char* const end_;
    const char delimiter_;
    const bool isComplete_;
};

}  // namespace

void endLinesWithFeeds(char* bytes, size_t size, char delimiter, int64_t skipLines, bool isComplete) {
    const bool endsWithReturn = isComplete && size > 0 && bytes[size - 1] == '\r';
    if (!endsWithReturn && !hasLoneReturn(bytes, size)) return;
    Turner turner(bytes, size, delimiter, isComplete);
    for (int64_t i = 0; i < skipLines; ++i) turner.skipLine();
    turner.turnAll();
}

}  // namespace pelorus::text
