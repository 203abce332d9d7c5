#include "server/line_protocol/tag_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "server/line_protocol/line_lexer.h"

namespace pelorus {
namespace {

constexpr size_t kMaxNameBytes = 127;
constexpr size_t kMaxTags = 1024;
// Memory of an entry beyond its strings.
constexpr size_t kEntryBytes = 256;

// Returns the first unescaped blank; null when the bytes end before.
const char* findBlank(const char* at, const char* end) {
    const char* begin = at;
    for (;;) {
        const auto* blank = static_cast<const char*>(std::memchr(at, ' ', static_cast<size_t>(end - at)));
        if (blank == nullptr) return nullptr;
        const char* escape = blank;
        while (escape > begin && escape[-1] == '\\') --escape;
        if ((blank - escape) % 2 == 0) return blank;
        at = blank + 1;
    }
}

bool hasControlCharacter(std::string_view name) {
    return std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

void requireTableName(const std::string& name) {
    if (name.empty()) throw LineError("the line begins without the name of a table");
    if (name.size() > kMaxNameBytes)
        throw LineError(
            fmt::format("the name of a table has {} bytes; at most {} are allowed", name.size(), kMaxNameBytes));
    if (hasControlCharacter(name) || name.find_first_of("/\\.:\"'") != std::string::npos)
        throw LineError(
            fmt::format("'{}' is no name of a table: it must not hold any of / \\ . : or quotes, and is "
                        "looked for in the database of the line protocol only",
                        name));
}

}  // namespace

void requireColumnName(const std::string& name) {
    if (name.empty()) throw LineError("a tag or field has no name");
    if (name.size() > kMaxNameBytes)
        throw LineError(
            fmt::format("the name of a column has {} bytes; at most {} are allowed", name.size(), kMaxNameBytes));
    if (hasControlCharacter(name)) throw LineError("the name of a column holds a control character");
}

uint64_t TagSets::beginBatch() {
    if (bytes_ < kMaxBytes) return ++batches_;
    byPrefix_.clear();
    sets_.clear();
    shapes_.clear();
    last_ = nullptr;
    bytes_ = 0;
    return ++batches_;
}

TagSet* TagSets::read(const char*& at, const char* end) {
    if (last_ != nullptr && last_->follower != nullptr) {
        TagSet* next = last_->follower;
        const size_t size = next->prefix.size();
        if (static_cast<size_t>(end - at) > size && at[size] == ' ' &&
            std::memcmp(at, next->prefix.data(), size) == 0) {
            at += size + 1;
            return last_ = next;
        }
    }
    const char* blank = findBlank(at, end);
    TagSet* found = nullptr;
    if (blank != nullptr) {
        const auto known = byPrefix_.find({at, static_cast<size_t>(blank - at)});
        if (known != byPrefix_.end()) found = known->second;
    }
    if (found == nullptr) found = parse(at, end, blank);
    if (last_ != nullptr) last_->follower = found;
    last_ = found;
    at = blank + 1;
    return found;
}

TagSet* TagSets::parse(const char* at, const char* end, const char*& prefixEnd) {
    const char* begin = at;
    LineName name;
    at = readName(at, end, name);
    std::string table = name.unescaped();
    requireTableName(table);
    std::vector<std::string> names, values;
    while (*at == ',') {
        at = readName(at + 1, end, name);
        names.push_back(name.unescaped());
        requireColumnName(names.back());
        if (*at != '=') throw LineError(fmt::format("the tag {} has no value", names.back()));
        at = readName(at + 1, end, name);
        values.push_back(name.unescaped());
        if (*at == '=') throw LineError(fmt::format("the value of the tag {} holds an unescaped =", names.back()));
        if (std::count(names.begin(), names.end(), names.back()) > 1)
            throw LineError(fmt::format("the tag {} is given twice", names.back()));
        if (names.size() > kMaxTags) throw LineError(fmt::format("a line has more than {} tags", kMaxTags));
    }
    if (*at == '=') throw LineError(fmt::format("the name of the table, {}, holds an unescaped =", table));
    if (*at != ' ') throw LineError("the line has no fields");
    prefixEnd = at;
    TagSet& set = sets_.emplace_back();
    set.prefix.assign(begin, at);
    set.shape = shapeOf(std::move(table), std::move(names));
    bytes_ += 2 * set.prefix.size() + values.size() * (sizeof(std::string) + sizeof(int32_t)) + kEntryBytes;
    set.values = std::move(values);
    byPrefix_.emplace(set.prefix, &set);
    return &set;
}

const TagShape* TagSets::shapeOf(std::string table, std::vector<std::string> names) {
    std::string key = table;
    for (const std::string& name : names) key.append(1, '\0').append(name);
    std::unique_ptr<TagShape>& shape = shapes_[std::move(key)];
    if (!shape) {
        const auto number = static_cast<int32_t>(shapes_.size() - 1);
        shape = std::make_unique<TagShape>(TagShape{std::move(table), std::move(names), number});
    }
    return shape.get();
}

}  // namespace pelorus
