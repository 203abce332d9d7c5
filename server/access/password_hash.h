// Hashes passwords, and provides the cryptography that logins need.
//
// Passwords are hashed by scrypt (RFC 7914), which takes 16 MiB and 50 ms of a core each. Two hashes are computed
// concurrently in a process, some more wait, further ones are refused. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

constexpr size_t kSaltBytes = 16;

// Returns the scrypt hash of a password, as bytes. Waits while others are computed; throws UserError when too many
// wait. `isPrivileged` hashes use a third place, so that the administrator of this machine can log in while many others
// do.
std::string hashPassword(std::string_view password, const std::string& salt, bool isPrivileged = false);
// Returns whether the bytes are equal, in a time that does not depend on where they differ.
bool sameBytes(std::string_view a, std::string_view b);
// Returns bytes of the cryptographic random generator.
std::string randomBytes(size_t count);
// Returns the HMAC-SHA-256 of a string, as 32 bytes.
std::string hmac(std::string_view key, std::string_view string);

// Returns the bytes as lower-case hexadecimal digits.
std::string toHex(std::string_view bytes);
// Parses what toHex returns. Throws SystemError for anything but pairs of lower-case digits.
std::string fromHex(std::string_view string);

// Returns a password of 16 random letters and digits.
std::string randomPassword();

}  // namespace pelorus
