// Dates and times as other programs write them: 2024-03-15, 2024/03/15, 20240315, 09:30:00.123, 2024-03-15T09:30:00.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/type_table.h"

namespace pelorus::text {

// Parses the stored value of a temporal type. Returns false when the text is not one: out of range, incomplete, or
// followed by other characters.
bool parseTemporal(std::string_view text, Type type, int64_t& stored);

// Returns the type that a text resembles, by its separators and number of digits; Void when it is no date or time.
Type temporalTypeOf(std::string_view text);

// A pattern such as "MM/dd/yyyy HH:mm:ss.SSS": y M d H h m s S n for digits (MMM for a month's name, aa for AM or PM),
// all else is matched literally.
class TemporalPattern {
public:
    // Throws UserError when the pattern has no part that the type needs.
    TemporalPattern(std::string_view pattern, Type type);
    bool parse(std::string_view text, int64_t& stored) const;

private:
    struct Part {
        char letter;  // 0: the literal
        int length;
        char literal;
    };
    std::vector<Part> parts_;
    Type type_;
};

}  // namespace pelorus::text
