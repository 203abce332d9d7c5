// Arrays of Arrow's C data interface as tables. They come from other libraries of the process: their numbers are
// checked before anything is read, but not whether pointers lead to as many bytes as the numbers say, which nobody can
// know.
#pragma once

#include <vector>

#include "runtime/arrow/c_interface.h"
#include "runtime/arrow/table_columns.h"
#include "runtime/table/table.h"

namespace pelorus::arrow {

// Returns these columns of an array of structures, which stays its owner's. Throws SystemError for an array that
// contradicts the schema or itself.
Ref<MemoryTable> importRows(const CArray& array, const ArrowSchema& schema, const TableColumns& columns,
                            const std::vector<int>& wanted);

// A stream that another library made. It owns the stream, and releases it. One thread uses it. Throws SystemError for
// what is damaged, and for the errors of the stream.
class ImportedStream {
public:
    // Takes the stream, which is empty then. Throws SystemError when it is empty already; it is released when its
    // schema cannot be read.
    explicit ImportedStream(CStream& stream);
    ~ImportedStream() { release(); }
    ImportedStream(const ImportedStream&) = delete;
    ImportedStream& operator=(const ImportedStream&) = delete;

    const TableColumns& columns() const { return columns_; }
    // Returns these columns of the next batch; null at the end. Throws UserError for one that no table can hold.
    Ref<MemoryTable> next(const std::vector<int>& wanted);
    // Returns these columns of all batches that follow.
    Ref<MemoryTable> readAll(const std::vector<int>& wanted);

private:
    void release();
    void readSchema();
    void require(int error);

    CStream stream_;
    ArrowSchema schema_;
    TableColumns columns_;
};

}  // namespace pelorus::arrow
