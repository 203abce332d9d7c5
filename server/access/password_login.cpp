#include "server/access/password_login.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/log.h"
#include "server/access/access_control.h"
#include "server/access/login_throttle.h"

namespace pelorus {

void requirePassword(AccessControl& users, LoginThrottle* throttle, const PasswordLogin& login) {
    requireProof(throttle, login, [&] {
        return users.verify(std::string(login.user), login.password,
                            LoginThrottle::isPrivileged(login.user, login.address));
    });
}

void requireProof(LoginThrottle* throttle, const PasswordLogin& login, const std::function<bool()>& isProven) {
    const std::string detail =
        "login userId=" + std::string(login.user) + " encrypted=" + (login.isEncrypted ? "true" : "false");
    const auto refuse = [&](const char* why) {
        logWarning("access", "login failed", {{"user", login.user}, {"from", login.address}, {"why", why}});
        audit({.operation = "loginFailed", .detail = detail});
    };
    try {
        if (throttle) throttle->require(login.user, login.address);
    } catch (const UserError&) {
        refuse("too many failures");
        throw;
    }
    if (!isProven()) {
        if (throttle) throttle->failed(login.user, login.address);
        refuse("wrong password");
        throw UserError("The user name or password is incorrect.");
    }
    if (throttle) throttle->succeeded(login.user, login.address);
    logInfo("access", "login", {{"user", login.user}, {"from", login.address}});
    audit({.operation = "login", .detail = detail});
}

void requireGoodPassword(std::string_view password, bool isStrict) {
    if (!isStrict) return;
    const auto has = [&](auto is) { return std::any_of(password.begin(), password.end(), is); };
    const auto isCapital = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto isSpecial = [&](char c) { return !isCapital(c) && !isDigit(c) && !(c >= 'a' && c <= 'z'); };
    if (password.size() < 8 || password.size() > 20 || !has(isCapital) || !has(isDigit) || !has(isSpecial)) {
        throw UserError(
            "The password is too simple.",
            "It must have 8 to 20 characters, among them a capital letter, a digit and a special character.");
    }
}

}  // namespace pelorus
