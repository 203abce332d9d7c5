#include "storage/segment/segment_writer.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/io/crc32c.h"
#include "common/thread/thread_pool.h"
#include "storage/codec/array_block.h"
#include "storage/codec/block_codec.h"
#include "storage/codec/row_codec.h"
#include "storage/segment/dictionary_draft.h"
#include "storage/segment/segment_directory.h"

namespace pelorus {
namespace {

struct EncodedColumn {
    ColumnEntry entry;
    DictionaryDraft draft;
    std::string dictionary;
    std::vector<std::string> blocks;
};

void prepareColumn(const Value& column, EncodedColumn& encoded) {
    ColumnEntry& entry = encoded.entry;
    if (column.type() == Type::Symbol) {
        encoded.draft = symbolDictionary(column.vector());
        entry.hasDictionary = true;
    } else if (storageOf(column.type()) == Storage::String) {
        entry.hasDictionary = stringDictionary(column.vector(), encoded.draft);
    }
    if (entry.hasDictionary) {
        ByteWriter writer(encoded.dictionary);
        writer.varint(encoded.draft.strings.size());
        for (const std::string_view string : encoded.draft.strings) writer.string(string);
    }
    entry.blocks.resize(static_cast<size_t>(blocksOf(column.size())));
    encoded.blocks.resize(entry.blocks.size());
}

void encodeOneBlock(const Value& elements, EncodedColumn& encoded, size_t block, codec::Compression compression) {
    const int64_t begin = static_cast<int64_t>(block) * format::kBlockRows;
    const int64_t n = std::min(format::kBlockRows, elements.size() - begin);
    CHECK(n > 0) << "a block holds rows";
    BlockEntry& blockEntry = encoded.entry.blocks[block];
    std::string& bytes = encoded.blocks[block];
    if (encoded.entry.hasDictionary) {
        CHECK(begin + n <= std::ssize(encoded.draft.codes)) << "a dictionary column has a code for each row";
        const int32_t* codes = encoded.draft.codes.data() + begin;
        const bool hasEmpty = !encoded.draft.strings.empty() && encoded.draft.strings[0].empty();
        static_cast<ZoneMap&>(blockEntry) = zoneMapOfCodes(codes, n, hasEmpty);
        codec::encodeBlock(Storage::Int32, codes, n, bytes, compression);
        return;
    }
    if (elements.isArrayVector()) return encodeArrayBlock(elements.arrayVector(), begin, n, bytes, compression);
    const Vector& column = elements.vector();
    const Storage storage = storageOf(column.type());
    if (storage == Storage::String) {
        std::vector<std::string_view> strings(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) {
            strings[static_cast<size_t>(i)] = column.string(begin + i);
            blockEntry.nullCount += strings[static_cast<size_t>(i)].empty();
        }
        codec::encodeStringBlock(strings, bytes, compression);
        return;
    }
    const char* first = column.raw() + begin * column.width();
    static_cast<ZoneMap&>(blockEntry) = zoneMapOf(column.type(), first, n);
    codec::encodeBlock(storage, first, n, bytes, compression);
}

Piece place(const std::string& bytes, std::string& segment) {
    CHECK(bytes.size() <= UINT32_MAX) << "the length of a piece has 32 bits";
    const Piece piece{segment.size(), static_cast<uint32_t>(bytes.size()), crc32c(bytes)};
    segment += bytes;
    return piece;
}

}  // namespace

std::string encodeSegment(const MemoryTable& rows, const ColumnCompression& compression, const TableCipher* cipher) {
    const auto columnCount = static_cast<size_t>(rows.columnCount());
    for (size_t c = 0; c < columnCount; ++c) {
        if (isStorable(rows.columns()[c].type)) continue;
        throw UserError("The column " + rows.columns()[c].name + " has type " +
                        std::string(typeName(rows.columns()[c].type)) + ", which a table on disk cannot hold.");
    }
    // Read here: the caller may hold the lock of a shared table, which tasks on other threads would wait for.
    const int64_t rowCount = rows.rowCount();
    std::vector<EncodedColumn> columns(columnCount);
    parallelFor(static_cast<int64_t>(columnCount), [&](int64_t c) {
        EncodedColumn& column = columns[static_cast<size_t>(c)];
        CHECK(rows.column(static_cast<int>(c)).size() == rowCount) << "all columns have as many rows";
        prepareColumn(rows.column(static_cast<int>(c)), column);
        if (cipher != nullptr && column.entry.hasDictionary) cipher->cipher.seal(column.dictionary);
    });
    const int64_t blocks = blocksOf(rows.rowCount());
    parallelFor(static_cast<int64_t>(columnCount) * blocks, [&](int64_t task) {
        const int64_t c = task / blocks;
        encodeOneBlock(
            rows.column(static_cast<int>(c)), columns[static_cast<size_t>(c)], static_cast<size_t>(task % blocks),
            compression.size() == columnCount ? compression[static_cast<size_t>(c)] : codec::Compression::Lz4);
        if (cipher != nullptr)
            cipher->cipher.seal(columns[static_cast<size_t>(c)].blocks[static_cast<size_t>(task % blocks)]);
    });

    std::string segment;
    for (EncodedColumn& column : columns) {
        if (column.entry.hasDictionary) column.entry.dictionary = place(column.dictionary, segment);
        for (size_t b = 0; b < column.blocks.size(); ++b) {
            column.entry.blocks[b].piece = place(column.blocks[b], segment);
            std::string().swap(column.blocks[b]);
        }
    }
    std::vector<ColumnEntry> entries;
    entries.reserve(columnCount);
    for (EncodedColumn& column : columns) entries.push_back(std::move(column.entry));
    appendDirectory(rows.columns(), rows.rowCount(), entries, cipher, segment);
    return segment;
}

SegmentFileWriter::SegmentFileWriter(FileSystem& files, const std::string& folder, uint64_t number)
    : files_(files), path_(joinPath(folder, format::numberedName(number, ".seg"))), number_(number) {
    file_ = files_.create(path_);
}

SegmentFileWriter::~SegmentFileWriter() {
    if (finished_) return;
    file_.reset();
    try {
        files_.remove(path_);
    } catch (const Error&) {
        // The next start removes files that no version uses.
    }
}

SegmentLocation SegmentFileWriter::add(const MemoryTable& rows, const ColumnCompression& compression,
                                       const TableCipher* cipher) {
    const std::string bytes = encodeSegment(rows, compression, cipher);
    const MutexLock guard(mutex_);
    CHECK(file_ != nullptr) << "a file that is finished takes no more segments";
    const SegmentLocation location{number_, written_, bytes.size(), rows.rowCount()};
    file_->append(bytes);
    written_ += bytes.size();
    return location;
}

void SegmentFileWriter::finish() {
    CHECK(file_ != nullptr) << "a file is finished once";
    file_->sync();
    files_.syncFolder(folderOf(path_));
    file_.reset();
    finished_ = true;
}

}  // namespace pelorus
