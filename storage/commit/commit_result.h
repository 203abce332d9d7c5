// The result of an attempt to commit a batch of rows.
#pragma once

#include <cstdint>

namespace pelorus {

// The one result of commits, from the log of a node to the statement that appends. The values up to `CutOff` are sent
// between nodes: append before no other, never renumber.
enum class CommitResult : uint8_t {
    Done = 0,      // durable; of a prepared transaction: invisible until it is decided
    TableChanged,  // nothing is written: the rows are bound by an entry of the table that is no longer the newest
    OldConfig,     // not prepared: the node's state is newer than the sender's revision, or it does not keep a chunk
    NotInSync,     // not prepared: the node is not in sync, and another one keeps a chunk, too
    Busy,          // nothing is written: another transaction held a chunk for longer than the caller waits
    RowsChanged,   // nothing is written: rows that are to be replaced were changed since they were seen
    RowsMoved,     // nothing is written: rows that are to be replaced have other positions than they were seen at
    CutOff,        // not prepared: the node does not reach the metadata store
    TryAgain,      // nothing is written, and the same batch may be tried again
    Refused,       // nothing is written: a node is missing that no other can replace
    Fenced,        // nothing is written: another process has taken this node's place
    Unknown,       // sent for decision, and whether it is committed cannot be found out any more
};
inline constexpr CommitResult kLastSentResult = CommitResult::CutOff;

}  // namespace pelorus
