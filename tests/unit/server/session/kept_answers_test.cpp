#include "server/session/kept_answers.h"

#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"

using namespace pelorus;
using RequestKey = KeptAnswers::RequestKey;

namespace {

void answer(KeptAnswers& answers, const RequestKey& key, const std::string& bytes) {
    REQUIRE_FALSE(answers.begin(key, false));
    KeptAnswers::Running running(answers, key);
    running.keep({"", bytes});
}

}  // namespace

TEST_CASE("a repeat gets the answer that was kept") {
    KeptAnswers answers;
    answer(answers, {"ann", "c1", 7}, "seven");
    const auto kept = answers.begin({"ann", "c1", 7}, true);
    REQUIRE(kept);
    CHECK(kept->bytes == "seven");
    CHECK(kept->failure.empty());
}

TEST_CASE("an error is an answer, too") {
    KeptAnswers answers;
    REQUIRE_FALSE(answers.begin({"ann", "c1", 1}, false));
    {
        KeptAnswers::Running running(answers, {"ann", "c1", 1});
        running.keep({"no such table", ""});
    }
    CHECK(answers.begin({"ann", "c1", 1}, true)->failure == "no such table");
}

TEST_CASE("answers belong to their user, client and number") {
    KeptAnswers answers;
    answer(answers, {"ann", "c1", 7}, "seven");
    for (const RequestKey& other :
         {RequestKey{"bob", "c1", 7}, RequestKey{"ann", "c2", 7}, RequestKey{"ann", "c1", 8}}) {
        CHECK_FALSE(answers.begin(other, true));
        const KeptAnswers::Running running(answers, other);
    }
}

TEST_CASE("a repeat whose original kept nothing runs again") {
    KeptAnswers answers;
    REQUIRE_FALSE(answers.begin({"ann", "c1", 7}, false));
    { const KeptAnswers::Running running(answers, {"ann", "c1", 7}); }
    CHECK_FALSE(answers.begin({"ann", "c1", 7}, true));
}

TEST_CASE("a repeat waits for the original that still runs") {
    KeptAnswers answers;
    const RequestKey key{"ann", "c1", 7};
    REQUIRE_FALSE(answers.begin(key, false));
    auto running = std::make_unique<KeptAnswers::Running>(answers, key);
    std::string got;
    std::thread repeat([&] { got = answers.begin(key, true)->bytes; });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    running->keep({"", "seven"});
    running.reset();
    repeat.join();
    CHECK(got == "seven");
}

TEST_CASE("the same number twice at a time is refused unless it is a repeat") {
    KeptAnswers answers;
    const RequestKey key{"ann", "c1", 7};
    REQUIRE_FALSE(answers.begin(key, false));
    const KeptAnswers::Running running(answers, key);
    CHECK_THROWS_AS(answers.begin(key, false), UserError);
}

TEST_CASE("of each client the newest 64 short answers are kept") {
    KeptAnswers answers;
    for (int64_t n = 1; n <= 100; ++n) answer(answers, {"ann", "c1", n}, "x");
    answer(answers, {"ann", "c2", 1}, "y");
    CHECK(answers.count() == KeptAnswers::kMaxPerClient + 1);
    CHECK(answers.begin({"ann", "c1", 100}, true));
    CHECK_FALSE(answers.begin({"ann", "c1", 36}, true));
    answer(answers, {"ann", "c3", 1}, std::string(KeptAnswers::kMaxBytes + 1, 'x'));
    CHECK_FALSE(answers.begin({"ann", "c3", 1}, true));
}

TEST_CASE("answers of many clients stay within their bytes") {
    KeptAnswers answers;
    for (int64_t n = 0; n < 3000; ++n) answer(answers, {"ann", std::to_string(n), 1}, std::string(50'000, 'x'));
    CHECK(answers.count() < KeptAnswers::kMaxBytesOfAll / 50'000);
    CHECK(answers.begin({"ann", "2999", 1}, true));
    CHECK_FALSE(answers.begin({"ann", "0", 1}, true));
}

TEST_CASE("answers go after five minutes") {
    KeptAnswers answers;
    const auto now = KeptAnswers::Clock::now();
    answers.keep({"ann", "c1", 1}, {"", "old"}, now);
    answers.keep({"ann", "c1", 2}, {"", "new"}, now + std::chrono::minutes(4));
    CHECK_FALSE(answers.begin({"ann", "c1", 1}, true, now + std::chrono::minutes(6)));
    CHECK(answers.begin({"ann", "c1", 2}, true, now + std::chrono::minutes(6)));
}
