#include "server/connection/server.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"

#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"
#include "database/service/node_identity.h"
#include "net/client.h"
#include "net/frame.h"
#include "runtime/table/table.h"
#include "server/access/access_control.h"
#include "server/session/session_registry.h"

using namespace pelorus;

// CHECK is ours here, and Catch's again below.
#pragma push_macro("CHECK")
#undef CHECK
#include "common/check.h"
#include "storage/version/metadata_embedded.h"
static void failCheck(size_t rows) {
    CHECK(rows == 3) << "a block has its rows";
}
#pragma pop_macro("CHECK")

namespace {

// Knows a few words instead of a language.
class WordSession final : public ScriptSession {
public:
    Value run(Request& request, std::string_view script) override {
        if (script == "user") return Value::ofString(request.principal().user());
        if (script == "print") {
            request.print("hello");
            return Value();
        }
        if (script == "fail") throw UserError("It failed\nbadly.", "Do not.");
        if (script == "broken") failCheck(4);
        if (script == "wait") {
            for (int i = 0; i < 1000 && !request.cancelled; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            if (request.cancelled) ++cancelled;
            throw UserError("The request was cancelled.");
        }
        if (script == "rows") {
            std::vector<int32_t> numbers(20000);
            for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
            return Value::of(Ref<Table>(makeRef<MemoryTable>(
                std::vector<std::string>{"n"}, std::vector<Value>{Value::of(Vector::of(Type::Int, numbers))})));
        }
        const auto it = variables.find(std::string(script));
        if (it == variables.end()) throw UserError("Can't find the object with name " + std::string(script));
        return it->second;
    }
    Value call(Request&, std::string_view expression, std::vector<Value> arguments) override {
        if (expression == "version") return Value::ofString("3.00");
        if (expression == "second") return arguments.at(1);
        throw UserError("Can't recognize function name " + std::string(expression));
    }
    Value apply(Request&, const Function&, std::vector<Value>) override { return Value(); }
    void setVariable(const std::string& name, Value value) override { variables[name] = std::move(value); }
    void clear() override { variables.clear(); }

    std::map<std::string, Value> variables;
    static inline std::atomic<int> cancelled{0};
};

class WordHost final : public ScriptHost {
public:
    std::unique_ptr<ScriptSession> newSession() override { return std::make_unique<WordSession>(); }
    std::shared_ptr<const Principal> principalOf(const std::string&) override { return Principal::owner(); }
};

// The server asks the registry which functions a guest may call; the sessions of this test have functions of their own.
void registerOpenFunctions() {
    static const bool done = [] {
        const auto nothing = [](Context&, Arguments) { return Value(); };
        const Declaration open{.effect = Effect::Stable, .facet = Facet::Open};
        for (const char* syntax : {"version()", "login(userId, password)"})
            FunctionRegistry::instance().add(syntax, nothing, {.summary = "Of a test."}, open);
        return true;
    }();
    CHECK(done);
}

struct Fixture {
    WordHost host;
    SessionRegistry sessions;
    std::unique_ptr<MetaStore> store = memoryMetaStore();
    ClientPolicy policy;
    AccessControl access{*store, *store, policy};
    NodeIdentity identity;
    Server server{"127.0.0.1", 0, identity, ServerParts{host, sessions, access, policy}};

    explicit Fixture(bool guestsMayRun = true) {
        registerOpenFunctions();
        policy.guestsMayRun = guestsMayRun;
        access.setPassword("admin", "secret-1");
        access.setPassword("alice", "secret-2");
        access.setClusterKey("cluster-key");
        server.start();
    }
    ClientOptions options(const std::string& user = "", const std::string& password = "") const {
        ClientOptions options;
        options.port = server.port();
        options.user = user;
        options.password = password;
        return options;
    }
    std::unique_ptr<Connection> raw() const { return Connection::open("127.0.0.1", server.port(), 2000); }
};

std::string request(const std::string& token, const std::string& body) {
    return "API2 0 " + std::to_string(body.size()) + " / " + token + "\n" + body;
}

template <class Condition>
bool eventually(const Condition& condition) {
    for (int i = 0; i < 1000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace

TEST_CASE("a client runs scripts, calls functions and keeps variables in its session") {
    Fixture f;
    Client client(f.options());
    const std::vector<Value> values{Value::ofInt(7)};
    client.upload({"x"}, values);
    CHECK(client.run("x").integer() == 7);
    const std::vector<Value> arguments{Value::ofInt(1), Value::ofString("two")};
    CHECK(client.call("second", arguments).string() == "two");
    CHECK(client.sessionId() > 0);

    Client other(f.options());
    CHECK_THROWS_WITH(other.run("x"), "Can't find the object with name x");
    CHECK(other.sessionId() != client.sessionId());
}

TEST_CASE("an error keeps the connection and comes on one line with its hint") {
    Fixture f;
    Client client(f.options());
    CHECK_THROWS_WITH(client.run("fail"), "It failed badly. Do not.");
    CHECK(client.run("user").string() == "guest");
}

TEST_CASE("a request that fails a check ends with an error, and the server goes on") {
    Fixture f;
    Client client(f.options());
    CHECK_THROWS_WITH(client.run("broken"), Catch::Contains("CHECK(rows == 3) failed: 4 == 3") &&
                                                Catch::Contains("a block has its rows. Please report it"));
    CHECK(client.run("user").string() == "guest");
    CHECK(Client(f.options()).run("user").string() == "guest");
}

TEST_CASE("what a script prints arrives before its answer") {
    Fixture f;
    Client client(f.options());
    std::string printed;
    client.onPrint([&](std::string_view string) { printed += string; });
    CHECK(client.run("print").isVoid());
    CHECK(printed == "hello");
}

TEST_CASE("logging in changes the user, and a wrong password is refused") {
    Fixture f;
    CHECK(Client(f.options("admin", "secret-1")).run("user").string() == "admin");
    CHECK_THROWS_WITH(Client(f.options("admin", "secret-2")), "The user name or password is incorrect.");
    CHECK_THROWS_WITH(Client(f.options("nobody", "secret-1")), "The user name or password is incorrect.");
}

TEST_CASE("another node acts for a user with the cluster's key only") {
    Fixture f;
    CHECK(Client(f.options("@node:alice", "cluster-key")).run("user").string() == "alice");
    CHECK_THROWS_AS(Client(f.options("@node:alice", "wrong")), UserError);
    CHECK_THROWS_AS(Client(f.options("@node:alice", "")), UserError);
}

TEST_CASE("without login, guests may only call what clients need to log in") {
    Fixture f(false);
    Client client(f.options());
    CHECK(client.call("version", {}).string() == "3.00");
    CHECK_THROWS_WITH(client.run("user"), Catch::Contains("Login is required"));
    CHECK_THROWS_WITH(client.call("second", {}), Catch::Contains("Login is required"));
    CHECK(Client(f.options("admin", "secret-1")).run("user").string() == "admin");
}

TEST_CASE("a table is sent in blocks when the client asks for it") {
    Fixture f;
    const auto connection = f.raw();
    connection->write(request("32_1_4_64__9000", "script\nrows"));
    CHECK(connection->readLine(100).ends_with(" 1 1"));
    CHECK(connection->readLine(100) == "OK");
    const Value blocks = decodeValue(*connection, Peer::Client);
    REQUIRE(blocks.isTuple());
    REQUIRE(blocks.size() == 3);
    CHECK(blocks.at(0).size() == 9000);
    CHECK(blocks.at(2).size() == 2000);
}

TEST_CASE("an asynchronous request has no answer but is carried out") {
    Fixture f;
    const auto connection = f.raw();
    connection->write(request("36_1_4_64", "script\nfail"));
    connection->write(request("32_1_4_64", "script\nuser"));
    CHECK(connection->readLine(100).ends_with(" 1 1"));
    connection->write(request("36_1_4_64", "connect\n"));
    CHECK(connection->readLine(100) == "OK");
}

TEST_CASE("flag 16 clears the session's variables afterwards") {
    Fixture f;
    const auto connection = f.raw();
    connection->write(request("48_1_4_64", std::string("variable\nx\n1\n1")) + std::string("\4\0\7\0\0\0", 6));
    CHECK(connection->readLine(100).ends_with(" 0 1"));
    CHECK(connection->readLine(100) == "OK");
    connection->write(request("32_1_4_64", "script\nx"));
    CHECK(connection->readLine(100).ends_with(" 0 1"));
    CHECK(connection->readLine(100) == "Can't find the object with name x");
}

TEST_CASE("a request whose client has left is cancelled") {
    Fixture f;
    const int before = WordSession::cancelled;
    {
        const auto connection = f.raw();
        connection->write(request("32_1_4_64", "script\nwait"));
        REQUIRE(eventually([&] {
            const auto all = f.sessions.all();
            return !all.empty() && all[0].running.request;
        }));
    }
    CHECK(eventually([&] { return WordSession::cancelled > before; }));
    CHECK(eventually([&] { return f.sessions.all().empty(); }));
}

TEST_CASE("a running request can be cancelled by its job id, and stopping the server cancels all") {
    Fixture f;
    std::thread waiter([&] {
        Client client(f.options());
        CHECK_THROWS_WITH(client.run("wait"), "The request was cancelled.");
        CHECK_THROWS_AS(client.run("wait"), SystemError);
    });
    std::string id;
    REQUIRE(eventually([&] {
        for (const auto& s : f.sessions.all()) id = s.running.rootJobId;
        return !id.empty();
    }));
    CHECK_FALSE(f.sessions.cancel("another id"));
    CHECK(f.sessions.cancel(id));
    REQUIRE(eventually([&] {
        const auto all = f.sessions.all();
        return !all.empty() && all[0].running.request && all[0].running.rootJobId != id;
    }));
    f.server.stop();
    waiter.join();
}

TEST_CASE("bytes that are no request end the connection with a reason, and other protocols are turned away") {
    Fixture f;
    SECTION("a broken request line") {
        const auto connection = f.raw();
        connection->write("APIX\n");
        CHECK(connection->readLine(100).ends_with(" 0 1"));
        CHECK_THAT(connection->readLine(200), Catch::Contains("no request line"));
        CHECK(connection->peek(1).empty());
    }
    SECTION("a broken value") {
        const auto connection = f.raw();
        connection->write(request("32_1_4_64", "function\nsecond\n1\n1") + std::string("\xff\0", 2));
        connection->readLine(100);
        CHECK_THAT(connection->readLine(200), Catch::Contains("no value"));
        CHECK(connection->peek(1).empty());
    }
    SECTION("a page that was given a name of its own for this server") {
        const auto connection = f.raw();
        connection->write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        CHECK_THAT(connection->readLine(100), Catch::Contains("403"));
    }
    SECTION("a request of HTTP that is none") {
        const auto connection = f.raw();
        connection->write("GET /\x01 HTTP/1.1\r\n\r\n");
        CHECK_THAT(connection->readLine(100), Catch::Contains("400"));
    }
    SECTION("TLS and noise are closed") {
        const auto connection = f.raw();
        connection->write(std::string("\x16\x03\x01\x02", 4));
        CHECK(connection->peek(1).empty());
    }
    SECTION("the server still serves") {
        CHECK(Client(f.options()).run("user").string() == "guest");
    }
}

TEST_CASE("a port in use is one clear message") {
    Fixture f;
    NodeIdentity identity;
    CHECK_THROWS_WITH(
        (Server{"127.0.0.1", f.server.port(), identity, ServerParts{f.host, f.sessions, f.access, f.policy}}),
        Catch::Contains("Port " + std::to_string(f.server.port())) && Catch::Contains("in use"));
}

TEST_CASE("a server that is not there is an error that names host and port") {
    int port = 0;
    { port = Acceptor("127.0.0.1", 0).port(); }
    ClientOptions options;
    options.port = port;
    CHECK_THROWS_WITH(Client(options), Catch::Contains("127.0.0.1:" + std::to_string(port)));
}

TEST_CASE("a server that dies while it works is an error that names it") {
    auto f = std::make_unique<Fixture>();
    ClientOptions options = f->options();
    options.peerName = "node7";
    Client client(options);
    std::thread stopper([&] {
        eventually([&] {
            const auto all = f->sessions.all();
            return !all.empty() && all[0].running.request;
        });
        f->server.stop();
    });
    CHECK_THROWS_WITH(client.run("wait"), Catch::Contains("node7") && Catch::Contains("127.0.0.1"));
    stopper.join();
}

namespace {

// Skips the first line of the answer; the second one is the error.
std::string errorLine(Connection& connection) {
    connection.readLine(200);
    return connection.readLine(1000);
}

}  // namespace

TEST_CASE("only who proved to be a node may send what a node sends") {
    Fixture f;
    const std::string portable = std::string("\x14\0\xc8partial\0\4\0\1\0\0\0", 17);
    const std::string call = "function\nsecond\n1\n1";
    const auto tryAs = [&](const std::string& user, const std::string& password) {
        const auto connection = f.raw();
        connection->write(request("32_1_4_64", "connect\nlogin\n" + user + "\n" + password + "\nfalse"));
        connection->readLine(200);
        CHECK(connection->readLine(200) == "OK");
        // The flag of a node alone proves nothing.
        connection->write(request(std::to_string(request_flag::kNode) + "_1_4_64", call) + portable);
        return errorLine(*connection);
    };
    CHECK_THAT(tryAs("admin", "secret-1"), Catch::Contains("only from nodes"));
    CHECK_THAT(tryAs("@node:alice", "cluster-key"), !Catch::Contains("only from nodes"));
}

TEST_CASE("before login a request is small, and its values are plain") {
    Fixture f(false);
    SECTION("a long body") {
        const auto connection = f.raw();
        connection->write("API 0 70000 / 0_1_4_64\n" + std::string(70000, 'x'));
        CHECK_THAT(errorLine(*connection), Catch::Contains("at most 65536"));
        CHECK(connection->peek(1).empty());
    }
    SECTION("a body that is not there costs nothing") {
        const auto connection = f.raw();
        connection->write("API 0 1000000000 / 0_1_4_64\n");
        CHECK_THAT(errorLine(*connection), Catch::Contains("at most 65536"));
    }
    SECTION("a vector") {
        const auto connection = f.raw();
        connection->write(request("0_1_4_64", "function\nversion\n1\n1") + std::string("\0\1\0\0\0\1\1\0\0\0", 10));
        CHECK_THAT(errorLine(*connection), Catch::Contains("Login is required"));
        CHECK(connection->peek(1).empty());
    }
    SECTION("many values") {
        const auto connection = f.raw();
        connection->write(request("0_1_4_64", "function\nversion\n17\n1") + std::string(17 * 3, '\0'));
        CHECK_THAT(errorLine(*connection), Catch::Contains("at most 16"));
    }
    SECTION("a login with its values works") {
        const auto connection = f.raw();
        connection->write(request("0_1_4_64", "function\nversion\n2\n1") + std::string("\x12\0abc\0\1\0\0", 9));
        connection->readLine(200);
        CHECK(connection->readLine(200) == "OK");
    }
}

TEST_CASE("who says nothing, too little or not who it is loses its place, and is told") {
    const auto served = [](auto&& change, auto&& body) {
        WordHost host;
        SessionRegistry sessions;
        const auto store = memoryMetaStore();
        ClientPolicy policy;
        AccessControl access{*store, *store, policy};
        access.setPassword("admin", "secret-1");
        change(policy);
        NodeIdentity identity;
        Server server("127.0.0.1", 0, identity, ServerParts{host, sessions, access, policy});
        server.start();
        body(*Connection::open("127.0.0.1", server.port(), 2000));
    };
    const auto short_ = [](ClientPolicy& p) { p.lineMillis = 300; };
    served(short_, [](Connection& c) { CHECK_THAT(errorLine(c), Catch::Contains("No request came within")); });
    served(short_, [](Connection& c) {
        c.write("AP");
        CHECK_THAT(errorLine(c), Catch::Contains("No request came within"));
    });
    served(short_, [](Connection& c) {
        c.write("API 0 8");
        // A byte now and then does not help.
        for (int i = 0; i < 8; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            try {
                c.write(" ");
            } catch (const SystemError&) {
            }
        }
        CHECK_THAT(errorLine(c), Catch::Contains("No request came within"));
    });
    served([](ClientPolicy& p) { p.loginMillis = 300; },
           [](Connection& c) {
               c.write(request("0_1_4_64", "connect\n"));
               c.readLine(200);
               CHECK(c.readLine(200) == "OK");
               CHECK_THAT(errorLine(c), Catch::Contains("Nobody logged in"));
           });
    served(
        [](ClientPolicy& p) {
            p.slowAfterMillis = 300;
            p.loginMillis = 60'000;
        },
        [](Connection& c) {
            c.write("API 0 60000 / 0_1_4_64\nscript\n1");
            CHECK_THAT(errorLine(c), Catch::Contains("bytes a second"));
        });
    // A client that has logged in may be idle.
    served(
        [](ClientPolicy& p) {
            p.loginMillis = 300;
            p.lineMillis = 300;
        },
        [](Connection& c) {
            c.write(request("0_1_4_64", "connect\nlogin\nadmin\nsecret-1\nfalse"));
            c.readLine(200);
            CHECK(c.readLine(200) == "OK");
            std::this_thread::sleep_for(std::chrono::milliseconds(800));
            c.write(request("0_1_4_64", "script\nuser"));
            c.readLine(200);
            CHECK(c.readLine(200) == "OK");
        });
}

TEST_CASE("a connection of HTTP stays with who is logged in, and leaves a stranger") {
    Fixture fixture(false);
    fixture.policy.loginMillis = 1000;
    const auto connection = fixture.raw();
    // The session of the answer; 0 when it is an error.
    const auto ask = [&](const std::string& session, const std::string& function) {
        const std::string body = R"({"sessionID":")" + session + R"(","functionName":")" + function + R"("})";
        connection->write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
                          "\r\n\r\n" + body);
        size_t length = 0;
        for (std::string line = connection->readLine(1000); line != "\r"; line = connection->readLine(1000)) {
            if (line.starts_with("Content-Length: ")) length = std::stoul(line.substr(16));
        }
        std::string answer(length, '\0');
        connection->read(answer.data(), length);
        const size_t at = answer.find("\"sessionID\":\"") + 13;
        return answer.find("\"resultCode\":\"0\"") == std::string::npos ? std::string("0")
                                                                        : answer.substr(at, answer.find('"', at) - at);
    };
    const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1500)); };
    const std::string session = ask("0", "version");
    REQUIRE(session != "0");
    fixture.sessions.setUser(std::stoll(session), fixture.access.principalOf("admin"));
    CHECK(ask(session, "version") == session);
    rest();
    CHECK(ask(session, "version") == session);
    fixture.sessions.setUser(std::stoll(session), fixture.access.principalOf("guest"));
    CHECK(ask(session, "version") == session);
    rest();
    CHECK_THROWS_AS(ask(session, "version"), SystemError);
}

TEST_CASE("idle unauthenticated clients do not lock others out for good, and a refusal is a line") {
    Fixture f(false);
    f.policy.maxUnauthenticated = 4;
    SECTION("silent ones make way") {
        std::vector<std::unique_ptr<Connection>> idle;
        for (int i = 0; i < 100; ++i) idle.push_back(f.raw());
        CHECK(Client(f.options("admin", "secret-1")).run("user").string() == "admin");
        CHECK_THAT(errorLine(*idle[0]), Catch::Contains("Too many connections wait for a login"));
        CHECK(f.identity.connections < 20);
    }
    SECTION("who speaks and does not log in keeps the place for its time") {
        std::vector<std::unique_ptr<Connection>> idle;
        for (int i = 0; i < 4; ++i) {
            idle.push_back(f.raw());
            idle.back()->write(request("0_1_4_64", "connect\n"));
            CHECK(errorLine(*idle.back()) == "OK");
        }
        const auto refused = f.raw();
        refused->write(request("0_1_4_64", "connect\n"));
        CHECK_THAT(errorLine(*refused), Catch::Contains("Too many connections wait for a login"));
        idle.pop_back();
        CHECK(eventually([&] {
            try {
                return Client(f.options("admin", "secret-1")).run("user").string() == "admin";
            } catch (const Error&) {
                return false;
            }
        }));
    }
}

TEST_CASE("the last places are kept for administrators") {
    WordHost host;
    SessionRegistry sessions;
    const auto store = memoryMetaStore();
    ClientPolicy policy;
    AccessControl access{*store, *store, policy};
    access.setPassword("admin", "secret-1");
    access.setPassword("alice", "secret-2");
    NodeIdentity identity;
    identity.maxConnections = 2;
    Server server("127.0.0.1", 0, identity, ServerParts{host, sessions, access, policy});
    server.start();
    const auto login = [&](const std::string& user, const std::string& password) {
        ClientOptions options;
        options.port = server.port();
        options.user = user;
        options.password = password;
        return std::make_unique<Client>(options);
    };
    const auto first = login("alice", "secret-2");
    const auto second = login("alice", "secret-2");
    CHECK_THROWS_WITH(login("alice", "secret-2"), Catch::Contains("only an administrator"));
    std::vector<std::unique_ptr<Client>> administrators;
    REQUIRE(eventually([&] { return identity.connections == 2; }));
    for (int i = 0; i < policy.administratorPlaces; ++i) administrators.push_back(login("admin", "secret-1"));
    CHECK(administrators[0]->run("user").string() == "admin");
    CHECK_THROWS_WITH(login("admin", "secret-1"), Catch::Contains("raise maxConnections"));
    CHECK(first->run("user").string() == "alice");
}

TEST_CASE("an error that ends the connection is read, whatever the client still sends") {
    Fixture f;
    const auto connection = f.raw();
    connection->write(request("32_1_4_64", "function\nsecond\n1\n1") + std::string("\xff\0", 2) +
                      std::string(4 << 20, 'x'));
    CHECK_THAT(errorLine(*connection), Catch::Contains("no value"));
}
