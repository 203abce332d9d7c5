// A page of Markdown as HTML: what the documents of the tree use of it, and no more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devtools/reference/markdown_inline.h"

namespace pelorus {

// Returns the HTML of headings, paragraphs, lists within lists, tables, and code between fences or indented by four.
// Code has the class of its language, as "dos". HTML in the text is text.
std::string htmlOfMarkdown(std::string_view page, const LinkRule& link);

// A part of a page that a search leads to: from a heading to the next one.
struct MarkdownSection {
    std::string heading;  // without marks
    std::string id;       // of its heading; empty for the first, which is the page
    std::string text;     // without marks, on one line
};
std::vector<MarkdownSection> sectionsOfMarkdown(std::string_view page);

}  // namespace pelorus
