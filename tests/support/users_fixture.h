// UsersFixture has several users of one process, each with a session, and rights that a test grants and revokes.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "database/builtins/builtins_database.h"
#include "database/service/database_service.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/engine/engine.h"
#include "interpreter/session/function_views.h"
#include "interpreter/session/session.h"
#include "runtime/function/principal_source.h"
#include "runtime/registry/registry.h"
#include "runtime/value/print.h"
#include "sql/sql_builtins.h"
#include "stdlib/register_builtins.h"
#include "tests/support/temporary_folder.h"

namespace pelorus {

class UsersFixture {
public:
    UsersFixture() {
        FunctionRegistry& registry = FunctionRegistry::instance();
        if (registry.find("add") == nullptr) registerStandardLibrary(registry);
        if (registry.find("eval") == nullptr) registerInterpreterBuiltins(registry);
        if (registry.findForNode("executeQuery") == nullptr) registerSqlBuiltins(registry);
        if (registry.find("database") == nullptr) registerDatabaseBuiltins(registry);
        restart();
    }
    ~UsersFixture() { stop(); }

    void restart() {
        stop();
        services_ = Services();
        addSharedObjects(services_);
        services_.add<DatabaseService>(
            std::make_shared<LocalDatabaseService>(LocalDatabaseService::Options{.folder = folder_ / "data"}));
        services_.add(std::make_shared<FunctionViews>(
            [this](bool create) { return services_.find<DatabaseService>()->metaStore(create); }));
        services_.add<PrincipalSource>(std::make_shared<Users>(*this));
    }

    // Runs a script as a request of the user, in the user's session; returns what it shows.
    std::string run(const std::string& user, std::string_view script) {
        Request request(principal(user));
        Context context(services_, request);
        return display(evaluate(script, session(user), context));
    }
    std::string call(const std::string& user, std::string_view function, std::vector<Value> arguments = {}) {
        Request request(principal(user));
        Context context(services_, request);
        return display(callByExpression(function, std::move(arguments), session(user), context));
    }

    const Services& services() const { return services_; }

    // `name` of a view or shared table; empty for all.
    void grant(const std::string& user, Right right, const std::string& name) { rights_[user].emplace(right, name); }
    void revoke(const std::string& user, Right right, const std::string& name) { rights_[user].erase({right, name}); }
    void remove(const std::string& user) { removed_.insert(user); }

private:
    using Rights = std::set<std::pair<Right, std::string>>;

    class Granted final : public GrantedRights {
    public:
        explicit Granted(Rights rights) : rights_(std::move(rights)) {}
        bool allows(Right right, const SecuredObject& object) const override {
            return rights_.contains({right, ""}) || rights_.contains({right, std::string(object.name)});
        }
        bool denies(Right) const override { return false; }

    private:
        const Rights rights_;
    };
    class Users final : public PrincipalSource {
    public:
        explicit Users(const UsersFixture& fixture) : fixture_(fixture) {}
        std::shared_ptr<const Principal> principalOf(const std::string& user, bool) const override {
            return fixture_.principal(user);
        }

    private:
        const UsersFixture& fixture_;
    };

    std::shared_ptr<const Principal> principal(const std::string& user) const {
        if (user == "admin") return Principal::owner();
        if (removed_.contains(user)) throw UserError("There is no user " + user + ".");
        const auto rights = rights_.find(user);
        return std::make_shared<const Principal>(
            user, Principal::Powers{.callsPublic = true},
            std::make_shared<Granted>(rights == rights_.end() ? Rights() : rights->second));
    }
    Session& session(const std::string& user) {
        std::unique_ptr<Session>& session = sessions_[user];
        if (!session) session = std::make_unique<Session>(services_);
        return *session;
    }
    void stop() {
        sessions_.clear();
        if (auto* views = services_.find<FunctionViews>()) views->close();
    }

    TemporaryFolder folder_;
    Services services_;
    std::map<std::string, Rights> rights_;
    std::set<std::string> removed_;
    std::map<std::string, std::unique_ptr<Session>> sessions_;
};

}  // namespace pelorus
