// Scanner of the fields of delimited text.
#pragma once

#include <emmintrin.h>

#include <string>
#include <string_view>
#include <utility>

namespace pelorus::text {

// Returns the first delimiter or line feed at or after `at`, or `end`. Tests sixteen bytes at a time: most fields are
// shorter.
inline const char* findFieldEnd(const char* at, const char* end, char delimiter) {
    const __m128i delimiters = _mm_set1_epi8(delimiter);
    const __m128i lineFeeds = _mm_set1_epi8('\n');
    while (end - at >= 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const int hits =
            _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, delimiters), _mm_cmpeq_epi8(bytes, lineFeeds)));
        if (hits != 0) return at + __builtin_ctz(static_cast<unsigned>(hits));
        at += 16;
    }
    while (at < end && *at != delimiter && *at != '\n') ++at;
    return at;
}

struct Field {
    std::string_view text;
    bool lastOfLine = false;
};

class FieldScanner {
public:
    FieldScanner(std::string_view bytes, char delimiter)
        : at_(bytes.data()), begin_(bytes.data()), end_(bytes.data() + bytes.size()), delimiter_(delimiter) {}

    bool atEnd() const { return at_ >= end_; }
    size_t position() const { return static_cast<size_t>(at_ - begin_); }
    // Returns the number of line feeds inside the quoted fields that were read since the last call.
    int64_t takeInnerLines() { return std::exchange(innerLines_, 0); }
    // True after a quoted field that never ended.
    bool unterminated() const { return unterminated_; }
    bool atBlankLine() const { return *at_ == '\n' || (*at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n')); }
    void skipBlankLine() { at_ += *at_ == '\r' ? 2 : 1; }

    // Returns the next field, valid until the next call. REQUIRES: !atEnd(), or the last field ended with a delimiter.
    Field next() {
        if (at_ < end_ && *at_ == '"') return quoted();
        const char* stop = findFieldEnd(at_, end_, delimiter_);
        const char* stringEnd = stop;
        const bool last = stop == end_ || *stop == '\n';
        if (last && stringEnd > at_ && stringEnd[-1] == '\r') --stringEnd;
        const Field field{{at_, static_cast<size_t>(stringEnd - at_)}, last};
        at_ = stop + 1;
        return field;
    }

private:
    Field quoted() {
        const char* begin = ++at_;
        const char* quote = findQuote(begin);
        if (quote + 1 < end_ && quote[1] == '"') return unescaped(begin, quote);
        return closed({begin, static_cast<size_t>(quote - begin)}, quote);
    }

    Field unescaped(const char* begin, const char* quote) {
        scratch_.clear();
        for (;;) {
            scratch_.append(begin, quote);
            if (quote + 1 >= end_ || quote[1] != '"') break;
            scratch_ += '"';
            begin = quote + 2;
            quote = findQuote(begin);
        }
        return closed(scratch_, quote);
    }

    const char* findQuote(const char* from) {
        const char* at = from;
        for (; at < end_ && *at != '"'; ++at) innerLines_ += *at == '\n';
        return at;
    }

    // Appends the characters between the closing quote and the field's end, as other readers do.
    Field closed(std::string_view text, const char* quote) {
        unterminated_ = quote >= end_;
        const char* behind = quote < end_ ? quote + 1 : end_;
        const char* stop = findFieldEnd(behind, end_, delimiter_);
        const bool last = stop == end_ || *stop == '\n';
        at_ = stop + 1;
        if (last && stop > behind && stop[-1] == '\r') --stop;
        if (stop == behind) return {text, last};
        if (text.data() != scratch_.data()) scratch_ = text;
        scratch_.append(behind, stop);
        return {scratch_, last};
    }

    const char* at_;
    const char* const begin_;
    const char* const end_;
    const char delimiter_;
    int64_t innerLines_ = 0;
    bool unterminated_ = false;
    std::string scratch_;
};

}  // namespace pelorus::text
