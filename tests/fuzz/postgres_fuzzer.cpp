// Any bytes are messages of PostgreSQL's protocol, a parameter or an error of ours: before and after a login.
//
// A libFuzzer target: scripts/fuzz.sh builds and runs it. tests/unit/process/postgres_mutation_test.cpp is its short,
// seeded form, and replays tests/fuzz/postgres_corpus.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/unit/process/postgres_input.h"

using namespace pelorus;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    testing::wholeProcess();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static testing::PostgresExchange exchange(true, &testing::wholeProcess().services());
    try {
        testing::checkPostgresInput(exchange, {reinterpret_cast<const char*>(data), size});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::abort();
    }
    return 0;
}
