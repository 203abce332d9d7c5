#include "server/postgres/postgres_login.h"

#include <catch2/catch.hpp>

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <sys/socket.h>

#include <array>

#include "common/io/base64.h"
#include "postgres/sql_error.h"
#include "server/access/password_hash.h"
#include "server/postgres/answer_writer.h"
#include "server/postgres/wire/frame_reader.h"
#include "tests/unit/server/postgres/postgres_exchange.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

namespace {

// A login from an address, with a client that `speak` speaks for. Returns the name, or the SQLSTATE of the refusal.
template <class Speak>
std::string loginFrom(const std::string& address, const std::string& user, ClientPolicy policy, Speak speak) {
    class NoScripts final : public ScriptHost {
        std::unique_ptr<ScriptSession> newSession() override { return nullptr; }
        std::shared_ptr<const Principal> principalOf(const std::string&) override { return Principal::owner(); }
    } host;
    SessionRegistry sessions;
    const auto store = memoryMetaStore();
    AccessControl access(*store, *store, policy);
    access.makeAdministrator("secret");
    ServerParts server{host, sessions, access, policy};
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    std::thread client([&] {
        try {
            Connection connection(ends[1]);
            speak(connection);
            Frame frame;
            while (readFrame(connection, 10'000, frame)) {  // an end before the server's answer would be its error
            }
        } catch (const std::exception&) {
            // It was refused.
        }
    });
    std::string result;
    {
        Connection connection(ends[0]);
        AnswerWriter answer(connection);
        try {
            result = logIn({connection, server, answer, user, address});
        } catch (const SqlError& error) {
            result = error.state();
        } catch (const std::exception& error) {
            result = error.what();
        }
        connection.shutdown();
    }
    client.join();
    return result;
}

std::string receive(Connection& connection) {
    Frame frame;
    if (!readFrame(connection, 10'000, frame)) throw SystemError("The server has closed the connection.");
    return frame.body.substr(4);
}

std::string sha256(const std::string& bytes) {
    std::string hash(SHA256_DIGEST_LENGTH, '\0');
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
           reinterpret_cast<unsigned char*>(hash.data()));
    return hash;
}

// Logs in by SCRAM as a client does.
void proveBy(Connection& connection, std::string_view password) {
    if (receive(connection) != std::string("SCRAM-SHA-256\0\0", 15)) throw SystemError("Another method is asked for.");
    const std::string bare = "n=,r=abc";
    std::string body("SCRAM-SHA-256\0", 14);
    appendInt32(body, static_cast<int32_t>(bare.size()) + 3);
    connection.write(message('p', body + "n,," + bare));
    const std::string answer = receive(connection);
    const size_t saltAt = answer.find(",s=") + 3, roundsAt = answer.find(",i=") + 3;
    const std::string nonce = answer.substr(2, saltAt - 5);
    std::string salt, salted(32, '\0');
    fromBase64(answer.substr(saltAt, roundsAt - 3 - saltAt), salt);
    PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()),
                      reinterpret_cast<const unsigned char*>(salt.data()), static_cast<int>(salt.size()),
                      std::stoi(answer.substr(roundsAt)), EVP_sha256(), 32,
                      reinterpret_cast<unsigned char*>(salted.data()));
    const std::string withoutProof = "c=biws,r=" + nonce;
    const std::string key = hmac(salted, "Client Key");
    std::string proof = hmac(sha256(key), bare + ',' + answer + ',' + withoutProof);
    for (size_t i = 0; i < proof.size(); ++i) proof[i] = static_cast<char>(proof[i] ^ key[i]);
    connection.write(message('p', withoutProof + ",p=" + toBase64(proof)));
    receive(connection);
}

void tell(Connection& connection, std::string_view password) {
    receive(connection);
    connection.write(message('p', std::string(password) + '\0'));
    receive(connection);
}

}  // namespace

TEST_CASE("from another machine a password is proven, and not sent in clear") {
    CHECK(loginFrom("10.0.0.1", "admin", {}, [](Connection& c) { proveBy(c, "secret"); }) == "admin");
    CHECK(loginFrom("10.0.0.1", "admin", {}, [](Connection& c) { proveBy(c, "wrong"); }) == "28P01");
    CHECK(loginFrom("10.0.0.1", "nobody", {}, [](Connection& c) { proveBy(c, "secret"); }) == "28P01");
    CHECK(loginFrom("10.0.0.1", "admin", {}, [](Connection& c) { c.write(message('p', "rubbish")); }) == "08P01");
    ClientPolicy without;
    without.keepsScram = false;
    CHECK(loginFrom("10.0.0.1", "admin", without, [](Connection&) {}) == "28000");
    ClientPolicy encrypted;
    encrypted.requireTls = true;
    CHECK(loginFrom("10.0.0.1", "admin", encrypted, [](Connection&) {}) == "28000");
}

TEST_CASE("on this machine a password is told, and a development server asks for none") {
    CHECK(loginFrom("127.0.0.1", "admin", {}, [](Connection& c) { tell(c, "secret"); }) == "admin");
    CHECK(loginFrom("127.0.0.1", "admin", {}, [](Connection& c) { tell(c, "wrong"); }) == "28P01");
    ClientPolicy development;
    development.guestsOwnData = true;
    CHECK(loginFrom("127.0.0.1", "admin", development, [](Connection&) {}) == "admin");
    CHECK(loginFrom("127.0.0.1", "stranger", development, [](Connection&) {}) == "guest");
    CHECK(loginFrom("10.0.0.1", "stranger", development, [](Connection& c) { proveBy(c, ""); }) == "28P01");
}
