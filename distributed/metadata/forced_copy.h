// Decision of people that the copies of a node count, when none of the nodes that are in sync has them.
#pragma once

#include <string>

#include "common/meta_store.h"

namespace pelorus {

class LocalStorage;

// Carries out `pelorus cluster force`: what this folder has counts, of all partitions that no node in sync keeps;
// others copy it, and what only they have goes. Returns a report for people, of what may be lost. Throws UserError when
// there is nothing to decide: nothing has changed. REQUIRES: no process of the node runs.
std::string forceFolder(LocalStorage& storage, MetaStore& store, const std::string& alias);

}  // namespace pelorus
