// ScanBench is a session over drawn rows in partitions of small blocks, with the source and the filter of a scan.
#pragma once

#include <random>
#include <string>

#include "sql/bind/plan_select.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/table_scan.h"
#include "tests/support/drawn_bench.h"

namespace pelorus::testing {

struct ScanBench : DrawnBench {
    explicit ScanBench(int64_t count = 60, int64_t rowsOfBlock = 5) {
        std::mt19937 random(21);
        rows = drawnRows(count, random);
        t = take(rows, "0 13 14 40 1000", rowsOfBlock);
        source.table = Ref<Table>(t);
        source.snapshot = t->takeSnapshot(0);
    }
    Filter filter(const std::string& where) {
        NodeList parts;
        if (!where.empty()) {
            for (const NodeRef& condition : conditions(where)) splitAnd(condition, parts);
        }
        return {parts, source.columns(), context};
    }
    ExpressionProgram column(const std::string& string) {
        return bindProgram(query("select " + string + " from t")->items[0].value, source.columns(), context);
    }
    std::vector<Morsel> morsels(Filter& filter) { return morselsOf(source, filter.constraints()); }

    DrawnRows rows;
    Ref<PartitionsInMemory> t;
    RowSource source;
};

}  // namespace pelorus::testing
