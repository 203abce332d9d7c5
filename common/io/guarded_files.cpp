#include "common/io/guarded_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "common/error.h"

namespace pelorus {

namespace {

bool isWithin(const std::string& folder, const std::string& path) {
    return path.starts_with(folder) &&
           (path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/');
}

bool isWithinAny(const std::vector<std::string>& folders, const std::string& path) {
    return std::any_of(folders.begin(), folders.end(), [&](const auto& folder) { return isWithin(folder, path); });
}

// Returns the path of what is open, without links; empty when the system does not tell.
std::string realPathOf(const Descriptor& file) {
    std::array<char, PATH_MAX> path;
    const std::string link = "/proc/self/fd/" + std::to_string(file.number());
    const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
    return size > 0 && static_cast<size_t>(size) < path.size() ? std::string(path.data(), static_cast<size_t>(size))
                                                               : "";
}

}  // namespace

bool GuardedFiles::isShut(const std::string& real) const {
    static const std::vector<std::string> kSystem = {"/proc", "/sys", "/dev"};
    if (real.empty() || isWithinAny(kSystem, real)) return true;
    return isWithinAny(shut_, real) && !isWithinAny(open_, real);
}

UserFiles::Place GuardedFiles::find(const std::string& path) const {
    if (path.find('\0') != std::string::npos) throw UserError("A path must not contain a zero byte.");
    return {AT_FDCWD, path};
}

Descriptor GuardedFiles::open(const Place& place, int flags) const {
    Descriptor file(::openat(place.folder, place.path.c_str(), flags & ~O_CREAT));
    if (file.isOpen()) {
        if (!isShut(realPathOf(file))) return file;
        errno = EXDEV;
        return {};
    }
    if ((flags & O_CREAT) == 0 || errno != ENOENT) return {};
    // A file is made once it is known where. A link to what is not there is not followed.
    const size_t slash = place.path.rfind('/');
    const std::string name = slash == std::string::npos ? place.path : place.path.substr(slash + 1);
    const std::string above = slash == std::string::npos ? "." : slash == 0 ? "/" : place.path.substr(0, slash);
    const Descriptor folder(::openat(place.folder, above.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.isOpen()) return {};
    if (isShut(realPathOf(folder))) {
        errno = EXDEV;
        return {};
    }
    return Descriptor(::openat(folder.number(), name.c_str(), flags | O_NOFOLLOW, 0666));
}

void GuardedFiles::requireInside(int error, const std::string& path) const {
    if (error != EXDEV) return;
    throw UserError("<NoPrivilege>The path " + path + " leads to what the server keeps for itself.",
                    "Files of users are in the folders of the setting fileFolders, and in that of each user.");
}

void GuardedFiles::requireRemovable(const Descriptor& folder, const std::string& name, const std::string& path) const {
    std::string real = realPathOf(folder);
    if (!name.empty()) real += (real.ends_with('/') ? "" : "/") + name;
    const auto isInside = [&](const std::string& kept) { return isWithin(real, kept); };
    // A folder that is open may be emptied, but what leads to it, or to what is shut, stays.
    const bool holdsKept =
        std::any_of(shut_.begin(), shut_.end(), isInside) ||
        std::any_of(open_.begin(), open_.end(), [&](const auto& o) { return isInside(o) && !name.empty(); });
    if (isShut(real) || holdsKept) requireInside(EXDEV, path);
}

}  // namespace pelorus
