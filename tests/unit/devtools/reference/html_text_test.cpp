#include "devtools/reference/html_text.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("signs of HTML are entities, in text and in attributes") {
    CHECK(htmlEscaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
    CHECK(htmlEscaped("") == "");
}

TEST_CASE("prose has paragraphs and code, and one backtick is a sign") {
    CHECK(htmlProse("one `a<b` two\n\nthree") == "<p>one <code>a&lt;b</code> two</p>\n<p>three</p>");
    CHECK(htmlProse("the symbol `A") == "<p>the symbol `A</p>");
}
