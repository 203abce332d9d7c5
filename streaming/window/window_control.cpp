#include "streaming/window/window_control.h"

#include <algorithm>
#include <span>
#include <utility>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/type_table.h"

namespace pelorus {

namespace {

int64_t floorDivide(int64_t a, int64_t b) {
    const int64_t quotient = a / b;
    return quotient * b > a ? quotient - 1 : quotient;
}

}  // namespace

int64_t WindowRules::longest() const {
    return *std::max_element(sizes.begin(), sizes.end());
}

WindowControl::WindowControl(WindowRules rules) : rules_(std::move(rules)), longest_(rules_.longest()) {
    CHECK(rules_.step > 0 && longest_ > 0) << "windows move forward";
}

bool mayUseSlots(const WindowRules& rules) {
    const bool areOneByOne = rules.sizes.size() == 1 && rules.sizes[0] == rules.step && !rules.hasPart();
    return areOneByOne && rules.updateTime <= 0 && rules.acceptedDelay == 0;
}

void WindowControl::useSlots() {
    CHECK(!hasBegun_ && mayUseSlots(rules_)) << "rows go into slots from the first one on, each into one";
    usesSlots_ = true;
}

void WindowControl::begin(int64_t right) {
    CHECK(!hasBegun_) << "the grid of windows is set once";
    right_ = right;
    hasBegun_ = true;
}

// The time from which on a window is closed.
int64_t WindowControl::closingOf(int64_t window) const {
    return rules_.hasPart() ? rightOf(window) - longest_ + rules_.partEnd : rightOf(window);
}

int64_t WindowControl::firstWindowOf(int64_t time) const {
    return floorDivide(time - right_, rules_.step) + 1;
}

int64_t WindowControl::lastWindowOf(int64_t time) const {
    return floorDivide(time + longest_ - right_, rules_.step);
}

void WindowControl::show(int32_t key, Group& group, int64_t window) {
    const int64_t right = rightOf(window), left = right - longest_;
    WindowShow shown{key, right, shownRows_.size(), 0};
    if (usesSlots_ && hasRows(group) && group.slotTime >= left && group.slotTime < right) shown.slot = group.slot;
    for (const Row& row : group.rows) {
        if (row.time < left) continue;
        if (row.time >= right) break;
        shownRows_.push_back(row.number);
        shownTimes_.push_back(row.time);
    }
    shown.end = shownRows_.size();
    if (shown.isGap() && !rules_.fills) return;
    shows_.push_back(shown);
}

// Closes the windows of a key that end by `time`.
void WindowControl::close(int32_t key, int64_t time) {
    Group& group = groups_[static_cast<size_t>(key)];
    if (!group.hasBegun) return;
    while (closingOf(group.next) <= time) {
        const int64_t right = rightOf(group.next);
        const bool isFilled = hasRows(group) && firstTime(group) < right;
        if (!isFilled && !rules_.fills) {
            if (!hasRows(group)) break;
            // Later windows without rows may get some yet, when rows come late.
            group.next = std::max(group.next + 1, std::min(firstWindowOf(firstTime(group)), firstWindowOf(time)));
            continue;
        }
        checkCancelled();  // a gap may have many windows
        const bool isShown = group.shownWindow == group.next && group.unshown == 0;
        if (!isShown) show(key, group, group.next);
        ++group.next;
        group.unshown = 0;
        dropRowsBefore(group, rightOf(group.next) - longest_);
    }
}

void WindowControl::dropRowsBefore(Group& group, int64_t left) {
    if (usesSlots_) {
        if (group.slot < 0 || group.slotTime >= left) return;
        closedSlots_.push_back(group.slot);
        group.slot = -1;
        return;
    }
    const auto kept =
        std::find_if(group.rows.begin(), group.rows.end(), [&](const Row& row) { return row.time >= left; });
    group.rows.erase(group.rows.begin(), kept);
}

void WindowControl::takeSlot(Group& group, int64_t time, int64_t window) {
    if (group.slot >= 0) return;
    group.slotTime = time;
    group.slotEnd = rightOf(window);
    if (freeSlots_.empty()) {
        group.slot = static_cast<int32_t>(slotCount_++);
    } else {
        group.slot = freeSlots_.back();
        freeSlots_.pop_back();
    }
}

void WindowControl::list(Group& group, int64_t time, int32_t number) {
    auto at = group.rows.end();
    while (at != group.rows.begin() && std::prev(at)->time > time) --at;
    group.rows.insert(at, {time, number});
}

std::vector<int32_t> WindowControl::releaseSlots() {
    freeSlots_.insert(freeSlots_.end(), closedSlots_.begin(), closedSlots_.end());
    return std::exchange(closedSlots_, {});
}

// A row closes windows of all keys that ended `forceTrigger` before it.
void WindowControl::forceOthers(int64_t time) {
    if (time < nextForce_) return;
    const int64_t until = time - rules_.forceTrigger;
    const int64_t last = floorDivide(until - right_, rules_.step);
    if (last <= forced_) return;
    forced_ = last;
    nextForce_ = rightOf(last + 1) + rules_.forceTrigger;
    for (size_t k = 0; k < groups_.size(); ++k) {
        close(static_cast<int32_t>(k), until);
        if (groups_[k].hasBegun) groups_[k].next = std::max(groups_[k].next, last + 1);
    }
}

// Returns the slot of the row; -1 when it is dropped, or listed.
int32_t WindowControl::takeRow(int64_t time, int32_t key, int32_t number) {
    if (rules_.closedRight) --time;  // (l, r] of times are [l, r) of those
    if (static_cast<size_t>(key) >= groups_.size()) groups_.resize(static_cast<size_t>(key) + 1);
    Group* group = &groups_[static_cast<size_t>(key)];
    const bool isEarlier = group->hasBegun && time < group->lastTime;
    if (isEarlier && rules_.acceptedDelay == 0) {
        ++late_;
        return -1;
    }
    // Most rows are in the window of the row before: nothing closes.
    const bool closesNone = group->slot >= 0 && time < group->slotEnd;
    if (closesNone && (rules_.forceTrigger < 0 || time < nextForce_)) {
        group->lastTime = time;
        ++group->unshown;
        if (rules_.updateTime == 0) touched_.push_back(key);
        return group->slot;
    }
    if (rules_.updateTime > 0) {
        const int64_t cell = floorDivide(time - right_ + longest_, rules_.updateTime);
        if (group->unshown > 0 && cell > group->cell && closingOf(group->next) > time) {
            show(key, *group, group->next);
            group->shownWindow = group->next;
            group->unshown = 0;
        }
        group->cell = cell;
    }
    if (!isEarlier) close(key, time - rules_.acceptedDelay);
    if (rules_.forceTrigger >= 0) forceOthers(time);
    group = &groups_[static_cast<size_t>(key)];
    const int64_t first = firstWindowOf(time);
    group->lastTime = group->hasBegun ? std::max(group->lastTime, time) : time;
    // The first window that a later row may still be in, as far as empty windows are not shown.
    const int64_t earliest = rules_.fills || rules_.acceptedDelay == 0
                                 ? first
                                 : std::min(first, firstWindowOf(group->lastTime - rules_.acceptedDelay));
    if (!group->hasBegun) {
        group->hasBegun = true;
        group->next = rules_.forceTrigger >= 0 && forced_ != INT64_MIN ? std::max(first, forced_ + 1) : earliest;
    } else if (!hasRows(*group) && !rules_.fills) {
        group->next = std::max(group->next, earliest);
    }
    const int64_t last = longest_ == rules_.step ? first : lastWindowOf(time);
    if (last < group->next) {
        ++late_;
        return -1;
    }
    if (rules_.hasPart()) {
        const int64_t place = time - (rightOf(first) - longest_);
        if (place < rules_.partBegin || place >= rules_.partEnd) return -1;
    }
    if (usesSlots_) {
        takeSlot(*group, time, first);
    } else {
        list(*group, time, number);
    }
    ++group->unshown;
    if (rules_.updateTime == 0) touched_.push_back(key);
    return group->slot;
}

void WindowControl::take(const int64_t* times, const int32_t* keys, int64_t count, int32_t firstRow) {
    CHECK(hasBegun_) << "the grid is known before rows are taken";
    rowSlots_.assign(static_cast<size_t>(count), -1);
    for (int64_t i = 0; i < count; ++i) {
        if (isNull(times[i])) {
            ++late_;
        } else {
            rowSlots_[static_cast<size_t>(i)] = takeRow(times[i], keys[i], firstRow + static_cast<int32_t>(i));
        }
    }
}

void WindowControl::endAppend() {
    for (const int32_t key : touched_) {
        Group& group = groups_[static_cast<size_t>(key)];
        if (group.unshown == 0) continue;
        show(key, group, group.next);
        group.shownWindow = group.next;
        group.unshown = 0;
    }
    touched_.clear();
}

void WindowControl::closeUntil(int64_t time) {
    for (size_t k = 0; k < groups_.size(); ++k) close(static_cast<int32_t>(k), time);
}

void WindowControl::showUpdates() {
    for (size_t k = 0; k < groups_.size(); ++k) {
        Group& group = groups_[k];
        if (group.unshown == 0) continue;
        show(static_cast<int32_t>(k), group, group.next);
        group.shownWindow = group.next;
        group.unshown = 0;
    }
}

size_t WindowControl::beginOf(const WindowShow& show, int64_t size) const {
    const int64_t left = show.right - size;
    const auto times = std::span(shownTimes_).subspan(show.begin, show.end - show.begin);
    return show.begin + static_cast<size_t>(std::lower_bound(times.begin(), times.end(), left) - times.begin());
}

void WindowControl::clearShows() {
    shows_.clear();
    shownRows_.clear();
    shownTimes_.clear();
}

bool WindowControl::nextEnd(int64_t& right) const {
    bool any = false;
    for (const Group& group : groups_) {
        if (!group.hasBegun || (!hasRows(group) && !rules_.fills)) continue;
        const int64_t end = closingOf(group.next);
        right = any ? std::min(right, end) : end;
        any = true;
    }
    return any;
}

bool WindowControl::hasUnshown() const {
    return std::any_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.unshown > 0; });
}

std::vector<int32_t> WindowControl::renumberRows() {
    std::vector<int32_t> numbers;
    for (Group& group : groups_) {
        for (Row& row : group.rows) {
            numbers.push_back(row.number);
            row.number = static_cast<int32_t>(numbers.size()) - 1;
        }
    }
    return numbers;
}

int64_t WindowControl::memoryBytes() const {
    int64_t bytes = static_cast<int64_t>(groups_.capacity() * sizeof(Group));
    for (const Group& group : groups_) bytes += static_cast<int64_t>(group.rows.capacity() * sizeof(Row));
    return bytes;
}

int64_t firstWindowEnd(int64_t first, int64_t step, int64_t unitsPerSecond, bool roundTime) {
    static constexpr int64_t kSeconds[] = {2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600};
    static constexpr size_t kShortSeconds = 8;
    static constexpr int64_t kMillis[] = {2,     5,      10,     20,     25,     50,      100,     200,    250,
                                          500,   1000,   2000,   3000,   5000,   10000,   15000,   20000,  30000,
                                          60000, 120000, 300000, 600000, 900000, 1200000, 1800000, 3600000};
    static constexpr size_t kShortMillis = 19;
    static constexpr int64_t kMilli = 1'000'000, kSecond = 1'000'000'000;
    static constexpr int64_t kNanos[] = {
        2,           5,           10,           20,           25,           50,           100,         200,
        250,         500,         1000,         kMilli,       10 * kMilli,  100 * kMilli, kSecond,     2 * kSecond,
        3 * kSecond, 5 * kSecond, 10 * kSecond, 15 * kSecond, 20 * kSecond, 30 * kSecond, 60 * kSecond};
    static constexpr size_t kShortNanos = 11;
    if (unitsPerSecond == 0) return first + step;
    std::span<const int64_t> multiples = unitsPerSecond == 1      ? std::span<const int64_t>(kSeconds)
                                         : unitsPerSecond == 1000 ? std::span<const int64_t>(kMillis)
                                                                  : std::span<const int64_t>(kNanos);
    if (!roundTime) {
        multiples = multiples.first(unitsPerSecond == 1      ? kShortSeconds
                                    : unitsPerSecond == 1000 ? kShortMillis
                                                             : kShortNanos);
    }
    const auto found = std::lower_bound(multiples.begin(), multiples.end(), step);
    const int64_t multiple = found == multiples.end() ? multiples.back() : *found;
    return floorDivide(first, multiple) * multiple + step;
}

}  // namespace pelorus
