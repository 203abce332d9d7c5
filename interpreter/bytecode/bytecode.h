// Defines the instructions of the virtual machine: a register machine over four spaces of values.
//
// An operand names a space in its top two bits and a position in it in the others:
//   frame      the registers of the running call: parameters, locals, temporaries
//   constants  of the compiled function
//   globals    variables of the session (top-level code only)
//   captures   values that a lambda captured when it was made
#pragma once

#include <cstdint>

#include "runtime/code/expression.h"

namespace pelorus {

using Operand = uint16_t;

enum class Space : uint8_t { Frame, Constants, Globals, Captures };
constexpr int kOperandIndexBits = 14;
constexpr int kMaxOperandIndex = (1 << kOperandIndexBits) - 1;

constexpr Operand operand(Space space, int index) {
    return static_cast<Operand>((static_cast<int>(space) << kOperandIndexBits) | index);
}
constexpr int spaceOf(Operand o) {
    return o >> kOperandIndexBits;
}
constexpr int indexOf(Operand o) {
    return o & kMaxOperandIndex;
}

// a is the target unless said otherwise; [b, c) are c registers of the frame from b on.
enum class Op : uint8_t {
    Move,         // a = b; with extra set a table in memory or a view is copied
    Take,         // a = b, which is VOID afterwards
    Binary,       // a = b op c, op in extra; the operators below have their own instructions
    Unary,        // a = op b, op in extra
    Jump,         // jumps to target
    JumpIfFalse,  // a is the condition (NULL is false)
    JumpIfTrue,
    JumpIfFalseBool,   // a is a scalar BOOL false: the right side of && need not run
    JumpIfTrueBool,    // a is a scalar BOOL true: the right side of || need not run
    JumpUnlessScalar,  // a is no scalar: a ternary works elementwise
    Select,            // a = iif(b, c, register after c)
    Call,              // a = call site number b
    MakeTuple,         // a = ([b, c))
    MakeList,          // a = [[b, c)]
    MakeDictionary,    // a = {…}: c pairs of registers from b on
    MakeClosure,       // a = constant function b with captures; c: number of the capture list
    MakePartial,       // a = call site number b as a partial application
    MakeCode,          // a = CODE of constant b, macro variables filled in
    Index,             // a = b[…]: extra registers from c on
    IndexStore,        // a[…] = value: extra registers from b on; c is the value
    Member,            // a = b.name, name is constant c
    Unpack,            // registers from a on, extra of them, from b
    Query,             // a = run query of constant b
    LoadShared,        // a = shared object named by constant b
    ForStart,          // a = range b, prepared for the loop; register a + 1 is the position
    ForSequence,       // a = range b..c, prepared without making its vector; register a + 1 is the position
    ForNext,           // a = next element of b, and skip the next instruction; otherwise run it
    Try,               // an error from here on goes to target, with a = the exception
    EndTry,
    Throw,           // a
    Assert,          // a is the condition, b the name (constant)
    TimerStart,      // a
    TimerStop,       // a
    CountDown,       // a = a - 1; jumps to target while a was above 0
    DefineFunction,  // session function: constant b, cell constant c
    Share,           // a as name constant b
    Directive,       // use, undef all …: kind in extra, text constant b
    Show,            // a is the value of a top-level statement; shown unless extra is set
    Statement,       // a statement begins, in code for a debugger
    Return,          // a
    // a = b op c for operators with a fast path for scalars: one jump selects it. In the order of Operator.
    Lt,
    Le,
    Eq,
    Gt,
    Ge,
    Ne,
    BitOr,
    BitXor,
    BitAnd,
    ShiftLeft,
    ShiftRight,
    Add,
    Sub,
    Mul,
    Dot,
    Div,
    Ratio,
    Mod,
};

constexpr Op binaryOp(Operator op) {
    if (op < Operator::Lt || op > Operator::Mod) return Op::Binary;
    return static_cast<Op>(static_cast<int>(Op::Lt) + static_cast<int>(op) - static_cast<int>(Operator::Lt));
}
constexpr bool isBinary(Op op) {
    return op == Op::Binary || op >= Op::Lt;
}
static_assert(binaryOp(Operator::Mod) == Op::Mod && binaryOp(Operator::Lt) == Op::Lt);

// One instruction, in 8 bytes.
struct Instruction {
    Op op;
    uint8_t extra;
    Operand a, b, c;

    int32_t target() const { return static_cast<int32_t>(b) << 16 | c; }
    void setTarget(int32_t target) {
        b = static_cast<Operand>(target >> 16);
        c = static_cast<Operand>(target & 0xffff);
    }
};
static_assert(sizeof(Instruction) == 8);

}  // namespace pelorus
