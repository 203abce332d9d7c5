#include "storage/folder/quarantine.h"
#include "storage/commit/commit_path.h"
#include "storage/version/version_set.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/log.h"
#include "storage/segment/segment.h"
#include "storage/segment/table_file.h"
#include "storage/version/write_cache.h"

namespace pelorus {

static constexpr std::string_view kNotesSuffix = ".json";

std::string quarantineFolder(const LocalStorage& storage) {
    return joinPath(storage.folder(), "quarantine");
}

// Returns rows in order of arrival; those before and after a change of columns separately.
static std::vector<Ref<MemoryTable>> rowsOf(const ChunkVersion& version) {
    std::vector<Ref<MemoryTable>> tables;
    for (const ChunkPart& part : version.parts) {
        const Ref<MemoryTable> rows = part.segment ? part.segment->readAll() : part.rows;
        if (rows->rowCount() == 0) continue;
        if (tables.empty() || !sameColumns(tables.back()->columns(), rows->columns()))
            tables.push_back(MemoryTable::empty(rows->columns(), version.rowCount));
        tables.back()->append(*rows);
    }
    return tables;
}

static std::string freeName(FileSystem& files, const std::string& folder) {
    int next = 1;
    for (const std::string& name : files.list(folder)) next = std::max(next, std::atoi(name.c_str()) + 1);
    return fmt::format("{:06}", next);
}

void quarantineChunks(LocalStorage& storage, FileSystem& files,
                      const std::vector<std::shared_ptr<const ChunkIdentity>>& chunks, const std::string& reason) {
    const std::string folder = quarantineFolder(storage);
    if (!chunks.empty()) files.makeFolder(folder);
    for (const auto& chunk : chunks) {
        logWarning("storage", "chunk goes to quarantine",
                   {{"table", chunk->table}, {"path", chunk->path}, {"reason", reason}});
        // Concurrently added rows are included: then the written file is replaced.
        for (ChunkVersionRef version; (version = storage.versions().newest(chunk->id));) {
            std::vector<std::string> written;
            for (const Ref<MemoryTable>& rows : rowsOf(*version)) {
                written.push_back(freeName(files, folder));
                const std::string path = joinPath(folder, written.back());
                writeTableFile(files, path + ".tbl", *rows);
                const nlohmann::json notes = {
                    {"table", chunk->table}, {"path", chunk->path}, {"rows", rows->rowCount()}, {"reason", reason}};
                replaceFile(files, path + std::string(kNotesSuffix), notes.dump(1) + '\n');
            }
            if (storage.commits().removeUnchanged(chunk->id, version->since)) break;
            for (const std::string& name : written) {
                files.remove(joinPath(folder, name + std::string(kNotesSuffix)));
                files.remove(joinPath(folder, name + ".tbl"));
            }
        }
    }
}

std::vector<QuarantinedRows> quarantined(const LocalStorage& storage, FileSystem& files) {
    const std::string folder = quarantineFolder(storage);
    std::vector<QuarantinedRows> found;
    for (const std::string& name : files.list(folder)) {
        if (!name.ends_with(kNotesSuffix)) continue;
        const auto notes = nlohmann::json::parse(readWholeFile(files, joinPath(folder, name)), nullptr, false);
        if (!notes.is_object()) continue;
        found.push_back({name.substr(0, name.size() - kNotesSuffix.size()), notes.value("table", uint64_t{0}),
                         notes.value("path", ""), notes.value("rows", int64_t{0}), notes.value("reason", "")});
    }
    return found;
}

}  // namespace pelorus
