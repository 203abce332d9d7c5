// A select whose names are resolved, and the source that it reads.
#pragma once

#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "sql/plan/output_item.h"
#include "sql/plan/row_source.h"

namespace pelorus {

struct SelectPlan {
    Ref<Query> query;
    RowSource source;
    std::vector<OutputItem> items;
    std::vector<OutputItem> keys;  // group by, context by
    NodeList filters;              // conditions that the scan takes: the elementwise ones in front
    NodeList laterFilters;         // the rest, applied one after the other
};

// Name of a column that holds a key of the groups, for an order that ends with it.
inline std::string lastOrderColumn(size_t key) {
    return " last order " + std::to_string(key);
}

}  // namespace pelorus
