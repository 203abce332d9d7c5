// Implementation of common/meta_store.h over etcd, which provides consensus, durability and leases. Uses its HTTP/JSON
// gateway.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/meta_store.h"

namespace pelorus {

// Endpoints as "host:port"; the first that answers is used, and the next one when it stops answering. Keys are kept
// under `prefix` in etcd, so that several clusters may share one.
std::unique_ptr<MetaStore> openEtcdMetaStore(std::vector<std::string> endpoints, std::string prefix,
                                             int timeoutMillis = 3000);

}  // namespace pelorus
