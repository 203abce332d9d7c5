// Lists the symbols and foldable ranges of documents.
#pragma once

#include "devtools/lsp/feature.h"

namespace pelorus {

// Returns the DocumentSymbols: functions and classes with their methods, and the variables of the top level.
Json documentSymbols(const DocumentView& view);

// Returns SymbolInformation of the workspace's functions, classes and shared names that contain a query's letters in
// order, at most 500.
Json workspaceSymbols(const Workspace& workspace, const Json& parameters);

// Returns the FoldingRanges: brackets and comments of several lines.
Json foldingRanges(const DocumentView& view);

}  // namespace pelorus
