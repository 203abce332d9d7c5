// The short, seeded form of tests/fuzz/wire_fuzzer.cpp: random messages, valid ones and such whose structure was
// broken, before and after login and from a node, with memory counted. PELORUS_FUZZ_ROUNDS makes it longer.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/function/principal.h"
#include "runtime/registry/node_functions.h"
#include "tests/support/hex.h"
#include "tests/support/wire_checks.h"
#include "tests/support/wire_generator.h"
#include "tests/unit/process/whole_process.h"
#include "tests/unit/process/wire_input.h"

using namespace pelorus;
using testing::WireGenerator;

namespace {

int rounds(int usual) {
    // 20,000 are the usual ones.
    const char* string = std::getenv("PELORUS_FUZZ_ROUNDS");
    return string ? static_cast<int>(int64_t{usual} * std::atoi(string) / 20'000) : usual;
}

std::string shown(std::string_view bytes) {
    return testing::toHex(bytes.substr(0, 400));
}

void checkMany(Peer peer, int count) {
    testing::wholeProcess();
    int values = 0;
    for (int i = 0; i < count; ++i) {
        WireGenerator generator(static_cast<uint32_t>(1000 * i) + static_cast<uint32_t>(peer));
        const std::string valid = generator.value(3, peer == Peer::Node);
        INFO("seed " << i << ": " << shown(valid));
        values += testing::checkValue(valid, peer);
        for (int k = 0; k < 4; ++k) {
            const std::string broken = generator.mutated(valid);
            INFO("mutated: " << shown(broken));
            testing::checkValue(broken, peer);
        }
    }
    // Enough of the messages must decode: otherwise the test would meet only the first check.
    CHECK(values > count / (peer == Peer::Login ? 200 : 3));
}

}  // namespace

TEST_CASE("random and broken values of a stranger, a client and a node are values or errors within their bytes") {
    SECTION("before login") {
        checkMany(Peer::Login, rounds(3000));
    }
    SECTION("from a client") {
        checkMany(Peer::Client, rounds(5000));
    }
    SECTION("from a node") {
        checkMany(Peer::Node, rounds(5000));
    }
}

TEST_CASE("random and broken requests leave the server serving, and its memory free") {
    testing::wholeProcess();
    for (const bool guestsMayRun : {false, true}) {
        testing::ServedProcess served(guestsMayRun);
        served.exchange("API 0 8 / 0_1_4_64\nconnect\n");
        memory::passNotes();
        const int64_t before = memory::usedBytes();
        for (int i = 0; i < rounds(800); ++i) {
            WireGenerator generator(static_cast<uint32_t>(i));
            std::string bytes = generator.request(!guestsMayRun, false);
            if (generator.below(3)) bytes = generator.mutated(bytes);
            INFO("seed " << i << ": " << shown(bytes));
            const testing::MemoryBound bound(testing::memoryFor(bytes.size()));
            served.exchange(bytes);
        }
        const std::string answer = served.exchange("API 0 8 / 0_1_4_64\nconnect\n");
        CHECK(answer.find("OK") != std::string::npos);
        memory::passNotes();
        CHECK(memory::usedBytes() - before < int64_t{16} << 20);
    }
}

TEST_CASE("broken HTTP, JSON and WebSocket frames leave the server serving") {
    int inputs = 0;
    for (const auto& file : std::filesystem::directory_iterator(PELORUS_WIRE_CORPUS)) {
        const std::string name = file.path().filename().string();
        if (name.find("http") == std::string::npos && name.find("web_socket") == std::string::npos) continue;
        std::ifstream stream(file.path(), std::ios::binary);
        const std::string valid((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
        for (int i = 0; i < rounds(100); ++i) {
            WireGenerator generator(static_cast<uint32_t>(i));
            // Its first byte says who sends the rest.
            std::string bytes = valid.substr(0, 1) + generator.mutated(valid.substr(1));
            if (i % 3 == 0) bytes = valid.substr(0, 1) + generator.mutated(bytes.substr(1));
            INFO(name << ", seed " << i << ": " << shown(bytes));
            testing::checkWireInput(bytes);
            ++inputs;
        }
    }
    CHECK(inputs >= 6 * rounds(100));
}

TEST_CASE("what the fuzzer of the wire once found stays mended") {
    int replayed = 0;
    for (const auto& entry : std::filesystem::directory_iterator(PELORUS_WIRE_CORPUS)) {
        INFO(entry.path().string());
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string input((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        testing::wholeProcess();
        testing::checkWireInput(input);
        ++replayed;
    }
    CHECK(replayed >= 17);
}

TEST_CASE("functions of nodes take no argument for granted") {
    auto& process = testing::wholeProcess();
    const auto names = nodeFunctionNames();
    CHECK(names.size() >= 17);
    for (const std::string& name : names) {
        const BuiltinFunction& function = FunctionRegistry::instance().getForNode(name);
        const size_t most = function.signature().parameters.size();
        for (int i = 0; i < rounds(200); ++i) {
            WireGenerator generator(static_cast<uint32_t>(i) * 31 + static_cast<uint32_t>(name.size()));
            std::vector<Value> arguments;
            try {
                for (size_t k = 0; k < most; ++k) {
                    const std::string bytes = generator.value(2, true);
                    StringSource source(bytes);
                    arguments.push_back(decodeValue(source, Peer::Node));
                }
            } catch (const Error&) {
                continue;
            }
            INFO(name << " seed " << i);
            Principal::Powers powers = Principal::owner()->powers();
            powers.isNode = true;
            Request request{std::make_shared<const Principal>("admin", powers)};
            Context context(process.services(), request);
            try {
                function.call(context, arguments);
            } catch (const InternalError& error) {
                FAIL_CHECK(error.what());
            } catch (const Error&) {
            }
        }
    }
}

TEST_CASE("no script reaches a function of nodes") {
    auto& process = testing::wholeProcess();
    for (const std::string& n : nodeFunctionNames()) {
        INFO(n);
        for (const std::string& script :
             {n + "(1,2,3,4,5,6,7)", "f = " + n + "; f(1)", "funcByName(`" + n + ")", "<" + n + "(1)>.eval()",
              "parseExpr(\"" + n + "(1)\").eval()", "makeCall(funcByName(\"" + n + "\"), 1).eval()",
              "each(" + n + ", 1 2)", "unifiedCall(\"" + n + "\", (1,2))", n + "{1}(2)", "syntax(`" + n + ")",
              "help(`" + n + ")", "rpc(getNodeAlias(), `" + n + ", 1)", "call(" + n + ", 1)"}) {
            INFO(script);
            CHECK_THROWS_AS(process.run(script), Error);
        }
        CHECK(process.run("exec count(*) from defs() where name = `" + n).integer() == 0);
        CHECK(process.run("defined(`" + n + ", DEF)").integer() == 0);
    }
}
