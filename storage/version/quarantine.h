// Chunks that nobody knows any more: their rows are kept in files, as tables of a plain folder, until a person decides.
//
//   quarantine/<n>.tbl    the rows (table_file.h); readable with loadTable(<folder>, `<n>)
//   quarantine/<n>.json   table id, path, why
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/version/local_storage.h"

namespace pelorus {

struct QuarantinedRows {
    std::string name;  // of the table in the folder
    uint64_t table = 0;
    std::string path;
    int64_t rows = 0;
    std::string reason;
};

std::string quarantineFolder(const LocalStorage& storage);

// Moves the chunks' rows there, one chunk at a time: first they are on disk in the new place, then they leave the old
// one. Throws SystemError when the disk refuses: the chunks that were not moved are where they were.
void quarantineChunks(LocalStorage& storage, FileSystem& files,
                      const std::vector<std::shared_ptr<const ChunkIdentity>>& chunks, const std::string& reason);

// Returns the quarantined rows, in the order in which they came.
std::vector<QuarantinedRows> quarantined(const LocalStorage& storage, FileSystem& files);

}  // namespace pelorus
