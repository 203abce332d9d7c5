#include "sql/remote/arrived_part.h"

#include <algorithm>

#include "common/error.h"
#include "common/meta_store.h"
#include "runtime/code/rewrite.h"
#include "runtime/serialize/received.h"

namespace pelorus {
namespace {

// Returns the query that another node sent. A script may pass any code to a function, so its kind is checked.
const Query& receivedQuery(const Value& v) {
    received::require(v.type() == Type::Code && v.isScalar() && v.as<Code>()->node->kind == NodeKind::Query, "query");
    return static_cast<const Query&>(*v.as<Code>()->node);
}

Value loadTableValue(const std::string& database, const std::string& table, Context& context) {
    std::vector<Value> arguments{Value::ofString(database), Value::ofString(table)};
    return FunctionRegistry::instance().get("loadTable").call(context, arguments);
}

// Returns the partitions with these paths as a source.
RowSource partitionsAt(const std::string& database, const std::string& tableName, uint64_t number,
                       const std::vector<std::string>& paths, Context& context, Right right) {
    // The snapshot is open here, so this node has heard of all that it needs.
    const MetaMoment moment(MetaMoment::Begin::Before);
    Value table = loadTableValue(database, tableName, context);
    received::require(table.isTable() && table.table().asPartitioned(), "partitioned table");
    table.table().asPartitioned()->require(context.principal(), right);
    std::shared_ptr<TableSnapshot> snapshot = table.table().asPartitioned()->takeSnapshot(number);
    std::vector<size_t> positions;
    const auto& all = snapshot->partitions();
    for (const std::string& path : paths) {
        auto it = std::find_if(all.begin(), all.end(), [&](const PartitionEntry& e) { return e.path == path; });
        if (it == all.end()) throw UserError("The partition " + path + " is not on this node any more.");
        positions.push_back(static_cast<size_t>(it - all.begin()));
    }
    RowSource source;
    source.table = Ref<Table>(&table.table());
    source.snapshot = std::move(snapshot);
    source.partitions = std::move(positions);
    return source;
}

}  // namespace

ArrivedPart::ArrivedPart(Context& outer, Arguments arguments)
    : scope(arguments[1]),
      context(outer),
      query(copyQuery(receivedQuery(arguments[0]))),
      database(received::string(arguments[2], "database")),
      table(received::string(arguments[3], "table")),
      snapshot(static_cast<uint64_t>(received::integer(arguments[4], "snapshot"))),
      paths(received::strings(arguments[5], "partitions")) {
    received::require(arguments[1].isDictionary(), "names of a query");
    context.scope = &scope;
}

RowSource ArrivedPart::rowsOf(const std::vector<std::string>& some, Context& outer, Right right) const {
    return partitionsAt(database, table, snapshot, some, outer, right);
}

}  // namespace pelorus
