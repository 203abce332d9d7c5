// Every path that is listed is a page, pages link to pages that are there, and what stands in them is text.
#include "devtools/reference/reference_pages.h"

#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "tests/support/script_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("every page is there, and every link of a page leads to one") {
    const ScriptBench bench;
    std::set<std::string> paths;
    forEachReferencePath([&](const std::string& path) { CHECK(paths.insert(path).second); });
    REQUIRE(paths.size() > 100);
    const std::regex link("(?:href|src)=\"([^\"]*)\"");
    for (const std::string& path : paths) {
        INFO(path);
        const auto page = referencePage(path);
        REQUIRE(page);
        CHECK_FALSE(page->bytes.empty());
        if (!path.ends_with(".html")) continue;
        const std::string html = page->bytes;
        bool isKnown = true;
        for (std::sregex_iterator it(html.begin(), html.end(), link), end; it != end; ++it) {
            std::string target = (*it)[1];
            const bool isBelow = path.find('/') != std::string::npos;
            if (isBelow != target.starts_with("../")) isKnown = false;
            if (target.starts_with("../")) target = target.substr(3);
            isKnown = isKnown && paths.count(target) == 1;
        }
        CHECK(isKnown);
    }
}

TEST_CASE("a function's page has its parts, and signs of HTML are text") {
    const ScriptBench bench;
    const std::string page = referencePage("functions/wavg.html")->bytes;
    for (const char* piece : {"<h1>wavg</h1>", "wavg(X, Y)", "NULL", "Example", "See also"})
        CHECK(page.find(piece) != std::string::npos);
    // Examples print arrows.
    CHECK(page.find("-&gt;") != std::string::npos);
    CHECK(page.find("<script>") == std::string::npos);
}

TEST_CASE("other paths are none") {
    for (const char* path : {"functions/nothing.html", "functions/.html", "functions/../index.html", "themes/x.html",
                             "/etc/passwd", "index.htm"})
        CHECK_FALSE(referencePage(path));
}
