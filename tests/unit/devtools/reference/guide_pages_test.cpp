// The documents that are pages of the guide.
#include "devtools/reference/guide_pages.h"

#include <catch2/catch.hpp>

#include "devtools/reference/guide_sources.h"

using namespace pelorus;

TEST_CASE("every document of the guide has a title, and its page no marks of its source") {
    int pages = 0;
    forEachGuidePath([&](const std::string& path) {
        INFO(path);
        const auto page = guidePage(path);
        REQUIRE(page);
        CHECK_FALSE(page->title.empty());
        CHECK(page->body.starts_with("<h1 id="));
        CHECK(page->body.find(".md\"") == std::string::npos);
        CHECK(page->body.find("](") == std::string::npos);
        ++pages;
    });
    CHECK(pages == static_cast<int>(guideSources().size()));
    CHECK_FALSE(guidePage("guide/language/README.html"));
    CHECK(guidePage("guide/language/index.html"));
}
