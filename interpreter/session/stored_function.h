// Functions of scripts as bytes of the metadata store: with the functions that they call, and what they captured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/bytecode/closure.h"
#include "runtime/function/function.h"

namespace pelorus {

// Throws UserError, as "The function f …", for functions that call each other in a circle or too many others: each is
// stored with those that it calls.
void requireStorable(const Closure& closure);

// Returns the closure of a script's function, also of one known by its cell; null for other functions.
const Closure* closureOf(const Function& function);

// A function that was read from the store, kept complete: one that calls itself calls itself again. Movable.
class StoredFunction {
public:
    StoredFunction() = default;
    // Completes the function that decoding gave.
    explicit StoredFunction(Ref<Function> function);
    ~StoredFunction();
    StoredFunction(StoredFunction&&) = default;
    StoredFunction& operator=(StoredFunction&&) = default;

    const Ref<Function>& function() const { return function_; }

private:
    void complete(const Closure& closure, const Ref<Function>& itself);

    Ref<Function> function_;
    std::vector<Ref<FunctionCell>> cells_;  // of recursive functions, emptied at the end
};

}  // namespace pelorus
