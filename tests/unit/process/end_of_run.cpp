// The process of these tests outlives main: a thread that makes machine code must be done before the objects go that
// the library of the code generator has for the whole process.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>

#include "interpreter/codegen/code_generator.h"

namespace {

struct WaitsForMachineCode : Catch::TestEventListenerBase {
    using TestEventListenerBase::TestEventListenerBase;
    void testRunEnded(const Catch::TestRunStats& stats) override {
        pelorus::finishCodeGeneration();
        TestEventListenerBase::testRunEnded(stats);
    }
};
CATCH_REGISTER_LISTENER(WaitsForMachineCode)

}  // namespace
