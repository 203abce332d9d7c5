// Sessions on a database of the process.
#include "apps/console/embedded_names.h"
#include "apps/library/brief_statement.h"
#include "apps/library/library_session.h"
#include "apps/process/node_settings.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "common/time/trading_calendar.h"
#include "database/service/database_service.h"
#include "interpreter/engine/engine.h"
#include "interpreter/engine/query_cache.h"
#include "runtime/function/principal.h"
#include "runtime/memory/allocator.h"

namespace pelorus {

namespace {

class EmbeddedSession final : public LibrarySession {
public:
    explicit EmbeddedSession(std::shared_ptr<const Process> process)
        : process_(std::move(process)), session_(process_->services()) {
        request_.progress = &progress_;
    }

    Value run(std::string_view script, const Print& print) override {
        return work(print, [&](Context& context) { return evaluate(script, session_, context, {}, &queries_); });
    }

    bool isBrief(std::string_view script) override {
        return isBriefInsert(queries_.find(script, rolesIn(session_)), session_);
    }

    Value call(std::string_view function, std::vector<Value> arguments, const Print& print) override {
        return work(print, [&](Context& context) {
            return callByExpression(function, std::move(arguments), session_, context);
        });
    }

    void put(const std::string& name, const Value& value) override { session_.setVariable(name, value); }

    Value get(const std::string& name) override {
        Value value;
        if (!session_.lookup(name, value, *Principal::owner()))
            throw UserError("The session has no variable " + name + ".");
        return value;
    }

    void define(const std::string& name, Ref<Function> function) override {
        session_.setFunction(name, std::move(function));
    }

    bool hasVariable(std::string_view name) const override {
        if (session_.findVariable(name) >= 0) return true;
        Value found;
        return session_.lookup(name, found) && !found.isFunction();
    }
    bool hasFunction(std::string_view name) const override { return session_.findFunction(name) != nullptr; }

    const SessionNames& names() override { return names_; }
    void cancel() override { request_.cancelled = true; }
    Progress::Snapshot progress() const override { return progress_.snapshot(); }

private:
    template <class Statement>
    Value work(const Print& print, const Statement& statement) {
        progress_.clear();
        request_.cancelled = false;  // of a statement before
        request_.print = print;
        Context context(process_->services(), request_);
        context.session = &session_;
        context.scope = &session_;
        return statement(context);
    }

    const std::shared_ptr<const Process> process_;
    Progress progress_;
    Request request_{Principal::owner()};
    Session session_;
    QueryCache queries_;
    const EmbeddedNames names_{session_, process_->services()};
};

class EmbeddedDatabase final : public LibraryDatabase {
public:
    explicit EmbeddedDatabase(ProcessOptions options) : process_(std::make_shared<Process>(std::move(options))) {}
    std::unique_ptr<LibrarySession> startSession() override { return std::make_unique<EmbeddedSession>(process_); }
    const Services& services() const { return process_->services(); }

private:
    const std::shared_ptr<const Process> process_;
};

}  // namespace

std::shared_ptr<LibraryDatabase> openLibraryDatabase(const std::string& folder, const std::string& settingsFile) {
    registerAllFunctions();
    NodeSettings settings;
    if (!settingsFile.empty()) settings = readNodeSettings(settingsFile);
    settings.dataFolder = folder;
    if (!settingsFile.empty() && !folder.empty()) setTradingCalendarFolder(folder + "/" + settings.calendarFolder);
    auto database = std::make_shared<EmbeddedDatabase>(processOptionsOf(settings));
    // The folder's owner is found now, not by the first statement that needs it.
    if (!folder.empty()) (void)database->services().find<DatabaseService>()->ownStorage();
    return database;
}

}  // namespace pelorus
