// Analyses the data flow of bytecode: which registers an instruction reads and writes, and which are live at each
// instruction. The translation to scalar code drops dead registers at a join.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "interpreter/bytecode/compiled_function.h"

namespace pelorus {

struct Effects {
    std::vector<Operand> reads;
    std::vector<Operand> writes;
};

// Returns the registers read and written; nullopt for an instruction that may read anything.
std::optional<Effects> effectsOf(const CompiledFunction& code, const Instruction& i);

// Returns the instructions that may run next; `pc` is the position of the instruction itself.
std::vector<int32_t> successorsOf(const Instruction& i, int32_t pc);

// The operands that a function's instructions use, densely numbered, and after `analyze` their liveness: named
// variables are always live, since eval and queries may read them. A translator owns it; one thread uses it.
class RegisterLiveness {
public:
    // Numbers the operands, in time that grows with the instructions.
    explicit RegisterLiveness(const CompiledFunction& code);

    // Finds where each operand is live: some passes over a bit for each instruction and operand, so callers bound both
    // before.
    void analyze(const CompiledFunction& code);

    size_t count() const { return operands_.size(); }
    Operand operand(size_t number) const { return operands_[number]; }
    // Returns the operand's number, -1 when no instruction uses it.
    int number(Operand o) const {
        auto it = numbers_.find(o);
        return it == numbers_.end() ? -1 : it->second;
    }
    // Returns whether the operand may be read before it is written, from instruction `pc` on; only after `analyze`.
    bool isAlive(size_t number, int32_t pc) const {
        return (row(static_cast<size_t>(pc))[number / 64] & bit(number)) != 0;
    }

private:
    static uint64_t bit(size_t number) { return uint64_t{1} << (number % 64); }
    uint64_t* row(size_t pc) { return alive_.data() + pc * words_; }
    const uint64_t* row(size_t pc) const { return alive_.data() + pc * words_; }

    std::vector<Operand> operands_;
    std::unordered_map<Operand, int> numbers_;
    std::vector<uint64_t> alive_;  // before each instruction, a bit for each operand
    size_t words_ = 0;             // of an instruction
};

}  // namespace pelorus
