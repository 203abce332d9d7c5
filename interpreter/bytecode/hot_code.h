// Detection of hot loops and functions of scripts, and their machine code.
//
// Every compiled function has its own cache. A loop asks for code at its back edges, now and then; a function asks when
// it is called. Code that is asked for often is translated for the types at hand and compiled in the background. @jit
// functions, and everything in the mode Always, are compiled before they run on.
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

class HotCode {
public:
    HotCode();
    ~HotCode();

    // Runs from `pc` in machine code when there is some for the types in the registers. Returns the instruction where
    // the interpreter goes on, or -1 when it has to do everything.
    int32_t run(const CompiledFunction& code, int32_t pc, Value* const* spaces, Context& context, bool isJit);

    // Calls the function in machine code; returns false when it has to be interpreted.
    bool call(const Closure& function, std::span<const Value> arguments, Value& result, Context& context);

    // Calls it for elements 0 … count - 1 of the arguments, in lockstep; scalars repeat. `result` becomes a vector.
    // Returns false when the calls have to be interpreted: nothing has happened then.
    bool callOnElements(const Closure& function, std::span<const Value> arguments, int64_t count, Context& context,
                        Value& result);

private:
    struct State;
    std::shared_ptr<State> state_;  // compilations under way share it
    std::atomic<uint32_t> calls_{0};
};

// Number of back edges of loops on one thread between two lookups in the cache.
constexpr uint32_t kHotLoopTicks = 1024;

// The number of loops and scalar functions that were compiled to machine code in this process.
int64_t compiledScalarCount();

}  // namespace pelorus
