// Any bytes are a stream of Arrow's IPC format, or an error of ours, within the memory that they may take; what was
// read is written and read again.
//
// A libFuzzer target: scripts/fuzz.sh builds and runs it. tests/unit/runtime/arrow/arrow_reader_test.cpp is its short,
// seeded form, and replays tests/fuzz/arrow_corpus.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "common/error.h"
#include "tests/unit/runtime/arrow/arrow_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr int64_t kMostBytes = int64_t{64} << 20;
    try {
        const std::string bytes(reinterpret_cast<const char*>(data), size);
        const auto rows = pelorus::testing::tableOf(bytes, kMostBytes);
        pelorus::testing::tableOf(pelorus::testing::arrowBytes(*rows));
    } catch (const pelorus::InternalError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::abort();
    } catch (const pelorus::Error&) {
    }
    return 0;
}
