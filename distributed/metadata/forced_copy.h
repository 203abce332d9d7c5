// Carries out the decision of people that the copies of a node count, when no node in sync has the partitions.
#pragma once

#include <string>

#include "common/meta_store.h"

namespace pelorus {

class LocalStorage;

// Carries out `pelorus cluster force`: of all partitions that no running node in sync keeps, the copies in this folder
// count from now on; the other replicas copy them and lose what only they have. Returns a report for people, of what
// may be lost. Throws UserError when there is nothing to decide, or when the folder or the node does not belong to the
// store's cluster: nothing has changed. REQUIRES: no process of the node runs.
std::string forceFolder(LocalStorage& storage, MetaStore& store, const std::string& alias);

}  // namespace pelorus
