// Returns properties of the terminal that the standard streams are connected to.
#pragma once

namespace pelorus {

struct TerminalSize {
    int columns = 80;
    int lines = 24;
};

// Returns the size of the terminal on standard output, read anew at each call; or else the environment's COLUMNS and
// LINES, or 80 by 24.
TerminalSize terminalSize();

bool isOutputTerminal();
bool isErrorTerminal();

// Returns whether output to a terminal may hold ANSI colors: NO_COLOR (https://no-color.org) is unset or empty, TERM is
// not dumb.
bool areColorsWanted();

}  // namespace pelorus
