#include "streaming/replay/row_message.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/value/print.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> made(std::string_view script) {
    return tableToRead(testing::wholeProcess().run(script));
}

}  // namespace

TEST_CASE("a row is its values in order: strings end with zero, a BLOB begins with its length, an array with a block") {
    const Ref<MemoryTable> rows = made(
        "t = table(5 6 as i, `a`bc as s, blob(`x`) as b); t = table(1:0, `i`s`b`v, [SHORT, SYMBOL, BLOB, INT[]]); "
        "t.append!(table([5h] as i, [`bc] as s, [blob('xyz')] as b, array(INT[], 0).append!([[1, 2]]) as v)); t");
    const Ref<Vector> messages = rowMessages(*rows);
    REQUIRE(messages->string(0) == std::string_view("\x05\0bc\0\x03\0\0\0xyz\x01\0\x01\0\x02\x01\0\0\0\x02\0\0\0", 25));
}

TEST_CASE("rows of every type come back from their messages") {
    const Ref<MemoryTable> rows = made(
        "table(true false as b, 'a' 'b' as c, 1h 2h as h, 3 NULL as i, 4 5l as l, 2024.01.01 2024.01.02 as d, "
        "12:00:00.001 12:00:00.002 as t, 2024.01.01T00:00:00.000000001 NULL as n, 1.5f 2.5f as f, 1.5 NULL as x, "
        "`p`q as s, symbol(`r`s) as y, decimal64([1.25, 3.5], 2) as m, uuid(rand(uuid(), 2)) as u)");
    const Ref<Vector> messages = rowMessages(*rows);
    const Ref<MemoryTable> again = rowsOfMessages(rows->columns(), *messages, {0, 1});
    REQUIRE(display(Value::of(Ref<Table>(again))) == display(Value::of(Ref<Table>(rows))));
    REQUIRE(rowsOfMessages(rows->columns(), *messages, {1})->rowCount() == 1);
    // A message that is cut anywhere, or too long, is refused.
    const std::string whole(messages->string(0));
    for (size_t size = 0; size <= whole.size() + 1; ++size) {
        const Ref<Vector> cut = Vector::make(Type::Blob, 1);
        cut->setString(0, (whole + "?").substr(0, size));
        if (size == whole.size()) {
            REQUIRE_NOTHROW(rowsOfMessages(rows->columns(), *cut, {0}));
        } else {
            REQUIRE_THROWS_AS(rowsOfMessages(rows->columns(), *cut, {0}), UserError);
        }
    }
}

TEST_CASE("columns of mixed values have no form in a message") {
    REQUIRE_THROWS_AS(rowMessages(*made("t = table(1:0, `x`y, [INT, ANY]); t")), UserError);
}
