#include "server/line_protocol/line_keys.h"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "common/error.h"
#include "common/io/base64.h"

namespace pelorus {
namespace {

constexpr size_t kCoordinateBytes = 32;
constexpr size_t kChallengeBytes = 512;
constexpr std::string_view kKind = "ec-p-256-sha256";

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using KeyContextPtr = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestPtr = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using SignaturePtr = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

const unsigned char* bytesOf(std::string_view string) {
    return reinterpret_cast<const unsigned char*>(string.data());
}

// Reads a coordinate; leading zeros may be missing.
bool readCoordinate(std::string string, std::string& point) {
    std::replace(string.begin(), string.end(), '-', '+');
    std::replace(string.begin(), string.end(), '_', '/');
    while (string.size() % 4 != 0) string += '=';
    std::string bytes;
    if (!fromBase64(string, bytes)) return false;
    while (bytes.size() > kCoordinateBytes && bytes[0] == '\0') bytes.erase(0, 1);
    if (bytes.empty() || bytes.size() > kCoordinateBytes) return false;
    point += std::string(kCoordinateBytes - bytes.size(), '\0') + bytes;
    return true;
}

// Returns null when the point is not on the curve.
KeyPtr makeKey(const std::string& point) {
    std::string group = "P-256", bytes = point;
    const std::array<OSSL_PARAM, 3> parameters = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group.data(), 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, bytes.data(), bytes.size()),
        OSSL_PARAM_construct_end()};
    const KeyContextPtr context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
    EVP_PKEY* made = nullptr;
    if (!context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, const_cast<OSSL_PARAM*>(parameters.data())) != 1)
        return nullptr;
    KeyPtr key(made);
    const KeyContextPtr check(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
    return check && EVP_PKEY_public_check(check.get()) == 1 ? std::move(key) : nullptr;
}

// Returns the ASN.1 form of two numbers of 32 bytes.
std::string asn1Of(std::string_view signature) {
    const SignaturePtr numbers(ECDSA_SIG_new());
    BIGNUM* r = BN_bin2bn(bytesOf(signature), kCoordinateBytes, nullptr);
    BIGNUM* s = BN_bin2bn(bytesOf(signature.substr(kCoordinateBytes)), kCoordinateBytes, nullptr);
    if (!numbers || !r || !s || ECDSA_SIG_set0(numbers.get(), r, s) != 1) {
        BN_free(r);
        BN_free(s);
        return "";
    }
    unsigned char* bytes = nullptr;
    const int size = i2d_ECDSA_SIG(numbers.get(), &bytes);
    std::string form;
    if (size > 0) form.assign(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
    OPENSSL_free(bytes);
    return form;
}

}  // namespace

LineKeys::LineKeys(std::string_view string, const std::string& file) {
    std::istringstream lines{std::string(string)};
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::istringstream words(line);
        std::string user, kind, x, y, more, point = "\x04";
        if (!(words >> user) || user[0] == '#') continue;
        words >> kind >> x >> y;
        if (kind != kKind || !readCoordinate(x, point) || !readCoordinate(y, point) || words >> more || !makeKey(point))
            throw UserError(fmt::format("Line {} of {} is no key.", number, file),
                            "A line is USER ec-p-256-sha256 X Y, the coordinates in URL-safe Base64.");
        if (!keys_.emplace(user, Key{std::move(point)}).second)
            throw UserError(fmt::format("Line {} of {} has a second key of {}.", number, file, user));
    }
    if (keys_.empty()) throw UserError(fmt::format("{} has no keys.", file), "A line is USER ec-p-256-sha256 X Y.");
}

bool LineKeys::verify(const std::string& user, std::string_view challenge, std::string_view signature) const {
    const auto known = keys_.find(user);
    if (known == keys_.end()) return false;
    const std::string form = signature.size() == 2 * kCoordinateBytes ? asn1Of(signature) : std::string(signature);
    const KeyPtr key = makeKey(known->second.point);
    const DigestPtr digest(EVP_MD_CTX_new());
    return key && digest && EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
           EVP_DigestVerify(digest.get(), bytesOf(form), form.size(), bytesOf(challenge), challenge.size()) == 1;
}

std::string LineKeys::makeChallenge() {
    static constexpr std::string_view kSymbols = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    std::string challenge(kChallengeBytes, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(challenge.data()), static_cast<int>(challenge.size())) != 1)
        throw SystemError("The system has no random numbers to give.", "Try again.", true);
    for (char& c : challenge) c = kSymbols[static_cast<uint8_t>(c) % kSymbols.size()];
    return challenge;
}

}  // namespace pelorus
