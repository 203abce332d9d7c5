// UserFiles is the file system as a user of the process may use it: the files of the machine, or those below some
// folders (FileSandbox).
//
// All paths that users name go through this class. It opens regular files and folders only, and never waits: a FIFO is
// refused. Every function throws SystemError as a FileSystem does, and UserError for a path that the user may not open.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/descriptor.h"
#include "common/io/file.h"

struct stat;

namespace pelorus {

// The properties of a file.
struct FileFacts {
    bool isFolder = false;
    bool isFile = false;  // a regular file
    int64_t sizeBytes = 0;
    int64_t accessedMillis = 0;  // UTC, milliseconds since 1970, as the next one
    int64_t modifiedMillis = 0;
};

using FileStream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// The base of the implementations, which decide where a path is and whether it may be used. Thread-safe.
class UserFiles : public FileSystem, public std::enable_shared_from_this<UserFiles> {
public:
    // Returns the files of the machine, as far as the system permits the process. Relative paths begin at the working
    // folder.
    static UserFiles& machine();

    // Returns a path to which names can be added: a relative path that several folders may contain is resolved once, to
    // the one in which it is, or would be created. Throws UserError for a path outside of the folders.
    virtual std::string resolve(const std::string& path) = 0;
    // Returns nullopt when there is no such file.
    std::optional<FileFacts> facts(const std::string& path);
    bool isFolder(const std::string& path);
    // Opens a file in a mode of fopen: r, r+, w, w+, a, a+. A user who may open any file of the machine may also open
    // the terminal and other devices.
    FileStream openStream(const std::string& path, std::string_view mode);
    // Removes the contents of a folder, and the folder unless it is kept. Links in it are removed, and not followed.
    void removeAll(const std::string& path, bool keepFolder);
    void setModified(const std::string& path, int64_t millis);

    std::unique_ptr<File> create(const std::string& path) override;
    std::unique_ptr<File> openForAppend(const std::string& path) override;
    std::unique_ptr<File> openForRead(const std::string& path) override;
    bool exists(const std::string& path) override;
    void rename(const std::string& from, const std::string& to) override;
    // Removes a file or an empty folder.
    void remove(const std::string& path) override;
    void makeFolder(const std::string& path) override;
    void syncFolder(const std::string& path) override;
    std::vector<std::string> list(const std::string& path) override;
    double usedShare(const std::string& path) override;
    std::unique_ptr<FileLock> lock(const std::string& path, std::string* holder) override;

protected:
    // A path, relative to an open folder or the working one; empty for the folder itself.
    struct Place {
        int folder;
        std::string path;
        bool mayChange = true;  // files may be created, written, renamed and removed
    };
    virtual Place find(const std::string& path) const = 0;
    // Returns no descriptor, and sets errno, when the path cannot be opened.
    virtual Descriptor open(const Place& place, int flags) const = 0;
    // Throws UserError when the error of `open` says that the user may not open the path.
    virtual void requireInside(int error, const std::string& path) const = 0;
    // Throws UserError unless a regular file that was opened may be used.
    virtual void requireUsable(const struct stat& status, const std::string& path) const = 0;
    virtual bool opensDevices() const = 0;
    // Throws UserError for a place in which the user may only read.
    [[noreturn]] virtual void refuseChange(const std::string& path) const;
    // Throws UserError unless the name in an open folder may be removed or replaced, with all below it.
    virtual void requireRemovable(const Descriptor& /*folder*/, const std::string& /*name*/,
                                  const std::string& /*path*/) const {}

private:
    // Throws the error for the `errno` of `open`.
    [[noreturn]] void fail(std::string_view doing, const std::string& path) const;
    enum class Kinds : uint8_t { Files, FilesAndDevices };
    Descriptor openRegular(const std::string& path, int flags, Kinds kinds) const;
    Descriptor openFolder(const std::string& path, std::string_view doing) const;
    // Opens the folder above; `name` receives the last part of the path. Sets errno when it fails, as `open` does.
    Descriptor openAbove(const Place& place, const std::string& path, std::string_view doing, std::string& name) const;
    bool exists(const Place& place, const std::string& path) const;
    void makeFolder(const Place& place, const std::string& path) const;
};

}  // namespace pelorus
