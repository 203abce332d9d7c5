// Answers requests for completion, signature help and hover.
#pragma once

#include "devtools/lsp/feature.h"

namespace pelorus {

// Returns a CompletionList for a position. Reads the statement around the cursor; names come from the last analysis.
Json completionsAt(const DocumentView& view, const Json& parameters);

// Returns the completion with the documentation of its function.
Json resolveCompletion(const Json& item);

// Returns a SignatureHelp, or null outside of a call.
Json signatureHelpAt(const DocumentView& view, const Json& parameters);

// Returns a Hover, or null where nothing is known.
Json hoverAt(const DocumentView& view, const Json& parameters);

}  // namespace pelorus
