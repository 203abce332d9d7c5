// DrawnBench is a session for queries over drawn rows: in memory as m, in partitions as t.
#pragma once

#include <string>

#include "tests/support/drawn_rows.h"
#include "tests/support/partitioned_bench.h"

namespace pelorus::testing {

class DrawnBench : public PartitionedBench {
public:
    Ref<PartitionsInMemory> take(const DrawnRows& rows, const std::string& ranges = "0 13 14 40 1000",
                                 int64_t rowsOfBlock = 5) {
        session->setVariable("m", Value::of(Ref<Table>(tableOf(rows))));
        return share("t", "m", "place", ranges, rowsOfBlock);
    }
    // Returns the rows of the answer, as toString() writes them.
    std::string given(const std::string& string) { return toString(itemsOfRows(*rowsOf(answer(string)))); }
};

}  // namespace pelorus::testing
