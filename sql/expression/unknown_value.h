// Binding without execution, for explain.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

// Scope in which queries of this thread are bound and not run. Joins and inner queries, whose columns are needed, are
// taken without rows; any other value that would have to be computed is unknown. `on` false: code runs as usual within
// the scope.
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

// Throws UserError while a BindOnly lives, when an expression that binding would have to compute, as a call after
// `from`, may change something.
void requireBindable(const Node& part, const Context& context);

// Returns the table without its rows while a BindOnly lives, else unchanged; other values are always unchanged.
Value withoutRowsIfBound(const Value& table);

// Makes a placeholder for the value of a part that is not computed; it prints as that part.
NodeRef unknownValue(const Node& part, Type type);
// Whether an expression contains such a placeholder.
bool holdsUnknown(const Node& node);

}  // namespace pelorus
