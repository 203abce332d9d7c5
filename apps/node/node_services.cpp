#include "apps/node/node_services.h"

#include <algorithm>

#include "apps/process/file_folders.h"
#include "apps/process/node_settings.h"
#include "common/io/file_sandbox.h"
#include "database/service/node_identity.h"
#include "net/connection.h"
#include "runtime/function/context.h"
#include "server/access/client_policy.h"
#include "server/postgres/session_activity.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

// The share of one user in the connections of a small server.
constexpr int kMinSessionsOfUser = 16;

std::shared_ptr<NodeIdentity> identityOf(const NodeSettings& settings) {
    auto identity = std::make_shared<NodeIdentity>();
    identity->alias = settings.alias;
    identity->maxConnections = settings.maxConnections;
    return identity;
}

std::shared_ptr<SessionRegistry> sessionsOf(const NodeSettings& settings) {
    auto sessions = std::make_shared<SessionRegistry>();
    sessions->limitSessionsOfUser(std::max(kMinSessionsOfUser, settings.maxConnections / 4));
    return sessions;
}

std::shared_ptr<ClientPolicy> policyOf(const NodeSettings& settings) {
    auto policy = std::make_shared<ClientPolicy>();
    policy->guestsMayRun = settings.guestsMayRun;
    policy->guestsOwnData = settings.dev;
    policy->allowedHosts = settings.allowedHosts;
    policy->allowedOrigins = settings.allowedOrigins;
    policy->keepsScram = settings.keepsScram;
    policy->requireTls = settings.requireTls;
    policy->enhancedSecurity = settings.enhancedSecurity;
    return policy;
}

}  // namespace

NodeServices::NodeServices(const NodeSettings& settings)
    : identity(identityOf(settings)),
      sessions(sessionsOf(settings)),
      fileFolders(openFileFolders(settings)),
      policy(policyOf(settings)) {
    if (settings.maxRequestBytes > 0) setMaxRequestBytes(settings.maxRequestBytes);
}

void NodeServices::addTo(Services& services) const {
    services.add(identity);
    services.add(sessions);
    services.add<postgres::ActivitySource>(std::make_shared<postgres::SessionActivity>(sessions));
    services.add(policy);
    services.add(fileFolders);
}

}  // namespace pelorus
