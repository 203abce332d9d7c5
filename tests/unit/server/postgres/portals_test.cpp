#include "server/postgres/portals.h"

#include <catch2/catch.hpp>

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

std::shared_ptr<const PreparedStatement> prepared(std::string text = "select 1") {
    auto statement = std::make_shared<PreparedStatement>();
    statement->text = std::move(text);
    return statement;
}

}  // namespace

TEST_CASE("nameless ones are replaced, named ones are not") {
    Portals portals;
    portals.addStatement("", prepared());
    portals.addStatement("", prepared());
    portals.addStatement("a", prepared());
    CHECK(stateOf([&] { portals.addStatement("a", prepared()); }) == "42P05");
    portals.addPortal("", std::make_shared<Portal>());
    portals.addPortal("", std::make_shared<Portal>());
    portals.addPortal("c", std::make_shared<Portal>());
    CHECK(stateOf([&] { portals.addPortal("c", std::make_shared<Portal>()); }) == "42P03");
    portals.closeStatements();
    CHECK(stateOf([&] { portals.statement("a"); }) == "26000");
    CHECK(portals.statement("") != nullptr);
    CHECK(portals.closePortal("c"));
    CHECK_FALSE(portals.closePortal("c"));
    CHECK(stateOf([&] { portals.portal("c"); }) == "34000");
}

TEST_CASE("cursors with hold outlive their transaction") {
    Portals portals;
    auto held = std::make_shared<Portal>();
    held->isWithHold = true;
    portals.addPortal("held", held);
    portals.addPortal("other", std::make_shared<Portal>());
    portals.closePortals(false);
    CHECK(portals.portalCount() == 1);
    portals.closePortals(true);
    CHECK(portals.portalCount() == 0);
}

TEST_CASE("a session has a bounded number of statements, and bytes of them") {
    Portals portals;
    portals.addStatement("long", prepared(std::string(65 << 20, 'x')));
    CHECK(stateOf([&] { portals.addStatement("more", prepared()); }) == "54000");
    portals.closeStatement("long");
    portals.addStatement("more", prepared());
    for (int i = 1; i < 10'000; ++i) portals.addStatement(std::to_string(i), prepared(""));
    CHECK(stateOf([&] { portals.addStatement("last", prepared("")); }) == "54000");
}

TEST_CASE("formats are one for all columns, or one for each") {
    Portal portal;
    CHECK_FALSE(isBinaryColumn(portal, 1));
    portal.isBinary = true;
    CHECK(isBinaryColumn(portal, 1));
    portal.formats = {0};
    CHECK_FALSE(isBinaryColumn(portal, 1));
    portal.formats = {0, 1};
    CHECK(isBinaryColumn(portal, 1));
}
