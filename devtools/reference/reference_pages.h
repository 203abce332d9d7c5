// The reference as pages of HTML: the functions, made from the documentation that is in the registry, with an index by
// themes and a page for each; the guide to the language, the how-tos and the handbook; and a search that needs no
// network.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pelorus {

struct ReferencePage {
    std::string contentType;  // of HTTP
    std::string bytes;
    std::string packed;  // `bytes` as gzip; empty for pages that are short
};

// Returns the page at a path below the reference's folder: "" or "index.html", "functions/NAME.html",
// "themes/NAME.html", "guide/PATH.html", "reference.css", "icon.svg", "search.js", "functions.js". Nothing for other
// paths. O(functions) for the index and the search's list, else O(1).
std::optional<ReferencePage> referencePage(std::string_view path);

// Calls `take` with the path of each page, the index first.
void forEachReferencePath(const std::function<void(const std::string& path)>& take);

}  // namespace pelorus
