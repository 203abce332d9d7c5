// HotCode detects hot loops and functions of scripts, and runs their machine code.
//
// Every compiled function has its own cache. A loop looks code up at some of its back edges; a function when it is
// called. Code that is looked up often is translated for the present types and compiled in the background. @jit
// functions, and all code in the mode Always, are compiled before they continue.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "interpreter/bytecode/scalar_code.h"

namespace pelorus {

class Closure;
class CompiledFunction;
class Context;

// The cache of one function. Thread-safe.
class HotCode {
public:
    HotCode();
    ~HotCode();

    // Runs from `pc` in machine code if there is some for the types in the registers. Returns the instruction where the
    // interpreter continues, or -1 when nothing was run.
    int32_t run(const CompiledFunction& code, int32_t pc, Value* const* spaces, Context& context, bool isJit);

    // Calls the function in machine code; returns false when it has to be interpreted.
    bool call(const Closure& function, std::span<const Value> arguments, Value& result, Context& context);

    // Calls the function for the elements 0 … count - 1 of the arguments, in lockstep; scalars are repeated. `result`
    // becomes a vector. Returns false, and does nothing, when the calls have to be interpreted.
    bool callOnElements(const Closure& function, std::span<const Value> arguments, int64_t count, Context& context,
                        Value& result);

private:
    struct State;
    std::shared_ptr<State> state_;  // shared with running compilations
    std::atomic<uint32_t> calls_{0};
};

// The number of back edges of loops on one thread between two lookups in the cache.
constexpr uint32_t kHotLoopTicks = 1024;

// Returns the number of loops and scalar functions that were compiled to machine code in this process.
int64_t compiledScalarCount();

}  // namespace pelorus
