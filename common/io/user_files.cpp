#include "common/io/user_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/error.h"
#include "common/io/open_file.h"

namespace pelorus {

namespace {

int64_t millisOf(const timespec& time) {
    return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

std::string_view kindOf(const struct stat& status) {
    if (S_ISDIR(status.st_mode)) return "a folder";
    if (S_ISFIFO(status.st_mode)) return "a pipe";
    return S_ISSOCK(status.st_mode) ? "a socket" : "a device";
}

// Removes what is in the folder. Links are not followed: each name is opened in the folder that is open.
void empty(Descriptor folder, const std::string& path) {
    const int number = folder.number();
    const Descriptor kept(::fcntl(number, F_DUPFD_CLOEXEC, 0));
    if (!kept.isOpen()) throwErrno("list", path);
    for (const std::string& name : namesIn(std::move(folder), path)) {
        const std::string whole = joinPath(path, name);
        Descriptor inner(
            ::openat(kept.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
        const bool isFolder = inner.isOpen();
        if (isFolder) empty(std::move(inner), whole);
        if (::unlinkat(kept.number(), name.c_str(), isFolder ? AT_REMOVEDIR : 0) != 0) throwErrno("remove", whole);
    }
}

class MachineFiles final : public UserFiles {
public:
    std::string resolve(const std::string& path) override { return path; }

protected:
    Place find(const std::string& path) const override {
        if (path.find('\0') != std::string::npos) throw UserError("A path must not contain a zero byte.");
        return {AT_FDCWD, path};
    }
    Descriptor open(const Place& place, int flags) const override {
        return Descriptor(::openat(place.folder, place.path.c_str(), flags, 0666));
    }
    void requireInside(int, const std::string&) const override {}
    void requireUsable(const struct stat&, const std::string&) const override {}
    bool opensDevices() const override { return true; }
};

// "a/b/" names "a/b".
std::string_view withoutSlashes(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    return path;
}

}  // namespace

UserFiles& UserFiles::machine() {
    static const auto files = std::make_shared<MachineFiles>();
    return *files;
}

void UserFiles::refuseChange(const std::string& path) const {
    throw UserError("<NoPrivilege>The file " + path + " may not be written.");
}

void UserFiles::fail(std::string_view doing, const std::string& path) const {
    const int error = errno;
    requireInside(error, path);
    errno = error;
    throwErrno(doing, path);
}

// The file is not emptied before it is known what it is.
Descriptor UserFiles::openRegular(const std::string& path, int flags, Kinds kinds) const {
    const Place place = find(path);
    if (!place.mayChange && (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0) refuseChange(path);
    Descriptor file = open(place, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (!file.isOpen() && errno == ENXIO)
        throw UserError("Cannot open " + path + ": it is a pipe, a socket or a device.", "Give a regular file.");
    if (!file.isOpen()) fail("open", path);
    struct stat status;
    if (::fstat(file.number(), &status) != 0) throwErrno("look at", path);
    if (S_ISREG(status.st_mode)) {
        requireUsable(status, path);
        return file;
    }
    const bool isFolder = S_ISDIR(status.st_mode);
    if (isFolder || kinds == Kinds::Files || !opensDevices()) {
        throw SystemError(std::string("Cannot open ") + path + ": it is " + std::string(kindOf(status)) + ".",
                          isFolder ? "" : "Give a regular file.");
    }
    if (::fcntl(file.number(), F_SETFL, ::fcntl(file.number(), F_GETFL) & ~O_NONBLOCK) != 0) throwErrno("open", path);
    return file;
}

Descriptor UserFiles::openFolder(const std::string& path, std::string_view doing) const {
    Descriptor folder = open(find(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (!folder.isOpen()) fail(doing, path);
    return folder;
}

static void makeEmpty(const Descriptor& file, const std::string& path) {
    struct stat status;
    if (::fstat(file.number(), &status) != 0) throwErrno("look at", path);
    if (S_ISREG(status.st_mode) && status.st_size > 0 && ::ftruncate(file.number(), 0) != 0)
        throwErrno("shorten", path);
}

std::unique_ptr<File> UserFiles::create(const std::string& path) {
    Descriptor file = openRegular(path, O_RDWR | O_CREAT, Kinds::FilesAndDevices);
    makeEmpty(file, path);
    return makeFile(std::move(file), path);
}

std::unique_ptr<File> UserFiles::openForAppend(const std::string& path) {
    return makeFile(openRegular(path, O_RDWR, Kinds::FilesAndDevices), path);
}

std::unique_ptr<File> UserFiles::openForRead(const std::string& path) {
    return makeFile(openRegular(path, O_RDONLY, Kinds::Files), path);
}

FileStream UserFiles::openStream(const std::string& path, std::string_view mode) {
    const bool isBoth = mode.find('+') != std::string_view::npos;
    int flags = isBoth ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    if (mode[0] != 'r') flags |= O_CREAT;
    if (mode[0] == 'a') flags |= O_APPEND;
    Descriptor file = openRegular(path, flags, Kinds::FilesAndDevices);
    if (mode[0] == 'w') makeEmpty(file, path);
    FileStream stream(::fdopen(file.number(), std::string(mode).c_str()), std::fclose);
    if (!stream) throwErrno("open", path);
    file.release();
    return stream;
}

bool UserFiles::exists(const Place& place, const std::string& path) const {
    if (open(place, O_PATH | O_CLOEXEC).isOpen()) return true;
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ENAMETOOLONG) return false;
    fail("look at", path);
}

bool UserFiles::exists(const std::string& path) {
    return exists(find(path), path);
}

std::optional<FileFacts> UserFiles::facts(const std::string& path) {
    const Descriptor file = open(find(path), O_PATH | O_CLOEXEC);
    if (!file.isOpen()) {
        if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
        fail("look at", path);
    }
    struct stat status;
    if (::fstat(file.number(), &status) != 0) throwErrno("look at", path);
    return FileFacts{.isFolder = S_ISDIR(status.st_mode),
                     .isFile = S_ISREG(status.st_mode),
                     .sizeBytes = status.st_size,
                     .accessedMillis = millisOf(status.st_atim),
                     .modifiedMillis = millisOf(status.st_mtim)};
}

bool UserFiles::isFolder(const std::string& path) {
    const std::optional<FileFacts> known = facts(path);
    return known && known->isFolder;
}

Descriptor UserFiles::openAbove(const Place& place, const std::string& path, std::string_view doing,
                                std::string& name) const {
    if (!place.mayChange) refuseChange(path);
    const std::string whole(withoutSlashes(place.path));
    const size_t slash = whole.rfind('/');
    name = slash == std::string::npos ? whole : whole.substr(slash + 1);
    if (name.empty() || name == "." || name == "..") {
        errno = EBUSY;
        throwErrno(doing, path);
    }
    std::string above = slash == std::string::npos ? "." : slash == 0 ? "/" : whole.substr(0, slash);
    return open({place.folder, std::move(above), true}, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void UserFiles::rename(const std::string& from, const std::string& to) {
    std::string oldName, newName;
    const Descriptor oldFolder = openAbove(find(from), from, "rename", oldName);
    if (!oldFolder.isOpen()) fail("rename", from);
    const Descriptor newFolder = openAbove(find(to), to, "rename a file to", newName);
    if (!newFolder.isOpen()) fail("rename a file to", to);
    requireRemovable(oldFolder, oldName, from);
    requireRemovable(newFolder, newName, to);
    if (::renameat(oldFolder.number(), oldName.c_str(), newFolder.number(), newName.c_str()) != 0)
        throwErrno("rename " + from + " to", to);
}

void UserFiles::remove(const std::string& path) {
    // The folder above may be gone, too. A link that leads nowhere, or out of the folders, is removed itself.
    std::string name;
    const Descriptor folder = openAbove(find(path), path, "remove", name);
    if (!folder.isOpen() && errno == ENOENT) return;
    if (!folder.isOpen()) fail("remove", path);
    requireRemovable(folder, name, path);
    if (::unlinkat(folder.number(), name.c_str(), 0) == 0 || errno == ENOENT) return;
    if (errno != EISDIR && errno != EPERM) throwErrno("remove", path);
    if (::unlinkat(folder.number(), name.c_str(), AT_REMOVEDIR) != 0) throwErrno("remove", path);
}

void UserFiles::removeAll(const std::string& path, bool keepFolder) {
    if (!find(path).mayChange) refuseChange(path);
    Descriptor folder = openFolder(path, "remove");
    requireRemovable(folder, "", path);
    empty(std::move(folder), path);
    if (!keepFolder) remove(path);
}

void UserFiles::makeFolder(const Place& place, const std::string& path) const {
    if (place.path.empty() || exists(place, path)) return;
    if (!place.mayChange) refuseChange(path);
    const std::string whole(withoutSlashes(place.path));
    if (const size_t slash = whole.rfind('/'); slash != std::string::npos && slash > 0)
        makeFolder({place.folder, whole.substr(0, slash), true}, path);
    std::string name;
    const Descriptor above = openAbove(place, path, "make the folder", name);
    if (!above.isOpen()) fail("make the folder", path);
    if (::mkdirat(above.number(), name.c_str(), 0777) != 0 && errno != EEXIST) throwErrno("make the folder", path);
}

void UserFiles::makeFolder(const std::string& path) {
    makeFolder(find(path), path);
}

void UserFiles::syncFolder(const std::string& path) {
    if (::fsync(openFolder(path, "sync the folder").number()) != 0) throwErrno("sync the folder", path);
}

std::vector<std::string> UserFiles::list(const std::string& path) {
    Descriptor folder = open(find(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder.isOpen()) return namesIn(std::move(folder), path);
    if (errno == ENOENT) return {};
    fail("list", path);
}

double UserFiles::usedShare(const std::string& path) {
    return usedShareOf(openFolder(path, "look at the disk of"), path);
}

std::unique_ptr<FileLock> UserFiles::lock(const std::string& path, std::string* holder) {
    std::unique_ptr<FileLock> lock = makeLock(openRegular(path, O_RDWR | O_CREAT, Kinds::Files), path);
    if (!lock && holder != nullptr) *holder = readWholeFile(*this, path);
    return lock;
}

void UserFiles::setModified(const std::string& path, int64_t millis) {
    if (!find(path).mayChange) refuseChange(path);
    const Descriptor file = openRegular(path, O_RDONLY, Kinds::Files);
    const int64_t nanos = (millis % 1000 + 1000) % 1000 * 1'000'000;
    const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                               {.tv_sec = (millis - nanos / 1'000'000) / 1000, .tv_nsec = nanos}};
    if (::futimens(file.number(), times) != 0) throwErrno("set the time of", path);
}

}  // namespace pelorus
