// Translation of single instructions.
#include <algorithm>

#include "interpreter/codegen/translator.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/block/scalar_arithmetic.h"
#include "runtime/value/vector.h"

namespace pelorus::scalar {

bool Translator::instruction(const Instruction& i) {
    bool done = isBinary(i.op) && binary(i);
    switch (i.op) {
        case Op::Move:
        case Op::Take:
            done = move(i.a, i.b);
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
        case Op::ForSequence:
            done = forSequence(i);
            break;
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
    if (spaceOf(from) == static_cast<int>(Space::Constants)) {
        if (code_.constants[static_cast<size_t>(indexOf(from))].isFunction()) return false;
        shape(to) = {Shape::Kind::Constant, Type::Void, true, from};
        return true;
    }
    Shape known = shape(from);
    if (known.kind == Shape::Kind::Unknown) return false;
    for (int k = 0; k < 2 && to != from; ++k) emit(ScalarOp::Copy, Type::Long, slot(to) + k, slot(from) + k);
    known.assigned = true;
    shape(to) = known;
    return true;
}

int Translator::converted(int slot, Type from, Type to) {
    if (from == to || (isFloating(from) && to == Type::Double)) return slot;
    const int out = newSlot();
    emit(to == Type::Double ? ScalarOp::ToReal
         : to == Type::Long ? ScalarOp::ToLong
                            : ScalarOp::ToInt,
         from, out, slot);
    return out;
}

bool Translator::binary(const Instruction& i) {
    auto op = static_cast<Operator>(i.extra);
    if (op == Operator::Pair || op == Operator::Seq) return range(i, op);
    int a, b;
    Type ta, tb;
    if (plain(i.b, a, ta) && plain(i.c, b, tb) && arithmetic(op, i.a, a, ta, b, tb)) return true;
    const Operand operands[] = {i.b, i.c};
    return boxed(op, operands, i.a);
}

// Follows applyFastScalar and, for BOOL and comparisons within one type, the block kernels.
bool Translator::arithmetic(Operator op, Operand target, int a, Type ta, int b, Type tb) {
    const int out = slot(target);
    auto comparison = [&](bool real) {
        int first = static_cast<int>(real ? ScalarOp::LtReal : ScalarOp::Lt);
        return static_cast<ScalarOp>(first + static_cast<int>(op) - static_cast<int>(Operator::Lt));
    };
    if (isNumeric(ta) && isNumeric(tb) && (op == Operator::And || isOr(op))) {
        for (auto [slot, type] : {std::pair(&a, ta), std::pair(&b, tb)}) {
            if (type == Type::Bool) continue;
            const int asBool = newSlot();
            emit(ScalarOp::ToBool, type, asBool, *slot);
            *slot = asBool;
        }
        emit(op == Operator::And  ? ScalarOp::And
             : op == Operator::Or ? ScalarOp::OrOfKnown
                                  : ScalarOp::Or,
             Type::Bool, out, a, b);
        setPlain(target, Type::Bool);
        return true;
    }
    if (ta == tb && isComparison(op) && !isFloating(ta)) {
        emit(comparison(false), Type::Long, out, a, b);
        setPlain(target, Type::Bool);
        return true;
    }
    if (!isNumeric(ta) || !isNumeric(tb)) return false;
    if (isWhole(ta) && isWhole(tb) && op != Operator::Ratio) {
        if (isComparison(op)) {
            emit(comparison(false), Type::Long, out, toLong(a, ta), toLong(b, tb));
            setPlain(target, Type::Bool);
            return true;
        }
        const Type type = widerNumber(ta, tb, true);
        if (type != Type::Int && type != Type::Long) return false;  // CHAR and SHORT wrap in their own width
        a = converted(a, ta, type);
        b = converted(b, tb, type);
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
    // With a FLOAT operand, integers are rounded to FLOAT, and so are the results: the interpreter does this.
    if (op != Operator::Ratio && widerNumber(ta, tb, true) == Type::Float && !(ta == tb && isComparison(op)))
        return false;
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
    const auto op = static_cast<Operator>(i.extra);
    const bool known = plain(i.b, a, type) && negation(op, i.a, {a, type});
    return known || boxed(op, {&i.b, 1}, i.a);
}

bool Translator::negation(Operator op, Operand target, const Scalar& x) {
    const bool integer = x.type == Type::Int || x.type == Type::Long;
    if (op == Operator::Neg && (integer || x.type == Type::Double)) {
        emit(integer ? ScalarOp::Negate : ScalarOp::NegateReal, x.type, slot(target), x.slot);
    } else if (op == Operator::Not && x.type == Type::Bool) {
        emit(ScalarOp::Not, x.type, slot(target), x.slot);
    } else {
        return false;
    }
    setPlain(target, x.type);
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

// Leaves here unless `flag`, a slot of BOOL, is true.
void Translator::guard(int flag) {
    emit(ScalarOp::Guard, Type::Bool, -1, flag).exit = exitHere();
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
            int isNullElement = newSlot(), ok = newSlot();
            emit(ScalarOp::IsNull, Type::Long, isNullElement, s);
            emit(ScalarOp::Not, Type::Bool, ok, isNullElement);
            guard(ok);
        }
        // An exit makes the vector, which must not fail there: a longer one is left to the interpreter from the start.
        int count = newSlot(), most = newSlot(), ok = newSlot();
        int pair = newSlot(), pairEnd = newSlot();
        emit(ScalarOp::Copy, Type::Long, pair, begin);
        emit(ScalarOp::Copy, Type::Long, pairEnd, end);
        emit(ScalarOp::SequenceCount, Type::Long, count, pair);
        emit(ScalarOp::Constant, Type::Long, most).immediate = kMaxSequence;
        emit(ScalarOp::Le, Type::Long, ok, count, most);
        guard(ok);
    }
    emit(ScalarOp::Copy, Type::Long, slot(i.a), begin);
    emit(ScalarOp::Copy, Type::Long, slot(i.a) + 1, end);
    Type type = ta == Type::Long || tb == Type::Long ? Type::Long : Type::Int;
    shape(i.a) = {op == Operator::Pair ? Shape::Kind::Range : Shape::Kind::Sequence, type, true, 0};
    return true;
}

// a..b as the pair that walks the same elements: see Machine::forSequence. NULLs, ranges up to the largest value of the
// type and those that are refused are left to the interpreter.
bool Translator::forSequence(const Instruction& i) {
    int a, b;
    Type ta, tb;
    if (!plain(i.b, a, ta) || !plain(i.c, b, tb)) return false;
    const bool integers = (ta == Type::Int || ta == Type::Long) && (tb == Type::Int || tb == Type::Long);
    if (!integers) return false;
    const Type type = ta == Type::Long || tb == Type::Long ? Type::Long : Type::Int;
    const int begin = newSlot(), end = newSlot();  // neighbours, as SequenceCount takes them
    emit(ScalarOp::Copy, Type::Long, begin, toLong(a, ta));
    emit(ScalarOp::Copy, Type::Long, end, toLong(b, tb));
    const auto constant = [&](int64_t x) {
        const int out = newSlot();
        emit(ScalarOp::Constant, Type::Long, out).immediate = x;
        return out;
    };
    const auto computed = [&](ScalarOp op, int x, int y) {
        const int out = newSlot();
        emit(op, Type::Long, out, x, y);
        return out;
    };
    const int largest = constant(type == Type::Int ? INT32_MAX : INT64_MAX);
    for (int s : {begin, end}) {
        const int isNullElement = newSlot(), ok = newSlot();
        emit(ScalarOp::IsNull, Type::Long, isNullElement, s);
        emit(ScalarOp::Not, Type::Bool, ok, isNullElement);
        guard(ok);
        guard(computed(ScalarOp::Lt, s, largest));
    }
    // The count wraps and is negative when the ends are too far apart.
    const int count = newSlot();
    emit(ScalarOp::SequenceCount, Type::Long, count, begin);
    guard(computed(ScalarOp::Lt, constant(0), count));
    guard(computed(ScalarOp::Le, count, constant(INT32_MAX)));
    const int isUp = computed(ScalarOp::Le, begin, end);
    const int isDown = computed(ScalarOp::Lt, end, begin);
    const int from = computed(ScalarOp::Add, begin, isDown), to = computed(ScalarOp::Add, end, isUp);
    emit(ScalarOp::Copy, Type::Long, slot(i.a), from);
    emit(ScalarOp::Copy, Type::Long, slot(i.a) + 1, to);
    shape(i.a) = {Shape::Kind::Range, type, true, 0};
    const auto position = static_cast<Operand>(i.a + 1);
    emit(ScalarOp::Constant, Type::Long, slot(position)).immediate = 0;
    setPlain(position, Type::Long);
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
    // The branch needs a separate block for the element.
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
            emit(ScalarOp::RangeElement, Type::Long, slot(i.a), slot(i.b), position);
            break;
        case Shape::Kind::Sequence:
            emit(ScalarOp::SequenceElement, Type::Long, slot(i.a), slot(i.b), position);
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
    Type type, indexType, elementType;
    int at, item;
    if (i.extra != 1 || !vectorAt(i.a, source, type) || !plain(i.b, at, indexType) || !plain(i.c, item, elementType)) {
        return false;
    }
    if (indexType != Type::Int && indexType != Type::Long) return false;
    // Another register that names the vector would see the change.
    if (shape(i.a).assigned || source != i.a) return false;
    for (const Shape& s : state_) {
        if (s.kind == Shape::Kind::Vector && s.assigned && s.source == source) return false;
    }
    if (elementType != type) {
        if (type == Type::Double && (elementType == Type::Int || elementType == Type::Long)) {
            item = toReal(item, elementType);
        } else if (type == Type::Long && elementType == Type::Int) {
            item = toLong(item, elementType);
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
        // Another pass determines its result.
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

// Returns the number of a script function in the unit, translated now when it is new; -1 when it cannot be.
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

}  // namespace pelorus::scalar
