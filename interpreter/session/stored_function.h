// StoredFunction is a function of a script in the metadata store, with the functions that it calls and the values that
// it captured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/bytecode/closure.h"
#include "runtime/function/function.h"

namespace pelorus {

// Throws UserError, "The function f …", for functions that call each other in a circle or too many others: each is
// stored with those that it calls.
void requireStorable(const Closure& closure);

// Returns the closure of a script's function, also of one known by its cell; null for other functions.
const Closure* closureOf(const Function& function);

// A function that was read from the store. It owns the cells through which recursive functions call themselves.
// Movable.
class StoredFunction {
public:
    StoredFunction() = default;
    // Completes a decoded function.
    explicit StoredFunction(Ref<Function> function);
    ~StoredFunction();
    StoredFunction(StoredFunction&&) = default;
    StoredFunction& operator=(StoredFunction&&) = default;

    const Ref<Function>& function() const { return function_; }

private:
    void complete(const Closure& closure, const Ref<Function>& itself);

    Ref<Function> function_;
    std::vector<Ref<FunctionCell>> cells_;  // cells of recursive functions, emptied by the destructor
};

}  // namespace pelorus
