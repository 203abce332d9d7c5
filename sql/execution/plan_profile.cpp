#include "sql/execution/plan_profile.h"

#include <algorithm>

namespace pelorus {

PlanProfile::Timer::Timer(PlanProfile* profile, int node) : profile_(profile), node_(node) {
    if (!profile_) return;
    outer_ = std::exchange(profile_->open_, this);
    scanBegin_ = scanNanos();
    spilledBegin_ = scanSpilled();
    begin_ = std::chrono::steady_clock::now();
}

PlanProfile::Timer::~Timer() {
    if (!profile_) return;
    const int64_t total =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_).count();
    const int64_t scan = scanNanos() - scanBegin_, spilled = scanSpilled() - spilledBegin_;
    NodeProfile& own = profile_->nodes_[static_cast<size_t>(node_)];
    ++own.runs;
    own.rows += rows_;
    own.totalNanos += total;
    own.nanos += std::max<int64_t>(0, total - below_ - (scan - belowScan_));
    own.spilledBytes += ownSpilled_ + spilled - belowSpilled_;
    profile_->open_ = outer_;
    if (!outer_) return;
    outer_->below_ += total;
    outer_->belowScan_ += scan;
    outer_->belowSpilled_ += spilled;
}

}  // namespace pelorus
