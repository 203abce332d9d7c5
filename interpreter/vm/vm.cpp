// The loop of the machine, and its single instructions.
#include "interpreter/vm/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/foreign_words.h"
#include "common/hide_secrets.h"
#include "interpreter/vm/macro.h"
#include "runtime/code/query.h"
#include "runtime/code/statement.h"
#include "runtime/format/to_source.h"
#include "runtime/function/instance.h"
#include "runtime/kernel/block/scalar_arithmetic.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/registry/name_advice.h"
#include "runtime/registry/registry.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/table.h"
#include "runtime/table/table_access.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

// Inlined isTrue for the results of comparisons.
inline bool holds(const Value& v) {
    if (v.tagWord() == scalarTag(Type::Bool)) return v.integer() == 1;
    return isTrue(v);
}

// s = s + string, in place when s is not shared: a loop that builds a string stays linear.
bool appendText(Value& target, const Value& text) {
    if (!target.isScalar() || target.type() != Type::String || !target.isUnique() || !text.isString()) return false;
    target.as<String>()->string.append(text.string());
    return true;
}

// Completes `y = x` beyond a reference: tables are changed by statements that name them, views can't be changed.
void makeOwn(Value& v) {
    if (v.isTable()) {
        v.makeUnique();
    } else if (v.isTypedVector() && v.vector().isView()) {
        v = Value::of(v.vector().copy());
    }
}

// Returns the next element of a pair of INT that counts up; false when there is none, or the range is something else.
inline bool fastRange(const Value& range, Value& position, Value& item) {
    if (!range.isPair() || range.type() != Type::Int) return false;
    const auto* ends = range.as<Vector>()->data<int32_t>();
    int64_t p = position.integer();
    if (isNull(ends[0]) || ends[0] + p >= ends[1]) return false;
    item.assignScalar(Type::Int, ends[0] + p);
    position.assignScalar(Type::Long, p + 1);
    return true;
}

// v[i] of a vector, i inside. Decimals carry a scale and take the slow path; the element of a SYMBOL vector is a
// string.
inline bool fastElement(const Value& object, const Value& index, Value& target) {
    if (!object.isTypedVector() || isDecimal(object.type())) return false;
    if (index.tagWord() != scalarTag(Type::Int) && index.tagWord() != scalarTag(Type::Long)) return false;
    const auto& v = *object.as<Vector>();
    int64_t i = index.integer();
    if (i < 0 || i >= v.size()) return false;
    switch (storageOf(v.type())) {
        case Storage::Int32:
            if (v.type() == Type::Symbol) break;
            target.assignScalar(v.type(), v.data<int32_t>()[i]);
            return true;
        case Storage::Int64:
            target.assignScalar(v.type(), v.data<int64_t>()[i]);
            return true;
        case Storage::Float64:
            target.assignScalar(v.data<double>()[i]);
            return true;
        default:
            break;
    }
    target = v.at(i);
    return true;
}

}  // namespace

bool Machine::FrameScope::lookup(std::string_view name, Value& value) const {
    for (const auto& [known, place] : machine_.code_->variables) {
        if (known == name) {
            value = machine_.at(place);
            return true;
        }
    }
    for (const auto& [known, function] : machine_.code_->references) {
        if (known == name) {
            value = Value::of(function);
            return true;
        }
    }
    const Principal& principal = machine_.context_.principal();
    if (auto* session = static_cast<Session*>(machine_.context_.session))
        return session->lookup(name, value, principal);
    auto* shared = machine_.context_.service<SharedObjects>();
    return shared && shared->find(name, value, principal);
}

std::string Machine::FrameScope::nameOf(const Object& object) const {
    auto* session = static_cast<Session*>(machine_.context_.session);
    std::string name = session ? session->nameOf(object) : "";
    for (size_t i = 0; name.empty() && i < machine_.code_->variables.size(); ++i) {
        const auto& [known, place] = machine_.code_->variables[i];
        const Value& v = machine_.at(place);
        if (v.hasObject() && v.object() == &object) name = known;
    }
    return name;
}

ScriptError Machine::located(const Error& e, bool thrown) const {
    auto here = static_cast<size_t>(pc_ - 1);
    int32_t statement = code_->statementOf[here];
    std::string text;
    if (statement >= 0) text = hideSecrets(toSource(*code_->statements[static_cast<size_t>(statement)])) + " => ";
    std::erase(text, '\0');  // what() ends at such a byte
    SourcePosition position = code_->positions[here];
    // A query knows which of its names is meant. Metacode that was made of another text has positions in that text,
    // which are before this statement or unknown.
    if (const auto* known = dynamic_cast<const UserError*>(&e)) {
        const SourcePosition place = known->place();
        const bool behind =
            place.line > position.line || (place.line == position.line && place.column > position.column);
        if (place.known() && behind) position = place;
    }
    ScriptError error(text + e.what(), e.what(), e.hint(), position, thrown);
    if (!code_->origin.empty()) {
        // The place that the submitted text knows is that of the call into the module.
        error.modulePlace = fmt::format("{}:{}", code_->origin, position.line);
        error.position = SourcePosition();
    }
    return error;
}

template <Operator op>
void Machine::scalars(const Instruction& i) {
    Value& target = at(i.a);
    if (!applyFastScalar(op, at(i.b), at(i.c), target)) {
        binary(i);
    } else if constexpr (isComparison(op)) {
        // Most comparisons decide a jump: taken here, it costs no further instruction.
        const Instruction& next = code_->code[static_cast<size_t>(pc_)];
        if (next.op == Op::JumpIfFalse && next.a == i.a) pc_ = target.integer() == 1 ? pc_ + 1 : next.target();
    }
}

void Machine::binary(const Instruction& i) {
    auto op = static_cast<Operator>(i.extra);
    Value& target = at(i.a);
    if (op == Operator::Add && i.a == i.b && appendText(target, at(i.c))) return;
    if (runRegion()) return;
    requireAccessWithin(context_, at(i.b), Right::Read);
    requireAccessWithin(context_, at(i.c), Right::Read);
    target = applyBinary(op, at(i.b), at(i.c));
}

Value Machine::loop() {
    for (;;) {
        const Instruction& i = code_->code[static_cast<size_t>(pc_++)];
        switch (i.op) {
            case Op::Take:
                at(i.a) = std::move(at(i.b));
                break;
            case Op::Move:
                at(i.a).assign(at(i.b));
                if (i.extra != 0) makeOwn(at(i.a));
                break;
            case Op::Lt:
                scalars<Operator::Lt>(i);
                break;
            case Op::Le:
                scalars<Operator::Le>(i);
                break;
            case Op::Eq:
                scalars<Operator::Eq>(i);
                break;
            case Op::Gt:
                scalars<Operator::Gt>(i);
                break;
            case Op::Ge:
                scalars<Operator::Ge>(i);
                break;
            case Op::Ne:
                scalars<Operator::Ne>(i);
                break;
            case Op::BitOr:
                scalars<Operator::BitOr>(i);
                break;
            case Op::BitXor:
                scalars<Operator::BitXor>(i);
                break;
            case Op::BitAnd:
                scalars<Operator::BitAnd>(i);
                break;
            case Op::ShiftLeft:
                scalars<Operator::ShiftLeft>(i);
                break;
            case Op::ShiftRight:
                scalars<Operator::ShiftRight>(i);
                break;
            case Op::Add:
                scalars<Operator::Add>(i);
                break;
            case Op::Sub:
                scalars<Operator::Sub>(i);
                break;
            case Op::Mul:
                scalars<Operator::Mul>(i);
                break;
            case Op::Div:
                scalars<Operator::Div>(i);
                break;
            case Op::Ratio:
                scalars<Operator::Ratio>(i);
                break;
            case Op::Mod:
                scalars<Operator::Mod>(i);
                break;
            case Op::Binary:
            case Op::Dot:
                binary(i);
                break;
            case Op::Unary:
                if (!at(i.b).isScalar() && runRegion()) break;
                requireAccessWithin(context_, at(i.b), Right::Read);
                at(i.a) = applyUnary(static_cast<Operator>(i.extra), at(i.b));
                break;
            case Op::Jump:
                jump(i.target());
                break;
            case Op::JumpIfFalse:
                if (!holds(at(i.a))) pc_ = i.target();
                break;
            case Op::JumpIfTrue:
                if (holds(at(i.a))) jump(i.target());
                break;
            case Op::JumpIfFalseBool: {
                const Value& v = at(i.a);
                if (v.isScalar() && v.type() == Type::Bool && v.integer() == 0) pc_ = i.target();
                break;
            }
            case Op::JumpIfTrueBool: {
                const Value& v = at(i.a);
                if (v.isScalar() && v.type() == Type::Bool && v.integer() == 1) pc_ = i.target();
                break;
            }
            case Op::JumpUnlessScalar:
                // With extra set: unless the argument was left out.
                if (i.extra ? !(isOmitted(at(i.a))) : !at(i.a).isScalar()) pc_ = i.target();
                break;
            case Op::Select: {
                Value result = selectItems(at(i.b), at(i.c), at(static_cast<Operand>(i.c + 1)));
                at(i.a) = std::move(result);
                break;
            }
            case Op::Call:
                call(i);
                break;
            case Op::MakeTuple:
            case Op::MakeList:
            case Op::MakeDictionary:
            case Op::MakeClosure:
            case Op::MakePartial:
            case Op::MakeCode:
                make(i);
                break;
            case Op::Index:
                if (i.extra == 1 && fastElement(at(i.b), at(i.c), at(i.a))) break;
                index(i);
                break;
            case Op::IndexStore:
                indexStore(i);
                break;
            case Op::Member:
                member(i);
                break;
            case Op::Unpack:
                unpack(i);
                break;
            case Op::Query:
                query(i);
                break;
            case Op::LoadShared:
                loadShared(i);
                break;
            case Op::ForStart:
                requireAccess(context_, at(i.b), Right::Read);
                at(i.a) = at(i.b);
                // The collection that a loop iterates over stays unchanged meanwhile.
                if (Ref<MemoryTable> rows = tableToRead(at(i.b))) at(i.a) = Value::of(Ref<Table>(std::move(rows)));
                at(static_cast<Operand>(i.a + 1)) = Value::ofLong(0);
                break;
            case Op::ForSequence:
                forSequence(i);
                break;
            case Op::ForNext:
                if (fastRange(at(i.b), at(static_cast<Operand>(i.b + 1)), at(i.a)) || forNext(i)) ++pc_;
                break;
            case Op::Try:
                handlers_.push_back({i.a, i.target()});
                break;
            case Op::EndTry:
                handlers_.pop_back();
                break;
            case Op::Statement:
                reachStatement();
                break;
            case Op::Throw:
            case Op::Assert:
            case Op::TimerStart:
            case Op::TimerStop:
            case Op::CountDown:
            case Op::DefineFunction:
            case Op::Share:
            case Op::Directive:
            case Op::Show:
                statement(i);
                break;
            case Op::Return:
                if (callers_.empty()) return code_->topLevel ? std::move(last_) : at(i.a);
                returnToCaller(i.a);
                break;
        }
    }
}

void Machine::enterHotCode() {
    int32_t next = code_->hot.run(*code_, pc_, spaces_, context_, code_->body.isJit);
    if (next >= 0) pc_ = next;
}

// The region that the current instruction belongs to, as a whole, when one of its leaves is a long vector.
bool Machine::runRegion() {
    const int32_t here = pc_ - 1;
    auto after = std::upper_bound(code_->regions.begin(), code_->regions.end(), here,
                                  [](int32_t pc, const Region& region) { return pc < region.begin; });
    if (after == code_->regions.begin()) return false;
    const Region& region = *(after - 1);
    if (here >= region.end) return false;
    std::vector<const Value*> leaves;
    for (Operand o : region.operands) leaves.push_back(&at(o));
    Value result;
    try {
        if (!region.programs->run(leaves, context_, result)) return false;
    } catch (const Error&) {
        context_.checkCancelled();
        return false;  // the instructions meet the error at its place
    }
    at(region.target) = std::move(result);
    pc_ = region.end;
    return true;
}

void Machine::make(const Instruction& i) {
    switch (i.op) {
        case Op::MakeTuple: {
            std::vector<Value> items(&at(i.b), &at(i.b) + i.c);
            at(i.a) = Value::of(makeRef<Tuple>(std::move(items)));
            break;
        }
        case Op::MakeList:
            at(i.a) = listOf(std::vector<Value>(&at(i.b), &at(i.b) + i.c));
            break;
        case Op::MakeDictionary:
            makeDictionary(i);
            break;
        case Op::MakeClosure:
            makeClosure(i);
            break;
        case Op::MakePartial:
            makePartial(i);
            break;
        case Op::MakeCode:
            at(i.a) = codeValue(fillMacros(at(i.b).as<Code>()->node, scope_));
            break;
        default:
            throw InternalError("an instruction that makes no value");
    }
}

void Machine::makeDictionary(const Instruction& i) {
    const Value* entries = &at(i.b);
    Type keyType = i.c == 0 ? Type::String : entries[0].type();
    auto d = makeRef<Dictionary>(keyType, Type::Any, false);
    for (int k = 0; k < i.c; ++k) d->set(entries[2 * k], entries[2 * k + 1]);
    at(i.a) = Value::of(d);
}

void Machine::makeClosure(const Instruction& i) {
    const auto& closure = static_cast<const Closure&>(at(i.b).function());
    std::vector<Value> captures;
    for (Operand source : code_->captureLists[i.c]) captures.push_back(at(source));
    Ref<CompiledFunction> inner(const_cast<CompiledFunction*>(&closure.code()));
    at(i.a) = Value::of(Ref<Function>(makeRef<Closure>(inner, std::move(captures))));
}

static bool isCode(const Value& v) {
    return v.type() == Type::Code && v.isScalar();
}

// The indices, with metacode of a table's columns evaluated: t[<price > 5>] reads and writes the rows where it is true.
std::vector<Value> Machine::evaluatedIndices(const Value& object, const Value* given, int count) {
    std::vector<Value> indices(given, given + count);
    for (Value& index : indices) {
        if (isCode(index)) index = evaluatedOver(object, index);
    }
    return indices;
}

// exec <code> from table
Value Machine::evaluatedOver(const Value& table, const Value& code) {
    auto query = makeRef<Query>(SourcePosition());
    query->verb = QueryVerb::Exec;
    query->items.push_back({code.as<Code>()->node, {}, {}});
    query->table = makeRef<Constant>(table, SourcePosition());
    std::vector<Value> arguments{codeValue(query)};
    return FunctionRegistry::instance().get("executeQuery").call(context_, arguments);
}

// The value to assign in t[`a]=<a*2>, t[`a, rows]=<a*2> and t[`a`b]=[<b>, <a>]: code of the columns, computed over the
// rows that are written, as update does.
Value Machine::assignedValue(const Value& object, std::span<const Value> indices, const Value& value) {
    const bool several =
        value.isTuple() && std::any_of(value.tuple().elements.begin(), value.tuple().elements.end(), isCode);
    if (!(isCode(value) || several) || object.table().asPartitioned()) return value;
    Value rows = object;
    if (indices.size() == 2) {
        const Value& chosen = isLiteral(indices[0].type()) ? indices[1] : indices[0];
        if (!isOmitted(chosen)) {
            const Value all = chosen.isScalar() ? Value::of(Vector::filled(chosen.type(), 1, chosen)) : chosen;
            rows = indexRead(object, {&all, 1});
        }
    }
    if (isCode(value)) return evaluatedOver(rows, value);
    std::vector<Value> values = value.tuple().elements;
    for (Value& v : values) {
        if (isCode(v)) v = evaluatedOver(rows, v);
    }
    return Value::of(makeRef<Tuple>(std::move(values)));
}

void Machine::indexStore(const Instruction& i) {
    try {
        if (at(i.a).isTable()) {
            requireAccess(context_, at(i.a), Right::Update);
            const std::vector<Value> indices = evaluatedIndices(at(i.a), &at(i.b), i.extra);
            if (isCode(at(i.c)) && at(i.a).table().asPartitioned() && indices.size() == 1) {
                // A table of a database is changed as update does.
                std::vector<Value> arguments{at(i.a), indices[0], at(i.c), Value()};
                FunctionRegistry::instance().get("update!").call(context_, arguments);
                return;
            }
            indexWrite(at(i.a), indices, assignedValue(at(i.a), indices, at(i.c)));
        } else {
            indexWrite(at(i.a), {&at(i.b), i.extra}, at(i.c));
        }
    } catch (const InvalidIndices& e) {
        const int32_t statement = code_->statementOf[static_cast<size_t>(pc_ - 1)];
        if (statement < 0) throw;
        throw InvalidIndices(hideSecrets(toSource(*code_->statements[static_cast<size_t>(statement)])), e.hint());
    }
}

void Machine::index(const Instruction& i) {
    const Value& object = at(i.b);
    // One position, or one key, returns the element as it is.
    if (object.isTable() || i.extra > 1 || !at(i.c).isScalar()) requireAccessWithin(context_, object, Right::Read);
    Value result;
    if (object.isFunction()) {
        std::vector<Value> arguments;
        const Value& x = at(i.c);
        if (x.isTuple()) {
            arguments = x.tuple().elements;
        } else if (i.extra > 1 && object.function().signature().maxArguments() == 1) {
            arguments = {listOf(std::vector<Value>(&at(i.c), &at(i.c) + i.extra))};  // float[1, 2, 3]
        } else {
            arguments.assign(&at(i.c), &at(i.c) + i.extra);
        }
        result = callFunction(object.function(), context_, arguments);
    } else if (i.extra == 1 && at(i.c).isFunction() && (object.isTypedVector() || object.isMatrix())) {
        // v[x -> x > 3]; of a matrix, the columns that the function is true for.
        const Function& f = at(i.c).function();
        auto chosen = [&](const Value& x) {
            std::vector<Value> arguments = {x};
            return callFunction(f, context_, arguments);
        };
        Value index;
        if (object.isMatrix()) {
            Ref<Vector> mask = Vector::make(Type::Bool, object.matrix().columns);
            for (int64_t c = 0; c < mask->size(); ++c) mask->mutableData<int8_t>()[c] = isTrue(chosen(object.at(c)));
            index = Value::of(mask);
        } else {
            index = chosen(object);
        }
        result = indexRead(object, {&index, 1});
    } else if (object.isTable()) {
        result = indexRead(object, evaluatedIndices(object, &at(i.c), i.extra));
    } else {
        result = indexRead(object, {&at(i.c), i.extra});
    }
    at(i.a) = std::move(result);
}

static UserError noMember(const Value& object, std::string_view name) {
    const bool isFunction = FunctionRegistry::instance().find(name) != nullptr;
    std::string call = isFunction ? fmt::format("{0} is a function: write {0}(x), or x.{0}().", name) : "";
    if (!object.isTable()) {
        return UserError(fmt::format("{} has no member {}.", typeString(object), name),
                         isFunction ? std::move(call) : adviceForName(name, NameUse::Called, {}));
    }
    UserError unknown = unknownColumn(name, object.table().columns());
    const std::string foreign = foreignFunctionAdvice(name);
    if (foreign.empty() && !isFunction) return unknown;
    return UserError(unknown.what(), foreign.empty() ? std::move(call) : foreign);
}

void Machine::member(const Instruction& i) {
    const Value& object = at(i.b);
    if (!object.isDictionary() && !isInstance(object)) requireAccessWithin(context_, object, Right::Read);
    Value result;
    std::string_view name = at(i.c).string();
    if (!memberRead(object, name, result)) {
        throw noMember(object, name);
    }
    at(i.a) = std::move(result);
}

void Machine::loadShared(const Instruction& i) {
    Value value;
    auto* shared = context_.service<SharedObjects>();
    if (!shared || !shared->find(at(i.b).string(), value, context_.principal())) {
        throw UserError(fmt::format("Can't find the object with name {}", at(i.b).string()));
    }
    at(i.a) = std::move(value);
}

void Machine::query(const Instruction& i) {
    std::vector<Value> arguments{at(i.b)};
    Value result = FunctionRegistry::instance().get("executeQuery").call(context_, arguments);
    at(i.a) = std::move(result);
}

// a..b becomes the pair that walks the same elements: 0..5 is 0:6, and 5..0 is 6:0. The largest value of a type has no
// next one: then the pair holds first and last, and a position of INT, which no other loop has, says so.
void Machine::forSequence(const Instruction& i) {
    const auto [type, from, to, isEmpty] = sequenceEnds(at(i.b), at(i.c));
    const int64_t largest = static_cast<int64_t>(~uint64_t{0} >> (65 - 8 * widthOf(type)));
    const bool isUp = from <= to;
    const bool hasNext = isEmpty || std::max(from, to) < largest;
    const bool isShifted = hasNext && !isEmpty;
    Ref<Vector> ends = Vector::make(type, 2);
    ends->set(0, Value::scalar(type, from + (isShifted && !isUp)));
    ends->set(1, Value::scalar(type, to + (isShifted && isUp)));
    Value range = Value::of(std::move(ends), Form::Pair);
    if (!hasNext) range = Value::of(makeRef<Tuple>(std::vector<Value>{std::move(range)}));
    at(i.a) = std::move(range);
    at(static_cast<Operand>(i.a + 1)) = hasNext ? Value::ofLong(0) : Value::ofInt(0);
}

bool Machine::forNext(const Instruction& i) {
    const Value& range = at(i.b);
    Value& position = at(static_cast<Operand>(i.b + 1));
    int64_t p = position.integer();
    if (position.type() == Type::Int) {
        const Vector& ends = range.tuple().elements[0].vector();
        const int64_t from = ends.asLong(0), to = ends.asLong(1);
        if (p > (from <= to ? to - from : from - to)) return false;
        at(i.a) = Value::scalar(ends.type(), from <= to ? from + p : from - p);
        // More elements than a vector may have are refused, so that the position stays within INT.
        position = Value::ofInt(static_cast<int32_t>(p + 1));
        return true;
    }
    if (range.isPair()) {
        int64_t from = range.vector().asLong(0), to = range.vector().asLong(1);
        int64_t count = from <= to ? to - from : from - to;
        if (p >= count) return false;
        // 4:1 walks 3 2 1.
        at(i.a) = Value::scalar(range.type(), from <= to ? from + p : from - 1 - p);
    } else {
        int64_t count = range.isMatrix() ? range.matrix().columns : range.size();
        if (p >= count) return false;
        at(i.a) = range.isDictionary() ? range.dictionary().keyAt(p) : range.at(p);
    }
    position = Value::ofLong(p + 1);
    return true;
}

void Machine::unpack(const Instruction& i) {
    Value source = at(i.b);
    requireAccess(context_, source, Right::Read);
    int64_t count = i.extra;
    bool single = source.isScalar();
    int64_t size = source.isMatrix() ? source.matrix().columns : source.size();
    if (!single && size != count) {
        throw UserError(fmt::format("{} values can't be assigned to {} variables.", size, count));
    }
    for (int64_t k = 0; k < count; ++k) at(static_cast<Operand>(i.a + k)) = single ? source : source.at(k);
}

}  // namespace pelorus
