// Text of Markdown within a line to HTML: code, bold words, links.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace pelorus {

// Returns the address of a page for the target of a link; empty where the link leads to nothing that is served, and
// only its text is shown.
using LinkRule = std::function<std::string(std::string_view target)>;

// Returns HTML of the text: `code`, **bold**, [text](target); of ![text](picture) the text. Signs of HTML are escaped,
// and a target that is neither relative nor http(s) is dropped. Recursion is bounded: a link's text holds no link.
std::string htmlOfInline(std::string_view text, const LinkRule& link);

// Returns the text without its marks, for titles and the search.
std::string plainInline(std::string_view text);

// Returns the name of a heading in the address of its page: "Tables on disk" is tables-on-disk.
std::string headingId(std::string_view heading);

}  // namespace pelorus
