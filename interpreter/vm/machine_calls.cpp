// Calls of the machine: into script functions and back, to everything else, and the propagation of errors through them.
#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/nearest_name.h"
#include "common/thread/mutex.h"
#include "interpreter/codegen/code_generator.h"
#include "interpreter/session/late_function.h"
#include "interpreter/session/session.h"
#include "interpreter/vm/machine.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

constexpr int kMaxDepth = 1000;
constexpr size_t kShownFrames = 8;  // user functions shown in an error

std::string_view nameOf(const CompiledFunction& code) {
    return code.body.name.empty() ? "lambda" : std::string_view(code.body.name);
}

// "Syntax: f(alpha, beta)"
std::string syntaxNote(std::string_view name, const Signature& signature) {
    std::string all;
    for (const Parameter& p : signature.parameters) all += (all.empty() ? "" : ", ") + p.name;
    return fmt::format("Syntax: {}({})", name, all);
}

[[noreturn]] void wrongCount(const CompiledFunction& code, size_t given) {
    throw UserError(fmt::format("The function [{}] expects {} argument(s), but the actual number of arguments is: {}",
                                nameOf(code), code.signature.parameters.size(), given),
                    code.body.name.empty() ? std::string() : syntaxNote(code.body.name, code.signature));
}

// Returns the script function of a function value, or nullptr.
const Closure* closureBehind(const Function& f) {
    if (f.kind() == Function::Kind::Closure) return static_cast<const Closure*>(&f);
    if (f.kind() != Function::Kind::Cell) return nullptr;
    const auto& cell = static_cast<const FunctionCell&>(f);
    return cell.target && cell.target->kind() == Function::Kind::Closure
               ? static_cast<const Closure*>(cell.target.get())
               : nullptr;
}

bool changesAny(const Function& f) {
    const auto& parameters = f.signature().parameters;
    return std::any_of(parameters.begin(), parameters.end(), [](const Parameter& p) { return p.isMutable; });
}

// The family takes sqlUpdate(…, contextby=…) for contextBy, and either name of a parameter "dbPath|sqlObj".
bool sameKeyword(std::string_view parameter, std::string_view keyword) {
    if (const size_t bar = parameter.find('|'); bar != std::string_view::npos) {
        return sameKeyword(parameter.substr(0, bar), keyword) || sameKeyword(parameter.substr(bar + 1), keyword);
    }
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(parameter.begin(), parameter.end(), keyword.begin(), keyword.end(),
                      [&](char a, char b) { return lower(a) == lower(b); });
}

UserError noParameter(const Function& f, const std::string& keyword) {
    std::vector<std::string_view> names;
    for (const Parameter& p : f.signature().parameters) names.push_back(p.name);
    std::string hint = didYouMean(nearestNames(keyword, names));
    const auto* builtin = dynamic_cast<const BuiltinFunction*>(&f);
    hint += hint.empty() ? "" : " ";
    hint += builtin ? "Syntax: " + std::string(builtin->syntax()) : syntaxNote(f.name(), f.signature());
    return UserError(fmt::format("The function [{}] has no parameter named {}.", f.name(), keyword), std::move(hint));
}

// Puts keyword arguments at the places of their parameters.
std::vector<Value> placed(const Function& f, const std::vector<std::string>& keywords, Value* arguments, size_t count) {
    CHECK(keywords.size() >= count) << "each argument has its keyword, or an empty one";
    const auto& parameters = f.signature().parameters;
    std::vector<size_t> places;
    bool named = false;
    for (size_t i = 0; i < count; ++i) {
        if (keywords[i].empty()) {
            if (named) {
                throw UserError(
                    "If one argument is passed as keyword argument, all subsequent arguments must also be "
                    "keyword arguments. RefId: S06001");
            }
            places.push_back(i);
            continue;
        }
        named = true;
        size_t p = 0;
        while (p < parameters.size() && !sameKeyword(parameters[p].name, keywords[i])) ++p;
        if (p == parameters.size()) {
            throw noParameter(f, keywords[i]);
        }
        places.push_back(p);
    }
    // All is checked before anything is moved: the caller's variables are among the arguments.
    std::vector<Value> all;
    for (size_t i = 0; i < count; ++i) {
        while (all.size() <= places[i]) all.push_back(skippedArgument());
        all[places[i]] = std::move(arguments[i]);
    }
    return all;
}

}  // namespace

Machine::Machine(const CompiledFunction& code, Value* frame, Value* captures, Session* session, Context& context,
                 const ShowValue* show)
    : code_(&code),
      spaces_{frame, const_cast<Value*>(code.constants.data()), session ? session->variables() : nullptr, captures},
      hotMask_(jitMode() == JitMode::Always ? 0 : kHotLoopTicks - 1),
      session_(session),
      context_(context),
      show_(show),
      stack_(ValueStack::ofThread()),
      scope_(*this),
      outerScope_(context.scope) {
    stack_.requireRoom(frame, code.frameSize + 1);
    stack_.setTop(frame + code.frameSize);
    context_.scope = &scope_;
    if (code.body.isJit) enterHotCode();
}

Value Machine::run() {
    const CancellationScope cancellation(&context_.request->cancelled);
    for (;;) {
        try {
            return loop();
        } catch (const ScriptError& e) {
            recover(e, e.thrownByUser ? "USER" : "SYSTEM");
        } catch (const InternalError&) {
            while (!callers_.empty()) leave();
            throw;
        } catch (const Error& e) {
            recover(located(e), "SYSTEM");
        } catch (const std::exception& e) {
            // A library below a kernel threw it: a script may handle it as any other error.
            recover(located(SystemError(e.what())), "SYSTEM");
        }
    }
}

void Machine::recover(ScriptError error, const char* origin) {
    auto place = [&] {
        bool submitted = code_->origin.empty() && pc_ > 0;
        if (!error.position.known() && submitted) error.position = code_->positions[static_cast<size_t>(pc_ - 1)];
    };
    place();
    reachError(error);
    while (handlers_.size() == handlerBase_) {
        if (callers_.empty()) throw error;
        error = outOfFunction(*code_, error);
        leave();
        place();
    }
    Handler handler = handlers_.back();
    handlers_.pop_back();
    at(handler.exception) = Value::of(Vector::ofStrings({origin, error.message}), Form::Pair);
    pc_ = handler.target;
}

void Machine::takeInPlace(const CallSite& site, const Function* callee, Value* arguments) {
    for (const auto& [index, variable] : site.inPlace) arguments[index] = std::move(at(variable));
    for (const auto& [index, variable] : site.changeable) {
        if (callee && changesArgument(*callee, static_cast<size_t>(index))) {
            arguments[index] = std::move(at(variable));
        }
    }
}

void Machine::giveBackInPlace(const CallSite& site, const Function* callee, Value* arguments) {
    for (const auto& [index, variable] : site.inPlace) at(variable) = std::move(arguments[index]);
    for (const auto& [index, variable] : site.changeable) {
        if (callee && changesArgument(*callee, static_cast<size_t>(index))) {
            at(variable) = std::move(arguments[index]);
        }
    }
}

void Machine::call(const Instruction& i) {
    const CallSite& site = code_->callSites[i.b];
    if (site.isInRegion && runRegion()) return;
    const Value& callee = at(site.callee);
    Value* arguments = spaces_[0] + site.base;
    if (callee.isFunction() && site.keywords.empty() && i.c == 0 && !site.firstIsByName) {
        if (const Closure* closure = closureBehind(callee.function())) {
            bool pure = site.inPlace.empty() && (site.changeable.empty() || !changesAny(*closure));
            if (pure && closure->code().hot.call(*closure, {arguments, site.count}, at(i.a), context_)) return;
            enter(i, site, *closure, arguments);
            return;
        }
    }
    if (spaceOf(site.callee) == static_cast<int>(Space::Constants)) {
        callOther(i, site, callee, arguments);
    } else if (const Value function = functionOfSameName(site, callee); function.isFunction()) {
        callOther(i, site, function, arguments);
    } else {
        callOther(i, site, Value(callee), arguments);  // a variable that the call may change: kept alive
    }
}

void Machine::enter(const Instruction& i, const CallSite& site, const Closure& closure, Value* arguments) {
    const CompiledFunction& code = closure.code();
    size_t parameters = code.signature.parameters.size();
    if (site.count > parameters) wrongCount(code, site.count);
    Value* frame = spaces_[0] + code_->frameSize;
    stack_.requireRoom(frame, code.frameSize + 1);
    bool constant = spaceOf(site.callee) == static_cast<int>(Space::Constants);
    Ref<const Function> kept(constant ? nullptr : &static_cast<const Function&>(closure));
    enterDepth(context_);
    takeInPlace(site, &closure, arguments);
    for (size_t k = 0; k < site.count; ++k) frame[k] = std::move(arguments[k]);
    callers_.push_back({code_, spaces_[0], spaces_[2], spaces_[3], pc_, handlerBase_, &i, std::move(kept)});
    code_ = &code;
    spaces_[0] = frame;
    spaces_[1] = const_cast<Value*>(code.constants.data());
    spaces_[2] = nullptr;
    spaces_[3] = const_cast<Value*>(closure.captures().data());
    pc_ = 0;
    handlerBase_ = handlers_.size();
    stack_.setTop(frame + code.frameSize);
    try {
        completeArguments(closure, frame, site.count);
    } catch (...) {
        leave();  // the error belongs to the caller
        throw;
    }
    if (code.body.isJit) enterHotCode();
}

void Machine::leave() {
    Activation& caller = callers_.back();
    Value* frame = spaces_[0];
    const CompiledFunction& callee = *code_;
    handlers_.resize(handlerBase_, Handler{});
    code_ = caller.code;
    spaces_[0] = caller.frame;
    spaces_[1] = const_cast<Value*>(caller.code->constants.data());
    spaces_[2] = caller.globals;
    spaces_[3] = caller.captures;
    pc_ = caller.pc;
    handlerBase_ = caller.handlerBase;
    giveBackInPlace(code_->callSites[caller.call->b], caller.callee.get(), frame);
    for (int r = 0; r < callee.frameSize; ++r) frame[r] = Value();
    stack_.setTop(spaces_[0] + code_->frameSize);
    --context_.callDepth;
    callers_.pop_back();
}

void Machine::returnToCaller(Operand result) {
    DCHECK(!callers_.empty()) << "the function that returns has been called";
    Value& place = at(result);
    // A parameter may belong to the caller's variable.
    bool own = spaceOf(result) == static_cast<int>(Space::Frame) &&
               indexOf(result) >= static_cast<int>(code_->signature.parameters.size());
    Value value = own ? std::move(place) : place;
    Operand target = callers_.back().call->a;
    leave();
    at(target) = std::move(value);
}

static bool isSameObject(const Value& a, const Value& b) {
    return a.hasObject() && b.hasObject() && a.object() == b.object();
}

// The variable of the running code or of its session that objByName would find.
Value* Machine::variableNamed(const Value& name) {
    if (!name.isString()) return nullptr;
    for (const auto& [known, place] : code_->variables) {
        if (known == name.string() && spaceOf(place) != static_cast<int>(Space::Captures)) return &at(place);
    }
    auto* session = static_cast<Session*>(context_.session);
    const int slot = session ? session->findVariable(name.string()) : -1;
    return slot < 0 ? nullptr : &session->variable(slot);
}

// Returns the function that has the name of a variable which holds none.
Value Machine::functionOfSameName(const CallSite& site, const Value& callee) const {
    const bool holdsFunctions =
        callee.isTuple() && !callee.tuple().elements.empty() && callee.tuple().elements[0].isFunction();
    const bool isRemote = callee.type() == Type::Handle || callee.type() == Type::Resource;
    if (callee.isFunction() || holdsFunctions || isRemote || site.calleeName.empty()) return Value();
    if (site.function) return Value::of(site.function);
    Value found;
    auto* session = static_cast<Session*>(context_.session);
    if (session) session->lookupFunction(site.calleeName, found);
    return found;
}

static bool dropsColumns(const Function* function) {
    const auto* builtin = dynamic_cast<const BuiltinFunction*>(function);
    return builtin && builtin->declaration().role == Role::DropColumns;
}

// The columns of a shared table go through its own name: dropped through another variable, they leave that variable's
// table only.
static void leaveSharedTable(const CallSite& site, const CompiledFunction& code, const Context& context, Value& table) {
    auto* memory = asMemoryTable(table);
    auto* shared = context.service<SharedObjects>();
    if (!memory || !memory->lock || !shared) return;
    const auto& taken = site.inPlace.empty() ? site.changeable : site.inPlace;
    if (taken.empty() || taken[0].first != 0) return;
    for (const auto& [name, place] : code.variables) {
        Value known;
        if (place == taken[0].second && shared->find(name, known) && isSameObject(known, table)) return;
    }
    const OptionalLock guard(memory->lock.get());
    table = Value::of(Ref<Table>(memory->copyWithKeys()));
}

void Machine::callOther(const Instruction& i, const CallSite& site, const Value& callee, Value* arguments) {
    const Function* function = callee.isFunction() ? &callee.function() : nullptr;
    Value* named = nullptr;
    if (site.firstIsByName) {
        named = variableNamed(arguments[0]);
        if (named) {
            arguments[0] = std::move(*named);
        } else {
            Value name[2] = {std::move(arguments[0]), omitted()};
            arguments[0] = FunctionRegistry::instance().get("objByName").call(context_, name);
        }
    }
    takeInPlace(site, function, arguments);
    Value result;
    {
        struct GiveBack {  // also when the callee throws
            const CallSite& site;
            const Function* function;
            Machine& machine;
            Value* arguments;
            Value* aliased;
            Value* named;
            ~GiveBack() {
                if (named) *named = std::move(arguments[0]);
                if (aliased) *aliased = arguments[0];
                machine.giveBackInPlace(site, function, arguments);
            }
        } giveBack{site, function, *this, arguments, nullptr, named};
        // The result of such a call before, as in a loop of x.append!(i), would make the object shared, and every call
        // a copy of it.
        if (site.count > 0 && isSameObject(arguments[0], at(i.a))) {
            giveBack.aliased = &at(i.a);
            at(i.a) = Value();
        }
        if (site.count > 0 && arguments[0].isTable() && dropsColumns(function)) {
            leaveSharedTable(site, *code_, context_, arguments[0]);
        }
        result = callValue(site, callee, arguments);
    }
    stack_.setTop(spaces_[0] + code_->frameSize);
    bool keepArguments = i.c != 0;  // an element is written back from there
    for (size_t k = 0; !keepArguments && k < site.count; ++k) arguments[k] = Value();
    at(i.a) = std::move(result);
}

Value Machine::callValue(const CallSite& site, const Value& callee, Value* arguments) {
    size_t count = site.count;
    if (callee.isFunction()) {
        if (site.keywords.empty()) return callFunction(callee.function(), context_, {arguments, count});
        if (const auto* late = dynamic_cast<const LateFunction*>(&callee.function())) {
            return callValue(site, late->found(context_), arguments);
        }
        std::vector<Value> all = placed(callee.function(), site.keywords, arguments, count);
        struct GiveBack {  // also when the callee throws
            const CallSite& site;
            Value* arguments;
            std::vector<Value>& all;
            ~GiveBack() {
                // An element or a named object that is changed goes back from its register.
                if (site.keywords[0].empty() && !all.empty()) arguments[0] = std::move(all[0]);
                for (const auto& [index, variable] : site.inPlace) {
                    if (index == 0 && site.keywords[0].empty()) continue;
                    arguments[index] = std::move(all[static_cast<size_t>(index)]);
                }
            }
        } giveBack{site, arguments, all};
        return callFunction(callee.function(), context_, all);
    }
    if (callee.type() == Type::Handle || callee.type() == Type::Resource) {
        std::vector<Value> all{callee};
        for (size_t k = 0; k < count; ++k) all.push_back(std::move(arguments[k]));
        return FunctionRegistry::instance().get("remoteRun").call(context_, all);
    }
    if (!callee.isTuple()) {
        throw UserError(fmt::format("A value of type {} can't be called like a function.", typeString(callee)),
                        "A comma or an operator may be missing; an element is read with square brackets, as x[0].");
    }
    std::vector<Value> results;
    for (const Value& f : callee.tuple().elements) {
        if (!f.isFunction()) throw UserError("A tuple can only be called when all its elements are functions.");
        std::vector<Value> copy(arguments, arguments + count);
        results.push_back(callFunction(f.function(), context_, copy));
    }
    return assemble(std::move(results));
}

void Machine::makePartial(const Instruction& i) {
    const CallSite& site = code_->callSites[i.b];
    Value callee = at(site.callee);
    if (!callee.isFunction()) throw UserError(fmt::format("f{{…}} needs a function, but f is {}.", typeString(callee)));
    const auto* late = dynamic_cast<const LateFunction*>(&callee.function());
    if (late && !site.keywords.empty()) callee = late->found(context_);  // the places of its parameters are needed
    Value* arguments = spaces_[0] + site.base;
    std::vector<Value> fixed = site.keywords.empty() ? std::vector<Value>(arguments, arguments + site.count)
                                                     : placed(callee.function(), site.keywords, arguments, site.count);
    Ref<Function> function(&callee.function());
    at(i.a) = Value::of(Ref<Function>(makeRef<PartialFunction>(function, std::move(fixed))));
}

void completeArguments(const Closure& closure, Value* frame, size_t given) {
    const CompiledFunction& code = closure.code();
    const auto& parameters = code.signature.parameters;
    if (given > parameters.size()) wrongCount(code, given);
    for (size_t p = 0; p < parameters.size(); ++p) {
        if (p < given && !isOmitted(frame[p])) continue;
        if (!parameters[p].optional) {
            // Left out on purpose, as in f(1, ): the function may ask with isNothing.
            if (p < given) continue;
            wrongCount(code, given);
        }
        frame[p] = parameters[p].defaultValue;
    }
}

void enterDepth(Context& context) {
    if (++context.callDepth <= kMaxDepth) return;
    --context.callDepth;
    throw UserError(fmt::format("The recursion is deeper than {} calls.", kMaxDepth),
                    "Write it as a loop, or with reduce or accumulate.");
}

ScriptError outOfFunction(const CompiledFunction& code, const ScriptError& e) {
    if (code.isPartOfQuery) return e;
    std::string name(nameOf(code));
    // A runaway recursion would repeat its name a thousand times.
    bool deep = e.callStack.size() >= kShownFrames;
    ScriptError outer(deep ? std::string(e.what()) : name + ": " + e.what(), e.message, e.hint(), e.position,
                      e.thrownByUser);
    outer.callStack = e.callStack;
    outer.callStack.push_back(e.modulePlace.empty() ? name : fmt::format("{} ({})", name, e.modulePlace));
    return outer;
}

namespace {

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

// Runs a closure whose arguments are already at the start of its frame. Changed mutable parameters stay there.
Value runInFrame(const Closure& closure, Context& context, Value* frame, size_t given) {
    const CompiledFunction& code = closure.code();
    const int parameters = static_cast<int>(code.signature.parameters.size());
    ValueStack& stack = ValueStack::ofThread();
    stack.requireRoom(frame, code.frameSize + 1);
    FrameCleaner cleaner{frame, parameters, code.frameSize, stack, stack.top()};
    completeArguments(closure, frame, given);
    enterDepth(context);
    struct LeaveDepth {
        Context& context;
        ~LeaveDepth() { --context.callDepth; }
    } leave{context};
    Machine machine(code, frame, const_cast<Value*>(closure.captures().data()), nullptr, context, nullptr);
    try {
        return machine.run();
    } catch (const ScriptError& e) {
        throw outOfFunction(code, e);
    }
}

// The Context of a call that may run concurrently with others, as a task of peach, is a copy: callDepth and scope are
// private to it.
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
        ~Restore() {
            for (size_t i = 0; i < std::max(parameters, arguments.size()); ++i) {
                // Mutable parameters go back to the caller.
                if (i < arguments.size()) arguments[i] = std::move(frame[i]);
                frame[i] = Value();
            }
        }
    } restore{frame, arguments, parameters};
    return runInFrame(closure, context, frame, arguments.size());
}

}  // namespace

Value callFunction(const Function& function, Context& context, std::span<Value> arguments) {
    if (const Closure* closure = closureBehind(function)) {
        Value result;
        if (closure->code().hot.call(*closure, arguments, result, context)) return result;
        return callClosure(*closure, context, arguments);
    }
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
