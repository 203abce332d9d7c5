// Any bytes are a request, a value or an error of ours, and take memory in proportion to their number: what reads from
// sockets, files and nodes believes nothing.
//
// A libFuzzer target: scripts/fuzz.sh builds and runs it. tests/unit/process/wire_mutation_test.cpp is its short,
// seeded form, and replays tests/fuzz/wire_corpus.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/unit/process/wire_input.h"

using namespace pelorus;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    testing::wholeProcess();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        testing::checkWireInput({reinterpret_cast<const char*>(data), size});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::abort();
    }
    return 0;
}
