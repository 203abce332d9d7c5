// Notes by which a node's folder and the metadata store recognize each other: taken from a folder, written to both, and
// compared (folder_standing.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/meta_store.h"
#include "database/service/folder_identity.h"
#include "distributed/metadata/folder_standing.h"

namespace pelorus {

class LocalStorage;

// Returns what the folder shows. `own` is its identity as it was read.
FolderProof proofOf(const LocalStorage& storage, const std::optional<FolderIdentity>& own);

// Returns the standing of the folder of a node that the cluster knows.
Standing standingIn(const FolderProof& proof, MetaStore& store, const std::string& alias);

// Returns what the store is to note of the folder. REQUIRES: it is of a cluster.
MetaWrite folderNote(const LocalStorage& storage, const std::string& alias);
// Notes in the store what the folder of this node has on its disk, and in the folder how far it has seen the store.
// REQUIRES: the node's folder is not lost.
void noteFolder(LocalStorage& storage, MetaStore& store, const std::string& alias);
// Records that the folder has seen this revision of the store.
void noteStoreRevision(LocalStorage& storage, uint64_t revision);

}  // namespace pelorus
