#include "devtools/editing/completion.h"
#include "apps/editor/candidate_list.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "devtools/editing/highlight.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/apps/console_session.h"

using namespace pelorus;

namespace {

bool never() {
    return false;
}

// Returns the completion at the | in the source.
Completion completeMarked(std::string text) {
    const size_t cursor = text.find('|');
    text.erase(cursor, 1);
    return completeAt(text, cursor, consoleSession().names(), never);
}

std::vector<std::string> offered(const std::string& marked) {
    std::vector<std::string> texts;
    for (const Candidate& candidate : completeMarked(marked).candidates) texts.push_back(candidate.text);
    return texts;
}

bool offers(const std::string& marked, const std::string& text) {
    const std::vector<std::string> texts = offered(marked);
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::string firstOf(const std::string& marked) {
    const std::vector<std::string> texts = offered(marked);
    return texts.empty() ? "" : texts[0];
}

using Strings = std::vector<std::string>;

void makeNames() {
    static bool isMade = false;
    if (isMade) return;
    isMade = true;
    runInSession(R"(
        quotes = table(`A`B as ticker, 1 2 as price, 3 4 as priority)
        settings = dict(`depth`delay, 1 2)
        def priceOf(quote, scale=1) { return quote }
        class Counter { total :: INT
                        def Counter() { total = 0 }
                        def increase(n) { total += n } }
        counter = Counter()
        db = database("dfs://ticks", VALUE, 1..3)
        db.createPartitionedTable(table(1..2 as day, 1.0 2.0 as bidPrice), "book", "day")
    )");
}

}  // namespace

TEST_CASE("the start of a name is completed by variables, functions and words") {
    makeNames();
    REQUIRE(firstOf("quotes|") == "quotes");
    REQUIRE(offers("quo|", "quotes"));
    REQUIRE(offers("price|", "priceOf"));
    REQUIRE(offers("x = mav|", "mavg"));
    REQUIRE(offers("sel|", "select"));
    REQUIRE(offers("x = tru|", "true"));
    REQUIRE(offered("loadtext|") == Strings{"loadText", "loadTextEx"});  // in other letter case where nothing else fits
}

TEST_CASE("functions are listed with their signatures") {
    makeNames();
    const Completion completion = completeMarked("priceO|");
    REQUIRE(completion.candidates.size() == 1);
    REQUIRE(completion.candidates[0].shown == "priceOf(quote, [scale])");
    REQUIRE(completeMarked("mavg|").candidates[0].shown == "mavg(X, window, [minPeriods])");
}

TEST_CASE("a point is followed by columns, keys, attributes and methods") {
    makeNames();
    REQUIRE(offered("quotes.pri|") == Strings{"price", "priority"});
    REQUIRE(offers("quotes.|", "ticker"));
    REQUIRE(offers("quotes.app|", "append!"));
    REQUIRE(offered("settings.de|") == Strings{"delay", "depth"});
    REQUIRE(offered("counter.|") == Strings{"Counter", "increase", "total"});
    REQUIRE(offers("db.create|", "createPartitionedTable"));
    REQUIRE_FALSE(offers("db.create|", "createPartitionedTableOfNoDatabase"));
    REQUIRE(offered("loadTable(\"dfs://ticks\", \"book\").bid|") == Strings{"bidPrice"});
}

TEST_CASE("a query completes the columns of its tables, also of those behind the cursor") {
    makeNames();
    REQUIRE(firstOf("select pric| from quotes") == "price");
    REQUIRE(offered("select | from quotes") == Strings{"price", "priority", "ticker"});
    REQUIRE(firstOf("select sum(pric|) from quotes where price > 1") == "price");
    REQUIRE(firstOf("select price from quotes where tick|") == "ticker");
    REQUIRE(firstOf("update quotes set pric|") == "price");
    REQUIRE(firstOf("select bid| from loadTable(\"dfs://ticks\", `book)") == "bidPrice");
    REQUIRE(offered("select * from |") == Strings{"quotes", "loadTable"});
    REQUIRE(firstOf("select * from quo|") == "quotes");
    REQUIRE(offered("quotes[`pri|") == Strings{"price", "priority"});
}

TEST_CASE("strings complete databases, tables and files") {
    makeNames();
    REQUIRE(offered("database(\"dfs://t|") == Strings{"dfs://ticks"});
    REQUIRE(offered("loadTable(\"dfs://ticks\", \"|") == Strings{"book"});
    REQUIRE(offered("loadTable(db, \"b|") == Strings{"book"});
    TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() + "/prices");
    std::ofstream(folder.path() + "/price.csv") << "1";
    std::ofstream(folder.path() + "/.hidden") << "1";
    REQUIRE(offered("loadText(\"" + folder.path() + "/pri|") == Strings{"price.csv", "prices/"});
    REQUIRE(offered("loadText(\"" + folder.path() + "/|\")") == Strings{"price.csv", "prices/"});
    REQUIRE(offered("loadText(\"/no/such/folder/|").empty());
}

TEST_CASE("a call completes argument names and tells its signature") {
    makeNames();
    REQUIRE(offered("mavg(x, win|")[0] == "window=");
    REQUIRE(offers("mavg(x, |", "window=") == false);
    const Completion completion = completeMarked("mavg(x, |");
    REQUIRE(completion.candidates.empty());
    REQUIRE(completion.hint.starts_with("mavg(X, window, [minPeriods])\n        ^^^^^^"));
    REQUIRE(completeMarked("priceOf(|").hint == "priceOf(quote, [scale])\n        ^^^^^");
    REQUIRE(completeMarked("quotes.append!(|").hint.starts_with("append!(obj, newData)\n             ^^^^^^^"));
}

TEST_CASE("comments and numbers complete nothing") {
    makeNames();
    REQUIRE(offered("1 // quo|").empty());
    REQUIRE(offered("/* quo|").empty());
    REQUIRE(offered("12|").empty());
    REQUIRE(offered("|").empty());
}

TEST_CASE("candidates have a common beginning of whole characters") {
    Completion completion;
    completion.candidates = {{"pr\u00e4", ""}, {"pr\u00e5", ""}};
    REQUIRE(completion.commonPrefix() == "pr");
    completion.candidates = {{"price", ""}, {"priority", ""}};
    REQUIRE(completion.commonPrefix() == "pri");
}

TEST_CASE("a list fits the screen and counts the rest") {
    Completion completion;
    for (int i = 0; i < 100; ++i)
        completion.candidates.push_back({"name" + std::to_string(i), "name" + std::to_string(i)});
    const std::string list = listCandidates(completion, 10, 40);
    REQUIRE(std::count(list.begin(), list.end(), '\n') == 8);
    REQUIRE(list.find("… and 65 more\n") != std::string::npos);
    completion.candidates = {{"f", "f(x, y)"}, {"g", "g(aVeryLongParameter, anotherOne)"}};
    REQUIRE(listCandidates(completion, 10, 20) == "f(x, y)\ng(aVeryLongParamet…\n");
}

// Nothing that somebody can have typed so far makes completion or colours fail, or wait.
TEST_CASE("every beginning of the test scripts can be completed and coloured") {
    makeNames();
    std::mt19937 random(7);
    int met = 0;
    auto slowest = std::chrono::nanoseconds::zero();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(PELORUS_SCRIPTS)) {
        if (!entry.is_regular_file()) continue;
        std::stringstream content;
        content << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        const std::string text = content.str();
        constexpr int kOfEachScript = 12;
        for (int i = 0; i < kOfEachScript && !text.empty(); ++i) {
            // A window as long as an input may be, cut anywhere, with the cursor anywhere.
            constexpr size_t kLongest = 1500;
            const size_t begin = random() % text.size();
            const std::string input = text.substr(begin, random() % kLongest);
            const size_t cursor = random() % (input.size() + 1);
            const auto start = std::chrono::steady_clock::now();
            const Completion completion = completeAt(input, cursor, consoleSession().names(), never);
            slowest = std::max<std::chrono::nanoseconds>(slowest, std::chrono::steady_clock::now() - start);
            REQUIRE(completion.begin <= input.size());
            const Highlighting highlighting = highlight(input, cursor, consoleSession().names());
            REQUIRE(highlighting.styles.size() == input.size());
            const auto lines = static_cast<size_t>(std::count(input.begin(), input.end(), '\n'));
            REQUIRE(highlighting.open.size() == lines + 1);
            ++met;
        }
    }
    REQUIRE(met > 1000);
    INFO("slowest: " << slowest.count() / 1000 << " microseconds");
    CHECK(slowest < std::chrono::milliseconds(200));
}
