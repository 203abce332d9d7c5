// OutsideRules says what happens to appended rows that no partition takes, and to appends that meet.
#pragma once

namespace pelorus {

// Treatment of appended rows that no partition takes.
enum class OutsidePolicy { Skip, Fail, Add };

struct OutsideRules {
    OutsidePolicy newValues = OutsidePolicy::Skip;  // of VALUE levels: newValuePartitionPolicy
    bool allowMissing = true;                       // of the others: allowMissingPartitions
    // With atomic='TRANS', an append to a chunk that another one is writing fails: appendConflict.
    bool failOnConflict = false;
};

}  // namespace pelorus
