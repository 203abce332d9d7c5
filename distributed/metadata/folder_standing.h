// Rules by which a data folder proves that it is the one its node had, with all that it had: not the word "in sync"
// decides who is complete, but what the disk holds.
//
// The metadata store has a note of each node's folder, under kept/<alias>: the folder's id, and a number that its log
// had reached on the disk. The folder has the revision of that note. So a folder that is another one, or older than the
// note, shows, and so does a store that is older than the note.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/meta_store.h"
#include "database/service/folder_identity.h"

namespace pelorus {

class LocalStorage;

// In the metadata store: never change.
inline constexpr const char* kKeptPrefix = "kept/";

std::string keptKey(const std::string& alias);

// A note of a node's folder: "<folder> <number>".
struct KeptFolder {
    std::string folder;
    uint64_t number = 0;  // of a record that the folder has on its disk; 0: of none

    std::string encode() const;
    // Throws SystemError when the value does not read.
    static KeptFolder decode(const std::string& value);
};

// What a folder shows when its process starts.
struct FolderProof {
    bool isOfCluster = false;  // it has an identity, or rows
    std::string folder;        // its id; empty in folders of the versions before
    uint64_t seen = 0;         // the largest revision of the store that it has seen
    uint64_t noted = 0;        // revision of the store's note when the folder last knew
    uint64_t number = 0;       // of the newest record that it has
};

enum class Standing {
    Whole,         // it has all that the node had
    Lost,          // it is another folder, or an older state of it
    StoreIsOlder,  // it has seen more of the store than that holds now
};
// Returns the standing of the folder of a node that the cluster knows. `kept` is the store's note of it; revision and
// base of stamps are the store's.
Standing standingOf(const FolderProof& proof, const std::optional<MetaEntry>& kept, uint64_t revision, uint64_t base);

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
