// Reader of Arrow's IPC streams, and of its files, which list their messages at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/arrow/arrow_decoder.h"
#include "runtime/arrow/arrow_schema.h"
#include "runtime/arrow/table_columns.h"
#include "runtime/table/table.h"

namespace pelorus {

class File;

}  // namespace pelorus

namespace pelorus::arrow {

// A source of the bytes of a stream. One thread uses it.
class ArrowInput {
public:
    virtual ~ArrowInput() = default;
    // Reads the next bytes, at most so many, and returns their number: 0 at the end. Throws what the source throws.
    virtual size_t readSome(char* target, size_t most) = 0;
    // Called before memory is taken for what the bytes stand for; throws to refuse it.
    virtual void reserve(int64_t /*bytes*/) {}
};

// The bytes of a file from a place on.
class FileInput final : public ArrowInput {
public:
    FileInput(const File& file, int64_t begin) : file_(file), place_(begin) {}
    size_t readSome(char* target, size_t most) override;
    void goTo(int64_t place) { place_ = place; }

private:
    const File& file_;
    int64_t place_;
};

// A stream or a file. Its schema is read when it is made; memory is taken as bytes arrive, whatever lengths the stream
// tells. Throws SystemError for what is damaged. One thread uses it.
class ArrowReader {
public:
    explicit ArrowReader(ArrowInput& input);
    // Reads a file of the IPC format, whose footer says where its messages are. The file lives as long as the reader.
    explicit ArrowReader(const File& file);

    const ArrowSchema& schema() const { return schema_; }
    // The columns of a table with all of them; those that no table can hold are STRING.
    const TableSchema& columns() const { return columns_.schema(); }
    // Throws UserError, naming the column and what it is, when no table can hold it.
    void requireReadable(int column) const { columns_.requireReadable(column); }
    // Returns these columns of the next batch, by their places; null at the end. Throws UserError for one that is not
    // readable.
    Ref<MemoryTable> next(const std::vector<int>& columns);
    // Returns these columns of all batches that follow.
    Ref<MemoryTable> readAll(const std::vector<int>& columns);

private:
    enum class Kind : uint8_t { End = 0, Schema = 1, Dictionary = 2, Batch = 3 };
    void takeSchema(ArrowSchema schema);
    bool readExactly(char* target, size_t size);
    std::string readBytes(int64_t size);
    Kind nextMessage();
    void takeDictionary();

    std::unique_ptr<FileInput> file_;  // of a file
    std::vector<int64_t> blocks_;      // then the places of its dictionaries and batches
    size_t nextBlock_ = 0;
    ArrowInput& input_;
    std::string message_, body_;
    ArrowSchema schema_;
    TableColumns columns_;
    Dictionaries dictionaries_;
};

// Reads a file of the IPC format (Feather), or these columns of it by name. Throws SystemError when it is none or is
// damaged, UserError when a column is absent or no table can hold it.
Ref<MemoryTable> readArrowFile(const File& file, const std::vector<std::string>& columns);
// Returns the columns that a file has.
TableSchema arrowFileColumns(const File& file, ArrowSchema& schema);

}  // namespace pelorus::arrow
