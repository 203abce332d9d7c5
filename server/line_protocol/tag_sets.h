// TagSets caches the parsed beginnings of lines, "table,tag=value,…": the lines of one source repeat theirs byte for
// byte.
//
// Not thread-safe. The cache is bounded: beyond kMaxBytes it is emptied when a batch begins, so that the tag sets of a
// batch live as long as the batch.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pelorus {

// The table and the names of the tags, in their order, that many lines share.
struct TagShape {
    std::string table;
    std::vector<std::string> names;
    // Consecutive number within the cache, from 0 on.
    int32_t number = 0;
};

// The parsed beginning of some lines: a table, and the values of its tags. TagSets owns it; batches keep their own
// marks in it.
struct TagSet {
    std::string prefix;
    const TagShape* shape = nullptr;
    std::vector<std::string> values;  // values of the tags
    std::vector<int32_t> codes;       // symbol codes of the values; empty until they are interned
    TagSet* follower = nullptr;       // the tag set of the line that followed the last time
    // The batch of this number keeps the set at this position, for this table.
    uint64_t batch = 0;
    int32_t position = 0;
    int32_t tableOfBatch = 0;
};

// The cache of one connection. A line whose beginning is cached costs one comparison or one look-up.
class TagSets {
public:
    // Returns the tag set of the line that begins at `at`, and moves `at` past the blank that ends it. Throws LineError
    // for a malformed beginning, and CutLine when the bytes end in it.
    TagSet* read(const char*& at, const char* end);
    // Empties the cache when it has reached kMaxBytes, and returns the number of a new batch. Tag sets that were
    // returned before are no longer valid.
    uint64_t beginBatch();
    size_t size() const { return sets_.size(); }

    static constexpr size_t kMaxBytes = size_t{64} << 20;

private:
    TagSet* parse(const char* at, const char* end, const char*& prefixEnd);
    const TagShape* shapeOf(std::string table, std::vector<std::string> names);

    std::deque<TagSet> sets_;
    std::unordered_map<std::string_view, TagSet*> byPrefix_;  // the keys refer to the prefixes in sets_
    std::unordered_map<std::string, std::unique_ptr<TagShape>> shapes_;
    TagSet* last_ = nullptr;
    size_t bytes_ = 0;
    uint64_t batches_ = 0;
};

// Throws LineError for a name that no column may have.
void requireColumnName(const std::string& name);

}  // namespace pelorus
