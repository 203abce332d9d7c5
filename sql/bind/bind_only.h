// Binding without running, for explain.
#pragma once

#include "runtime/code/query.h"
#include "runtime/value/value.h"

namespace pelorus {

// While one lives, queries of this thread are bound and not run. Where columns are needed of what would have to be
// computed, as of a join or an inner query, they are taken without rows; a value that would have to be computed is
// unknown. `on` false: code runs as it always does, until it is gone again.
class BindOnly {
public:
    explicit BindOnly(bool on = true);
    ~BindOnly();
    BindOnly(const BindOnly&) = delete;
    BindOnly& operator=(const BindOnly&) = delete;

    static bool isOn();

private:
    const bool outer_;
};

// The table without its rows while a BindOnly lives, else the table. What is no table stays as it is.
Value withoutRowsIfBound(const Value& table);

// Makes a placeholder for the value of a part that is not computed; it prints as that part.
NodeRef unknownValue(const Node& part, Type type);
// Whether an expression contains such a placeholder.
bool holdsUnknown(const Node& node);

}  // namespace pelorus
