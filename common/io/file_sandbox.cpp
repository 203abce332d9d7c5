#include "common/io/file_sandbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "common/check.h"
#include "common/error.h"
#include "common/io/guarded_files.h"
#include "common/io/open_file.h"

namespace pelorus {

namespace {

namespace fs = std::filesystem;

std::string normalized(const fs::path& path) {
    std::string string = path.lexically_normal().string();
    while (string.size() > 1 && string.back() == '/') string.pop_back();
    return string;
}

// Returns the rest of a path that is in a folder; empty for the folder itself, nullopt for other paths.
std::optional<std::string> pathBelow(const std::string& folder, const std::string& path) {
    if (!path.starts_with(folder)) return std::nullopt;
    if (path.size() == folder.size()) return "";
    if (folder == "/") return path.substr(1);
    if (path[folder.size()] != '/') return std::nullopt;
    return path.substr(folder.size() + 1);
}

std::string realPathOf(const std::string& path) {
    std::error_code error;
    fs::path real = fs::weakly_canonical(path, error);
    return normalized(error ? fs::absolute(path) : real);
}

// Throws UserError when the folder contains paths that only the server may open, or is in one of them.
void requireForUsers(const std::string& folder, const FileSandbox::Options& options) {
    const std::string real = realPathOf(folder), data = realPathOf(options.dataFolder);
    const auto refuse = [&](const std::string& what) {
        throw UserError("The setting fileFolders names " + folder + ", which " + what +
                            ": users would reach the passwords, keys and rows that the server keeps.",
                        "Name folders for the files of users only.");
    };
    if (pathBelow(real, data)) refuse(real == data ? "is the data folder" : "holds the data folder " + data);
    for (const std::string& path : options.ownPaths) {
        if (path.empty()) continue;
        const std::string own = realPathOf((fs::path(data) / path).string());
        if (own == data) continue;
        if (pathBelow(real, own)) refuse(real == own ? "belongs to the server" : "holds " + own);
        if (pathBelow(own, real)) refuse("lies in " + own);
    }
}

void makeForOwner(const std::string& folder) {
    const std::string above = folderOf(folder);
    struct stat status;
    if (::stat(folder.c_str(), &status) == 0) return;
    if (above != folder) makeForOwner(above);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) throwErrno("make the folder", folder);
}

}  // namespace

FileSandbox::Root FileSandbox::rootAt(const std::string& path) {
    makeForOwner(path);
    Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.isOpen()) throwErrno("open the folder", path);
    return {std::make_shared<const Folder>(Folder{path, realPathOf(path), std::move(folder)})};
}

FileSandbox::FileSandbox(Options options)
    : sharedNames_(options.folders), confinesAdministrators_(options.confinesAdministrators) {
    if (options.folders.empty()) throw UserError("The setting fileFolders names no folder.");
    options.dataFolder = normalized(fs::absolute(options.dataFolder));
    userFolder_ = normalized(fs::path(options.dataFolder) / options.userFolder);
    std::vector<std::string> open;
    for (const std::string& name : options.folders) {
        const std::string path = normalized(fs::path(options.dataFolder) / name);
        requireForUsers(path, options);
        const std::string real = realPathOf(path), users = realPathOf(userFolder_);
        if (pathBelow(real, users) || pathBelow(users, real)) {
            throw UserError(
                "The setting fileFolders names " + path + ", which the server keeps for folders of single users.",
                "Name other folders: each user has one below " + userFolder_ + ".");
        }
        roots_.push_back(rootAt(path));
        open.push_back(real);
    }
    roots_.push_back(rootAt(userFolder_));
    open.push_back(roots_.back().folder->realPath);
    // Rows that were put aside: administrators read them there, and decide.
    open.push_back((fs::path(realPathOf(options.dataFolder)) / "quarantine").string());
    const Descriptor probe = openBeneath(roots_[0].folder->folder.number(), "", O_PATH | O_CLOEXEC);
    isSupported_ = probe.isOpen() || (errno != ENOSYS && errno != EPERM);
    std::vector<std::string> shut = {realPathOf(options.dataFolder)};
    for (const std::string& path : options.ownPaths) {
        if (!path.empty()) shut.push_back(realPathOf((fs::path(options.dataFolder) / path).string()));
    }
    machine_ = std::make_shared<GuardedFiles>(std::move(shut), std::move(open));
}

std::string FileSandbox::folders() const {
    std::string all;
    for (size_t i = 0; i < sharedNames_.size(); ++i) all += (all.empty() ? "" : ", ") + roots_[i].folder->path;
    return all;
}

UserFiles& FileSandbox::ofUser(const std::string& user, const std::vector<FolderAccess>& access) {
    CHECK(access.size() == sharedNames_.size());
    const MutexLock lock(mutex_);
    std::shared_ptr<FileSandbox>& known = ofUsers_[{user, access}];
    if (known) return *known;
    std::vector<Root> roots;
    if (!user.empty()) roots.push_back(rootAt(userFolder_ + '/' + user));
    for (size_t i = 0; i < access.size(); ++i) {
        if (access[i] != FolderAccess::None) roots.push_back({roots_[i].folder, access[i] == FolderAccess::Write});
    }
    known.reset(new FileSandbox(std::move(roots), isSupported_));
    return *known;
}

void FileSandbox::refuse(const std::string& path) const {
    std::string all;
    for (const Root& root : roots_) all += (all.empty() ? "" : ", ") + root.folder->path;
    throw UserError(
        "<NoPrivilege>The path " + path + " leads out of the folders that you may use: " + all + ".",
        "Use one of these; the setting fileFolders names those that users share, and FILE_READ and FILE_WRITE are the "
        "rights to them.");
}

void FileSandbox::refuseChange(const std::string& path) const {
    throw UserError("<NoPrivilege>The path " + path + " lies in a folder in which you may only read.",
                    "The right FILE_WRITE, to one of the fileFolders, allows writing.");
}

void FileSandbox::requireInside(int error, const std::string& path) const {
    if (error == EXDEV || error == ELOOP) refuse(path);
}

// Returns the first root with the file, else with the folders that lead to it.
const FileSandbox::Root& FileSandbox::rootOf(std::string path) const {
    while (!path.empty()) {
        for (const Root& root : roots_) {
            if (openBeneath(root.folder->folder.number(), path, O_PATH | O_CLOEXEC).isOpen()) return root;
            if (errno == EXDEV || errno == ELOOP) return root;  // refused where it is opened
        }
        const size_t slash = path.rfind('/');
        path.resize(slash == std::string::npos ? 0 : slash);
    }
    return roots_.front();
}

FileSandbox::Found FileSandbox::locate(const std::string& path) const {
    if (!isSupported_) {
        throw UserError(
            "<NoPrivilege>Only administrators can open files here: this kernel has no openat2, which "
            "confines other users to the folders of the setting fileFolders.",
            "Linux has it from 5.6 on.");
    }
    if (path.empty()) throw UserError("The path is empty.");
    if (path.find('\0') != std::string::npos) throw UserError("A path must not contain a zero byte.");
    if (roots_.empty()) throw UserError("<NoPrivilege>There is no folder in which you may open files.");
    if (path[0] != '/') return {rootOf(path), path};
    const std::string whole = normalized(path);
    for (const Root& root : roots_) {
        std::optional<std::string> rest = pathBelow(root.folder->path, whole);
        if (!rest) rest = pathBelow(root.folder->realPath, whole);
        if (rest) return {root, std::move(*rest)};
    }
    refuse(path);
}

UserFiles::Place FileSandbox::find(const std::string& path) const {
    Found found = locate(path);
    return {found.root.folder->folder.number(), std::move(found.path), found.root.mayChange};
}

std::string FileSandbox::resolve(const std::string& path) {
    const Found found = locate(path);
    const bool isOpen = openBeneath(found.root.folder->folder.number(), found.path, O_PATH | O_CLOEXEC).isOpen();
    if (!isOpen) requireInside(errno, path);
    return normalized(fs::path(found.root.folder->path) / found.path);
}

Descriptor FileSandbox::open(const Place& place, int flags) const {
    return openBeneath(place.folder, place.path, flags);
}

void FileSandbox::requireUsable(const struct stat& status, const std::string& path) const {
    if (status.st_nlink <= 1) return;
    throw UserError("<NoPrivilege>The file " + path +
                        " has several hard links, of which one may lie outside of the "
                        "folders for the files of users.",
                    "Copy the file, and use the copy; the setting fileFolders names the folders.");
}

}  // namespace pelorus
