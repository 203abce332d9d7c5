#include "net/debug_call.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;
using Kind = DebugArgument::Kind;

namespace {

std::string head(uint8_t form, Type type) {
    return {static_cast<char>(type), static_cast<char>(form)};
}
template <class T>
std::string raw(T x) {
    return {reinterpret_cast<const char*>(&x), sizeof x};
}
std::string scalar(int32_t x) {
    return head(0, Type::Int) + raw(x);
}
std::string scalar(const std::string& x) {
    return head(0, Type::String) + x + '\0';
}
std::string vectorOf(Type type, int32_t count, const std::string& elements) {
    return head(1, type) + raw(count) + raw(int32_t{1}) + elements;
}
std::string strings(const std::vector<std::string>& elements) {
    std::string bytes;
    for (const std::string& element : elements) bytes += element + '\0';
    return vectorOf(Type::String, static_cast<int32_t>(elements.size()), bytes);
}
std::string callOf(const std::vector<std::string>& keys, const std::vector<std::string>& values) {
    std::string bytes;
    for (const std::string& value : values) bytes += value;
    return head(5, Type::Any) + strings(keys) + vectorOf(Type::Any, static_cast<int32_t>(values.size()), bytes);
}

DebugCall read(const std::string& bytes, int64_t limit = 10'000) {
    StringSource source(bytes);
    DebugCall call = readDebugCall(source, limit);
    CHECK(source.atEnd());
    return call;
}

std::string refusal(const std::string& bytes, int64_t limit = 10'000) {
    try {
        read(bytes, limit);
    } catch (const UserError& error) {
        return error.what();
    }
    return "it was taken";
}

}  // namespace

TEST_CASE("a call has its number, its function and an argument of the forms that it takes") {
    const std::string numbers = vectorOf(Type::Int, 2, raw(int32_t{7}) + raw(int32_t{8}));
    const DebugCall call = read(callOf({"id", "func", "data"}, {scalar(5), scalar("stepInto"), numbers}));
    CHECK(call.id == 5);
    CHECK(call.function == "stepInto");
    CHECK(call.data.requireIntegers() == std::vector<int32_t>{7, 8});
    CHECK(call.data.elements().size() == 2);
    CHECK(call.data.elements()[1].requireInteger() == 8);
    CHECK_THROWS_WITH(call.data.requireString(), "An argument of the call must be a string.");
    CHECK_THROWS_WITH(call.data.requireStrings(), "An argument of the call must be a list of strings.");
    CHECK_THROWS_WITH(call.data.requireInteger(), "An argument of the call must be an integer.");
    // Values of one type come as a vector of it.
    const DebugCall plain = read(head(5, Type::Any) + strings({"func", "data"}) + strings({"pause", "x"}));
    CHECK(plain.function == "pause");
    CHECK(plain.data.requireString() == "x");
    CHECK_THROWS_WITH(plain.data.elements(), "An argument of the call must be a list.");
}

TEST_CASE("an empty list of any kind is an empty list of all") {
    for (const Type type : {Type::Int, Type::String, Type::Any}) {
        const DebugCall call = read(callOf({"func", "data"}, {scalar("f"), vectorOf(type, 0, "")}));
        CHECK(call.data.requireIntegers().empty());
        CHECK(call.data.requireStrings().empty());
        CHECK(call.data.elements().empty());
    }
    const DebugCall none = read(callOf({"func"}, {scalar("f")}));
    CHECK(none.data.kind == Kind::Nothing);
}

TEST_CASE("what is no call is refused, and a length that is claimed costs nothing") {
    CHECK(refusal(scalar(1)) == "A call of the debugger is malformed: it is no dictionary.");
    CHECK(refusal(callOf({"id"}, {scalar(1)})) == "A call of the debugger is malformed: it names no function.");
    CHECK(refusal(callOf({"func", "id"}, {scalar("f")})) ==
          "A call of the debugger is malformed: it has not one value for each key.");
    CHECK(refusal(callOf({"func", "data"}, {scalar("f"), head(0, Type::Double) + raw(1.0)})) ==
          "A call of the debugger is malformed: an argument is of no type that it takes.");
    CHECK(refusal(callOf({"func", "data"}, {scalar("f"), vectorOf(Type::Int, -1, "")})) ==
          "A call of the debugger is malformed: a vector has no valid length.");
    const std::string claimed = callOf({"func", "data"}, {scalar("f"), vectorOf(Type::Int, INT32_MAX, "")});
    CHECK_THROWS(read(claimed + std::string(20'000, '\0')));
    const std::string many = vectorOf(Type::Int, 100, std::string(400, '\0'));
    CHECK(refusal(callOf({"data", "func"}, {many, scalar("f")}), 200) ==
          "A call of the debugger is malformed: it is too long; log in first, or raise maxRequestBytes.");
    CHECK(refusal(callOf({"func"}, {scalar(std::string(500, 'x'))}), 100) != "it was taken");
    std::string nested = scalar(1);
    for (int depth = 0; depth < 6; ++depth) nested = vectorOf(Type::Any, 1, nested);
    CHECK(refusal(callOf({"func", "data"}, {scalar("f"), nested})) ==
          "A call of the debugger is malformed: its lists are nested too deep.");
}

TEST_CASE("a message has the length of its text before it and the objects behind it") {
    const std::string message = debugMessage({{"id", 1}}, "objects");
    CHECK(message == raw(uint32_t{8}) + "{\"id\":1}objects");
    CHECK(debugMessage("\xff").size() > 6);
}
