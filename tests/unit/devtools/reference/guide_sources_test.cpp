// The documents are in the program, whole and once.
#include "devtools/reference/guide_sources.h"

#include <catch2/catch.hpp>
#include <set>

using namespace pelorus;

TEST_CASE("every document of the guide is there, once, from its heading to its last line") {
    std::set<std::string_view> names;
    for (const GuideSource& source : guideSources()) {
        INFO(source.name);
        CHECK(names.insert(source.name).second);
        CHECK(source.text.starts_with("# "));
        CHECK(source.text.ends_with("\n"));
        const bool isLanguage = source.name.starts_with("language/"), isHowTo = source.name.starts_with("howto/");
        CHECK((source.part == GuidePart::Language) == isLanguage);
        CHECK((source.part == GuidePart::HowTo) == isHowTo);
    }
    CHECK(names.size() > 30);
}
