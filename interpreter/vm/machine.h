// Machine runs bytecode. Only the files of this folder use it; all others include vm.h.
//
// Rules:
//   1. Registers above a frame's own are VOID between instructions; a call clears its registers when it ends.
//   2. An instruction writes its target last: when it throws, nothing of it has happened.
//   3. Values that a callee may change are moved into its arguments and moved back whether it returns or throws.
//
// Calls of script functions stay inside the loop: the caller is saved as an Activation, and the callee's frame begins
// above the caller's. A built-in that calls back, as each does, starts a machine for that call.
#pragma once

#include <string>
#include <vector>

#include "interpreter/session/debugger.h"
#include "interpreter/vm/value_stack.h"
#include "interpreter/vm/vm.h"

namespace pelorus {

// The state of one run on one thread: the running function, its callers and its error handlers.
class Machine {
public:
    // Starts in `code` with the given frame. `session` is set for top-level code only.
    Machine(const CompiledFunction& code, Value* frame, Value* captures, Session* session, Context& context,
            const ShowValue* show);
    ~Machine() { context_.scope = outerScope_; }
    Machine(const Machine&) = delete;

    Value run();

private:
    // The variables of the running function by name, for eval and queries.
    class FrameScope final : public Scope {
    public:
        explicit FrameScope(const Machine& machine) : machine_(machine) {}
        bool lookup(std::string_view name, Value& value) const override;
        std::string nameOf(const Object& object) const override;
        const Machine& machine() const { return machine_; }

    private:
        const Machine& machine_;
    };
    // A suspended caller.
    struct Activation {
        const CompiledFunction* code;
        Value* frame;
        Value* globals;
        Value* captures;
        int32_t pc;
        size_t handlerBase;
        const Instruction* call;
        Ref<const Function> callee;  // kept alive when no constant of the caller does
    };
    struct Handler {
        Operand exception = 0;
        int32_t target = 0;
    };

    Value loop();
    // Called at back edges of loops: checks whether the request was cancelled, and whether the loop is hot.
    void backEdge(int32_t target) {
        context_.checkCancelled();
        pc_ = target;
        if ((stack_.tick() & hotMask_) == 0) enterHotCode();
    }
    void jump(int32_t target) {
        if (target < pc_) {
            backEdge(target);
        } else {
            pc_ = target;
        }
    }
    void enterHotCode();

    // Calls (machine_calls.cpp).
    void call(const Instruction& i);
    void callOther(const Instruction& i, const CallSite& site, const Value& callee, Value* arguments);
    Value callValue(const CallSite& site, const Value& callee, Value* arguments);
    // Saves the caller and enters the closure; its arguments are in the registers of the call site.
    void enter(const Instruction& i, const CallSite& site, const Closure& closure, Value* arguments);
    // Returns to the caller; values that the callee changed in place are moved back.
    void leave();
    void returnToCaller(Operand result);
    void takeInPlace(const CallSite& site, const Function* callee, Value* arguments);
    void giveBackInPlace(const CallSite& site, const Function* callee, Value* arguments);
    void makePartial(const Instruction& i);
    // Finds the handler for an error of the running function or of its callers; throws when there is none.
    void recover(ScriptError error, const char* origin);

    // a = b op c: inline for scalars, by `binary` for everything else.
    template <Operator op>
    [[gnu::always_inline]] inline void scalars(const Instruction& i);
    [[gnu::noinline]] void binary(const Instruction& i);
    bool runRegion();
    void query(const Instruction& i);
    void index(const Instruction& i);
    void indexStore(const Instruction& i);
    Value functionOfSameName(const CallSite& site, const Value& callee) const;
    Value* variableNamed(const Value& name);
    Value evaluatedOver(const Value& table, const Value& code);
    Value assignedValue(const Value& object, std::span<const Value> indices, const Value& value);
    std::vector<Value> evaluatedIndices(const Value& object, const Value* given, int count);
    void member(const Instruction& i);
    void forSequence(const Instruction& i);
    bool forNext(const Instruction& i);
    void unpack(const Instruction& i);
    void loadShared(const Instruction& i);
    // Instructions that construct a value from parts.
    void make(const Instruction& i);
    void makeDictionary(const Instruction& i);
    void makeClosure(const Instruction& i);
    // Instructions of whole statements (machine_statements.cpp).
    void statement(const Instruction& i);
    void stopTimer(const Instruction& i);
    void directive(const Instruction& i);

    // Calls the debugger of the session, if there is one.
    [[gnu::noinline]] void reachStatement();
    void reachError(const ScriptError& error);
    // Appends the calls of this machine and of those that called it by a built-in function, innermost first.
    void addFrames(std::vector<DebugFrame>& frames) const;
    class Stop;

    Value& at(Operand o) const { return spaces_[spaceOf(o)][indexOf(o)]; }
    // Returns the error with the failing statement before its message.
    ScriptError located(const Error& e, bool thrown = false) const;

    const CompiledFunction* code_;
    Value* spaces_[4];
    int32_t pc_ = 0;
    size_t handlerBase_ = 0;
    const uint32_t hotMask_;
    Session* session_;
    Context& context_;
    const ShowValue* show_;
    ValueStack& stack_;
    FrameScope scope_;
    const Scope* outerScope_;
    std::vector<Activation> callers_;
    std::vector<Handler> handlers_;
    Value last_;  // value of the last expression statement of a script
};

// Completes arguments at the start of a frame: fills in defaults, throws for a wrong number.
void completeArguments(const Closure& closure, Value* frame, size_t given);
// Increments the call depth. Throws when it is too deep.
void enterDepth(Context& context);
// Returns the error as it leaves a function: with its name before the message and in the call stack.
ScriptError outOfFunction(const CompiledFunction& code, const ScriptError& e);

}  // namespace pelorus
