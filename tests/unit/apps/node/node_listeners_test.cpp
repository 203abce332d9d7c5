#include "apps/node/node_listeners.h"

#include <catch2/catch.hpp>

#include "apps/node/node_process.h"
#include "apps/node/node_services.h"
#include "apps/node/node_users.h"
#include "apps/node/served_folder.h"
#include "apps/process/node_settings.h"
#include "common/error.h"
#include "database/service/configuration.h"
#include "database/service/node_identity.h"
#include "net/connection.h"
#include "server/access/access_control.h"
#include "server/session/engine_host.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using Catch::Contains;

namespace {

NodeSettings developmentSettings(const TemporaryFolder& folder) {
    NodeSettings settings;
    settings.dataFolder = folder.path();
    settings.port = 0;
    settings.dev = true;
    settings.offersTls = false;
    return settings;
}

// The parts of a node that its listeners need.
struct NodeWithoutListeners {
    explicit NodeWithoutListeners(NodeSettings given)
        : settings(std::move(given)),
          own(settings),
          process(settings, own),
          folder(settings, *own.identity, process.services()),
          users(settings, folder.names(), *own.policy, process.services()),
          host(process.services()) {}

    NodeListeners::Node forListeners() { return {settings, own, users.access(), host, process.services()}; }

    const NodeSettings settings;
    const NodeServices own;
    NodeProcess process;
    ServedFolder folder;
    NodeUsers users;
    EngineHost host;
};

}  // namespace

TEST_CASE("listeners do not start before the node has all its services") {
    const TemporaryFolder folder;
    NodeWithoutListeners node(developmentSettings(folder));
    NodeListeners listeners(node.forListeners(), node.folder.takePort());
    CHECK_THROWS_WITH(listeners.start(), Contains("all services"));
}

TEST_CASE("one server takes the port of a node") {
    const TemporaryFolder folder;
    NodeWithoutListeners node(developmentSettings(folder));
    CHECK(node.folder.takePort()->port() == node.own.identity->port);
    CHECK_THROWS_WITH(node.folder.takePort(), Contains("one server takes the port"));
}

TEST_CASE("a node reports its settings and what became of them") {
    const TemporaryFolder folder;
    NodeSettings settings = developmentSettings(folder);
    settings.fileFolders = {"shared"};
    settings.maxResultGigabytes = 0.25;
    NodeWithoutListeners node(settings);
    const NodeListeners listeners(node.forListeners(), node.folder.takePort());
    const auto& values = node.process.services().find<Configuration>()->values;
    CHECK(values.at("maxConnections") == "512");
    CHECK(values.at("enableHTTPS") == "false");
    CHECK(values.at("fileFolders") == folder / "shared");
    CHECK(values.at("memLimitOfQueryResult") == "0.25");
    CHECK(values.count("adminPassword") == 0);
}

TEST_CASE("a certificate without its key, and TLS that is asked for and switched off, are refused") {
    const TemporaryFolder folder;
    NodeSettings settings = developmentSettings(folder);
    settings.requireTls = true;
    {
        NodeWithoutListeners node(settings);
        CHECK_THROWS_WITH(NodeListeners(node.forListeners(), node.folder.takePort()),
                          Contains("contradict each other"));
    }
    settings.offersTls = true;
    settings.tlsKey = "key.pem";
    NodeWithoutListeners node(settings);
    CHECK_THROWS_WITH(NodeListeners(node.forListeners(), node.folder.takePort()), Contains("are given together"));
}
