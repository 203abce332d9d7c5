// Tests where operands of bytecode are live, and that a large function costs no more than its size.
#include "interpreter/codegen/register_effects.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

constexpr Operand kFirst = operand(Space::Frame, 0);
constexpr Operand kSecond = operand(Space::Frame, 1);
constexpr Operand kConstant = operand(Space::Constants, 0);

Instruction jump(Op op, Operand condition, int32_t target) {
    return {op, 0, condition, static_cast<Operand>(target >> 16), static_cast<Operand>(target & 0xffff)};
}

Ref<CompiledFunction> functionOf(std::vector<Instruction> code) {
    auto function = makeRef<CompiledFunction>();
    function->code = std::move(code);
    return function;
}

bool isAlive(const RegisterLiveness& liveness, Operand o, int32_t pc) {
    REQUIRE(liveness.number(o) >= 0);
    return liveness.isAlive(static_cast<size_t>(liveness.number(o)), pc);
}

}  // namespace

TEST_CASE("a register is live from where it is written to where it is read last") {
    auto code = functionOf({{Op::Move, 0, kFirst, kConstant, 0},    // 0: first = constant
                            {Op::Add, 0, kSecond, kFirst, kFirst},  // 1: second = first + first
                            {Op::Return, 0, kSecond, 0, 0}});       // 2: second
    RegisterLiveness liveness(*code);
    liveness.analyze(*code);
    CHECK_FALSE(isAlive(liveness, kFirst, 0));
    CHECK(isAlive(liveness, kFirst, 1));
    CHECK_FALSE(isAlive(liveness, kFirst, 2));
    CHECK(isAlive(liveness, kSecond, 2));
    CHECK(liveness.number(operand(Space::Frame, 7)) == -1);
}

TEST_CASE("what a later pass of a loop reads is live through the loop") {
    auto code = functionOf({{Op::Move, 0, kFirst, kConstant, 0},
                            {Op::Add, 0, kSecond, kFirst, kConstant},  // 1: the loop begins
                            jump(Op::JumpIfTrue, kSecond, 1),
                            {Op::Return, 0, kConstant, 0, 0}});
    RegisterLiveness liveness(*code);
    liveness.analyze(*code);
    CHECK(isAlive(liveness, kFirst, 2));
    CHECK_FALSE(isAlive(liveness, kFirst, 3));
    CHECK_FALSE(isAlive(liveness, kSecond, 1));
}

TEST_CASE("named variables are always live, and everything is where an instruction may read anything") {
    auto code = functionOf({{Op::Move, 0, kFirst, kConstant, 0},
                            {Op::Move, 0, kSecond, kConstant, 0},
                            {Op::Query, 0, kFirst, 0, 0},
                            {Op::Return, 0, kFirst, 0, 0}});
    RegisterLiveness plain(*code);
    plain.analyze(*code);
    CHECK(isAlive(plain, kSecond, 2));
    CHECK_FALSE(isAlive(plain, kSecond, 3));
    code->variables.emplace_back("x", kSecond);
    RegisterLiveness named(*code);
    named.analyze(*code);
    CHECK(isAlive(named, kSecond, 0));
    CHECK(isAlive(named, kSecond, 3));
}

TEST_CASE("more operands than a word has bits are told apart") {
    std::vector<Instruction> code;
    for (int k = 0; k < 200; ++k) code.push_back({Op::Move, 0, operand(Space::Frame, k), kConstant, 0});
    for (int k = 0; k < 200; ++k) code.push_back({Op::Move, 0, kFirst, operand(Space::Frame, k), 0});
    auto function = functionOf(std::move(code));
    RegisterLiveness liveness(*function);
    liveness.analyze(*function);
    for (int k = 1; k < 200; ++k) {
        INFO(k);
        CHECK_FALSE(isAlive(liveness, operand(Space::Frame, k), k));
        CHECK(isAlive(liveness, operand(Space::Frame, k), k + 1));
        CHECK(isAlive(liveness, operand(Space::Frame, k), 200 + k));
        if (k < 199) CHECK_FALSE(isAlive(liveness, operand(Space::Frame, k), 201 + k));
    }
}
