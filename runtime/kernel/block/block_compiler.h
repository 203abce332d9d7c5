// Hook for machine code for block programs, set when the process has a code generator. The results are those of the
// kernels, to the bit.
//
// One piece of code serves all programs of one structure: their constants are arguments, in the order of their
// registers, unless they are NULL, which shapes the code.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/kernel/block/block_program.h"

namespace pelorus {

// Evaluates all rows: `inputs` are the elements of the program's inputs, in order, `constants` one word for each
// constant.
using CompiledBlock = void (*)(const char* const* inputs, const uint64_t* constants, char* out, int64_t count);

// Reference to machine code, which stays loaded while a reference to it exists.
using CompiledBlockRef = std::shared_ptr<const CompiledBlock>;

// Returns the code for a program, or null while there is none. Thread-safe.
using BlockCompiler = CompiledBlockRef (*)(const BlockProgram& program, int64_t count);
void setBlockCompiler(BlockCompiler compiler);

CompiledBlockRef compiledBlock(const BlockProgram& program, int64_t count);

// Returns whether a register is a constant that code takes as an argument.
bool isCodeArgument(const BlockProgram::RegisterInfo& info);
// The code generator gets that function with each program, since it wants no symbol of the engine.
using ArgumentTest = bool (*)(const BlockProgram::RegisterInfo& info);
// Returns the constants and parameters of a program as its code takes them: values of their lanes in the low bytes of
// words.
std::vector<uint64_t> codeArguments(const BlockProgram& program, std::span<const Value> parameters = {});

}  // namespace pelorus
