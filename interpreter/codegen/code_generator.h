// Loads the code generator's library. The library is opened on first use, so that a short script does not pay for it,
// and runs in the background, so that hot code continues while it is compiled.
#pragma once

#include <functional>

namespace pelorus {

enum class JitMode {
    Off,     // interpreter and block evaluator only
    Hot,     // compile hot code, in the background
    Always,  // compile everything before its first use: for tests
};

// The mode is set once at start, from the environment variable PELORUS_JIT: off, hot (the default), always.
void setJitMode(JitMode mode);
JitMode jitMode();
JitMode jitModeFromEnvironment();

// Returns a function of the library by name, or nullptr when there is no library.
void* generatorFunction(const char* name);

// Frees machine code that no thread runs any more; null is allowed.
void releaseCode(const void* code);

// Queues a compilation for a worker thread.
void compileInBackground(std::function<void()> task);

// Starts no further compilation and waits for the running ones. Call before main returns: the generator's own statics
// are gone after that, and a compilation in the background would crash.
void finishCodeGeneration();

}  // namespace pelorus
