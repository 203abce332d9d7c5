// What the nodes of a plan took, for explain.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sql/execution/scan_profile.h"

namespace pelorus {

// What a node took by itself, without the nodes below.
struct NodeProfile {
    int64_t runs = 0;
    int64_t rows = 0;
    int64_t nanos = 0;       // of the wall clock
    int64_t totalNanos = 0;  // with the nodes below
    int64_t spilledBytes = 0;
};

// The profiles of a plan's nodes, by their numbers (PlanNode::id). Belongs to the thread that runs the plan; the scan's
// is shared.
class PlanProfile {
public:
    PlanProfile(size_t nodes, std::shared_ptr<ScanProfile> scan) : nodes_(nodes), scan_(std::move(scan)) {}

    const NodeProfile& of(int node) const { return nodes_[static_cast<size_t>(node)]; }
    // Null for a plan without a scan.
    const ScanProfile* scan() const { return scan_.get(); }

    // Measures a node as long as it lives. Within it, those of the nodes below; the time of the scan is the scan's own.
    // Does nothing without a profile.
    class Timer {
    public:
        Timer(PlanProfile* profile, int node);
        ~Timer();
        Timer(const Timer&) = delete;
        Timer& operator=(const Timer&) = delete;
        void setRows(int64_t rows) { rows_ = rows; }
        void addSpilled(int64_t bytes) { ownSpilled_ += bytes; }

    private:
        int64_t scanNanos() const { return profile_->scan_ ? profile_->scan_->nanos.load() : 0; }
        int64_t scanSpilled() const { return profile_->scan_ ? profile_->scan_->spilledBytes.load() : 0; }

        PlanProfile* const profile_;
        const int node_;
        Timer* outer_ = nullptr;
        std::chrono::steady_clock::time_point begin_;
        int64_t rows_ = 0, ownSpilled_ = 0;
        int64_t scanBegin_ = 0, spilledBegin_ = 0;              // counters of the scan when it began
        int64_t below_ = 0, belowScan_ = 0, belowSpilled_ = 0;  // what the nodes below took of all, and of these
    };

private:
    std::vector<NodeProfile> nodes_;
    std::shared_ptr<ScanProfile> scan_;
    Timer* open_ = nullptr;
};

}  // namespace pelorus
