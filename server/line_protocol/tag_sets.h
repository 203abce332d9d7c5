// Cache of the parsed beginnings of lines, "table,tag=value,…": lines of one source repeat theirs byte for byte.
//
// Owned by one thread. Bounded: beyond kMaxBytes it is emptied when a batch begins, so that what a batch refers to
// stays while the batch does.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pelorus {

// A table and the names of the tags of some of its lines, in their order.
struct TagShape {
    std::string table;
    std::vector<std::string> names;
    int32_t number = 0;
};

// The parsed beginning of lines.
struct TagSet {
    std::string prefix;
    const TagShape* shape = nullptr;
    std::vector<std::string> values;  // of the tags
    std::vector<int32_t> codes;       // of the values, once they were interned
    TagSet* follower = nullptr;       // what the next line began with the last time
    // Position in the rows of the batch by this number.
    uint64_t batch = 0;
    int32_t position = 0;
    int32_t tableOfBatch = 0;
};

class TagSets {
public:
    // Returns the tag set of the line that begins at `at`, and moves `at` past it and the blank that ends it. Throws
    // LineError and CutLine.
    TagSet* read(const char*& at, const char* end);
    // Forgets what is cached when it has become too much, and returns the number of a new batch. Tag sets that were
    // returned before are no longer valid.
    uint64_t beginBatch();
    size_t size() const { return sets_.size(); }

    static constexpr size_t kMaxBytes = size_t{64} << 20;

private:
    TagSet* parse(const char* at, const char* end, const char*& prefixEnd);
    const TagShape* shapeOf(std::string table, std::vector<std::string> names);

    std::deque<TagSet> sets_;
    std::unordered_map<std::string_view, TagSet*> byPrefix_;  // of the prefixes of sets_
    std::unordered_map<std::string, std::unique_ptr<TagShape>> shapes_;
    TagSet* last_ = nullptr;
    size_t bytes_ = 0;
    uint64_t batches_ = 0;
};

// Throws LineError for a name that no column may have.
void requireColumnName(const std::string& name);

}  // namespace pelorus
