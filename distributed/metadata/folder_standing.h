// Decides whether a data folder is the one that its node had, with everything that it had: a node is complete because
// its disk proves so, not because the word "in sync" is written somewhere.
//
// The metadata store has a note of each node's folder, under kept/<alias>: the folder's id, and a number that its log
// had reached on the disk. The folder records the revision of that note. So a folder that is another one, or older than
// the note, is detected, and so is a store that is older than the note.
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

// A note of a node's folder, the value of its key: "<folder> <number>".
struct KeptFolder {
    std::string folder;
    uint64_t number = 0;  // number of a log record that the folder has on its disk; 0: none is promised

    std::string encode() const;
    // Throws SystemError when the value is malformed.
    static KeptFolder decode(const std::string& value);
};

// The evidence that a folder holds when its process starts.
struct FolderProof {
    bool isOfCluster = false;  // it has an identity, or rows
    std::string folder;        // its id; empty in folders of older versions
    uint64_t seen = 0;         // the largest revision of the store that it has seen
    uint64_t noted = 0;        // revision of the store's note when the folder last knew
    uint64_t number = 0;       // number of the newest record that it has
};

// The result of comparing a folder with the store.
enum class Standing {
    Whole,         // it has all that the node had
    Lost,          // it is another folder, or an older state of it
    StoreIsOlder,  // it has seen more of the store than that holds now
};
// Returns the standing of the folder of a node that the cluster knows. `kept` is the store's note of it; the revision
// and the base of commit timestamps are the store's. Throws SystemError when the note is malformed.
Standing standingOf(const FolderProof& proof, const std::optional<MetaEntry>& kept, uint64_t revision, uint64_t base);

// Returns the evidence of the folder. `own` is its identity as it was read.
FolderProof proofOf(const LocalStorage& storage, const std::optional<FolderIdentity>& own);

// Returns the standing of the folder of a node that the cluster knows, by the note that it reads from the store. Throws
// SystemError when the store does not answer.
Standing standingIn(const FolderProof& proof, MetaStore& store, const std::string& alias);

// Returns the write by which the store notes the folder: its id, and the newest number that is on its disk. Throws
// SystemError when the folder belongs to no cluster.
MetaWrite folderNote(const LocalStorage& storage, const std::string& alias);
// Notes in the store what the folder of this node has on its disk, and in the folder how far it has seen the store.
// Writes neither when nothing has changed; does nothing for a folder without an id. REQUIRES: the node's folder is not
// lost.
void noteFolder(LocalStorage& storage, MetaStore& store, const std::string& alias);
// Records in the folder that it has seen this revision of the store.
void noteStoreRevision(LocalStorage& storage, uint64_t revision);

}  // namespace pelorus
