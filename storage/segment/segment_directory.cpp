#include "storage/segment/segment_directory.h"

#include "common/check.h"
#include "common/error.h"
#include "common/io/crc32c.h"
#include "storage/codec/row_codec.h"

namespace pelorus {
namespace {

constexpr size_t kTrailerBytes = 4 + 4 + 8;
constexpr size_t kSealedTrailerBytes = 8 + kTrailerBytes;  // the table's id in front

enum BlockFlags : uint8_t { kBoundsKnown = 1 };

void writePiece(const Piece& piece, ByteWriter& writer) {
    writer.varint(piece.offset);
    writer.fixed(piece.sizeBytes);
    writer.fixed(piece.checksum);
}

Piece readPiece(ByteReader& reader) {
    Piece piece;
    piece.offset = reader.varint();
    piece.sizeBytes = reader.fixed<uint32_t>();
    piece.checksum = reader.fixed<uint32_t>();
    return piece;
}

}  // namespace

int blocksOf(int64_t rows) {
    return static_cast<int>((rows + format::kBlockRows - 1) / format::kBlockRows);
}

void appendDirectory(const TableSchema& schema, int64_t rows, const std::vector<ColumnEntry>& columns,
                     const TableCipher* cipher, std::string& segment) {
    std::string directory;
    ByteWriter writer(directory);
    encodeSchema(schema, directory);
    writer.varint(static_cast<uint64_t>(rows));
    for (const ColumnEntry& column : columns) {
        writer.fixed<uint8_t>(column.hasDictionary);
        if (column.hasDictionary) writePiece(column.dictionary, writer);
        for (const BlockEntry& block : column.blocks) {
            writePiece(block.piece, writer);
            writer.fixed<uint8_t>(block.boundsKnown ? kBoundsKnown : 0);
            writer.varint(block.nullCount);
            if (block.boundsKnown) {
                writer.fixed(block.min);
                writer.fixed(block.max);
            }
        }
    }
    CHECK(columns.size() == schema.size()) << "a directory describes each column";
    for (const ColumnEntry& column : columns)
        CHECK(std::ssize(column.blocks) == blocksOf(rows)) << "a column has a block for each kBlockRows rows";
    if (cipher != nullptr) cipher->cipher.seal(directory);
    segment += directory;
    ByteWriter trailer(segment);
    if (cipher != nullptr) trailer.fixed(cipher->table);
    trailer.fixed(crc32c(directory));
    trailer.fixed(static_cast<uint32_t>(directory.size()));
    const std::string_view magic = cipher != nullptr ? format::kSealedSegmentMagic : format::kSegmentMagic;
    trailer.raw(magic.data(), magic.size());
}

SegmentDirectory readDirectory(const SegmentFile& file, const SegmentLocation& location) {
    const std::string damaged = "The segment at byte " + std::to_string(location.offset) + " of " + file.path() +
                                " is damaged: its directory fails the checksum.";
    if (location.sizeBytes < kTrailerBytes) throw SystemError(damaged);
    char trailer[kTrailerBytes];
    const auto end = static_cast<int64_t>(location.offset + location.sizeBytes);
    file.read(end - static_cast<int64_t>(kTrailerBytes), trailer, kTrailerBytes);
    ByteReader trailerReader({trailer, kTrailerBytes});
    const auto checksum = trailerReader.fixed<uint32_t>();
    const auto sizeBytes = trailerReader.fixed<uint32_t>();
    const std::string_view magic = trailerReader.raw(8);
    const bool isSealed = magic == format::kSealedSegmentMagic;
    const size_t trailerBytes = isSealed ? kSealedTrailerBytes : kTrailerBytes;
    if ((!isSealed && magic != format::kSegmentMagic) || sizeBytes + trailerBytes > location.sizeBytes) {
        throw SystemError(damaged);
    }
    std::string bytes(sizeBytes, '\0');
    file.read(end - static_cast<int64_t>(trailerBytes + sizeBytes), bytes.data(), sizeBytes);
    if (crc32c(bytes) != checksum) throw SystemError(damaged);

    SegmentDirectory directory;
    if (isSealed) {
        uint64_t table = 0;
        file.read(end - static_cast<int64_t>(trailerBytes), &table, sizeof table);
        directory.cipher = file.cipherOf(table);
        directory.cipher->cipher.open(bytes);
    }
    ByteReader reader(bytes);
    directory.schema = decodeSchema(reader);
    if (static_cast<int64_t>(reader.varint()) != location.rows) throw SystemError(damaged);
    const auto blocks = static_cast<size_t>(blocksOf(location.rows));
    directory.columns.resize(directory.schema.size());
    for (ColumnEntry& column : directory.columns) {
        column.hasDictionary = reader.fixed<uint8_t>() != 0;
        if (column.hasDictionary) column.dictionary = readPiece(reader);
        column.blocks.resize(blocks);
        for (BlockEntry& block : column.blocks) {
            block.piece = readPiece(reader);
            block.boundsKnown = (reader.fixed<uint8_t>() & kBoundsKnown) != 0;
            block.nullCount = static_cast<uint32_t>(reader.varint());
            if (block.boundsKnown) {
                block.min = reader.fixed<int64_t>();
                block.max = reader.fixed<int64_t>();
            }
        }
    }
    return directory;
}

}  // namespace pelorus
