#include "database/service/append_together.h"

namespace pelorus {

void appendTogether(const std::vector<RowsOfTable>& parts, Transaction* with) {
    if (!parts.empty()) dynamic_cast<StoredTable&>(*parts.front().table).appendTogether(parts, with);
}

}  // namespace pelorus
