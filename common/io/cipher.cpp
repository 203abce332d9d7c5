#include "common/io/cipher.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <cerrno>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "common/error.h"

namespace pelorus {

namespace {

struct ModeFacts {
    std::string_view name;
    const char* algorithm;  // libcrypto's name
    size_t keyBytes;
    size_t vectorBytes;
};
constexpr ModeFacts kModes[] = {
    {"plaintext", "", 0, 0},
    {"aes_128_ctr", "AES-128-CTR", 16, 16},
    {"aes_128_cbc", "AES-128-CBC", 16, 16},
    {"aes_128_ecb", "AES-128-ECB", 16, 0},
    {"aes_192_ctr", "AES-192-CTR", 24, 16},
    {"aes_192_cbc", "AES-192-CBC", 24, 16},
    {"aes_192_ecb", "AES-192-ECB", 24, 0},
    {"aes_256_ctr", "AES-256-CTR", 32, 16},
    {"aes_256_cbc", "AES-256-CBC", 32, 16},
    {"aes_256_ecb", "AES-256-ECB", 32, 0},
    {"sm4_128_cbc", "SM4-CBC", 16, 16},
    {"sm4_128_ecb", "SM4-ECB", 16, 0},
};
constexpr size_t kLargestPadding = 16;
constexpr size_t kMasterKeyBytes = 32;
constexpr const char* kWrapAlgorithm = "AES-256-WRAP";
constexpr size_t kWrapOverhead = 8;

const ModeFacts& factsOf(CipherMode mode) {
    return kModes[static_cast<size_t>(mode)];
}

struct FreeContext {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
struct FreeCipher {
    void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
};
using CipherHandle = std::unique_ptr<EVP_CIPHER, FreeCipher>;

const unsigned char* octets(const char* bytes) {
    return reinterpret_cast<const unsigned char*>(bytes);
}
unsigned char* octets(char* bytes) {
    return reinterpret_cast<unsigned char*>(bytes);
}

enum class Direction { Decrypt = 0, Encrypt = 1 };

// Transforms `bytes` into `target`, which must be large enough; false when the library refuses, as for a wrong padding.
bool transform(const EVP_CIPHER* cipher, Direction direction, std::string_view key, const char* vector,
               std::string_view bytes, char* target, size_t& made) {
    constexpr size_t kLongestPiece = 1 << 30;  // the library counts in int
    const std::unique_ptr<EVP_CIPHER_CTX, FreeContext> context(EVP_CIPHER_CTX_new());
    if (!context) throw SystemError("Encryption cannot begin: memory is short.");
    EVP_CIPHER_CTX_set_flags(context.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    if (EVP_CipherInit_ex(context.get(), cipher, nullptr, octets(key.data()),
                          vector == nullptr ? nullptr : octets(vector), static_cast<int>(direction)) != 1)
        return false;
    made = 0;
    int length = 0;
    do {
        const std::string_view piece = bytes.substr(0, kLongestPiece);
        if (EVP_CipherUpdate(context.get(), octets(target + made), &length, octets(piece.data()),
                             static_cast<int>(piece.size())) != 1)
            return false;
        made += static_cast<size_t>(length);
        bytes.remove_prefix(piece.size());
    } while (!bytes.empty());
    if (EVP_CipherFinal_ex(context.get(), octets(target + made), &length) != 1) return false;
    made += static_cast<size_t>(length);
    return true;
}

// Uses the system's generator: OpenSSL's are one for each thread and outlive those that the process ends with.
void fillRandom(char* target, size_t sizeBytes) {
    while (sizeBytes > 0) {
        const ssize_t given = ::getrandom(target, sizeBytes, 0);
        if (given < 0 && errno == EINTR) continue;
        if (given <= 0)
            throw SystemError("The system returns no random numbers, without which nothing can be encrypted.");
        target += given;
        sizeBytes -= static_cast<size_t>(given);
    }
}

CipherHandle fetch(const char* algorithm) {
    return CipherHandle(EVP_CIPHER_fetch(nullptr, algorithm, nullptr));
}

}  // namespace

std::optional<CipherMode> cipherModeNamed(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (size_t i = 0; i < std::size(kModes); ++i) {
        if (kModes[i].name == lower) return static_cast<CipherMode>(i);
    }
    return std::nullopt;
}

std::string_view cipherModeName(CipherMode mode) {
    return static_cast<size_t>(mode) < std::size(kModes) ? factsOf(mode).name : std::string_view();
}

struct Cipher::Algorithm {
    CipherHandle cipher;
};

Cipher::Cipher(CipherMode mode, std::string key)
    : mode_(mode), key_(std::move(key)), algorithm_(new Algorithm{fetch(factsOf(mode).algorithm)}) {
    if (!algorithm_->cipher)
        throw SystemError(fmt::format("The installed libcrypto cannot encrypt with {}.", cipherModeName(mode)),
                          "Choose another encryptMode, or install a libcrypto that has it.");
    if (key_.size() != factsOf(mode).keyBytes) throw InternalError("a key has a wrong length");
}

Cipher::~Cipher() {
    OPENSSL_cleanse(key_.data(), key_.size());
}

std::string Cipher::randomKey(CipherMode mode) {
    std::string key(factsOf(mode).keyBytes, '\0');
    fillRandom(key.data(), key.size());
    return key;
}

void Cipher::seal(std::string& bytes) const {
    const size_t vectorBytes = factsOf(mode_).vectorBytes;
    std::string sealed(vectorBytes + bytes.size() + kLargestPadding, '\0');
    fillRandom(sealed.data(), vectorBytes);
    size_t made = 0;
    if (!transform(algorithm_->cipher.get(), Direction::Encrypt, key_, vectorBytes == 0 ? nullptr : sealed.data(),
                   bytes, sealed.data() + vectorBytes, made))
        throw InternalError("libcrypto refuses to encrypt");
    sealed.resize(vectorBytes + made);
    bytes = std::move(sealed);
}

void Cipher::open(std::string& bytes) const {
    const size_t vectorBytes = factsOf(mode_).vectorBytes;
    std::string plain(bytes.size() + kLargestPadding, '\0');
    size_t made = 0;
    if (bytes.size() < vectorBytes ||
        !transform(algorithm_->cipher.get(), Direction::Decrypt, key_, vectorBytes == 0 ? nullptr : bytes.data(),
                   std::string_view(bytes).substr(vectorBytes), plain.data(), made))
        throw SystemError("encrypted bytes cannot be decrypted");
    plain.resize(made);
    bytes = std::move(plain);
}

std::string wrapKey(std::string_view masterKey, std::string_view key) {
    if (masterKey.size() != kMasterKeyBytes) throw InternalError("a master key has a wrong length");
    std::string wrapped(key.size() + 2 * kWrapOverhead, '\0');
    size_t made = 0;
    const CipherHandle cipher = fetch(kWrapAlgorithm);
    if (!cipher || !transform(cipher.get(), Direction::Encrypt, masterKey, nullptr, key, wrapped.data(), made))
        throw SystemError("The installed libcrypto cannot wrap keys.");
    wrapped.resize(made);
    return wrapped;
}

std::optional<std::string> unwrapKey(std::string_view masterKey, std::string_view wrapped) {
    if (masterKey.size() != kMasterKeyBytes) throw InternalError("a master key has a wrong length");
    std::string key(wrapped.size() + kWrapOverhead, '\0');
    size_t made = 0;
    const CipherHandle cipher = fetch(kWrapAlgorithm);
    if (!cipher || wrapped.empty() ||
        !transform(cipher.get(), Direction::Decrypt, masterKey, nullptr, wrapped, key.data(), made))
        return std::nullopt;
    key.resize(made);
    return key;
}

uint32_t fingerprint(std::string_view masterKey) {
    const std::string named = "pelorus master key" + std::string(masterKey);
    unsigned char digest[EVP_MAX_MD_SIZE];
    if (EVP_Digest(named.data(), named.size(), digest, nullptr, EVP_sha256(), nullptr) != 1)
        throw InternalError("libcrypto refuses to hash");
    uint32_t number;
    std::memcpy(&number, digest, sizeof number);
    return number;
}

}  // namespace pelorus
