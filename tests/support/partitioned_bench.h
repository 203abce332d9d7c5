// A session for queries over partitioned tables that lie in memory and count what is read of them.
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

    // `scheme` is a script that gives what `database` takes.
    PartitionLevel level(PartitionKind kind, const std::string& scheme) { return {kind, run(scheme)}; }

    // The rows that the script gives, in partitions.
    Ref<PartitionsInMemory> partitioned(const std::string& rows, std::vector<PartitionLevel> levels,
                                        std::vector<std::string> columns, PartitionFunctions functions = {},
                                        Listed listed = Listed::InOrder, int64_t rowsOfBlock = 65536) {
        return makeRef<PartitionsInMemory>(PartitionScheme(std::move(levels)), std::move(columns), rowsOf(run(rows)),
                                           std::move(functions), listed, rowsOfBlock);
    }
    // Gives the session such a table, in partitions by ranges of one column.
    Ref<PartitionsInMemory> share(const std::string& name, const std::string& rows, const std::string& column,
                                  const std::string& ranges, int64_t rowsOfBlock = 65536) {
        const Ref<PartitionsInMemory> table =
            partitioned(rows, {level(PartitionKind::Range, ranges)}, {column}, {}, Listed::InOrder, rowsOfBlock);
        table->name = name;
        session->setVariable(name, Value::of(Ref<Table>(table)));
        return table;
    }
    // One argument, the column, of a function that places rows.
    PartitionFunctions placedBy(const std::string& name) {
        const Value f = run(name);
        return {std::make_shared<const PartitionFunction>(name + "(column)", Ref<Function>(&f.function()),
                                                          std::vector<Value>{Value()}, 0)};
    }
};

}  // namespace pelorus::testing
