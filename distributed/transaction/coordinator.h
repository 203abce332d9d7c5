// Stores rows of several chunks as one transaction, wherever the chunks are.
//
// On one node it is that node's commit. Over several, each prepares durably, one record txn/<id> of the metadata store
// decides, then each makes the rows visible. A crash of the coordinator
//   before the record is written   aborts: the participants find no record and write one that says so;
//   after it                       commits: the participants read it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "storage/version/local_storage.h"

namespace pelorus {

class Cluster;
class Participant;

class Coordinator {
public:
    Coordinator(Cluster& cluster, Participant& local) : cluster_(cluster), local_(local) {}

    // `nodes[i]` keeps `chunks[i]`. When it returns true, the rows are durable and snapshots from now on see them;
    // false when a route is stale, and nothing was stored. Throws UserError or SystemError, naming the node that
    // failed: none of the rows is or becomes visible, apart from the case that the message calls an unknown outcome.
    bool store(const std::vector<ChunkRows>& chunks, const std::vector<std::string>& nodes);

private:
    using Parts = std::map<std::string, std::vector<ChunkRows>>;

    bool append(const std::string& node, std::vector<ChunkRows> chunks);
    std::string nextName();
    // 0 when a route is stale.
    uint64_t prepare(const std::string& node, const std::string& transaction, std::vector<ChunkRows> chunks);
    bool decideOn(const std::string& node, const std::string& transaction, bool commit, uint64_t at);
    bool tellAll(const std::vector<std::string>& nodes, const std::string& transaction, bool commit, uint64_t at);
    void abort(const std::vector<std::string>& nodes, const std::string& transaction);
    bool writeDecision(const std::string& transaction, uint64_t at);

    Cluster& cluster_;
    Participant& local_;
    std::atomic<uint64_t> lastTransaction_{0};
};

}  // namespace pelorus
