#include "sql/operators/combined_rows.h"

#include <algorithm>

#include "sql/operators/distinct_rows.h"

namespace pelorus {

namespace {

// Returns the rows of both sides, under the names and types of the left one.
Ref<MemoryTable> appended(const Ref<MemoryTable>& left, const MemoryTable& right) {
    Ref<MemoryTable> rows = left->copy();
    for (int c = 0; c < std::min(rows->columnCount(), right.columnCount()); ++c) {
        const ColumnSchema own = rows->columns()[static_cast<size_t>(c)];
        const ColumnSchema& other = right.columns()[static_cast<size_t>(c)];
        if (own.type == Type::Void && other.type != Type::Void)
            rows->setColumn(std::string(own.name), filledColumn(other.type, other.scale, rows->rowCount()));
    }
    rows->append(right);
    return rows;
}

}  // namespace

Ref<MemoryTable> combinedRows(SetOperator op, bool all, const Ref<MemoryTable>& left, const MemoryTable& right) {
    const Ref<MemoryTable> both = appended(left, right);
    if (op == SetOperator::Union) return all ? both : distinctRows(both, both->columnCount(), INT64_MAX);
    const auto count = static_cast<size_t>(left->rowCount());
    const std::vector<int32_t> numbers = groupNumbersOf(*both, both->columnCount());
    const size_t groups =
        numbers.empty() ? 0 : static_cast<size_t>(*std::max_element(numbers.begin(), numbers.end())) + 1;
    std::vector<int64_t> ofRight(groups);
    for (size_t r = count; r < numbers.size(); ++r) ++ofRight[static_cast<size_t>(numbers[r])];
    std::vector<int32_t> kept;
    std::vector<char> isShown(groups);
    for (size_t r = 0; r < count; ++r) {
        const auto group = static_cast<size_t>(numbers[r]);
        bool isKept = (ofRight[group] > 0) == (op == SetOperator::Intersect);
        if (all) {
            if (ofRight[group] > 0) --ofRight[group];
        } else {
            isKept = isKept && !isShown[group];
            isShown[group] = 1;
        }
        if (isKept) kept.push_back(static_cast<int32_t>(r));
    }
    return both->gather(kept.data(), static_cast<int64_t>(kept.size()));
}

}  // namespace pelorus
