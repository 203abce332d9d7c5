// pelorus settings: the settings of a node, as the page docs/operations.md has them.
#include <cstdio>

#include "apps/commands.h"
#include "apps/process/settings_table.h"
#include "common/error.h"

namespace pelorus {

int settingsCommand(const CommandArguments& arguments) {
    if (!arguments.empty()) {
        throw UserError("pelorus settings takes no arguments, but got " + arguments[0] + ".",
                        "pelorus serve --config FILE reads settings.");
    }
    std::fputs(settingsPage().c_str(), stdout);
    return 0;
}

}  // namespace pelorus
