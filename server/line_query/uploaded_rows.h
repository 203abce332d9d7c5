// The rows in the body of an HTTP request, in a form that other programs write without a client of ours.
#pragma once

#include <string>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "server/line_query/table_body.h"

namespace pelorus {

// Returns the rows of a body with the columns of a table: each is found by its name, in any order, and those that the
// body lacks are NULL. CSV is read as the types of the columns, the other forms have types of their own, which storing
// converts. The memory is charged to a client's budget (value_codec.h). Throws UserError for a body that is damaged,
// for a name that the table lacks, and for a field that a column cannot read: it names line, column and field.
Ref<MemoryTable> uploadedRows(const Context& context, TableBody form, std::string body, const TableSchema& columns);

}  // namespace pelorus
