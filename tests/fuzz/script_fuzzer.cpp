// Runs any bytes as a script, which must return values or errors of ours: nothing else may leave the lexer, the parser,
// the compiler or the machine. A script that parses must also print as source that parses to the same source again.
//
// A libFuzzer target: scripts/fuzz.sh builds and runs it. Functions that reach files are not registered, so that a
// found script can do no harm. A script gets 200 ms and 512 MB.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "common/error.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/engine/engine.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/memory/budget.h"
#include "runtime/registry/registry.h"
#include "runtime/value/print.h"
#include "sql/sql_builtins.h"
#include "stdlib/register_builtins.h"

using namespace pelorus;

namespace {

constexpr int64_t kMemoryBytes = int64_t(512) << 20;
constexpr std::chrono::milliseconds kTime(200);

[[noreturn]] void reportFinding(const char* what, const std::string& detail) {
    std::fprintf(stderr, "%s\n%s\n", what, detail.c_str());
    std::abort();
}

// Cancels the request that runs when its time is over. One thread for the whole process.
class Watch {
public:
    Watch() : thread_([this] { watch(); }) {}
    ~Watch() {
        {
            std::lock_guard lock(mutex_);
            ending_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }
    void begin(Request& request) {
        {
            std::lock_guard lock(mutex_);
            request_ = &request;
            deadline_ = std::chrono::steady_clock::now() + kTime;
        }
        changed_.notify_one();
    }
    void end() {
        std::lock_guard lock(mutex_);
        request_ = nullptr;
    }

private:
    void watch() {
        std::unique_lock lock(mutex_);
        while (!ending_) {
            if (!request_) {
                changed_.wait(lock);
            } else if (std::chrono::steady_clock::now() >= deadline_) {
                request_->cancelled = true;
                request_ = nullptr;
            } else {
                changed_.wait_until(lock, deadline_);
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    Request* request_ = nullptr;
    std::chrono::steady_clock::time_point deadline_;
    bool ending_ = false;
    std::thread thread_;
};

// Returns the nodes; none when the source is refused.
NodeList parsed(const std::string& text) {
    try {
        return parseScript(text);
    } catch (const UserError&) {
        return {};
    }
}

std::string sourceOf(const NodeList& nodes) {
    std::string text;
    // A line end alone would let a query go on with what follows it.
    for (const NodeRef& node : nodes) text += toSource(*node) + ";\n";
    return text;
}

void checkRoundTrip(const std::string& script) {
    std::string once = sourceOf(parsed(script));
    if (once.empty()) return;
    try {
        std::string twice = sourceOf(parseScript(once));
        if (twice != once) reportFinding("printed source means something else", once + "---\n" + twice);
    } catch (const UserError& error) {
        reportFinding("printed source does not parse", once + "---\n" + error.what());
    }
}

void run(const std::string& script, Watch& watch) {
    Services services;
    addSharedObjects(services);
    Request request{Principal::owner()};
    Context context(services, request);
    Session session(services);
    watch.begin(request);
    try {
        evaluate(script, session, context, [](const Value& value) { display(value); });
    } catch (const InternalError& error) {
        watch.end();
        reportFinding("an internal error", error.what());
    } catch (const Error&) {
    }
    watch.end();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    memory::setLimitBytes(kMemoryBytes);
    FunctionRegistry& registry = FunctionRegistry::instance();
    registerValueFunctions(registry);
    registerInterpreterBuiltins(registry);
    registerSqlBuiltins(registry);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static Watch watch;
    std::string script(reinterpret_cast<const char*>(data), size);
    checkRoundTrip(script);
    run(script, watch);
    return 0;
}
