// PagedOutput sends output that is higher than the screen to a pager.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace pelorus {

// Collector of output. The destructor writes output that fits the screen to standard output; longer output goes to the
// pager as it comes, so that a result of any size is shown at once. The pager is $PELORUS_PAGER, $PAGER or less, or a
// built-in one when there is none. The destructor waits until the reader has left the pager. REQUIRES: SIGPIPE is
// ignored.
class PagedOutput {
public:
    explicit PagedOutput(bool isPaged) : isPaged_(isPaged) {}
    ~PagedOutput();
    PagedOutput(const PagedOutput&) = delete;
    PagedOutput& operator=(const PagedOutput&) = delete;

    // Adds output. Returns false when the reader has left the pager.
    bool write(std::string_view text);

private:
    bool startPager();
    bool writeAll(std::string_view text);

    const bool isPaged_;
    std::string held_;      // output so far, at most a screen
    int lines_ = 0;         // lines that held_ takes on the screen
    pid_t pager_ = -1;      // the pager, while it runs
    int pipe_ = -1;         // pipe to the pager
    bool isPlain_ = false;  // the built-in pager runs
    int linesLeft_ = 0;     // remaining lines of the built-in pager's page
    bool hasLeft_ = false;
};

}  // namespace pelorus
