// Quarantine of unknown chunks: their rows are kept in files, as tables of a plain folder, until a person decides.
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

struct QuarantinedRows {
    std::string name;  // of the table in the folder
    uint64_t table = 0;
    std::string path;
    int64_t rows = 0;
    std::string reason;
};

std::string quarantineFolder(const LocalStorage& storage);

// Moves the chunks' rows there, one chunk at a time: the rows are on disk in the new place before the chunk is removed.
// Throws SystemError when the disk refuses: chunks that were not moved are unchanged.
void quarantineChunks(LocalStorage& storage, FileSystem& files,
                      const std::vector<std::shared_ptr<const ChunkIdentity>>& chunks, const std::string& reason);

// Returns the quarantined rows, in the order in which they came.
std::vector<QuarantinedRows> quarantined(const LocalStorage& storage, FileSystem& files);

}  // namespace pelorus
