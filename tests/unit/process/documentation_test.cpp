// The documentation of every function of every folder: its examples are run and show what they say, its help is
// printed.
#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/function/principal.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/value/print.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;

TEST_CASE("examples of all registries show what their documentation says") {
    auto& process = testing::wholeProcess();
    int met = 0;
    for (std::string_view name : FunctionRegistry::instance().names()) {
        std::string_view examples = FunctionRegistry::instance().get(name).doc().example;
        while (!examples.empty()) {
            const size_t end = examples.find('\n');
            const std::string line(examples.substr(0, end));
            examples = end == std::string_view::npos ? std::string_view() : examples.substr(end + 1);
            const size_t arrow = line.rfind(" -> ");
            if (arrow == std::string::npos) continue;
            INFO(name << ": " << line);
            ++met;
            try {
                CHECK(display(process.run(line.substr(0, arrow))) == line.substr(arrow + 4));
            } catch (const std::exception& error) {
                FAIL_CHECK(error.what());
            }
        }
    }
    CHECK(met > 700);
}

TEST_CASE("every function has an example, and explains minPeriods where it has it only") {
    testing::wholeProcess();
    int met = 0;
    for (std::string_view name : FunctionRegistry::instance().names()) {
        const BuiltinFunction& f = FunctionRegistry::instance().get(name);
        INFO(name);
        if (f.syntax().find("minPeriods") == std::string_view::npos)
            CHECK(std::string_view(f.doc().nulls).find("minPeriods") == std::string_view::npos);
        CHECK_FALSE(f.doc().example.empty());
        ++met;
    }
    CHECK(met > 1000);
}

TEST_CASE("every help is printed, from texts that live as long as the process") {
    auto& process = testing::wholeProcess();
    int printed = 0;
    Request request{Principal::owner()};
    std::string string;
    request.print = [&](std::string_view piece) { string += piece; };
    for (std::string_view name : FunctionRegistry::instance().names()) {
        string.clear();
        Context context(process.services(), request);
        std::vector<Value> arguments{Value::ofString(name)};
        const Value help = FunctionRegistry::instance().get("help").call(context, arguments);
        if (help.isString()) string += help.string();
        INFO(name);
        CHECK(string.find(std::string(name) + "(") != std::string::npos);
        // Freed memory is seldom without zero bytes.
        CHECK(string.find('\0') == std::string::npos);
        ++printed;
    }
    CHECK(printed > 1000);
}

// An answer that a client cannot read to its end loses it the connection.
TEST_CASE("what a script can make is sent as a value that can be read, or refused") {
    auto& process = testing::wholeProcess();
    std::vector<std::string> scripts = {"t = table(1 2 as a, `x`y as b); t == t",
                                        "t = table(1 2 as a); t.drop!(`a); t",
                                        "t = table(1 2 as a); t < 2",
                                        "t = table(1 2 as a, 1.5 2 as b); t + t",
                                        "t = table(1 2 as a); not t",
                                        "table(1 2 as a) > table(1 3 as a)",
                                        "matrix(INT, 0, 2)",
                                        "matrix(1 2, 3 4).rename!(1 2, `a`b)",
                                        "(1, NULL, (), [1 2, 3], {a: 1})",
                                        "{a: (1, `b), b: table(1 2 as x)}",
                                        "dict(INT, ANY)",
                                        "set(`a`b)",
                                        "symbol(`a`b`a)[0:0]",
                                        "array(SYMBOL, 0)",
                                        "arrayVector(2 3, decimal64(1.5 2.5 3.5, 2))",
                                        "plot(1 2 3, 4 5 6)",
                                        "tensor(1..6$2:3)",
                                        "indexedSeries(2024.01.01..2024.01.03, 1 2 3)",
                                        "table((1, `a) as x)",
                                        "take(table(1 2 as x), 0)"};
    for (std::string_view name : FunctionRegistry::instance().names()) {
        const std::string_view examples = FunctionRegistry::instance().get(name).doc().example;
        const std::string line(examples.substr(0, examples.find('\n')));
        const size_t arrow = line.rfind(" -> ");
        if (arrow != std::string::npos) scripts.push_back(line.substr(0, arrow));
    }
    int sent = 0;
    for (const std::string& script : scripts) {
        INFO(script);
        Value value;
        try {
            value = process.run(script);
        } catch (const Error&) {
            continue;  // values of scripts are checked by other tests
        }
        std::string bytes;
        try {
            encodeValue(value, Peer::Client, bytes);
        } catch (const UserError&) {
            continue;
        }
        ++sent;
        if (value.isScalar() && value.hasObject() && !value.isString())
            continue;  // shown as a string: functions, handles
        StringSource source(bytes);
        try {
            const Value back = decodeValue(source, Peer::Client);
            CHECK(source.atEnd());
            CHECK(back.form() == value.form());
        } catch (const Error& error) {
            FAIL_CHECK(error.what());
        }
    }
    CHECK(sent > 500);
}
