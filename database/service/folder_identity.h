// Cluster to which a data folder belongs, as recorded in its file CLUSTER. A folder without it belongs to none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pelorus {

struct FolderIdentity {
    std::string cluster;
    // The newest revision of the metadata store that the folder has seen.
    uint64_t revision = 0;
    std::string folder;  // id of the folder itself; empty in those of the versions before
    uint64_t noted = 0;  // revision at which the store last noted what the folder has
};

// Returns nothing when the folder belongs to no cluster. Throws SystemError when the file is damaged.
std::optional<FolderIdentity> readIdentity(const std::string& folder);
// Replaces the file atomically and durably. Throws SystemError.
void writeIdentity(const std::string& folder, const FolderIdentity& identity);
// Throws SystemError when the folder belongs to a cluster: a standalone node must not serve it.
void refuseFolderOfCluster(const std::string& folder);

}  // namespace pelorus
