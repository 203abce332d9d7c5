#include <cstring>
#include <vector>

#include "tests/unit/apps/library/c_handles.h"

namespace pelorus {

using namespace testing;

TEST_CASE("names of the session and of the language are proposed") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    run(session, "trades = table(1 2 as price)\ndef halve(x) { return x / 2 }");
    std::vector<std::string> texts;
    const auto each = [](void* data, const char* text, const char*, const char* kind) {
        static_cast<std::vector<std::string>*>(data)->push_back(std::string(kind) + " " + text);
    };
    size_t begin = 0;
    const std::string script = "x = trad";
    require(pelorus_complete(session.get(), script.data(), script.size(), 100, each, &texts, &begin));
    CHECK(begin == 4);
    CHECK(texts == std::vector<std::string>{"table trades"});
    texts.clear();
    require(pelorus_complete(session.get(), "wav", 3, 3, each, &texts, &begin));
    CHECK(texts.front() == "function wavg");
}

TEST_CASE("functions are described as Markdown, and other names by nothing") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    run(session, "def halve(x) { return x / 2 }");
    for (const auto& [name, part] :
         {std::pair("wavg", "wavg("), std::pair("halve", "halve(x)"), std::pair("nothing", "")}) {
        char* markdown = nullptr;
        require(pelorus_describe(session.get(), name, &markdown));
        CHECK(std::strstr(markdown, part) != nullptr);
        CHECK((*markdown == '\0') == (*part == '\0'));
        pelorus_string_free(markdown);
    }
}

TEST_CASE("a script that ends within a statement is unfinished") {
    CHECK(pelorus_is_unfinished("def f(x) {", 10) == 1);
    CHECK(pelorus_is_unfinished("1 + 1", 5) == 0);
}

TEST_CASE("charts are drawn as SVG, and nothing else is") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    char* svg = nullptr;
    require(pelorus_draw(run(session, "plot(1..5, 1..5)").get(), 400, 300, 1, &svg));
    CHECK(std::strstr(svg, "<svg") != nullptr);
    pelorus_string_free(svg);
    CHECK(OwnedError(pelorus_draw(run(session, "plot(1..5, 1..5)").get(), 1, 300, 0, &svg)) != nullptr);
    CHECK(OwnedError(pelorus_draw(run(session, "1").get(), 400, 300, 0, &svg)) != nullptr);
}

}  // namespace pelorus
