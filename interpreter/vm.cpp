// The machine's loop.
//
// Rules:
//   1. Registers above a frame's own are VOID between instructions; a call clears its registers when it ends.
//   2. An instruction writes its target last: when it throws, nothing of it has happened.
//   3. Values that a callee may change are moved into its arguments and moved back whether it returns or throws.
#include "interpreter/vm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "interpreter/fusion/fused_region.h"
#include "interpreter/macro.h"
#include "interpreter/value_stack.h"
#include "runtime/code/statement.h"
#include "runtime/code/to_source.h"
#include "runtime/dictionary.h"
#include "runtime/format/print.h"
#include "runtime/function_registry.h"
#include "runtime/kernel/assemble.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/index.h"
#include "runtime/kernel/operators.h"
#include "runtime/table.h"

namespace pelorus {

namespace {

constexpr int kMaxDepth = 1000;
constexpr size_t kShownFrames = 8;  // of user functions, in an error

// Variables of a running call by name, for eval and queries.
class FrameScope final : public Scope {
public:
    FrameScope(const CompiledFunction& code, Value* const* spaces, const Session* session, const Services& services)
        : code_(code), spaces_(spaces), session_(session), services_(services) {}

    bool lookup(std::string_view name, Value& value) const override {
        for (const auto& [known, place] : code_.variables) {
            if (known == name) {
                value = spaces_[spaceOf(place)][indexOf(place)];
                return true;
            }
        }
        for (const auto& [known, function] : code_.references) {
            if (known == name) {
                value = Value::of(function);
                return true;
            }
        }
        if (session_) return session_->lookup(name, value);
        auto* shared = services_.find<SharedObjects>();
        return shared && shared->find(name, value);
    }

    std::string nameOf(const Object& object) const override {
        std::string name = session_ ? session_->nameOf(object) : "";
        for (size_t i = 0; name.empty() && i < code_.variables.size(); ++i) {
            const auto& [known, place] = code_.variables[i];
            const Value& v = spaces_[spaceOf(place)][indexOf(place)];
            if (v.hasObject() && v.object() == &object) name = known;
        }
        return name;
    }

private:
    const CompiledFunction& code_;
    Value* const* spaces_;
    const Session* session_;
    const Services& services_;
};

class Machine {
public:
    Machine(const CompiledFunction& code, Value* frame, Value* captures, Session* session, Context& context,
            const ShowValue* show)
        : code_(code),
          session_(session),
          context_(context),
          show_(show),
          stack_(ValueStack::ofThread()),
          spaces_{frame, const_cast<Value*>(code.constants.data()), session ? session->variables() : nullptr, captures},
          scope_(code, spaces_, session ? session : static_cast<Session*>(context.session), *context.services) {
        stack_.requireRoom(frame, code.frameSize + 1);
        stack_.setTop(frame + code.frameSize);
    }

    Value run() {
        for (;;) {
            try {
                return loop();
            } catch (ScriptError& e) {
                if (handlers_.empty()) throw;
                handle(e.thrownByUser ? "USER" : "SYSTEM", e.message);
            } catch (const InternalError&) {
                throw;
            } catch (const Error& e) {
                if (handlers_.empty()) throw located(e);
                handle("SYSTEM", e.what());
            }
        }
    }

private:
    struct Handler {
        Operand exception;
        int32_t target;
    };
    Value loop();
    void call(const Instruction& i);
    void makePartial(const Instruction& i);
    void query(const Instruction& i);
    bool forNext(const Instruction& i);
    void unpack(const Instruction& i);
    void directive(const Instruction& i);

    Value& at(Operand o) const { return spaces_[spaceOf(o)][indexOf(o)]; }

    void handle(const char* origin, const std::string& message) {
        Handler handler = handlers_.back();
        handlers_.pop_back();
        at(handler.exception) = Value::of(Vector::ofStrings({origin, message}), Form::Pair);
        pc_ = handler.target;
    }

    // The error with the failing statement in front: ERR-02.
    ScriptError located(const Error& e, bool thrown = false) const {
        auto here = static_cast<size_t>(pc_ - 1);
        int32_t statement = code_.statementOf[here];
        std::string text;
        if (statement >= 0) text = toSource(*code_.statements[static_cast<size_t>(statement)]) + " => ";
        return ScriptError(text + e.what(), e.what(), e.hint(), code_.positions[here], thrown);
    }

    const CompiledFunction& code_;
    Session* session_;
    Context& context_;
    const ShowValue* show_;
    ValueStack& stack_;
    Value* spaces_[4];
    FrameScope scope_;
    std::vector<Handler> handlers_;
    int32_t pc_ = 0;
    Value last_;  // of the last expression statement of a script
};

// x op y on the two types that loops are made of; false sends everything else the general way.
inline bool fastBinary(Operator op, const Value& x, const Value& y, Value& out) {
    if (!x.isScalar() || !y.isScalar()) return false;
    return applyScalar(op, x, y, out);
}

Value Machine::loop() {
    const Instruction* code = code_.code.data();
    for (;;) {
        const Instruction& i = code[pc_++];
        switch (i.op) {
            case Op::Move:
                at(i.a) = at(i.b);
                break;
            case Op::Binary: {
                auto op = static_cast<Operator>(i.extra);
                Value result;
                if (!fastBinary(op, at(i.b), at(i.c), result)) result = applyBinary(op, at(i.b), at(i.c));
                at(i.a) = std::move(result);
                break;
            }
            case Op::Unary:
                at(i.a) = applyUnary(static_cast<Operator>(i.extra), at(i.b));
                break;
            case Op::Jump:
                // Loops come by here: the place to notice that the request was cancelled.
                if (i.target() < pc_) context_.checkCancelled();
                pc_ = i.target();
                break;
            case Op::JumpIfFalse:
                if (!isTrue(at(i.a))) pc_ = i.target();
                break;
            case Op::JumpIfTrue:
                if (isTrue(at(i.a))) {
                    if (i.target() < pc_) context_.checkCancelled();
                    pc_ = i.target();
                }
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
            case Op::JumpUnlessLong:
                if (!isWorthFusing({&at(i.a), i.extra})) pc_ = i.target();
                break;
            case Op::JumpUnlessScalar:
                // With extra set: unless the argument was left out.
                if (i.extra ? !(isOmitted(at(i.a))) : !at(i.a).isScalar()) pc_ = i.target();
                break;
            case Op::Fused:
                at(i.a) = runFused(code_.fused[i.c], {&at(i.b), i.extra});
                break;
            case Op::Select: {
                Value result = selectItems(at(i.b), at(i.c), at(static_cast<Operand>(i.c + 1)));
                at(i.a) = std::move(result);
                break;
            }
            case Op::Call:
                call(i);
                break;
            case Op::MakeTuple: {
                std::vector<Value> items(&at(i.b), &at(i.b) + i.c);
                at(i.a) = Value::of(makeRef<Tuple>(std::move(items)));
                break;
            }
            case Op::MakeList:
                at(i.a) = listOf(std::vector<Value>(&at(i.b), &at(i.b) + i.c));
                break;
            case Op::MakeDictionary: {
                const Value* entries = &at(i.b);
                Type keyType = i.c == 0 ? Type::String : entries[0].type();
                auto d = makeRef<Dictionary>(keyType, Type::Any, false);
                for (int k = 0; k < i.c; ++k) d->set(entries[2 * k], entries[2 * k + 1]);
                at(i.a) = Value::of(d);
                break;
            }
            case Op::MakeClosure: {
                const auto& closure = static_cast<const Closure&>(at(i.b).function());
                std::vector<Value> captures;
                for (Operand source : code_.captureLists[i.c]) captures.push_back(at(source));
                Ref<CompiledFunction> inner(const_cast<CompiledFunction*>(&closure.code()));
                at(i.a) = Value::of(Ref<Function>(makeRef<Closure>(inner, std::move(captures))));
                break;
            }
            case Op::MakePartial:
                makePartial(i);
                break;
            case Op::MakeCode:
                at(i.a) = codeValue(fillMacros(at(i.b).as<Code>()->node, scope_));
                break;
            case Op::Index: {
                const Value& object = at(i.b);
                if (object.isFunction()) {
                    std::vector<Value> arguments;
                    const Value& x = at(i.c);
                    if (x.isTuple()) {
                        arguments = x.tuple().items;
                    } else {
                        arguments.assign(&at(i.c), &at(i.c) + i.extra);
                    }
                    Value result = callFunction(object.function(), context_, arguments);
                    at(i.a) = std::move(result);
                    break;
                }
                Value result = indexRead(object, {&at(i.c), i.extra});
                at(i.a) = std::move(result);
                break;
            }
            case Op::IndexStore:
                indexWrite(at(i.a), {&at(i.b), i.extra}, at(i.c));
                break;
            case Op::Member: {
                const Value& object = at(i.b);
                Value result;
                std::string_view name = at(i.c).text();
                if (!memberRead(object, name, result)) {
                    if (object.isTable()) {
                        throw UserError(fmt::format("Unrecognized column name [{}]. RefId: S02005", name));
                    }
                    throw UserError(fmt::format("{} has no member {}.", typeString(object), name));
                }
                at(i.a) = std::move(result);
                break;
            }
            case Op::Unpack:
                unpack(i);
                break;
            case Op::Query:
                query(i);
                break;
            case Op::LoadShared: {
                Value value;
                auto* shared = context_.service<SharedObjects>();
                if (!shared || !shared->find(at(i.b).text(), value)) {
                    throw UserError(fmt::format("Can't find the object with name {}", at(i.b).text()));
                }
                at(i.a) = std::move(value);
                break;
            }
            case Op::ForStart:
                at(i.a) = at(i.b);
                at(static_cast<Operand>(i.a + 1)) = Value::ofLong(0);
                break;
            case Op::ForNext:
                if (forNext(i)) ++pc_;
                break;
            case Op::Try:
                handlers_.push_back({i.a, i.target()});
                break;
            case Op::EndTry:
                handlers_.pop_back();
                break;
            case Op::Throw: {
                const Value& v = at(i.a);
                std::string message = v.isText()   ? std::string(v.text())
                                      : v.isPair() ? scalarText(v.at(1))
                                                   : display(v);
                throw located(UserError(message), true);
            }
            case Op::Assert:
                if (!isTrue(at(i.a))) {
                    throw UserError(fmt::format("Testing case {} failed", scalarText(at(i.b))));
                }
                break;
            case Op::TimerStart:
                at(i.a) = Value::ofLong(std::chrono::steady_clock::now().time_since_epoch().count());
                break;
            case Op::TimerStop: {
                int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
                double millis = static_cast<double>(now - at(i.a).integer()) / 1e6;
                std::string text = fmt::format("{:.3f}", millis);
                while (text.back() == '0') text.pop_back();
                if (text.back() == '.') text.pop_back();
                if (context_.request->print) context_.request->print("Time elapsed: " + text + " ms");
                break;
            }
            case Op::CountDown: {
                int64_t left = at(i.a).asLong() - 1;
                at(i.a) = Value::ofLong(left);
                context_.checkCancelled();
                if (left > 0) pc_ = i.target();
                break;
            }
            case Op::DefineFunction: {
                Value function = at(i.b);
                session_->setFunction(std::string(function.function().name()), Ref<Function>(&function.function()));
                last_ = Value();
                break;
            }
            case Op::Share:
                shareObject(at(i.a), std::string(at(i.b).text()), context_);
                break;
            case Op::Directive:
                directive(i);
                break;
            case Op::Show:
                last_ = at(i.a);
                if (show_ && *show_) (*show_)(last_);
                break;
            case Op::Return: {
                if (code_.topLevel) return std::move(last_);
                return at(i.a);
            }
        }
        if (i.op == Op::Move && code_.topLevel) last_ = Value();
    }
}

// The family takes sqlUpdate(…, contextby=…) for contextBy.
bool sameKeyword(std::string_view parameter, std::string_view keyword) {
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(parameter.begin(), parameter.end(), keyword.begin(), keyword.end(),
                      [&](char a, char b) { return lower(a) == lower(b); });
}

// Puts keyword arguments at the places of their parameters.
std::vector<Value> placed(const Function& f, const std::vector<std::string>& keywords, Value* arguments, size_t count) {
    const auto& parameters = f.signature().parameters;
    std::vector<Value> all;
    bool named = false;
    for (size_t i = 0; i < count; ++i) {
        if (keywords[i].empty()) {
            if (named) {
                throw UserError(
                    "If one argument is passed as keyword argument, all subsequent arguments must also be "
                    "keyword arguments. RefId: S06001");
            }
            all.push_back(std::move(arguments[i]));
            continue;
        }
        named = true;
        size_t p = 0;
        while (p < parameters.size() && !sameKeyword(parameters[p].name, keywords[i])) ++p;
        if (p == parameters.size()) {
            throw UserError(fmt::format("The function [{}] has no parameter named {}.", f.name(), keywords[i]));
        }
        while (all.size() <= p) all.push_back(omitted());
        all[p] = std::move(arguments[i]);
    }
    return all;
}

void Machine::call(const Instruction& i) {
    const CallSite& site = code_.callSites[i.b];
    const Value callee = at(site.callee);
    Value* arguments = spaces_[0] + site.base;
    size_t count = site.count;
    for (const auto& [index, variable] : site.inPlace) arguments[index] = std::move(at(variable));
    // Rule 3: also when the callee throws.
    struct MoveBack {
        const CallSite& site;
        Machine& machine;
        Value* arguments;
        ~MoveBack() {
            for (const auto& [index, variable] : site.inPlace) machine.at(variable) = std::move(arguments[index]);
        }
    } moveBack{site, *this, arguments};
    const Scope* outerScope = context_.scope;
    context_.scope = &scope_;
    struct RestoreScope {
        Context& context;
        const Scope* scope;
        ~RestoreScope() { context.scope = scope; }
    } restore{context_, outerScope};

    Value result;
    if (!callee.isFunction()) {
        if (callee.type() == Type::Handle || callee.type() == Type::Resource) {
            std::vector<Value> all{callee};
            for (size_t k = 0; k < count; ++k) all.push_back(std::move(arguments[k]));
            result = FunctionRegistry::instance().get("remoteRun").call(context_, all);
        } else if (callee.isTuple()) {
            std::vector<Value> results;
            for (const Value& f : callee.tuple().items) {
                if (!f.isFunction()) throw UserError("A tuple can only be called when all its items are functions.");
                std::vector<Value> copy(arguments, arguments + count);
                results.push_back(callFunction(f.function(), context_, copy));
            }
            result = assemble(std::move(results));
        } else {
            throw UserError(fmt::format("A value of type {} can't be called like a function.", typeString(callee)));
        }
    } else if (site.keywords.empty()) {
        result = callFunction(callee.function(), context_, {arguments, count});
    } else {
        std::vector<Value> all = placed(callee.function(), site.keywords, arguments, count);
        result = callFunction(callee.function(), context_, all);
        for (const auto& [index, variable] : site.inPlace)
            arguments[index] = std::move(all[static_cast<size_t>(index)]);
    }
    stack_.setTop(spaces_[0] + code_.frameSize);
    bool keepArguments = i.c != 0;  // an element is written back from there
    if (!keepArguments) {
        auto isInPlace = [&](size_t k) {
            for (const auto& [index, variable] : site.inPlace) {
                if (static_cast<size_t>(index) == k) return true;
            }
            return false;
        };
        for (size_t k = 0; k < count; ++k) {
            if (!isInPlace(k)) arguments[k] = Value();
        }
    }
    at(i.a) = std::move(result);
}

void Machine::makePartial(const Instruction& i) {
    const CallSite& site = code_.callSites[i.b];
    const Value callee = at(site.callee);
    if (!callee.isFunction()) throw UserError(fmt::format("f{{…}} needs a function, but f is {}.", typeString(callee)));
    Value* arguments = spaces_[0] + site.base;
    std::vector<Value> fixed = site.keywords.empty() ? std::vector<Value>(arguments, arguments + site.count)
                                                     : placed(callee.function(), site.keywords, arguments, site.count);
    Ref<Function> function(&callee.function());
    at(i.a) = Value::of(Ref<Function>(makeRef<PartialFunction>(function, std::move(fixed))));
}

void Machine::query(const Instruction& i) {
    const Scope* outerScope = context_.scope;
    context_.scope = &scope_;
    struct RestoreScope {
        Context& context;
        const Scope* scope;
        ~RestoreScope() { context.scope = scope; }
    } restore{context_, outerScope};
    std::vector<Value> arguments{at(i.b)};
    Value result = FunctionRegistry::instance().get("executeQuery").call(context_, arguments);
    at(i.a) = std::move(result);
}

bool Machine::forNext(const Instruction& i) {
    const Value& range = at(i.b);
    Value& position = at(static_cast<Operand>(i.b + 1));
    int64_t p = position.integer();
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
    int64_t count = i.extra;
    bool single = source.isScalar();
    int64_t size = source.isMatrix() ? source.matrix().columns : source.size();
    if (!single && size != count) {
        throw UserError(fmt::format("{} values can't be assigned to {} variables.", size, count));
    }
    for (int64_t k = 0; k < count; ++k) at(static_cast<Operand>(i.a + k)) = single ? source : source.at(k);
}

void Machine::directive(const Instruction& i) {
    auto kind = static_cast<NodeKind>(i.extra);
    std::string text(at(i.b).text());
    const char* function = kind == NodeKind::Use ? "useModule" : nullptr;
    if (!function || !FunctionRegistry::instance().find(function)) {
        throw UserError("This statement is not supported here: " + text);
    }
    std::vector<Value> arguments{Value::ofString(text)};
    FunctionRegistry::instance().get(function).call(context_, arguments);
}

// Leaves the registers VOID, whatever happens.
struct FrameCleaner {
    Value* frame;
    int keep;
    int size;
    ValueStack& stack;
    Value* top;
    ~FrameCleaner() {
        for (int r = keep; r < size; ++r) frame[r] = Value();
        stack.setTop(top);
    }
};

// Runs a closure whose arguments already lie at the start of its frame. Changed mutable parameters stay there.
Value runInFrame(const Closure& closure, Context& context, Value* frame, size_t given) {
    const CompiledFunction& code = closure.code();
    const auto& parameters = code.signature.parameters;
    if (given > parameters.size()) {
        throw UserError(
            fmt::format("The function [{}] expects {} argument(s), but the actual number of arguments is: {}",
                        closure.name().empty() ? "lambda" : closure.name(), parameters.size(), given));
    }
    ValueStack& stack = ValueStack::ofThread();
    stack.requireRoom(frame, code.frameSize + 1);
    FrameCleaner cleaner{frame, static_cast<int>(parameters.size()), code.frameSize, stack, stack.top()};
    for (size_t p = 0; p < parameters.size(); ++p) {
        if (p < given && !isOmitted(frame[p])) continue;
        if (!parameters[p].optional) {
            throw UserError(
                fmt::format("The function [{}] expects {} argument(s), but the actual number of arguments is: {}",
                            closure.name().empty() ? "lambda" : closure.name(), parameters.size(), given));
        }
        frame[p] = parameters[p].defaultValue.isVoid() ? omitted() : parameters[p].defaultValue;
    }
    if (++context.callDepth > kMaxDepth) {
        --context.callDepth;
        throw UserError(fmt::format("The recursion is deeper than {} calls.", kMaxDepth),
                        "Write it as a loop, or with reduce or accumulate.");
    }
    struct LeaveDepth {
        Context& context;
        ~LeaveDepth() { --context.callDepth; }
    } leave{context};
    Machine machine(code, frame, const_cast<Value*>(closure.captures().data()), nullptr, context, nullptr);
    try {
        return machine.run();
    } catch (ScriptError& e) {
        std::string name = closure.name().empty() ? "lambda" : std::string(closure.name());
        // A runaway recursion would repeat its name a thousand times.
        bool deep = e.callStack.size() >= kShownFrames;
        ScriptError outer(deep ? std::string(e.what()) : name + ": " + e.what(), e.message, e.hint(), e.position,
                          e.thrownByUser);
        outer.callStack = e.callStack;
        outer.callStack.push_back(name);
        throw outer;
    }
}

// The Context of a call that may run beside others, as a task of peach, is a copy: callDepth and scope are its own.
Value callClosure(const Closure& closure, Context& context, std::span<Value> arguments) {
    ValueStack& stack = ValueStack::ofThread();
    Value* frame = stack.top();
    size_t parameters = closure.signature().parameters.size();
    stack.requireRoom(frame, static_cast<int>(std::max(parameters, arguments.size())) + 1);
    for (size_t i = 0; i < arguments.size(); ++i) frame[i] = std::move(arguments[i]);
    struct Restore {
        Value* frame;
        std::span<Value> arguments;
        size_t parameters;
        const Closure& closure;
        ~Restore() {
            for (size_t i = 0; i < std::max(parameters, arguments.size()); ++i) {
                // Mutable parameters go back to the caller.
                if (i < arguments.size()) arguments[i] = std::move(frame[i]);
                frame[i] = Value();
            }
        }
    } restore{frame, arguments, parameters, closure};
    return runInFrame(closure, context, frame, arguments.size());
}

}  // namespace

Value callFunction(const Function& function, Context& context, std::span<Value> arguments) {
    if (auto* closure = dynamic_cast<const Closure*>(&function)) return callClosure(*closure, context, arguments);
    return function.call(context, arguments);
}

Value runScript(const CompiledFunction& script, Session& session, Context& context, const ShowValue& show) {
    ValueStack& stack = ValueStack::ofThread();
    Value* frame = stack.top();
    FrameCleaner cleaner{frame, 0, script.frameSize, stack, frame};
    Machine machine(script, frame, nullptr, &session, context, &show);
    return machine.run();
}

}  // namespace pelorus
