#include "stdlib/window/window_call.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/kernel/elementwise/alignment.h"
#include "stdlib/arguments.h"

namespace pelorus {

Value windowCall(WindowKind kind, size_t vectors, Arguments arguments, const WindowFunction& f, size_t parameters,
                 bool leadingNulls) {
    if (kind == WindowKind::Cumulative) {
        if (vectors == 2) alignIndexed(arguments[0], arguments[1]);
        RowWindow window = RowWindow::cumulative();
        return vectorForms([&](std::span<const Value> step) { return f(step, window); }, arguments.first(vectors),
                           vectors);
    }
    if (kind == WindowKind::Moving) {
        size_t position = vectors + parameters;
        if (vectors == 2) alignIndexed(arguments[0], arguments[1]);
        const Value& x = arguments[0];
        RowWindow window = x.isMatrix() && x.matrix().isIndexed() ? indexedWindow(x.matrix(), arguments, position)
                                                                  : movingArgument(arguments, position, leadingNulls);
        return vectorForms([&](std::span<const Value> step) { return f(step, window); }, arguments.first(vectors),
                           vectors);
    }
    Ref<Vector> times = vectorArgument(arguments, 0, "T");
    size_t position = 1 + vectors + parameters;
    RowWindow window = RowWindow::timed(TimeAxis(times, 0, "T"), arguments[position], position);
    return vectorForms(
        [&](std::span<const Value> step) {
            if (step[0].size() != times->size()) {
                throw UserError(1, fmt::format("The vectors don't have the same length: {} and {}.", times->size(),
                                               step[0].size()));
            }
            return f(step, window);
        },
        arguments.subspan(1, vectors), vectors);
}

}  // namespace pelorus
