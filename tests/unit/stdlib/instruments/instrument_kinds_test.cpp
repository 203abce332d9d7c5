// Kinds of instruments.
#include "stdlib/instruments/instrument_kinds.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a kind is told by all members that classify it") {
    const Value bond = bondOf(), own = dictionaryOf({{"productType", text("UserDefined")}});
    CHECK(instrumentKind(Description(bond, 0, "It"), 0).members.size() == 15);
    CHECK(instrumentKind(Description(own, 0, "It"), 0).members.empty());
    const Value other = dictionaryOf({{"productType", text("Cash")}, {"assetType", text("Bond")}});
    CHECK_THROWS_AS(instrumentKind(Description(other, 0, "It"), 0), UserError);
}
