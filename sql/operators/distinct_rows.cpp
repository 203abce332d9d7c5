#include "sql/operators/distinct_rows.h"

#include <fmt/format.h>

#include "common/check.h"
#include "common/error.h"
#include "sql/keys/group_table.h"

namespace pelorus {

std::vector<int32_t> groupNumbersOf(const MemoryTable& rows, int keys) {
    CHECK(keys <= rows.columnCount()) << "the keys are the first columns of the rows";
    std::vector<Value> columns;
    std::vector<Type> types;
    for (int c = 0; c < keys; ++c) {
        columns.push_back(rows.column(c));
        types.push_back(columns.back().type());
        if (!columns.back().isTypedVector()) {
            throw UserError(fmt::format("The column {} holds lists, which distinct and union do not compare.",
                                        rows.columns()[static_cast<size_t>(c)].name));
        }
    }
    std::vector<int32_t> numbers(static_cast<size_t>(rows.rowCount()));
    GroupTable groups(types);
    groups.assign(columns, rows.rowCount(), numbers.data());
    CHECK(groups.size() <= rows.rowCount()) << "there are no more groups than rows";
    return numbers;
}

Ref<MemoryTable> distinctRows(const Ref<MemoryTable>& rows, int keys, int64_t needed) {
    const std::vector<int32_t> numbers = groupNumbersOf(*rows, keys);
    std::vector<int32_t> first;
    for (size_t r = 0; r < numbers.size() && static_cast<int64_t>(first.size()) < needed; ++r) {
        if (numbers[r] == static_cast<int32_t>(first.size())) first.push_back(static_cast<int32_t>(r));
    }
    return first.size() == numbers.size() ? rows : rows->gather(first.data(), static_cast<int64_t>(first.size()));
}

}  // namespace pelorus
