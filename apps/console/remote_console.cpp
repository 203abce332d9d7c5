// The console on a node.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>

#include "apps/console/append_statement.h"
#include "apps/console/console.h"
#include "apps/console/known_nodes.h"
#include "apps/console/remote_names.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "common/thread/mutex.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/engine/engine.h"
#include "interpreter/parser/parser.h"
#include "net/client.h"
#include "net/console_message.h"
#include "net/tls_stream.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"

namespace pelorus {

namespace {

// A table on the disk of a node, of which the console knows name and columns.
class RemoteTable final : public Table {
public:
    explicit RemoteTable(const MemoryTable& empty) : schema_(empty.columns()) { name = empty.name; }
    const TableSchema& columns() const override { return schema_; }
    int64_t rowCount() const override { return 0; }

private:
    const TableSchema schema_;
};

// A statement runs on the node while this thread waits for its answer. Ctrl-C cancels it there by a second connection,
// so that the session and its variables stay; a second Ctrl-C, or a node that does not cancel, ends the session.
class RemoteConsole final : public Console {
public:
    RemoteConsole(const RemoteAddress& address, ConsoleEvents events)
        : address_(address),
          events_(std::move(events)),
          names_([this](const std::string& script) { return ask(script); }) {
        connect();
    }

    // Runs statement by statement: the protocol answers a script with its last value only.
    void run(std::string_view script, const std::function<void(const Value&)>& show) override {
        interrupts_ = handled_ = 0;
        changed_ = {};
        names_.forget();
        if (!client_->usable()) reconnect();
        checkText(script);
        for (const ScriptPart& part : splitStatements(script)) {
            std::string text(static_cast<size_t>(part.firstLine - 1), '\n');
            try {
                Value value = client_->run(text + part.text);
                setProgress({});
                NodeList nodes = parseScript(part.text);
                bool isExpression = !nodes.empty() && nodes.back()->kind == NodeKind::ExpressionStatement;
                value = named(value);
                const bool isStored = value.isTable() && !asMemoryTable(value);
                if (isStored && isAppendStatement(nodes)) continue;  // rows on the node's disk: nothing to see
                if (isExpression || !value.isVoid()) show(value);
            } catch (const SystemError& error) {
                setProgress({});
                if (interrupts_ > 0) {
                    connect();
                    throw UserError("The session was given up, and the statement with it.",
                                    "The console has connected again; the variables of the old session are gone.");
                }
                throw SystemError(error.what(),
                                  "The console connects again with the next statement; what this one did before is not "
                                  "known, and the variables of the session are gone.");
            } catch (const UserError& e) {
                setProgress({});
                throw ScriptError(e.what(), e.what(), e.hint(), {part.firstLine, 1}, false);
            }
        }
    }

    Value call(std::string_view function, std::vector<Value> arguments) override {
        if (!second_ || !second_->usable()) second_ = std::make_unique<Client>(clientOptions());
        return second_->call(function, arguments);
    }

    Progress::Snapshot progress() const override {
        const MutexLock lock(mutex_);
        return progress_;
    }
    Progress::ChangedRows changedRows() const override { return changed_; }
    void setVariable(const std::string& name, const Value& value) override {
        client_->upload({name}, {&value, 1});
        variables_.push_back(name);
    }
    void interrupt() override { ++interrupts_; }

    const SessionNames& names() const override { return names_; }
    std::unique_ptr<DebugHost> debugHost() override {
        throw UserError("Scripts are not debugged by this connection to a node.",
                        "An editor debugs them by WebSocket, on the same port.");
    }

private:
    // Refuses a script that does not parse, or names what neither this program nor the node knows, before any of it
    // runs.
    void checkText(std::string_view script) {
        NodeList nodes = parseScript(script);
        for (const NodeRef& node : nodes) {
            if (node->kind == NodeKind::Go) return;  // later parts may use names that earlier parts define
        }
        Session scratch(noServices_);
        for (const std::string& name : variables_) scratch.makeVariable(name);
        try {
            compileScript(nodes, scratch);
        } catch (const SyntaxError& e) {
            std::string name = unknownName(e.what());
            if (name.empty() || !nodeKnows(name)) throw;
        }
    }

    // The name in "Cannot recognize the token x" or "The function or procedure 'x' is not defined."
    static std::string unknownName(std::string_view message) {
        for (std::string_view before : {"recognize the token ", "procedure '"}) {
            size_t at = message.find(before);
            if (at == std::string_view::npos) continue;
            at += before.size();
            size_t end = message.find_first_of("' ", at);
            return std::string(message.substr(at, end == std::string_view::npos ? end : end - at));
        }
        return {};
    }

    bool nodeKnows(const std::string& name) {
        try {
            Value asVariable[] = {Value::ofString(name)};
            constexpr int32_t kFunctions = 2;  // DEF
            Value asFunction[] = {Value::ofString(name), Value::ofInt(kFunctions)};
            return isTrue(client_->call("defined", asVariable)) || isTrue(client_->call("defined", asFunction));
        } catch (const UserError&) {
            return true;  // the node will say itself what is wrong
        }
    }

    ClientOptions clientOptions() {
        ClientOptions options;
        options.host = address_.host;
        options.port = address_.port;
        options.user = address_.user;
        options.password = address_.password;
        if (address_.tls) {
            options.tls = TlsContext::forClient(address_.tlsCertificate);
            if (address_.tlsCertificate.empty())
                options.checkPeer = [this](const std::string& fingerprint) {
                    requireKnownNode(address_.host, address_.port, fingerprint);
                };
        }
        return options;
    }

    void connect() {
        ClientOptions options = clientOptions();
        options.isConsole = true;
        options.idleCheck = [this] { obeyInterrupt(); };
        client_ = std::make_unique<Client>(options);
        client_->onPrint([this](std::string_view text) { take(parseConsoleMessage(text)); });
    }

    // Runs a script for completion. A request that is not answered soon is cancelled on the node, and its names stay
    // unknown.
    Value ask(const std::string& script) {
        if (!client_->usable()) return Value();
        interrupts_ = handled_ = 0;
        const auto isLate = std::chrono::steady_clock::now() + kTimeout;
        client_->setIdleCheck([this, isLate] {
            if (std::chrono::steady_clock::now() > isLate) interrupts_ = 1;
            obeyInterrupt();
        });
        const auto restore = [this] { client_->setIdleCheck([this] { obeyInterrupt(); }); };
        try {
            Value answer = client_->run(script);
            restore();
            return answer;
        } catch (...) {
            restore();
            throw;
        }
    }

    void reconnect() {
        connect();
        events_.notice("The connection to " + client_->peerName() +
                       " was lost; it is a new one now, without the variables of before.");
    }

    // Runs ten times a second while an answer is awaited.
    void obeyInterrupt() {
        if (interrupts_ == handled_) return;
        const bool isFirst = handled_ == 0;
        handled_ = interrupts_;
        // Closing the connection cancels the request at the node, too.
        if (!isFirst) throw SystemError("interrupted");
        try {
            Client second(clientOptions());
            const Value jobs = second.run(
                fmt::format("exec rootJobId from getConsoleJobs() where sessionId = {}", client_->sessionId()));
            if (jobs.size() > 0) second.call("cancelConsoleJob", {&jobs, 1});
        } catch (const Error&) {
            throw SystemError("interrupted");
        }
    }

    void take(const ConsoleMessage& message) {
        switch (message.kind) {
            case ConsoleMessage::Kind::Print:
                return events_.print(message.string);
            case ConsoleMessage::Kind::Notice:
                return events_.notice(message.string);
            case ConsoleMessage::Kind::Changed:
                changed_ = message.changed;
                return;
            case ConsoleMessage::Kind::Progress: {
                constexpr size_t kKinds = 100;  // kinds of work that a node may name
                const bool isNamed =
                    !message.string.empty() && (works_.size() < kKinds || works_.contains(message.string));
                const char* work = isNamed ? works_.insert(message.string).first->c_str() : nullptr;
                return setProgress({work, message.unit, message.done, message.total});
            }
        }
    }

    void setProgress(const Progress::Snapshot& progress) {
        const MutexLock lock(mutex_);
        progress_ = progress;
    }

    // A table on disk comes without rows, under its whole name: see namedForConsole.
    static Value named(const Value& value) {
        const MemoryTable* table = asMemoryTable(value);
        if (!table || table->rowCount() > 0 || table->name.find('/') == std::string::npos) return value;
        return Value::of(Ref<Table>(makeRef<RemoteTable>(*table)));
    }

    static constexpr std::chrono::milliseconds kTimeout{500};

    RemoteAddress address_;
    ConsoleEvents events_;
    std::unique_ptr<Client> client_;
    std::unique_ptr<Client> second_;  // connection of `call`
    std::atomic<int> interrupts_{0};  // Ctrl-C since the statement began
    int handled_ = 0;                 // number of interrupts that were handled
    Progress::ChangedRows changed_;
    mutable Mutex mutex_;
    Progress::Snapshot progress_ GUARDED_BY(mutex_);
    std::set<std::string> works_;  // names that progress_ points to
    const Services noServices_;
    std::vector<std::string> variables_;  // variables that this console has set on the node
    RemoteNames names_;
};

}  // namespace

RemoteAddress parseAddress(const std::string& text) {
    RemoteAddress address;
    size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size() ||
        text.find_first_not_of("0123456789", colon + 1) != std::string::npos || text.size() - colon > 6 ||
        std::stoi(text.substr(colon + 1)) > 65535) {
        throw UserError(fmt::format("{} is not an address.", text), "Write HOST:PORT, as in 127.0.0.1:8848.");
    }
    address.host = text.substr(0, colon);
    address.port = std::stoi(text.substr(colon + 1));
    if (const char* user = std::getenv("PELORUS_USER")) address.user = user;
    if (const char* password = std::getenv("PELORUS_PASSWORD")) address.password = password;
    return address;
}

std::unique_ptr<Console> remoteConsole(const RemoteAddress& address, ConsoleEvents events) {
    registerAllFunctions();
    return std::make_unique<RemoteConsole>(address, std::move(events));
}

}  // namespace pelorus
