// Folders that users without rights to the machine open files in: one of each user's own, and those that users share.
//
// The kernel resolves a path below an open folder (openat2, RESOLVE_BENEATH): neither `..` nor a symbolic link leaves
// it, whatever changes while the path is resolved. A file with several hard links is refused, since one of its names
// may lie outside. Without openat2 every path is refused.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/io/user_files.h"
#include "common/thread/mutex.h"

namespace pelorus {

// What a user may do in a folder that users share.
enum class FolderAccess : uint8_t { None, Read, Write };

// Files of the shared folders, and of all users' own ones: what an administrator opens who is confined to them. It
// makes the files of each user. A service of a server. Thread-safe.
class FileSandbox final : public UserFiles {
public:
    struct Options {
        std::vector<std::string> folders;  // that users share; relative ones are below the data folder
        std::string dataFolder;
        // What the server keeps for itself: no file folder lies in these, and none holds one of them.
        std::vector<std::string> ownPaths;
        bool confinesAdministrators = false;
        std::string userFolder = "users";  // holds a folder of each user's own
    };
    // Makes the folders that are missing, for this user of the system alone. Throws UserError for a folder that would
    // open the server's own files.
    explicit FileSandbox(Options options);

    // An absolute path lies in one of the folders. A relative one is looked for below each, in order; what is made is
    // made where the folders that its path names are, else below the first.
    std::string resolve(const std::string& path) override;
    bool confinesAdministrators() const { return confinesAdministrators_; }
    // Returns the shared folders as they were configured, whose names are those that rights are granted for.
    const std::vector<std::string>& sharedNames() const { return sharedNames_; }
    // Returns the shared folders, with commas between them.
    std::string folders() const;
    // Returns the files of a user: those of a folder of the user's own, made here when it is missing, and those of the
    // shared folders by `access`, one for each. `user` empty: the shared ones alone. They live as long as this object.
    UserFiles& ofUser(const std::string& user, const std::vector<FolderAccess>& access);
    // Returns all files of the machine but what the server keeps for itself: those of an administrator.
    UserFiles& ofMachine() { return *machine_; }

protected:
    Place find(const std::string& path) const override;
    Descriptor open(const Place& place, int flags) const override;
    void requireInside(int error, const std::string& path) const override;
    void requireUsable(const struct stat& status, const std::string& path) const override;
    bool opensDevices() const override { return false; }
    [[noreturn]] void refuseChange(const std::string& path) const override;

private:
    struct Folder {
        std::string path;      // absolute, as it was configured
        std::string realPath;  // without links
        Descriptor folder;
    };
    struct Root {
        std::shared_ptr<const Folder> folder;
        bool mayChange = true;
    };
    struct Found {
        const Root& root;
        std::string path;  // below the root
    };
    using Key = std::pair<std::string, std::vector<FolderAccess>>;

    FileSandbox(std::vector<Root> roots, bool isSupported) : roots_(std::move(roots)), isSupported_(isSupported) {}
    static Root rootAt(const std::string& path);
    Found locate(const std::string& path) const;
    const Root& rootOf(std::string path) const;
    [[noreturn]] void refuse(const std::string& path) const;

    std::vector<Root> roots_;  // the shared ones first
    std::vector<std::string> sharedNames_;
    std::string userFolder_;
    bool confinesAdministrators_ = false;
    bool isSupported_ = true;  // by the kernel
    std::shared_ptr<UserFiles> machine_;
    mutable Mutex mutex_;
    std::map<Key, std::shared_ptr<FileSandbox>> ofUsers_ GUARDED_BY(mutex_);  // as many as users have had rights
};

}  // namespace pelorus
