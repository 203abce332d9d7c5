// A part of a statement that another node sent: the receiving end of callPartitions.
#pragma once

#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "sql/expression/fixed_scope.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// The statement, and the partitions over which to compute it. What arrives is checked.
struct ArrivedPart {
    FixedScope scope;
    Context context;
    Ref<Query> query;
    std::string database, table;
    uint64_t snapshot;
    std::vector<std::string> paths;

    ArrivedPart(Context& outer, Arguments arguments);
    // Returns some of the partitions as a source, for a user with this right to its rows.
    RowSource rowsOf(const std::vector<std::string>& some, Context& outer, Right right = Right::Read) const;
};

}  // namespace pelorus
