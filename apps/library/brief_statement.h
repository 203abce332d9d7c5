// Says which statements are over before anybody could want to cancel them.
#pragma once

#include "interpreter/session/session.h"
#include "runtime/code/expression.h"

namespace pelorus {

// Returns whether the statements are the insert of one row of scalars, constants or variables, into a table in memory
// that the session alone has. It waits for nothing, runs no code of a user, and takes microseconds, so that its caller
// needs no second thread to look for signals meanwhile.
bool isBriefInsert(const NodeList& statements, const Session& session);

}  // namespace pelorus
