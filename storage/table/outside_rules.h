// OutsideRules says what happens to appended rows that no partition takes, and to appends that meet.
#pragma once

namespace pelorus {

// The treatment of appended rows that no partition takes: they are skipped and counted, the append fails, or the scheme
// is extended by their values.
enum class OutsidePolicy { Skip, Fail, Add };

// The settings for appends. A plain value.
struct OutsideRules {
    OutsidePolicy newValues = OutsidePolicy::Skip;  // for VALUE levels: newValuePartitionPolicy
    bool allowMissing = true;                       // for other levels: allowMissingPartitions
    // With atomic='TRANS', an append to a chunk that another one is writing fails: appendConflict.
    bool failOnConflict = false;
};

}  // namespace pelorus
