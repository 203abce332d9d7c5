// One function, three windows: mf(X, [Y], window, [minPeriods]), tmf(T, X, [Y], window) and cumf(X, [Y]).
#pragma once

#include <functional>

#include "runtime/kernel/forms/vector_forms.h"
#include "stdlib/window/sliding.h"

namespace pelorus {

enum class WindowKind : uint8_t { Moving, Timed, Cumulative };

// Computes a column of results from the vectors X, [Y] and the window.
using WindowFunction = std::function<Value(std::span<const Value> vectors, const RowWindow& window)>;

// Reads the call's window, walks the form of X, and computes each column. `vectors` is 1, or 2 with Y. Further
// parameters are at `parameters` positions between vectors and window and are read by the caller.
Value windowCall(WindowKind kind, size_t vectors, Arguments arguments, const WindowFunction& f, size_t parameters = 0,
                 bool leadingNulls = true);

}  // namespace pelorus
