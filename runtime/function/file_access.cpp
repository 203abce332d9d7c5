#include "runtime/function/file_access.h"

#include "common/error.h"
#include "common/io/file_sandbox.h"
#include "runtime/function/principal.h"

namespace pelorus {

UserFiles& userFiles(const Context& context) {
    const Principal& principal = context.principal();
    auto* sandbox = context.service<FileSandbox>();
    if (principal.powers().opensAnyFile && !sandbox) return UserFiles::machine();
    if (principal.powers().opensAnyFile && sandbox->confinesAdministrators()) return *sandbox;
    if (principal.powers().opensAnyFile) return sandbox->ofMachine();
    if (!principal.powers().opensFiles)
        throw UserError("<NoPrivilege>Guests cannot open files.", principal.isGuest() ? "Log in." : "");
    if (!sandbox) throw UserError("<NoPrivilege>This process has no folders for the files of users.");
    std::vector<FolderAccess> access;
    for (const std::string& name : sandbox->sharedNames()) {
        const SecuredObject folder{.kind = SecuredObject::Kind::Folder, .name = name};
        access.push_back(principal.may(Right::WriteFiles, folder)  ? FolderAccess::Write
                         : principal.may(Right::ReadFiles, folder) ? FolderAccess::Read
                                                                   : FolderAccess::None);
    }
    // Guests, of a server that lets them, have no folder of their own.
    return sandbox->ofUser(principal.isGuest() ? "" : principal.user(), access);
}

}  // namespace pelorus
