// The code generator's library: opened on first use, so that a short script does not pay for it, and asked in the
// background, so that what becomes hot goes on while it is compiled.
#pragma once

#include <functional>

namespace pelorus {

enum class JitMode {
    Off,     // interpreter and block evaluator only
    Hot,     // compile what is hot, in the background
    Always,  // compile everything before its first use: for tests
};

// Set once at start. From the environment variable PELORUS_JIT: off, hot (the default), always.
void setJitMode(JitMode mode);
JitMode jitMode();
JitMode jitModeFromEnvironment();

// A function of the library by name, or nullptr when there is no library.
void* generatorFunction(const char* name);

// Frees machine code that nobody runs any more; null is none.
void releaseCode(const void* code);

// Runs a compilation soon on a worker.
void compileInBackground(std::function<void()> task);

// Starts nothing more and waits for what is under way. Before main returns: the generator's own statics are gone after
// that, and a compilation in the background would crash.
void finishCodeGeneration();

}  // namespace pelorus
