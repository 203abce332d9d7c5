// FolderIdentity records in the file CLUSTER of a data folder to which cluster it belongs. A folder without the file
// belongs to none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pelorus {

// The contents of the file.
struct FolderIdentity {
    std::string cluster;
    // The newest revision of the metadata store that the folder has seen.
    uint64_t revision = 0;
    std::string folder;  // id of the folder itself; empty in files of former versions
    uint64_t noted = 0;  // revision at which the metadata store last recorded what the folder has
};

// Returns nullopt when the folder belongs to no cluster. Throws SystemError when the file is damaged.
std::optional<FolderIdentity> readIdentity(const std::string& folder);
// Replaces the file atomically and durably. Throws SystemError.
void writeIdentity(const std::string& folder, const FolderIdentity& identity);
// Throws SystemError when the folder belongs to a cluster: a standalone node must not serve it.
void refuseFolderOfCluster(const std::string& folder);

}  // namespace pelorus
