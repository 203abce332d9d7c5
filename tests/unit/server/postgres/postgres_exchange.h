// A server of PostgreSQL's protocol without an engine, for tests of what the protocol does itself.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/error.h"
#include "net/connection.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "server/access/access_control.h"
#include "server/access/client_policy.h"
#include "server/connection/client_connection.h"
#include "server/postgres/wire/startup.h"
#include "server/postgres/wire/wire_messages.h"
#include "server/session/script_host.h"
#include "server/session/session_registry.h"
#include "storage/version/metadata_embedded.h"

namespace pelorus::testing {

inline std::string message(char letter, std::string_view body) {
    std::string bytes(1, letter);
    postgres::appendInt32(bytes, static_cast<int32_t>(body.size()) + 4);
    return bytes.append(body);
}
inline std::string query(std::string_view text) {
    return message('Q', std::string(text) + '\0');
}
inline std::string startup(std::string_view user, std::string_view more = {}) {
    std::string body;
    postgres::appendInt32(body, postgres::kProtocolVersion);
    body += std::string("user") + '\0' + std::string(user) + '\0' + std::string(more) + '\0';
    std::string bytes;
    postgres::appendInt32(bytes, static_cast<int32_t>(body.size()) + 4);
    return bytes + body;
}

// The messages of an answer.
struct Answer {
    std::string raw;
    std::vector<std::pair<char, std::string>> messages;

    explicit Answer(std::string_view bytes) : raw(bytes) {
        while (bytes.size() >= 5) {
            const auto size = static_cast<size_t>(postgres::MessageReader(bytes.substr(1, 4)).int32());
            messages.emplace_back(bytes[0], bytes.substr(5, size - 4));
            bytes.remove_prefix(std::min(bytes.size(), size + 1));
        }
    }
    // The letters from the first ReadyForQuery on, which ends the login.
    std::string letters() const {
        std::string all;
        bool isBehind = false;
        for (const auto& [letter, body] : messages) {
            if (isBehind) all += letter;
            isBehind = isBehind || letter == 'Z';
        }
        return all;
    }
    // The SQLSTATEs of errors, with blanks between them.
    std::string states() const {
        std::string all;
        for (const auto& [letter, body] : messages) {
            if (letter != 'E') continue;
            const size_t at = body.find(std::string("\0C", 2));
            all += (all.empty() ? "" : " ") + body.substr(at + 2, 5);
        }
        return all;
    }
    // The bodies of messages with this letter, zero bytes as '|'.
    std::vector<std::string> bodies(char wanted) const {
        std::vector<std::string> all;
        for (const auto& [letter, body] : messages) {
            if (letter != wanted) continue;
            all.push_back(body);
            for (char& c : all.back())
                if (c == '\0') c = '|';
        }
        return all;
    }
};

// Takes one client after another, over loopback.
class PostgresExchange {
public:
    // `services` are those of an engine, which outlive the object; null: there is none.
    explicit PostgresExchange(bool trusts = true, const Services* services = nullptr) {
        policy_.guestsMayRun = policy_.guestsOwnData = trusts;
        policy_.lineMillis = 2000;
        access_.makeAdministrator("secret");
        server_.services = services ? services : &services_;
    }

    // Sends the bytes over a new connection, and returns the answers until the server closes it.
    Answer operator()(std::string_view bytes) {
        Acceptor acceptor("127.0.0.1", 0);
        auto client = Connection::open("127.0.0.1", acceptor.port(), 5000);
        auto accepted = acceptor.accept(5000);
        if (!accepted) throw SystemError("The connection does not come.");
        std::thread serving([&] { ClientConnection(std::move(accepted), server_).serve(); });
        std::string answer;
        try {
            client->write(bytes);
            client->closeForWriting();
            for (std::string_view more; !(more = client->peekSome()).empty();) {
                answer += more;
                client->skip(more.size());
            }
        } catch (const SystemError&) {
            // The server closed it with bytes unread.
        }
        serving.join();
        return Answer(answer);
    }

    SessionRegistry& sessions() { return sessions_; }

private:
    class NoScripts final : public ScriptHost {
    public:
        std::unique_ptr<ScriptSession> newSession() override { return nullptr; }
        std::shared_ptr<const Principal> principalOf(const std::string&) override { return Principal::owner(); }
    };

    NoScripts host_;
    Services services_;
    SessionRegistry sessions_;
    std::unique_ptr<MetaStore> store_ = memoryMetaStore();
    ClientPolicy policy_;
    AccessControl access_{*store_, *store_, policy_};
    ServerParts server_{host_, sessions_, access_, policy_};
};

}  // namespace pelorus::testing
