// Answers requests for definition, references, highlights and rename.
#pragma once

#include "devtools/lsp/feature.h"

namespace pelorus {

// Returns the Location of the definition of the name at a position, in this document or a module; null when it is
// unknown.
Json definitionAt(const DocumentView& view, const Json& parameters);

// Returns the Locations of all places with the same meaning, in the documents of the workspace for functions of
// modules.
Json referencesAt(const DocumentView& view, const Json& parameters);

// Returns the DocumentHighlights of the name at a position.
Json highlightsAt(const DocumentView& view, const Json& parameters);

// Returns the range and the present name. Throws RequestError for what cannot be renamed.
Json prepareRename(const DocumentView& view, const Json& parameters);

// Returns a WorkspaceEdit. Throws RequestError when the new name is no name, or is taken where the old one is used.
Json renameAt(const DocumentView& view, const Json& parameters);

}  // namespace pelorus
