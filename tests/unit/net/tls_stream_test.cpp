#include "net/tls_stream.h"

#include <sys/socket.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

struct Certificate {
    Certificate() { ensureCertificate(certificate, key, "node1"); }
    TemporaryFolder folder;
    const std::string certificate = folder / "node.crt", key = folder / "node.key";
};

// Both ends of an encrypted connection.
struct Ends {
    Ends(const Certificate& own, const std::string& trustedFile, const std::string& host)
        : serverContext(TlsContext::forServer(own.certificate, own.key)),
          clientContext(TlsContext::forClient(trustedFile)) {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        below[0] = std::make_unique<PlainStream>(ends[0]);
        below[1] = std::make_unique<PlainStream>(ends[1]);
        server = std::make_unique<TlsStream>(*below[0], *serverContext, "");
        client = std::make_unique<TlsStream>(*below[1], *clientContext, host);
    }
    // Whether both sides come to an agreement.
    bool shakeHands() const {
        bool isServerDone = false, isClientDone = false;
        for (int i = 0; i < 100 && !(isServerDone && isClientDone); ++i) {
            if (!isClientDone) {
                const IoState state = client->handshake().state;
                if (state == IoState::Ended) return false;
                isClientDone = state == IoState::Done;
            }
            if (!isServerDone) {
                const IoState state = server->handshake().state;
                if (state == IoState::Ended) return false;
                isServerDone = state == IoState::Done;
            }
        }
        return isServerDone && isClientDone;
    }

    std::shared_ptr<const TlsContext> serverContext, clientContext;
    std::unique_ptr<PlainStream> below[2];
    std::unique_ptr<TlsStream> server, client;
};

}  // namespace

TEST_CASE("a certificate is made once, and only its owner may read the key") {
    const Certificate own;
    const auto made = std::filesystem::last_write_time(own.certificate);
    ensureCertificate(own.certificate, own.key, "other");
    CHECK(std::filesystem::last_write_time(own.certificate) == made);
    CHECK((std::filesystem::status(own.key).permissions() & std::filesystem::perms::mask) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("bytes go both ways encrypted, and the client knows whom it talks to") {
    const Certificate own;
    const Ends ends(own, "", "anybody");
    REQUIRE(ends.shakeHands());
    CHECK(ends.client->peerFingerprint().size() >= 64);
    CHECK(ends.server->peerFingerprint().empty());
    CHECK(ends.client->writeSome("question", 8).bytes == 8);
    char bytes[32];
    const IoResult got = ends.server->readSome(bytes, sizeof bytes);
    REQUIRE(got.state == IoState::Done);
    CHECK(std::string(bytes, got.bytes) == "question");
    CHECK(ends.server->readSome(bytes, sizeof bytes).state == IoState::WouldRead);
    ends.server->writeSome("answer", 6);
    CHECK(ends.client->readSome(bytes, sizeof bytes).bytes == 6);
    ends.client->closeForWriting();
    CHECK(ends.server->readSome(bytes, sizeof bytes).state == IoState::Ended);
}

TEST_CASE("a client that trusts a certificate takes it under its name, and no other") {
    const Certificate own, foreign;
    CHECK(Ends(own, own.certificate, "node1").shakeHands());
    const Ends misnamed(own, own.certificate, "node2");
    CHECK(!misnamed.shakeHands());
    CHECK(!misnamed.client->problem().empty());
    CHECK(!Ends(own, foreign.certificate, "node1").shakeHands());
}

TEST_CASE("files that cannot be used are named") {
    const Certificate own;
    const TemporaryFolder folder;
    std::ofstream(folder / "bad.pem") << "no certificate";
    CHECK_THROWS_WITH(TlsContext::forServer(folder / "none.crt", own.key), Catch::Contains(folder / "none.crt"));
    CHECK_THROWS_WITH(TlsContext::forServer(folder / "bad.pem", own.key), Catch::Contains(folder / "bad.pem"));
    CHECK_THROWS_WITH(TlsContext::forServer(own.certificate, folder / "bad.pem"), Catch::Contains("bad.pem"));
    CHECK_THROWS_WITH(TlsContext::forClient(folder / "none.crt"), Catch::Contains(folder / "none.crt"));
    CHECK_THROWS_AS(TlsContext::forServer(own.certificate, Certificate().key), SystemError);
}
