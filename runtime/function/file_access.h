// The way of a function to the files of its user.
#pragma once

#include "common/io/user_files.h"
#include "runtime/function/context.h"

namespace pelorus {

// Returns the files that the user whose rights the running code has may open: all of the machine for the owner of an
// embedded database, all but the server's own for administrators, those of a folder of their own and of the shared
// folders that they were granted for other users. Lives as long as
// the process's services; whoever may live longer keeps shared_from_this(). Throws UserError for a user who may open
// none.
UserFiles& userFiles(const Context& context);

}  // namespace pelorus
