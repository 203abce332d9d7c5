#include "server/access/access_control.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "common/error.h"
#include "server/access/client_policy.h"
#include "server/access/password_hash.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

struct Folder {
    Folder() {
        char name[] = "/tmp/pelorus_users_XXXXXX";
        path = ::mkdtemp(name);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file() const { return path + "/users.json"; }
    std::string path;
};

}  // namespace

namespace {

struct Users {
    std::unique_ptr<MetaStore> store = memoryMetaStore();
    ClientPolicy policy;
    AccessControl control{*store, *store, policy};
};

std::string describe(const AccessObject& object) {
    return object.key();
}

const AccessObject kTable{AccessObject::Kind::Table, "dfs://db", 7};
const AccessObject kDatabase{AccessObject::Kind::Database, "dfs://db"};
const SecuredObject kAsked{
    .kind = SecuredObject::Kind::Table, .database = "dfs://db", .name = "t", .table = 7, .owner = "bob"};

}  // namespace

TEST_CASE("of nodes that start at the same time one makes the administrator") {
    Users users;
    AccessControl other(*users.store, *users.store, users.policy);
    CHECK(users.control.makeAdministrator("first-one"));
    CHECK_FALSE(other.makeAdministrator("second-one"));
    CHECK(other.verify("admin", "first-one"));
    CHECK_FALSE(other.verify("admin", "second-one"));
}

TEST_CASE("passwords are checked, changed and known to whoever opens the store again") {
    Users users;
    CHECK_FALSE(users.control.hasUser("admin"));
    users.control.setPassword("admin", "first-one");
    CHECK(users.control.verify("admin", "first-one"));
    CHECK(users.control.verify("admin", "first-one"));
    CHECK_FALSE(users.control.verify("admin", "first-onf"));
    users.control.setPassword("admin", "second-one");
    CHECK_FALSE(users.control.verify("admin", "first-one"));
    AccessControl again(*users.store, *users.store, users.policy);
    CHECK(again.verify("admin", "second-one"));
    CHECK_FALSE(again.verify("admin", ""));
    CHECK_FALSE(again.verify("", ""));
}

TEST_CASE("the store holds no password") {
    Users users;
    users.control.setPassword("admin", "open-sesame");
    for (const MetaEntry& entry : users.store->range("").entries) {
        CHECK(entry.value.find("open-sesame") == std::string::npos);
    }
}

TEST_CASE("users of a former version are taken over once") {
    Folder folder;
    Users users;
    const std::string salt(16, 's');
    std::ofstream(folder.file()) << "{\"admin\": {\"salt\": \"" << toHex(salt) << "\", \"scrypt\": \""
                                 << toHex(hashPassword("old-secret", salt)) << "\"}}";
    users.control.takeOver(folder.file());
    CHECK(users.control.verify("admin", "old-secret"));
    CHECK_FALSE(std::filesystem::exists(folder.file()));
    users.control.takeOver(folder.file());
    std::ofstream(folder.file()) << "{\"admin\": 3}";
    CHECK_THROWS_WITH(users.control.takeOver(folder.file()), Catch::Contains(folder.file()));
    CHECK(std::filesystem::exists(folder.file()));
}

TEST_CASE("rights of users and groups come together, and a denial wins") {
    Users users;
    users.control.createUser("bob", "secret-1", {}, false);
    users.control.createUser("eve", "secret-1", {}, false);
    users.control.createGroup("desk", {"eve"});
    const auto may = [&] { return users.control.principalOf("eve")->may(Right::Read, kAsked); };
    const auto set = [&](const char* holder, RightVerb verb, const AccessObject& object) {
        users.control.changeRights(holder, verb, setOf(Right::Read), {object}, describe);
    };
    CHECK_FALSE(may());
    CHECK(users.control.principalOf("bob")->may(Right::Read, kAsked));
    set("desk", RightVerb::Grant, kDatabase);
    CHECK(may());
    set("eve", RightVerb::Deny, kTable);
    CHECK_FALSE(may());
    set("eve", RightVerb::Grant, AccessObject{});
    CHECK(may());
    set("desk", RightVerb::Deny, kTable);
    CHECK_FALSE(may());
    set("desk", RightVerb::Revoke, kTable);
    CHECK_FALSE(may());
    set("desk", RightVerb::Revoke, kDatabase);
    CHECK(may());
    set("desk", RightVerb::Deny, AccessObject{});
    CHECK_FALSE(may());
    CHECK_THROWS_WITH(set("desk", RightVerb::Grant, kTable), Catch::Contains("Invalid grant"));
    users.control.deleteGroup("desk");
    CHECK(may());
    set("bob", RightVerb::Deny, kTable);
    CHECK_FALSE(users.control.principalOf("bob")->may(Right::Read, kAsked));
}

TEST_CASE("what belonged to a deleted user is not inherited by one of the same name") {
    Users users;
    users.control.createUser("eve", "secret-1", {}, false);
    users.control.changeRights("eve", RightVerb::Grant, setOf(Right::Read), {AccessObject{}}, describe);
    const std::string ticket = users.control.makeTicket("eve", int64_t{1} << 40);
    CHECK(users.control.userOfTicket(ticket) == "eve");
    users.control.deleteUser("eve");
    CHECK_THROWS_WITH(users.control.principalOf("eve"), Catch::Contains("no longer exists"));
    users.control.createUser("eve", "secret-1", {}, false);
    CHECK_FALSE(users.control.principalOf("eve")->may(Right::Read, kAsked));
    CHECK_FALSE(users.control.userOfTicket(ticket));
}

TEST_CASE("a ticket is void after a change of the password, its time, or one of its bytes") {
    Users users;
    users.control.createUser("eve", "secret-1", {}, false);
    const std::string ticket = users.control.makeTicket("eve", int64_t{1} << 40);
    AccessControl other(*users.store, *users.store, users.policy);
    CHECK(other.userOfTicket(ticket) == "eve");
    CHECK_FALSE(users.control.userOfTicket(users.control.makeTicket("eve", 1000)));
    for (size_t i = 0; i < ticket.size(); ++i) {
        std::string changed = ticket;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        CHECK_FALSE(users.control.userOfTicket(changed));
    }
    CHECK_FALSE(users.control.userOfTicket(""));
    CHECK_FALSE(users.control.userOfTicket(std::string(100'000, 'A')));
    users.control.setPassword("eve", "secret-2");
    CHECK_FALSE(users.control.userOfTicket(ticket));
}

TEST_CASE("passwords that are too short are refused") {
    Users own;
    AccessControl& users = own.control;
    CHECK_THROWS_AS(users.setPassword("admin", "12345"), UserError);
    CHECK_FALSE(users.hasUser("admin"));
}

TEST_CASE("random passwords differ") {
    CHECK(randomPassword() != randomPassword());
}

TEST_CASE("a password that was right before is checked while others are being guessed") {
    Users own;
    AccessControl& users = own.control;
    users.setPassword("alice", "secret-1");
    REQUIRE(users.verify("alice", "secret-1"));
    std::atomic<bool> stop{false};
    std::atomic<int> guesses{0}, right{0};
    std::vector<std::thread> guessing;
    for (int i = 0; i < 8; ++i) {
        guessing.emplace_back([&] {
            while (!stop) {
                right += users.verify("alice", "wrong");
                ++guesses;
            }
        });
    }
    while (guesses < 8) std::this_thread::yield();
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) CHECK(users.verify("alice", "secret-1"));
    const auto spent = std::chrono::steady_clock::now() - before;
    stop = true;
    for (std::thread& thread : guessing) thread.join();
    CHECK(right == 0);
    // Eight guesses take 400 ms of two cores.
    CHECK(spent < std::chrono::milliseconds(300));
}

TEST_CASE("a crowd of logins is refused beyond a bound, and then served again") {
    Users own;
    AccessControl& users = own.control;
    users.setPassword("alice", "secret-1");
    std::atomic<int> refused{0}, wrong{0};
    std::vector<std::thread> crowd;
    for (int i = 0; i < 100; ++i) {
        crowd.emplace_back([&] {
            try {
                users.verify("alice", "wrong");
                ++wrong;
            } catch (const UserError&) {
                ++refused;
            }
        });
    }
    for (std::thread& thread : crowd) thread.join();
    CHECK(wrong >= 66);
    CHECK(wrong + refused == 100);
    CHECK(users.verify("alice", "secret-1"));
}
