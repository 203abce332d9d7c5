// Any bytes are lines of the line protocol, or an error of ours; pieces of them mean the same as the whole. Any bytes
// are a query of its clients, or an error of ours, too.
//
// A libFuzzer target: scripts/fuzz.sh builds and runs it. tests/unit/server/line_protocol/line_batch_test.cpp is its
// short, seeded form, and replays tests/fuzz/line_corpus.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "server/line_query/query_dialect.h"
#include "tests/unit/server/line_protocol/line_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const std::string_view bytes(reinterpret_cast<const char*>(data), size);
        pelorus::testing::checkLineInput(bytes);
        try {
            pelorus::translateQuery(bytes, {.timeColumns = {{"t", "at"}},
                                            .temporalColumns = {"at"},
                                            .isAggregate = [](std::string_view name) { return name == "max"; }});
        } catch (const pelorus::UserError&) {
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::abort();
    }
    return 0;
}
