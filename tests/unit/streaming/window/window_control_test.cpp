#include "streaming/window/window_control.h"

#include <array>
#include <catch2/catch.hpp>

#include "common/type_table.h"

namespace pelorus {

namespace {

struct Shown {
    int64_t right;
    int32_t key;
    std::vector<int32_t> rows;
    bool operator==(const Shown&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Shown& shown) {
    out << '(' << shown.right << ' ' << shown.key << ':';
    for (const int32_t row : shown.rows) out << ' ' << row;
    return out << ')';
}

// Feeds rows (time, key), numbered from 0, and returns the shows.
std::vector<Shown> showsOf(const WindowRules& rules, int64_t firstEnd,
                           const std::vector<std::pair<int64_t, int32_t>>& rows) {
    WindowControl control(rules);
    control.begin(firstEnd);
    for (size_t i = 0; i < rows.size(); ++i) control.take(&rows[i].first, &rows[i].second, 1, static_cast<int32_t>(i));
    std::vector<Shown> shown;
    for (const WindowShow& show : control.shows()) {
        shown.push_back({show.right,
                         show.key,
                         {control.shownRows().begin() + static_cast<ptrdiff_t>(show.begin),
                          control.shownRows().begin() + static_cast<ptrdiff_t>(show.end)}});
    }
    return shown;
}

const std::vector<std::pair<int64_t, int32_t>> kRows = {{7, 0}, {9, 1}, {12, 0}, {16, 0}, {21, 1}, {31, 0}};

}  // namespace

TEST_CASE("a row closes the windows of its key that ended, in order") {
    const std::vector<Shown> expected = {{10, 0, {0}}, {15, 0, {0, 2}}, {10, 1, {1}},
                                         {15, 1, {1}}, {20, 0, {2, 3}}, {25, 0, {3}}};
    REQUIRE(showsOf({.sizes = {10}, .step = 5}, 10, kRows) == expected);
}

TEST_CASE("with fills windows without rows are shown, too") {
    const std::vector<Shown> expected = {{10, 0, {0}}, {15, 0, {0, 2}}, {10, 1, {1}}, {15, 1, {1}},
                                         {20, 1, {}},  {20, 0, {2, 3}}, {25, 0, {3}}, {30, 0, {}}};
    REQUIRE(showsOf({.sizes = {10}, .step = 5, .fills = true}, 10, kRows) == expected);
}

TEST_CASE("windows that are closed on the right hold the row at their end") {
    const std::vector<Shown> expected = {{5, 0, {0, 1}}, {10, 0, {2}}};
    REQUIRE(showsOf({.sizes = {5}, .step = 5, .closedRight = true}, 5, {{1, 0}, {5, 0}, {6, 0}, {11, 0}}) == expected);
}

TEST_CASE("rows of other keys close windows after forceTriggerTime, and later rows for these are dropped") {
    const WindowRules rules{.sizes = {5}, .step = 5, .forceTrigger = 3};
    const std::vector<Shown> expected = {{5, 0, {0}}, {5, 1, {1}}};
    REQUIRE(showsOf(rules, 5, {{1, 0}, {2, 1}, {6, 0}, {9, 0}, {4, 1}}) == expected);
}

TEST_CASE("with acceptedDelay rows come in any order until their window closes") {
    const std::vector<Shown> expected = {{5, 0, {2, 0, 1}}};
    REQUIRE(showsOf({.sizes = {5}, .step = 5, .acceptedDelay = 3}, 5,
                    {{2, 0}, {4, 0}, {1, 0}, {7, 0}, {8, 0}, {3, 0}}) == expected);
}

TEST_CASE("late rows and rows without a time are dropped and counted") {
    WindowControl control({.sizes = {5}, .step = 5});
    control.begin(5);
    const int64_t times[] = {3, 2, null<int64_t>, 4};
    const int32_t keys[] = {0, 0, 0, 0};
    control.take(times, keys, 4, 0);
    REQUIRE(control.lateRows() == 2);
}

TEST_CASE("updateTime shows an open window, and its end only when there is more") {
    const WindowRules rules{.sizes = {60}, .step = 60, .updateTime = 20};
    const std::vector<Shown> expected = {{60, 0, {0, 1}}, {60, 0, {0, 1, 2}}, {120, 0, {3}}};
    REQUIRE(showsOf(rules, 60, {{1, 0}, {5, 0}, {25, 0}, {65, 0}, {125, 0}}) == expected);
}

TEST_CASE("a part of each window counts, and closes it at its end") {
    const WindowRules rules{.sizes = {10}, .step = 10, .partBegin = 2, .partEnd = 5};
    const std::vector<Shown> expected = {{10, 0, {1, 2}}};
    REQUIRE(showsOf(rules, 10, {{1, 0}, {2, 0}, {4, 0}, {5, 0}}) == expected);
}

TEST_CASE("windows of several sizes end together") {
    WindowControl control({.sizes = {6, 12}, .step = 3});
    control.begin(3);
    for (int32_t i = 0; i < 11; ++i) {
        const int64_t time = 2 + i;
        const int32_t key = 0;
        control.take(&time, &key, 1, i);
    }
    std::vector<std::array<size_t, 3>> counts;
    for (const WindowShow& show : control.shows())
        counts.push_back({static_cast<size_t>(show.right), show.end - control.beginOf(show, 6),
                          show.end - control.beginOf(show, 12)});
    const std::vector<std::array<size_t, 3>> expected = {{3, 1, 1}, {6, 4, 4}, {9, 6, 7}, {12, 6, 10}};
    REQUIRE(counts == expected);
}

TEST_CASE("the first window begins at a round time") {
    REQUIRE(firstWindowEnd(34207, 60, 1, true) == 34260);
    REQUIRE(firstWindowEnd(34207, 7, 1, true) == 34207);  // 34200 + 7
    REQUIRE(firstWindowEnd(34207, 120, 1, true) == 34200 + 120);
    REQUIRE(firstWindowEnd(34270, 120, 1, false) == 34260 + 120);
    REQUIRE(firstWindowEnd(34207123, 3, 1000, true) == 34207120 + 3);
    REQUIRE(firstWindowEnd(19724, 5, 0, true) == 19729);
    REQUIRE(firstWindowEnd(-7, 5, 1, true) == -5);
}

TEST_CASE("rows of open windows keep their windows when they are renumbered") {
    WindowControl control({.sizes = {10}, .step = 10});
    control.begin(10);
    const int64_t times[] = {1, 2, 11, 12, 21};
    const int32_t keys[] = {0, 1, 0, 0, 1};
    control.take(times, keys, 4, 100);
    control.clearShows();
    REQUIRE(control.renumberRows() == std::vector<int32_t>{102, 103, 101});
    control.take(times + 4, keys + 4, 1, 3);
    REQUIRE(control.shows().size() == 1);
    REQUIRE(control.shownRows() == std::vector<int32_t>{2});
}

TEST_CASE("with slots each open window has one, which the next window has once it is released") {
    WindowControl control({.sizes = {10}, .step = 10});
    control.useSlots();
    control.begin(10);
    const auto take = [&](const std::vector<int64_t>& times, const std::vector<int32_t>& keys) {
        control.take(times.data(), keys.data(), std::ssize(times), 0);
        return control.rowSlots();
    };
    REQUIRE(take({1, 2, 5, 4, null<int64_t>}, {0, 1, 0, 0, 1}) == std::vector<int32_t>{0, 1, 0, -1, -1});
    REQUIRE(control.lateRows() == 2);
    REQUIRE(take({11, 12, 25}, {0, 0, 1}) == std::vector<int32_t>{2, 2, 3});
    REQUIRE(control.shows().size() == 2);
    REQUIRE(control.shows()[0].slot == 0);
    REQUIRE(control.shows()[1].slot == 1);
    control.clearShows();
    REQUIRE(control.releaseSlots() == std::vector<int32_t>{0, 1});
    REQUIRE(take({35, 26}, {0, 1}) == std::vector<int32_t>{1, 3});
    REQUIRE(control.slotCount() == 4);
    REQUIRE_FALSE(mayUseSlots({.sizes = {10}, .step = 5}));
    REQUIRE_FALSE(mayUseSlots({.sizes = {10}, .step = 10, .acceptedDelay = 1}));
}

}  // namespace pelorus
