#include "server/encrypted_login.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <memory>
#include <vector>

#include "common/error.h"

namespace pelorus {
namespace {

constexpr unsigned kKeyBits = 2048;

struct Deleter {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
    void operator()(BIO* bio) const { BIO_free(bio); }
};

struct LoginKey {
    LoginKey() : key(EVP_RSA_gen(kKeyBits)) {
        std::unique_ptr<BIO, Deleter> memory(BIO_new(BIO_s_mem()));
        if (!key || !memory || PEM_write_bio_PUBKEY(memory.get(), key.get()) != 1) {
            throw SystemError("No key for encrypted logins could be made.");
        }
        char* text = nullptr;
        const long size = BIO_get_mem_data(memory.get(), &text);
        pem.assign(text, static_cast<size_t>(size));
    }
    std::unique_ptr<EVP_PKEY, Deleter> key;
    std::string pem;
};

const LoginKey& loginKey() {
    static const LoginKey key;
    return key;
}

std::vector<unsigned char> fromBase64(std::string_view text) {
    std::string clean;
    for (char c : text) {
        if (c != ' ' && c != '\r' && c != '\n' && c != '\t') clean.push_back(c);
    }
    std::vector<unsigned char> bytes(clean.size() / 4 * 3 + 3);
    const int size = EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(clean.data()),
                                     static_cast<int>(clean.size()));
    if (size < 0) return {};
    const auto padding = clean.ends_with("==") ? 2u : clean.ends_with("=") ? 1u : 0u;
    bytes.resize(static_cast<size_t>(size) - padding);
    return bytes;
}

}  // namespace

const std::string& loginPublicKey() {
    return loginKey().pem;
}

std::string decryptLogin(std::string_view base64) {
    const std::vector<unsigned char> bytes = fromBase64(base64);
    std::unique_ptr<EVP_PKEY_CTX, Deleter> context(EVP_PKEY_CTX_new(loginKey().key.get(), nullptr));
    size_t size = kKeyBits / 8;
    std::string text(size, '\0');
    const bool done = context && EVP_PKEY_decrypt_init(context.get()) == 1 &&
                      EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING) == 1 &&
                      EVP_PKEY_decrypt(context.get(), reinterpret_cast<unsigned char*>(text.data()), &size,
                                       bytes.data(), bytes.size()) == 1;
    text.resize(done ? size : 0);
    return text;
}

}  // namespace pelorus
