// Notices strings that a conversion cannot read: date("01/05/2024") is NULL without an error.
#pragma once

#include "interpreter/session/session.h"
#include "runtime/code/expression.h"
#include "runtime/function/context.h"

namespace pelorus {

// Notifies the request's listener, when it has one, of each statement's first call such as int("abc") whose argument is
// a string literal that converts to NULL, and suggests how it could be read. Checks expressions, assignments and
// queries that are statements themselves, not those inside functions, blocks and loops.
void noticeUnreadableConstants(const NodeList& statements, const Session& session, Context& context);

}  // namespace pelorus
