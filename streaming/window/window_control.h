// WindowControl decides which rows of a time series engine are in which window, and when a window is shown. It reads
// times, keys and row numbers only, so that it replays: the same rows give the same shows, however they are cut.
#pragma once

#include <cstdint>
#include <vector>

namespace pelorus {

// The windows of an engine, in units of its times. All windows end at begin + i * step.
struct WindowRules {
    std::vector<int64_t> sizes;  // one, or several windows that end together
    int64_t step = 1;
    bool closedRight = false;  // (left, right] in place of [left, right)
    bool fills = false;        // windows without rows are shown, too, from a key's first one on
    int64_t updateTime = -1;   // shows an open window after so long; 0 after each append; -1 never
    int64_t forceTrigger =
        -1;  // a row of any key closes windows that ended so long before it; -1: only rows of the key
    int64_t acceptedDelay = 0;  // windows close so long after their end, and take rows in any order until then
    int64_t partBegin = 0;      // the part of a window that counts, from its left end; empty: all of it
    int64_t partEnd = 0;

    int64_t longest() const;
    bool hasPart() const { return partEnd > partBegin; }
};

// One output row: the window of a key that ends at `right`.
struct WindowShow {
    int32_t key = 0;
    int64_t right = 0;
    size_t begin = 0, end = 0;  // its rows, in WindowControl::shownRows; equal for a window without rows
    int32_t slot = -1;          // of its rows, where windows have slots; -1 for a window without rows

    bool isGap() const { return begin == end && slot < 0; }
};

// Not thread-safe; the engine's turn guards it.
class WindowControl {
public:
    explicit WindowControl(WindowRules rules);

    // Numbers each open window by a slot, into which its rows go at once, in place of listing them. REQUIRES: nothing
    // was taken, and each row is in one window, the last one of its key (mayUseSlots).
    void useSlots();
    // Sets where windows end, once: at `right`, and every step before and after.
    void begin(int64_t right);
    bool hasBegun() const { return hasBegun_; }

    // Takes rows in their order; row i has the number firstRow + i. NULL times and late rows are dropped and counted.
    void take(const int64_t* times, const int32_t* keys, int64_t count, int32_t firstRow);
    // Returns the slot of each row of the last take; -1 for dropped ones.
    const std::vector<int32_t>& rowSlots() const { return rowSlots_; }
    int64_t slotCount() const { return slotCount_; }
    // Returns the slots of windows that were closed, once: other windows may have them from now on.
    std::vector<int32_t> releaseSlots();
    // Shows what an append changed, when updateTime is 0.
    void endAppend();
    // Closes all windows that ended by this time, whatever the keys.
    void closeUntil(int64_t time);
    // Shows open windows with rows that were not shown.
    void showUpdates();

    // The shows since clearShows, in the order of what triggered them, and the rows of their longest windows.
    const std::vector<WindowShow>& shows() const { return shows_; }
    const std::vector<int32_t>& shownRows() const { return shownRows_; }
    // Returns the first of a show's rows that are in its window of this size.
    size_t beginOf(const WindowShow& show, int64_t size) const;
    void clearShows();

    const WindowRules& rules() const { return rules_; }
    int64_t lateRows() const { return late_; }
    // Returns whether a window is open that has rows, and the earliest end of those.
    bool nextEnd(int64_t& right) const;
    bool hasUnshown() const;
    // Returns the numbers of the rows that open windows hold, and renumbers them from 0 in this order.
    std::vector<int32_t> renumberRows();
    int64_t memoryBytes() const;
    // Calls f(key, time of the first row, rows) for each key whose open windows have rows; where windows have slots the
    // rows are counted since the last show.
    template <class F>
    void forEachOpen(F f) const {
        for (size_t key = 0; key < groups_.size(); ++key) {
            const Group& group = groups_[key];
            if (!hasRows(group)) continue;
            f(static_cast<int32_t>(key), firstTime(group),
              usesSlots_ ? group.unshown : static_cast<int64_t>(group.rows.size()));
        }
    }

private:
    struct Row {
        int64_t time;
        int32_t number;
    };
    struct Group {
        int32_t slot = -1;  // of the one open window with rows, where windows have slots
        bool hasBegun = false;
        int64_t slotTime = 0;  // of its first row
        int64_t slotEnd = 0;   // of the window
        int64_t next = 0;      // the number of the first window that is not closed
        int64_t lastTime = 0;  // of the rows so far
        int64_t unshown = 0;   // rows since the last show
        int64_t shownWindow = INT64_MIN;
        int64_t cell = 0;       // of updateTime, of the last row
        std::vector<Row> rows;  // of open windows, ascending by time; none where windows have slots
    };

    int64_t rightOf(int64_t window) const { return right_ + window * rules_.step; }
    int64_t closingOf(int64_t window) const;
    int64_t firstWindowOf(int64_t time) const;
    int64_t lastWindowOf(int64_t time) const;
    bool hasRows(const Group& group) const { return usesSlots_ ? group.slot >= 0 : !group.rows.empty(); }
    int64_t firstTime(const Group& group) const { return usesSlots_ ? group.slotTime : group.rows.front().time; }
    int32_t takeRow(int64_t time, int32_t key, int32_t number);
    void list(Group& group, int64_t time, int32_t number);
    void takeSlot(Group& group, int64_t time, int64_t window);
    void dropRowsBefore(Group& group, int64_t left);
    void close(int32_t key, int64_t time);
    void show(int32_t key, Group& group, int64_t window);
    void forceOthers(int64_t time);

    const WindowRules rules_;
    const int64_t longest_;
    bool hasBegun_ = false;
    int64_t right_ = 0;
    bool usesSlots_ = false;
    int64_t forced_ = INT64_MIN;     // the last window that was closed for all keys
    int64_t nextForce_ = INT64_MIN;  // the time of a row that closes one more
    std::vector<Group> groups_;
    std::vector<int32_t> touched_;  // keys of the append, when updateTime is 0
    std::vector<WindowShow> shows_;
    std::vector<int32_t> shownRows_;
    std::vector<int64_t> shownTimes_;
    int64_t slotCount_ = 0;
    std::vector<int32_t> freeSlots_, closedSlots_, rowSlots_;
    int64_t late_ = 0;
};

// Whether rows can go into the slots of windows at once: windows follow each other, a key has one open window with
// rows, and nothing but whole appends shows it before its end.
bool mayUseSlots(const WindowRules& rules);

// Returns the end of the first window of an engine whose first row has the time `first`: rounded down to a multiple
// that fits the step, plus the step. `unitsPerSecond` of the times: 1 also for minutes, 1000, 1000000000; 0 for times
// that are not rounded. `roundTime` allows for longer multiples.
int64_t firstWindowEnd(int64_t first, int64_t step, int64_t unitsPerSecond, bool roundTime);

}  // namespace pelorus
