#include "common/check.h"
#include "interpreter/codegen/translator.h"

#include <algorithm>

namespace pelorus {

bool scalarInput(const Value& value, ScalarInput& input) {
    input.type = value.type();
    if (value.isScalar()) {
        input.kind = ScalarInput::Kind::Plain;
        return scalar::isPlainType(value.type()) && value.tagWord() == scalarTag(value.type());
    }
    if (value.isTypedVector()) {
        input.kind = ScalarInput::Kind::Vector;
        return scalar::isPlainType(value.type());
    }
    input.kind = ScalarInput::Kind::Range;
    return value.isPair() && (value.type() == Type::Int || value.type() == Type::Long);
}

namespace scalar {

void Translator::prepare() {
    if (code_.code.size() > kMaxInstructions || live_.count() > kMaxOperands) throw Refused{};
    live_.analyze(code_);
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
    CHECK(static_cast<size_t>(pc) < code_.code.size()) << "a loop begins at an instruction of the function";
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
        // An unused parameter still takes a position.
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
    CHECK(blockStates_.size() == out().blocks.size()) << "each block has the types at its begin";
    out().slots = nextSlot_;
}

// Returns the block for these types at this position; a new one is added to the work list.
int Translator::version(int32_t pc, State state) {
    CHECK(state.size() == live_.count()) << "each operand has its type at the begin of a block";
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

// Makes an exit before the current instruction; in a function, the exit that bails out.
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
            case Shape::Kind::Constant:
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
    if (mayLoop) noteLoop(target, to);
}

// A loop begins at a block that a jump goes back to; its head checks for a cancelled request, too.
void Translator::noteLoop(int32_t target, int to) {
    if (target > pc_ || out().blocks[static_cast<size_t>(to)].isLoop) return;
    const int32_t here = pc_;
    pc_ = target;
    state_ = blockStates_[static_cast<size_t>(to)];
    const int exit = exitHere();
    pc_ = here;
    out().blocks[static_cast<size_t>(to)].isLoop = true;
    out().blocks[static_cast<size_t>(to)].cancelExit = exit;
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
    noteLoop(whenTrue, yes);
    noteLoop(whenFalse, no);
}

// Leaves to the interpreter. Refuses the translation inside a loop, where that would not pay.
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

namespace {

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

}  // namespace scalar

std::optional<ScalarUnit> translateFrom(const CompiledFunction& code, int32_t pc, Value* const* spaces) {
    scalar::UnitBuilder builder;
    return scalar::inPasses(builder, [&] {
        builder.unit.functions.emplace_back();
        scalar::Translator(code, builder, 0).entry(pc, spaces);
    });
}

std::optional<ScalarUnit> translateFunction(const Closure& function, std::span<const Type> arguments, Type& result) {
    scalar::UnitBuilder builder;
    scalar::UnitBuilder::Key key{&function.code(), {arguments.begin(), arguments.end()}};
    bool plainTypes = std::all_of(arguments.begin(), arguments.end(), scalar::isPlainType);
    const auto& parameters = function.code().signature.parameters;
    if (!plainTypes || parameters.size() != arguments.size() || !function.captures().empty()) return std::nullopt;
    for (const Parameter& p : parameters) {
        if (p.isMutable) return std::nullopt;
    }
    auto unit = scalar::inPasses(builder, [&] {
        builder.unit.functions.emplace_back();
        builder.numbers[key] = 0;
        scalar::Translator(function.code(), builder, 0).function(key);
    });
    if (unit) result = builder.results.at(key);
    return unit;
}

}  // namespace pelorus
