#include "interpreter/hot/translate.h"

#include <algorithm>
#include <map>

#include "interpreter/hot/register_effects.h"
#include "runtime/function_registry.h"
#include "runtime/kernel/scalar_arithmetic.h"
#include "runtime/vector.h"

namespace pelorus {

namespace {

constexpr size_t kMaxInstructions = 20'000;
constexpr size_t kMaxOperands = 2'000;
constexpr size_t kMaxBlocks = 2'000;
constexpr size_t kMaxFunctions = 20;

// What a register is known to hold at one place.
struct Shape {
    enum class Kind : uint8_t { Unknown, Plain, Vector, Range, Sequence };
    Kind kind = Kind::Unknown;
    Type type = Type::Void;
    bool assigned = false;  // by this code: an exit writes it back
    Operand source = 0;     // Vector: the register that held it at the entry
    auto operator<=>(const Shape&) const = default;
};
using State = std::vector<Shape>;

struct Refused {};

bool isPlainType(Type type) {
    switch (storageOf(type)) {
        case Storage::Int8:
        case Storage::Int16:
        case Storage::Int32:
        case Storage::Int64:
            return type == Type::Bool || isIntegral(type) || isTemporal(type);
        default:
            return type == Type::Double;
    }
}

// Functions of a unit under way, over all of its passes.
struct UnitBuilder {
    using Key = std::pair<const CompiledFunction*, std::vector<Type>>;
    ScalarUnit unit;
    std::map<Key, int> numbers;
    std::map<Key, Type> results;  // kept from pass to pass
    bool pending = false;         // a call met a function whose result is not known yet
};

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
    // One instruction; true when it ended the block.
    bool instruction(const Instruction& i);

    ScalarStep& emit(ScalarOp op, Type type, int out, int a = -1, int b = -1);
    int exitHere();
    void leave(int32_t pc);
    void jump(int32_t target, bool mayLoop = true);
    void branch(int slot, int32_t whenTrue, int32_t whenFalse);
    void unsupported();

    // The slot and type of a register that holds a plain scalar; refuses others.
    bool plain(Operand o, int& slot, Type& type);
    void setPlain(Operand o, Type type);
    void keepSource(Operand o);
    bool vectorAt(Operand o, Operand& source, Type& type);
    int vectorNumber(Operand source, Type type, bool written);

    bool move(Operand to, Operand from);
    bool binary(const Instruction& i);
    bool arithmetic(Operator op, Operand target, int a, Type ta, int b, Type tb);
    bool unary(const Instruction& i);
    bool condition(const Instruction& i, bool jumpWhen);
    bool range(const Instruction& i, Operator op);
    bool forNext(const Instruction& i);
    bool index(const Instruction& i);
    bool indexStore(const Instruction& i);
    bool call(const Instruction& i);
    bool callBuiltin(const BuiltinFunction& f, const CallSite& site, Operand target);
    int callee(const Closure& closure, const std::vector<Type>& types);
    int toReal(int slot, Type type);
    int toLong(int slot, Type type);
    ScalarBlock& current() { return out().blocks[static_cast<size_t>(block_)]; }
    ScalarFunction& out() { return builder_.unit.functions[static_cast<size_t>(function_)]; }

    const CompiledFunction& code_;
    UnitBuilder& builder_;
    const int function_;
    RegisterLiveness live_;
    std::vector<bool> leaders_;
    std::vector<bool> written_;  // by number: an instruction of the range writes it
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

}  // namespace

bool scalarInput(const Value& value, ScalarInput& input) {
    input.type = value.type();
    if (value.isScalar()) {
        input.kind = ScalarInput::Kind::Plain;
        return isPlainType(value.type()) && value.tagWord() == scalarTag(value.type());
    }
    if (value.isTypedVector()) {
        input.kind = ScalarInput::Kind::Vector;
        return isPlainType(value.type());
    }
    input.kind = ScalarInput::Kind::Range;
    return value.isPair() && (value.type() == Type::Int || value.type() == Type::Long);
}

namespace {

void Translator::prepare() {
    if (code_.code.size() > kMaxInstructions || live_.count() > kMaxOperands) throw Refused{};
    leaders_.assign(code_.code.size() + 2, false);
    written_.assign(live_.count(), false);
    for (size_t pc = 0; pc < code_.code.size(); ++pc) {
        const Instruction& i = code_.code[pc];
        std::vector<int32_t> next = successorsOf(i, static_cast<int32_t>(pc));
        bool plain = next.size() == 1 && next[0] == static_cast<int32_t>(pc) + 1;
        for (int32_t n : next) {
            if (!plain) leaders_[static_cast<size_t>(n)] = true;
        }
        bool inside = static_cast<int32_t>(pc) >= first_ && static_cast<int32_t>(pc) <= last_;
        if (auto effects = effectsOf(code_, i); effects && inside) {
            for (Operand o : effects->writes) written_[static_cast<size_t>(live_.number(o))] = true;
        }
    }
    nextSlot_ = 2 * static_cast<int>(live_.count());
    state_.assign(live_.count(), Shape{});
}

void Translator::entry(int32_t pc, Value* const* spaces) {
    entrySpaces_ = spaces;
    first_ = pc;
    last_ = static_cast<int32_t>(code_.code.size()) - 1;
    if (pc != 0) {
        last_ = pc;
        for (size_t k = static_cast<size_t>(pc); k < code_.code.size(); ++k) {
            const Instruction& i = code_.code[k];
            bool jumps = i.op == Op::Jump || i.op == Op::JumpIfTrue;
            if (jumps && i.target() == pc) last_ = static_cast<int32_t>(k);
        }
    }
    prepare();
    for (size_t n = 0; n < live_.count(); ++n) {
        Operand o = live_.operand(n);
        if (spaceOf(o) == static_cast<int>(Space::Constants) || !live_.isAlive(n, pc)) continue;
        Shape& s = state_[n];
        ScalarInput input;
        if (!scalarInput(spaces[spaceOf(o)][indexOf(o)], input)) continue;
        s.type = input.type;
        input.place = o;
        switch (input.kind) {
            case ScalarInput::Kind::Plain:
                s.kind = Shape::Kind::Plain;
                s.assigned = written_[n];
                break;
            case ScalarInput::Kind::Range:
                s.kind = Shape::Kind::Range;
                break;
            default:
                s.kind = Shape::Kind::Vector;
                s.source = o;
        }
        input.slot = slot(o);
        if (input.kind != ScalarInput::Kind::Vector) builder_.unit.inputs.push_back(input);
    }
    version(pc, state_);
    translateAll();
}

void Translator::function(const UnitBuilder::Key& key) {
    key_ = key;
    last_ = static_cast<int32_t>(code_.code.size()) - 1;
    prepare();
    for (size_t p = 0; p < key.second.size(); ++p) {
        Operand o = operand(Space::Frame, static_cast<int>(p));
        // A parameter that nothing uses still takes its place.
        int place = live_.number(o) >= 0 ? slot(o) : newSlot();
        out().parameters.push_back(place);
        if (live_.number(o) >= 0) shape(o) = {Shape::Kind::Plain, key.second[p], true, 0};
    }
    version(0, state_);
    translateAll();
}

void Translator::translateAll() {
    while (!work_.empty()) {
        auto [number, pc] = work_.back();
        work_.pop_back();
        block(number, pc);
    }
    out().slots = nextSlot_;
}

// The block for these types at this place; a new one is put on the list of work.
int Translator::version(int32_t pc, State state) {
    for (size_t n = 0; n < state.size(); ++n) {
        if (!live_.isAlive(n, pc)) state[n] = Shape{};
    }
    auto [it, isNew] = versions_.try_emplace({pc, state}, static_cast<int>(out().blocks.size()));
    if (isNew) {
        if (out().blocks.size() >= kMaxBlocks) throw Refused{};
        out().blocks.emplace_back();
        blockStates_.push_back(std::move(state));
        work_.emplace_back(it->second, pc);
    }
    return it->second;
}

void Translator::block(int number, int32_t pc) {
    block_ = number;
    pc_ = pc;
    state_ = blockStates_[static_cast<size_t>(number)];
    ended_ = false;
    if (isEntry() && pc == first_ && pc != 0) {
        current().isLoop = true;
        current().cancelExit = exitHere();
    }
    for (bool first = true; !ended_; first = false) {
        if (!first && leaders_[static_cast<size_t>(pc_)]) {
            jump(pc_, false);
            return;
        }
        if (pc_ < first_ || pc_ > last_) {
            leave(pc_);  // the loop is over
            return;
        }
        if (instruction(code_.code[static_cast<size_t>(pc_)])) return;
        ++pc_;
    }
}

ScalarStep& Translator::emit(ScalarOp op, Type type, int out, int a, int b) {
    ScalarStep step;
    step.op = op;
    step.type = type;
    step.out = out;
    step.a = a;
    step.b = b;
    current().steps.push_back(std::move(step));
    return current().steps.back();
}

// An exit before the current instruction; of a function, the way to give up.
int Translator::exitHere() {
    if (!isEntry()) return -1;
    ScalarExit exit;
    exit.pc = pc_;
    for (size_t n = 0; n < state_.size(); ++n) {
        const Shape& s = state_[n];
        if (!s.assigned || s.kind == Shape::Kind::Unknown) continue;
        WriteBack w;
        w.place = live_.operand(n);
        w.type = s.type;
        w.slot = slot(w.place);
        w.source = s.source;
        switch (s.kind) {
            case Shape::Kind::Range:
                w.kind = WriteBack::Kind::Range;
                break;
            case Shape::Kind::Sequence:
                w.kind = WriteBack::Kind::Sequence;
                break;
            case Shape::Kind::Vector:
                w.kind = WriteBack::Kind::Alias;
                break;
            default:
                break;
        }
        exit.writes.push_back(w);
    }
    builder_.unit.exits.push_back(std::move(exit));
    return static_cast<int>(builder_.unit.exits.size()) - 1;
}

void Translator::leave(int32_t pc) {
    int32_t here = pc_;
    pc_ = pc;
    current().end = ScalarBlock::End::Exit;
    current().target = exitHere();
    pc_ = here;
    ended_ = true;
}

void Translator::jump(int32_t target, bool mayLoop) {
    int to = version(target, state_);
    ScalarBlock& b = current();
    b.end = ScalarBlock::End::Jump;
    b.target = to;
    ended_ = true;
    if (mayLoop && target <= pc_ && !out().blocks[static_cast<size_t>(to)].isLoop) {
        // An inner loop begins there; it looks for a cancelled request, too.
        int32_t here = pc_;
        pc_ = target;
        state_ = blockStates_[static_cast<size_t>(to)];
        int exit = exitHere();
        pc_ = here;
        out().blocks[static_cast<size_t>(to)].isLoop = true;
        out().blocks[static_cast<size_t>(to)].cancelExit = exit;
    }
}

void Translator::branch(int slot, int32_t whenTrue, int32_t whenFalse) {
    int yes = version(whenTrue, state_);
    int no = version(whenFalse, state_);
    ScalarBlock& b = current();
    b.end = ScalarBlock::End::Branch;
    b.slot = slot;
    b.target = yes;
    b.otherwise = no;
    ended_ = true;
}

// The interpreter's turn. Inside a loop that would not pay.
void Translator::unsupported() {
    if (!isEntry()) throw Refused{};
    for (size_t k = static_cast<size_t>(pc_); k < code_.code.size(); ++k) {
        const Instruction& i = code_.code[k];
        bool jumps = i.op == Op::Jump || i.op == Op::JumpIfTrue;
        if (jumps && i.target() <= pc_) throw Refused{};
    }
    leave(pc_);
}

bool Translator::plain(Operand o, int& slot, Type& type) {
    if (spaceOf(o) == static_cast<int>(Space::Constants)) {
        const Value& v = code_.constants[static_cast<size_t>(indexOf(o))];
        ScalarInput input;
        if (!v.isScalar() || !scalarInput(v, input)) return false;
        slot = newSlot();
        type = v.type();
        emit(ScalarOp::Constant, type, slot).immediate = v.integer();
        return true;
    }
    const Shape& s = shape(o);
    if (s.kind != Shape::Kind::Plain) return false;
    slot = this->slot(o);
    type = s.type;
    return true;
}

void Translator::setPlain(Operand o, Type type) {
    keepSource(o);
    shape(o) = {Shape::Kind::Plain, type, true, 0};
}

// A register that another one names as the holder of its vector must not change.
void Translator::keepSource(Operand o) {
    for (size_t n = 0; n < state_.size(); ++n) {
        const Shape& s = state_[n];
        if (s.kind == Shape::Kind::Vector && s.source == o && live_.operand(n) != o) throw Refused{};
    }
}

bool Translator::vectorAt(Operand o, Operand& source, Type& type) {
    if (spaceOf(o) == static_cast<int>(Space::Constants)) return false;
    const Shape& s = shape(o);
    if (s.kind != Shape::Kind::Vector) return false;
    source = s.source;
    type = s.type;
    return true;
}

int Translator::vectorNumber(Operand source, Type type, bool written) {
    ScalarUnit& unit = builder_.unit;
    for (ScalarInput& input : unit.inputs) {
        bool isVector = input.kind == ScalarInput::Kind::Vector || input.kind == ScalarInput::Kind::WrittenVector;
        if (!isVector || input.place != source) continue;
        if (written) input.kind = ScalarInput::Kind::WrittenVector;
        return input.slot;
    }
    ScalarInput input;
    input.kind = written ? ScalarInput::Kind::WrittenVector : ScalarInput::Kind::Vector;
    input.place = source;
    input.type = type;
    input.slot = unit.vectors++;
    unit.inputs.push_back(input);
    return input.slot;
}

bool Translator::instruction(const Instruction& i) {
    bool done = false;
    switch (i.op) {
        case Op::Move:
            done = move(i.a, i.b);
            break;
        case Op::Binary:
            done = binary(i);
            break;
        case Op::Unary:
            done = unary(i);
            break;
        case Op::Jump:
            jump(i.target());
            return true;
        case Op::JumpIfFalse:
            done = condition(i, false);
            break;
        case Op::JumpIfTrue:
            done = condition(i, true);
            break;
        case Op::JumpIfFalseBool:
        case Op::JumpIfTrueBool: {
            int s;
            Type type;
            if (!plain(i.a, s, type)) break;
            if (type != Type::Bool) return false;
            int c = newSlot();
            int wanted = newSlot();
            emit(ScalarOp::Constant, Type::Long, wanted).immediate = i.op == Op::JumpIfTrueBool;
            emit(ScalarOp::Eq, Type::Long, c, s, wanted);
            branch(c, i.target(), pc_ + 1);
            return true;
        }
        case Op::JumpUnlessLong: {
            for (Operand o : code_.fused[i.a].operands) {
                int s;
                Type type;
                if (!plain(o, s, type)) {
                    unsupported();
                    return true;
                }
            }
            jump(i.target());
            return true;
        }
        case Op::JumpUnlessScalar: {
            int s;
            Type type;
            if (!plain(i.a, s, type)) break;
            jump(i.extra ? i.target() : pc_ + 1);
            return true;
        }
        case Op::ForStart: {
            Operand position = static_cast<Operand>(i.a + 1);
            if (!move(i.a, i.b) || shape(i.a).kind == Shape::Kind::Plain) break;
            emit(ScalarOp::Constant, Type::Long, slot(position)).immediate = 0;
            setPlain(position, Type::Long);
            done = true;
            break;
        }
        case Op::ForNext:
            done = forNext(i);
            break;
        case Op::Index:
            done = index(i);
            break;
        case Op::IndexStore:
            done = indexStore(i);
            break;
        case Op::Call:
            done = call(i);
            break;
        case Op::Return: {
            if (isEntry()) {
                leave(pc_);
                return true;
            }
            int s;
            Type type;
            if (!plain(i.a, s, type)) throw Refused{};
            auto [it, isNew] = builder_.results.try_emplace(key_, type);
            if (it->second != type) throw Refused{};
            current().end = ScalarBlock::End::Return;
            current().slot = s;
            return true;
        }
        case Op::Throw:
            leave(pc_);
            return true;
        default:
            break;
    }
    if (!done) unsupported();
    return ended_;
}

bool Translator::move(Operand to, Operand from) {
    Operand source;
    Type type;
    keepSource(to);
    if (vectorAt(from, source, type)) {
        shape(to) = {Shape::Kind::Vector, type, true, source};
        return true;
    }
    int s;
    if (plain(from, s, type)) {
        if (slot(to) != s) emit(ScalarOp::Copy, type, slot(to), s);
        setPlain(to, type);
        return true;
    }
    if (spaceOf(from) == static_cast<int>(Space::Constants)) return false;
    Shape known = shape(from);
    if (known.kind == Shape::Kind::Unknown) return false;
    for (int k = 0; k < 2 && to != from; ++k) emit(ScalarOp::Copy, Type::Long, slot(to) + k, slot(from) + k);
    known.assigned = true;
    shape(to) = known;
    return true;
}

int Translator::toReal(int slot, Type type) {
    if (type == Type::Double) return slot;
    int out = newSlot();
    emit(ScalarOp::ToReal, type, out, slot);
    return out;
}

int Translator::toLong(int slot, Type type) {
    if (type == Type::Long) return slot;
    int out = newSlot();
    emit(ScalarOp::IntToLong, type, out, slot);
    return out;
}

bool Translator::binary(const Instruction& i) {
    auto op = static_cast<Operator>(i.extra);
    if (op == Operator::Pair || op == Operator::Seq) return range(i, op);
    int a, b;
    Type ta, tb;
    if (!plain(i.b, a, ta) || !plain(i.c, b, tb)) return false;
    return arithmetic(op, i.a, a, ta, b, tb);
}

// As applyFastScalar and, for BOOL and comparisons within one type, as the block kernels.
bool Translator::arithmetic(Operator op, Operand target, int a, Type ta, int b, Type tb) {
    const int out = slot(target);
    auto isInteger = [](Type t) { return t == Type::Int || t == Type::Long; };
    auto comparison = [&](bool real) {
        int first = static_cast<int>(real ? ScalarOp::LtReal : ScalarOp::Lt);
        return static_cast<ScalarOp>(first + static_cast<int>(op) - static_cast<int>(Operator::Lt));
    };
    if (ta == Type::Bool && tb == Type::Bool && (op == Operator::And || op == Operator::Or)) {
        emit(op == Operator::And ? ScalarOp::And : ScalarOp::Or, Type::Bool, out, a, b);
        setPlain(target, Type::Bool);
        return true;
    }
    if (ta == tb && isComparison(op) && ta != Type::Double) {
        emit(comparison(false), Type::Long, out, a, b);
        setPlain(target, Type::Bool);
        return true;
    }
    bool integers = isInteger(ta) && isInteger(tb);
    bool numbers = (isInteger(ta) || ta == Type::Double) && (isInteger(tb) || tb == Type::Double);
    if (!numbers) return false;
    if (integers && op != Operator::Ratio) {
        Type type = ta == Type::Int && tb == Type::Int ? Type::Int : Type::Long;
        if (type == Type::Long) {
            a = toLong(a, ta);
            b = toLong(b, tb);
        }
        if (isComparison(op)) {
            emit(comparison(false), Type::Long, out, a, b);
            setPlain(target, Type::Bool);
            return true;
        }
        static const std::map<Operator, ScalarOp> kOperations = {{Operator::Add, ScalarOp::Add},
                                                                 {Operator::Sub, ScalarOp::Sub},
                                                                 {Operator::Mul, ScalarOp::Mul},
                                                                 {Operator::Div, ScalarOp::FloorDiv},
                                                                 {Operator::Mod, ScalarOp::Mod},
                                                                 {Operator::BitAnd, ScalarOp::BitAnd},
                                                                 {Operator::BitOr, ScalarOp::BitOr},
                                                                 {Operator::BitXor, ScalarOp::BitXor},
                                                                 {Operator::ShiftLeft, ScalarOp::ShiftLeft},
                                                                 {Operator::ShiftRight, ScalarOp::ShiftRight}};
        auto it = kOperations.find(op);
        if (it == kOperations.end()) return false;
        emit(it->second, type, out, a, b);
        setPlain(target, type);
        return true;
    }
    a = toReal(a, ta);
    b = toReal(b, tb);
    if (isComparison(op)) {
        emit(comparison(true), Type::Double, out, a, b);
        setPlain(target, Type::Bool);
        return true;
    }
    ScalarOp real;
    switch (op) {
        case Operator::Add:
            real = ScalarOp::AddReal;
            break;
        case Operator::Sub:
            real = ScalarOp::SubReal;
            break;
        case Operator::Mul:
            real = ScalarOp::MulReal;
            break;
        case Operator::Div:
        case Operator::Ratio:
            real = ScalarOp::DivReal;
            break;
        default:
            return false;
    }
    emit(real, Type::Double, out, a, b);
    setPlain(target, Type::Double);
    return true;
}

bool Translator::unary(const Instruction& i) {
    int a;
    Type type;
    if (!plain(i.b, a, type)) return false;
    auto op = static_cast<Operator>(i.extra);
    bool integer = type == Type::Int || type == Type::Long;
    if (op == Operator::Neg && (integer || type == Type::Double)) {
        emit(integer ? ScalarOp::Negate : ScalarOp::NegateReal, type, slot(i.a), a);
    } else if (op == Operator::Not && type == Type::Bool) {
        emit(ScalarOp::Not, type, slot(i.a), a);
    } else {
        return false;
    }
    setPlain(i.a, type);
    return true;
}

bool Translator::condition(const Instruction& i, bool jumpWhen) {
    int a;
    Type type;
    if (!plain(i.a, a, type)) return false;
    if (isTemporal(type)) return false;
    int c = newSlot();
    emit(ScalarOp::IsTrue, type, c, a);
    current().isData = i.target() > pc_;
    branch(c, jumpWhen ? i.target() : pc_ + 1, jumpWhen ? pc_ + 1 : i.target());
    return true;
}

// a:b and a..b stay two slots; the object is made only when the interpreter needs it.
bool Translator::range(const Instruction& i, Operator op) {
    int a, b;
    Type ta, tb;
    if (!plain(i.b, a, ta) || !plain(i.c, b, tb)) return false;
    bool integers = (ta == Type::Int || ta == Type::Long) && (tb == Type::Int || tb == Type::Long);
    if (!integers) return false;
    int begin = newSlot(), end = newSlot();
    emit(ScalarOp::Copy, Type::Long, begin, toLong(a, ta));
    emit(ScalarOp::Copy, Type::Long, end, toLong(b, tb));
    if (op == Operator::Seq) {
        for (int s : {begin, end}) {
            int isNullItem = newSlot(), ok = newSlot();
            emit(ScalarOp::IsNull, Type::Long, isNullItem, s);
            emit(ScalarOp::Not, Type::Bool, ok, isNullItem);
            emit(ScalarOp::Guard, Type::Bool, -1, ok).exit = exitHere();
        }
        // A longer one is an error, which the interpreter words.
        int count = newSlot(), most = newSlot(), ok = newSlot();
        int pair = newSlot(), pairEnd = newSlot();
        emit(ScalarOp::Copy, Type::Long, pair, begin);
        emit(ScalarOp::Copy, Type::Long, pairEnd, end);
        emit(ScalarOp::SequenceCount, Type::Long, count, pair);
        emit(ScalarOp::Constant, Type::Long, most).immediate = INT32_MAX;
        emit(ScalarOp::Le, Type::Long, ok, count, most);
        emit(ScalarOp::Guard, Type::Bool, -1, ok).exit = exitHere();
    }
    emit(ScalarOp::Copy, Type::Long, slot(i.a), begin);
    emit(ScalarOp::Copy, Type::Long, slot(i.a) + 1, end);
    Type type = ta == Type::Long || tb == Type::Long ? Type::Long : Type::Int;
    shape(i.a) = {op == Operator::Pair ? Shape::Kind::Range : Shape::Kind::Sequence, type, true, 0};
    return true;
}

bool Translator::forNext(const Instruction& i) {
    auto positionAt = static_cast<Operand>(i.b + 1);
    int position;
    Type positionType;
    if (!plain(positionAt, position, positionType) || positionType != Type::Long) return false;
    const Shape range = shape(i.b);
    int count = newSlot(), more = newSlot();
    int vector = -1;
    switch (range.kind) {
        case Shape::Kind::Range:
            emit(ScalarOp::RangeCount, Type::Long, count, slot(i.b));
            break;
        case Shape::Kind::Sequence:
            emit(ScalarOp::SequenceCount, Type::Long, count, slot(i.b));
            break;
        case Shape::Kind::Vector:
            vector = vectorNumber(range.source, range.type, false);
            emit(ScalarOp::Length, Type::Long, count, vector);
            break;
        default:
            return false;
    }
    emit(ScalarOp::Lt, Type::Long, more, position, count);
    // The branch needs a block of its own for the item.
    int end = version(pc_ + 1, state_);
    int exit = exitHere();
    int body = static_cast<int>(out().blocks.size());
    if (out().blocks.size() >= kMaxBlocks) throw Refused{};
    out().blocks.emplace_back();
    blockStates_.emplace_back();
    current().end = ScalarBlock::End::Branch;
    current().slot = more;
    current().target = body;
    current().otherwise = end;
    block_ = body;
    switch (range.kind) {
        case Shape::Kind::Range:
            emit(ScalarOp::RangeItem, Type::Long, slot(i.a), slot(i.b), position);
            break;
        case Shape::Kind::Sequence:
            emit(ScalarOp::SequenceItem, Type::Long, slot(i.a), slot(i.b), position);
            break;
        default:
            emit(ScalarOp::Load, range.type, slot(i.a), vector, position).exit = exit;
    }
    setPlain(i.a, range.type);
    emit(ScalarOp::Next, Type::Long, position, position);
    setPlain(positionAt, Type::Long);
    jump(pc_ + 2);
    return true;
}

bool Translator::index(const Instruction& i) {
    Operand source;
    Type type, indexType;
    int at;
    if (i.extra != 1 || !vectorAt(i.b, source, type) || !plain(i.c, at, indexType)) return false;
    if (indexType != Type::Int && indexType != Type::Long) return false;
    int exit = exitHere();
    emit(ScalarOp::Load, type, slot(i.a), vectorNumber(source, type, false), at).exit = exit;
    setPlain(i.a, type);
    return true;
}

bool Translator::indexStore(const Instruction& i) {
    Operand source;
    Type type, indexType, itemType;
    int at, item;
    if (i.extra != 1 || !vectorAt(i.a, source, type) || !plain(i.b, at, indexType) || !plain(i.c, item, itemType)) {
        return false;
    }
    if (indexType != Type::Int && indexType != Type::Long) return false;
    // Another register that names the vector would see the change.
    if (shape(i.a).assigned || source != i.a) return false;
    for (const Shape& s : state_) {
        if (s.kind == Shape::Kind::Vector && s.assigned && s.source == source) return false;
    }
    if (itemType != type) {
        if (type == Type::Double && (itemType == Type::Int || itemType == Type::Long)) {
            item = toReal(item, itemType);
        } else if (type == Type::Long && itemType == Type::Int) {
            item = toLong(item, itemType);
        } else {
            return false;
        }
    }
    int exit = exitHere();
    emit(ScalarOp::Store, type, item, vectorNumber(source, type, true), at).exit = exit;
    return true;
}

bool Translator::call(const Instruction& i) {
    const CallSite& site = code_.callSites[i.b];
    if (!site.keywords.empty() || !site.inPlace.empty() || i.c != 0) return false;
    if (spaceOf(site.callee) != static_cast<int>(Space::Constants)) return false;
    const Value& f = code_.constants[static_cast<size_t>(indexOf(site.callee))];
    if (!f.isFunction()) return false;
    const Function* function = &f.function();
    if (function->kind() == Function::Kind::Native) {
        auto* builtin = dynamic_cast<const BuiltinFunction*>(function);
        return builtin && callBuiltin(*builtin, site, i.a);
    }
    if (function->kind() == Function::Kind::Cell) function = static_cast<const FunctionCell*>(function)->target.get();
    if (!function || function->kind() != Function::Kind::Closure) return false;
    const auto& closure = static_cast<const Closure&>(*function);
    std::vector<Type> types;
    std::vector<int> slots;
    for (int k = 0; k < site.count; ++k) {
        int s;
        Type type;
        if (!plain(operand(Space::Frame, site.base + k), s, type)) return false;
        types.push_back(type);
        slots.push_back(s);
    }
    int number = callee(closure, types);
    if (number < 0) return false;
    auto known = builder_.results.find({&closure.code(), types});
    if (known == builder_.results.end()) {
        // Its result is found by another pass.
        builder_.pending = true;
        current().end = ScalarBlock::End::Exit;
        current().target = -1;
        ended_ = true;
        return true;
    }
    int exit = exitHere();
    ScalarStep& step = emit(ScalarOp::Call, known->second, slot(i.a), number);
    step.arguments = std::move(slots);
    step.exit = exit;
    for (int k = 0; k < site.count; ++k) shape(operand(Space::Frame, site.base + k)) = Shape{};
    setPlain(i.a, known->second);
    return true;
}

// The number of a script function in the unit, translated now when it is new; -1 when it cannot be.
int Translator::callee(const Closure& closure, const std::vector<Type>& types) {
    const CompiledFunction& code = closure.code();
    if (!closure.captures().empty() || code.signature.parameters.size() != types.size()) return -1;
    for (const Parameter& p : code.signature.parameters) {
        if (p.isMutable) return -1;
    }
    UnitBuilder::Key key{&code, types};
    if (auto it = builder_.numbers.find(key); it != builder_.numbers.end()) return it->second;
    if (builder_.unit.functions.size() >= kMaxFunctions) return -1;
    int number = static_cast<int>(builder_.unit.functions.size());
    builder_.unit.functions.emplace_back();
    builder_.numbers[key] = number;
    Translator inner(code, builder_, number);
    inner.function(key);
    return number;
}

bool Translator::callBuiltin(const BuiltinFunction& f, const CallSite& site, Operand target) {
    if (site.count != 1) return false;
    Operand argument = operand(Space::Frame, site.base);
    std::string_view name = f.name();
    Operand source;
    Type type;
    if (name == "size" && vectorAt(argument, source, type)) {
        emit(ScalarOp::Length, Type::Long, slot(target), vectorNumber(source, type, false));
        shape(argument) = Shape{};
        setPlain(target, Type::Int);
        return true;
    }
    int a;
    if (!plain(argument, a, type)) return false;
    bool integer = type == Type::Int || type == Type::Long;
    if (name == "isNull") {
        emit(ScalarOp::IsNull, type, slot(target), a);
        setPlain(target, Type::Bool);
    } else if (name == "double" && (integer || type == Type::Double)) {
        emit(ScalarOp::Copy, Type::Double, slot(target), toReal(a, type));
        setPlain(target, Type::Double);
    } else if (name == "long" && integer) {
        emit(ScalarOp::Copy, Type::Long, slot(target), toLong(a, type));
        setPlain(target, Type::Long);
    } else if (f.realFunction() && (integer || type == Type::Double)) {
        emit(ScalarOp::Function, Type::Double, slot(target), toReal(a, type)).immediate =
            reinterpret_cast<int64_t>(f.realFunction());
        setPlain(target, Type::Double);
    } else {
        return false;
    }
    if (argument != target) shape(argument) = Shape{};
    return true;
}

// Runs `build` until the results of all functions are known.
template <class Build>
std::optional<ScalarUnit> inPasses(UnitBuilder& builder, Build build) {
    try {
        for (int pass = 0; pass < 6; ++pass) {
            builder.unit = ScalarUnit();
            builder.numbers.clear();
            builder.pending = false;
            size_t known = builder.results.size();
            build();
            if (!builder.pending) return std::move(builder.unit);
            if (builder.results.size() == known) return std::nullopt;
        }
    } catch (const Refused&) {
    }
    return std::nullopt;
}

}  // namespace

std::optional<ScalarUnit> translateFrom(const CompiledFunction& code, int32_t pc, Value* const* spaces) {
    UnitBuilder builder;
    return inPasses(builder, [&] {
        builder.unit.functions.emplace_back();
        Translator(code, builder, 0).entry(pc, spaces);
    });
}

std::optional<ScalarUnit> translateFunction(const Closure& function, std::span<const Type> arguments, Type& result) {
    UnitBuilder builder;
    UnitBuilder::Key key{&function.code(), {arguments.begin(), arguments.end()}};
    bool plainTypes = std::all_of(arguments.begin(), arguments.end(), isPlainType);
    const auto& parameters = function.code().signature.parameters;
    if (!plainTypes || parameters.size() != arguments.size() || !function.captures().empty()) return std::nullopt;
    for (const Parameter& p : parameters) {
        if (p.isMutable) return std::nullopt;
    }
    auto unit = inPasses(builder, [&] {
        builder.unit.functions.emplace_back();
        builder.numbers[key] = 0;
        Translator(function.code(), builder, 0).function(key);
    });
    if (unit) result = builder.results.at(key);
    return unit;
}

}  // namespace pelorus
