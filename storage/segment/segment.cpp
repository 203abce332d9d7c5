#include "storage/segment/segment.h"

#include <algorithm>
#include <cstring>

#include "common/check.h"
#include "common/error.h"
#include "common/io/crc32c.h"
#include "common/thread/once.h"
#include "runtime/value/symbol_base.h"
#include "storage/codec/array_block.h"
#include "storage/codec/block_codec.h"
#include "storage/segment/block_cache.h"
#include "storage/segment/segment_directory.h"

namespace pelorus {

// ---- files

SegmentFile::SegmentFile(FileSystem& files, std::string path, uint64_t number, CipherOf cipherOf)
    : files_(files), path_(std::move(path)), number_(number), cipherOf_(std::move(cipherOf)) {}

TableCipherRef SegmentFile::cipherOf(uint64_t table) const {
    TableCipherRef cipher = cipherOf_ ? cipherOf_(table) : nullptr;
    if (!cipher) throw SystemError("The file " + path_ + " is encrypted, and its key is not known.");
    return cipher;
}

SegmentFile::~SegmentFile() {
    if (!retired_.load()) return;
    file_.reset();
    try {
        files_.remove(path_);
    } catch (const Error&) {
        // The next start removes files that no version uses.
    }
}

void SegmentFile::read(int64_t offset, void* target, size_t sizeBytes) const {
    opened_.call([&] { file_ = files_.openForRead(path_); });
    if (file_->readAt(offset, target, sizeBytes) != sizeBytes) {
        throw SystemError("The column file " + path_ + " is shorter than its directory says.",
                          "The file is damaged: restore it from a copy of the folder.");
    }
}

void SegmentFile::willRead(int64_t offset, int64_t sizeBytes) const {
    opened_.call([&] { file_ = files_.openForRead(path_); });
    file_->willRead(offset, sizeBytes);
}

void encodeLocation(const SegmentLocation& location, ByteWriter& writer) {
    writer.varint(location.file);
    writer.varint(location.offset);
    writer.varint(location.sizeBytes);
    writer.varint(static_cast<uint64_t>(location.rows));
}

SegmentLocation decodeLocation(ByteReader& reader) {
    SegmentLocation location;
    location.file = reader.varint();
    location.offset = reader.varint();
    location.sizeBytes = reader.varint();
    location.rows = static_cast<int64_t>(reader.varint());
    return location;
}

// ---- the directory, and state loaded by reads

namespace {

double bitsDouble(int64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

}  // namespace

struct Segment::Directory : SegmentDirectory {
    // The dictionary of a column: sorted strings, and for SYMBOL the process's codes; loaded at first use.
    struct Dictionary {
        Once loaded;
        std::string bytes;
        std::vector<std::string_view> strings;
        std::vector<int32_t> codes;
    };
    std::unique_ptr<Dictionary[]> dictionaries;
    // Whether a block's checksum was verified once, [column * blocks + block].
    std::unique_ptr<std::atomic<bool>[]> verified;
};

// ---- reading

Segment::Segment(std::shared_ptr<SegmentFile> file, const SegmentLocation& location, BlockCache& cache)
    : file_(std::move(file)), location_(location), cache_(cache), cacheKey_(BlockCache::newSegmentKey()) {}

Segment::~Segment() {
    if (!isCached_.load(std::memory_order_relaxed)) return;
    // No later reader can ask for these blocks.
    for (int column = 0; column < static_cast<int>(directory_->columns.size()); ++column)
        cache_.forget(cacheKey_, blockCount(), column);
}

static std::string readPieceBytes(const SegmentFile& file, const SegmentLocation& location, const Piece& piece) {
    if (piece.offset + piece.sizeBytes > location.sizeBytes) {
        throw SystemError("The directory of a segment in " + file.path() + " is damaged.");
    }
    std::string bytes(piece.sizeBytes, '\0');
    file.read(static_cast<int64_t>(location.offset + piece.offset), bytes.data(), bytes.size());
    return bytes;
}

const Segment::Directory& Segment::directory() const {
    opened_.call([&] {
        auto directory = std::make_unique<Directory>();
        static_cast<SegmentDirectory&>(*directory) = readDirectory(*file_, location_);
        directory->dictionaries = std::make_unique<Directory::Dictionary[]>(directory->columns.size());
        directory->verified =
            std::make_unique<std::atomic<bool>[]>(directory->columns.size() * static_cast<size_t>(blockCount()));
        directory_ = std::move(directory);
        isOpen_.store(true, std::memory_order_relaxed);
    });
    return *directory_;
}

const TableSchema& Segment::columns() const {
    return directory().schema;
}

int Segment::blockCount() const {
    return blocksOf(location_.rows);
}

int64_t Segment::blockRows(int block) const {
    return std::min(format::kBlockRows, location_.rows - static_cast<int64_t>(block) * format::kBlockRows);
}

static std::string pieceName(const SegmentFile& file, const std::string& column, int block) {
    return "Block " + std::to_string(block) + " of column " + column + " in " + file.path();
}

// Loads and checks the strings of a dictionary column, once.
static void loadDictionary(const SegmentFile& file, const SegmentLocation& location, const Piece& piece, Type type,
                           const TableCipher* cipher, std::string& bytes, std::vector<std::string_view>& strings,
                           std::vector<int32_t>& codes) {
    bytes = readPieceBytes(file, location, piece);
    if (crc32c(bytes) != piece.checksum) {
        throw SystemError("A dictionary in " + file.path() + " is damaged: it fails its checksum.",
                          "Restore the file from a copy of the folder.");
    }
    if (cipher != nullptr) cipher->cipher.open(bytes);
    ByteReader reader(bytes);
    strings.resize(reader.count());
    for (std::string_view& string : strings) string = reader.string();
    if (type != Type::Symbol) return;
    codes.reserve(strings.size());
    for (const std::string_view string : strings) codes.push_back(symbols::intern(string));
}

static Value boundValue(const ColumnSchema& column, int64_t bits, const std::vector<std::string_view>& strings) {
    switch (storageOf(column.type)) {
        case Storage::Float32:
            return Value::ofFloat(static_cast<float>(bitsDouble(bits)));
        case Storage::Float64:
            return Value::ofDouble(bitsDouble(bits));
        case Storage::String:
            return Value::ofString(strings[static_cast<size_t>(bits)], column.type);
        default:
            break;
    }
    if (column.type == Type::Symbol) return Value::ofString(strings[static_cast<size_t>(bits)], Type::Symbol);
    Value value = Value::scalar(column.type, bits);
    value.setExtra(column.scale);
    return value;
}

BlockBounds Segment::bounds(int block, int column) const {
    const Directory& directory = this->directory();
    const auto c = static_cast<size_t>(column);
    const ColumnEntry& columnEntry = directory.columns[c];
    const BlockEntry& blockEntry = columnEntry.blocks[static_cast<size_t>(block)];
    BlockBounds bounds;
    bounds.nullCount = blockEntry.nullCount;
    if (!blockEntry.boundsKnown) return bounds;
    const ColumnSchema& schema = directory.schema[c];
    Directory::Dictionary& dictionary = directory.dictionaries[c];
    if (columnEntry.hasDictionary) {
        dictionary.loaded.call([&] {
            loadDictionary(*file_, location_, columnEntry.dictionary, schema.type, directory.cipher.get(),
                           dictionary.bytes, dictionary.strings, dictionary.codes);
        });
        const auto count = static_cast<int64_t>(dictionary.strings.size());
        if (blockEntry.min >= count || blockEntry.max >= count) return bounds;
    }
    bounds.known = true;
    bounds.min = boundValue(schema, blockEntry.min, dictionary.strings);
    bounds.max = boundValue(schema, blockEntry.max, dictionary.strings);
    return bounds;
}

void Segment::willOpen() const {
    constexpr uint64_t kUsualBytes = 16 << 10;
    if (isOpen_.load(std::memory_order_relaxed)) return;
    const uint64_t sizeBytes = std::min(location_.sizeBytes, kUsualBytes);
    file_->willRead(static_cast<int64_t>(location_.offset + location_.sizeBytes - sizeBytes),
                    static_cast<int64_t>(sizeBytes));
}

void Segment::willRead(int firstBlock, int endBlock, int column) const {
    if (!cache_.find({cacheKey_, firstBlock, column}).isVoid()) return;
    const std::vector<BlockEntry>& blocks = directory().columns[static_cast<size_t>(column)].blocks;
    for (int b = firstBlock; b < endBlock;) {
        const uint64_t begin = blocks[static_cast<size_t>(b)].piece.offset;
        uint64_t end = begin;
        for (; b < endBlock && blocks[static_cast<size_t>(b)].piece.offset == end; ++b)
            end += blocks[static_cast<size_t>(b)].piece.sizeBytes;
        file_->willRead(static_cast<int64_t>(location_.offset + begin), static_cast<int64_t>(end - begin));
    }
}

Value Segment::read(int block, int column) const {
    const BlockCache::Key key{cacheKey_, block, column};
    if (Value elements = cache_.find(key); !elements.isVoid()) return elements;
    Value elements = decode(block, column);
    if (cache_.offer(key, elements)) isCached_.store(true, std::memory_order_relaxed);
    return elements;
}

// Translates codes of the segment's dictionary to codes of the process.
static void translateSymbols(int32_t* elements, int64_t n, const std::vector<int32_t>& codes) {
    uint32_t highest = 0;
    for (int64_t i = 0; i < n; ++i) highest = std::max(highest, static_cast<uint32_t>(elements[i]));
    if (highest >= codes.size()) throw SystemError("a code is outside its dictionary");
    const int32_t* table = codes.data();
    for (int64_t i = 0; i < n; ++i) elements[i] = table[elements[i]];
}

// Each distinct string goes into the vector's arena once; its rows share the handle.
static void translateStrings(Vector& column, const int32_t* codes, int64_t n,
                             const std::vector<std::string_view>& strings) {
    std::vector<uint64_t> handles(strings.size());
    std::vector<bool> known(strings.size());
    for (int64_t i = 0; i < n; ++i) {
        const auto code = static_cast<uint32_t>(codes[i]);
        if (code >= strings.size()) throw SystemError("a code is outside its dictionary");
        if (!known[code]) {
            column.setString(i, strings[code]);
            handles[code] = column.data<uint64_t>()[i];
            known[code] = true;
        } else {
            column.mutableData<uint64_t>()[i] = handles[code];
        }
    }
}

Value Segment::decode(int block, int column) const {
    const Directory& directory = this->directory();
    const auto c = static_cast<size_t>(column);
    const ColumnEntry& columnEntry = directory.columns[c];
    const BlockEntry& blockEntry = columnEntry.blocks[static_cast<size_t>(block)];
    const ColumnSchema& schema = directory.schema[c];
    CHECK(block >= 0 && block < blockCount()) << "blocks are read by their numbers";
    const int64_t n = blockRows(block);
    CHECK(n > 0 && n <= format::kBlockRows) << "a block holds 1 to kBlockRows rows";

    // Reused by the thread, so that scans allocate only results.
    thread_local std::string bytes;
    bytes.resize(blockEntry.piece.sizeBytes);
    file_->read(static_cast<int64_t>(location_.offset + blockEntry.piece.offset), bytes.data(), bytes.size());
    std::atomic<bool>& verified = directory.verified[c * columnEntry.blocks.size() + static_cast<size_t>(block)];
    if (!verified.load(std::memory_order_relaxed)) {
        if (crc32c(bytes) != blockEntry.piece.checksum) {
            throw SystemError(pieceName(*file_, schema.name, block) + " is damaged: it fails its checksum.",
                              "Restore the file from a copy of the folder.");
        }
        verified.store(true, std::memory_order_relaxed);
    }
    if (directory.cipher) directory.cipher->cipher.open(bytes);

    if (isArrayType(schema.type)) {
        try {
            return Value::of(decodeArrayBlock(elementTypeOf(schema.type), schema.scale, bytes, n));
        } catch (const memory::OutOfMemory&) {
            throw;
        } catch (const SystemError& error) {
            throw SystemError(pieceName(*file_, schema.name, block) + " is damaged: " + error.what());
        }
    }
    Ref<Vector> elements = Vector::make(schema.type, n);
    elements->setScale(schema.scale);
    try {
        if (columnEntry.hasDictionary) {
            Directory::Dictionary& dictionary = directory.dictionaries[c];
            dictionary.loaded.call([&] {
                loadDictionary(*file_, location_, columnEntry.dictionary, schema.type, directory.cipher.get(),
                               dictionary.bytes, dictionary.strings, dictionary.codes);
            });
            if (schema.type == Type::Symbol) {
                auto* codes = elements->mutableData<int32_t>();
                codec::decodeBlock(Storage::Int32, bytes, n, codes);
                translateSymbols(codes, n, dictionary.codes);
            } else {
                std::vector<int32_t> codes(static_cast<size_t>(n));
                codec::decodeBlock(Storage::Int32, bytes, n, codes.data());
                translateStrings(*elements, codes.data(), n, dictionary.strings);
            }
        } else if (storageOf(schema.type) == Storage::String) {
            std::vector<std::string_view> strings;
            std::string buffer;
            codec::decodeStringBlock(bytes, n, strings, buffer);
            for (int64_t i = 0; i < n; ++i) elements->setString(i, strings[static_cast<size_t>(i)]);
        } else {
            codec::decodeBlock(storageOf(schema.type), bytes, n, elements->mutableRaw());
        }
    } catch (const memory::OutOfMemory&) {
        throw;
    } catch (const SystemError& error) {
        throw SystemError(pieceName(*file_, schema.name, block) + " is damaged: " + error.what());
    }
    elements->setMayHaveNull(blockEntry.nullCount > 0);
    return Value::of(std::move(elements));
}

int64_t Segment::columnBytes(int column) const {
    const ColumnEntry& columnEntry = directory().columns[static_cast<size_t>(column)];
    int64_t bytes = columnEntry.hasDictionary ? columnEntry.dictionary.sizeBytes : 0;
    for (const BlockEntry& block : columnEntry.blocks) bytes += block.piece.sizeBytes;
    return bytes;
}

void Segment::verify() const {
    // A separate segment, which has read nothing before.
    const Segment fresh(file_, location_, cache_);
    for (size_t c = 0; c < fresh.columns().size(); ++c) {
        for (int b = 0; b < fresh.blockCount(); ++b) fresh.decode(b, static_cast<int>(c));
    }
}

Ref<MemoryTable> Segment::readAll() const {
    const TableSchema& schema = this->columns();
    Ref<MemoryTable> rows = MemoryTable::empty(schema, location_.rows);
    for (size_t c = 0; c < schema.size(); ++c) {
        Value& all = rows->mutableColumns()[c];
        for (int b = 0; b < blockCount(); ++b) appendElements(all, decode(b, static_cast<int>(c)));
        CHECK(all.size() == location_.rows) << "the blocks of a column hold the rows of the segment";
    }
    return rows;
}

}  // namespace pelorus
