#include "server/connection/debug_connection.h"

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/thread/thread_start.h"
#include "interpreter/debug/debug_session.h"
#include "interpreter/debug/debugged_sources.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/vm.h"
#include "net/connection.h"
#include "net/debug_call.h"
#include "runtime/format/object_kind.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"
#include "runtime/table/value_bytes.h"
#include "runtime/value/print.h"
#include "server/access/access_control.h"
#include "server/access/password_login.h"
#include "server/connection/user_session.h"
#include "server/session/connection_deadlines.h"
#include "server/session/debug_place.h"
#include "server/session/debugged_sessions.h"
#include "server/session/session_registry.h"

namespace pelorus {

namespace {

constexpr int kPollMillis = 100;
constexpr int64_t kMaxScriptBytes = 32 << 20;
// Frame and variable ids have 14 and 16 bits.
constexpr size_t kMaxFrames = 0x3fff, kMaxVariables = 0xffff;
// Maximum bytes of one value in a list of variables, of the whole list, and of a value that is shown alone.
constexpr int64_t kListedBytes = 2048, kListBytes = 64 << 10, kShownBytes = 1 << 20;
constexpr size_t kStringBytes = 500;

nlohmann::json describe(const std::string& name, const Value& value, size_t id) {
    return {{"name", name},
            {"type", objectType(value)},
            {"form", objectForm(value)},
            {"rows", objectRows(value)},
            {"columns", objectColumns(value)},
            {"bytes", memoryBytesOf(value)},
            {"vid", id}};
}

// Adds the value: encoded, or as a string when its type has no encoding for clients.
void addValue(const Value& value, nlohmann::json& description, std::string& objects) {
    const size_t before = objects.size();
    try {
        if (!(value.isTable() && value.table().asPartitioned())) {
            encodeValue(value, Peer::Client, objects);
            description["offset"] = objects.size() - before;
            return;
        }
    } catch (const Error&) {
        objects.resize(before);
    }
    std::string string = display(value);
    if (string.size() > kStringBytes) string = string.substr(0, kStringBytes) + "...";
    description["data"] = string;
}

// Lines count from 0 for clients; -1: nowhere.
int32_t clientLine(SourcePosition position) {
    return position.known() ? position.line - 1 : -1;
}

}  // namespace

class DebugConnection::State {
public:
    explicit State(Parts parts);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    void serve();

private:
    using Json = nlohmann::json;
    struct Answer {
        Json data = nullptr;
        std::string objects = {};
    };
    using Handler = Answer (State::*)(const DebugArgument& data);

    void handle(const DebugCall& call);
    void send(const Json& message, const std::string& objects = "");
    void sendEvent(const char* name, Json data, const std::string& message = "OK");

    Answer login(const DebugArgument& data);
    Answer parse(const DebugArgument& data);
    Answer setBreakpoints(const DebugArgument& data);
    Answer setStopsAtErrors(const DebugArgument& data);
    Answer run(const DebugArgument& data);
    template <DebugSession::Step step>
    Answer go(const DebugArgument& data);
    Answer pause(const DebugArgument& data);
    Answer stop(const DebugArgument& data);
    Answer stackTrace(const DebugArgument& data);
    Answer variables(const DebugArgument& data);
    Answer variable(const DebugArgument& data);
    Answer source(const DebugArgument& data);
    Answer sessionId(const DebugArgument& data);

    void runScript();
    void reportFailure(const std::exception& error);
    void stopped(DebugSession::Reason reason, const std::string& message);
    DebugFrame frame(int64_t id) const;
    Value value(int64_t frameId, int64_t variableId) const;
    const DebuggedSource* moduleNamed(const std::string& name) const;
    const DebuggedSource* moduleAt(const std::string& path) const;
    void endScript();

    const Parts parts_;
    const std::unordered_map<std::string, Handler> handlers_;
    std::string user_ = "guest";
    UserSession session_;
    std::string script_;
    bool isParsed_ = false;
    std::vector<DebuggedSource> modules_;
    std::function<void()> afterAnswer_;  // started after the answer, which events must not overtake
    std::atomic<bool> hasToldError_{false}, hasEnded_{false};
    bool stopsAtErrors_ = false;
    DebugSession debugger_;
    std::thread thread_;
};

DebugConnection::State::State(Parts parts)
    : parts_(std::move(parts)),
      handlers_({{"login", &State::State::login},
                 {"parseScriptWithDebug", &State::parse},
                 {"setBreaks", &State::setBreakpoints},
                 {"setAllExceptionBreak", &State::setStopsAtErrors},
                 {"runScriptWithDebug", &State::run},
                 {"continueRun", &State::go<DebugSession::Step::Continue>},
                 {"stepOver", &State::go<DebugSession::Step::Over>},
                 {"stepInto", &State::go<DebugSession::Step::Into>},
                 {"stepOut", &State::go<DebugSession::Step::Out>},
                 {"pauseRun", &State::pause},
                 {"stopRun", &State::stop},
                 {"stackTrace", &State::stackTrace},
                 {"getStackVariables", &State::variables},
                 {"getVariable", &State::variable},
                 {"sourceRequest", &State::source},
                 {"string{getCurrentSessionAndUser()[0]}", &State::sessionId}}),
      session_(parts_.connection, parts_.server, parts_.slot, user_),
      debugger_({[this](DebugSession::Reason reason, const std::string& message) { stopped(reason, message); },
                 [this](const std::string& string) { sendEvent("OUTPUT", string); }}) {
    parts_.server.debugged->add(session_.id(), user_,
                                [this](int64_t frameId, int64_t variableId) { return value(frameId, variableId); });
}

DebugConnection::State::~State() {
    parts_.server.debugged->remove(session_.id());
    endScript();
}

void DebugConnection::State::serve() {
    using Stage = ConnectionDeadlines::Stage;
    Connection& connection = parts_.connection;
    connection.setTimeout(kPollMillis);
    // The script's thread writes, and waits, too: only the reader checks deadlines.
    connection.setIdleCheck([this, &connection, reader = std::this_thread::get_id()] {
        if (std::this_thread::get_id() == reader) parts_.deadlines.check(connection.receivedBytes());
    });
    struct Detach {
        Connection& connection;
        ~Detach() { connection.setIdleCheck({}); }
    } detach{connection};
    for (;;) {
        const bool isUnauthenticated = parts_.deadlines.mustLogIn();
        parts_.deadlines.enter(isUnauthenticated ? Stage::Line : Stage::Between, connection.receivedBytes());
        if (connection.peek(1).empty()) return;
        parts_.deadlines.enter(Stage::Body, connection.receivedBytes());
        const DebugCall call =
            readDebugCall(connection, isUnauthenticated ? kLoginBytes : std::min(kMaxScriptBytes, maxRequestBytes()));
        parts_.deadlines.enter(Stage::Work, connection.receivedBytes());
        handle(call);
    }
}

void DebugConnection::State::handle(const DebugCall& call) {
    Json message = {{"id", call.id}, {"message", "OK"}};
    Answer answer;
    afterAnswer_ = {};
    try {
        const auto found = handlers_.find(call.function);
        if (found == handlers_.end()) throw UserError("The debugger has no call " + call.function.substr(0, 100) + ".");
        if (call.function != "login") requireLogin(*session_.principal(), "");
        answer = (this->*found->second)(call.data);
    } catch (const std::exception& error) {
        message["message"] = errorText(error);
        answer = {};
    }
    message["data"] = std::move(answer.data);
    send(message, answer.objects);
    if (const auto after = std::exchange(afterAnswer_, {})) after();
}

void DebugConnection::State::send(const Json& message, const std::string& objects) {
    try {
        parts_.connection.write(debugMessage(message, objects));
    } catch (const SystemError&) {
        // The client has left; reading ends the connection.
    }
}

void DebugConnection::State::sendEvent(const char* name, Json data, const std::string& message) {
    send({{"event", name}, {"message", message}, {"data", std::move(data)}});
}

// ---- calls

DebugConnection::State::Answer DebugConnection::State::login(const DebugArgument& data) {
    if (thread_.joinable()) throw UserError("The script runs already; log in before it does.");
    const std::vector<std::string> given = data.requireStrings();
    if (given.size() != 2) throw UserError("login takes user and password.");
    const std::string address = parts_.connection.peerHost();
    const AuditOrigin origin(
        {.user = given[0], .address = address, .port = parts_.connection.peerPort(), .session = session_.id()});
    requirePassword(parts_.server.access, parts_.server.throttle.get(),
                    {.user = given[0], .password = given[1], .address = address});
    session_.setUser(given[0]);
    user_ = given[0];
    parts_.server.debugged->add(session_.id(), user_,
                                [this](int64_t frameId, int64_t variableId) { return value(frameId, variableId); });
    parts_.deadlines.loggedIn();
    parts_.loggedIn();
    return {};
}

DebugConnection::State::Answer DebugConnection::State::parse(const DebugArgument& data) {
    if (thread_.joinable()) throw UserError("The script runs already.", "Debug another one on a new connection.");
    const std::vector<std::string> given = data.requireStrings();
    if (given.size() != 1) throw UserError("parseScriptWithDebug takes the text of a script.");
    isParsed_ = false;
    script_ = given[0];
    Json modules = Json::object();
    try {
        modules_ = session_.script().debuggedSources(script_);
        for (const DebuggedSource& module : modules_) modules[module.module] = module.path;
        isParsed_ = true;
    } catch (const SyntaxError& error) {
        modules_.clear();
        reportFailure(error);
    }
    return {.data = {{"modules", std::move(modules)}}};
}

DebugConnection::State::Answer DebugConnection::State::setBreakpoints(const DebugArgument& data) {
    const std::vector<DebugArgument> given = data.elements();
    if (given.size() != 2) throw UserError("setBreaks takes a module and lines.");
    const std::string& name = given[0].requireString();
    const DebuggedSource* module = name.empty() ? nullptr : moduleNamed(name);
    if (!name.empty() && !module) throw UserError("The script uses no module " + name + ".");
    const std::string& string = module ? module->text : script_;
    // Only lines on which a statement begins hold.
    const std::vector<int32_t> lines = statementLines(string);
    std::vector<Breakpoint> breakpoints;
    Json held = Json::array();
    for (const int32_t line : given[1].requireIntegers()) {
        if (line < 0 || line == INT32_MAX || !std::binary_search(lines.begin(), lines.end(), line + 1)) continue;
        breakpoints.emplace_back().line = line + 1;
        held.push_back(line);
    }
    debugger_.setBreakpoints(module ? module->path : "", string, breakpoints);
    return {.data = Json::array({name, std::move(held)})};
}

DebugConnection::State::Answer DebugConnection::State::setStopsAtErrors(const DebugArgument& data) {
    const std::vector<DebugArgument> given = data.elements();
    if (given.size() != 1) throw UserError("setAllExceptionBreak takes true or false.");
    stopsAtErrors_ = given[0].requireInteger() != 0;
    debugger_.setStopsAtErrors(stopsAtErrors_);
    return {};
}

DebugConnection::State::Answer DebugConnection::State::run(const DebugArgument&) {
    if (thread_.joinable()) throw UserError("The script runs already.");
    // The client was told of the error, and shows it until a person ends or continues the session.
    if (!isParsed_) return {};
    afterAnswer_ = [this, place = std::make_shared<DebugPlace>(*parts_.server.state)] {
        thread_ = startThread([this, place] { runScript(); });
    };
    return {};
}

template <DebugSession::Step step>
DebugConnection::State::Answer DebugConnection::State::go(const DebugArgument&) {
    afterAnswer_ = [this] {
        if (thread_.joinable() && !hasEnded_) return debugger_.resume(step);
        sendEvent("END", {{"status", "FINISHED"}, {"line", -1}});
    };
    return {};
}

DebugConnection::State::Answer DebugConnection::State::pause(const DebugArgument&) {
    debugger_.pause();
    return {};
}

DebugConnection::State::Answer DebugConnection::State::stop(const DebugArgument&) {
    afterAnswer_ = [this] { debugger_.terminate(); };
    return {};
}

DebugConnection::State::Answer DebugConnection::State::stackTrace(const DebugArgument&) {
    const std::vector<DebugFrame> frames = debugger_.frames();
    Json calls = Json::array();
    for (size_t i = std::min(frames.size(), kMaxFrames); i-- > 0;) {
        const DebugFrame& frame = frames[i];
        Json call = {{"stackFrameId", frames.size() - i}, {"line", clientLine(frame.position)}};
        if (frame.position.known()) call["column"] = frame.position.column - 1;
        if (!frame.function.empty()) call["name"] = frame.function;
        const DebuggedSource* module = moduleAt(frame.origin);
        if (frame.origin.empty()) {
            call["moduleName"] = "";
        } else if (module) {
            call["moduleName"] = module->module;
        }
        calls.push_back(std::move(call));
    }
    return {.data = std::move(calls)};
}

DebugConnection::State::Answer DebugConnection::State::variables(const DebugArgument& data) {
    const std::vector<int32_t> given = data.requireIntegers();
    if (given.size() != 1) throw UserError("getStackVariables takes the id of a call.");
    const DebugFrame found = frame(given[0]);
    Answer answer{.data = Json::array()};
    for (size_t i = 0; i < std::min(found.variables.size(), kMaxVariables); ++i) {
        const auto& [name, value] = found.variables[i];
        Json one = describe(name, value, i + 1);
        if (memoryBytesOf(value) <= kListedBytes && static_cast<int64_t>(answer.objects.size()) < kListBytes)
            addValue(value, one, answer.objects);
        answer.data.push_back(std::move(one));
    }
    return answer;
}

DebugConnection::State::Answer DebugConnection::State::variable(const DebugArgument& data) {
    const std::vector<DebugArgument> given = data.elements();
    if (given.size() < 2) throw UserError("getVariable takes the ids of a call and a variable.");
    const DebugFrame found = frame(given[0].requireInteger());
    const int64_t id = given[1].requireInteger();
    if (id < 1 || id > static_cast<int64_t>(found.variables.size())) throw UserError("There is no such variable.");
    const auto& [name, value] = found.variables[static_cast<size_t>(id - 1)];
    Answer answer{.data = describe(name, value, static_cast<size_t>(id))};
    if (memoryBytesOf(value) > kShownBytes) {
        answer.data["offset"] = -1;
    } else {
        addValue(value, answer.data, answer.objects);
    }
    return answer;
}

DebugConnection::State::Answer DebugConnection::State::source(const DebugArgument& data) {
    const DebuggedSource* module = moduleNamed(data.requireString());
    if (!module) throw UserError("The script uses no such module.");
    return {.data = module->text};
}

DebugConnection::State::Answer DebugConnection::State::sessionId(const DebugArgument&) {
    return {.data = std::to_string(session_.id())};
}

// ---- the script

void DebugConnection::State::runScript() {
    bool hasFinished = false;
    try {
        RequestSlot::Details details;
        details.print = [this](std::string_view string) { sendEvent("OUTPUT", std::string(string)); };
        details.notice = [this](std::string_view string) { sendEvent("OUTPUT", "Note: " + std::string(string)); };
        details.isWaiting = [this] { return debugger_.isStopped(); };
        session_.carryOut(script_, std::move(details), [this](ScriptSession& session, Request& request) {
            session.debug(request, script_, debugger_);
            return Value();
        });
        hasFinished = true;
    } catch (const std::exception& error) {
        if (!debugger_.isTerminated() && !hasToldError_) reportFailure(error);
    }
    hasEnded_ = true;
    sendEvent("END", {{"status", hasFinished ? "FINISHED" : "STOPPED"}, {"line", -1}});
}

void DebugConnection::State::reportFailure(const std::exception& error) {
    if (const auto* syntax = dynamic_cast<const SyntaxError*>(&error)) {
        std::string string = errorText(error);
        if (syntax->position.known())
            string = "line " + std::to_string(syntax->position.line) + ", column " +
                     std::to_string(syntax->position.column) + ": " + string;
        return sendEvent("SYNTAX", nullptr, string);
    }
    const auto* script = dynamic_cast<const ScriptError*>(&error);
    sendEvent("ERROR", {{"line", clientLine(script ? script->position : SourcePosition())}, {"moduleName", ""}},
              errorText(error));
}

void DebugConnection::State::stopped(DebugSession::Reason reason, const std::string& message) {
    if (reason != DebugSession::Reason::Exception) {
        hasToldError_ = false;
        const char* event = reason == DebugSession::Reason::Breakpoint ? "BREAKPOINT" : "STEP";
        const std::vector<DebugFrame> frames = debugger_.frames();
        return sendEvent(event,
                         {{"status", event}, {"line", frames.empty() ? -1 : clientLine(frames.front().position)}});
    }
    hasToldError_ = true;
    const std::vector<DebugFrame> frames = debugger_.frames();
    const DebuggedSource* module = frames.empty() ? nullptr : moduleAt(frames.front().origin);
    sendEvent("ERROR",
              {{"line", frames.empty() ? -1 : clientLine(frames.front().position)},
               {"moduleName", module ? module->module : ""}},
              message.empty() ? "The script raised an error." : message);
}

DebugFrame DebugConnection::State::frame(int64_t id) const {
    std::vector<DebugFrame> frames = debugger_.frames();
    const auto count = static_cast<int64_t>(frames.size());
    if (count == 0) throw UserError("The script is not stopped.");
    if (id < 1 || id > count) throw UserError("There is no such call.");
    return std::move(frames[static_cast<size_t>(count - id)]);
}

// Called by other connections, too.
Value DebugConnection::State::value(int64_t frameId, int64_t variableId) const {
    const DebugFrame found = frame(frameId);
    if (variableId < 1 || variableId > static_cast<int64_t>(found.variables.size()))
        throw UserError("There is no such variable.");
    return found.variables[static_cast<size_t>(variableId - 1)].second;
}

const DebuggedSource* DebugConnection::State::moduleNamed(const std::string& name) const {
    const auto found = std::find_if(modules_.begin(), modules_.end(), [&](const auto& m) { return m.module == name; });
    return found == modules_.end() ? nullptr : &*found;
}

const DebuggedSource* DebugConnection::State::moduleAt(const std::string& path) const {
    const auto found = std::find_if(modules_.begin(), modules_.end(), [&](const auto& m) { return m.path == path; });
    return found == modules_.end() ? nullptr : &*found;
}

void DebugConnection::State::endScript() {
    debugger_.terminate();
    if (thread_.joinable()) thread_.join();
}

DebugConnection::DebugConnection(Parts parts) : state_(std::make_unique<State>(std::move(parts))) {}

DebugConnection::~DebugConnection() = default;

void DebugConnection::serve() {
    state_->serve();
}

}  // namespace pelorus
