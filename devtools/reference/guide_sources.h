// The documents that are pages of the guide: files of docs, which are a part of the program.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pelorus {

enum class GuidePart : uint8_t { Language, HowTo, Handbook };

struct GuideSource {
    std::string_view name;  // path below docs without its ending, "language/values"
    GuidePart part;
    std::string_view text;  // Markdown
};

// Returns all, each part in the order in which it is read.
std::span<const GuideSource> guideSources();

}  // namespace pelorus
