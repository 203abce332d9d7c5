// Copies partitions from other nodes.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {

struct ClusterParts;

// Replaces what this node has of a table's partition by what a replica in sync has at the newest revision; transactions
// that are decided later are installed on top. Does nothing when the node is no longer to keep the partition. Rows that
// were changed here after the source's last change go to quarantine first, if the source is known to be complete
// nevertheless. Throws SystemError when no replica in sync answers, or when this node has newer rows than the source:
// nothing is replaced then. Waits for the network: call it on a thread that may wait.
void copyChunk(ClusterParts& parts, const std::string& database, uint64_t table, const std::string& path);

}  // namespace pelorus
