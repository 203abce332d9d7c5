#include "runtime/spill_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "common/bytes.h"
#include "common/error.h"
#include "runtime/memory/budget.h"
#include "runtime/vector.h"

namespace pelorus {

const SpillFolder* spillFolderOf(const Context& context) {
    return memory::limitBytes() > 0 ? context.service<SpillFolder>() : nullptr;
}

int64_t roomBytes() {
    const int64_t limit = memory::limitBytes();
    if (limit <= 0) return INT64_MAX;
    return std::max<int64_t>(0, limit - memory::usedBytes() + memory::cachedBytes());
}

static std::atomic<bool> sealsNewFiles{false};

void SpillFile::sealNewFiles() {
    sealsNewFiles.store(true);
}

static std::unique_ptr<const Cipher> newCipher() {
    if (!sealsNewFiles.load()) return nullptr;
    return std::make_unique<Cipher>(CipherMode::Aes256Ctr, Cipher::randomKey(CipherMode::Aes256Ctr));
}

SpillFile::SpillFile(const SpillFolder& folder) : cipher_(newCipher()) {
    static std::atomic<uint64_t> last{0};
    folder.files.makeFolder(folder.path);
    const std::string path = joinPath(folder.path, fmt::format("spill-{}-{}", ::getpid(), ++last));
    file_ = folder.files.create(path);
    folder.files.remove(path);
}

bool SpillFile::canHold(const MemoryTable& rows) {
    return std::all_of(rows.columns().begin(), rows.columns().end(), [&](const ColumnSchema& c) {
        return !isArrayType(c.type) && storageOf(c.type) != Storage::Boxed && storageOf(c.type) != Storage::None;
    });
}

// Fixed-width items as they lie in memory, codes of symbols too: this process reads them. Texts with their lengths.
static void encodeItems(const Vector& items, std::string& bytes) {
    if (storageOf(items.type()) != Storage::Text) {
        bytes.append(items.raw(), static_cast<size_t>(items.size()) * static_cast<size_t>(items.width()));
        return;
    }
    ByteWriter writer(bytes);
    for (int64_t i = 0; i < items.size(); ++i) writer.text(items.text(i));
}

int SpillFile::append(const MemoryTable& rows) {
    checkCancelled();
    std::string bytes;
    Block block;
    block.rows = rows.rowCount();
    for (int c = 0; c < rows.columnCount(); ++c) {
        const auto begin = static_cast<int64_t>(bytes.size());
        if (cipher_) {
            std::string sealed;
            encodeItems(rows.column(c).vector(), sealed);
            cipher_->seal(sealed);
            bytes += sealed;
        } else {
            encodeItems(rows.column(c).vector(), bytes);
        }
        block.columns.push_back({begin, static_cast<int64_t>(bytes.size()) - begin});
    }
    const std::lock_guard guard(mutex_);
    if (blocks_.empty()) {
        schema_ = rows.columns();
        for (int c = 0; c < rows.columnCount(); ++c)
            schema_[static_cast<size_t>(c)].scale = rows.column(c).vector().scale();
    }
    try {
        file_->append(bytes);
    } catch (const SystemError& error) {
        throw SystemError(
            fmt::format("A query of more rows than memory holds could not set them aside on disk: {}", error.what()),
            "Free space in the data folder, raise maxMemSize, or work on fewer rows at once.");
    }
    for (Column& column : block.columns) column.offset += size_;
    size_ += static_cast<int64_t>(bytes.size());
    blocks_.push_back(std::move(block));
    return static_cast<int>(blocks_.size()) - 1;
}

int SpillFile::blockCount() const {
    const std::lock_guard guard(mutex_);
    return static_cast<int>(blocks_.size());
}

SpillFile::Block SpillFile::block(int number) const {
    const std::lock_guard guard(mutex_);
    return blocks_[static_cast<size_t>(number)];
}

int64_t SpillFile::blockRows(int number) const {
    return block(number).rows;
}

Ref<Vector> SpillFile::read(int number, int column) const {
    checkCancelled();
    const Block block = this->block(number);
    const Column& place = block.columns[static_cast<size_t>(column)];
    const ColumnSchema& schema = schema_[static_cast<size_t>(column)];
    Ref<Vector> items = Vector::make(schema.type, block.rows);
    items->setScale(static_cast<uint8_t>(schema.scale));
    const auto readInto = [&](char* target) {
        const auto wanted = static_cast<size_t>(place.sizeBytes);
        if (file_->readAt(place.offset, target, wanted) != wanted) {
            throw SystemError("Rows that a query set aside on disk have gone: " + file_->path() + ".");
        }
    };
    const bool isText = storageOf(schema.type) == Storage::Text;
    if (!isText && !cipher_) {
        readInto(items->mutableRaw());
        return items;
    }
    std::string bytes(static_cast<size_t>(place.sizeBytes), '\0');
    readInto(bytes.data());
    if (cipher_) cipher_->open(bytes);
    if (!isText) {
        if (!bytes.empty()) std::memcpy(items->mutableRaw(), bytes.data(), bytes.size());
        return items;
    }
    ByteReader reader(bytes);
    for (int64_t i = 0; i < block.rows; ++i) items->setText(i, reader.text());
    return items;
}

Ref<MemoryTable> SpillFile::read(int number) const {
    auto rows = makeRef<MemoryTable>();
    for (size_t c = 0; c < schema_.size(); ++c)
        rows->setColumn(schema_[c].name, Value::of(read(number, static_cast<int>(c))));
    return rows;
}

}  // namespace pelorus
