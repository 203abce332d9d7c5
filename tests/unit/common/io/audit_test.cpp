// The audit log: events and changes, full disks, rotation, damaged ends.
#include "common/io/audit.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace pelorus {
namespace {

// Audits into a separate folder, and nothing at its end.
class AuditFixture {
public:
    AuditFixture() { options.file = folder.path() + "/audit.log"; }
    ~AuditFixture() { configureAudit({}); }
    std::vector<nlohmann::json> lines(int64_t most = 1000) const {
        std::vector<nlohmann::json> lines;
        readAuditLines(most, [&](std::string_view line) { lines.push_back(nlohmann::json::parse(line)); });
        return lines;
    }
    TemporaryFolder folder;
    AuditOptions options;
};

}  // namespace

TEST_CASE("nothing is audited before an audit log is configured") {
    AuditFixture fixture;
    audit({.operation = "login", .user = "eva"});
    AuditedChange change({.operation = "createUser", .user = "eva"});
    change.done();
    REQUIRE_FALSE(isAuditing());
    REQUIRE(fixture.lines().empty());
}

TEST_CASE("an audited event names its client") {
    AuditFixture fixture;
    fixture.options.node = "node1";
    configureAudit(fixture.options);
    const AuditOrigin origin({.user = "eva", .address = "10.0.0.7", .port = 4711, .session = 12});
    audit({.operation = "logout", .detail = "a \"quoted\"\nline \xff"});
    const auto lines = fixture.lines();
    REQUIRE(lines.size() == 1);
    REQUIRE(lines[0]["operation"] == "logout");
    REQUIRE(lines[0]["user"] == "eva");
    REQUIRE(lines[0]["address"] == "10.0.0.7");
    REQUIRE(lines[0]["port"] == 4711);
    REQUIRE(lines[0]["session"] == 12);
    REQUIRE(lines[0]["node"] == "node1");
    struct stat status {};
    REQUIRE(::stat(fixture.options.file.c_str(), &status) == 0);
    REQUIRE((status.st_mode & 0777) == 0600);
}

TEST_CASE("an audited change has an intent, and an outcome also when it fails") {
    AuditFixture fixture;
    configureAudit(fixture.options);
    {
        AuditedChange change({.kind = AuditKind::Data, .operation = "CREATE_DB", .user = "eva", .database = "dfs://d"});
        REQUIRE(fixture.lines().size() == 1);  // before the change is made
        change.done("tables=0");
    }
    { AuditedChange change({.operation = "createUser", .user = "eva"}); }
    const auto lines = fixture.lines();
    REQUIRE(lines.size() == 4);
    REQUIRE(lines[1]["change"] == lines[0]["change"]);
    REQUIRE(lines[1]["state"] == "done");
    REQUIRE(lines[1]["detail"] == "tables=0");
    REQUIRE(lines[3]["change"] == lines[2]["change"]);
    REQUIRE(lines[3]["state"] == "failed");
}

TEST_CASE("a full disk refuses a change before it is made, and no event") {
    configureAudit({.file = "/dev/full"});
    audit({.operation = "login", .user = "admin"});
    REQUIRE_THROWS_WITH(AuditedChange({.operation = "createUser", .user = "eva"}),
                        Catch::Matchers::Contains("Cannot write to the audit log /dev/full"));
    configureAudit({});
}

TEST_CASE("audited files are rotated, and read together up to a number of lines") {
    AuditFixture fixture;
    fixture.options.rotateBytes = 1000;
    fixture.options.keptFiles = 2;
    configureAudit(fixture.options);
    for (int i = 0; i < 100; ++i) audit({.operation = "login", .detail = std::to_string(i)});
    REQUIRE(std::filesystem::exists(fixture.options.file + ".2"));
    REQUIRE_FALSE(std::filesystem::exists(fixture.options.file + ".3"));
    const auto all = fixture.lines();
    REQUIRE(all.size() > 10);
    REQUIRE(all.size() < 100);
    for (size_t i = 0; i < all.size(); ++i) REQUIRE(all[i]["detail"] == std::to_string(100 - all.size() + i));
    REQUIRE(fixture.lines(5).size() == 5);
    REQUIRE(fixture.lines(5).back()["detail"] == "99");
}

TEST_CASE("half a line of a process that died does not spoil the next one") {
    AuditFixture fixture;
    std::ofstream(fixture.options.file) << "{\"time\":1,\"opera";
    configureAudit(fixture.options);
    audit({.operation = "login"});
    std::vector<std::string> lines;
    readAuditLines(10, [&](std::string_view line) { lines.emplace_back(line); });
    REQUIRE(lines.size() == 2);
    REQUIRE(nlohmann::json::parse(lines[1])["operation"] == "login");
}

}  // namespace pelorus
