// Blocks of Markdown: what the documents use.
#include "devtools/reference/markdown_page.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

std::string html(std::string_view page) {
    return htmlOfMarkdown(page, [](std::string_view target) { return std::string(target); });
}

}  // namespace

TEST_CASE("headings, paragraphs and code become HTML") {
    CHECK(html("# A `b`\n\nOne\ntwo.\n\nThree.\n") ==
          "<h1 id=\"a-b\">A <code>b</code></h1>\n<p>One two.</p>\n<p>Three.</p>\n");
    CHECK(html("```dos fails\na < b\n\n# no heading\n```\n") ==
          "<pre><code class=\"dos\">a &lt; b\n\n# no heading\n</code></pre>\n");
    CHECK(html("    a\n\n      b\n\ntext") == "<pre><code>a\n\n  b\n</code></pre>\n<p>text</p>\n");
    CHECK(html("```\nnever closed") == "<pre><code>never closed\n</code></pre>\n");
    CHECK(html("#no heading") == "<p>#no heading</p>\n");
}

TEST_CASE("lists hold lines, lists and code") {
    CHECK(html("* a\n  b\n* c\n") == "<ul>\n<li>a b</li>\n<li>c</li>\n</ul>\n");
    CHECK(html("1. a\n2. b\n10. c\n") == "<ol>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ol>\n");
    CHECK(html("* a\n  * b\n* c\n") == "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>\n");
    CHECK(html("* a\n\n      code\n\ntext") ==
          "<ul>\n<li>a\n<pre><code>code\n</code></pre>\n</li>\n</ul>\n<p>text</p>\n");
    CHECK(html("* a\n\n* b\n") == "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n");
    CHECK(html("* a\n1. b\n") == "<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>\n");
    std::string deep;
    for (int i = 0; i < 200; ++i) deep += std::string(static_cast<size_t>(i) * 2, ' ') + "* x\n";
    CHECK_FALSE(html(deep).empty());
}

TEST_CASE("tables have a head, and bars within cells") {
    const std::string table = html("| a | b |\n|---|---|\n| `x` | y \\| z |\n");
    CHECK(table.find("<tr><th>a</th><th>b</th></tr>") != std::string::npos);
    CHECK(table.find("<tr><td><code>x</code></td><td>y | z</td></tr>") != std::string::npos);
    CHECK(table.find("---") == std::string::npos);
}

TEST_CASE("a search finds the sections of a page") {
    const auto sections =
        sectionsOfMarkdown("# Page\n\nFirst `a`.\n\n```dos\n# no heading\n```\n\n## Part one\n\nMore.\n");
    REQUIRE(sections.size() == 2);
    CHECK(sections[0].heading == "Page");
    CHECK(sections[0].id.empty());
    CHECK(sections[0].text == "First a. # no heading");
    CHECK(sections[1].id == "part-one");
    CHECK(sections[1].text == "More.");
    CHECK(sectionsOfMarkdown("no heading").empty());
}
