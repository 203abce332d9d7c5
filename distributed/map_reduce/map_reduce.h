// mr: a function runs on every data source at the node that stores it, and the answers are combined at the caller.
//
// The answers are reduced along a fixed binary tree over the order of the sources: left subtree the largest power of
// two that fits. A node that holds all sources of a subtree reduces it itself and sends one value. So the result does
// not depend on the number of nodes or threads, provided that the reduce function is associative up to rounding.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "sql/data_source.h"

namespace pelorus {

struct MapReduce {
    std::vector<Ref<DataSource>> sources;
    Ref<Function> map;
    Ref<Function> reduce;      // may be null
    std::vector<Value> extra;  // per source a tuple of further arguments of map; may be empty
    bool parallel = true;
};

// Returns the data source or sources in the argument `ds`. Throws UserError for any other value.
std::vector<Ref<DataSource>> dataSourcesOf(const Value& v);

// Returns the one remaining value with a reduce function; without, a tuple of all answers of map.
Value mapReduce(const MapReduce& job, Context& context);

}  // namespace pelorus
