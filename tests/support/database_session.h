// A session with a database in a separate folder, for tests of built-ins that store rows.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "database/builtins/builtins_database.h"
#include "database/service/database_service.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/value/print.h"
#include "sql/sql_builtins.h"
#include "stdlib/register_builtins.h"
#include "tests/support/temporary_folder.h"

namespace pelorus::testing {

class DatabaseSession {
public:
    DatabaseSession() : context(services_, request_) {
        FunctionRegistry& registry = FunctionRegistry::instance();
        if (registry.find("add") == nullptr) registerStandardLibrary(registry);
        if (registry.find("eval") == nullptr) registerInterpreterBuiltins(registry);
        if (registry.find("executeQuery") == nullptr && registry.findForNode("executeQuery") == nullptr)
            registerSqlBuiltins(registry);
        if (registry.find("database") == nullptr) registerDatabaseBuiltins(registry);
        request_.print = [this](std::string_view string) { printed += std::string(string) + "\n"; };
        addSharedObjects(services_);
        services_.add<DatabaseService>(
            std::make_shared<LocalDatabaseService>(LocalDatabaseService::Options{.folder = folder / "data"}));
        session_ = std::make_unique<Session>(services_);
        context.session = session_.get();
    }
    // Returns the result of a script, as it is displayed.
    std::string run(std::string_view script) {
        Context own = context;
        return display(evaluate(script, *session_, own));
    }

    TemporaryFolder folder;
    std::string printed;

private:
    Services services_;
    Request request_{Principal::owner()};
    std::unique_ptr<Session> session_;

public:
    Context context;
};

}  // namespace pelorus::testing
