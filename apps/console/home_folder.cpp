#include "apps/console/home_folder.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace pelorus {

std::string homeFolder() {
    if (const char* folder = std::getenv("HOME"); folder && *folder) return folder;
    const passwd* user = getpwuid(getuid());
    return user && user->pw_dir ? user->pw_dir : "";
}

}  // namespace pelorus
