// Scripts that hold a reactive state engine against the query over the same rows.
#pragma once

#include "tests/unit/streaming/stream_script.h"

namespace pelorus::testing {

// Makes t: rows of four keys with NULLs in columns of several types.
inline std::string twinRows(int seed) {
    return "setRandomSeed(" + std::to_string(seed) +
           "); n = 400;\n"
           "t = table(rand(`a`b`c`d, n) as sym, rand(100.0, n) as x, rand(50.0, n) as y, rand(20, n) as k, "
           "rand(2, n) == 1 as b, 2024.01.01 + rand(9, n) as d, 1..n as row, 2024.03.30T23:00:00.000 + "
           "cumsum(rand(700, n)) as ts, 2024.01.05 + cumsum(rand(2, n)) as day);\n"
           "update t set x = NULL where row % 7 = 0; update t set k = NULL where row % 5 = 0; update t set d = NULL "
           "where row % 11 = 0; update t set x = NULL, y = NULL where row < 9;\n";
}

// Makes twin: what a metric is in the query by key, in the order of the rows.
inline std::string twinQuery(const std::string& metric) {
    return "twin = select sym, row, " + metric +
           " as m from t context by sym; twin = select * from twin order by row;\n";
}

// Makes both, and out: what the engine gives for the rows, cut at random.
inline std::string twinScript(const std::string& metric, int seed) {
    return twinRows(seed) + twinQuery(metric) +
           "out = select sym, row, m from twin where false;\n"
           "eng = createReactiveStateEngine(`twin, <[row, " +
           metric +
           "]>, t, out, `sym);\n"
           "at = 0; do { len = min(rand(40, 1)[0] + 1, n - at); eng.append!(t[at:(at + len)]); at += len } while (at < "
           "n);\n"
           "dropStreamEngine(`twin); ";
}

}  // namespace pelorus::testing
