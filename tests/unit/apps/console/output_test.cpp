#include "apps/console/output.h"

#include <unistd.h>
#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/value/vector.h"
#include "tests/support/environment.h"

using namespace pelorus;
using pelorus::testing::CapturedStream;

namespace {

Value longVector(int64_t count) {
    std::vector<int64_t> elements;
    for (int64_t i = 0; i < count; ++i) elements.push_back(i);
    return Value::of(Vector::of<int64_t>(Type::Long, elements));
}

template <class Call>
std::pair<std::string, std::string> refusal(const Call& call) {
    try {
        call();
    } catch (const UserError& error) {
        return {error.what(), std::string(error.hint())};
    }
    return {};
}

using Refused = std::pair<std::string, std::string>;

}  // namespace

TEST_CASE("a setting is told, set, and keeps its value when words are none of it") {
    Output output(false);
    CHECK(output.setMode("") == "mode table");
    CHECK(output.setMode("csv") == "mode csv");
    CHECK(refusal([&] { output.setMode("xml"); }) ==
          Refused("There is no mode xml.", "Modes are table, vertical, csv, json, markdown."));
    CHECK(output.setMode("") == "mode csv");
    CHECK(output.setRows("100") == "rows 100");
    CHECK(output.setRows("all") == "rows all");
    for (const char* words : {"0", "-1", "1.5", "many", "10 20"}) {
        CHECK(refusal([&] { output.setRows(words); }) ==
              Refused(std::string(words) + " is no number of rows.", "\\rows auto, \\rows all, or as \\rows 100."));
    }
    CHECK(output.setRows("") == "rows all");
    CHECK(output.setWidth("120") == "width 120");
    CHECK(refusal([&] { output.setWidth("100001"); }).first == "100001 is no width.");
    CHECK(output.setWidth("auto").starts_with("width auto ("));
    CHECK(output.setPager("") == "pager off");
    CHECK(output.setPager("on") == "pager on");
    CHECK(refusal([&] { output.setPager("perhaps"); }).first == "The pager is on or off, not perhaps.");
    CHECK(output.setTiming("auto") == "timing auto: statements of 50 ms and more");
    CHECK(refusal([&] { output.setTiming("fast"); }).first == "Timing is on, off or auto, not fast.");
    CHECK(output.setTiming("off") == "timing off");
}

TEST_CASE("where no person reads a value is written whole, unless a mode was asked for") {
    if (::isatty(STDOUT_FILENO)) return;
    Output output(false);
    CapturedStream written;
    const std::string longText(5000, 'x');
    output.show(Value::ofString(longText));
    CHECK(written.take() == longText + "\n");
    output.show(Value());
    CHECK(written.take().empty());
    output.setMode("csv");
    output.show(longVector(3));
    CHECK(written.take().find("0\n1\n2\n") != std::string::npos);
    // Interrupted, it ends soon, until the next statement.
    output.interrupt();
    output.show(longVector(100'000));
    CHECK(written.take().size() < 100'000);
    output.clearInterrupt();
    output.show(longVector(3));
    CHECK(written.take().find("2\n") != std::string::npos);
}

TEST_CASE("times are told in the unit that fits, and short ones only when asked for") {
    using namespace std::chrono_literals;
    Output output(false);
    CapturedStream written;
    const auto told = [&](std::chrono::nanoseconds taken) {
        output.showTime(taken);
        return written.take();
    };
    CHECK(told(5s).empty());
    output.setTiming("auto");
    CHECK(told(49ms).empty());
    CHECK(told(50ms).find("50 ms") != std::string::npos);
    output.setTiming("on");
    CHECK(told(12us).find("12 µs") != std::string::npos);
    CHECK(told(1234ms).find("1.23 s") != std::string::npos);
    CHECK(told(119'900ms).find("1 min 59 s") != std::string::npos);
}

TEST_CASE("errors and notes go to standard error, prints and texts to standard output") {
    Output output(false);
    CapturedStream written, errors(std::cerr);
    output.print("a line");
    output.showText("help");
    CHECK(written.take() == "a line\nhelp\n");
    output.showError(UserError("It failed.", "Try again."), "load.dos", "");
    const std::string text = errors.take();
    CHECK(text.find("It failed.") != std::string::npos);
    CHECK(text.find("Try again.") != std::string::npos);
    output.showNotice("take care");
    CHECK(errors.take().find("Note: take care") != std::string::npos);
    CHECK(written.take().empty());
}
