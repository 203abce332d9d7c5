// Keys of a cluster of the versions before, which placed each table's chunk by itself: they are turned into places of
// partitions.
#pragma once

#include <string>

#include "common/meta_store.h"

namespace pelorus {

// The value of the key `cluster` is the cluster's id and, behind a blank, the version of what the store holds; without
// one it is the first. Nodes of older versions take another value for another cluster, and stay out.
struct ClusterFormat {
    std::string id;
    int version = 1;
    static ClusterFormat decode(const std::string& value);
    std::string encode() const;
};
inline constexpr int kClusterVersion = 2;

// Brings the store to this version. What was begun by another process, or cut off, is finished; when it returns,
// nothing is left of the old keys. Throws SystemError when the store is of a newer version.
void turnChunkKeys(MetaStore& store);

}  // namespace pelorus
