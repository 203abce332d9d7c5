#include "runtime/function/file_access.h"

#include "common/error.h"
#include "common/io/file_sandbox.h"
#include "runtime/function/principal.h"

namespace pelorus {

UserFiles& userFiles(const Context& context) {
    const Principal& principal = context.principal();
    auto* sandbox = context.service<FileSandbox>();
    if (principal.powers().opensAnyFile && !(sandbox && sandbox->confinesAdministrators())) return UserFiles::machine();
    if (!principal.powers().opensFiles)
        throw UserError("<NoPrivilege>Guests cannot open files.", principal.isGuest() ? "Log in." : "");
    if (!sandbox) throw UserError("<NoPrivilege>This process has no folders for the files of users.");
    return *sandbox;
}

}  // namespace pelorus
