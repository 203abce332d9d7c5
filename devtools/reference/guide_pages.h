// The language guide, the how-tos and the handbook as pages of the reference.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "devtools/reference/markdown_page.h"

namespace pelorus {

// A page of the guide below the reference's folder.
struct GuidePage {
    std::string title;
    std::string toRoot;  // "../../" of guide/language/values.html
    std::string body;    // HTML
};

// Returns the page at a path as "guide/language/values.html"; nothing for other paths.
std::optional<GuidePage> guidePage(std::string_view path);

// Returns the lists of the guide's pages, for the index.
std::string guideIndex();

// Calls `take` with the path of each page.
void forEachGuidePath(const std::function<void(const std::string& path)>& take);

// Calls `take` with each part of a page that a search may lead to, the title of its page, and its address.
void forEachGuideSection(const std::function<void(const MarkdownSection& section, const std::string& page,
                                                  const std::string& address)>& take);

}  // namespace pelorus
