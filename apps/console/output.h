// Output writes the values, errors, notes and times of statements, for the console, `run` and -e.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "presentation/view/view.h"
#include "runtime/value/value.h"

namespace pelorus {

enum class Timing : uint8_t { Off, Slow, On };  // Slow: of statements that take 50 ms and more

// Writer to the process's standard output and error. On a terminal it shows the view of a value: fitted to the screen,
// in colors, paged. Elsewhere it writes the language's display with every column and cell in full, so that other
// programs read the same on every machine; a mode that was set applies there, too. One thread uses it.
class Output {
public:
    // `isConsole`: a person types statements, so that output higher than the screen is paged and slow statements show
    // their time.
    explicit Output(bool isConsole);

    // Ends the value that is being written. Async-signal-safe.
    void interrupt() { isInterrupted_ = true; }
    // Resets the interrupt; called before the next statement.
    void clearInterrupt() { isInterrupted_ = false; }

    // Writes a line that the script prints.
    void print(std::string_view text);
    // Shows a value; nothing for VOID, the result of a call without one.
    void show(const Value& value);
    // Shows one value in vertical mode.
    void showVertical(const Value& value);
    // Writes an error to standard error. `name` and `script` are those of errorText (error_text.h).
    void showError(const std::exception& error, std::string_view name, std::string_view script);
    void showNotice(std::string_view text);
    void showRemark(std::string_view text);  // the effect of a statement without a value
    void showTime(std::chrono::nanoseconds taken);
    // Shows lines for a person, such as help; paged when they are many.
    void showText(std::string_view text);

    // These change a setting by the words after \mode, \rows, \width, \pager and \timing, or keep it without words.
    // They return a line with the setting. They throw UserError for words that the setting does not know.
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
    std::optional<ViewMode> mode_;  // empty: a table on a terminal, the language's display elsewhere
    int64_t rows_ = kAutomatic;
    int width_ = static_cast<int>(kAutomatic);
    bool isPaged_;
    std::atomic<bool> isInterrupted_{false};
    Timing timing_;
    static constexpr int64_t kAutomatic = -1;
};

}  // namespace pelorus
