// Runs map-reduce jobs: a function is applied to every data source at the node that stores it, and the results are
// combined at the caller.
//
// The results are reduced along a fixed binary tree over the order of the sources: the left subtree is the largest
// power of two that fits. A node that holds all sources of a subtree reduces it itself and sends one value. So the
// result does not depend on the number of nodes or threads, provided that the reduce function is associative up to
// rounding.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "sql/data_source.h"

namespace pelorus {

// A map-reduce job, as mr, imr, olsEx, gram and pca describe it. A plain value.
struct MapReduce {
    std::vector<Ref<DataSource>> sources;
    Ref<Function> map;         // is called with the rows of a source
    Ref<Function> reduce;      // combines two results; may be null
    std::vector<Value> extra;  // per source a tuple of further arguments of map; may be empty
    bool parallel = true;      // a node processes several sources at once
};

// Returns the data sources of the argument `ds`: one, or a tuple of them. Throws UserError for any other value.
std::vector<Ref<DataSource>> dataSourcesOf(const Value& v);

// Runs the job and returns the one value that the reduce function leaves; without one, a tuple of the results of map in
// the order of the sources; without sources, an empty tuple. Sources of a node that is lost are processed by another
// replica, if neither function writes. Throws what the functions throw, and SystemError when a source has no other
// replica, or the functions may not be called twice.
Value mapReduce(const MapReduce& job, Context& context);

}  // namespace pelorus
