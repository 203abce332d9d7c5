// Machine code for hot fused regions: which are hot, and the cache of what was compiled.
//
// A region is known by its operators, types and constants. Once it has worked through enough rows it is compiled in the
// background while the block evaluator goes on; later blocks and later queries with the same region use the code. The
// generator is a shared library that is opened on first use, so that a short script does not pay for it.
#pragma once

#include <string>

#include "runtime/kernel/block_program.h"

namespace pelorus {

// Lets block programs find machine code. Called once at start, after setJitMode.
void enableCompiledRegions();

// Regions compiled so far; for tests and monitoring.
int64_t compiledRegionCount();

// What identifies a region; empty when it holds a step that cannot be compiled.
std::string regionKey(const BlockProgram& program);

}  // namespace pelorus
