#include "server/postgres/copy_out.h"

#include <catch2/catch.hpp>

#include "runtime/table/table.h"
#include "server/postgres/answer_writer.h"
#include "tests/unit/server/postgres/sent_answer.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

namespace {

const std::vector<OutputColumn> kColumns = {{.label = "n", .type = oid::kInt4}, {.label = "s,x", .type = oid::kText}};

Answer copy(const CopyForm& form) {
    const auto rows =
        makeRef<MemoryTable>(std::vector<std::string>{"a", "b"},
                             std::vector<Value>{Value::of(Vector::of<int32_t>(Type::Int, {1, null<int32_t>})),
                                                Value::of(Vector::ofStrings({"a\t\"b\\", ""}))});
    return Answer(sentBy([&](AnswerWriter& out) {
        Services services;
        Request request(Principal::owner());
        Context context(services, request);
        copyOut(out, *rows, kColumns, form, {}, context);
    }));
}

std::string copied(const CopyForm& form) {
    std::string all;
    const Answer answer = copy(form);
    CHECK(answer.messages.front().first == 'H');
    CHECK(answer.messages.back().first == 'c');
    for (const auto& [letter, body] : answer.messages)
        if (letter == 'd') all += body;
    return all;
}

CopyForm formOf(std::vector<Option> options) {
    Statement statement;
    statement.options = std::move(options);
    return copyFormOf(statement);
}

}  // namespace

TEST_CASE("rows are copied as text, CSV and binary") {
    CHECK(copied({}) == "1\ta\\t\"b\\\\\n\\N\t\\N\n");
    CHECK(copied(formOf({{"format", "csv"}, {"header", ""}})) == "n,\"s,x\"\n1,\"a\t\"\"b\\\"\n,\n");
    CHECK(copied(formOf({{"format", "csv"}, {"force_quote", "n"}, {"null", "-"}, {"delimiter", ";"}})) ==
          "\"1\";\"a\t\"\"b\\\"\n-;-\n");
    const std::string binary = copied(formOf({{"format", "binary"}}));
    CHECK(binary.starts_with(std::string("PGCOPY\n\xff\r\n\0", 11)));
    CHECK(binary.substr(19) == std::string("\0\2\0\0\0\4\0\0\0\1\0\0\0\5"
                                           "a\t\"b\\"
                                           "\0\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
                                           31));
}

TEST_CASE("a message holds a row: the signature is in the first one") {
    const Answer answer = copy(formOf({{"format", "binary"}}));
    std::vector<std::string> sizes;
    for (const auto& [letter, body] : answer.messages)
        if (letter == 'd') sizes.push_back(std::to_string(body.size()));
    CHECK(sizes == std::vector<std::string>{"38", "10", "2"});
}

TEST_CASE("a value that looks like a mark is quoted") {
    std::string out;
    appendCsv(out, "", formOf({{"format", "csv"}}), false, false);
    appendCsv(out, "\\.", formOf({{"format", "csv"}}), false, true);
    CHECK(out == "\"\"\"\\.\"");
}
