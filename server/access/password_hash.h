// Hashes of passwords, and the cryptography that logins need.
//
// Passwords are hashed by scrypt (RFC 7914): 16 MiB and 50 ms of a core each. Two hashes are computed concurrently in a
// process, some more wait, further ones are refused. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

constexpr size_t kSaltBytes = 16;

// Throws UserError when too many hashes wait. `isPrivileged`: of a third hash that may run at the same time, so that
// the administrator of this machine gets in while many others log in.
std::string hashPassword(std::string_view password, const std::string& salt, bool isPrivileged = false);
// Compares in a time that does not depend on where the bytes differ.
bool sameBytes(std::string_view a, std::string_view b);
std::string randomBytes(size_t count);
// Returns HMAC-SHA-256 of a text.
std::string hmac(std::string_view key, std::string_view string);

std::string toHex(std::string_view bytes);
// Throws SystemError for anything but pairs of lower-case digits.
std::string fromHex(std::string_view string);

// Returns a string of 16 random letters and digits to be used as password.
std::string randomPassword();

}  // namespace pelorus
