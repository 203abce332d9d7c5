#include "server/access/encrypted_login.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <memory>

#include "common/error.h"
#include "common/io/base64.h"

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
        char* string = nullptr;
        const long size = BIO_get_mem_data(memory.get(), &string);
        pem.assign(string, static_cast<size_t>(size));
    }
    std::unique_ptr<EVP_PKEY, Deleter> key;
    std::string pem;
};

const LoginKey& loginKey() {
    static const LoginKey key;
    return key;
}

}  // namespace

const std::string& loginPublicKey() {
    return loginKey().pem;
}

std::string decryptLogin(std::string_view base64) {
    std::string bytes;
    if (!fromBase64(base64, bytes)) return "";
    std::unique_ptr<EVP_PKEY_CTX, Deleter> context(EVP_PKEY_CTX_new(loginKey().key.get(), nullptr));
    size_t size = kKeyBits / 8;
    std::string string(size, '\0');
    const bool done = context && EVP_PKEY_decrypt_init(context.get()) == 1 &&
                      EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING) == 1 &&
                      EVP_PKEY_decrypt(context.get(), reinterpret_cast<unsigned char*>(string.data()), &size,
                                       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) == 1;
    string.resize(done ? size : 0);
    return string;
}

}  // namespace pelorus
