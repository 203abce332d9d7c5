// Temporary file for rows that a query spills when they do not fit into memory: written once in blocks, read back by
// the same process. The file is unlinked as soon as it is made, so that nothing remains even after a crash.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/io/cipher.h"
#include "common/io/file.h"
#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// The folder in which spill files are made. A service of the process; without it queries have memory only.
struct SpillFolder {
    std::string path;
    FileSystem& files;
};

// A file of spilled rows. Its calls throw SystemError, which names the folder and the memory limit, when the disk
// refuses. Thread-safe.
class SpillFile {
public:
    explicit SpillFile(const SpillFolder& folder);

    // Encrypts the contents of new spill files from now on with a key that only this object knows, since a table that
    // the query reads may be encrypted.
    static void sealNewFiles();

    // Returns how many spill files this process has made so far.
    static uint64_t madeCount();

    // Returns whether columns of such a table can be spilled: vectors of fixed-width values and of strings.
    static bool canHold(const MemoryTable& rows);

    // Appends the rows as one block and returns its number. All blocks have the same columns.
    int append(const MemoryTable& rows);
    int blockCount() const;
    // Returns how many bytes were written.
    int64_t sizeBytes() const;
    int64_t blockRows(int block) const;
    Ref<Vector> read(int block, int column) const;
    Ref<MemoryTable> read(int block) const;

    // A range of bytes of any kind, apart from the blocks.
    struct Place {
        int64_t offset = 0;
        int64_t sizeBytes = 0;
    };
    Place write(std::string bytes);
    std::string read(const Place& place) const;

private:
    struct Block {
        int64_t rows = 0;
        std::vector<Place> columns;
    };
    Block block(int number) const;
    int64_t appendLocked(const std::string& bytes) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void readInto(const Place& place, char* target) const;

    std::unique_ptr<File> file_;                  // appended to under mutex_, read without it
    const std::unique_ptr<const Cipher> cipher_;  // null: nothing is encrypted
    mutable Mutex mutex_;
    int64_t size_ GUARDED_BY(mutex_) = 0;
    std::vector<Block> blocks_ GUARDED_BY(mutex_);
    // Set under mutex_ with the first block and never changed: a reader that has the number of a block needs no lock.
    TableSchema schema_;
};

// Returns the service of a query that has one and keeps to a memory limit; else nullptr.
const SpillFolder* spillFolderOf(const Context& context);

}  // namespace pelorus
