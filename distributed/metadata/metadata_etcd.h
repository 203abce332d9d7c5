// Implements common/meta_store.h over etcd, which provides consensus, durability and leases, by its HTTP/JSON gateway.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/meta_store.h"

namespace pelorus {

// Returns a store over an etcd whose endpoints are given as "host:port"; the first that answers is used, and the next
// one when it stops answering. Keys are kept under `prefix` in etcd, so that several clusters may share one. It
// connects at the first call; a request ends after `timeoutMillis`, sooner where there is another endpoint to ask.
// Throws UserError when there are no endpoints.
std::unique_ptr<MetaStore> openEtcdMetaStore(std::vector<std::string> endpoints, std::string prefix,
                                             int timeoutMillis = 3000);

}  // namespace pelorus
