// Finds the positions at which the fields of a text block end, sixty-four bytes at a time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pelorus::text {

// The ends of the fields of a block. Positions count from the beginning of the block. ends[0] denotes the position
// before the first field, so that a field begins one after the previous end.
struct FieldEnds {
    std::vector<uint32_t> ends;
    int count = 0;                // number of ends
    std::vector<uint32_t> lines;  // indexes of the ends that are line feeds; lines[0] is 0
    int lineCount = 0;            // number of complete lines: lines has one element more
};

// Reads no more than FieldEnds' room of kFieldBlockBytes, and nothing after the first quote.
constexpr size_t kFieldBlockBytes = 32 << 10;
void findFieldEnds(std::string_view text, char delimiter, FieldEnds& found);

int64_t countLineFeeds(std::string_view text);

}  // namespace pelorus::text
