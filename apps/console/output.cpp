#include "apps/console/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>

#include "apps/console/error_text.h"
#include "apps/terminal/pager.h"
#include "apps/terminal/terminal.h"
#include "common/error.h"
#include "presentation/chart/render_terminal.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxRows = 40;    // maximum that is shown of a table on a screen of any height
constexpr int64_t kFewestRows = 6;  // minimum that is shown on a screen of any height
constexpr int kOtherLines = 10;     // lines of a screen for names, types, counts and the prompt

// Parses "on" and "off"; returns nullopt for other words.
std::optional<bool> switchOf(std::string_view words) {
    if (words == "on") return true;
    if (words == "off") return false;
    return std::nullopt;
}

std::optional<int64_t> numberOf(std::string_view words) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
    if (error != std::errc() || end != words.data() + words.size() || number < 1) return std::nullopt;
    return number;
}

}  // namespace

Output::Output(bool isConsole)
    : isConsole_(isConsole),
      isTerminal_(isOutputTerminal()),
      hasColors_(isTerminal_ && areColorsWanted()),
      errorHasColors_(isErrorTerminal() && areColorsWanted()),
      isPaged_(isConsole && isTerminal_),
      timing_(isConsole ? Timing::Slow : Timing::Off) {}

ViewOptions Output::options() const {
    ViewOptions options;
    options.mode = mode_.value_or(ViewMode::Table);
    options.colors = hasColors_;
    const TerminalSize size = terminalSize();
    options.width = width_ != kAutomatic ? width_ : isTerminal_ ? size.columns : 0;
    options.rows = rows_ != kAutomatic ? rows_
                   : isTerminal_       ? std::clamp<int64_t>(size.lines - kOtherLines, kFewestRows, kMaxRows)
                                       : 0;
    return options;
}

void Output::print(std::string_view text) {
    std::cout << text << '\n' << std::flush;
}

void Output::show(const Value& value) {
    if (value.isVoid() && value.extra() == 0) return;
    if (value.isChart() && !mode_) return showChart(value);
    if (!isTerminal_ && !mode_) {
        std::cout << displayWhole(value) << '\n' << std::flush;
        return;
    }
    write(value, options());
}

void Output::showChart(const Value& value) {
    const TerminalSize size = terminalSize();
    TerminalChartOptions options;
    constexpr int kUsualWidth = 80, kHighest = 24;
    options.width = width_ > 0 ? width_ : isTerminal_ ? size.columns : kUsualWidth;
    options.height = std::min(isTerminal_ ? size.lines - 4 : kHighest, kHighest);
    options.hasColors = hasColors_;
    PagedOutput out(isPaged_);
    out.write(renderTerminal(readChart(value), options));
}

void Output::write(const Value& value, const ViewOptions& options) {
    PagedOutput out(isPaged_);
    writeView(value, options, [&](std::string_view text) { return !isInterrupted_ && out.write(text); });
}

void Output::showVertical(const Value& value) {
    ViewOptions chosen = options();
    chosen.mode = ViewMode::Vertical;
    write(value, chosen);
}

void Output::showRemark(std::string_view text) {
    std::cout << (hasColors_ ? "\033[90m" : "") << text << (hasColors_ ? "\033[0m" : "") << std::endl;
}

void Output::showText(std::string_view text) {
    PagedOutput out(isPaged_);
    out.write(text);
    if (!text.ends_with('\n')) out.write("\n");
}

void Output::showError(const std::exception& error, std::string_view name, std::string_view script) {
    std::cout << std::flush;
    std::cerr << errorText(error, name, script, errorHasColors_) << std::endl;
}

void Output::showNotice(std::string_view text) {
    std::cout << std::flush;
    std::cerr << (errorHasColors_ ? "\033[33m" : "") << "Note: " << text << (errorHasColors_ ? "\033[0m" : "")
              << std::endl;
}

void Output::showTime(std::chrono::nanoseconds taken) {
    constexpr std::chrono::milliseconds kSlow{50};
    if (timing_ == Timing::Off || (timing_ == Timing::Slow && taken < kSlow)) return;
    const double seconds = std::chrono::duration<double>(taken).count();
    constexpr double kMinute = 60;
    std::string text = seconds < 1e-3      ? fmt::format("{:.0f} µs", seconds * 1e6)
                       : seconds < 1       ? fmt::format("{:.3g} ms", seconds * 1e3)
                       : seconds < kMinute ? fmt::format("{:.3g} s", seconds)
                                           : fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / kMinute),
                                                         std::fmod(std::floor(seconds), kMinute));
    showRemark(text);
}

std::string Output::setMode(std::string_view words) {
    if (!words.empty()) {
        const std::optional<ViewMode> mode = viewModeOf(words);
        if (!mode)
            throw UserError(fmt::format("There is no mode {}.", words),
                            "Modes are table, vertical, csv, json, markdown.");
        mode_ = mode;
    }
    return fmt::format("mode {}", viewModeName(mode_.value_or(ViewMode::Table)));
}

std::string Output::setRows(std::string_view words) {
    if (words == "auto") {
        rows_ = kAutomatic;
    } else if (words == "all") {
        rows_ = 0;
    } else if (!words.empty()) {
        const std::optional<int64_t> number = numberOf(words);
        if (!number)
            throw UserError(fmt::format("{} is no number of rows.", words),
                            "\\rows auto, \\rows all, or as \\rows 100.");
        rows_ = *number;
    }
    return rows_ == kAutomatic ? fmt::format("rows auto ({} now)", options().rows)
           : rows_ == 0        ? "rows all"
                               : fmt::format("rows {}", rows_);
}

std::string Output::setWidth(std::string_view words) {
    constexpr int64_t kWidest = 100'000;
    if (words == "auto") {
        width_ = kAutomatic;
    } else if (words == "all") {
        width_ = 0;
    } else if (!words.empty()) {
        const std::optional<int64_t> number = numberOf(words);
        if (!number || *number > kWidest)
            throw UserError(fmt::format("{} is no width.", words), "\\width auto, \\width all, or as \\width 120.");
        width_ = static_cast<int>(*number);
    }
    return width_ == kAutomatic ? fmt::format("width auto ({} now)", options().width)
           : width_ == 0        ? "width all"
                                : fmt::format("width {}", width_);
}

std::string Output::setPager(std::string_view words) {
    if (!words.empty()) {
        const std::optional<bool> isOn = switchOf(words);
        if (!isOn) throw UserError(fmt::format("The pager is on or off, not {}.", words), "\\pager on, \\pager off");
        isPaged_ = *isOn;
    }
    return isPaged_ ? "pager on" : "pager off";
}

std::string Output::setTiming(std::string_view words) {
    if (words == "auto") {
        timing_ = Timing::Slow;
    } else if (!words.empty()) {
        const std::optional<bool> isOn = switchOf(words);
        if (!isOn)
            throw UserError(fmt::format("Timing is on, off or auto, not {}.", words),
                            "\\timing on, \\timing off, \\timing auto");
        timing_ = *isOn ? Timing::On : Timing::Off;
    }
    return timing_ == Timing::Off  ? "timing off"
           : timing_ == Timing::On ? "timing on"
                                   : "timing auto: statements of 50 ms and more";
}

}  // namespace pelorus
