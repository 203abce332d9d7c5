// RangeScope records the range of a statement while it is parsed.
#pragma once

#include "interpreter/parser/parser_core.h"

namespace pelorus {

// Scope that opens a range at the next token and closes it after the last token taken. It does nothing for a parser
// that does not recover from errors.
class Parser::RangeScope {
public:
    explicit RangeScope(Parser& parser) : parser_(parser) {
        if (!parser.recovered_) return;
        auto& ranges = parser.recovered_->ranges;
        StatementRange range;
        range.begin = range.end = parser.offset();
        if (!parser.openRanges_.empty()) range.parent = static_cast<int>(parser.openRanges_.back());
        parser.openRanges_.push_back(ranges.size());
        ranges.push_back(range);
    }
    ~RangeScope() {
        if (!parser_.recovered_) return;
        StatementRange& range = parser_.recovered_->ranges[parser_.openRanges_.back()];
        parser_.openRanges_.pop_back();
        if (parser_.at_ == 0) return;
        const auto end = static_cast<size_t>(parser_.tokens_[parser_.at_ - 1].end() - parser_.text_.data());
        range.end = std::max(range.end, end);
    }
    RangeScope(const RangeScope&) = delete;
    RangeScope& operator=(const RangeScope&) = delete;

private:
    Parser& parser_;
};

}  // namespace pelorus
