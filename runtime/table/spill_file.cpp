#include "runtime/table/spill_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "common/check.h"
#include "common/error.h"
#include "common/io/bytes.h"
#include "runtime/memory/budget.h"
#include "runtime/value/vector.h"

namespace pelorus {

const SpillFolder* spillFolderOf(const Context& context) {
    return memory::limitBytes() > 0 ? context.service<SpillFolder>() : nullptr;
}

static std::atomic<bool> sealsNewFiles{false};

void SpillFile::sealNewFiles() {
    sealsNewFiles.store(true);
}

static std::unique_ptr<const Cipher> newCipher() {
    if (!sealsNewFiles.load()) return nullptr;
    return std::make_unique<Cipher>(CipherMode::Aes256Ctr, Cipher::randomKey(CipherMode::Aes256Ctr));
}

static std::atomic<uint64_t> filesMade{0};

uint64_t SpillFile::madeCount() {
    return filesMade.load(std::memory_order_relaxed);
}

SpillFile::SpillFile(const SpillFolder& folder) : cipher_(newCipher()) {
    folder.files.makeFolder(folder.path);
    const std::string path = joinPath(folder.path, fmt::format("spill-{}-{}", ::getpid(), ++filesMade));
    file_ = folder.files.create(path);
    folder.files.remove(path);
}

bool SpillFile::canHold(const MemoryTable& rows) {
    return std::all_of(rows.columns().begin(), rows.columns().end(), [&](const ColumnSchema& c) {
        return !isArrayType(c.type) && storageOf(c.type) != Storage::Boxed && storageOf(c.type) != Storage::None;
    });
}

// Encodes fixed-width values as they are in memory, codes of symbols too, since this process reads them; strings with
// their lengths.
static void encodeElements(const Vector& elements, std::string& bytes) {
    if (storageOf(elements.type()) != Storage::String) {
        bytes.append(elements.raw(), static_cast<size_t>(elements.size()) * static_cast<size_t>(elements.width()));
        return;
    }
    ByteWriter writer(bytes);
    for (int64_t i = 0; i < elements.size(); ++i) writer.string(elements.string(i));
}

int SpillFile::append(const MemoryTable& rows) {
    checkCancelled();
    std::string bytes;
    Block block;
    block.rows = rows.rowCount();
    for (int c = 0; c < rows.columnCount(); ++c) {
        const auto begin = static_cast<int64_t>(bytes.size());
        CHECK(rows.column(c).size() == block.rows) << "each column of a spilled block has its rows";
        if (cipher_) {
            std::string sealed;
            encodeElements(rows.column(c).vector(), sealed);
            cipher_->seal(sealed);
            bytes += sealed;
        } else {
            encodeElements(rows.column(c).vector(), bytes);
        }
        block.columns.push_back({begin, static_cast<int64_t>(bytes.size()) - begin});
    }
    const MutexLock guard(mutex_);
    if (blocks_.empty()) {
        schema_ = rows.columns();
        for (int c = 0; c < rows.columnCount(); ++c)
            schema_[static_cast<size_t>(c)].scale = rows.column(c).vector().scale();
    }
    CHECK(std::ssize(schema_) == std::ssize(block.columns)) << "all blocks of a spill file have one schema";
    const int64_t begin = appendLocked(bytes);
    for (Place& column : block.columns) column.offset += begin;
    blocks_.push_back(std::move(block));
    return static_cast<int>(blocks_.size()) - 1;
}

// Returns the offset at which the bytes begin.
int64_t SpillFile::appendLocked(const std::string& bytes) {
    try {
        file_->append(bytes);
    } catch (const SystemError& error) {
        throw SystemError(
            fmt::format("A query of more rows than memory holds could not spill them to disk: {}", error.what()),
            "Free space in the data folder, raise maxMemSize, or work on fewer rows at once.");
    }
    const int64_t begin = size_;
    size_ += static_cast<int64_t>(bytes.size());
    return begin;
}

SpillFile::Place SpillFile::write(std::string bytes) {
    checkCancelled();
    if (cipher_) cipher_->seal(bytes);
    const MutexLock guard(mutex_);
    return {appendLocked(bytes), static_cast<int64_t>(bytes.size())};
}

void SpillFile::readInto(const Place& place, char* target) const {
    const auto wanted = static_cast<size_t>(place.sizeBytes);
    if (file_->readAt(place.offset, target, wanted) != wanted) {
        throw SystemError("The spill file of a query is truncated: " + file_->path() + ".");
    }
}

std::string SpillFile::read(const Place& place) const {
    checkCancelled();
    std::string bytes(static_cast<size_t>(place.sizeBytes), '\0');
    readInto(place, bytes.data());
    if (cipher_) cipher_->open(bytes);
    return bytes;
}

int64_t SpillFile::sizeBytes() const {
    const MutexLock lock(mutex_);
    return size_;
}

int SpillFile::blockCount() const {
    const MutexLock guard(mutex_);
    return static_cast<int>(blocks_.size());
}

SpillFile::Block SpillFile::block(int number) const {
    const MutexLock guard(mutex_);
    CHECK(number >= 0 && number < std::ssize(blocks_)) << "a block is written before it is read";
    return blocks_[static_cast<size_t>(number)];
}

int64_t SpillFile::blockRows(int number) const {
    return block(number).rows;
}

Ref<Vector> SpillFile::read(int number, int column) const {
    checkCancelled();
    const Block block = this->block(number);
    CHECK(column >= 0 && column < std::ssize(block.columns)) << "a spilled block has the column that is read";
    const Place& place = block.columns[static_cast<size_t>(column)];
    const ColumnSchema& schema = schema_[static_cast<size_t>(column)];
    Ref<Vector> elements = Vector::make(schema.type, block.rows);
    elements->setScale(static_cast<uint8_t>(schema.scale));
    const bool isString = storageOf(schema.type) == Storage::String;
    const int64_t fixedBytes = block.rows * elements->width();
    if (!isString && !cipher_) {
        CHECK(place.sizeBytes == fixedBytes) << "a spilled column has the bytes of its rows";
        readInto(place, elements->mutableRaw());
        return elements;
    }
    const std::string bytes = read(place);
    if (!isString) {
        CHECK(std::ssize(bytes) == fixedBytes) << "a decrypted column has the bytes of its rows";
        if (!bytes.empty()) std::memcpy(elements->mutableRaw(), bytes.data(), bytes.size());
        return elements;
    }
    ByteReader reader(bytes);
    for (int64_t i = 0; i < block.rows; ++i) elements->setString(i, reader.string());
    CHECK(reader.atEnd()) << "a spilled column ends with its last string";
    return elements;
}

Ref<MemoryTable> SpillFile::read(int number) const {
    auto rows = makeRef<MemoryTable>();
    for (size_t c = 0; c < schema_.size(); ++c)
        rows->setColumn(schema_[c].name, Value::of(read(number, static_cast<int>(c))));
    return rows;
}

}  // namespace pelorus
