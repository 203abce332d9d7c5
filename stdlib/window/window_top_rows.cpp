#include "stdlib/window/window_top_rows.h"

#include "common/check.h"
#include "common/type_table.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/kernel/sort/sort.h"

namespace pelorus {

Ref<Vector> storedIntegers(const Vector& elements) {
    Ref<Vector> out = Vector::make(Type::Long, elements.size());
    int64_t* result = out->mutableData<int64_t>();
    for (int64_t i = 0; i < elements.size(); ++i) result[i] = elements.isNullAt(i) ? null<int64_t> : elements.asLong(i);
    return out;
}

TopRows::TopRows(const Vector& sorting, int64_t top, bool ascending, Ties ties)
    : top_(top), ties_(ties), ranks_(static_cast<size_t>(sorting.size())) {
    OrderKey key{Value::of(Ref<Vector>(const_cast<Vector*>(&sorting)))};
    std::vector<int32_t> order = sortPositions({&key, 1}, sorting.size());
    CHECK(order.size() == ranks_.size()) << "each row has a place in the order";
    int32_t rank = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        if (i > 0 && compareElements(sorting, order[i - 1], sorting, order[i]) != 0) ++rank;
        ranks_[static_cast<size_t>(order[i])] = ascending ? rank : -rank;
    }
}

}  // namespace pelorus
