// Every path that is listed is a page, pages link to pages that are there, and what stands in them is text.
#include "devtools/reference/reference_pages.h"

#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "common/io/gunzip.h"
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
            if (target.starts_with("https://") || target.starts_with("http://")) continue;
            if (target.starts_with('#')) target = path + target;
            // The addresses of pages in folders begin at the root.
            for (const char c : path) {
                if (c == '/' && target.starts_with("../")) target = target.substr(3);
            }
            const size_t mark = target.find('#');
            if (mark != std::string::npos) {
                const std::string id = "id=\"" + target.substr(mark + 1) + "\"";
                target.resize(mark);
                const auto other = referencePage(target);
                if (!other || other->bytes.find(id) == std::string::npos) {
                    UNSCOPED_INFO(id << " of " << target);
                    isKnown = false;
                }
            }
            if (paths.count(target) == 1) continue;
            UNSCOPED_INFO(target);
            isKnown = false;
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

TEST_CASE("the guide, the how-tos and the handbook are pages, and the search knows their parts") {
    const ScriptBench bench;
    const std::string page = referencePage("guide/language/tables.html")->bytes;
    for (const char* piece : {"<h2 id=\"tables-on-disk\">", "<pre><code class=\"dos\">", "<table>",
                              "../../reference.css", "href=\"../../guide/language/streams.html\""})
        CHECK(page.find(piece) != std::string::npos);
    CHECK(referencePage("guide/howto/bars.html"));
    CHECK(referencePage("guide/operations.html"));
    const std::string index = referencePage("index.html")->bytes;
    for (const char* piece : {"guide/howto/factor.html", "Make bars", "guide/console.html"})
        CHECK(index.find(piece) != std::string::npos);
    const std::string searched = referencePage("functions.js")->bytes;
    CHECK(searched.find("guide/language/tables.html#tables-on-disk") != std::string::npos);
    CHECK(searched.size() < 1'000'000);
    const std::string packed = referencePage("functions.js")->packed;
    std::string plain;
    CHECK(gunzip(packed, static_cast<int64_t>(searched.size()), plain) == GunzipResult::Done);
    CHECK(plain == searched);
    CHECK(packed.size() < searched.size() / 2);
}

TEST_CASE("other paths are none") {
    for (const char* path : {"functions/nothing.html", "guide/nothing.html", "guide/", "guide/../docs/users.md",
                             "functions/.html", "functions/../index.html", "themes/x.html", "/etc/passwd", "index.htm"})
        CHECK_FALSE(referencePage(path));
}
