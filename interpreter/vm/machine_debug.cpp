// Implements the view of a debugger on a machine.
#include <algorithm>

#include "interpreter/session/debugger.h"
#include "interpreter/session/session.h"
#include "interpreter/vm/machine.h"

namespace pelorus {

namespace {

// Returns whether code was compiled for a debugger. What other code has in its variables is not the script's to see: a
// function view may hold what its caller has no right to.
bool isForDebugger(const CompiledFunction& code) {
    return std::any_of(code.code.begin(), code.code.end(), [](const auto& i) { return i.op == Op::Statement; });
}

}  // namespace

class Machine::Stop final : public DebugStop {
public:
    explicit Stop(const Machine& machine) : machine_(machine) {}

    SourcePosition position() const override {
        return machine_.code_->positions[static_cast<size_t>(std::max(machine_.pc_ - 1, 0))];
    }
    int depth() const override { return machine_.context_.callDepth; }
    std::string_view origin() const override { return machine_.code_->origin; }
    std::vector<DebugFrame> frames() const override {
        std::vector<DebugFrame> frames;
        machine_.addFrames(frames);
        return frames;
    }
    Context& context() const override { return machine_.context_; }

private:
    const Machine& machine_;
};

void Machine::reachStatement() {
    auto* session = static_cast<Session*>(context_.session);
    if (session && session->debugger) session->debugger->atStatement(Stop(*this));
}

void Machine::reachError(const ScriptError& error) {
    auto* session = static_cast<Session*>(context_.session);
    if (session && session->debugger && isForDebugger(*code_)) session->debugger->atError(Stop(*this), error.message);
}

void Machine::addFrames(std::vector<DebugFrame>& frames) const {
    auto* session = static_cast<Session*>(context_.session);
    const auto add = [&](const CompiledFunction& code, Value* const spaces[4], int32_t pc) {
        DebugFrame frame;
        frame.function = code.topLevel ? "" : code.body.name.empty() ? "lambda" : code.body.name;
        frame.origin = code.origin;
        frame.position = code.positions[static_cast<size_t>(std::max(pc - 1, 0))];
        frame.isTopLevel = code.topLevel;
        if (!isForDebugger(code)) {
            frames.push_back(std::move(frame));
            return;
        }
        if (code.topLevel && session) {
            for (const std::string& name : session->variableNames()) {
                const Value& value = session->variable(session->findVariable(name));
                if (!(value.isVoid() && value.extra() == 0)) frame.variables.emplace_back(name, value);
            }
        }
        for (const auto& [name, place] : code.variables) {
            if (code.topLevel && spaceOf(place) == static_cast<int>(Space::Globals)) continue;
            Value value = spaces[spaceOf(place)][indexOf(place)];
            if (!(value.isVoid() && value.extra() == 0)) frame.variables.emplace_back(name, std::move(value));
        }
        frames.push_back(std::move(frame));
    };
    constexpr size_t kMaxFrames = 1000;
    add(*code_, spaces_, pc_);
    for (size_t i = callers_.size(); i-- > 0 && frames.size() < kMaxFrames;) {
        const Activation& caller = callers_[i];
        Value* const constants = const_cast<Value*>(caller.code->constants.data());
        Value* const spaces[4] = {caller.frame, constants, caller.globals, caller.captures};
        add(*caller.code, spaces, caller.pc);
    }
    // A built-in function such as each has called: the machine of its caller is that of the outer scope.
    if (const auto* outer = dynamic_cast<const FrameScope*>(outerScope_); outer && frames.size() < kMaxFrames)
        outer->machine().addFrames(frames);
}

}  // namespace pelorus
