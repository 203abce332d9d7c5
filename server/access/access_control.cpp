#include "server/access/access_control.h"

#include "common/error.h"
#include "runtime/function/principal.h"
#include "server/access/authentication.h"
#include "server/access/client_policy.h"

namespace pelorus {

std::shared_ptr<const Principal> AccessControl::principalOf(const std::string& user, bool isNode) const {
    Principal::Powers powers;
    if (user == kAdministrator || (isNode && user == "system")) {
        powers = Principal::owner()->powers();
    } else if (user == "guest") {
        powers.callsPublic = policy_.guestsMayRun;
        powers.opensFiles = powers.ownsAllData = policy_.guestsOwnData;
    } else if (users_.hasUser(user)) {
        powers.callsPublic = powers.opensFiles = true;
    } else {
        throw UserError("The user " + user + " no longer exists.", "Log in as another user.");
    }
    powers.isNode = isNode;
    return std::make_shared<const Principal>(user, powers);
}

}  // namespace pelorus
