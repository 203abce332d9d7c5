// Summarizes a script for the other documents of its workspace.
#pragma once

#include "devtools/lsp/workspace.h"

namespace pelorus {

// Returns the names that the top level defines, and the databases and tables that the source text mentions. Tables are
// those of createPartitionedTable, createDimensionTable and `create table`, with the columns of their schema.
FileSummary summaryOf(const ScriptAnalysis& analysis, PositionEncoding encoding);

}  // namespace pelorus
