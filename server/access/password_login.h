// Checks logins by name and password. All protocols of the server call it, so that throttling and auditing hold
// everywhere.
#pragma once

#include <functional>
#include <string_view>

namespace pelorus {

class LoginThrottle;
class AccessControl;

// One attempt to log in. The strings must live until the call returns.
struct PasswordLogin {
    std::string_view user;
    std::string_view password;
    std::string_view address = {};  // address of the client
    bool isEncrypted = false;       // the client sent both encrypted
};

// Throws UserError when the password is wrong, or the user must wait or is locked; logs and audits both outcomes.
// `throttle` may be null: wrong logins then have no consequences. Takes 50 ms when the password is new to this process,
// see AccessControl::verify.
void requirePassword(AccessControl& users, LoginThrottle* throttle, const PasswordLogin& login);

// The same for a login that proves the password in another way: `isProven` says whether it does.
void requireProof(LoginThrottle* throttle, const PasswordLogin& login, const std::function<bool()>& isProven);

// Throws UserError, if `isStrict` (enhancedSecurityVerification), unless a new password has 8 to 20 characters, among
// them a capital, a digit and one that is neither letter nor digit.
void requireGoodPassword(std::string_view password, bool isStrict);

}  // namespace pelorus
