#include "apps/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace pelorus {

static int environmentNumber(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    const int number = text ? std::atoi(text) : 0;
    return number > 0 ? number : otherwise;
}

TerminalSize terminalSize() {
    winsize size{};
    const bool isKnown = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    TerminalSize result;
    result.columns = isKnown && size.ws_col > 0 ? size.ws_col : environmentNumber("COLUMNS", result.columns);
    result.lines = isKnown && size.ws_row > 0 ? size.ws_row : environmentNumber("LINES", result.lines);
    constexpr int kMax = 10'000;
    return {std::clamp(result.columns, 1, kMax), std::clamp(result.lines, 1, kMax)};
}

bool isOutputTerminal() {
    return isatty(STDOUT_FILENO) != 0;
}

bool isErrorTerminal() {
    return isatty(STDERR_FILENO) != 0;
}

bool areColorsWanted() {
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return !(refused && *refused) && terminal && *terminal && std::string_view(terminal) != "dumb";
}

}  // namespace pelorus
