#include "distributed/table/fetch_rows.h"

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/system_request.h"

namespace pelorus {

std::vector<Ref<MemoryTable>> fetchRows(Cluster& cluster, const std::string& node, uint64_t query, uint64_t table,
                                        const std::string& path) {
    std::vector<Ref<MemoryTable>> parts;
    for (int64_t part = 0;; ++part) {
        const std::vector<Value> arguments{Value::ofLong(static_cast<int64_t>(query)),
                                           Value::ofLong(static_cast<int64_t>(table)), Value::ofString(path),
                                           Value::ofLong(part)};
        const Value rows = cluster.call(node, systemRequest(), "nodeFetch", arguments);
        if (rows.isVoid()) return parts;
        if (!rows.isTable() || rows.table().asPartitioned())
            throw SystemError("The node " + node + " sent no rows of a partition.");
        parts.push_back(Ref<MemoryTable>(&static_cast<MemoryTable&>(rows.table())));
    }
}

}  // namespace pelorus
