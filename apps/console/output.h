// Writes values, errors, notes and times of statements, for the console, `run` and -e.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/format/view.h"
#include "runtime/value/value.h"

namespace pelorus {

enum class Timing : uint8_t { Off, Slow, On };  // Slow: statements of 50 ms and more

// Writes to the process's standard output and error. On a terminal a value is shown by its view: fitted to the screen,
// in colors, paged. Elsewhere it is written by the language's display with every column and every cell whole, so that
// other programs read the same on every machine; a mode that was asked for holds there, too. Used by one thread.
class Output {
public:
    // `isConsole`: a person converses, so that what is higher than the screen is paged and slow statements show their
    // time.
    explicit Output(bool isConsole);

    // Ends the value that is being written soon. May be called by a signal handler.
    void interrupt() { isInterrupted_ = true; }
    // Before the next statement.
    void clearInterrupt() { isInterrupted_ = false; }

    // A line that the script prints.
    void print(std::string_view text);
    // Nothing for a call without a result.
    void show(const Value& value);
    // Shows one value in vertical mode.
    void showVertical(const Value& value);
    // `name` and `script` as errorText (error_text.h) takes them.
    void showError(const std::exception& error, std::string_view name, std::string_view script);
    void showNotice(std::string_view text);
    void showRemark(std::string_view text);  // what a statement did, where it has no value to show
    void showTime(std::chrono::nanoseconds taken);
    // Shows lines for a person, as help: paged when they are many.
    void showText(std::string_view text);

    // Settings, by the words after \mode, \rows, \width, \pager and \timing; without words the setting is told. Returns
    // the line for the reader. Throws UserError for words that are none of the setting's.
    std::string setMode(std::string_view words);
    std::string setRows(std::string_view words);
    std::string setWidth(std::string_view words);
    std::string setPager(std::string_view words);
    std::string setTiming(std::string_view words);

private:
    ViewOptions options() const;
    void showChart(const Value& value);
    void write(const Value& value, const ViewOptions& options);

    const bool isConsole_;
    const bool isTerminal_;
    const bool hasColors_;
    const bool errorHasColors_;
    std::optional<ViewMode> mode_;  // empty: table on a terminal, the language's display elsewhere
    int64_t rows_ = kAutomatic;
    int width_ = static_cast<int>(kAutomatic);
    bool isPaged_;
    std::atomic<bool> isInterrupted_{false};
    Timing timing_;
    static constexpr int64_t kAutomatic = -1;
};

}  // namespace pelorus
