#include "sql/change/remote_change.h"

#include "common/error.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "runtime/table/stored_table.h"
#include "sql/change/change.h"
#include "sql/remote/arrived_part.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

// Computes a change of each partition by itself: the new rows and how many were chosen, or VOID where none was.
static Value changedPartsKernel(Context& outer, Arguments arguments) {
    ArrivedPart part(outer, arguments);
    received::require(part.query->verb == QueryVerb::Update || part.query->verb == QueryVerb::Delete, "change");
    std::vector<Value> results;
    for (const std::string& path : part.paths) {
        const RowSource source =
            part.rowsOf({path}, outer, part.query->verb == QueryVerb::Update ? Right::Update : Right::Delete);
        const PartitionedTable& table = *source.partitioned();
        Ref<MemoryTable> rows = readRows(*source.snapshot->open(source.partitions->at(0)), table.columns());
        const int64_t matched = changeRows(*part.query, table, *rows, part.context);
        std::vector<Value> result{Value::of(Ref<Table>(std::move(rows))), Value::ofLong(matched)};
        results.push_back(matched == 0 ? Value() : Value::of(makeRef<Tuple>(std::move(result))));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

std::vector<ChangedPart> changedParts(const Query& query, PartitionedTable& table,
                                      const std::shared_ptr<TableSnapshot>& snapshot,
                                      const std::vector<size_t>& partitions, Context& context) {
    std::vector<ChangedPart> parts;
    const Ref<MemoryTable> like = MemoryTable::empty(table.columns());
    for (const Value& answer : callPartitions(table, snapshot, partitions, query, context, "changedParts")) {
        ChangedPart& part = parts.emplace_back();
        if (answer.isVoid()) continue;
        const auto& fields = received::tuple(answer, size_t{2}, "changed rows");
        part.rows = tableToRead(fields[0]);
        received::require(part.rows && part.rows->columnCount() == like->columnCount(), "changed rows");
        part.matched = received::integer(fields[1], "changed rows");
    }
    return parts;
}

void registerRemoteChange(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("changedParts(query, names, database, table, snapshot, paths, [extra])", changedPartsKernel,
                 {.summary = "The rows of partitions of this node as an update or delete makes them."}, kForNodes);
}

}  // namespace pelorus
