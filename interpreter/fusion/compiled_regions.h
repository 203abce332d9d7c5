// Machine code for hot fused regions: which are hot, and the cache of what was compiled.
//
// A region is known by its operators, types and constants. Once it has worked through enough rows it is compiled in the
// background while the block evaluator goes on; later blocks and later queries with the same region use the code. The
// generator is a shared library that is opened on first use, so that a short script does not pay for it.
#pragma once

#include <string>

#include "runtime/kernel/block_program.h"

namespace pelorus {

enum class JitMode {
    Off,     // block evaluator only
    Hot,     // compile what is hot, in the background
    Always,  // compile before the first block: for tests
};

// From the setting or the environment variable PELORUS_JIT: off, hot (the default), always. Called once at start.
void enableCompiledRegions(JitMode mode);
JitMode jitModeFromEnvironment();

// Compiles nothing more and waits for what is under way. Before main returns: the code generator's own statics are gone
// after that, and a compilation in the background would crash.
void finishCompiledRegions();

// Regions compiled so far; for tests and monitoring.
int64_t compiledRegionCount();

// What identifies a region; empty when it holds a step that cannot be compiled.
std::string regionKey(const BlockProgram& program);

}  // namespace pelorus
