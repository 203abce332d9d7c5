#include "server/access/authentication.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "common/error.h"

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

TEST_CASE("passwords are checked, changed and survive a restart") {
    Folder folder;
    {
        UserDirectory users(folder.file());
        CHECK_FALSE(users.hasUser("admin"));
        users.setPassword("admin", "first-one");
        CHECK(users.verify("admin", "first-one"));
        CHECK(users.verify("admin", "first-one"));
        CHECK_FALSE(users.verify("admin", "first-onf"));
        users.setPassword("admin", "second-one");
        CHECK_FALSE(users.verify("admin", "first-one"));
    }
    UserDirectory again(folder.file());
    CHECK(again.hasUser("admin"));
    CHECK(again.verify("admin", "second-one"));
    CHECK_FALSE(again.verify("admin", ""));
    CHECK_FALSE(again.verify("", ""));
}

TEST_CASE("the file holds no password and is its owner's alone") {
    Folder folder;
    UserDirectory users(folder.file());
    users.setPassword("admin", "open-sesame");
    std::ifstream file(folder.file());
    std::stringstream text;
    text << file.rdbuf();
    CHECK(text.str().find("open-sesame") == std::string::npos);
    const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    CHECK((std::filesystem::status(folder.file()).permissions() & others) == std::filesystem::perms::none);
}

TEST_CASE("a damaged file of users is an error that names it") {
    Folder folder;
    std::ofstream(folder.file()) << "{\"admin\": 3}";
    CHECK_THROWS_WITH(UserDirectory(folder.file()), Catch::Contains(folder.file()));
}

TEST_CASE("passwords that are too short are refused") {
    UserDirectory users("");
    CHECK_THROWS_AS(users.setPassword("admin", "12345"), UserError);
    CHECK_FALSE(users.hasUser("admin"));
}

TEST_CASE("random passwords differ") {
    CHECK(UserDirectory::randomPassword() != UserDirectory::randomPassword());
}

TEST_CASE("B04: a password that was right before is checked while others are being guessed") {
    UserDirectory users("");
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

TEST_CASE("B04: a crowd of logins is refused beyond a bound, and then served again") {
    UserDirectory users("");
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
