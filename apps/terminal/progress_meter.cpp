#include "apps/terminal/progress_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "apps/terminal/terminal.h"
#include "common/error.h"
#include "common/thread/thread_start.h"
#include "presentation/view/text_width.h"
#include "presentation/view/view_grid.h"

namespace pelorus {

using std::chrono::steady_clock;

static double secondsSince(steady_clock::time_point begin) {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

ProgressMeter::ProgressMeter(bool isShown, std::function<Progress::Snapshot()> progress)
    : progress_(std::move(progress)), begin_(steady_clock::now()) {
    if (!isShown || !isErrorTerminal()) return;
    try {
        thread_ = startThread([this] { run(); });
    } catch (const SystemError&) {  // no thread is left: the statement runs without the line
    }
}

void ProgressMeter::run() {
    constexpr std::chrono::seconds kQuiet{1};
    constexpr std::chrono::milliseconds kPause{100};
    MutexLock lock(mutex_);
    steady_clock::time_point next = begin_ + kQuiet;
    while (!isStopped_) {
        stopped_.waitUntil(lock, next);
        if (isStopped_ || steady_clock::now() < next) continue;
        draw();
        next = steady_clock::now() + kPause;
    }
    erase();
}

ProgressMeter::~ProgressMeter() {
    if (!thread_.joinable()) return;
    {
        const MutexLock lock(mutex_);
        isStopped_ = true;
    }
    stopped_.notifyAll();
    thread_.join();
}

void ProgressMeter::interrupt(const std::function<void()>& write) {
    const MutexLock lock(mutex_);
    erase();
    write();
}

void ProgressMeter::draw() {
    const Progress::Snapshot now = progress_();
    if (now.work != work_) {
        work_ = now.work;
        // The first phase began with the statement, as far as a reader cares.
        workBegin_ = isDrawn_ ? steady_clock::now() : begin_;
    }
    const std::string line = now.work ? progressLine(now, secondsSince(workBegin_), terminalSize().columns)
                                      : fmt::format("running for {:.0f} s, Ctrl-C stops it", secondsSince(begin_));
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
    std::fflush(stderr);
    isDrawn_ = true;
}

void ProgressMeter::erase() {
    if (!isDrawn_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    isDrawn_ = false;
}

static std::string amount(double count, ProgressUnit unit) {
    if (unit != ProgressUnit::Bytes) {
        constexpr double kMillion = 1e6;
        return count >= 10 * kMillion ? fmt::format("{:.1f} million", count / kMillion)
                                      : groupedDigits(static_cast<int64_t>(count));
    }
    constexpr double kStep = 1000;
    const char* units[] = {"bytes", "KB", "MB", "GB", "TB", "PB"};
    size_t i = 0;
    for (; count >= kStep && i + 1 < std::size(units); ++i) count /= kStep;
    return fmt::format("{:.{}f} {}", count, i < 2 || count >= 100 ? 0 : 1, units[i]);
}

// Rounds up to whole seconds once, so that no part is 60.
static std::string duration(double exactSeconds) {
    constexpr double kMinute = 60, kHour = 3600;
    const double seconds = std::ceil(std::max(exactSeconds, 0.0));
    if (seconds < kMinute) return fmt::format("{:.0f} s", seconds);
    if (seconds < kHour)
        return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / kMinute), std::fmod(seconds, kMinute));
    return fmt::format("{:.0f} h {:.0f} min", std::floor(seconds / kHour),
                       std::floor(std::fmod(seconds, kHour) / kMinute));
}

std::string progressLine(const Progress::Snapshot& progress, double seconds, int width) {
    const char* unit = progress.unit == ProgressUnit::Rows    ? " rows"
                       : progress.unit == ProgressUnit::Tasks ? " tasks"
                                                              : "";
    const auto done = static_cast<double>(progress.done);
    const double rate = seconds > 0 ? done / seconds : 0;
    std::string line = progress.work;
    if (progress.total > 0) {
        const double share = std::clamp(done / static_cast<double>(progress.total), 0.0, 1.0);
        constexpr int kBar = 20;
        const int filled = static_cast<int>(share * kBar);
        line += fmt::format(" {:3.0f} % ", std::floor(share * 100));
        for (int i = 0; i < kBar; ++i) line += i < filled ? "█" : "░";
        line += fmt::format(" {} of {}{}", amount(done, progress.unit),
                            amount(static_cast<double>(progress.total), progress.unit), unit);
        if (rate > 0) {
            line += fmt::format(", {}{}/s", amount(rate, progress.unit), unit);
            line += fmt::format(", {} left", duration(static_cast<double>(progress.total - progress.done) / rate));
        }
    } else {
        line += fmt::format(" {}{}", amount(done, progress.unit), unit);
        if (rate > 0) line += fmt::format(", {}{}/s", amount(rate, progress.unit), unit);
    }
    return line.substr(0, prefixOfWidth(line, static_cast<size_t>(std::max(width - 1, 1))));
}

}  // namespace pelorus
