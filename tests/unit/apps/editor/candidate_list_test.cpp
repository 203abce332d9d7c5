#include "apps/editor/candidate_list.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

Completion completionOf(const std::vector<std::string>& names) {
    Completion completion;
    for (const std::string& name : names) completion.candidates.push_back({name, name, CandidateKind::Name});
    return completion;
}

}  // namespace

TEST_CASE("names stand in columns, read downwards") {
    CHECK(listCandidates(completionOf({"a", "bb", "c", "dd", "e"}), 24, 9) == "a   dd\nbb  e\nc\n");
    CHECK(listCandidates(completionOf({"a", "bb", "c"}), 24, 80) == "a   bb  c\n");
    // Wider than the screen: one a line.
    CHECK(listCandidates(completionOf({"longername", "b"}), 24, 5) == "longername\nb\n");
    CHECK(listCandidates(completionOf({}), 24, 80).empty());
}

TEST_CASE("names that do not fit the screen are counted") {
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i) names.push_back("n" + std::to_string(100 + i));
    const std::string list = listCandidates(completionOf(names), 8, 12);
    CHECK(list.starts_with("n100  n105\n"));
    CHECK(list.ends_with("\n… and 90 more\n"));
    // On the smallest screen, too, there is one.
    CHECK(listCandidates(completionOf(names), 1, 1) == "n100\n… and 99 more\n");
}

TEST_CASE("signatures stand one a line and are cut with a mark, and many of them give way to names") {
    Completion completion;
    completion.candidates = {{"mavg", "mavg(X, window)", CandidateKind::Function},
                             {"max", "max(X, [Y])", CandidateKind::Function}};
    CHECK(listCandidates(completion, 24, 80) == "mavg(X, window)\nmax(X, [Y])\n");
    CHECK(listCandidates(completion, 24, 12) == "mavg(X, wi…\nmax(X, [Y])\n");
    CHECK(listCandidates(completion, 4, 80) == "mavg  max\n");
}

TEST_CASE("controls in a name do not reach the terminal") {
    const std::string list = listCandidates(completionOf({"a\x1b[31mb"}), 24, 80);
    CHECK(list.find('\x1b') == std::string::npos);
}
