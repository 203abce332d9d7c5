// Output that a person leafs through: a pager is started when the output is higher than the screen.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace pelorus {

// Collects output; what fits the screen is written to standard output when the object goes, more goes to the pager as
// it comes, so that a result of any size is shown at once. The pager is $PELORUS_PAGER, $PAGER or less, or a plain one
// of our own where there is none. Blocks until the reader has left. REQUIRES: SIGPIPE is ignored.
class PagedOutput {
public:
    explicit PagedOutput(bool isPaged) : isPaged_(isPaged) {}
    ~PagedOutput();
    PagedOutput(const PagedOutput&) = delete;
    PagedOutput& operator=(const PagedOutput&) = delete;

    // False when the reader has left.
    bool write(std::string_view text);

private:
    bool startPager();
    bool writeAll(std::string_view text);

    const bool isPaged_;
    std::string held_;      // not more than a screen
    int lines_ = 0;         // that held_ takes on the screen
    pid_t pager_ = -1;      // the pager, while it runs
    int pipe_ = -1;         // to the pager
    bool isPlain_ = false;  // our own pager
    int linesLeft_ = 0;     // of its page
    bool hasLeft_ = false;
};

}  // namespace pelorus
