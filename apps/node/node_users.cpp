#include "apps/node/node_users.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "apps/node/lent_service.h"
#include "apps/process/node_settings.h"
#include "server/access/access_control.h"
#include "server/access/password_hash.h"
#include "storage/version/metadata_embedded.h"

namespace pelorus {

static constexpr std::string_view kDevelopmentPassword = "123456";

NodeUsers::NodeUsers(const NodeSettings& settings, MetaStore& names, const ClientPolicy& policy, Services& services)
    : forgotten_(memoryMetaStore()),
      access_(std::make_unique<AccessControl>(settings.dev ? *forgotten_ : names, names, policy)) {
    if (!settings.dev) access_->takeOver(settings.dataFolder + "/users.json");
    lend<AccessControl>(services, *access_);
    lend<PrincipalSource>(services, *access_);
    lend<RightsKeeper>(services, *access_);
}

NodeUsers::~NodeUsers() = default;

static void ensureAdministrator(AccessControl& users, const NodeSettings& settings) {
    const std::string admin(kAdministrator);
    if (settings.dev) return users.setPassword(admin, kDevelopmentPassword);
    if (users.hasUser(admin)) return;
    const char* const ofEnvironment = std::getenv("PELORUS_ADMIN_PASSWORD");
    const std::string given = settings.adminPassword.empty() && ofEnvironment ? ofEnvironment : settings.adminPassword;
    if (!given.empty()) {
        users.makeAdministrator(given);
        return;
    }
    const std::string password = randomPassword();
    if (!users.makeAdministrator(password)) return;
    std::printf("The user admin has the password %s — it is shown only now; changePwd changes it.\n", password.c_str());
}

NodeAdministrator::NodeAdministrator(const NodeSettings& settings, NodeUsers& users, const NodeAudit&) {
    users.access().setClusterKey(settings.clusterKey);
    ensureAdministrator(users.access(), settings);
}

}  // namespace pelorus
