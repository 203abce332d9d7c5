#include "runtime/kernel/block/block_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "common/time/calendar.h"
#include "runtime/function/context.h"
#include "runtime/kernel/block/block_compiler.h"
#include "runtime/kernel/block/month_kernels.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

using Register = BlockProgram::Register;

static BlockOp blockOp(Operator op) {
    switch (op) {
        case Operator::Lt:
            return BlockOp::Lt;
        case Operator::Le:
            return BlockOp::Le;
        case Operator::Eq:
            return BlockOp::Eq;
        case Operator::Gt:
            return BlockOp::Gt;
        case Operator::Ge:
            return BlockOp::Ge;
        case Operator::Ne:
            return BlockOp::Ne;
        case Operator::BitOr:
            return BlockOp::BitOr;
        case Operator::BitXor:
            return BlockOp::BitXor;
        case Operator::BitAnd:
            return BlockOp::BitAnd;
        case Operator::ShiftLeft:
            return BlockOp::ShiftLeft;
        case Operator::ShiftRight:
            return BlockOp::ShiftRight;
        case Operator::Add:
            return BlockOp::Add;
        case Operator::Sub:
            return BlockOp::Sub;
        case Operator::Mul:
            return BlockOp::Mul;
        case Operator::Div:
        case Operator::Ratio:
            return BlockOp::Div;
        case Operator::Mod:
            return BlockOp::Mod;
        default:
            throw InternalError(fmt::format("{} is no elementwise operator", facts(op).symbol));
    }
}

static int laneIndex(Type type) {
    return static_cast<int>(laneOf(type));
}

Register BlockProgram::newRegister(Type type) {
    registers_.push_back({type, Source::Step, buffers_++, Value()});
    return static_cast<Register>(registers_.size()) - 1;
}

Register BlockProgram::input(int index, Type type) {
    if (type == Type::Void) return constant(Value::nullOf(Type::Int));  // a vector without a type holds NULL only
    registers_.push_back({type, Source::Input, index, Value()});
    return static_cast<Register>(registers_.size()) - 1;
}

Register BlockProgram::constant(const Value& scalar) {
    registers_.push_back({scalar.type(), Source::Constant, buffers_++, scalar});
    return static_cast<Register>(registers_.size()) - 1;
}

Register BlockProgram::parameter(int index, Type type) {
    registers_.push_back({type, Source::Constant, buffers_++, Value(), index});
    return static_cast<Register>(registers_.size()) - 1;
}

Register BlockProgram::binaryStep(Action action, BlockKernels::Binary kernel, Register a, Register b, Type result) {
    CHECK(kernel != nullptr) << "a binary step has a kernel for its types";
    Step step;
    step.action = action;
    step.lane = laneOf(typeOf(a));
    step.binary = kernel;
    step.a = a;
    step.b = b;
    step.out = newRegister(result);
    steps_.push_back(step);
    return step.out;
}

Register BlockProgram::arithmetic(BlockOp op, Register a, Register b, Type operands, Type result) {
    Register out =
        binaryStep(Action::Arithmetic, blockKernels().binary[static_cast<int>(op)][laneIndex(operands)], a, b, result);
    steps_.back().op = op;
    steps_.back().lane = laneOf(operands);
    return out;
}

Register BlockProgram::unaryStep(Action action, BlockKernels::Unary kernel, Register a, Type result) {
    CHECK(kernel != nullptr) << "a unary step has a kernel for its type";
    Step step;
    step.action = action;
    step.lane = laneOf(typeOf(a));
    step.unary = kernel;
    step.a = a;
    step.out = newRegister(result);
    steps_.push_back(step);
    return step.out;
}

Register BlockProgram::retype(Register a, Type type) {
    RegisterInfo info = registers_[static_cast<size_t>(a)];
    info.type = type;
    registers_.push_back(std::move(info));
    return static_cast<Register>(registers_.size()) - 1;
}

// Comparisons are never NULL.
bool BlockProgram::isComparedBy(Register a) const {
    return std::any_of(steps_.begin(), steps_.end(), [&](const Step& s) {
        return s.out == a && s.action == Action::Arithmetic && typeOf(a) == Type::Bool;
    });
}

Register BlockProgram::binary(Operator op, Register a, Register b) {
    BinaryPlan plan = planBinary(op, typeOf(a), typeOf(b));
    a = cast(a, plan.operands);
    b = cast(b, plan.operands);
    const BlockKernels& k = blockKernels();
    if (op == Operator::And) return binaryStep(Action::And, k.logicalAnd, a, b, Type::Bool);
    if (op == Operator::OrIgnoringNull || (op == Operator::Or && isComparedBy(a) && isComparedBy(b))) {
        return binaryStep(Action::Or, k.logicalOr, a, b, Type::Bool);
    }
    // The result is NULL where a side is: not (not a and not b).
    if (op == Operator::Or) {
        return logicalNot(binaryStep(Action::And, k.logicalAnd, logicalNot(a), logicalNot(b), Type::Bool));
    }
    Register out = arithmetic(blockOp(op), a, b, plan.operands, plan.result);
    if (plan.wrap == 0) return out;
    return arithmetic(BlockOp::Mod, out, constant(Value::scalar(plan.operands, plan.wrap)), plan.operands, plan.result);
}

Register BlockProgram::negate(Register a) {
    Type type = typeOf(a);
    if (!isNumeric(type)) throw UserError(fmt::format("The operator - does not support {}.", typeName(type)));
    if (type == Type::Bool) a = cast(a, type = Type::Int);
    return unaryStep(Action::Negate, blockKernels().negate[laneIndex(type)], a, type);
}

Register BlockProgram::logicalNot(Register a) {
    return unaryStep(Action::Not, blockKernels().logicalNot, cast(a, Type::Bool), Type::Bool);
}

Register BlockProgram::absolute(Register a) {
    Type type = typeOf(a);
    if (!isNumeric(type)) throw UserError(0, fmt::format("X must be numeric, but it is {}.", typeName(type)));
    if (type == Type::Bool) a = cast(a, type = Type::Int);
    return unaryStep(Action::Absolute, blockKernels().absolute[laneIndex(type)], a, type);
}

Register BlockProgram::isNull(Register a) {
    return unaryStep(Action::IsNull, blockKernels().isNull[laneIndex(typeOf(a))], a, Type::Bool);
}

Register BlockProgram::select(Register condition, Register a, Register b) {
    Type type = commonType(typeOf(a), typeOf(b));
    if (type == Type::Any) {
        throw UserError(fmt::format("The branches of iif are {} and {}; they have no common type.", typeName(typeOf(a)),
                                    typeName(typeOf(b))));
    }
    Register out = newRegister(type);
    Register c = cast(condition, Type::Bool);
    a = cast(a, type);
    b = cast(b, type);
    Step step;
    step.action = Action::Select;
    step.lane = laneOf(type);
    step.select = blockKernels().select[laneIndex(type)];
    step.a = a;
    step.b = b;
    step.c = c;
    step.out = out;
    steps_.push_back(step);
    return out;
}

Register BlockProgram::map(Register a, Type argument, Type result, BlockKernels::Unary kernel) {
    return unaryStep(Action::Opaque, kernel, cast(a, argument), result);
}

Register BlockProgram::call(Ref<Function> function, std::vector<CallOperand> operands, Type result) {
    Step step;
    step.action = Action::Call;
    step.call = static_cast<int>(calls_.size());
    step.out = newRegister(result);
    steps_.push_back(step);
    calls_.push_back({std::move(function), std::move(operands)});
    return step.out;
}

// Returns the largest number that is stored for the type.
static int64_t mostOf(Type type) {
    return INT64_MAX >> (64 - 8 * widthOf(type));
}

Register BlockProgram::cast(Register a, Type to) {
    Type from = typeOf(a);
    if (from == to) return a;
    const RegisterInfo& info = registers_[static_cast<size_t>(a)];
    if (info.source == Source::Constant && info.parameter < 0 && info.constant.isVoid())
        return constant(Value::nullOf(to));
    if (from == Type::Void || to == Type::Void) throw InternalError("a cast to or from VOID in a block");
    const BlockKernels& k = blockKernels();
    if (to == Type::Bool) return unaryStep(Action::ToBool, k.toBool[laneIndex(from)], a, to);
    if (isTemporal(from) && isTemporal(to)) return castTemporal(a, to);
    if (isLiteral(from) || isLiteral(to)) {
        throw UserError(fmt::format("{} cannot be converted to {} here.", typeName(from), typeName(to)));
    }
    if (laneOf(from) == laneOf(to)) return retype(a, to);
    // No date is another one because its number lost bits.
    if (isTemporal(to) && isIntegral(from) && widthOf(from) > widthOf(to)) a = nullBeyond(a, mostOf(to), a);
    return unaryStep(Action::Convert, k.convert[laneIndex(from)][laneIndex(to)], a, to);
}

// Returns `result` where `given` is at most `most` to either side of 0, NULL elsewhere. Both have one type.
Register BlockProgram::nullBeyond(Register given, int64_t most, Register result) {
    const Type type = typeOf(given);
    const Register above = binary(Operator::Ge, given, constant(Value::scalar(type, -most)));
    const Register below = binary(Operator::Le, given, constant(Value::scalar(type, most)));
    return select(binary(Operator::And, above, below), result, constant(Value::nullOf(type)));
}

// Returns the largest value of `from` that `to` can hold, or all that `from` has.
static int64_t mostConvertible(Type from, Type to) {
    const int64_t perDayFrom = calendar::unitsPerDay(from), perDayTo = calendar::unitsPerDay(to);
    if (perDayFrom < perDayTo) return mostOf(to) / (perDayTo / perDayFrom);
    const int64_t by = perDayFrom / perDayTo;
    int64_t most;
    if (__builtin_mul_overflow(mostOf(to), by, &most) || __builtin_add_overflow(most, by - 1, &most))
        return mostOf(from);
    return most;
}

Register BlockProgram::castTemporal(Register a, Type to) {
    Type from = typeOf(a);
    if (!calendar::canConvert(from, to)) {
        throw UserError(fmt::format("The function {} does not support {} data", typeName(to), typeName(from)));
    }
    if (to == Type::Month) {
        Register days = cast(a, Type::Date);
        return unaryStep(Action::Opaque, monthOfDays, days, to);
    }
    if (from == Type::Month) return cast(unaryStep(Action::Opaque, firstDayOfMonths, a, Type::Date), to);
    // The computation is in LONG when either side is wide: the product or quotient is exact there.
    Type wide = widthOf(from) == 8 || widthOf(to) == 8 ? Type::Long : Type::Int;
    const Register given = cast(a, wide);
    Register r = given;
    auto step = [&](BlockOp op, int64_t by) { r = arithmetic(op, r, constant(Value::scalar(wide, by)), wide, wide); };
    int64_t perDayFrom = calendar::unitsPerDay(from);
    int64_t perDayTo = calendar::unitsPerDay(to);
    if (wrapOf(to) != 0 && wrapOf(from) == 0) step(BlockOp::Mod, perDayFrom);
    if (perDayFrom < perDayTo) step(BlockOp::Mul, perDayTo / perDayFrom);
    if (perDayFrom > perDayTo) step(BlockOp::Div, perDayFrom / perDayTo);
    const int64_t most = mostConvertible(from, to);
    if (wrapOf(to) == 0 && most < mostOf(from)) r = nullBeyond(given, most, r);
    if (widthOf(to) == widthOf(wide)) return retype(r, to);
    return unaryStep(Action::Convert, blockKernels().convert[laneIndex(wide)][laneIndex(to)], r, to);
}

void BlockProgram::setResult(Register r) {
    CHECK(r >= 0 && r < registerCount()) << "the result is a register of the program";
    result_ = r;
}

// Elements per task when a long vector is computed by several threads.
constexpr int64_t kParallelElements = int64_t{64} * BlockProgram::kBlockElements;

static void fill(const Value& scalar, char* target, int64_t count) {
    Ref<Vector> elements = Vector::filled(scalar.type(), count, scalar);
    std::memcpy(target, elements->raw(),
                static_cast<size_t>(elements->size()) * static_cast<size_t>(elements->width()));
}

BlockProgram::Scratch::Scratch(const BlockProgram& program, int64_t rows, Context* context,
                               std::span<const Value> parameters)
    : context_(context), parameters_(parameters) {
    // Registers for few rows are not larger than needed: calls on single rows and small windows make many of them.
    constexpr int64_t kUnit = 32;
    const int64_t elements = std::min<int64_t>(kBlockElements, (rows + kUnit - 1) / kUnit * kUnit);
    const size_t registerBytes = static_cast<size_t>(elements) * 8;
    memory_ = std::make_shared<Buffer>(static_cast<size_t>(program.buffers_) * registerBytes);
    registers_.resize(program.registers_.size(), nullptr);
    for (size_t i = 0; i < registers_.size(); ++i) {
        const RegisterInfo& info = program.registers_[i];
        if (info.source == Source::Input) continue;
        registers_[i] = memory_->begin() + static_cast<size_t>(info.index) * registerBytes;
        if (info.source != Source::Constant) continue;
        CHECK(info.parameter < std::ssize(parameters)) << "a run gives each parameter of its program";
        const Value& constant = info.parameter < 0 ? info.constant : parameters[static_cast<size_t>(info.parameter)];
        if (!constant.isVoid()) fill(constant, registers_[i], elements);
    }
}

void BlockProgram::runBlock(std::span<const Vector* const> inputs, int64_t begin, int n, char* out,
                            Scratch& scratch) const {
    auto at = [&](Register r) -> const char* {
        const RegisterInfo& info = registers_[static_cast<size_t>(r)];
        if (info.source != Source::Input) return scratch.registers_[static_cast<size_t>(r)];
        DCHECK(info.index < std::ssize(inputs)) << "a run gives each input of its program";
        const Vector& v = *inputs[static_cast<size_t>(info.index)];
        return v.raw() + begin * v.width();
    };
    for (const Step& s : steps_) {
        // The last step writes where the caller wants it.
        char* target = s.out == result_ ? out : scratch.registers_[static_cast<size_t>(s.out)];
        if (s.call >= 0) {
            DCHECK(s.call < std::ssize(calls_)) << "a step calls a function of the program";
            runCall(s, inputs, begin, n, target, scratch);
        } else if (s.binary) {
            s.binary(at(s.a), at(s.b), target, n);
        } else if (s.unary) {
            s.unary(at(s.a), target, n);
        } else {
            s.select(reinterpret_cast<const int8_t*>(at(s.c)), at(s.a), at(s.b), target, n);
        }
    }
    bool written = !steps_.empty() && steps_.back().out == result_;
    if (!written) {
        const char* from = at(result_);
        std::memmove(out, from, static_cast<size_t>(n) * static_cast<size_t>(widthOf(resultType())));
    }
}

void BlockProgram::runCall(const Step& step, std::span<const Vector* const> inputs, int64_t begin, int n, char* out,
                           const Scratch& scratch) const {
    const CallStep& call = calls_[static_cast<size_t>(step.call)];
    std::vector<Value> arguments;
    for (const CallOperand& operand : call.operands) {
        if (operand.elements < 0) {
            const bool isParameter = operand.parameter >= 0;
            CHECK(operand.parameter < std::ssize(scratch.parameters_)) << "a call gets a parameter that the run gives";
            arguments.push_back(isParameter ? scratch.parameters_[static_cast<size_t>(operand.parameter)]
                                            : operand.constant);
            continue;
        }
        const RegisterInfo& info = registers_[static_cast<size_t>(operand.elements)];
        const Vector* input = info.source == Source::Input ? inputs[static_cast<size_t>(info.index)] : nullptr;
        if (input && input->type() == info.type) {
            arguments.push_back(Value::of(input->slice(begin, n)));
        } else {
            const char* elements = input ? input->raw() + begin * input->width()
                                         : scratch.registers_[static_cast<size_t>(operand.elements)];
            Ref<Vector> copy = Vector::make(info.type, n);
            std::memcpy(copy->mutableRaw(), elements, static_cast<size_t>(n) * static_cast<size_t>(copy->width()));
            arguments.push_back(Value::of(std::move(copy)));
        }
    }
    Value given = call.function->call(*scratch.context_, arguments);
    const Type type = typeOf(step.out);
    if (given.isScalar()) given = Value::of(Vector::filled(type, n, pelorus::cast(given, type)));
    if (!given.isTypedVector() || given.size() != n)
        throw InternalError(fmt::format("{} of {} elements returned {}", call.function->name(), n, typeString(given)));
    if (given.type() != type) given = pelorus::cast(given, type);
    std::memcpy(out, given.vector().raw(), static_cast<size_t>(n) * static_cast<size_t>(widthOf(type)));
}

Ref<Vector> BlockProgram::run(std::span<const Vector* const> inputs, int64_t count, Context* context,
                              std::span<const Value> parameters) const {
    CHECK(result_ >= 0) << "a program has a result before it runs";
    CHECK(!hasCalls() || context != nullptr) << "a program with calls has a context";
    for (const Vector* input : inputs) CHECK(input->size() >= count) << "each input of a program has its rows";
    Ref<Vector> result = Vector::make(resultType(), count);
    char* out = result->mutableRaw();
    // Machine code assumes that its arguments are not NULL.
    const bool isPlain = !hasCalls() && std::none_of(parameters.begin(), parameters.end(),
                                                     [](const Value& parameter) { return parameter.isNull(); });
    const CompiledBlockRef compiled = isPlain ? compiledBlock(*this, count) : nullptr;
    const std::vector<uint64_t> constants = compiled ? codeArguments(*this, parameters) : std::vector<uint64_t>();
    auto part = [&](int64_t begin, int64_t end) {
        if (compiled) {
            std::vector<const char*> elements;
            for (const Vector* v : inputs) elements.push_back(v->raw() + begin * v->width());
            (*compiled)(elements.data(), constants.data(), out + begin * result->width(), end - begin);
            return;
        }
        std::optional<Context> own;  // calls of several threads
        if (hasCalls()) own.emplace(*context);
        Scratch scratch(*this, end - begin, own ? &*own : nullptr, parameters);
        for (int64_t at = begin; at < end; at += kBlockElements) {
            int n = static_cast<int>(std::min<int64_t>(kBlockElements, end - at));
            runBlock(inputs, at, n, out + at * result->width(), scratch);
        }
    };
    if (count < 2 * kParallelElements) {
        part(0, count);
        return result;
    }
    parallelFor((count + kParallelElements - 1) / kParallelElements,
                [&](int64_t k) { part(k * kParallelElements, std::min(count, (k + 1) * kParallelElements)); });
    return result;
}

}  // namespace pelorus
