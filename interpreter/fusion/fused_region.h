// Running a fused region: the tree of operators becomes one block program for the types at hand.
#pragma once

#include <functional>
#include <span>

#include "interpreter/compiled_function.h"
#include "runtime/kernel/block_program.h"

namespace pelorus {

// A long vector among the leaves, and nothing that the block kernels cannot take.
bool isWorthFusing(std::span<const Value* const> leaves);

// The region's value for these leaves. Throws UserError as the single operators would.
Value runFused(const FusedRegion& region, std::span<const Value* const> leaves);

// Adds an expression to a program. `leaf` gives the register of a Name node.
BlockProgram::Register addToProgram(BlockProgram& program, const Node& node,
                                    const std::function<BlockProgram::Register(const Name&)>& leaf);

}  // namespace pelorus
