// Equi joins of tables on disk that memory does not hold: both sides go to files, cut by a hash of their keys, and are
// joined part by part.
#pragma once

#include "runtime/context.h"
#include "sql/joins.h"

namespace pelorus {

// As equiJoin of all their rows. nullptr when the tables have room in memory or are there already, and for joins that
// keep unmatched right rows.
Ref<MemoryTable> joinInParts(const Value& left, const Value& right, const JoinColumns& keys, JoinKind kind,
                             const JoinedColumns& shown, Context& context);

}  // namespace pelorus
