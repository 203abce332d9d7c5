#include "database/service/store_together.h"

#include "storage/table/local_table.h"

namespace pelorus {

void storeTogether(const std::vector<RowsOfTable>& parts) {
    std::vector<CatalogTable::TableRows> rows;
    for (const RowsOfTable& part : parts) rows.push_back({&dynamic_cast<CatalogTable&>(*part.table), part.rows});
    CatalogTable::storeTogether(rows);
}

}  // namespace pelorus
