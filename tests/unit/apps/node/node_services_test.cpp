#include "apps/node/node_services.h"

#include <catch2/catch.hpp>

#include "apps/process/node_settings.h"
#include "common/error.h"
#include "common/io/file_sandbox.h"
#include "database/service/node_identity.h"
#include "runtime/function/context.h"
#include "server/access/client_policy.h"
#include "server/session/session_registry.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

NodeSettings settingsIn(const TemporaryFolder& folder) {
    NodeSettings settings;
    settings.dataFolder = folder.path();
    return settings;
}

}  // namespace

TEST_CASE("what a node is and lets clients do comes from its settings") {
    const TemporaryFolder folder;
    NodeSettings settings = settingsIn(folder);
    settings.alias = "desk";
    settings.maxConnections = 7;
    settings.guestsMayRun = true;
    settings.requireTls = true;
    settings.allowedOrigins = {"https://desk.example"};
    const NodeServices services(settings);
    CHECK(services.identity->alias == "desk");
    CHECK(services.identity->maxConnections == 7);
    CHECK(services.policy->guestsMayRun);
    CHECK_FALSE(services.policy->guestsOwnData);
    CHECK(services.policy->requireTls);
    CHECK(services.policy->allowedOrigins == std::vector<std::string>{"https://desk.example"});
    settings.dev = true;
    CHECK(NodeServices(settings).policy->guestsOwnData);
}

TEST_CASE("scripts find the services of the node that were added, and no others") {
    const TemporaryFolder folder;
    const NodeServices own(settingsIn(folder));
    Services services;
    CHECK(services.find<NodeIdentity>() == nullptr);
    own.addTo(services);
    CHECK(services.find<NodeIdentity>() == own.identity.get());
    CHECK(services.find<SessionRegistry>() == own.sessions.get());
    CHECK(services.find<FileSandbox>() == own.fileFolders.get());
    CHECK(services.find<ClientPolicy>() == own.policy.get());
}

TEST_CASE("a node whose folders of users would open its own files is not made") {
    const TemporaryFolder folder;
    NodeSettings settings = settingsIn(folder);
    settings.fileFolders = {folder.path()};
    CHECK_THROWS_AS(NodeServices(settings), UserError);
}
