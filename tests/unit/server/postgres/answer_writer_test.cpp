#include "server/postgres/answer_writer.h"

#include <catch2/catch.hpp>

#include "server/postgres/portals.h"
#include "tests/unit/server/postgres/sent_answer.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

namespace {

Portal numbers(int32_t count) {
    auto prepared = std::make_shared<PreparedStatement>();
    prepared->columns = {{.label = "n", .type = oid::kInt4}, {.label = "n", .type = oid::kInt8}};
    Portal portal;
    portal.prepared = prepared;
    portal.formats = {0, 1};
    std::vector<int32_t> cells(static_cast<size_t>(count));
    for (int32_t i = 0; i < count; ++i) cells[static_cast<size_t>(i)] = i;
    const Value column = Value::of(Vector::of(Type::Int, cells));
    portal.rows = makeRef<MemoryTable>(std::vector<std::string>{"a", "b"}, std::vector<Value>{column, column});
    return portal;
}

}  // namespace

TEST_CASE("columns say their type and the format they are sent in") {
    const Portal portal = numbers(1);
    const Answer answer(sentBy([&](AnswerWriter& out) {
        out.writeColumns(portal.prepared->columns, &portal);
        out.writeParameters({oid::kText});
    }));
    CHECK(answer.bodies('T').at(0) ==
          "|\x02n||||||||||\x17|\x04\xff\xff\xff\xff||n||||||||||\x14|\x08\xff\xff\xff\xff|\x01");
    CHECK(answer.bodies('t').at(0) == "|\x01|||\x19");
}

TEST_CASE("rows are sent as they are asked for, however many") {
    const Portal portal = numbers(20'000);
    Services services;
    Request request(Principal::owner());
    Context context(services, request);
    const Answer answer(sentBy([&](AnswerWriter& out) {
        out.writeRows(portal, 19'998, 2, {}, context);
        out.writeRows(portal, 0, 19'998, {}, context);
    }));
    CHECK(answer.messages.size() == 20'000);
    CHECK(answer.bodies('D').at(0) ==
          "|\x02|||\x05"
          "19998|||\x08||||||N\x1e");
    request.cancelled = true;
    sentBy([&](AnswerWriter& out) { CHECK_THROWS_AS(out.writeRows(portal, 0, 20'000, {}, context), UserError); });
}
