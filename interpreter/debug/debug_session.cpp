#include "interpreter/debug/debug_session.h"

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "interpreter/analysis/node_children.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/engine/engine.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/vm.h"
#include "runtime/code/statement.h"
#include "runtime/table/table_access.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr std::string_view kEnded = "The script was ended by its debugger.";
constexpr std::chrono::milliseconds kCheckInterval{100};

// Names of a frame, then those of the session.
class FrameNames final : public Scope {
public:
    FrameNames(const DebugFrame& frame, const Scope* session) : frame_(frame), session_(session) {}
    bool lookup(std::string_view name, Value& value) const override {
        for (const auto& [known, found] : frame_.variables) {
            if (known != name) continue;
            value = found;
            return true;
        }
        return session_ && session_->lookup(name, value);
    }

private:
    const DebugFrame& frame_;
    const Scope* session_;
};

void addLines(const NodeRef& node, std::vector<int32_t>& lines) {
    if (!node) return;
    switch (node->kind) {
        case NodeKind::ExpressionStatement:
        case NodeKind::Assign:
        case NodeKind::FunctionDefinition:
        case NodeKind::ClassDefinition:
        case NodeKind::If:
        case NodeKind::For:
        case NodeKind::DoWhile:
        case NodeKind::Break:
        case NodeKind::Continue:
        case NodeKind::Return:
        case NodeKind::Try:
        case NodeKind::Throw:
        case NodeKind::Assert:
            lines.push_back(node->position.line);
            break;
        default:
            break;
    }
    forEachChild(*node, [&](const NodeRef& child) { addLines(child, lines); });
}

}  // namespace

std::vector<int32_t> statementLines(std::string_view text) {
    std::vector<int32_t> lines;
    try {
        const NodeList nodes = parseScript(text);
        const bool isModule = !nodes.empty() && nodes[0]->kind == NodeKind::Module;
        for (const NodeRef& node : nodes) {
            if (!isModule) {
                addLines(node, lines);
            } else if (node->kind == NodeKind::FunctionDefinition) {
                // A module defines its functions, and does not run anything.
                forEachChild(*node, [&](const NodeRef& child) { addLines(child, lines); });
            }
        }
    } catch (const Error&) {
        return {};
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

void DebugSession::run(std::string_view script, Session& session, Context& context) {
    thread_ = std::this_thread::get_id();
    struct Attached {
        DebugSession& debugger;
        Session& session;
        ~Attached() {
            session.debugger = nullptr;
            const MutexLock lock(debugger.mutex_);
            debugger.running_ = nullptr;
        }
    } attached{*this, session};
    {
        const MutexLock lock(mutex_);
        running_ = context.request;
        if (isTerminated_) running_->cancelled = true;
    }
    session.debugger = this;
    try {
        pelorus::evaluate(script, session, context);
    } catch (const std::exception&) {
        if (isTerminated_) throw UserError(std::string(kEnded));
        throw;
    }
}

std::vector<int32_t> DebugSession::setBreakpoints(const std::string& origin, std::string_view text,
                                                  const std::vector<Breakpoint>& breakpoints) {
    const std::vector<int32_t> lines = statementLines(text);
    std::vector<int32_t> placed;
    const MutexLock lock(mutex_);
    PlacedByLine& ofText = breakpoints_[origin];
    ofText.clear();
    for (const Breakpoint& breakpoint : breakpoints) {
        const auto line = std::lower_bound(lines.begin(), lines.end(), breakpoint.line);
        placed.push_back(line == lines.end() ? 0 : *line);
        if (line != lines.end()) ofText.emplace(*line, Placed{breakpoint});
    }
    return placed;
}

void DebugSession::resume(Step step) {
    const MutexLock lock(mutex_);
    if (!isStopped_) return;
    switch (step) {
        case Step::Continue:
            mode_ = Mode::Run;
            break;
        case Step::Over:
            mode_ = Mode::Over;
            break;
        case Step::Into:
            mode_ = Mode::Into;
            break;
        case Step::Out:
            mode_ = Mode::Out;
            break;
    }
    frames_.clear();
    shownFrames_.clear();
    isStopped_ = false;
    changed_.notifyAll();
}

void DebugSession::terminate() {
    const MutexLock lock(mutex_);
    isTerminated_ = true;
    if (running_) running_->cancelled = true;
    frames_.clear();
    shownFrames_.clear();
    isStopped_ = false;
    changed_.notifyAll();
}

bool DebugSession::isStopped() const {
    const MutexLock lock(mutex_);
    return isStopped_;
}

std::vector<DebugFrame> DebugSession::frames() const {
    const MutexLock lock(mutex_);
    return shownFrames_;
}

Value DebugSession::evaluate(size_t frame, const std::string& expression) {
    Evaluation evaluation;
    evaluation.frame = frame;
    evaluation.expression = expression;
    MutexLock lock(mutex_);
    if (!isStopped_) throw UserError("The script runs; pause it first.");
    if (evaluation_) throw UserError("Another expression is being evaluated.");
    evaluation_ = &evaluation;
    changed_.notifyAll();
    while (!evaluation.isDone) changed_.wait(lock);
    if (evaluation.failure) std::rethrow_exception(evaluation.failure);
    return std::move(evaluation.result);
}

// The hot path of a script that is debugged: a comparison of depths, and a search of the breakpoints.
void DebugSession::atStatement(const DebugStop& stop) {
    if (std::this_thread::get_id() != thread_ || isEvaluating_) return;
    if (isTerminated_) throw UserError(std::string(kEnded));
    const SourcePosition place = stop.position();
    const int depth = stop.depth();
    const Mode mode = mode_;
    const bool isStep = mode == Mode::Into || mode == Mode::Pause || (mode == Mode::Over && depth <= modeDepth_) ||
                        (mode == Mode::Out && depth < modeDepth_);
    // A breakpoint of a line stops at its first statement, not at the following ones.
    const bool isBehind = last_.place.line == place.line && last_.place.column < place.column && last_.depth == depth &&
                          !isEntry_ && last_.origin == stop.origin();
    last_.place = place;
    last_.depth = depth;
    last_.origin = stop.origin();
    const Reason step = isEntry_ ? Reason::Entry : mode == Mode::Pause ? Reason::Pause : Reason::Step;
    isEntry_ = false;
    if (isStep) return stopHere(stop, step, "");
    if (!isBehind && isHit(stop)) stopHere(stop, Reason::Breakpoint, "");
}

void DebugSession::atError(const DebugStop& stop, std::string_view message) {
    if (std::this_thread::get_id() != thread_ || isEvaluating_ || isTerminated_ || !stopsAtErrors_) return;
    stopHere(stop, Reason::Exception, std::string(message));
}

std::pair<DebugSession::PlacedByLine::iterator, DebugSession::PlacedByLine::iterator> DebugSession::placedAt(
    const DebugStop& stop) {
    const auto ofText = breakpoints_.find(stop.origin());
    return (ofText == breakpoints_.end() ? none_ : ofText->second).equal_range(stop.position().line);
}

bool DebugSession::isHit(const DebugStop& stop) {
    std::vector<Breakpoint> found;
    {
        const MutexLock lock(mutex_);
        const auto [begin, end] = placedAt(stop);
        for (auto at = begin; at != end; ++at) {
            found.push_back(at->second.breakpoint);
            // Conditions are user code, and run without the lock; hits of unconditional ones count here.
            if (found.back().condition.empty() && ++at->second.hits < found.back().hitCount) found.pop_back();
        }
    }
    bool stops = false;
    for (const Breakpoint& breakpoint : found) {
        if (!breakpoint.condition.empty()) {
            try {
                const std::vector<DebugFrame> frames = stop.frames();
                if (!isTrue(evaluateIn(stop, frames[0], breakpoint.condition))) continue;
            } catch (const std::exception& error) {
                // A condition that fails stops, so that its author sees why.
                events_.log("The condition " + breakpoint.condition + " failed: " + error.what());
                stops = true;
                continue;
            }
            if (breakpoint.hitCount > 1) {
                const MutexLock lock(mutex_);
                const auto [begin, end] = placedAt(stop);
                const auto same = std::find_if(begin, end, [&](const auto& placed) {
                    return placed.second.breakpoint.condition == breakpoint.condition;
                });
                if (same != end && ++same->second.hits < breakpoint.hitCount) continue;
            }
        }
        if (breakpoint.logMessage.empty()) {
            stops = true;
        } else {
            events_.log(logText(stop, breakpoint.logMessage));
        }
    }
    return stops;
}

// Replaces each {expression} by its value.
std::string DebugSession::logText(const DebugStop& stop, const std::string& message) {
    std::string text;
    const std::vector<DebugFrame> frames = stop.frames();
    for (size_t i = 0; i < message.size(); ++i) {
        const size_t end = message[i] == '{' ? message.find('}', i) : std::string::npos;
        if (end == std::string::npos) {
            text += message[i];
            continue;
        }
        try {
            text += display(evaluateIn(stop, frames[0], message.substr(i + 1, end - i - 1)));
        } catch (const std::exception& error) {
            text += std::string("<") + error.what() + ">";
        }
        i = end;
    }
    return text;
}

Value DebugSession::evaluateIn(const DebugStop& stop, const DebugFrame& frame, const std::string& expression) {
    const NodeList nodes = parseScript(expression);
    if (nodes.size() != 1 || nodes[0]->kind != NodeKind::ExpressionStatement)
        throw UserError("Only an expression can be evaluated here.");
    struct Evaluating {
        bool& flag;
        bool before = flag;
        explicit Evaluating(bool& flag) : flag(flag) { flag = true; }
        ~Evaluating() { flag = before; }
    } evaluating(isEvaluating_);
    Context& context = stop.context();
    const FrameNames names(frame, static_cast<Session*>(context.session));
    const Scope* outer = context.scope;
    struct Restore {
        Context& context;
        const Scope* scope;
        ~Restore() { context.scope = scope; }
    } restore{context, outer};
    context.scope = &names;
    Value result = evaluateCode(static_cast<const ExpressionStatement&>(*nodes[0]).expression, context);
    requireAccessWithin(context, result, Right::Read);
    return result;
}

// Returns the frames for people, without the rows of shared tables that the user may not read.
static std::vector<DebugFrame> shownFrames(const DebugStop& stop, std::vector<DebugFrame> frames) {
    for (DebugFrame& frame : frames) {
        for (auto& [name, value] : frame.variables) {
            try {
                requireAccessWithin(stop.context(), value, Right::Read);
            } catch (const UserError& error) {
                value = Value::ofString(error.what());
            }
        }
    }
    return frames;
}

void DebugSession::stopHere(const DebugStop& stop, Reason reason, const std::string& message) {
    std::vector<DebugFrame> frames = stop.frames();
    std::vector<DebugFrame> shown = shownFrames(stop, frames);
    {
        const MutexLock lock(mutex_);
        if (isTerminated_) throw UserError(std::string(kEnded));
        frames_ = std::move(frames);
        shownFrames_ = std::move(shown);
        isStopped_ = true;
    }
    events_.stopped(reason, message);
    MutexLock lock(mutex_);
    while (isStopped_) {
        if (!evaluation_) {
            // A request may be cancelled while its script is stopped.
            changed_.waitFor(lock, kCheckInterval);
            if (running_ && running_->cancelled) break;
            continue;
        }
        Evaluation& evaluation = *evaluation_;
        DebugFrame frame;
        const bool isKnown = evaluation.frame < frames_.size();
        if (isKnown) frame = frames_[evaluation.frame];
        lock.unlock();
        try {
            if (!isKnown) throw UserError("There is no such frame.");
            evaluation.result = evaluateIn(stop, frame, evaluation.expression);
        } catch (...) {
            evaluation.failure = std::current_exception();
        }
        frame = DebugFrame();
        lock.lock();
        evaluation.isDone = true;
        evaluation_ = nullptr;
        changed_.notifyAll();
    }
    isStopped_ = false;
    frames_.clear();
    shownFrames_.clear();
    if (evaluation_) {
        evaluation_->failure = std::make_exception_ptr(UserError("The script runs; pause it first."));
        evaluation_->isDone = true;
        evaluation_ = nullptr;
        changed_.notifyAll();
    }
    modeDepth_ = stop.depth();
    lock.unlock();
    if (isTerminated_) throw UserError(std::string(kEnded));
    stop.context().checkCancelled();
}

}  // namespace pelorus
