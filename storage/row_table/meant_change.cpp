#include "storage/row_table/meant_change.h"

#include <algorithm>

#include "runtime/append/empty_text.h"
#include "runtime/value/vector.h"
#include "storage/row_table/row_cells.h"
#include "storage/row_table/row_statement.h"

namespace pelorus {

static void putEmptyText(Value& column, int32_t row) {
    column.makeUnique();
    column.vector().setString(row, kEmptyText);
}

MeantChange withEmptyTexts(const RowStatement& statement, const TableEntry& entry, const RowAccess::Rows& seen,
                           const RowAccess::RowUpdate& update) {
    MeantChange meant{seen.rows, update};
    const std::vector<int> all = ordinalsOf(entry);
    std::vector<size_t> texts;
    std::vector<int> ordinals;
    for (size_t c = 0; c < all.size(); ++c) {
        if (entry.schema[c].type != Type::String) continue;
        texts.push_back(c);
        ordinals.push_back(all[c]);
    }
    if (texts.empty()) return meant;
    for (const int32_t position : update.positions) {
        RowCells cells;
        if (!statement.part().read(seen.ids[static_cast<size_t>(position)], statement.view(), ordinals, cells)) {
            meant.isStale = true;
            return meant;
        }
        for (size_t i = 0; i < texts.size(); ++i) {
            if (cells[i] != kEmptyText) continue;
            if (meant.rows == seen.rows) meant.rows = seen.rows->copy();
            putEmptyText(meant.rows->mutableColumns()[texts[i]], position);
            for (auto& [column, values] : meant.update.columns) {
                if (column == static_cast<int>(texts[i]) && values.vector().isNullAt(position))
                    putEmptyText(values, position);
            }
        }
    }
    return meant;
}

}  // namespace pelorus
