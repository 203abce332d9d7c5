// Computes the colours of a document by the meaning of its names.
#pragma once

#include "devtools/lsp/feature.h"

namespace pelorus {

// Returns the legend that the numbers of the tokens refer to.
Json semanticTokensLegend();

// Returns the SemanticTokens of a document, or of the lines from `first` up to `end`.
Json semanticTokens(const DocumentView& view, int64_t first, int64_t end);

}  // namespace pelorus
