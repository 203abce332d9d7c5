// Encryption of pieces of bytes with one key, and keys wrapped by other keys. Sealed bytes are secret without the key;
// only wrapped keys are protected against changes, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pelorus {

// In files: append, never renumber.
enum class CipherMode : uint8_t {
    Plaintext = 0,
    Aes128Ctr = 1,
    Aes128Cbc = 2,
    Aes128Ecb = 3,
    Aes192Ctr = 4,
    Aes192Cbc = 5,
    Aes192Ecb = 6,
    Aes256Ctr = 7,
    Aes256Cbc = 8,
    Aes256Ecb = 9,
    Sm4Cbc = 10,
    Sm4Ecb = 11,
};

// "aes_256_ctr", in any case.
std::optional<CipherMode> cipherModeNamed(std::string_view name);
// Returns an empty name for a mode that this version does not know.
std::string_view cipherModeName(CipherMode mode);

// Thread-safe.
class Cipher {
public:
    // Throws SystemError when the library lacks the mode, InternalError when the key has another length.
    // REQUIRES: mode is not Plaintext.
    Cipher(CipherMode mode, std::string key);
    ~Cipher();
    Cipher(const Cipher&) = delete;
    Cipher& operator=(const Cipher&) = delete;

    static std::string randomKey(CipherMode mode);

    CipherMode mode() const { return mode_; }
    const std::string& key() const { return key_; }
    // Replaces the bytes by a random initial vector (ECB has none) and the encrypted bytes: no two pieces share a
    // vector, and the counters of CTR, which begin at it, do not meet.
    void seal(std::string& bytes) const;
    // Decrypts. Throws SystemError when the bytes cannot be the result of `seal`.
    void open(std::string& bytes) const;

private:
    struct Algorithm;
    const CipherMode mode_;
    std::string key_;
    std::unique_ptr<Algorithm> algorithm_;
};

// A key encrypted by a master key of 32 bytes (RFC 3394); `unwrapKey` returns nothing when another master key wrapped
// it or the bytes are damaged.
std::string wrapKey(std::string_view masterKey, std::string_view key);
std::optional<std::string> unwrapKey(std::string_view masterKey, std::string_view wrapped);

// Returns a number that distinguishes master keys and reveals nothing of them.
uint32_t fingerprint(std::string_view masterKey);

}  // namespace pelorus
