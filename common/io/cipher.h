// Cipher encrypts pieces of bytes with one key; the functions wrap keys by other keys. Sealed bytes are secret without
// the key; only wrapped keys are also protected against changes.
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

// Returns the mode of a name such as "aes_256_ctr", in any case; nullopt for an unknown name.
std::optional<CipherMode> cipherModeNamed(std::string_view name);
// Returns the name of a mode; empty for one that this version does not know.
std::string_view cipherModeName(CipherMode mode);

// One key with its mode. Thread-safe; the destructor erases the key from memory.
class Cipher {
public:
    // Throws SystemError when the library lacks the mode, InternalError when the key has a wrong length. REQUIRES: mode
    // is not Plaintext.
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
    // Replaces the bytes by the decrypted ones. Throws SystemError when they cannot be the result of `seal`.
    void open(std::string& bytes) const;

private:
    struct Algorithm;
    const CipherMode mode_;
    std::string key_;
    std::unique_ptr<Algorithm> algorithm_;
};

// wrapKey encrypts a key by a master key of 32 bytes (RFC 3394); unwrapKey decrypts it, and returns nullopt when
// another master key wrapped it or the bytes are damaged.
std::string wrapKey(std::string_view masterKey, std::string_view key);
std::optional<std::string> unwrapKey(std::string_view masterKey, std::string_view wrapped);

// Returns a number that distinguishes master keys and reveals nothing of them.
uint32_t fingerprint(std::string_view masterKey);

}  // namespace pelorus
