// Computes the errors and warnings of a document, and the code actions that fix them.
#pragma once

#include "devtools/lsp/feature.h"

namespace pelorus {

// Returns the array of diagnostics, at most kMaxErrors: errors of syntax, notes of the parser, and undefined names. A
// name is reported only where it cannot come from elsewhere: as a function that is called, or in a named function,
// which does not see the variables of a session. `data` of an entry holds its remedy.
Json diagnosticsOf(const DocumentView& view);

// Returns the code actions for the diagnostics that an editor sends with its request.
Json codeActions(const DocumentView& view, const Json& parameters);

}  // namespace pelorus
