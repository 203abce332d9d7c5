#include "devtools/dap/debug_adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <unordered_map>

#include "common/error.h"
#include "common/outside_json.h"
#include "devtools/lsp/feature.h"
#include "devtools/lsp/message_stream.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/vm.h"
#include "presentation/view/view_cell.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxChildren = 200;  // children of a value that is expanded
constexpr int kThread = 1;

std::string shortText(const Value& value) {
    constexpr size_t kLongest = 500;
    std::string text = viewElement(value).string;
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
    return text;
}

bool hasChildren(const Value& value) {
    return !value.isScalar() && !value.isPair() && !value.isChart();
}

}  // namespace

class DebugAdapter::Session {
public:
    Session(std::function<void(std::string)> send, std::unique_ptr<DebugHost> host)
        : send_(std::move(send)),
          host_(std::move(host)),
          debugger_({[this](DebugSession::Reason reason, const std::string& message) { stopped(reason, message); },
                     [this](const std::string& text) { output(text + "\n", "console"); }}) {
        using S = Session;
        requests_ = {{"initialize", &S::initialize},
                     {"launch", &S::launch},
                     {"setBreakpoints", &S::setBreakpoints},
                     {"source", &S::source},
                     {"loadedSources", &S::loadedSources},
                     {"setExceptionBreakpoints", &S::setExceptionBreakpoints},
                     {"configurationDone", &S::configurationDone},
                     {"threads", &S::threads},
                     {"stackTrace", &S::stackTrace},
                     {"scopes", &S::scopes},
                     {"variables", &S::variables},
                     {"evaluate", &S::evaluate},
                     {"continue", &S::go<DebugSession::Step::Continue>},
                     {"next", &S::go<DebugSession::Step::Over>},
                     {"stepIn", &S::go<DebugSession::Step::Into>},
                     {"stepOut", &S::go<DebugSession::Step::Out>},
                     {"pause", &S::pause},
                     {"terminate", &S::terminate},
                     {"disconnect", &S::disconnect}};
    }
    ~Session() { endScript(); }

    void handle(std::string_view message) {
        const Json json = parseJson(message);
        if (!json.is_object() || !json.contains("command") || !json["command"].is_string()) return;
        const std::string command = json["command"].get<std::string>();
        const Json sequence = json.value("seq", Json(0));
        const Json given = json.value("arguments", Json::object());
        Json answer = {{"type", "response"}, {"request_seq", sequence}, {"command", command}, {"success", true}};
        std::string after = command;
        try {
            const auto found = requests_.find(command);
            if (found == requests_.end()) throw UserError(fmt::format("There is no request {}.", command));
            Json body = (this->*found->second)(given.is_object() ? given : Json::object());
            if (!body.is_null()) answer["body"] = std::move(body);
        } catch (const std::exception& error) {
            answer["success"] = false;
            answer["message"] = error.what();
            after.clear();
        }
        sendJson(std::move(answer));
        // An editor sends its breakpoints when it knows the script's name.
        if (after == "launch") event("initialized", nullptr);
        if (after == "configurationDone") startScript();
    }
    void interrupt() { debugger_.terminate(); }
    bool hasEnded() const { return hasEnded_; }

private:
    using Request = Json (Session::*)(const Json&);
    using Names = std::vector<std::pair<std::string, Value>>;

    void sendJson(Json message) {
        message["seq"] = ++sequence_;
        try {
            send_(message.dump(-1, ' ', false, Json::error_handler_t::replace));
        } catch (const std::exception&) {
            // The editor has left.
        }
    }
    void event(const char* name, Json body) {
        Json message = {{"type", "event"}, {"event", name}};
        if (!body.is_null()) message["body"] = std::move(body);
        sendJson(std::move(message));
    }
    void output(const std::string& text, const char* category) {
        event("output", {{"category", category}, {"output", text}});
    }

    // ---- requests

    Json initialize(const Json& parameters) {
        const auto isFalse = [&](const char* name) { return parameters.value(name, Json()) == Json(false); };
        firstLine_ = isFalse("linesStartAt1") ? 0 : 1;
        firstColumn_ = isFalse("columnsStartAt1") ? 0 : 1;
        const Json filters = {{{"filter", "errors"}, {"label", "Errors"}, {"default", false}}};
        return {{"supportsConfigurationDoneRequest", true},  {"supportsConditionalBreakpoints", true},
                {"supportsHitConditionalBreakpoints", true}, {"supportsLogPoints", true},
                {"supportsEvaluateForHovers", true},         {"supportsTerminateRequest", true},
                {"supportsLoadedSourcesRequest", true},      {"exceptionBreakpointFilters", filters}};
    }

    Json launch(const Json& parameters) {
        if (!program_.empty()) throw UserError("A script is debugged already.");
        const std::string program = stringMember(parameters, "program");
        script_ = host_->open(parameters);
        try {
            modules_ = host_->modules(script_);
        } catch (const SyntaxError&) {
            // The run says what is wrong with it.
        }
        program_ = program;
        if (parameters.value("stopOnEntry", Json()) == Json(true)) debugger_.setStopsAtEntry();
        return nullptr;
    }

    Json setBreakpoints(const Json& parameters) {
        std::vector<Breakpoint> breakpoints;
        const std::string path = stringMember(member(parameters, "source"), "path");
        const Json* given = findMember(parameters, "breakpoints");
        for (const Json& item : given && given->is_array() ? *given : Json::array()) {
            Breakpoint breakpoint;
            breakpoint.line =
                static_cast<int32_t>(std::clamp<int64_t>(integerMember(item, "line") + 1 - firstLine_, 1, INT32_MAX));
            if (findMember(item, "condition")) breakpoint.condition = stringMember(item, "condition");
            if (findMember(item, "logMessage")) breakpoint.logMessage = stringMember(item, "logMessage");
            if (findMember(item, "hitCondition"))
                breakpoint.hitCount = std::atoll(stringMember(item, "hitCondition").c_str());
            breakpoints.push_back(std::move(breakpoint));
        }
        Json placed = Json::array();
        const DebuggedSource* module = path == program_ ? nullptr : moduleAt(member(parameters, "source"), path);
        if (path != program_ && !module) {
            for (size_t i = 0; i < breakpoints.size(); ++i)
                placed.push_back({{"verified", false}, {"message", "The script does not use this file."}});
            return {{"breakpoints", placed}};
        }
        const std::vector<int32_t> lines = module ? debugger_.setBreakpoints(module->path, module->text, breakpoints)
                                                  : debugger_.setBreakpoints("", script_, breakpoints);
        for (const int32_t line : lines) {
            Json one = {{"verified", line > 0}};
            if (line > 0) {
                one["line"] = line - 1 + firstLine_;
            } else {
                one["message"] = "No statement begins here or below.";
            }
            placed.push_back(std::move(one));
        }
        return {{"breakpoints", placed}};
    }

    // Returns the module whose file the editor means: by the reference that it was given, by its path, or, where the
    // module is a file of another machine, by the end of the path, which is the module's name. Null when there is none.
    const DebuggedSource* moduleAt(const Json& source, const std::string& path) {
        const Json* reference = findMember(source, "sourceReference");
        for (size_t i = 0; i < modules_.size(); ++i) {
            DebuggedSource& module = modules_[i];
            if (module.path == path) return &module;
            if (reference && *reference == Json(i + 1)) return &module;
            std::string end = '/' + module.module + ".dos";
            for (size_t at; (at = end.find("::")) != std::string::npos;) end.replace(at, 2, "/");
            std::string slashes = path;
            std::replace(slashes.begin(), slashes.end(), '\\', '/');
            if (!slashes.ends_with(end)) continue;
            editorPaths_[module.path] = path;
            return &module;
        }
        return nullptr;
    }

    Json sourceAt(const std::string& origin) const {
        if (origin.empty()) return {{"name", program_.substr(program_.rfind('/') + 1)}, {"path", program_}};
        const auto known = editorPaths_.find(origin);
        const std::string path = known != editorPaths_.end() ? known->second : origin;
        Json source = {{"name", path.substr(path.rfind('/') + 1)}, {"path", path}};
        if (known != editorPaths_.end() || host_->sharesFiles()) return source;
        for (size_t i = 0; i < modules_.size(); ++i) {
            if (modules_[i].path == origin) source["sourceReference"] = i + 1;
        }
        return source;
    }

    Json loadedSources(const Json&) {
        Json sources = Json::array();
        for (const DebuggedSource& module : modules_) sources.push_back(sourceAt(module.path));
        return {{"sources", sources}};
    }

    Json source(const Json& parameters) {
        const int64_t reference = integerMember(parameters, "sourceReference");
        if (reference < 1 || reference > static_cast<int64_t>(modules_.size()))
            throw UserError("There is no such source.");
        return {{"content", modules_[static_cast<size_t>(reference - 1)].text}};
    }

    Json setExceptionBreakpoints(const Json& parameters) {
        const Json* filters = findMember(parameters, "filters");
        debugger_.setStopsAtErrors(filters && filters->is_array() && !filters->empty());
        return nullptr;
    }

    Json configurationDone(const Json&) {
        if (program_.empty()) throw UserError("There is no script; launch one first.");
        if (thread_.joinable()) throw UserError("The script runs already.");
        return nullptr;
    }

    Json threads(const Json&) { return {{"threads", {{{"id", kThread}, {"name", "script"}}}}}; }

    Json stackTrace(const Json& parameters) {
        frames_ = debugger_.frames();
        const auto count = static_cast<int64_t>(frames_.size());
        const Json* from = findMember(parameters, "startFrame");
        const Json* levels = findMember(parameters, "levels");
        const int64_t begin =
            std::clamp<int64_t>(from && from->is_number_integer() ? from->get<int64_t>() : 0, 0, count);
        int64_t end = count;
        if (levels && levels->is_number_integer() && levels->get<int64_t>() > 0)
            end = std::min(count, begin + std::min(levels->get<int64_t>(), count));
        Json frames = Json::array();
        for (int64_t i = begin; i < end; ++i) {
            const DebugFrame& frame = frames_[static_cast<size_t>(i)];
            Json one = {{"id", i + 1},
                        {"name", frame.function.empty() ? "(script)" : frame.function},
                        {"line", frame.position.line - 1 + firstLine_},
                        {"column", frame.position.column - 1 + firstColumn_}};
            one["source"] = sourceAt(frame.origin);
            frames.push_back(std::move(one));
        }
        return {{"stackFrames", frames}, {"totalFrames", count}};
    }

    Json scopes(const Json& parameters) {
        const int64_t id = integerMember(parameters, "frameId");
        if (id < 1 || id > static_cast<int64_t>(frames_.size())) throw UserError("There is no such frame.");
        const DebugFrame& frame = frames_[static_cast<size_t>(id - 1)];
        Names scope;
        for (const auto& [name, value] : frame.variables) scope.push_back({name, value});
        return {{"scopes",
                 {{{"name", frame.isTopLevel ? "Script" : "Function"},
                   {"variablesReference", keep(std::move(scope))},
                   {"expensive", false}}}}};
    }

    Json variables(const Json& parameters) {
        const auto found = scopes_.find(integerMember(parameters, "variablesReference"));
        if (found == scopes_.end()) throw UserError("The script went on; these variables are of an earlier stop.");
        Json variables = Json::array();
        const Names names = found->second;  // describing adds others
        for (const auto& [name, value] : names) variables.push_back(describe(name, value));
        return {{"variables", variables}};
    }

    Json evaluate(const Json& parameters) {
        const Json* frame = findMember(parameters, "frameId");
        const int64_t id = frame && frame->is_number_integer() ? frame->get<int64_t>() : 1;
        const Value value = debugger_.evaluate(static_cast<size_t>(std::max<int64_t>(id, 1) - 1),
                                               stringMember(parameters, "expression"));
        Json described = describe("", value);
        described["result"] = described["value"];
        return described;
    }

    template <DebugSession::Step step>
    Json go(const Json&) {
        if (!debugger_.isStopped()) throw UserError("The script is not stopped.");
        scopes_.clear();
        frames_.clear();
        debugger_.resume(step);
        return {{"allThreadsContinued", true}};
    }

    Json pause(const Json&) {
        debugger_.pause();
        return nullptr;
    }
    Json terminate(const Json&) {
        debugger_.terminate();
        return nullptr;
    }
    Json disconnect(const Json&) {
        endScript();
        hasEnded_ = true;
        return nullptr;
    }

    // ---- the script

    void startScript() {
        thread_ = std::thread([this] {
            int status = 0;
            try {
                host_->run(script_, debugger_,
                           [this](std::string_view text) { output(std::string(text) + "\n", "stdout"); });
            } catch (const std::exception& error) {
                status = 1;
                output(errorText(error) + "\n", "stderr");
            }
            isOver_ = true;
            event("exited", {{"exitCode", status}});
            event("terminated", nullptr);
        });
    }

    std::string errorText(const std::exception& error) const {
        SourcePosition position;
        if (const auto* script = dynamic_cast<const ScriptError*>(&error)) position = script->position;
        if (const auto* syntax = dynamic_cast<const SyntaxError*>(&error)) position = syntax->position;
        std::string text = position.known()
                               ? fmt::format("{}:{}:{}: {}", program_, position.line, position.column, error.what())
                               : error.what();
        if (const auto* ours = dynamic_cast<const Error*>(&error); ours && !ours->hint().empty())
            text += "\n" + ours->hint();
        return text;
    }

    void endScript() {
        scopes_.clear();
        frames_.clear();
        debugger_.terminate();
        if (thread_.joinable()) thread_.join();
    }

    void stopped(DebugSession::Reason reason, const std::string& message) {
        static constexpr const char* kReasons[] = {"entry", "breakpoint", "step", "pause", "exception"};
        Json body = {
            {"reason", kReasons[static_cast<size_t>(reason)]}, {"threadId", kThread}, {"allThreadsStopped", true}};
        if (!message.empty()) {
            body["text"] = message;
            body["description"] = "Error";
        }
        event("stopped", std::move(body));
    }

    // ---- values

    int64_t keep(Names scope) {
        scopes_[++lastScope_] = std::move(scope);
        return lastScope_;
    }

    Json describe(const std::string& name, const Value& value) {
        Json described = {
            {"name", name}, {"value", shortText(value)}, {"type", typeString(value)}, {"variablesReference", 0}};
        if (hasChildren(value)) described["variablesReference"] = keep(childrenOf(value));
        return described;
    }

    static Names childrenOf(const Value& value) {
        Names children;
        if (value.isDictionary()) {
            const Dictionary& entries = value.dictionary();
            for (int64_t i = 0; i < std::min(entries.size(), kMaxChildren); ++i)
                children.emplace_back(viewElement(entries.keyAt(i)).string, entries.valueAt(i));
            return children;
        }
        if (value.isTable()) {
            const Ref<MemoryTable> table = tableToRead(value);
            for (int c = 0; table && c < std::min<int>(table->columnCount(), kMaxChildren); ++c)
                children.emplace_back(table->columns()[static_cast<size_t>(c)].name, table->column(c));
            return children;
        }
        if (value.isSet()) return childrenOf(value.set().index.keys());
        const int64_t count = value.isMatrix() ? value.matrix().columns : value.size();
        for (int64_t i = 0; i < std::min(count, kMaxChildren); ++i)
            children.emplace_back(fmt::format("[{}]", i), value.at(i));
        return children;
    }

    const std::function<void(std::string)> send_;
    const std::unique_ptr<DebugHost> host_;
    std::unordered_map<std::string, Request> requests_;
    DebugSession debugger_;
    std::atomic<int64_t> sequence_{0};
    int firstLine_ = 1, firstColumn_ = 1;
    std::string program_, script_;
    std::vector<DebuggedSource> modules_;
    std::unordered_map<std::string, std::string> editorPaths_;  // the editor's paths of modules, by our paths
    std::vector<DebugFrame> frames_;                            // frames of the last stackTrace
    std::unordered_map<int64_t, Names> scopes_;
    int64_t lastScope_ = 0;
    std::atomic<bool> isOver_{false};
    bool hasEnded_ = false;
    std::thread thread_;
};

DebugAdapter::DebugAdapter(std::function<void(std::string)> send, std::unique_ptr<DebugHost> host)
    : session_(std::make_unique<Session>(std::move(send), std::move(host))) {}

DebugAdapter::~DebugAdapter() = default;

void DebugAdapter::handle(std::string_view message) {
    session_->handle(message);
}

void DebugAdapter::interrupt() {
    session_->interrupt();
}

bool DebugAdapter::hasEnded() const {
    return session_->hasEnded();
}

int serveDebugger(MessageStream& stream, std::unique_ptr<DebugHost> host) {
    DebugAdapter adapter([&](std::string message) { stream.send(message); }, std::move(host));
    while (!adapter.hasEnded()) {
        if (const std::optional<std::string> message = stream.next()) {
            adapter.handle(*message);
        } else if (!stream.receive(-1)) {
            return 1;
        }
    }
    return 0;
}

}  // namespace pelorus
