#include "interpreter/codegen/register_effects.h"

#include <algorithm>
#include <span>

namespace pelorus {

std::optional<Effects> effectsOf(const CompiledFunction& code, const Instruction& i) {
    auto registers = [](Operand first, int count) {
        std::vector<Operand> all;
        for (int k = 0; k < count; ++k) all.push_back(static_cast<Operand>(first + k));
        return all;
    };
    auto next = [](Operand o) { return static_cast<Operand>(o + 1); };
    if (isBinary(i.op)) return Effects{{i.b, i.c}, {i.a}};
    switch (i.op) {
        case Op::Move:
        case Op::Take:
        case Op::Unary:
            return Effects{{i.b}, {i.a}};
        case Op::Jump:
            return Effects{};
        case Op::JumpIfFalse:
        case Op::JumpIfTrue:
        case Op::JumpIfFalseBool:
        case Op::JumpIfTrueBool:
        case Op::JumpUnlessScalar:
        case Op::Return:
        case Op::Throw:
            return Effects{{i.a}, {}};
        case Op::Index: {
            Effects e{registers(i.c, i.extra), {i.a}};
            e.reads.push_back(i.b);
            return e;
        }
        case Op::IndexStore: {
            Effects e{registers(i.b, i.extra), {}};
            e.reads.push_back(i.a);
            e.reads.push_back(i.c);
            return e;
        }
        case Op::ForStart:
            return Effects{{i.b}, {i.a, next(i.a)}};
        case Op::ForSequence:
            return Effects{{i.b, i.c}, {i.a, next(i.a)}};
        case Op::ForNext:
            return Effects{{i.b, next(i.b)}, {i.a, next(i.b)}};
        case Op::Call: {
            const CallSite& site = code.callSites[i.b];
            Effects e{registers(operand(Space::Frame, site.base), site.count), {i.a}};
            e.reads.push_back(site.callee);
            for (const auto& [index, variable] : site.inPlace) e.reads.push_back(variable);
            for (const auto& [index, variable] : site.changeable) e.reads.push_back(variable);
            return e;
        }
        default:
            return std::nullopt;
    }
}

std::vector<int32_t> successorsOf(const Instruction& i, int32_t pc) {
    switch (i.op) {
        case Op::Jump:
            return {i.target()};
        case Op::JumpIfFalse:
        case Op::JumpIfTrue:
        case Op::JumpIfFalseBool:
        case Op::JumpIfTrueBool:
        case Op::JumpUnlessScalar:
        case Op::CountDown:
        case Op::Try:
            return {pc + 1, i.target()};
        case Op::ForNext:
            return {pc + 1, pc + 2};
        case Op::Return:
        case Op::Throw:
            return {};
        default:
            return {pc + 1};
    }
}

RegisterLiveness::RegisterLiveness(const CompiledFunction& code) {
    auto note = [&](Operand o) {
        if (numbers_.try_emplace(o, static_cast<int>(operands_.size())).second) operands_.push_back(o);
    };
    for (const Instruction& i : code.code) {
        auto effects = effectsOf(code, i);
        if (!effects) continue;
        for (Operand o : effects->reads) note(o);
        for (Operand o : effects->writes) note(o);
    }
}

void RegisterLiveness::analyze(const CompiledFunction& code) {
    words_ = (operands_.size() + 63) / 64;
    std::vector<uint64_t> always(words_);
    for (const auto& [name, place] : code.variables) {
        if (int n = number(place); n >= 0) always[static_cast<size_t>(n) / 64] |= bit(static_cast<size_t>(n));
    }
    const size_t count = code.code.size();
    std::vector<std::optional<Effects>> effects(count);
    std::vector<std::vector<int32_t>> successors(count);
    alive_.resize(count * words_);
    for (size_t pc = 0; pc < count; ++pc) {
        effects[pc] = effectsOf(code, code.code[pc]);
        successors[pc] = successorsOf(code.code[pc], static_cast<int32_t>(pc));
        std::ranges::copy(always, row(pc));
    }
    std::vector<uint64_t> live(words_);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t pc = count; pc-- > 0;) {
            if (!effects[pc]) {
                std::ranges::fill(live, ~uint64_t{0});
            } else {
                live = always;
                for (int32_t next : successors[pc]) {
                    if (static_cast<size_t>(next) >= count) continue;
                    const uint64_t* after = row(static_cast<size_t>(next));
                    for (size_t w = 0; w < words_; ++w) live[w] |= after[w];
                }
                for (Operand o : effects[pc]->writes) {
                    auto n = static_cast<size_t>(number(o));
                    live[n / 64] &= ~bit(n) | always[n / 64];
                }
                for (Operand o : effects[pc]->reads)
                    live[static_cast<size_t>(number(o)) / 64] |= bit(static_cast<size_t>(number(o)));
            }
            if (!std::ranges::equal(live, std::span(row(pc), words_))) {
                std::ranges::copy(live, row(pc));
                changed = true;
            }
        }
    }
}

}  // namespace pelorus
