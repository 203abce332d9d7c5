// DebugSession debugs one script: breakpoints, steps, and the inspection of variables while it is stopped.
//
// The script runs on the thread that calls `run`; a controlling thread calls all other functions. Other threads that
// the script uses, and other nodes, run freely: only the thread that called `run` stops. Functions of the modules that
// the script uses stop, too; those that were loaded or sent before do not, nor do function views.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"
#include "interpreter/session/debugger.h"
#include "interpreter/session/session.h"

namespace pelorus {

// A breakpoint as an editor sets it.
struct Breakpoint {
    int32_t line = 0;        // line, from 1 on
    std::string condition;   // an expression in the frame; empty: always
    std::string logMessage;  // printed with {expressions} in place, instead of stopping; empty: stop
    int64_t hitCount = 0;    // stops at this hit and later ones
};

// The debugger of one script.
class DebugSession final : public Debugger {
public:
    enum class Reason : uint8_t { Entry, Breakpoint, Step, Pause, Exception };
    struct Events {
        std::function<void(Reason reason, const std::string& message)> stopped;  // called by the script's thread
        std::function<void(const std::string& text)> log;                        // takes the messages of log points
    };
    explicit DebugSession(Events events) : events_(std::move(events)) {}

    // Runs a script in a session; returns when it has ended. Throws what the script throws, and UserError after
    // `terminate`.
    void run(std::string_view script, Session& session, Context& context);

    // Replaces the breakpoints of a text: of the script, whose `origin` is empty, or of a module, whose path it is.
    // Returns for each the line at which it stops: that of the next statement, or 0 when none follows.
    std::vector<int32_t> setBreakpoints(const std::string& origin, std::string_view text,
                                        const std::vector<Breakpoint>& breakpoints);
    void setStopsAtErrors(bool handledToo) { stopsAtErrors_ = handledToo; }
    void setStopsAtEntry() { mode_ = Mode::Into; }

    enum class Step : uint8_t { Continue, Over, Into, Out };
    // Continues a stopped script. Does nothing when it is not stopped.
    void resume(Step step);
    // Stops the script at its next statement.
    void pause() { mode_ = Mode::Pause; }
    // Ends the script: cancels its request, and the wait for a person.
    void terminate();
    bool isTerminated() const { return isTerminated_; }
    bool isStopped() const;

    // Returns the calls of the stopped script, innermost first; empty when it runs.
    std::vector<DebugFrame> frames() const;
    // Evaluates an expression in a frame, on the script's thread. Throws Error; UserError when the script runs.
    Value evaluate(size_t frame, const std::string& expression);

private:
    enum class Mode : uint8_t { Run, Into, Over, Out, Pause };

    void atStatement(const DebugStop& stop) override;
    void atError(const DebugStop& stop, std::string_view message) override;
    void stopHere(const DebugStop& stop, Reason reason, const std::string& message);
    bool isHit(const DebugStop& stop);
    std::string logText(const DebugStop& stop, const std::string& message);
    Value evaluateIn(const DebugStop& stop, const DebugFrame& frame, const std::string& expression);

    struct Placed {
        Breakpoint breakpoint;
        int64_t hits = 0;
    };
    struct Evaluation {
        size_t frame = 0;
        std::string expression;
        Value result;
        std::exception_ptr failure;
        bool isDone = false;
    };

    const Events events_;
    std::thread::id thread_;  // thread of the script; set before it runs
    std::atomic<Mode> mode_{Mode::Run};
    std::atomic<int> modeDepth_{0};
    std::atomic<bool> stopsAtErrors_{false}, isTerminated_{false};
    bool isEvaluating_ = false;  // used by the script's thread: code that a person evaluates does not stop
    bool isEntry_ = true;        // nothing has run
    // The last statement that the script's thread reached.
    struct Reached {
        SourcePosition place;
        int depth = -1;
        std::string origin;
    } last_;
    mutable Mutex mutex_;
    CondVar changed_;
    using PlacedByLine = std::multimap<int32_t, Placed>;
    std::map<std::string, PlacedByLine, std::less<>> breakpoints_ GUARDED_BY(mutex_);  // breakpoints by origin
    std::pair<PlacedByLine::iterator, PlacedByLine::iterator> placedAt(const DebugStop& stop)
        EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    PlacedByLine none_ GUARDED_BY(mutex_);
    Request* running_ GUARDED_BY(mutex_) = nullptr;           // request of the script, while it runs
    std::vector<DebugFrame> frames_ GUARDED_BY(mutex_);       // frames of the stopped script
    std::vector<DebugFrame> shownFrames_ GUARDED_BY(mutex_);  // frames without the variables that the user may not read
    bool isStopped_ GUARDED_BY(mutex_) = false;
    Evaluation* evaluation_ GUARDED_BY(mutex_) = nullptr;
};

// Returns the lines on which executable statements begin, ascending; none for a text that does not parse.
std::vector<int32_t> statementLines(std::string_view text);

}  // namespace pelorus
