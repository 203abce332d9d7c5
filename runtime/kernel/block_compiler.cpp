#include "runtime/kernel/block_compiler.h"

#include <atomic>

namespace pelorus {

static std::atomic<BlockCompiler> current{nullptr};

void setBlockCompiler(BlockCompiler compiler) {
    current = compiler;
}

CompiledBlock compiledBlock(const BlockProgram& program, int64_t count) {
    BlockCompiler compiler = current.load(std::memory_order_acquire);
    return compiler ? compiler(program, count) : nullptr;
}

}  // namespace pelorus
