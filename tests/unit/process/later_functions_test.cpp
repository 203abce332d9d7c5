#include "common/later_functions.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;

TEST_CASE("a function that is not there yet says what it belongs to, and none that is there does") {
    auto& process = testing::wholeProcess();
    for (const char* call : {"haStreamTable(1, `x, `y, 1)", "createCEPEngine(`x)", "startDataNode(`x)",
                             "getStreamGraph(1)", "setIPConnectionLimit(`a, 1)"}) {
        INFO(call);
        try {
            process.run(call);
            FAIL_CHECK("no error");
        } catch (const Error& error) {
            CHECK(std::string(error.hint()).find("which this version does not have") != std::string::npos);
        }
    }
    for (std::string_view name : FunctionRegistry::instance().names()) {
        INFO(name << " is there: take it off the list");
        CHECK(areaOfLaterFunction(name).empty());
    }
}
