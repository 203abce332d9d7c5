// TlsStream is TLS 1.2 and 1.3 on a plain stream, by OpenSSL. A mutex that is never held during a wait serializes the
// calls of OpenSSL.
#pragma once

#include <memory>
#include <string>

#include "common/thread/mutex.h"
#include "net/stream.h"

struct ssl_ctx_st;
struct ssl_st;

namespace pelorus {

// The configuration of one side's handshakes: the certificate of a server, or the trusted certificates of a client.
// Immutable; connections and threads share it.
class TlsContext {
public:
    // Loads a certificate and its key from PEM files. Throws SystemError naming the file that cannot be used.
    static std::shared_ptr<const TlsContext> forServer(const std::string& certificateFile, const std::string& keyFile);
    // Trusts certificates that those of the file have signed, for the name of the host. Without a file it accepts any
    // certificate: the caller then checks its fingerprint. Throws SystemError naming a file that cannot be used.
    static std::shared_ptr<const TlsContext> forClient(const std::string& trustedFile = "");
    // Makes the context of a client that trusts the certificates that the system trusts, for the host's name.
    static std::shared_ptr<const TlsContext> forClientOfSystem();
    ~TlsContext();
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    ssl_ctx_st* native() const { return context_; }
    bool isServer() const { return isServer_; }
    bool checksNames() const { return checksNames_; }

private:
    TlsContext(bool isServer, bool checksNames);

    ssl_ctx_st* context_ = nullptr;
    const bool isServer_;
    const bool checksNames_;
};

// Makes a certificate for localhost, this machine's name and `hostName` (P-256, ten years, self-signed) and its key,
// which only the owner may read, unless both files exist. Throws SystemError when they cannot be written.
void ensureCertificate(const std::string& certificateFile, const std::string& keyFile, const std::string& hostName);

// The encrypted stream of one connection.
class TlsStream final : public Stream {
public:
    // `below` outlives the stream. `host` is the name that a client expects of the peer; empty for a server.
    TlsStream(Stream& below, const TlsContext& context, const std::string& host);

    // Continues the handshake; returns Done when it is complete, and the event to wait for otherwise.
    IoResult handshake();
    // Returns why the handshake failed.
    std::string problem() const;
    // Returns the SHA-256 of the peer's certificate in hexadecimal digits.
    std::string peerFingerprint() const;

    IoResult readSome(char* target, size_t sizeBytes) override;
    IoResult writeSome(const char* bytes, size_t sizeBytes) override;
    int descriptor() const override { return below_.descriptor(); }
    void closeForWriting() override;
    void shutdown() override { below_.shutdown(); }

private:
    IoResult resultOf(int returned, size_t bytes) EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    struct Free {
        void operator()(ssl_st* ssl) const;
    };

    Stream& below_;
    mutable Mutex mutex_;
    const std::unique_ptr<ssl_st, Free> owner_;
    ssl_st* const ssl_ PT_GUARDED_BY(mutex_);  // the object that owner_ owns
    std::string problem_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
