#include "runtime/serialize/arrow_payload.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/mixed_table.h"

namespace pelorus {

using namespace testing;

TEST_CASE("a table of a client in Arrow's format is decoded up to its end mark") {
    const Ref<MemoryTable> table = mixedTable(50);
    GatheredBytes gathered;
    REQUIRE(encodeArrowTable(Value::of(Ref<Table>(table)), gathered));
    std::string bytes = gathered.joined();
    const size_t size = bytes.size();
    bytes += "what follows";
    StringSource source(bytes);
    const Value back = decodeValue(source, Peer::Client);
    CHECK(source.position() == size);
    CHECK(firstDifference(*table, static_cast<const MemoryTable&>(back.table())) == "");
}

TEST_CASE("damaged payloads, and those before login, are refused") {
    GatheredBytes gathered;
    REQUIRE(encodeArrowTable(Value::of(Ref<Table>(mixedTable(5))), gathered));
    const std::string bytes = gathered.joined();
    StringSource beforeLogin(bytes);
    CHECK_THROWS_AS(decodeValue(beforeLogin, Peer::Login), UserError);
    std::string damaged = bytes;
    damaged[9] = '\x7f';  // the length of the first message
    StringSource source(damaged);
    CHECK_THROWS_AS(decodeValue(source, Peer::Client), Error);
    StringSource cut(std::string_view(bytes).substr(0, bytes.size() - 9));
    CHECK_THROWS_AS(decodeValue(cut, Peer::Client), Error);
}

TEST_CASE("what Arrow has no counterpart of is left to the native format") {
    GatheredBytes bytes;
    bytes.append("before");
    CHECK_FALSE(encodeArrowTable(Value::ofInt(1), bytes));
    auto table = makeRef<MemoryTable>();
    table->setColumn("a", Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofInt(1)})));
    CHECK_FALSE(encodeArrowTable(Value::of(Ref<Table>(table)), bytes));
    CHECK(bytes.joined() == "before");
}

}  // namespace pelorus
