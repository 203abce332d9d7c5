// TLS 1.2 and 1.3 on a plain stream, by OpenSSL. Calls of OpenSSL are serialized by a mutex that is never held while
// somebody waits.
#pragma once

#include <memory>
#include <string>

#include "common/thread/mutex.h"
#include "net/stream.h"

struct ssl_ctx_st;
struct ssl_st;

namespace pelorus {

// Configuration of one side's handshakes: the certificate of a server, the trusted certificates of a client. Immutable;
// shared by connections and threads.
class TlsContext {
public:
    // Throws SystemError naming the file that cannot be used.
    static std::shared_ptr<const TlsContext> forServer(const std::string& certificateFile, const std::string& keyFile);
    // Trusts certificates that those of the file have signed, under the name of the host; any certificate when no file
    // is given: the caller then checks its fingerprint.
    static std::shared_ptr<const TlsContext> forClient(const std::string& trustedFile = "");
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

// Makes a certificate for these names and addresses (P-256, ten years, signed by itself) and its key, which only the
// owner may read, unless both files are there. Throws SystemError when they cannot be written.
void ensureCertificate(const std::string& certificateFile, const std::string& keyFile, const std::string& hostName);

class TlsStream final : public Stream {
public:
    // `below` lives longer. `host`: whom a client wants to talk to; empty for a server.
    TlsStream(Stream& below, const TlsContext& context, const std::string& host);

    // Goes on with the handshake; Done when it is over.
    IoResult handshake();
    // Why the handshake failed.
    std::string problem() const;
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
    ssl_st* const ssl_ PT_GUARDED_BY(mutex_);  // owner_'s
    std::string problem_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
