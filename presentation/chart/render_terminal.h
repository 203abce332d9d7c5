// A chart as lines of a terminal: curves of braille dots, bars of blocks, surfaces of shades.
#pragma once

#include <string>

#include "presentation/chart/chart.h"

namespace pelorus {

struct TerminalChartOptions {
    int width = 80;   // columns of the terminal
    int height = 20;  // lines, axes and titles included
    bool hasColors = false;
};

// Returns the lines, each ended. Sizes below 20 by 6 are drawn as that.
std::string renderTerminal(const Chart& chart, const TerminalChartOptions& options);

}  // namespace pelorus
