#include "server/access/scram_verifier.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <charconv>

#include "common/error.h"
#include "common/io/base64.h"
#include "server/access/password_hash.h"

namespace pelorus {
namespace {

constexpr size_t kKeyBytes = SHA256_DIGEST_LENGTH;
constexpr std::string_view kName = "SCRAM-SHA-256$";
constexpr int kMaxRounds = 10'000'000;

std::string sha256(std::string_view bytes) {
    std::string hash(kKeyBytes, '\0');
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
           reinterpret_cast<unsigned char*>(hash.data()));
    return hash;
}

std::string combined(std::string_view a, std::string_view b) {
    std::string result(a);
    for (size_t i = 0; i < result.size() && i < b.size(); ++i) result[i] = static_cast<char>(result[i] ^ b[i]);
    return result;
}

}  // namespace

ScramVerifier ScramVerifier::of(std::string_view password, std::string salt, int rounds) {
    std::string salted(kKeyBytes, '\0');
    const int done =
        PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()),
                          reinterpret_cast<const unsigned char*>(salt.data()), static_cast<int>(salt.size()), rounds,
                          EVP_sha256(), static_cast<int>(kKeyBytes), reinterpret_cast<unsigned char*>(salted.data()));
    if (done != 1) throw SystemError("The password could not be hashed.");
    return {rounds, std::move(salt), sha256(hmac(salted, "Client Key")), hmac(salted, "Server Key")};
}

ScramVerifier ScramVerifier::ofNobody(std::string_view user, std::string_view key) {
    const auto derived = [&](std::string_view purpose) { return hmac(key, std::string(purpose) + std::string(user)); };
    return {kRounds, derived("salt ").substr(0, kSaltBytes), derived("stored "), derived("server ")};
}

std::string ScramVerifier::encode() const {
    return std::string(kName) + std::to_string(rounds) + ':' + toBase64(salt) + '$' + toBase64(storedKey) + ':' +
           toBase64(serverKey);
}

std::optional<ScramVerifier> ScramVerifier::parse(std::string_view encoded) {
    if (!encoded.starts_with(kName)) return std::nullopt;
    encoded.remove_prefix(kName.size());
    ScramVerifier verifier;
    const auto [end, error] = std::from_chars(encoded.data(), encoded.data() + encoded.size(), verifier.rounds);
    if (error != std::errc() || verifier.rounds < 1 || verifier.rounds > kMaxRounds) return std::nullopt;
    encoded.remove_prefix(static_cast<size_t>(end - encoded.data()));
    const size_t dollar = encoded.find('$');
    if (!encoded.starts_with(':') || dollar == std::string_view::npos) return std::nullopt;
    const size_t colon = encoded.find(':', dollar);
    if (colon == std::string_view::npos) return std::nullopt;
    const bool isWhole = fromBase64(encoded.substr(1, dollar - 1), verifier.salt) &&
                         fromBase64(encoded.substr(dollar + 1, colon - dollar - 1), verifier.storedKey) &&
                         fromBase64(encoded.substr(colon + 1), verifier.serverKey);
    if (!isWhole || verifier.storedKey.size() != kKeyBytes || verifier.serverKey.size() != kKeyBytes)
        return std::nullopt;
    return verifier;
}

bool ScramVerifier::isProof(std::string_view proof, std::string_view authMessage) const {
    if (proof.size() != kKeyBytes) return false;
    const std::string clientKey = combined(proof, hmac(storedKey, authMessage));
    return sameBytes(sha256(clientKey), storedKey);
}

std::string ScramVerifier::signature(std::string_view authMessage) const {
    return hmac(serverKey, authMessage);
}

}  // namespace pelorus
