// The labels of indexed matrices and series are looked up by their order.
#pragma once

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/value/print.h"

namespace pelorus {

// Throws UserError for labels that do not rise strictly; `which` is "row" or "column".
inline void requireRising(const Value& labels, const char* which, int argument) {
    if (!labels.isVector())
        throw UserError(argument, fmt::format("The matrix has no {} labels.", which), "Set them with rename!.");
    const Vector& v = labels.vector();
    for (int64_t i = 1; i < v.size(); ++i) {
        if (compareElements(v, i - 1, v, i) >= 0) {
            throw UserError(argument, fmt::format("The {} labels must rise strictly, but {} follows {}.", which,
                                                  itemString(v.at(i)), itemString(v.at(i - 1))));
        }
    }
}

}  // namespace pelorus
