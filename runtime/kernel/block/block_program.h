// An elementwise expression over vectors, evaluated in blocks that stay in cache: a chain of n operators reads memory
// once and writes it once. Single operators, fused regions of scripts, and the filters and projections of queries are
// all one of these.
//
// Built once for the types of its inputs, then run over any number of rows. Building throws UserError when the types do
// not fit. A built program is immutable: threads share it, each with its own Scratch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/code/expression.h"
#include "runtime/function/function.h"
#include "runtime/kernel/block/block_kernels.h"
#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

class Context;

class BlockProgram {
public:
    static constexpr int kBlockElements = 2048;
    using Register = int;

    // Adds the next input: vector number `index` of `run`, of this type.
    Register input(int index, Type type);
    // Adds a scalar for all rows: a number, a temporal, BOOL or VOID.
    Register constant(const Value& scalar);
    // Adds a scalar of this type that each run supplies, as number `index`.
    Register parameter(int index, Type type);
    Register binary(Operator op, Register a, Register b);
    Register negate(Register a);
    Register logicalNot(Register a);
    Register absolute(Register a);
    Register isNull(Register a);
    // Adds a numeric or temporal cast, as cast.h does it.
    Register cast(Register a, Type type);
    Register select(Register condition, Register a, Register b);
    // Adds an elementwise function of one register, such as sqrt, from `argument` elements to `result` elements.
    Register map(Register a, Type argument, Type result, BlockKernels::Unary kernel);

    // An operand of any other function that is elementwise and pure, called for a block at a time: a register, or a
    // parameter or constant of any type where there is none.
    struct CallOperand {
        Register elements = -1;
        int parameter = -1;
        Value constant;
    };
    Register call(Ref<Function> function, std::vector<CallOperand> operands, Type result);

    bool isComparedBy(Register a) const;
    Type typeOf(Register r) const { return registers_[static_cast<size_t>(r)].type; }
    void setResult(Register r);

    // The memory for one thread's blocks.
    class Scratch {
    public:
        // Allocates memory for blocks of at most `rows` rows. A program with calls needs a context of this thread.
        Scratch(const BlockProgram& program, int64_t rows, Context* context = nullptr,
                std::span<const Value> parameters = {});

    private:
        friend class BlockProgram;
        std::shared_ptr<Buffer> memory_;
        std::vector<char*> registers_;
        Context* context_;
        std::span<const Value> parameters_;
    };

    // Evaluates rows [begin, begin + n) of the inputs, n <= kBlockElements, into `out`.
    void runBlock(std::span<const Vector* const> inputs, int64_t begin, int n, char* out, Scratch& scratch) const;
    // Evaluates all rows into a new vector. A program with calls needs the context.
    Ref<Vector> run(std::span<const Vector* const> inputs, int64_t count, Context* context = nullptr,
                    std::span<const Value> parameters = {}) const;
    bool hasCalls() const { return !calls_.empty(); }

    Type resultType() const { return typeOf(result_); }

    // The program as data, for a code generator (block_compiler.h).
    enum class Source : uint8_t { Input, Constant, Step };
    struct RegisterInfo {
        Type type;
        Source source;
        int index = 0;  // index of the input, or of the scratch buffer
        Value constant;
        int parameter = -1;  // number of a constant that each run supplies; -1: none
    };
    // The kind of a step, in addition to its kernel. Arithmetic and comparisons are named by `op` on `lane`; Opaque is
    // known by its kernel only.
    enum class Action : uint8_t {
        Arithmetic,
        And,
        Or,
        Not,
        Negate,
        Absolute,
        IsNull,
        ToBool,
        Convert,
        Select,
        Opaque,
        Call
    };
    struct Step {
        Action action = Action::Opaque;
        BlockOp op = BlockOp::Add;
        Lane lane = Lane::I32;  // lane of the operands
        BlockKernels::Binary binary = nullptr;
        BlockKernels::Unary unary = nullptr;
        BlockKernels::Select select = nullptr;
        Register a = -1, b = -1, c = -1, out = -1;
        int call = -1;
    };
    const std::vector<Step>& steps() const { return steps_; }
    const RegisterInfo& info(Register r) const { return registers_[static_cast<size_t>(r)]; }
    Register result() const { return result_; }
    int registerCount() const { return static_cast<int>(registers_.size()); }

private:
    struct CallStep {
        Ref<Function> function;
        std::vector<CallOperand> operands;
    };
    void runCall(const Step& step, std::span<const Vector* const> inputs, int64_t begin, int n, char* out,
                 const Scratch& scratch) const;
    Register newRegister(Type type);
    Register arithmetic(BlockOp op, Register a, Register b, Type operands, Type result);
    Register binaryStep(Action action, BlockKernels::Binary kernel, Register a, Register b, Type result);
    Register unaryStep(Action action, BlockKernels::Unary kernel, Register a, Type result);
    // Returns the register with its elements reinterpreted as another type of the same lane.
    Register retype(Register a, Type type);
    Register castTemporal(Register a, Type to);
    Register nullBeyond(Register given, int64_t most, Register result);

    std::vector<RegisterInfo> registers_;
    std::vector<Step> steps_;
    std::vector<CallStep> calls_;
    Register result_ = -1;
    int buffers_ = 0;
};

}  // namespace pelorus
