// These functions decrypt user names and passwords that clients encrypt with a public key of this process (RSA, PKCS#1
// v1.5 padding).
//
// Thread-safe. The key lives as long as the process; it is made at first use.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Returns the public key in PEM form, which getDynamicPublicKey returns to clients.
const std::string& loginPublicKey();

// Decrypts a base64 string; white space is ignored. Returns an empty string when it is not encrypted with our key:
// callers treat that like any wrong password.
std::string decryptLogin(std::string_view base64);

}  // namespace pelorus
