// Where machine code for block programs comes from, when a process has a code generator. The results are those of the
// kernels, to the bit.
#pragma once

#include <cstdint>

namespace pelorus {

class BlockProgram;

// Evaluates all rows: `inputs` are the items of the program's inputs, in order.
using CompiledBlock = void (*)(const char* const* inputs, char* out, int64_t count);

// Gives the code for a program, or nullptr while there is none. Thread-safe.
using BlockCompiler = CompiledBlock (*)(const BlockProgram& program, int64_t count);
void setBlockCompiler(BlockCompiler compiler);

CompiledBlock compiledBlock(const BlockProgram& program, int64_t count);

}  // namespace pelorus
