// Names and magic numbers of everything in a data folder. On disk: append, never renumber.
//
//   LOCK                        held by the process that owns the folder; names that process and its address
//   LOGFOLDER                   path of the log's folder, when that is not wal
//   wal/<number>.wal            the log: data of small commits, every commit, metadata (wal_writer.h)
//   wal/SYNCED                  position up to which the log is known to be synced (synced_mark.h)
//   checkpoint/<number>.state   the state at a point of the log; replay begins at the log file of that number;
//                               that of row tables at an older one, which it names
//   rows/<number>.rows          images of pages of row tables, which the checkpoint names
//   segments/<number>.seg       column files: runs of rows of one or more chunks (segment.h)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pelorus::format {

inline constexpr std::string_view kWalMagic = "PLRSLOG\x02";
inline constexpr std::string_view kFirstWalMagic = "PLRSWAL\x01";         // without marks; read, no longer written
inline constexpr std::string_view kImageCheckpointMagic = "PLRSCKP\x06";  // of a folder with images of row tables
inline constexpr std::string_view kRowCheckpointMagic = "PLRSCKP\x05";    // of a folder with row tables
inline constexpr std::string_view kCheckpointMagic = "PLRSCKP\x04";
inline constexpr std::string_view kThirdCheckpointMagic = "PLRSCKP\x03";   // without the last changes of chunks; read
inline constexpr std::string_view kSecondCheckpointMagic = "PLRSCKP\x02";  // without participants of transactions; read
inline constexpr std::string_view kFirstCheckpointMagic = "PLRSCKP\x01";   // without routes and ids; read
inline constexpr const char* kBegunFile = "BEGUN";                         // exists in a data folder that has a log
inline constexpr std::string_view kSegmentMagic = "PLRSSEG\x01";
inline constexpr std::string_view kSealedSegmentMagic = "PLRSSEG\x02";
inline constexpr std::string_view kRowImageMagic = "PLRSROW\x01";
inline constexpr const char* kRowImageFolder = "rows";

// The header has the magic number, the file's number, the end of the previous file, the salt of its checksums, and a
// checksum; in the first format, only the first two.
inline constexpr int64_t kWalHeaderBytes = 32;
inline constexpr int64_t kFirstWalHeaderBytes = 16;
// A record begins with its checksum, length, the number of the commit, and its kind.
inline constexpr int64_t kRecordHeaderBytes = 4 + 4 + 8 + 1;
inline constexpr std::string_view kSyncedMarkName = "SYNCED";

// The number of rows in a full block of a segment; commits of fewer rows may be left to the write cache.
inline constexpr int64_t kBlockRows = 65536;

// The kind of a record of the log.
enum class RecordKind : uint8_t {
    Commit = 1,
    Prepare = 2,
    Decide = 3,
    Synced = 4,         // position up to which the log was synced when the records after this one were written
    PrepareShared = 5,  // a prepared transaction that the cluster's store decides
    Decided = 6,        // outcomes that the store has decided at one revision
};

// A position in the log. "Synced up to" it means: all bytes before it, in this file and in those before.
struct WalPosition {
    uint64_t file = 0;
    int64_t offset = 0;
    friend auto operator<=>(const WalPosition&, const WalPosition&) = default;
};

// The kind of an edit.
enum class EditKind : uint8_t {
    ChunkCreated = 1,   // a chunk gets its number
    Rows = 2,           // rows of a small commit
    SegmentAdded = 3,   // rows of a large commit, already in a segment
    RangeMoved = 4,     // the same rows, now in a segment: flush and compaction
    ChunkDropped = 5,   // the chunk and its rows are gone
    MetaWrite = 6,      // a key of the embedded metadata store
    ChunkCleared = 7,   // the chunk's rows are gone; what follows in the record replaces them
    SealedRows = 8,     // as Rows, encrypted; in memory they are Rows
    RoutedChunk = 9,    // as ChunkCreated, with the revision of its route; in memory ChunkCreated
    RowsReplaced = 11,  // the chunk's first rows are gone, and what follows in the record comes before the others
    ChunkCopied = 12,   // the chunk is a copy of another node's: when that was last changed
    RowEdits = 13,      // changes of rows of a row table
    RowsDropped = 14,   // the rows of a row table are gone
    AppendId = 10,      // the id of the append that this commit is: when it is sent again, nothing is stored
};

// Returns the name of a file with this number: 16 hexadecimal digits and the suffix.
std::string numberedName(uint64_t number, std::string_view suffix);
// Parses a name made by numberedName and returns true; returns false for any other name.
bool parseNumberedName(std::string_view name, std::string_view suffix, uint64_t& number);

}  // namespace pelorus::format
