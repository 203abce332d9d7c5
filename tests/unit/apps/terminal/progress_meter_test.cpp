#include "apps/terminal/progress_meter.h"

#include <catch2/catch.hpp>

#include "presentation/view/text_width.h"

using namespace pelorus;

namespace {

std::string lineOf(ProgressUnit unit, int64_t done, int64_t total, double seconds, int width = 200) {
    Progress::Snapshot progress;
    progress.work = "import";
    progress.unit = unit;
    progress.done = done;
    progress.total = total;
    return progressLine(progress, seconds, width);
}

}  // namespace

TEST_CASE("the line tells the share, the rate and the remaining time") {
    CHECK(lineOf(ProgressUnit::Bytes, 1'200'000'000, 2'900'000'000, 4) ==
          "import  41 % ████████░░░░░░░░░░░░ 1.2 GB of 2.9 GB, 300 MB/s, 6 s left");
    CHECK(lineOf(ProgressUnit::Rows, 500, 1000, 0) == "import  50 % ██████████░░░░░░░░░░ 500 of 1,000 rows");
    CHECK(lineOf(ProgressUnit::Tasks, 0, 8, 1) == "import   0 % ░░░░░░░░░░░░░░░░░░░░ 0 of 8 tasks");
    CHECK(lineOf(ProgressUnit::Rows, 25'000'000, 0, 10) == "import 25.0 million rows, 2,500,000 rows/s");
    CHECK(lineOf(ProgressUnit::Bytes, 999, 0, 0) == "import 999 bytes");
}

TEST_CASE("the remaining time is in seconds, minutes or hours, and sixty of one are one of the next") {
    const auto left = [](int64_t seconds, int64_t more = 0) {
        const std::string line = lineOf(ProgressUnit::Tasks, 10, 10 * (1 + seconds) + more, 1);
        return line.substr(line.rfind(", ") + 2);
    };
    CHECK(left(59) == "59 s left");
    CHECK(left(59, 4) == "1 min 0 s left");
    CHECK(left(119, 7) == "2 min 0 s left");
    CHECK(left(90) == "1 min 30 s left");
    CHECK(left(3599, 7) == "1 h 0 min left");
    CHECK(left(7500) == "2 h 5 min left");
}

TEST_CASE("more work than was foreseen is all of it, and nothing is left") {
    const std::string line = lineOf(ProgressUnit::Rows, 1500, 1000, 1);
    CHECK(line.find("100 % ████████████████████ ") != std::string::npos);
    CHECK(line.ends_with(", 0 s left"));
}

TEST_CASE("a line is narrower than the terminal, and no character is cut") {
    for (int width = -1; width < 60; ++width) {
        const std::string line = lineOf(ProgressUnit::Rows, 500, 1000, 1, width);
        CHECK(static_cast<int>(textWidth(line)) <= std::max(width - 1, 1));
        CHECK(prefixOfWidth(line, textWidth(line)) == line.size());
    }
}
