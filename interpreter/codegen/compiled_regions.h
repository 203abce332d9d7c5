// Detects hot regions, compiles them to machine code, and caches the code.
//
// A region is identified by its structure: operators, types, and which of its constants are NULL; other constants are
// arguments of the code. Once it has processed enough rows it is compiled in the background while the block evaluator
// continues; later blocks and later queries with the same structure use the code. The cache is bounded and evicts the
// least recently used region. The generator is a shared library that is opened on first use, so that a short script
// does not pay for it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/kernel/block/block_program.h"

namespace pelorus {

// Lets block programs search for machine code. Called once at start, after setJitMode.
void enableCompiledRegions();

// Returns the number of regions compiled so far; for tests and monitoring.
int64_t compiledRegionCount();

// Returns the bytes that identify a region; empty when it holds a step that cannot be compiled.
std::string regionKey(const BlockProgram& program);

}  // namespace pelorus
