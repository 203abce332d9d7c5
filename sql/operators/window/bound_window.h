// A window function whose call is understood: what it computes, from which arguments, over which frame.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/registry/registry.h"

namespace pelorus {

// Made once for a query, before any row is read. Immutable; threads share it. It refers to `node`.
struct BoundWindow {
    enum class Kind : uint8_t {
        RowNumber,
        Rank,
        DenseRank,
        PercentRank,
        CumeDist,
        Ntile,
        Lag,  // lead too: `number` is below zero
        FirstValue,
        LastValue,
        NthValue,
        CountRows,  // count(*)
        Aggregate,  // of every frame, by states
        Called,     // any other function, called with the rows of every frame
    };
    const Window* node = nullptr;
    Kind kind = Kind::Called;
    std::string name;                   // as messages call it
    NodeList arguments;                 // that have a value for each row
    int64_t number = 0;                 // rows of lag and nth_value, tiles of ntile
    Value whenMissing;                  // the third argument of lag and lead
    Ref<Function> function;             // of an aggregate
    int64_t lowRows = 0, highRows = 0;  // distances of a frame of rows
    Value low, high;                    // distances of a range

    const BuiltinFunction& aggregate() const { return static_cast<const BuiltinFunction&>(*function); }
    bool isOrdered() const { return !node->orderBy.empty(); }
    // Whether the function depends on the order alone, not on a frame or an argument.
    bool isRanking() const { return kind <= Kind::Ntile; }
    bool readsFrame() const { return kind >= Kind::FirstValue; }
    // Whether it needs to know which rows have equal order keys.
    bool readsPeers() const;
};

// Throws UserError for arguments and distances that the function cannot have, whatever the rows.
BoundWindow bindWindow(const Window& window, Context& context);

// Number of rows before and after a row that a window reads; nothing when that depends on more than their number.
struct WindowReach {
    int64_t before = 0, behind = 0;
};
std::optional<WindowReach> reachOf(const BoundWindow& window);

}  // namespace pelorus
