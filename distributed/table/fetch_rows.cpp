#include "distributed/table/fetch_rows.h"
#include "distributed/transaction/stored_rows_reader.h"

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/system_request.h"
#include "runtime/serialize/received.h"

namespace pelorus {

std::vector<Ref<MemoryTable>> fetchRows(Cluster& cluster, const std::string& node, uint64_t query, uint64_t table,
                                        const std::string& path, bool hasOthers) {
    std::vector<Ref<MemoryTable>> parts;
    for (int64_t part = 0;; ++part) {
        const std::vector<Value> arguments{Value::ofLong(static_cast<int64_t>(query)),
                                           Value::ofLong(static_cast<int64_t>(table)), Value::ofString(path),
                                           Value::ofLong(part)};
        const Value rows = cluster.call(node, systemRequest(), "nodeFetch", arguments, {.endsInSilence = hasOthers});
        if (rows.isVoid()) return parts;
        if (!rows.isTable() || rows.table().asPartitioned())
            throw SystemError("The node " + node + " sent no rows of a partition.");
        parts.push_back(Ref<MemoryTable>(&static_cast<MemoryTable&>(rows.table())));
    }
}

StoredRowsReader::CopyStamp fetchCopyStamp(Cluster& cluster, const std::string& node, uint64_t query, uint64_t table,
                                           const std::string& path) {
    const std::vector<Value> arguments{Value::ofLong(static_cast<int64_t>(query)),
                                       Value::ofLong(static_cast<int64_t>(table)), Value::ofString(path)};
    const Value stamp = cluster.call(node, systemRequest(), "nodeCopyStamp", arguments, {.endsInSilence = true});
    received::require(stamp.isTypedVector() && stamp.type() == Type::Long && stamp.size() == 2, "stamp of a copy");
    return {static_cast<uint64_t>(stamp.at(0).asLong()), static_cast<uint64_t>(stamp.at(1).asLong())};
}

}  // namespace pelorus
