#include "apps/console/statement_runner.h"

#include <fmt/format.h>

#include <chrono>

#include "apps/console/append_statement.h"
#include "apps/terminal/progress_meter.h"
#include "common/error.h"
#include "interpreter/parser/parser.h"
#include "presentation/view/view_grid.h"

namespace pelorus {

static bool appendsRows(std::string_view script) {
    try {
        return isAppendStatement(parseScript(script));
    } catch (const Error&) {
        return false;
    }
}

ConsoleEvents StatementRunner::events() {
    return {[this](std::string_view text) { write([&] { output_.print(text); }); },
            [this](std::string_view text) { write([&] { output_.showNotice(text); }); }};
}

void StatementRunner::write(const std::function<void()>& writes) {
    if (meter_) return meter_->interrupt(writes);
    writes();
}

bool StatementRunner::run(Console& console, std::string_view script, std::string_view name) {
    using Clock = std::chrono::steady_clock;
    bool isVertical = false;
    if (const size_t end = script.find_last_not_of(" \t\n;"); end != std::string_view::npos) {
        isVertical = end > 0 && script.substr(end - 1, 2) == "\\G";
        if (isVertical) script = script.substr(0, end - 1);
    }
    output_.clearInterrupt();
    const bool isAppend = appendsRows(script);
    bool isTableChanged = false;
    const auto show = [&](const Value& value) {
        if (value.isVoid() && value.extra() == 0) return;
        isTableChanged = isAppend && value.isTable();
        if (isTableChanged) return;
        lastValue_ = value;
        if (isVertical) return output_.showVertical(value);
        output_.show(value);
    };
    bool isGood = true;
    Clock::duration shown{};
    const auto begin = Clock::now();
    {
        ProgressMeter meter(true, [&] { return console.progress(); });
        meter_ = &meter;
        try {
            console.run(script, [&](const Value& value) {
                const auto beginShow = Clock::now();
                meter.interrupt([&] { show(value); });
                shown += Clock::now() - beginShow;
            });
        } catch (const std::exception& error) {
            meter.interrupt([&] { output_.showError(error, name, script); });
            isGood = false;
        }
        meter_ = nullptr;
    }
    const auto taken = Clock::now() - begin - shown;
    // A table on a node's disk is not even sent.
    const Progress::ChangedRows rows = console.changedRows();
    isTableChanged = isTableChanged || (isAppend && rows.appended + rows.replaced > 0);
    if (isTableChanged && isGood) {
        std::string remark = fmt::format("{} appended", counted(rows.appended, "row"));
        if (rows.replaced > 0) remark += fmt::format(", {} replaced", groupedDigits(rows.replaced));
        output_.showRemark(remark);
    }
    output_.showTime(taken);
    return isGood;
}

}  // namespace pelorus
