// Debugging of one script: breakpoints, steps, and what a person looks at while it stands still.
//
// The script runs on a thread of its own (the caller's choice); all other functions are called by a controlling thread.
// Other threads that the script uses, and other nodes, run freely: only the thread that called `run` stops. Functions
// of the modules that the script uses stop, too; those that were loaded or sent before do not, nor do function views.
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

struct Breakpoint {
    int32_t line = 0;        // from 1
    std::string condition;   // an expression in the frame; empty: always
    std::string logMessage;  // printed with {expressions} in place, instead of stopping; empty: stop
    int64_t hitCount = 0;    // stops at this hit and later ones
};

class DebugSession final : public Debugger {
public:
    enum class Reason : uint8_t { Entry, Breakpoint, Step, Pause, Exception };
    struct Events {
        std::function<void(Reason reason, const std::string& message)> stopped;  // by the script's thread
        std::function<void(const std::string& text)> log;                        // of log points
    };
    explicit DebugSession(Events events) : events_(std::move(events)) {}

    // Runs a script in a session; returns when it has ended. Throws what it throws, UserError after `terminate`.
    void run(std::string_view script, Session& session, Context& context);

    // Replaces the breakpoints of a text: of the script, whose `origin` is empty, or of a module, whose path it is.
    // Returns for each the line at which it stops: that of the next statement, or 0 when there is none behind it.
    std::vector<int32_t> setBreakpoints(const std::string& origin, std::string_view text,
                                        const std::vector<Breakpoint>& breakpoints);
    void setStopsAtErrors(bool handledToo) { stopsAtErrors_ = handledToo; }
    void setStopsAtEntry() { mode_ = Mode::Into; }

    enum class Step : uint8_t { Continue, Over, Into, Out };
    // Lets a stopped script go on. Does nothing when it is not stopped.
    void resume(Step step);
    // Stops the script at its next statement.
    void pause() { mode_ = Mode::Pause; }
    // Ends the script: cancels its request, and what waits for a person.
    void terminate();
    bool isTerminated() const { return isTerminated_; }
    bool isStopped() const;

    // The calls of the stopped script, innermost first. Empty when it runs.
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
    std::thread::id thread_;  // of the script; set before it runs
    std::atomic<Mode> mode_{Mode::Run};
    std::atomic<int> modeDepth_{0};
    std::atomic<bool> stopsAtErrors_{false}, isTerminated_{false};
    bool isEvaluating_ = false;  // of the script's thread: code that a person evaluates does not stop
    bool isEntry_ = true;        // nothing has run
    // The last statement of the script's thread.
    struct Reached {
        SourcePosition place;
        int depth = -1;
        std::string origin;
    } last_;
    mutable Mutex mutex_;
    CondVar changed_;
    using PlacedByLine = std::multimap<int32_t, Placed>;
    std::map<std::string, PlacedByLine, std::less<>> breakpoints_ GUARDED_BY(mutex_);  // by origin
    std::pair<PlacedByLine::iterator, PlacedByLine::iterator> placedAt(const DebugStop& stop)
        EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    PlacedByLine none_ GUARDED_BY(mutex_);
    Request* running_ GUARDED_BY(mutex_) = nullptr;           // of the script, while it runs
    std::vector<DebugFrame> frames_ GUARDED_BY(mutex_);       // of the stopped script
    std::vector<DebugFrame> shownFrames_ GUARDED_BY(mutex_);  // for people: without what the user may not read
    bool isStopped_ GUARDED_BY(mutex_) = false;
    Evaluation* evaluation_ GUARDED_BY(mutex_) = nullptr;
};

// Returns the lines on which statements that run begin, ascending; of a text that does not parse none.
std::vector<int32_t> statementLines(std::string_view text);

}  // namespace pelorus
