#include "storage/segment.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "common/crc32c.h"
#include "common/error.h"
#include "common/thread_pool.h"
#include "runtime/symbol_base.h"
#include "storage/array_block.h"
#include "storage/block_cache.h"
#include "storage/block_facts.h"
#include "storage/codec/block_codec.h"
#include "storage/row_codec.h"

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
    std::call_once(opened_, [&] { file_ = files_.openForRead(path_); });
    if (file_->readAt(offset, target, sizeBytes) != sizeBytes) {
        throw SystemError("The column file " + path_ + " is shorter than its directory says.",
                          "The file is damaged: restore it from a copy of the folder.");
    }
}

void SegmentFile::willRead(int64_t offset, int64_t sizeBytes) const {
    std::call_once(opened_, [&] { file_ = files_.openForRead(path_); });
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

// ---- the directory of a segment

namespace {

constexpr size_t kTrailerBytes = 4 + 4 + 8;
constexpr size_t kSealedTrailerBytes = 8 + kTrailerBytes;  // the table's id in front

enum BlockFlags : uint8_t { kBoundsKnown = 1 };

struct Piece {
    uint64_t offset = 0;
    uint32_t sizeBytes = 0;
    uint32_t checksum = 0;
};

struct BlockFacts : ValueFacts {
    Piece piece;
};

struct ColumnFacts {
    bool hasDictionary = false;
    Piece dictionary;
    std::vector<BlockFacts> blocks;
};

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

double bitsDouble(int64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

int blocksOf(int64_t rows) {
    return static_cast<int>((rows + format::kBlockRows - 1) / format::kBlockRows);
}

}  // namespace

struct Segment::Directory {
    TableCipherRef cipher;  // null: nothing is encrypted
    TableSchema schema;
    std::vector<ColumnFacts> columns;

    // Of a dictionary column: texts in order, and for SYMBOL the process's codes; loaded at first use.
    struct Dictionary {
        std::once_flag loaded;
        std::string bytes;
        std::vector<std::string_view> texts;
        std::vector<int32_t> codes;
    };
    std::unique_ptr<Dictionary[]> dictionaries;
    // Blocks whose checksum was found right once, [column * blocks + block].
    std::unique_ptr<std::atomic<bool>[]> verified;
};

// ---- writing

namespace {

// The distinct texts of a column, sorted, and each row's position among them.
struct DictionaryDraft {
    std::vector<std::string_view> texts;
    std::vector<int32_t> codes;
};

// Sorts the texts and renumbers the codes accordingly.
void sortDictionary(DictionaryDraft& draft) {
    std::vector<int32_t> order(draft.texts.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return draft.texts[static_cast<size_t>(a)] < draft.texts[static_cast<size_t>(b)];
    });
    std::vector<int32_t> rank(order.size());
    std::vector<std::string_view> sorted(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
        rank[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
        sorted[i] = draft.texts[static_cast<size_t>(order[i])];
    }
    draft.texts = std::move(sorted);
    for (int32_t& code : draft.codes) code = rank[static_cast<size_t>(code)];
}

// Many symbols in a long column: their order is known, so no text is looked at.
DictionaryDraft dictionaryByRanks(const int32_t* codes, int64_t n) {
    const auto ranks = symbols::ranks();
    std::vector<int32_t> codeAt(ranks->size(), -1);  // by rank
    for (int64_t i = 0; i < n; ++i) {
        codeAt[static_cast<size_t>((*ranks)[static_cast<size_t>(codes[i])])] = codes[i];
    }
    DictionaryDraft draft;
    std::vector<int32_t> positions(ranks->size());
    for (size_t rank = 0; rank < codeAt.size(); ++rank) {
        if (codeAt[rank] < 0) continue;
        positions[rank] = static_cast<int32_t>(draft.texts.size());
        draft.texts.push_back(symbols::text(codeAt[rank]));
    }
    draft.codes.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        draft.codes[static_cast<size_t>(i)] = positions[static_cast<size_t>((*ranks)[static_cast<size_t>(codes[i])])];
    }
    return draft;
}

DictionaryDraft symbolDictionary(const Vector& column) {
    DictionaryDraft draft;
    const int32_t* codes = column.items<int32_t>();
    const int64_t n = column.size();
    if (symbols::count() <= n) return dictionaryByRanks(codes, n);
    draft.codes.resize(static_cast<size_t>(n));
    std::unordered_map<int32_t, int32_t> positions;
    for (int64_t i = 0; i < n; ++i) {
        int32_t& local = draft.codes[static_cast<size_t>(i)];
        if (i > 0 && codes[i] == codes[i - 1]) {
            local = draft.codes[static_cast<size_t>(i) - 1];
            continue;
        }
        const auto [it, added] = positions.try_emplace(codes[i], static_cast<int32_t>(draft.texts.size()));
        if (added) draft.texts.push_back(symbols::text(codes[i]));
        local = it->second;
    }
    sortDictionary(draft);
    return draft;
}

// Of STRING: only when texts repeat enough to pay; false otherwise.
bool textDictionary(const Vector& column, DictionaryDraft& draft) {
    const int64_t n = column.size();
    const auto limit = static_cast<size_t>(std::min<int64_t>(n / 4 + 1, 1 << 20));
    draft.codes.resize(static_cast<size_t>(n));
    std::unordered_map<std::string_view, int32_t> positions;
    for (int64_t i = 0; i < n; ++i) {
        const auto [it, added] = positions.try_emplace(column.text(i), static_cast<int32_t>(draft.texts.size()));
        if (added) {
            if (draft.texts.size() >= limit) return false;
            draft.texts.push_back(it->first);
        }
        draft.codes[static_cast<size_t>(i)] = it->second;
    }
    sortDictionary(draft);
    return true;
}

struct EncodedColumn {
    ColumnFacts facts;
    DictionaryDraft draft;
    std::string dictionary;
    std::vector<std::string> blocks;
};

void prepareColumn(const Value& column, EncodedColumn& encoded) {
    ColumnFacts& facts = encoded.facts;
    if (column.type() == Type::Symbol) {
        encoded.draft = symbolDictionary(column.vector());
        facts.hasDictionary = true;
    } else if (storageOf(column.type()) == Storage::Text) {
        facts.hasDictionary = textDictionary(column.vector(), encoded.draft);
    }
    if (facts.hasDictionary) {
        ByteWriter writer(encoded.dictionary);
        writer.varint(encoded.draft.texts.size());
        for (const std::string_view text : encoded.draft.texts) writer.text(text);
    }
    facts.blocks.resize(static_cast<size_t>(blocksOf(column.size())));
    encoded.blocks.resize(facts.blocks.size());
}

void encodeOneBlock(const Value& items, EncodedColumn& encoded, size_t block, codec::Compression compression) {
    const int64_t begin = static_cast<int64_t>(block) * format::kBlockRows;
    const int64_t n = std::min(format::kBlockRows, items.size() - begin);
    BlockFacts& facts = encoded.facts.blocks[block];
    std::string& bytes = encoded.blocks[block];
    if (encoded.facts.hasDictionary) {
        const int32_t* codes = encoded.draft.codes.data() + begin;
        const bool hasEmpty = !encoded.draft.texts.empty() && encoded.draft.texts[0].empty();
        static_cast<ValueFacts&>(facts) = factsOfCodes(codes, n, hasEmpty);
        codec::encodeBlock(Storage::Int32, codes, n, bytes, compression);
        return;
    }
    if (items.isArrayVector()) return encodeArrayBlock(items.arrayVector(), begin, n, bytes, compression);
    const Vector& column = items.vector();
    const Storage storage = storageOf(column.type());
    if (storage == Storage::Text) {
        std::vector<std::string_view> texts(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) {
            texts[static_cast<size_t>(i)] = column.text(begin + i);
            facts.nullCount += texts[static_cast<size_t>(i)].empty();
        }
        codec::encodeTextBlock(texts, bytes, compression);
        return;
    }
    const char* first = column.raw() + begin * column.width();
    static_cast<ValueFacts&>(facts) = factsOf(column.type(), first, n);
    codec::encodeBlock(storage, first, n, bytes, compression);
}

Piece place(const std::string& bytes, std::string& segment) {
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
    std::vector<EncodedColumn> columns(columnCount);
    parallelFor(static_cast<int64_t>(columnCount), [&](int64_t c) {
        EncodedColumn& column = columns[static_cast<size_t>(c)];
        prepareColumn(rows.column(static_cast<int>(c)), column);
        if (cipher != nullptr && column.facts.hasDictionary) cipher->cipher.seal(column.dictionary);
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
        if (column.facts.hasDictionary) column.facts.dictionary = place(column.dictionary, segment);
        for (size_t b = 0; b < column.blocks.size(); ++b) {
            column.facts.blocks[b].piece = place(column.blocks[b], segment);
            std::string().swap(column.blocks[b]);
        }
    }
    std::string directory;
    ByteWriter writer(directory);
    encodeSchema(rows.columns(), directory);
    writer.varint(static_cast<uint64_t>(rows.rowCount()));
    for (const EncodedColumn& column : columns) {
        writer.fixed<uint8_t>(column.facts.hasDictionary);
        if (column.facts.hasDictionary) writePiece(column.facts.dictionary, writer);
        for (const BlockFacts& block : column.facts.blocks) {
            writePiece(block.piece, writer);
            writer.fixed<uint8_t>(block.boundsKnown ? kBoundsKnown : 0);
            writer.varint(block.nullCount);
            if (block.boundsKnown) {
                writer.fixed(block.min);
                writer.fixed(block.max);
            }
        }
    }
    if (cipher != nullptr) cipher->cipher.seal(directory);
    segment += directory;
    ByteWriter trailer(segment);
    if (cipher != nullptr) trailer.fixed(cipher->table);
    trailer.fixed(crc32c(directory));
    trailer.fixed(static_cast<uint32_t>(directory.size()));
    const std::string_view magic = cipher != nullptr ? format::kSealedSegmentMagic : format::kSegmentMagic;
    trailer.raw(magic.data(), magic.size());
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
    const std::lock_guard guard(mutex_);
    const SegmentLocation location{number_, written_, bytes.size(), rows.rowCount()};
    file_->append(bytes);
    written_ += bytes.size();
    return location;
}

void SegmentFileWriter::finish() {
    file_->sync();
    files_.syncFolder(folderOf(path_));
    file_.reset();
    finished_ = true;
}

// ---- reading

Segment::Segment(std::shared_ptr<SegmentFile> file, const SegmentLocation& location, BlockCache& cache)
    : file_(std::move(file)), location_(location), cache_(cache), cacheKey_(BlockCache::newSegmentKey()) {}

Segment::~Segment() {
    if (!isCached_.load(std::memory_order_relaxed)) return;
    // Nobody can ask for these blocks again.
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
    std::call_once(opened_, [&] {
        const std::string damaged = "The segment at byte " + std::to_string(location_.offset) + " of " + file_->path() +
                                    " is damaged: its directory fails the checksum.";
        if (location_.sizeBytes < kTrailerBytes) throw SystemError(damaged);
        char trailer[kTrailerBytes];
        const auto end = static_cast<int64_t>(location_.offset + location_.sizeBytes);
        file_->read(end - static_cast<int64_t>(kTrailerBytes), trailer, kTrailerBytes);
        ByteReader trailerReader({trailer, kTrailerBytes});
        const auto checksum = trailerReader.fixed<uint32_t>();
        const auto sizeBytes = trailerReader.fixed<uint32_t>();
        const std::string_view magic = trailerReader.raw(8);
        const bool isSealed = magic == format::kSealedSegmentMagic;
        const size_t trailerBytes = isSealed ? kSealedTrailerBytes : kTrailerBytes;
        if ((!isSealed && magic != format::kSegmentMagic) || sizeBytes + trailerBytes > location_.sizeBytes) {
            throw SystemError(damaged);
        }
        std::string bytes(sizeBytes, '\0');
        file_->read(end - static_cast<int64_t>(trailerBytes + sizeBytes), bytes.data(), sizeBytes);
        if (crc32c(bytes) != checksum) throw SystemError(damaged);

        auto directory = std::make_unique<Directory>();
        if (isSealed) {
            uint64_t table = 0;
            file_->read(end - static_cast<int64_t>(trailerBytes), &table, sizeof table);
            directory->cipher = file_->cipherOf(table);
            directory->cipher->cipher.open(bytes);
        }
        ByteReader reader(bytes);
        directory->schema = decodeSchema(reader);
        if (static_cast<int64_t>(reader.varint()) != location_.rows) throw SystemError(damaged);
        const auto blocks = static_cast<size_t>(blocksOf(location_.rows));
        directory->columns.resize(directory->schema.size());
        for (ColumnFacts& column : directory->columns) {
            column.hasDictionary = reader.fixed<uint8_t>() != 0;
            if (column.hasDictionary) column.dictionary = readPiece(reader);
            column.blocks.resize(blocks);
            for (BlockFacts& block : column.blocks) {
                block.piece = readPiece(reader);
                block.boundsKnown = (reader.fixed<uint8_t>() & kBoundsKnown) != 0;
                block.nullCount = static_cast<uint32_t>(reader.varint());
                if (block.boundsKnown) {
                    block.min = reader.fixed<int64_t>();
                    block.max = reader.fixed<int64_t>();
                }
            }
        }
        directory->dictionaries = std::make_unique<Directory::Dictionary[]>(directory->columns.size());
        directory->verified = std::make_unique<std::atomic<bool>[]>(directory->columns.size() * blocks);
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

// The texts of a dictionary column, loaded and checked once.
static void loadDictionary(const SegmentFile& file, const SegmentLocation& location, const Piece& piece, Type type,
                           const TableCipher* cipher, std::string& bytes, std::vector<std::string_view>& texts,
                           std::vector<int32_t>& codes) {
    bytes = readPieceBytes(file, location, piece);
    if (crc32c(bytes) != piece.checksum) {
        throw SystemError("A dictionary in " + file.path() + " is damaged: it fails its checksum.",
                          "Restore the file from a copy of the folder.");
    }
    if (cipher != nullptr) cipher->cipher.open(bytes);
    ByteReader reader(bytes);
    texts.resize(reader.count());
    for (std::string_view& text : texts) text = reader.text();
    if (type != Type::Symbol) return;
    codes.reserve(texts.size());
    for (const std::string_view text : texts) codes.push_back(symbols::intern(text));
}

static Value boundValue(const ColumnSchema& column, int64_t bits, const std::vector<std::string_view>& texts) {
    switch (storageOf(column.type)) {
        case Storage::Float32:
            return Value::ofFloat(static_cast<float>(bitsDouble(bits)));
        case Storage::Float64:
            return Value::ofDouble(bitsDouble(bits));
        case Storage::Text:
            return Value::ofString(texts[static_cast<size_t>(bits)], column.type);
        default:
            break;
    }
    if (column.type == Type::Symbol) return Value::ofString(texts[static_cast<size_t>(bits)], Type::Symbol);
    Value value = Value::scalar(column.type, bits);
    value.setExtra(column.scale);
    return value;
}

BlockBounds Segment::bounds(int block, int column) const {
    const Directory& directory = this->directory();
    const auto c = static_cast<size_t>(column);
    const ColumnFacts& facts = directory.columns[c];
    const BlockFacts& blockFacts = facts.blocks[static_cast<size_t>(block)];
    BlockBounds bounds;
    bounds.nullCount = blockFacts.nullCount;
    if (!blockFacts.boundsKnown) return bounds;
    const ColumnSchema& schema = directory.schema[c];
    Directory::Dictionary& dictionary = directory.dictionaries[c];
    if (facts.hasDictionary) {
        std::call_once(dictionary.loaded, [&] {
            loadDictionary(*file_, location_, facts.dictionary, schema.type, directory.cipher.get(), dictionary.bytes,
                           dictionary.texts, dictionary.codes);
        });
        const auto count = static_cast<int64_t>(dictionary.texts.size());
        if (blockFacts.min >= count || blockFacts.max >= count) return bounds;
    }
    bounds.known = true;
    bounds.min = boundValue(schema, blockFacts.min, dictionary.texts);
    bounds.max = boundValue(schema, blockFacts.max, dictionary.texts);
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
    const std::vector<BlockFacts>& blocks = directory().columns[static_cast<size_t>(column)].blocks;
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
    if (Value items = cache_.find(key); !items.isVoid()) return items;
    Value items = decode(block, column);
    if (cache_.offer(key, items)) isCached_.store(true, std::memory_order_relaxed);
    return items;
}

// Codes of the segment's dictionary to codes of the process.
static void translateSymbols(int32_t* items, int64_t n, const std::vector<int32_t>& codes) {
    uint32_t highest = 0;
    for (int64_t i = 0; i < n; ++i) highest = std::max(highest, static_cast<uint32_t>(items[i]));
    if (highest >= codes.size()) throw SystemError("a code is outside its dictionary");
    const int32_t* table = codes.data();
    for (int64_t i = 0; i < n; ++i) items[i] = table[items[i]];
}

// Each distinct text goes into the vector's arena once; its rows share the handle.
static void translateTexts(Vector& column, const int32_t* codes, int64_t n,
                           const std::vector<std::string_view>& texts) {
    std::vector<uint64_t> handles(texts.size());
    std::vector<bool> known(texts.size());
    for (int64_t i = 0; i < n; ++i) {
        const auto code = static_cast<uint32_t>(codes[i]);
        if (code >= texts.size()) throw SystemError("a code is outside its dictionary");
        if (!known[code]) {
            column.setText(i, texts[code]);
            handles[code] = column.items<uint64_t>()[i];
            known[code] = true;
        } else {
            column.mutableItems<uint64_t>()[i] = handles[code];
        }
    }
}

Value Segment::decode(int block, int column) const {
    const Directory& directory = this->directory();
    const auto c = static_cast<size_t>(column);
    const ColumnFacts& facts = directory.columns[c];
    const BlockFacts& blockFacts = facts.blocks[static_cast<size_t>(block)];
    const ColumnSchema& schema = directory.schema[c];
    const int64_t n = blockRows(block);

    // Reused by the thread, so that scanning allocates nothing but results.
    thread_local std::string bytes;
    bytes.resize(blockFacts.piece.sizeBytes);
    file_->read(static_cast<int64_t>(location_.offset + blockFacts.piece.offset), bytes.data(), bytes.size());
    std::atomic<bool>& verified = directory.verified[c * facts.blocks.size() + static_cast<size_t>(block)];
    if (!verified.load(std::memory_order_relaxed)) {
        if (crc32c(bytes) != blockFacts.piece.checksum) {
            throw SystemError(pieceName(*file_, schema.name, block) + " is damaged: it fails its checksum.",
                              "Restore the file from a copy of the folder.");
        }
        verified.store(true, std::memory_order_relaxed);
    }
    if (directory.cipher) directory.cipher->cipher.open(bytes);

    if (isArrayType(schema.type)) {
        try {
            return Value::of(decodeArrayBlock(itemTypeOf(schema.type), schema.scale, bytes, n));
        } catch (const memory::OutOfMemory&) {
            throw;
        } catch (const SystemError& error) {
            throw SystemError(pieceName(*file_, schema.name, block) + " is damaged: " + error.what());
        }
    }
    Ref<Vector> items = Vector::make(schema.type, n);
    items->setScale(schema.scale);
    try {
        if (facts.hasDictionary) {
            Directory::Dictionary& dictionary = directory.dictionaries[c];
            std::call_once(dictionary.loaded, [&] {
                loadDictionary(*file_, location_, facts.dictionary, schema.type, directory.cipher.get(),
                               dictionary.bytes, dictionary.texts, dictionary.codes);
            });
            if (schema.type == Type::Symbol) {
                auto* codes = items->mutableItems<int32_t>();
                codec::decodeBlock(Storage::Int32, bytes, n, codes);
                translateSymbols(codes, n, dictionary.codes);
            } else {
                std::vector<int32_t> codes(static_cast<size_t>(n));
                codec::decodeBlock(Storage::Int32, bytes, n, codes.data());
                translateTexts(*items, codes.data(), n, dictionary.texts);
            }
        } else if (storageOf(schema.type) == Storage::Text) {
            std::vector<std::string_view> texts;
            std::string buffer;
            codec::decodeTextBlock(bytes, n, texts, buffer);
            for (int64_t i = 0; i < n; ++i) items->setText(i, texts[static_cast<size_t>(i)]);
        } else {
            codec::decodeBlock(storageOf(schema.type), bytes, n, items->mutableRaw());
        }
    } catch (const memory::OutOfMemory&) {
        throw;
    } catch (const SystemError& error) {
        throw SystemError(pieceName(*file_, schema.name, block) + " is damaged: " + error.what());
    }
    items->setMayHaveNull(blockFacts.nullCount > 0);
    return Value::of(std::move(items));
}

int64_t Segment::columnBytes(int column) const {
    const ColumnFacts& facts = directory().columns[static_cast<size_t>(column)];
    int64_t bytes = facts.hasDictionary ? facts.dictionary.sizeBytes : 0;
    for (const BlockFacts& block : facts.blocks) bytes += block.piece.sizeBytes;
    return bytes;
}

void Segment::verify() const {
    // A segment of its own, which has read nothing before.
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
        for (int b = 0; b < blockCount(); ++b) appendItems(all, decode(b, static_cast<int>(c)));
    }
    return rows;
}

}  // namespace pelorus
