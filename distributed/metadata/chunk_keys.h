// Migrates the keys of older versions, which placed the chunks of each table separately, to places of partitions.
#pragma once

#include <string>

#include "common/meta_store.h"

namespace pelorus {

// The value of the key `cluster`: the cluster's id and, after a blank, the version of the store's keys, which is 1
// where none is given. Nodes of older versions take a value with a version for that of another cluster, and stay out.
struct ClusterFormat {
    std::string id;
    int version = 1;
    static ClusterFormat decode(const std::string& value);
    std::string encode() const;
};
inline constexpr int kClusterVersion = 2;

// Brings the store to kClusterVersion, and completes what another process has begun. When it returns, no old key is
// left. Throws SystemError when the store is of a newer version, or does not answer.
void turnChunkKeys(MetaStore& store);

}  // namespace pelorus
