// Scalar code is the intermediate representation between bytecode and machine code: typed operations on slots of 64
// bits, in blocks. A slot holds the payload of a scalar Value: integers sign-extended, NULL as the NULL of the type's
// own width, the bits of a DOUBLE. Results equal those of runtime/kernel/block/scalar_arithmetic.h to the bit.
//
// A unit has an entry and, when the entry calls script functions, those functions. The entry works on the registers of
// a running activation. It begins at one instruction and leaves through an exit: at an instruction that it cannot do,
// at a guard that failed, at a return. An exit writes the slots back to the registers, so the interpreter goes on as if
// it had run every instruction itself. Functions below the entry only compute: when a guard fails in one of them, it
// bails out, and its caller leaves just before the call, which the interpreter then does from the start.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "interpreter/bytecode/bytecode.h"
#include "runtime/registry/scalar_form.h"
#include "runtime/value/value.h"

namespace pelorus {

class Context;
struct BoxedCall;

enum class ScalarOp : uint8_t {
    Constant,  // out = immediate
    Copy,      // out = a
    // integers, wrapping, NULL in NULL out; `type` is INT or LONG
    Add,
    Sub,
    Mul,
    FloorDiv,
    Mod,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Negate,
    AddReal,
    SubReal,
    MulReal,
    DivReal,
    NegateReal,
    Lt,
    Le,
    Eq,
    Gt,
    Ge,
    Ne,  // slots as integers; NULL is the smallest
    LtReal,
    LeReal,
    EqReal,
    GtReal,
    GeReal,
    NeReal,
    And,
    Or,         // one side NULL: the other side
    OrOfKnown,  // one side NULL: NULL
    Not,        // BOOL with NULL
    ToInt,      // converts from a narrower `type`, keeps NULL
    ToLong,     // converts from the integers of `type`, keeps NULL
    ToReal,     // converts from the integers of `type`, keeps NULL
    ToBool,     // converts from `type`, keeps NULL
    IsNull,     // out = whether slot a is the NULL of `type`
    IsTrue,     // out = 1 for a condition of `type` that holds, else 0
    Absolute,
    AbsoluteReal,
    SquareRoot,
    Select,    // out = slot b where slot a is 1, slot `arguments[0]` where it is 0, NULL of `type` where it is NULL
    Function,  // out = result of `form` for `arguments`; leaves through `exit` when it declines
    Boxed,     // out = result of call number a of the unit for `arguments`; leaves through `exit` when it fails
    Length,    // out = number of elements of vector a
    Load,      // out = vector a [slot b]; leaves through `exit` when b is outside
    Store,     // vector a [slot b] = slot out; leaves through `exit` when b is outside or the vector is shared
    Next,      // out = a + 1, which is never NULL
    Guard,     // leaves through `exit` unless slot a is 1
    Call,      // out = function number a of the unit (slots of `arguments`); leaves through `exit` when that bails out
    // Range that `for` walks, begin in slot a, end in slot a + 1: out = the element at position b, counting down when
    // end < begin.
    RangeElement,
    RangeCount,       // out = its number of elements
    SequenceElement,  // out = the element of begin..end, both inclusive
    SequenceCount,
};

struct ScalarStep {
    ScalarOp op;
    Type type = Type::Long;
    int out = -1;
    int a = -1;
    int b = -1;
    int exit = -1;
    int64_t immediate = 0;
    std::vector<int> arguments;
    const ScalarForm* form = nullptr;  // lives as long as the process
};

struct ScalarBlock {
    enum class End : uint8_t { Jump, Branch, Exit, Return };
    std::vector<ScalarStep> steps;
    End end = End::Exit;
    int slot = -1;        // slot of Branch (0 or 1) and Return
    int target = -1;      // block of Jump, of Branch when the slot is 1; number of the Exit
    int otherwise = -1;   // block of Branch when the slot is 0
    bool isData = false;  // Branch: on data, as an `if`, which the processor may not predict
    bool isLoop = false;  // a loop begins here: checks for a cancelled request
    int cancelExit = -1;
};

// A register that an exit writes back.
struct WriteBack {
    enum class Kind : uint8_t { Plain, Range, Sequence, Alias };
    Kind kind = Kind::Plain;
    Operand place = 0;
    Type type = Type::Void;
    int slot = -1;       // Range, Sequence: the first of two
    Operand source = 0;  // Alias: another register that holds the vector
};

struct ScalarExit {
    int32_t pc = 0;  // instruction where the interpreter continues
    std::vector<WriteBack> writes;
};

// A register that the entry reads.
struct ScalarInput {
    enum class Kind : uint8_t { Plain, Vector, WrittenVector, Range };
    Kind kind = Kind::Plain;
    Operand place = 0;
    Type type = Type::Void;
    int slot = -1;  // Plain; Vector: the number of the vector; Range: the first of two
};

struct ScalarFunction {
    std::vector<ScalarBlock> blocks;  // the first is the entry
    int slots = 0;
    std::vector<int> parameters;  // slots; not of the entry
};

struct ScalarRun;

// Functions of the process that machine code calls. The generator finds them here, so that it needs no symbol of the
// program or library that has opened it.
struct ScalarSupport {
    // Returns the elements of a vector in a register. sizes[0] is its length, sizes[1] how many elements may be
    // written: none unless `forWriting` and the register is its only owner.
    char* (*elements)(Value* vector, bool forWriting, int64_t* sizes);
    void (*assign)(Value* place, int32_t type, int64_t bits);
    void (*assignRange)(Value* place, int32_t type, int64_t begin, int64_t end, bool isSequence);
    void (*copy)(Value* place, const Value* source);
    // Returns false when the call fails or returns another type than it was translated for: the interpreter repeats it.
    bool (*callBoxed)(const BoxedCall* call, const int64_t* slots, int64_t* result, const ScalarRun* run);
};
extern const ScalarSupport scalarSupport;

struct ScalarUnit {
    std::vector<ScalarFunction> functions;  // the first is the entry, unless the unit is a function itself
    std::vector<ScalarInput> inputs;
    std::vector<ScalarExit> exits;
    std::vector<std::shared_ptr<const BoxedCall>> boxed;  // machine code refers to them
    int vectors = 0;
    const ScalarSupport* support = &scalarSupport;
};

// State of one run of machine code. The flag comes first: machine code reads it.
struct ScalarRun {
    const std::atomic<bool>* cancelled;
    Context* context;
};

// Machine code of an entry. `spaces` are those of the machine. Returns the instruction where the interpreter continues.
using ScalarEntry = int32_t (*)(Value* const* spaces, const ScalarRun* run);
// Machine code of a function. `arguments` are slots. Returns false when it bailed out.
using ScalarCall = bool (*)(const int64_t* arguments, int64_t* result, const ScalarRun* run);

constexpr int kMaxScalarDepth = 900;  // calls in machine code; deeper ones are interpreted

}  // namespace pelorus
