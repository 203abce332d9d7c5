#include "runtime/kernel/block/block_compiler.h"

#include <atomic>
#include <cstring>

namespace pelorus {

static std::atomic<BlockCompiler> current{nullptr};

void setBlockCompiler(BlockCompiler compiler) {
    current = compiler;
}

CompiledBlockRef compiledBlock(const BlockProgram& program, int64_t count) {
    BlockCompiler compiler = current.load(std::memory_order_acquire);
    return compiler ? compiler(program, count) : nullptr;
}

bool isCodeArgument(const BlockProgram::RegisterInfo& info) {
    return info.source == BlockProgram::Source::Constant && (info.parameter >= 0 || !info.constant.isNull());
}

std::vector<uint64_t> codeArguments(const BlockProgram& program, std::span<const Value> parameters) {
    std::vector<uint64_t> words;
    for (int r = 0; r < program.registerCount(); ++r) {
        const BlockProgram::RegisterInfo& info = program.info(r);
        if (!isCodeArgument(info)) continue;
        const Value& constant = info.parameter < 0 ? info.constant : parameters[static_cast<size_t>(info.parameter)];
        uint64_t word = 0;
        if (laneOf(info.type) == Lane::F64) {
            const double x = constant.real();
            std::memcpy(&word, &x, sizeof x);
        } else if (laneOf(info.type) == Lane::F32) {
            const auto x = static_cast<float>(constant.real());
            std::memcpy(&word, &x, sizeof x);
        } else {
            word = static_cast<uint64_t>(constant.integer());
        }
        words.push_back(word);
    }
    return words;
}

}  // namespace pelorus
