#include "common/io/cipher.h"

#include <catch2/catch.hpp>
#include <set>

#include "common/error.h"
#include "tests/support/hex.h"

using namespace pelorus;
using pelorus::testing::fromHex;

TEST_CASE("what any mode seals it opens, and no two pieces are sealed alike but by ecb") {
    for (int number = 1; number <= 11; ++number) {
        const auto mode = static_cast<CipherMode>(number);
        INFO(cipherModeName(mode));
        CHECK(cipherModeNamed(cipherModeName(mode)) == mode);
        const Cipher cipher(mode, Cipher::randomKey(mode));
        for (const size_t length : {0, 1, 15, 16, 17, 100000}) {
            const std::string plain(length, 'x');
            std::string sealed = plain, again = plain;
            cipher.seal(sealed);
            cipher.seal(again);
            CHECK(sealed.size() <= plain.size() + 32);
            if (length >= 16) CHECK(sealed.find(std::string(16, 'x')) == std::string::npos);
            if (!cipherModeName(mode).ends_with("ecb")) CHECK(sealed != again);
            cipher.open(sealed);
            CHECK(sealed == plain);
        }
    }
    CHECK(cipherModeNamed("AES_128_Ctr") == CipherMode::Aes128Ctr);
    CHECK(cipherModeNamed("plaintext") == CipherMode::Plaintext);
    CHECK_FALSE(cipherModeNamed("aes"));
    CHECK(cipherModeName(static_cast<CipherMode>(200)).empty());
}

TEST_CASE("with another key sealed bytes are an error or other bytes, and cut ones never crash") {
    for (int number = 1; number <= 11; ++number) {
        const auto mode = static_cast<CipherMode>(number);
        const std::string plain = "some text that is longer than a block";
        std::string sealed = plain;
        Cipher(mode, Cipher::randomKey(mode)).seal(sealed);
        const Cipher other(mode, Cipher::randomKey(mode));
        for (size_t length = 0; length <= sealed.size(); ++length) {
            std::string bytes = sealed.substr(0, length);
            try {
                other.open(bytes);
                CHECK(bytes != plain);
            } catch (const SystemError&) {
            }
        }
    }
}

// The published vectors of FIPS 197, the SM4 standard and RFC 3394: others can read what we write.
TEST_CASE("the ciphers are the standard ones") {
    const std::string block = fromHex("00112233445566778899aabbccddeeff");
    std::string sealed = block;
    Cipher(CipherMode::Aes256Ecb, fromHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"))
        .seal(sealed);
    CHECK(sealed.substr(0, 16) == fromHex("8ea2b7ca516745bfeafc49904b496089"));
    sealed = fromHex("0123456789abcdeffedcba9876543210");
    Cipher(CipherMode::Sm4Ecb, sealed).seal(sealed);
    CHECK(sealed.substr(0, 16) == fromHex("681edf34d206965e86b3e94f536e4246"));
    const std::string master = fromHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    CHECK(wrapKey(master, block) == fromHex("64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"));
}

TEST_CASE("a wrapped key is opened by its master key only, and by none when it is damaged") {
    const std::string master(32, 'm'), other(32, 'n');
    for (const size_t length : {16, 24, 32}) {
        const std::string key(length, 'k');
        const std::string wrapped = wrapKey(master, key);
        CHECK(unwrapKey(master, wrapped) == key);
        CHECK_FALSE(unwrapKey(other, wrapped));
        for (size_t i = 0; i < wrapped.size(); ++i) {
            std::string damaged = wrapped;
            damaged[i] = static_cast<char>(damaged[i] ^ 1);
            CHECK_FALSE(unwrapKey(master, damaged));
            CHECK_FALSE(unwrapKey(master, wrapped.substr(0, i)));
        }
    }
    CHECK(fingerprint(master) == fingerprint(master));
    CHECK(fingerprint(master) != fingerprint(other));
}
