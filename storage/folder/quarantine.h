// Moves unknown chunks to quarantine: their rows are kept in files, as tables of a plain folder, until a person
// decides.
//
//   quarantine/<n>.tbl    the rows (table_file.h); readable with loadTable(<folder>, `<n>)
//   quarantine/<n>.json   table id, path, reason
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/folder/local_storage.h"
#include "storage/version/version_set.h"

namespace pelorus {

// Rows in quarantine, a table of the folder.
struct QuarantinedRows {
    std::string name;  // name of the table in the folder
    uint64_t table = 0;
    std::string path;
    int64_t rows = 0;
    std::string reason;
};

// Returns the path of the folder, which may not exist.
std::string quarantineFolder(const LocalStorage& storage);

// Moves the chunks' rows to quarantine, one chunk at a time: the rows are on disk there before the chunk is removed.
// Throws SystemError when the disk refuses: chunks that were not moved are unchanged. `reason` is noted with the rows.
void quarantineChunks(LocalStorage& storage, FileSystem& files,
                      const std::vector<std::shared_ptr<const ChunkIdentity>>& chunks, const std::string& reason);

// Returns the quarantined rows, in the order in which they came.
std::vector<QuarantinedRows> quarantined(const LocalStorage& storage, FileSystem& files);

}  // namespace pelorus
