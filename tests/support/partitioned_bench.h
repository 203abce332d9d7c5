// PartitionedBench is a session for queries over partitioned tables in memory that count the blocks that are read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/partitions_in_memory.h"
#include "tests/support/query_bench.h"

namespace pelorus::testing {

inline Ref<MemoryTable> rowsOf(const Value& table) {
    return Ref<MemoryTable>(static_cast<MemoryTable*>(&table.table()));
}

class PartitionedBench : public QueryBench {
public:
    using Listed = PartitionsInMemory::Listed;

    // Returns a level; `scheme` is a script that returns the scheme argument of `database`.
    PartitionLevel level(PartitionKind kind, const std::string& scheme) { return {kind, run(scheme)}; }

    // Returns a table with the rows that a script returns, in partitions.
    Ref<PartitionsInMemory> partitioned(const std::string& rows, std::vector<PartitionLevel> levels,
                                        std::vector<std::string> columns, PartitionFunctions functions = {},
                                        Listed listed = Listed::InOrder, int64_t rowsOfBlock = 65536) {
        return makeRef<PartitionsInMemory>(PartitionScheme(std::move(levels)), std::move(columns), rowsOf(run(rows)),
                                           std::move(functions), listed, rowsOfBlock);
    }
    // Adds such a table to the session, in partitions by ranges of one column.
    Ref<PartitionsInMemory> share(const std::string& name, const std::string& rows, const std::string& column,
                                  const std::string& ranges, int64_t rowsOfBlock = 65536) {
        const Ref<PartitionsInMemory> table =
            partitioned(rows, {level(PartitionKind::Range, ranges)}, {column}, {}, Listed::InOrder, rowsOfBlock);
        table->name = name;
        session->setVariable(name, Value::of(Ref<Table>(table)));
        return table;
    }
    // Returns a partition function with one argument, the column.
    PartitionFunctions placedBy(const std::string& name) {
        const Value f = run(name);
        return {std::make_shared<const PartitionFunction>(name + "(column)", Ref<Function>(&f.function()),
                                                          std::vector<Value>{Value()}, 0)};
    }
};

}  // namespace pelorus::testing
