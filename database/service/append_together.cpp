#include "database/service/append_together.h"

#include "storage/table/local_table.h"

namespace pelorus {

void appendTogether(const std::vector<RowsOfTable>& parts, Transaction* with) {
    std::vector<CatalogTable::TableRows> rows;
    for (const RowsOfTable& part : parts) rows.push_back({&dynamic_cast<CatalogTable&>(*part.table), part.rows});
    CatalogTable::appendTogether(rows, with);
}

}  // namespace pelorus
