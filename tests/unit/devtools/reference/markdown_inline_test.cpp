// Marks within a line, and what is none.
#include "devtools/reference/markdown_inline.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

std::string html(std::string_view text) {
    return htmlOfInline(text, [](std::string_view target) {
        return target.ends_with(".md") ? std::string(target.substr(0, target.size() - 3)) + ".html"
                                       : std::string(target);
    });
}

}  // namespace

TEST_CASE("code, bold words and links become HTML") {
    CHECK(html("a `b` **c** [d](e.md)") == "a <code>b</code> <strong>c</strong> <a href=\"e.html\">d</a>");
    CHECK(html("[`x`](y.md)") == "<a href=\"y.html\"><code>x</code></a>");
    CHECK(html("![A page](p.png)") == "<em>A page</em>");
    CHECK(html("**`a`: b**") == "<strong><code>a</code>: b</strong>");
}

TEST_CASE("what is no mark is text, and no HTML") {
    CHECK(html("a < b & \"c\"") == "a &lt; b &amp; &quot;c&quot;");
    CHECK(html("`sym") == "`sym");
    CHECK(html("x[1] (y) ** z [a](b c)") == "x[1] (y) ** z [a](b c)");
    CHECK(html("`<script>`") == "<code>&lt;script&gt;</code>");
    CHECK(html("[a](javascript:alert)") == "a");
    CHECK(html("[a](data:text/html,x)") == "a");
    CHECK(html("[a](\"onclick=x)") == "<a href=\"&quot;onclick=x\">a</a>");
    CHECK(html("**a") == "**a");
    CHECK(html("") == "");
}

TEST_CASE("titles have no marks, and headings names as links call them") {
    CHECK(plainInline("**Use** `mavg`, [x](y.md)") == "Use mavg, x");
    CHECK(headingId("Tables on disk") == "tables-on-disk");
    CHECK(headingId("`x`: Users, groups and rights") == "x-users-groups-and-rights");
}
