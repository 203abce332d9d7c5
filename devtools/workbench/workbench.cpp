#include "devtools/workbench/workbench.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <map>
#include <unordered_map>

#include "common/error.h"
#include "common/outside_json.h"
#include "common/string/source_lines.h"
#include "common/thread/mutex.h"
#include "devtools/dap/debug_adapter.h"
#include "devtools/workbench/request_queue.h"
#include "devtools/workbench/result_store.h"
#include "devtools/workbench/workbench_panels.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/vm.h"
#include "presentation/chart/chart.h"
#include "presentation/chart/chart_points.h"
#include "presentation/chart/layout_chart.h"
#include "presentation/chart/render_svg.h"

namespace pelorus {

namespace {

constexpr std::chrono::milliseconds kProgressInterval{250};
constexpr int64_t kMaxScriptBytes = 32 << 20;
// A script that prints without end must not fill the memory of the editor.
constexpr int64_t kMaxPrintedBytes = 16 << 20;

// The error of a script for an editor: lines from 0 in the editor's document, characters in UTF-16.
Json describeError(const std::exception& error, std::string_view source, int64_t firstLine) {
    Json description = {{"message", error.what()}};
    SourcePosition position;
    if (const auto* script = dynamic_cast<const ScriptError*>(&error)) {
        position = script->position;
        description["message"] = script->message.empty() ? script->what() : script->message;
        if (!script->callStack.empty()) description["callStack"] = script->callStack;
        if (!script->modulePlace.empty()) description["modulePlace"] = script->modulePlace;
    } else if (const auto* syntax = dynamic_cast<const SyntaxError*>(&error)) {
        position = syntax->position;
    }
    if (const auto* ours = dynamic_cast<const Error*>(&error); ours && !ours->hint().empty())
        description["hint"] = ours->hint();
    if (position.known()) {
        const std::string_view line = lineOf(source, position.line);
        const size_t bytes = std::min(static_cast<size_t>(std::max(position.column - 1, 0)), line.size());
        description["line"] = firstLine + position.line - 1;
        description["character"] = unitsOf(line.substr(0, bytes), PositionEncoding::Utf16);
    }
    return description;
}

double numberMember(const Json& object, const char* name, double whenMissing) {
    const Json* found = findMember(object, name);
    if (!found) return whenMissing;
    if (!found->is_number()) throw RequestError(kInvalidParams, fmt::format("{} must be a number.", name));
    return found->get<double>();
}

bool flagMember(const Json& object, const char* name) {
    const Json* found = findMember(object, name);
    if (!found) return false;
    if (!found->is_boolean()) throw RequestError(kInvalidParams, fmt::format("{} must be true or false.", name));
    return found->get<bool>();
}

}  // namespace

class Workbench::State {
public:
    State(Send send, Open open)
        : send_(std::move(send)), open_(std::move(open)), panels_([this] { reportProgress(); }, kProgressInterval) {
        // The requests of the first table need the session of the user, or change it: they wait for the running script.
        inOrder_ = {{"pelorus/connect", &State::connect},
                    {"pelorus/disconnect", &State::disconnect},
                    {"pelorus/run", &State::run},
                    {"pelorus/variables", &State::variables},
                    {"pelorus/show", &State::show}};
        meanwhile_ = {{"pelorus/page", &State::page},
                      {"pelorus/chart", &State::chart},
                      {"pelorus/chartPoint", &State::chartPoint},
                      {"pelorus/uploadText", &State::uploadText},
                      {"pelorus/removeUpload", &State::removeUpload},
                      {"pelorus/release", &State::release},
                      {"pelorus/databases", &State::databases},
                      {"pelorus/schema", &State::schema},
                      {"pelorus/jobs", &State::jobs},
                      {"pelorus/node", &State::node},
                      {"pelorus/copies", &State::copies},
                      {"pelorus/cancelJob", &State::cancelOneJob},
                      {"pelorus/uploadModule", &State::upload}};
        debugging_ = {{"dap/start", &State::startDebugger},
                      {"dap/message", &State::tellDebugger},
                      {"dap/end", &State::endDebugger}};
    }

    ~State() {
        isClosing_ = true;
        panels_.close();
        scripts_.close();
        debuggers_.close();
        endDebuggers();
        cancelPanel();
        cancel();
        // A statement may just have begun: it is stopped again until its thread has ended. The queues join in their
        // destructors, which must find no running script.
        while (isRunning_) {
            cancel();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }

    void request(const Json& id, const std::string& method, const Json& parameters) {
        if (method == "pelorus/cancel") {
            cancel();
            cancelPanel();
            return succeed(id, nullptr);
        }
        RequestQueue* queue = nullptr;
        Handler handler{};
        for (const auto& [handlers, itsQueue] :
             {std::pair{&inOrder_, &scripts_}, std::pair{&meanwhile_, &panels_}, std::pair{&debugging_, &debuggers_}}) {
            const auto found = handlers->find(method);
            if (found == handlers->end()) continue;
            queue = itsQueue;
            handler = found->second;
        }
        if (!queue) return fail(id, kMethodNotFound, fmt::format("There is no method {}.", method));
        if (!queue->add([this, id, parameters, handler] { answer(id, handler, parameters); }))
            fail(id, kRequestFailed, "Too many requests wait; cancel the running one first.");
    }

    std::shared_ptr<const SessionNames> sessionNames() const {
        const MutexLock lock(mutex_);
        return names_;
    }

private:
    using Handler = Json (State::*)(const Json&);

    void send(const Json& message) {
        const MutexLock lock(sending_);
        try {
            send_(message);
        } catch (const std::exception&) {
            // The editor has left; its connection ends by itself.
        }
    }
    void succeed(const Json& id, Json result) { send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}); }
    void fail(const Json& id, int code, const std::string& message) {
        send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
    }
    void notify(const char* method, Json parameters) {
        send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(parameters)}});
    }

    void answer(const Json& id, Handler handler, const Json& parameters) {
        try {
            succeed(id, (this->*handler)(parameters));
        } catch (const RequestError& e) {
            fail(id, e.code, e.what());
        } catch (const Json::exception& e) {
            fail(id, kInvalidParams, e.what());
        } catch (const std::exception& e) {
            const auto* ours = dynamic_cast<const Error*>(&e);
            fail(id, kRequestFailed,
                 ours && !ours->hint().empty() ? fmt::format("{} {}", e.what(), ours->hint()) : e.what());
        }
    }

    std::shared_ptr<ScriptRunner> runner() const {
        const MutexLock lock(mutex_);
        if (!runner_)
            throw RequestError(kRequestFailed, "No database is open; connect to a node, or open a folder first.");
        return runner_;
    }

    // ---- in order

    Json connect(const Json& parameters) {
        disconnect(parameters);
        RunnerEvents events;
        events.print = [this](std::string_view text) { print(text, false); };
        events.notice = [this](std::string_view text) { print(text, true); };
        std::shared_ptr<ScriptRunner> opened = open_(parameters, std::move(events));
        const std::string name = opened->name(), user = opened->principal()->user();
        const MutexLock lock(mutex_);
        runner_ = std::move(opened);
        scripts_.add([this] { noteNames(); });
        return {{"name", name}, {"user", user}};
    }

    Json disconnect(const Json&) {
        endDebuggers();
        std::shared_ptr<ScriptRunner> closed;  // closes outside of the lock
        {
            const MutexLock lock(mutex_);
            closed = std::move(runner_);
            runner_ = nullptr;
            names_ = nullptr;
        }
        results_.clear();
        return nullptr;
    }

    Json run(const Json& parameters) {
        const std::string script = stringMember(parameters, "script");
        const Json* line = findMember(parameters, "line");
        const int64_t firstLine = line ? integerMember(parameters, "line") : 0;
        if (static_cast<int64_t>(script.size()) > kMaxScriptBytes)
            throw RequestError(kInvalidParams, "The script is longer than 32 MiB; run it in parts.");
        const std::shared_ptr<ScriptRunner> runner = this->runner();
        printedBytes_ = 0;
        Json values = Json::array(), answer = Json::object();
        const auto begin = std::chrono::steady_clock::now();
        const Running running(*this);
        try {
            runner->run(script, [&](const Value& value) {
                if (value.isVoid() && value.extra() == 0) return;
                constexpr size_t kMaxValues = ResultStore::kMaxResults;
                if (values.size() >= kMaxValues) values.erase(values.begin());
                values.push_back(describeResult(value, results_));
            });
        } catch (const RequestError&) {
            throw;
        } catch (const std::exception& error) {
            answer["error"] = describeError(error, script, firstLine);
        }
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
        answer["values"] = std::move(values);
        answer["millis"] = taken.count();
        scripts_.add([this] { noteNames(); });
        return answer;
    }

    // Keeps the names of the session for completion. Runs after a script, when its answer has been sent.
    void noteNames() {
        std::shared_ptr<const SessionNames> names;
        try {
            const std::shared_ptr<ScriptRunner> runner = this->runner();
            const Running running(*this);
            names = std::make_shared<NamesSnapshot>(pelorus::sessionNames(*runner));
        } catch (const std::exception&) {
            return;  // the names before stay
        }
        const MutexLock lock(mutex_);
        if (runner_) names_ = std::move(names);
    }

    Json variables(const Json&) {
        Value objects;
        runner()->run("objs(true)", [&](const Value& value) { objects = value; });
        return variablesFrom(objects);
    }

    // The value of an expression as a result, without prints: of a variable that a panel shows.
    Json show(const Json& parameters) {
        const std::string expression = stringMember(parameters, "expression");
        Value last;
        const Running running(*this);
        runner()->run(expression, [&](const Value& value) { last = value; });
        return describeResult(last, results_);
    }

    // ---- meanwhile

    Json page(const Json& parameters) {
        const StoredResult result = results_.get(integerMember(parameters, "handle"));
        if (!result.grid) throw RequestError(kInvalidParams, "This result has no rows.");
        ResultGrid::Order order;
        if (const Json* sort = findMember(parameters, "sort")) {
            order.sortColumn = static_cast<int>(std::clamp<int64_t>(integerMember(*sort, "column"), 0, INT32_MAX));
            order.isDescending = flagMember(*sort, "isDescending");
        }
        if (findMember(parameters, "filter")) order.filter = stringMember(parameters, "filter");
        if (order.filter.find_first_not_of(" \t\r\n") == std::string::npos) order.filter.clear();
        {
            const auto request = beginPanelRequest();
            result.grid->arrange(order, *request);
        }
        return {{"total", result.grid->shownRows()},
                {"rows", result.grid->page(integerMember(parameters, "offset"), integerMember(parameters, "count"))}};
    }

    Json chart(const Json& parameters) {
        const StoredResult result = results_.get(integerMember(parameters, "handle"));
        if (!result.value.isChart()) throw RequestError(kInvalidParams, "This result is no chart.");
        ChartOptions options;
        options.width = std::clamp(numberMember(parameters, "width", options.width), ChartOptions::kMinSize,
                                   ChartOptions::kMaxSize);
        options.height = std::clamp(numberMember(parameters, "height", options.height), ChartOptions::kMinSize,
                                    ChartOptions::kMaxSize);
        options.from = numberMember(parameters, "from", 0);
        options.to = numberMember(parameters, "to", 1);
        options.isDark = flagMember(parameters, "isDark");
        const Chart chart = readChart(result.value);
        return {{"svg", renderSvg(layoutChart(chart, options))}, {"kind", chartKindName(chart.kind)}};
    }

    // The values of a chart at a share of its whole x axis; null where there are none.
    Json chartPoint(const Json& parameters) {
        const StoredResult result = results_.get(integerMember(parameters, "handle"));
        if (!result.value.isChart()) throw RequestError(kInvalidParams, "This result is no chart.");
        const auto reading = readPoint(readChart(result.value), numberMember(parameters, "at", 0));
        if (!reading) return nullptr;
        Json values = Json::array();
        for (const auto& [name, text] : reading->values) values.push_back({{"name", name}, {"text", text}});
        return {{"at", reading->share}, {"label", reading->label}, {"values", std::move(values)}};
    }

    Json release(const Json& parameters) {
        results_.release(integerMember(parameters, "handle"));
        return nullptr;
    }

    Json databases(const Json&) { return listDatabases(*runner()); }
    Json schema(const Json& parameters) {
        return describeTable(*runner(), stringMember(parameters, "database"), stringMember(parameters, "table"));
    }
    Json jobs(const Json&) { return listJobs(*runner()); }
    Json node(const Json&) { return describeNode(*runner()); }
    Json copies(const Json&) { return describeCopies(*runner()); }
    Json cancelOneJob(const Json& parameters) {
        cancelJob(*runner(), stringMember(parameters, "id"), flagMember(parameters, "isBatch"));
        return nullptr;
    }
    Json upload(const Json& parameters) {
        return {{"path", uploadModule(*runner(), stringMember(parameters, "source"))}};
    }
    Json uploadText(const Json& parameters) {
        return {{"path", pelorus::uploadText(*runner(), stringMember(parameters, "file"),
                                             stringMember(parameters, "text"), flagMember(parameters, "isAppended"))}};
    }
    Json removeUpload(const Json& parameters) {
        pelorus::removeUpload(*runner(), stringMember(parameters, "file"));
        return nullptr;
    }

    // ---- scripts that are debugged

    struct Debugged {
        Debugged(std::shared_ptr<ScriptRunner> runner, std::function<void(std::string)> send,
                 std::unique_ptr<DebugHost> host)
            : runner(std::move(runner)), adapter(std::move(send), std::move(host)) {}
        const std::shared_ptr<ScriptRunner> runner;  // outlives the adapter
        DebugAdapter adapter;
    };

    Json startDebugger(const Json&) {
        constexpr size_t kMaxDebuggers = 8;
        std::shared_ptr<ScriptRunner> runner = this->runner();
        std::unique_ptr<DebugHost> host = runner->debugHost();
        int64_t session = 0;
        {
            const MutexLock lock(mutex_);
            if (debugged_.size() >= kMaxDebuggers)
                throw RequestError(kRequestFailed, "Too many scripts are debugged; end one first.");
            session = ++lastDebugger_;
        }
        const auto send = [this, session](std::string message) {
            notify("dap/message", {{"session", session}, {"message", parseJson(message)}});
        };
        auto debugged = std::make_shared<Debugged>(std::move(runner), send, std::move(host));
        const MutexLock lock(mutex_);
        debugged_[session] = std::move(debugged);
        return {{"session", session}};
    }

    Json tellDebugger(const Json& parameters) {
        const int64_t session = integerMember(parameters, "session");
        const std::shared_ptr<Debugged> debugged = debuggedAt(session);
        if (!debugged) throw RequestError(kInvalidParams, "There is no such session of the debugger.");
        debugged->adapter.handle(member(parameters, "message").dump(-1, ' ', false, Json::error_handler_t::replace));
        if (debugged->adapter.hasEnded()) return endDebugger(parameters);
        return nullptr;
    }

    Json endDebugger(const Json& parameters) {
        std::shared_ptr<Debugged> ended;  // outside of the lock
        const MutexLock lock(mutex_);
        const auto found = debugged_.find(integerMember(parameters, "session"));
        if (found == debugged_.end()) return nullptr;
        ended = std::move(found->second);
        debugged_.erase(found);
        return nullptr;
    }

    std::shared_ptr<Debugged> debuggedAt(int64_t session) const {
        const MutexLock lock(mutex_);
        const auto found = debugged_.find(session);
        return found == debugged_.end() ? nullptr : found->second;
    }

    void endDebuggers() {
        std::map<int64_t, std::shared_ptr<Debugged>> ended;
        {
            const MutexLock lock(mutex_);
            ended = std::move(debugged_);
            debugged_.clear();
        }
        for (const auto& [session, debugged] : ended) debugged->adapter.interrupt();
    }

    // ---- while a script runs

    // Scope in which a script may be interrupted.
    class Running {
    public:
        explicit Running(State& state) : state_(state) { state_.isRunning_ = true; }
        ~Running() { state_.isRunning_ = false; }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        State& state_;
    };

    void print(std::string_view text, bool isNotice) {
        const auto bytes = static_cast<int64_t>(text.size());
        const int64_t before = printedBytes_.fetch_add(bytes);
        if (before >= kMaxPrintedBytes) return;
        notify("pelorus/output",
               {{"text", before + bytes >= kMaxPrintedBytes ? "… (what follows is not shown)" : std::string(text)},
                {"isNotice", isNotice}});
    }

    void reportProgress() {
        if (!isRunning_) return;
        std::shared_ptr<ScriptRunner> runner;
        {
            const MutexLock lock(mutex_);
            runner = runner_;
        }
        if (!runner) return;
        const Progress::Snapshot progress = runner->progress();
        if (!progress.work) return;
        notify("pelorus/progress", {{"work", progress.work}, {"done", progress.done}, {"total", progress.total}});
    }

    void cancel() {
        std::shared_ptr<ScriptRunner> runner;
        {
            const MutexLock lock(mutex_);
            runner = runner_;
        }
        if (runner && isRunning_) runner->interrupt();
    }

    // The request in whose name a panel's query runs; it can be cancelled.
    std::shared_ptr<Request> beginPanelRequest() {
        auto request = std::make_shared<Request>(runner()->principal());
        const MutexLock lock(mutex_);
        request->cancelled = isClosing_.load();
        panelRequest_ = request;
        return request;
    }
    void cancelPanel() {
        const MutexLock lock(mutex_);
        if (const std::shared_ptr<Request> request = panelRequest_.lock()) request->cancelled = true;
    }

    const Send send_;
    const Open open_;
    std::unordered_map<std::string, Handler> inOrder_, meanwhile_, debugging_;
    Mutex sending_;  // one message at a time
    mutable Mutex mutex_;
    std::shared_ptr<ScriptRunner> runner_ GUARDED_BY(mutex_);
    std::shared_ptr<const SessionNames> names_ GUARDED_BY(mutex_);
    std::weak_ptr<Request> panelRequest_ GUARDED_BY(mutex_);
    std::map<int64_t, std::shared_ptr<Debugged>> debugged_ GUARDED_BY(mutex_);
    int64_t lastDebugger_ GUARDED_BY(mutex_) = 0;
    ResultStore results_;
    std::atomic<bool> isRunning_{false}, isClosing_{false};
    std::atomic<int64_t> printedBytes_{0};
    // The last members: their threads use the others.
    RequestQueue scripts_;
    RequestQueue panels_;
    RequestQueue debuggers_;
};

Workbench::Workbench(Send send, Open open) : state_(std::make_unique<State>(std::move(send), std::move(open))) {}

Workbench::~Workbench() = default;

std::shared_ptr<const SessionNames> Workbench::sessionNames() const {
    return state_->sessionNames();
}

void Workbench::request(const Json& id, const std::string& method, const Json& parameters) {
    state_->request(id, method, parameters);
}

}  // namespace pelorus
