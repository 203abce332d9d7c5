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

// The liveness of the operands that a function's instructions use, densely numbered. Named variables are always live,
// since eval and queries may read them. Immutable.
class RegisterLiveness {
public:
    explicit RegisterLiveness(const CompiledFunction& code);

    size_t count() const { return operands_.size(); }
    Operand operand(size_t number) const { return operands_[number]; }
    // Returns the operand's number, -1 when no instruction uses it.
    int number(Operand o) const {
        auto it = numbers_.find(o);
        return it == numbers_.end() ? -1 : it->second;
    }
    bool isAlive(size_t number, int32_t pc) const { return alive_[static_cast<size_t>(pc)][number]; }

private:
    std::vector<Operand> operands_;
    std::unordered_map<Operand, int> numbers_;
    std::vector<std::vector<bool>> alive_;  // before each instruction
};

}  // namespace pelorus
