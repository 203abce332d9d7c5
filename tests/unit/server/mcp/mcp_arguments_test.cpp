// The arguments of users' tools: their schemas, and what is refused.
#include "server/mcp/mcp_arguments.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/value/print.h"

using namespace pelorus;

namespace {

McpEntry toolOf(const std::string& type, bool isOptional = false) {
    McpEntry tool;
    tool.name = "f";
    tool.arguments = {{"x", type, isOptional}};
    return tool;
}

std::string shown(const std::string& type, const std::string& json) {
    const std::vector<Value> arguments = mcpArguments(toolOf(type), McpJson::parse(R"({"x":)" + json + "}"));
    return typeString(arguments.at(0)) + " " + display(arguments.at(0));
}

std::string refusal(const std::string& type, const std::string& json) {
    try {
        shown(type, json);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("arguments of tools become values of their types") {
    CHECK(shown("number", "3") == "DOUBLE 3");
    CHECK(shown("DOUBLE", "1.5") == "DOUBLE 1.5");
    CHECK(shown("integer", "9007199254740993") == "LONG 9007199254740993");
    CHECK(shown("LONG", "2.0") == "LONG 2");
    CHECK(shown("BOOL", "true") == "BOOL true");
    CHECK(shown("string", R"("a")") == "STRING a");
    CHECK(shown("TEMPORAL", R"("2024-01-31")") == "DATE 2024.01.31");
    CHECK(shown("temporal", R"("2024.01.31T09:30:00.5")") == "TIMESTAMP 2024.01.31T09:30:00.500");
    CHECK(shown("DATE", R"("2024.01.31")") == "DATE 2024.01.31");
    CHECK(shown("array<number>", "[1,2.5,null]").find("[1,2.5,]") != std::string::npos);
    CHECK(shown("STRING[]", R"(["a","b"])").find("[\"a\",\"b\"]") != std::string::npos);
    CHECK(shown("DATE[]", R"(["2024-01-31"])").find("[2024.01.31]") != std::string::npos);
    CHECK(shown("", "[true,false]").find("[true,false]") != std::string::npos);
    CHECK(shown("BOOL[]", "[]").find("[]") != std::string::npos);
}

TEST_CASE("arguments of other types are refused by name") {
    CHECK(refusal("number", R"("3")") == "The argument x must be a number.");
    CHECK(refusal("integer", "1.5") == "The argument x must be a whole number.");
    CHECK(refusal("integer", "1e300") == "The argument x must be a whole number.");
    CHECK(refusal("integer", "18446744073709551615") == "The argument x must be a whole number.");
    CHECK(refusal("BOOL", "1") == "The argument x must be true or false.");
    CHECK(refusal("string", "{}") == "The argument x must be a text.");
    CHECK(refusal("string", R"("a\u0000b")") == "The argument x must be a text without NUL characters.");
    CHECK(refusal("DATE", R"("2024-13-45")").starts_with("The argument x must be a DATE"));
    CHECK(refusal("TEMPORAL", R"("yesterday")").starts_with("The argument x must be a date or time"));
    CHECK(refusal("number[]", "3") == "The argument x must be a list.");
    CHECK(refusal("number[]", R"([1,"a"])") == "The argument x must be a number.");
    CHECK(refusal("", R"([1,"a"])") == "The argument x must be a list of values of one type.");
    CHECK_FALSE(refusal("", "{}").empty());
    CHECK_FALSE(refusal("", "[[1]]").empty());
}

TEST_CASE("unknown and missing arguments are refused, optional ones may be left out") {
    CHECK_THROWS_WITH(mcpArguments(toolOf("number"), McpJson::object()), "The argument x of the tool f is missing.");
    CHECK_THROWS_WITH(mcpArguments(toolOf("number"), McpJson::parse(R"({"y":1})")), "The tool f has no argument y.");
    CHECK_THROWS_AS(mcpArguments(toolOf("number"), McpJson::array()), UserError);
    CHECK(mcpArguments(toolOf("number", true), McpJson::object()).empty());
    McpEntry tool = toolOf("number", true);
    tool.arguments.push_back({"y", "number", true});
    const std::vector<Value> arguments = mcpArguments(tool, McpJson::parse(R"({"y":2})"));
    REQUIRE(arguments.size() == 2);
    CHECK(isOmitted(arguments[0]));
}

TEST_CASE("schemas say what JSON an argument is") {
    const McpJson schema = mcpSchema(toolOf("DOUBLE[]"));
    CHECK(schema["properties"]["x"]["type"] == "array");
    CHECK(schema["properties"]["x"]["items"]["type"] == "number");
    CHECK(schema["required"] == McpJson::array({"x"}));
    CHECK(mcpSchema(toolOf("DATE", true))["required"].empty());
    CHECK(mcpSchema(toolOf("DATE"))["properties"]["x"]["type"] == "string");
    CHECK(mcpSchema(toolOf(""))["properties"]["x"] == McpJson::object());
    for (const char* type : {"DICT", "TABLE", "array<", "array<>", "[]", "DECIMAL32", "number[][]"})
        CHECK_THROWS_AS(requireMcpType(type), UserError);
}

TEST_CASE("values of scripts become JSON, and others are refused") {
    CHECK(mcpJsonOf(Value::ofInt(3)) == 3);
    CHECK(mcpJsonOf(Value::ofDouble(1.5)) == 1.5);
    CHECK(mcpJsonOf(Value::ofBool(true)) == true);
    CHECK(mcpJsonOf(Value::scalar(Type::Date, 0)) == "1970.01.01");
    CHECK(mcpJsonOf(Value::nullOf(Type::Int)).is_null());
    CHECK_THROWS_AS(mcpJsonOf(Value::ofBytes16(Type::Uuid, std::string(16, 'x').data())), UserError);
}
