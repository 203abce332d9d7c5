#include "apps/commands.h"
#include "common/error.h"

namespace pelorus {

int replCommand(const CommandArguments&) { throw UserError("The console comes next."); }

}  // namespace pelorus
