// Checks that a data folder and a metadata store belong to the same cluster, and carries out what people decide where
// they do not.
//
// Both hold the cluster's id: the folder in the file CLUSTER, with the largest revision of the store that it has seen;
// the store under the key `cluster`. Only a mistake or a loss brings a folder to a store that is empty, another
// cluster's, or went back in time (restored from a copy): the node then serves nothing and changes nothing, and names
// the command that decides. Rows are removed on a tombstone or an explicit drop, never because a store does not know
// them. A folder that lacks what its node had (folder_standing.h) makes the node out of sync, to be copied from others;
// where there are no others, it does not start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/meta_store.h"
#include "storage/folder/local_storage.h"

namespace pelorus {

inline constexpr const char* kClusterIdKey = "cluster";

// Makes the folder one of the store's cluster, which is founded when neither holds anything; returns the cluster's id.
// `storeName` is the store's name in messages, `alias` the node's. Throws SystemError when the two do not belong
// together, or when the folder lacks rows that nobody else has.
std::string joinCluster(LocalStorage& storage, MetaStore& store, const std::string& storeName,
                        const std::string& alias);

// Returns a new random id, for a cluster or a folder: 32 hexadecimal digits.
std::string newRandomId();
// Returns the first name and the number of the others, for messages: "a and 2 more". REQUIRES: there is one.
std::string firstOf(const std::vector<std::string>& names);

// Returns whether the machine was restarted since the last call for this folder; each call notes the machine's start in
// the folder's file BOOT. When commits do not wait for the disk (dataSync=0), the folder may then lack what the node
// had acknowledged.
bool wasMachineRestarted(const LocalStorage& storage);

// Carries out `pelorus cluster adopt`: the folder belongs to the store's cluster from now on. The databases of a node
// that was by itself are moved into a store without databases; in all other cases chunks that the store does not know
// go to quarantine. Returns a report of its actions, for people. Throws UserError when both hold databases: nothing has
// changed.
std::string adoptFolder(LocalStorage& storage, MetaStore& store, const std::string& alias,
                        const std::string& storeName);

// Moves the rows of a chunk, another copy of which counts, to the quarantine of the folder, with the reason `why`. Does
// nothing when there is no such chunk.
void putAside(LocalStorage& storage, uint64_t chunk, const std::string& why);

// Writes this node out of sync, as one whose folder was lost, so that it may begin without any data. Returns false, and
// nothing has changed, when a partition has no other replica, or this node was the last to leave of its replicas; when
// the store does not know the node; or when the folder is not of the store's cluster. REQUIRES: no process of the node
// runs.
bool leaveForCopies(MetaStore& store, const std::string& folder, const std::string& alias);

}  // namespace pelorus
