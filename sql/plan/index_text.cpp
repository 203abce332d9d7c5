#include "sql/plan/index_text.h"

#include <fmt/format.h>

#include "runtime/append/indexed_snapshot.h"
#include "sql/plan/node_text.h"

namespace pelorus {

std::string indexText(const TableSnapshot& snapshot, const TableSchema& columns,
                      const std::vector<ColumnConstraint>& constraints) {
    const auto* const indexed = dynamic_cast<const IndexedSnapshot*>(&snapshot);
    if (indexed == nullptr) return "";
    const std::optional<IndexedSnapshot::Index> index = indexed->indexFor(constraints);
    if (!index) return "";
    std::vector<std::string> names;
    for (const int column : index->columns) names.push_back(columns[static_cast<size_t>(column)].name);
    return fmt::format("Index look-up using {} ({})", index->name, listed(names));
}

}  // namespace pelorus
