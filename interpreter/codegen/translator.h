// Translator holds the state of a translation from bytecode to scalar code. Only the files of this folder use it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/codegen/boxed_call.h"
#include "interpreter/codegen/register_effects.h"
#include "interpreter/codegen/translate.h"
#include "runtime/registry/registry.h"

namespace pelorus::scalar {

constexpr size_t kMaxInstructions = 20'000;
constexpr size_t kMaxOperands = 2'000;
constexpr size_t kMaxBlocks = 2'000;
constexpr size_t kMaxFunctions = 20;
constexpr int64_t kMaxSequence = int64_t{1} << 20;  // elements of a..b

// The shape that a register is known to have at one point of the code.
struct Shape {
    enum class Kind : uint8_t { Unknown, Plain, Vector, Range, Sequence, Constant };
    Kind kind = Kind::Unknown;
    Type type = Type::Void;
    bool assigned = false;  // this code has assigned it: an exit writes it back
    Operand source = 0;  // Vector: the register that held it at the entry; Constant: the constant, which is no number
    auto operator<=>(const Shape&) const = default;
};
using State = std::vector<Shape>;

struct Refused {};

// A plain scalar: its slot and type.
struct Scalar {
    int slot = -1;
    Type type = Type::Void;
};

inline bool isPlainType(Type type) {
    switch (storageOf(type)) {
        case Storage::Int8:
        case Storage::Int16:
        case Storage::Int32:
        case Storage::Int64:
            return type == Type::Bool || isIntegral(type) || isTemporal(type);
        default:
            return isFloating(type);  // a FLOAT is held as a DOUBLE
    }
}

inline bool isWhole(Type type) {
    return isIntegral(type) || type == Type::Bool;
}
// Returns whether scalar code converts between the types: to the same type, to wider integers from INT on, and to
// DOUBLE.
inline bool convertible(Type from, Type to) {
    if (from == to) return true;
    if (to == Type::Double) return isNumeric(from);
    return (to == Type::Int || to == Type::Long) && isWhole(from) && widthOf(from) < widthOf(to);
}

// The state of a unit that is being built, over all passes.
struct UnitBuilder {
    using Key = std::pair<const CompiledFunction*, std::vector<Type>>;
    ScalarUnit unit;
    std::map<Key, int> numbers;
    std::map<Key, Type> results;  // kept from pass to pass
    bool pending = false;         // a call refers to a function whose result is not known yet
};

// The translation of one function of a unit.
class Translator {
public:
    Translator(const CompiledFunction& code, UnitBuilder& builder, int function)
        : code_(code), builder_(builder), function_(function), live_(code) {}

    void entry(int32_t pc, Value* const* spaces);
    void function(const UnitBuilder::Key& key);

private:
    bool isEntry() const { return entrySpaces_ != nullptr; }
    int slot(Operand o) const { return 2 * live_.number(o); }
    int newSlot() { return nextSlot_++; }
    Shape& shape(Operand o) { return state_[static_cast<size_t>(live_.number(o))]; }

    void prepare();
    void translateAll();
    int version(int32_t pc, State state);
    void block(int number, int32_t pc);
    // Translates one instruction; returns true when it ended the block.
    bool instruction(const Instruction& i);

    ScalarStep& emit(ScalarOp op, Type type, int out, int a = -1, int b = -1);
    int exitHere();
    void leave(int32_t pc);
    void guard(int flag);
    void jump(int32_t target, bool mayLoop = true);
    void noteLoop(int32_t target, int to);
    void branch(int slot, int32_t whenTrue, int32_t whenFalse);
    void unsupported();

    // Returns the slot and type of a register that holds a plain scalar; refuses others.
    bool plain(Operand o, int& slot, Type& type);
    void setPlain(Operand o, Type type);
    void keepSource(Operand o);
    bool vectorAt(Operand o, Operand& source, Type& type);
    int vectorNumber(Operand source, Type type, bool written);

    bool move(Operand to, Operand from);
    bool binary(const Instruction& i);
    bool arithmetic(Operator op, Operand target, int a, Type ta, int b, Type tb);
    bool unary(const Instruction& i);
    bool negation(Operator op, Operand target, const Scalar& x);
    bool condition(const Instruction& i, bool jumpWhen);
    bool range(const Instruction& i, Operator op);
    bool forSequence(const Instruction& i);
    bool forNext(const Instruction& i);
    bool index(const Instruction& i);
    bool indexStore(const Instruction& i);
    bool call(const Instruction& i);
    bool callBuiltin(const BuiltinFunction& f, const CallSite& site, Operand target);
    // Emits an operation for plain scalars; returns false, with nothing done, when there is none for their types.
    bool operationOf(const BuiltinFunction& f, std::span<const Scalar> arguments, Operand target);
    bool scalarForm(const BuiltinFunction& f, std::span<const Scalar> arguments, Operand target);
    bool select(const Scalar& condition, const Scalar& a, const Scalar& b, Operand target);
    // The fallback: the call itself, with Values.
    bool boxed(const BuiltinFunction& f, const CallSite& site, Operand target);
    bool boxed(Operator op, std::span<const Operand> operands, Operand target);
    bool boxedStep(BoxedCall call, std::span<const Operand> operands, Operand target);
    const Value* constantAt(Operand o);
    int callee(const Closure& closure, const std::vector<Type>& types);
    // Returns a slot with the number converted to another type; see convertible.
    int converted(int slot, Type from, Type to);
    int toReal(int slot, Type type) { return converted(slot, type, Type::Double); }
    int toLong(int slot, Type type) { return converted(slot, type, Type::Long); }
    ScalarBlock& current() { return out().blocks[static_cast<size_t>(block_)]; }
    ScalarFunction& out() { return builder_.unit.functions[static_cast<size_t>(function_)]; }

    const CompiledFunction& code_;
    UnitBuilder& builder_;
    const int function_;
    RegisterLiveness live_;
    std::vector<bool> leaders_;
    std::vector<bool> written_;  // true for the numbers of operands that an instruction of the range writes
    Value* const* entrySpaces_ = nullptr;
    UnitBuilder::Key key_;
    int32_t first_ = 0, last_ = 0;  // instructions of the hot loop, or all of them
    std::map<std::pair<int32_t, State>, int> versions_;
    std::vector<std::pair<int, int32_t>> work_;
    std::vector<State> blockStates_;
    State state_;
    int block_ = 0;
    int32_t pc_ = 0;
    int nextSlot_ = 0;
    bool ended_ = false;
};

}  // namespace pelorus::scalar
