#include "storage/folder/row_image_files.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "common/error.h"
#include "common/io/crc32c.h"
#include "common/log.h"
#include "common/thread/thread_pool.h"
#include "storage/codec/general.h"
#include "storage/commit/storage_parts.h"
#include "storage/folder/damaged_data.h"
#include "storage/log/wal_writer.h"
#include "storage/rows/row_page_image.h"
#include "storage/rows/row_store.h"

namespace pelorus {
namespace {

constexpr const char* kSuffix = ".rows";
constexpr int64_t kLogBytesPerImageByte = 4;      // of log that is kept rather than images written
constexpr int64_t kMemoryPerLogByte = 4;          // of rows in memory: the log that is kept may grow with them
constexpr int64_t kWorthwhileShare = 2;           // a file is given up when less than this part of it is images
constexpr int64_t kPagesAtOnce = 64;              // that are encoded before they are written
constexpr size_t kPieceBytes = size_t{16} << 20;  // of a page that are compressed at once

std::string folderOfImages(const StorageParts& parts) {
    return joinPath(parts.folder, format::kRowImageFolder);
}

std::string pathOf(const StorageParts& parts, uint64_t file) {
    return joinPath(folderOfImages(parts), format::numberedName(file, kSuffix));
}

// Returns a block: the checksum of the rest, the count of bytes, and these in compressed pieces.
std::string blockOf(const RowPage& page, uint64_t number) {
    std::string rows;
    RowPageImage::append(page, {number, 0}, rows);
    std::string packed;
    ByteWriter(packed).varint(rows.size());
    for (size_t at = 0; at < rows.size(); at += kPieceBytes) {
        std::string piece;
        codec::compress(std::string_view(rows).substr(at, kPieceBytes), 1, piece);
        ByteWriter(packed).string(piece);
    }
    std::string block;
    ByteWriter(block).fixed(crc32c(packed));
    return block + packed;
}

int loadBlock(std::string_view block, RowPage& page, const RowColumns& columns, uint64_t number) {
    ByteReader reader(block);
    const auto checksum = reader.fixed<uint32_t>();
    if (crc32c(block.substr(reader.position())) != checksum) throw SystemError("It fails its checksum.");
    std::string rows(reader.varint(), '\0');
    for (size_t at = 0; at < rows.size(); at += kPieceBytes)
        codec::decompress(reader.string(), rows.data() + at, std::min(kPieceBytes, rows.size() - at));
    ByteReader image(rows);
    return RowPageImage::load(page, image, columns, number);
}

// Returns the bytes of a file; 0 when it is absent.
int64_t bytesOf(const StorageParts& parts, const std::string& path) {
    return parts.files.exists(path) ? parts.files.openForRead(path)->size() : 0;
}

// Returns the files in which so little is still an image that the rest is written again.
std::set<uint64_t> filesToGiveUp(const StorageParts& parts, const RowImages& images) {
    std::map<uint64_t, int64_t> bytes;
    for (const auto& [id, table] : images.tables) {
        for (const RowImageBlock& page : table.pages) bytes[page.file] += page.sizeBytes;
    }
    std::set<uint64_t> files;
    for (const auto& [file, used] : bytes) {
        if (used * kWorthwhileShare < bytesOf(parts, pathOf(parts, file))) files.insert(file);
    }
    return files;
}

// The file of one set of images; made with its first one.
class ImageFile {
public:
    ImageFile(const StorageParts& parts, uint64_t number) : parts_(parts), number_(number) {}
    RowImageBlock add(std::string_view block) {
        if (!file_) {
            file_ = parts_.files.create(pathOf(parts_, number_));
            file_->append(format::kRowImageMagic);
            offset_ = static_cast<int64_t>(format::kRowImageMagic.size());
        }
        file_->append(block);
        const RowImageBlock place{number_, offset_, static_cast<int64_t>(block.size())};
        offset_ += place.sizeBytes;
        return place;
    }
    void finish() {
        if (!file_) return;
        file_->sync();
        parts_.files.syncFolder(folderOfImages(parts_));
    }
    int64_t sizeBytes() const { return offset_; }

private:
    const StorageParts& parts_;
    const uint64_t number_;
    std::unique_ptr<File> file_;
    int64_t offset_ = 0;
};

// Writes the images of the pages that those before do not have.
RowImages::Table writeTable(const RowPart& part, const RowImages::Table* before, uint64_t numberBefore,
                            const std::set<uint64_t>& givenUp, uint64_t number, ImageFile& file) {
    RowImages::Table table;
    table.columns = part.columns();
    const std::vector<const RowPage*> pages = part.pages();
    table.pages.resize(pages.size());
    std::vector<size_t> changed;
    for (size_t page = 0; page < pages.size(); ++page) {
        const bool isThere = before != nullptr && page < before->pages.size();
        if (isThere) table.pages[page] = before->pages[page];
        if (!isThere || givenUp.count(table.pages[page].file) > 0 ||
            RowPageImage::isChangedSince(*pages[page], numberBefore))
            changed.push_back(page);
    }
    for (size_t at = 0; at < changed.size(); at += kPagesAtOnce) {
        std::vector<std::string> blocks(std::min<size_t>(kPagesAtOnce, changed.size() - at));
        parallelFor(static_cast<int64_t>(blocks.size()), [&](int64_t i) {
            blocks[static_cast<size_t>(i)] = blockOf(*pages[changed[at + static_cast<size_t>(i)]], number);
        });
        for (size_t i = 0; i < blocks.size(); ++i) table.pages[changed[at + i]] = file.add(blocks[i]);
    }
    return table;
}

}  // namespace

int64_t logBytesOfRows(const StorageParts& parts, uint64_t firstFile, uint64_t logFile) {
    int64_t bytes = 0;
    for (uint64_t file = firstFile; firstFile != 0 && file < logFile; ++file)
        bytes += bytesOf(parts, joinPath(parts.logFolder, format::numberedName(file, ".wal")));
    return bytes;
}

bool areRowImagesDue(const StorageParts& parts, int64_t logBytes) {
    if (logBytes == 0) return false;
    const std::shared_ptr<const RowImages> before = parts.rows->onDisk().images;
    int64_t bytes = 0, changedBytes = 0;
    for (const auto& [id, rows] : parts.rows->tables()) {
        for (const RowPage* page : rows->part->pages()) {
            const int64_t pageBytes = RowPageImage::sizeBytes(*page);
            bytes += pageBytes;
            if (!before || RowPageImage::isChangedSince(*page, before->number)) changedBytes += pageBytes;
        }
    }
    const int64_t most = std::max(parts.options.rowLogBytes, bytes / kMemoryPerLogByte);
    return logBytes >= std::min(most, kLogBytesPerImageByte * changedBytes);
}

std::shared_ptr<const RowImages> writeRowImages(StorageParts& parts, uint64_t logFile) {
    std::shared_ptr<const RowImages> images = writeRowImagesAtBorder(parts, logFile);
    // What is in the images must be in the log, too: columns of the same commits are there alone.
    parts.log->sync();
    return images;
}

std::shared_ptr<const RowImages> writeRowImagesAtBorder(StorageParts& parts, uint64_t logFile) {
    const std::shared_ptr<const RowImages> before = parts.rows->onDisk().images;
    const ReadSlots::Read read(parts.rows->reads());
    auto images = std::make_shared<RowImages>();
    images->number = read.number();
    images->logFile = logFile;
    const std::set<uint64_t> givenUp = before ? filesToGiveUp(parts, *before) : std::set<uint64_t>();
    ImageFile file(parts, logFile);
    for (const auto& [id, rows] : parts.rows->tables()) {
        const auto found = before ? before->tables.find(id) : std::map<uint64_t, RowImages::Table>::const_iterator();
        const RowImages::Table* tableBefore = before && found != before->tables.end() ? &found->second : nullptr;
        images->tables[id] =
            writeTable(*rows->part, tableBefore, before ? before->number : 0, givenUp, images->number, file);
    }
    file.finish();
    parts.rows->requireKept(images->number);
    logInfo("storage", "images of rows",
            {{"number", images->number}, {"logFile", logFile}, {"bytes", file.sizeBytes()}});
    return images;
}

void loadRowImages(StorageParts& parts, std::shared_ptr<const RowImages> images) {
    const uint64_t number = parts.clock();
    parts.rows->beginLogFile(images->logFile);
    std::map<uint64_t, std::unique_ptr<File>> files;
    for (const auto& [id, table] : images->tables) {
        for (const RowImageBlock& page : table.pages) {
            std::unique_ptr<File>& file = files[page.file];
            if (file) continue;
            const std::string path = pathOf(parts, page.file);
            if (!parts.files.exists(path))
                throw DamagedData("The file of rows " + path + " is missing.", "Restore the folder from a copy.");
            file = parts.files.openForRead(path);
        }
    }
    for (const auto& [id, table] : images->tables) {
        const auto rows = parts.rows->make(id, table.columns);
        rows->part->loadPages(table.columns, table.pages.size(), [&, &table = table](size_t page, RowPage& to) {
            const RowImageBlock& place = table.pages[page];
            const File& file = *files.at(place.file);
            const bool isInFile =
                place.sizeBytes >= 0 && place.offset >= 0 && place.sizeBytes <= file.size() - place.offset;
            std::string block(isInFile ? static_cast<size_t>(place.sizeBytes) : 0, '\0');
            try {
                block.resize(file.readAt(place.offset, block.data(), block.size()));
                return loadBlock(block, to, table.columns, number);
            } catch (const SystemError& error) {
                throw DamagedData("The file of rows " + file.path() + " is damaged at byte " +
                                      std::to_string(place.offset) + ". " + error.what(),
                                  "Restore the folder from a copy.");
            }
        });
    }
    parts.rows->adopt(std::move(images));
}

void removeOtherRowImages(const StorageParts& parts, const RowImages* images) {
    std::set<std::string> used;
    if (images != nullptr) {
        for (const auto& [id, table] : images->tables) {
            for (const RowImageBlock& page : table.pages) used.insert(format::numberedName(page.file, kSuffix));
        }
    }
    for (const std::string& name : parts.files.list(folderOfImages(parts))) {
        if (used.count(name) == 0) parts.files.remove(joinPath(folderOfImages(parts), name));
    }
}

}  // namespace pelorus
