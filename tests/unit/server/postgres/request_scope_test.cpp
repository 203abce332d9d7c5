#include "server/postgres/request_scope.h"

#include <catch2/catch.hpp>

#include "server/session/request_slot.h"
#include "tests/unit/server/postgres/sent_answer.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

// The parts of a server with one session, of the administrator.
struct OneSession {
    std::array<int, 2> ends{};
    std::unique_ptr<Connection> connection;
    struct Host final : ScriptHost {
        std::unique_ptr<ScriptSession> newSession() override { return nullptr; }
        std::shared_ptr<const Principal> principalOf(const std::string&) override { return Principal::owner(); }
    } host;
    Services services;
    SessionRegistry sessions;
    std::unique_ptr<MetaStore> store = memoryMetaStore();
    ClientPolicy policy;
    AccessControl access{*store, *store, policy};
    ServerParts server{host, sessions, access, policy};
    RequestSlot slot;
    int64_t id = sessions.open("127.0.0.1", 1);

    OneSession() {
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        connection = std::make_unique<Connection>(ends[0]);
        server.services = &services;
        access.makeAdministrator("secret");
        sessions.setUser(id, access.principalOf("admin"));
    }
    ~OneSession() { ::close(ends[1]); }
};

}  // namespace

TEST_CASE("a request is listed while it is open, and says why it was cancelled") {
    OneSession one;
    RequestScope scope({*one.connection, one.server, one.slot, one.id});
    CHECK_FALSE(one.slot.isBusy());
    Context& context = scope.open("select 1", 0);
    CHECK(&scope.open("select 2", 0) == &context);
    CHECK(one.sessions.status(one.id).running.description == "select 1");
    CHECK(context.principal().user() == "admin");
    context.request->print("hello");
    CHECK(scope.takePrinted() == std::vector<std::string>{"hello"});
    CHECK(scope.failed(UserError("It failed.")).message.empty());
    one.slot.cancelIf([] { return true; });
    CHECK(scope.failed(UserError("The task was cancelled.")).state == "57014");
    scope.close();
    CHECK_FALSE(one.slot.isBusy());
    CHECK(one.server.state->failures == 2);
}

TEST_CASE("a request ends at the limit of its session, and none begins while the server stops") {
    OneSession one;
    RequestScope scope({*one.connection, one.server, one.slot, one.id});
    scope.open("select 1", 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    one.slot.tend(0);
    CHECK(scope.failed(UserError("The task was cancelled.")).message == "canceling statement due to statement timeout");
    scope.close();
    one.server.state->isStopping = true;
    CHECK_THROWS_WITH(scope.open("select 1", 0), Catch::Contains("administrator command"));
}

TEST_CASE("bytes that a client has not read are recorded until the scope ends") {
    OneSession one;
    {
        RequestScope scope({*one.connection, one.server, one.slot, one.id});
        scope.open("select 1", 0);
        scope.holdAnswer(1 << 20);
        CHECK(one.sessions.status(one.id).answerBytes == 1 << 20);
    }
    CHECK(one.sessions.status(one.id).answerBytes == 0);
}
