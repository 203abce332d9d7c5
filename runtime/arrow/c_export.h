// Tables as arrays of Arrow's C data interface, for other libraries of the process.
#pragma once

#include <cstdint>

#include "runtime/arrow/c_interface.h"
#include "runtime/table/table.h"

namespace pelorus::arrow {

// Makes a stream of the rows of a table, which nobody may change meanwhile: batches of at most
// `batchRows` rows, of columns with strings at most kExportedRows: their places have 32 bits. Elements that stand in
// Arrow as they do here are not copied; arrays keep the table's columns until they are released, by any thread. Throws
// UserError, naming the column, for a type that Arrow has no counterpart of; later errors come from the stream, as the
// interface says.
constexpr int64_t kExportedRows = int64_t{1} << 20;
void exportStream(const Ref<MemoryTable>& rows, CStream& out, int64_t batchRows = kExportedRows);

}  // namespace pelorus::arrow
