// Kernels of window functions: one call computes the rows of many groups, along their bounds.
#pragma once

#include <span>

#include "runtime/function/context.h"
#include "runtime/value/value.h"
#include "sql/operators/window/bound_window.h"
#include "sql/operators/window/window_frames.h"

namespace pelorus {

// Returns row numbers, ranks or tiles: functions of the order alone. REQUIRES: isRanking, and peers where it reads
// them.
Value rankingValues(const BoundWindow& window, const WindowRows& rows);

// Throws UserError unless the argument has a value for each row.
void requireRows(const BoundWindow& window, const Value& argument, int64_t rows);
// Returns for each row the value of another one: by distance, or by its position in the frame. `argument` has a value
// for each row.
Value shiftedValues(const BoundWindow& window, const WindowRows& rows, const Value& argument);
Value valuesInFrames(const BoundWindow& window, std::span<const RowSpan> frames, const Value& argument);

// Returns how many rows each frame has.
Value rowsInFrames(std::span<const RowSpan> frames);

// Whether the frames of a window grow with the rows of a group, from its first one on.
bool isRunning(const Window& window);
// Whether such an aggregate has a form that goes on row by row over arguments that are one column.
bool hasRunningForm(const BoundWindow& window);
// Computes an aggregate of each frame. Arguments are vectors with an element for each row, or scalars for all rows.
// How depends on window and types alone, so that a group's values depend on the group alone. `argumentsOfState`: types
// and scales come from these.
Value aggregatesOfFrames(const BoundWindow& window, const WindowRows& rows, std::span<const RowSpan> frames,
                         std::span<const Value> arguments, Context& context);

// The same over frames that exclude rows.
Value valuesInParts(const BoundWindow& window, std::span<const FrameParts> frames, const Value& argument);
Value rowsInParts(std::span<const FrameParts> frames);
Value aggregatesOfParts(const BoundWindow& window, const WindowRows& rows, std::span<const FrameParts> frames,
                        std::span<const Value> arguments);

}  // namespace pelorus
