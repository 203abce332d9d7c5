#include "net/tls_stream.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "common/error.h"
#include "common/io/file.h"
#include "net/host_name.h"

namespace pelorus {
namespace {

constexpr long kTenYears = 10L * 365 * 24 * 3600;

std::string openSslProblem() {
    const unsigned long code = ERR_get_error();
    if (code == 0) return "no reason is known";
    const char* reason = ERR_reason_error_string(code);
    ERR_clear_error();
    return reason ? reason : "OpenSSL error " + std::to_string(code);
}

[[noreturn]] void unusable(const std::string& what, const std::string& path) {
    throw SystemError("The " + what + " " + path + " cannot be used: " + openSslProblem() + ".",
                      "Give a PEM file, or leave tlsCertificate and tlsKey out: the server then makes its own.");
}

template <class T, void (*release)(T*)>
struct Releaser {
    void operator()(T* object) const { release(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Releaser<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Releaser<X509, X509_free>>;

// Clients of PostgreSQL's protocol that begin with the handshake ask for it by name, and leave without an answer. The
// others are told nothing: the first byte says what they speak.
int chooseProtocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                   unsigned int size, void*) {
    static constexpr unsigned char kPostgres[] = "\x0apostgresql";
    unsigned char* found = nullptr;
    if (SSL_select_next_proto(&found, length, kPostgres, sizeof kPostgres - 1, offered, size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

void addExtension(X509* certificate, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    if (!extension) throw SystemError("A certificate cannot be made: " + openSslProblem() + ".");
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

std::string pemOf(const std::function<int(BIO*)>& writeTo) {
    BIO* bio = BIO_new(BIO_s_mem());
    const bool written = writeTo(bio) == 1;
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(bio, &bytes);
    std::string string(bytes, static_cast<size_t>(size));
    BIO_free(bio);
    if (!written) throw SystemError("A certificate cannot be made: " + openSslProblem() + ".");
    return string;
}

void writePrivate(const std::string& path, const std::string& string) {
    const mode_t before = ::umask(077);
    try {
        replaceFile(FileSystem::posix(), path, string);
    } catch (...) {
        ::umask(before);
        throw;
    }
    ::umask(before);
}

}  // namespace

TlsContext::TlsContext(bool isServer, bool checksNames)
    : context_(SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method())),
      isServer_(isServer),
      checksNames_(checksNames) {
    if (!context_) throw SystemError("TLS cannot be set up: " + openSslProblem() + ".");
    SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
    SSL_CTX_set_mode(context_,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context_, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    // Cached sessions would never be used: connections last.
    SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
}

TlsContext::~TlsContext() {
    SSL_CTX_free(context_);
}

std::shared_ptr<const TlsContext> TlsContext::forServer(const std::string& certificateFile,
                                                        const std::string& keyFile) {
    std::shared_ptr<TlsContext> context(new TlsContext(true, false));
    if (SSL_CTX_use_certificate_chain_file(context->context_, certificateFile.c_str()) != 1)
        unusable("certificate", certificateFile);
    if (SSL_CTX_use_PrivateKey_file(context->context_, keyFile.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context->context_) != 1)
        unusable("key", keyFile);
    SSL_CTX_set_alpn_select_cb(context->context_, chooseProtocol, nullptr);
    return context;
}

std::shared_ptr<const TlsContext> TlsContext::forClient(const std::string& trustedFile) {
    std::shared_ptr<TlsContext> context(new TlsContext(false, !trustedFile.empty()));
    if (trustedFile.empty()) return context;
    if (SSL_CTX_load_verify_locations(context->context_, trustedFile.c_str(), nullptr) != 1)
        unusable("certificate", trustedFile);
    SSL_CTX_set_verify(context->context_, SSL_VERIFY_PEER, nullptr);
    return context;
}

std::shared_ptr<const TlsContext> TlsContext::forClientOfSystem() {
    std::shared_ptr<TlsContext> context(new TlsContext(false, true));
    if (SSL_CTX_set_default_verify_paths(context->context_) != 1)
        throw SystemError("The certificates that the system trusts cannot be read: " + openSslProblem() + ".");
    SSL_CTX_set_verify(context->context_, SSL_VERIFY_PEER, nullptr);
    return context;
}

void ensureCertificate(const std::string& certificateFile, const std::string& keyFile, const std::string& hostName) {
    if (::access(certificateFile.c_str(), F_OK) == 0 && ::access(keyFile.c_str(), F_OK) == 0) return;
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate(X509_new());
    if (!key || !certificate) throw SystemError("A certificate cannot be made: " + openSslProblem() + ".");
    unsigned char serial[16];
    RAND_bytes(serial, sizeof serial);
    serial[0] &= 0x7f;
    BIGNUM* number = BN_bin2bn(serial, sizeof serial, nullptr);
    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.get()));
    BN_free(number);
    X509_set_version(certificate.get(), X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -24L * 3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kTenYears);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("Pelorus"), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
    char machine[256] = {};
    if (::gethostname(machine, sizeof machine - 1) == 0 && machine[0] != '\0') names += std::string(",DNS:") + machine;
    if (!hostName.empty() && hostName != "0.0.0.0" && hostName != "::" && hostName != "localhost")
        names += (isIpAddress(hostName) ? ",IP:" : ",DNS:") + hostName;
    addExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    addExtension(certificate.get(), NID_subject_alt_name, names);
    addExtension(certificate.get(), NID_ext_key_usage, "serverAuth");
    if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0)
        throw SystemError("A certificate cannot be made: " + openSslProblem() + ".");
    // The key is written first: a certificate is used with the existing key.
    writePrivate(keyFile, pemOf([&](BIO* bio) {
                     return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
                 }));
    writePrivate(certificateFile, pemOf([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate.get()); }));
}

TlsStream::TlsStream(Stream& below, const TlsContext& context, const std::string& host)
    : below_(below), owner_(SSL_new(context.native())), ssl_(owner_.get()) {
    if (!ssl_ || SSL_set_fd(ssl_, below_.descriptor()) != 1)
        throw SystemError("TLS cannot be set up: " + openSslProblem() + ".");
    if (context.isServer()) {
        SSL_set_accept_state(ssl_);
        return;
    }
    SSL_set_connect_state(ssl_);
    if (host.empty() || isIpAddress(host)) {
        if (context.checksNames()) X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), host.c_str());
    } else {
        SSL_set_tlsext_host_name(ssl_, host.c_str());
        if (context.checksNames()) SSL_set1_host(ssl_, host.c_str());
    }
}

void TlsStream::Free::operator()(ssl_st* ssl) const {
    SSL_free(ssl);
}

// Interprets the result of a call of OpenSSL that moved nothing.
IoResult TlsStream::resultOf(int returned, size_t bytes) {
    if (returned > 0) return {IoState::Done, bytes};
    switch (SSL_get_error(ssl_, returned)) {
        case SSL_ERROR_WANT_READ:
            return {IoState::WouldRead};
        case SSL_ERROR_WANT_WRITE:
            return {IoState::WouldWrite};
        case SSL_ERROR_ZERO_RETURN:
            // Clients wait for the answer to their close_notify.
            SSL_shutdown(ssl_);
            problem_ = "the other side closed the connection";
            return {IoState::Ended};
        default:
            problem_ = SSL_get_verify_result(ssl_) != X509_V_OK
                           ? X509_verify_cert_error_string(SSL_get_verify_result(ssl_))
                           : openSslProblem();
            ERR_clear_error();
            return {IoState::Ended};
    }
}

IoResult TlsStream::handshake() {
    const MutexLock lock(mutex_);
    ERR_clear_error();
    return resultOf(SSL_do_handshake(ssl_), 0);
}

std::string TlsStream::problem() const {
    const MutexLock lock(mutex_);
    return problem_.empty() ? "it takes too long" : problem_;
}

std::string TlsStream::peerFingerprint() const {
    const MutexLock lock(mutex_);
    const Certificate certificate(SSL_get1_peer_certificate(ssl_));
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (!certificate || X509_digest(certificate.get(), EVP_sha256(), digest, &size) != 1) return "";
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string string;
    for (unsigned i = 0; i < size; ++i) {
        string += kDigits[digest[i] >> 4];
        string += kDigits[digest[i] & 15];
    }
    return string;
}

IoResult TlsStream::readSome(char* target, size_t sizeBytes) {
    const MutexLock lock(mutex_);
    ERR_clear_error();
    size_t got = 0;
    const int returned = SSL_read_ex(ssl_, target, sizeBytes, &got);
    return resultOf(returned, got);
}

IoResult TlsStream::writeSome(const char* bytes, size_t sizeBytes) {
    if (sizeBytes == 0) return {IoState::Done, 0};
    const MutexLock lock(mutex_);
    ERR_clear_error();
    size_t sent = 0;
    const int returned = SSL_write_ex(ssl_, bytes, sizeBytes, &sent);
    return resultOf(returned, sent);
}

void TlsStream::closeForWriting() {
    {
        const MutexLock lock(mutex_);
        ERR_clear_error();
        if (SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
    }
    below_.closeForWriting();
}

}  // namespace pelorus
