// Sessions on a node: a connection each.
#include <fmt/format.h>

#include <atomic>

#include "apps/console/console.h"
#include "apps/console/remote_names.h"
#include "apps/library/library_session.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "net/client.h"
#include "net/tls_stream.h"

namespace pelorus {

namespace {

ClientOptions optionsOf(const NodeLogin& login) {
    const RemoteAddress address = parseAddress(login.address);
    ClientOptions options;
    options.host = address.host;
    options.port = address.port;
    options.user = login.user;
    options.password = login.password;
    options.connectTimeoutMillis = login.connectTimeoutMillis;
    if (login.usesTls) {
        options.tls =
            login.certificates.empty() ? TlsContext::forClientOfSystem() : TlsContext::forClient(login.certificates);
    }
    return options;
}

// A connection that broke is made anew by the next statement; the variables of before are gone then, which the error of
// the statement that broke says.
class NodeSession final : public LibrarySession {
public:
    explicit NodeSession(ClientOptions options) : options_(std::move(options)) { connect(); }

    Value run(std::string_view script, const Print& print) override {
        return work(print, [&] { return client_->run(script); });
    }

    Value call(std::string_view function, std::vector<Value> arguments, const Print& print) override {
        return work(print, [&] { return client_->call(function, arguments); });
    }

    void put(const std::string& name, const Value& value) override {
        work({}, [&] {
            client_->upload({name}, {&value, 1});
            return Value();
        });
    }

    Value get(const std::string& name) override {
        return work({}, [&] { return client_->run(name); });
    }

    void define(const std::string& name, Ref<Function>) override {
        throw UserError("The function " + name + " stays in this process: a node cannot call it.",
                        "Open a database in this process, or write the function as a script.");
    }

    bool hasVariable(std::string_view name) const override {
        const NameKind kind = names_.kindOf(name);
        return kind != NameKind::Unknown && kind != NameKind::Function;
    }
    bool hasFunction(std::string_view name) const override { return names_.kindOf(name) == NameKind::Function; }
    const SessionNames& names() override { return names_; }
    void cancel() override { isCancelled_ = true; }
    Progress::Snapshot progress() const override { return {}; }

private:
    void connect() {
        client_ = std::make_unique<Client>(options_);
        client_->setIdleCheck([this] { obeyCancel(); });
        names_.forget();
    }

    template <class Statement>
    Value work(const Print& print, const Statement& statement) {
        if (!client_->usable()) connect();
        isObeyed_ = isCancelled_ = false;
        client_->onPrint(print);
        names_.forget();
        try {
            return statement();
        } catch (const SystemError& error) {
            throw SystemError(error.what(),
                              "The next statement connects again; whether this one was done is not known, and the "
                              "variables of the session are gone.");
        }
    }

    // Runs about ten times a second while an answer is awaited: the node cancels what this session runs, and the
    // session stays.
    void obeyCancel() {
        if (!isCancelled_ || isObeyed_) return;
        isObeyed_ = true;
        Client second(options_);
        const Value jobs =
            second.run(fmt::format("exec rootJobId from getConsoleJobs() where sessionId = {}", client_->sessionId()));
        if (jobs.size() > 0) second.call("cancelConsoleJob", {&jobs, 1});
    }

    const ClientOptions options_;
    std::unique_ptr<Client> client_;
    std::atomic<bool> isCancelled_{false};
    bool isObeyed_ = false;
    RemoteNames names_{[this](const std::string& script) { return client_->run(script); }};
};

class NodeDatabase final : public LibraryDatabase {
public:
    explicit NodeDatabase(ClientOptions options) : options_(std::move(options)) {}
    std::unique_ptr<LibrarySession> startSession() override { return std::make_unique<NodeSession>(options_); }

private:
    const ClientOptions options_;
};

}  // namespace

std::shared_ptr<LibraryDatabase> nodeLibraryDatabase(const NodeLogin& login) {
    registerAllFunctions();
    return std::make_shared<NodeDatabase>(optionsOf(login));
}

}  // namespace pelorus
