// Layouts of the kinds of charts. Each paints its axes and series into a frame.
#pragma once

#include "presentation/chart/chart_frame.h"

namespace pelorus {

// Lines, areas and dots over an x axis.
void layoutLines(ChartFrame& frame);
// Vertical columns, or horizontal bars, over names of points.
void layoutColumns(ChartFrame& frame);
void layoutBars(ChartFrame& frame);
void layoutHistogram(ChartFrame& frame);
// Shares of a whole: the first series. Values that are negative or NULL have no share.
void layoutPie(ChartFrame& frame);
// Candles of the first four series: open, high, low, close.
void layoutCandles(ChartFrame& frame);
// Heat map: columns of the matrix along y, rows along x.
void layoutSurface(ChartFrame& frame);

}  // namespace pelorus
