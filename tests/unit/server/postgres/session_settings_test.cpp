#include "server/postgres/session_settings.h"

#include <catch2/catch.hpp>

#include "common/time/time_zone.h"
#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

template <class Work>
std::string stateOf(Work work) {
    try {
        work();
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

}  // namespace

TEST_CASE("settings are found whatever their case, and values are checked") {
    SessionSettings settings;
    CHECK(settings.get("datestyle") == "ISO, MDY");
    settings.set("DATESTYLE", "iso, dmy");
    CHECK(settings.get("DateStyle") == "ISO, DMY");
    settings.set("client_encoding", "'utf-8'");
    CHECK(settings.get("client_encoding") == "UTF8");
    settings.set("jit", "YES");
    CHECK(settings.get("jit") == "on");
    settings.set("my.own", "x");
    CHECK(settings.get("My.Own") == "x");
    settings.set("timezone", "Asia/Shanghai");
    CHECK(settings.get("time zone") == "Asia/Shanghai");
    for (const auto& [given, shown] : {std::pair("+02:00", "+02:00"), std::pair("2", "<+02>-02"),
                                       std::pair("-3.5", "<-03:30>+03:30"), std::pair("FOO+3", "FOO+3")}) {
        settings.set("timezone", given);
        CHECK(settings.get("timezone") == shown);
    }
    CHECK(zoneOfSetting("+02:00")->offsetAt(0) == -7200);
    CHECK(zoneOfSetting("<-03:30>+03:30")->offsetAt(0) == -12'600);
    settings.set("statement_timeout", "2min");
    CHECK(settings.millis("statement_timeout") == 120'000);
    CHECK(stateOf([&] { settings.get("nonsense"); }) == "42704");
    CHECK(stateOf([&] { settings.set("nonsense", "1"); }) == "42704");
    CHECK(stateOf([&] { settings.set("client_encoding", "LATIN1"); }) == "22023");
    for (const char* none : {"Mars/Base", "169", "25:00", "+x", "", "nan"})
        CHECK(stateOf([&] { settings.set("timezone", none); }) == "22023");
    CHECK(stateOf([&] { settings.set("statement_timeout", "-1"); }) == "22023");
    CHECK(stateOf([&] { settings.set("statement_timeout", "5 weeks"); }) == "22023");
    CHECK(stateOf([&] { settings.set("server_version", "16"); }) == "55P02");
    CHECK(stateOf([&] { settings.set("default_transaction_isolation", "serializable"); }) == "0A000");
}

TEST_CASE("a rollback takes back what a transaction set, a commit what it set for itself") {
    SessionSettings settings;
    settings.set("application_name", "before");
    settings.begin();
    settings.set("application_name", "within");
    settings.set("work_mem", "1GB", true);
    CHECK(settings.get("work_mem") == "1GB");
    settings.rollback();
    CHECK(settings.get("application_name") == "before");
    CHECK(settings.get("work_mem") == "4MB");
    settings.begin();
    settings.set("application_name", "kept");
    settings.set("work_mem", "1GB", true);
    settings.savepoint();
    settings.set("application_name", "lost");
    settings.rollbackTo(0);
    CHECK(settings.get("application_name") == "kept");
    settings.release(0);
    settings.commit();
    CHECK(settings.get("application_name") == "kept");
    CHECK(settings.get("work_mem") == "4MB");
}

TEST_CASE("a statement outside of a block has what transactions to come have") {
    SessionSettings settings;
    CHECK(settings.get("transaction_isolation") == "read committed");
    settings.set("default_transaction_isolation", "repeatable read");
    settings.set("default_transaction_read_only", "on");
    CHECK(settings.get("transaction_isolation") == "repeatable read");
    CHECK(settings.get("transaction_read_only") == "on");
    settings.begin();
    settings.set("transaction_read_only", "off", true);
    CHECK(settings.get("transaction_read_only") == "off");
    settings.commit();
    CHECK(settings.get("transaction_read_only") == "on");
}

TEST_CASE("reset returns to what the session began with, and clients hear of changes once") {
    SessionSettings settings;
    applyOptions(settings, "-c work_mem=7MB --application-name=my\\ tool -cjit=on");
    settings.keepAsInitial();
    CHECK(settings.get("application_name") == "my tool");
    CHECK(!settings.takeReports().empty());
    CHECK(settings.takeReports().empty());
    settings.set("application_name", "other");
    settings.set("work_mem", "1MB");
    CHECK(settings.takeReports() == std::vector<std::pair<std::string, std::string>>{{"application_name", "other"}});
    settings.resetAll();
    CHECK(settings.get("application_name") == "my tool");
    CHECK(settings.get("work_mem") == "7MB");
    CHECK(stateOf([&] { applyOptions(settings, "-x"); }) == "42601");
}

TEST_CASE("the search path is read as names") {
    SessionSettings settings;
    CHECK(settings.searchPath() == std::vector<std::string>{"$user", "public"});
    settings.set("search_path", "Trades, \"a, \"\"b\", c");
    CHECK(settings.searchPath() == std::vector<std::string>{"trades", "a, \"b", "c"});
}

TEST_CASE("all settings stand once, with a value that they take") {
    for (const SettingFacts& facts : allSettings()) {
        SessionSettings settings;
        INFO(facts.name);
        if (facts.kind != SettingKind::ReadOnly) settings.set(facts.name, facts.initial);
        CHECK(settings.get(facts.name) == facts.initial);
    }
}
