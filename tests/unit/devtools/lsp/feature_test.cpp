#include "devtools/lsp/feature.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

// The code of the refusal, and its message.
template <class Call>
std::pair<int, std::string> refusal(const Call& call) {
    try {
        call();
    } catch (const RequestError& error) {
        return {error.code, error.what()};
    }
    return {0, "it was taken"};
}

using Refused = std::pair<int, std::string>;

}  // namespace

TEST_CASE("a member that is missing or of another kind is refused by its name") {
    const Json message = {{"line", 3}, {"text", "x"}, {"nothing", nullptr}, {"huge", 1e300}, {"flag", true}};
    CHECK(integerMember(message, "line") == 3);
    CHECK(stringMember(message, "text") == "x");
    CHECK(refusal([&] { member(message, "uri"); }) == Refused(kInvalidParams, "The parameters lack uri."));
    CHECK(refusal([&] { member(message, "nothing"); }) == Refused(kInvalidParams, "The parameters lack nothing."));
    CHECK(refusal([&] { stringMember(message, "line"); }) == Refused(kInvalidParams, "line must be a string."));
    CHECK(refusal([&] { integerMember(message, "text"); }) == Refused(kInvalidParams, "text must be an integer."));
    CHECK(refusal([&] { integerMember(message, "flag"); }) == Refused(kInvalidParams, "flag must be an integer."));
    CHECK(refusal([&] { integerMember(message, "huge"); }) == Refused(kInvalidParams, "huge is out of range."));
    CHECK(refusal([&] { member(Json::array({1}), "line"); }).first == kInvalidParams);
    CHECK(findMember(message, "nothing") == nullptr);
    CHECK(findMember(Json("text"), "text") == nullptr);
    CHECK(findMember(message, "line")->get<int>() == 3);
}

TEST_CASE("positions are those of the editor's units") {
    Workspace workspace;
    Workspace::Document& document = workspace.open("file:///a.dos", "a = 1\n\u20ac = 2\n", 1);
    const DocumentView view{workspace, document, workspace.analysisOf(document), {}};
    // The sign has three bytes, and one unit of UTF-16.
    CHECK(view.offsetOf({{"line", 1}, {"character", 1}}) == 9);
    CHECK(view.positionOf(9) == Json({{"line", 1}, {"character", 1}}));
    workspace.setEncoding(PositionEncoding::Utf8);
    CHECK(view.positionOf(9) == Json({{"line", 1}, {"character", 3}}));
    CHECK(view.rangeOf({0, 6}) ==
          Json({{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 1}, {"character", 0}}}}));
    CHECK(refusal([&] { view.offsetOf({{"line", 1}}); }).second == "The parameters lack character.");
}

TEST_CASE("while a statement is typed the cursor is found in the old analysis and in the new source") {
    Workspace workspace;
    Workspace::Document& document = workspace.open("file:///a.dos", "first = 1\nsecond = a\nthird = 3\n", 1);
    const auto analysis = workspace.analysisOf(document);
    // Types "bc" behind the a.
    document.touch(document.text.replace({1, 10}, {1, 10}, "bc", workspace.encoding()));
    const DocumentView view{workspace, document, document.previous, document.sincePrevious};
    REQUIRE(document.previous == analysis);
    const DocumentView::Cursor cursor = view.cursorOf({{"line", 1}, {"character", 12}});
    CHECK(cursor.now == 22);
    const std::string& text = document.text.text();
    CHECK(text.substr(cursor.statement.begin, cursor.now - cursor.statement.begin) == "second = abc");
    CHECK(cursor.statement.end <= text.find("third"));
    // Behind the change everything is two bytes further.
    const DocumentView::Cursor later = view.cursorOf({{"line", 2}, {"character", 5}});
    CHECK(later.place + 2 == later.now);
    CHECK(text.substr(later.statement.begin, 5) == "third");
}
