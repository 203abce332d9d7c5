// GuardedFiles opens the files of the machine but those that only the server may open: passwords, keys, the audit log.
// Administrators of a server other than its owner open files by this class.
//
// A path is checked after it was opened, by the real path that the kernel reports for the descriptor. A name that is to
// be removed or replaced is checked by the real path of its folder.
#pragma once

#include <string>
#include <vector>

#include "common/io/user_files.h"

namespace pelorus {

// The files of one server's administrators. Immutable, and so thread-safe. FileSandbox owns it.
class GuardedFiles final : public UserFiles {
public:
    // `shut` and `open` are real paths. Nothing in `shut` is opened, removed or replaced, unless it is in `open`;
    // folders that contain a path in `shut` are not removed or replaced. /proc, /sys and /dev are always shut.
    GuardedFiles(std::vector<std::string> shut, std::vector<std::string> open)
        : shut_(std::move(shut)), open_(std::move(open)) {}

    std::string resolve(const std::string& path) override { return path; }

protected:
    Place find(const std::string& path) const override;
    // Sets errno to EXDEV for a path that is shut.
    Descriptor open(const Place& place, int flags) const override;
    void requireInside(int error, const std::string& path) const override;
    void requireUsable(const struct stat&, const std::string&) const override {}
    bool opensDevices() const override { return false; }
    void requireRemovable(const Descriptor& folder, const std::string& name, const std::string& path) const override;

private:
    bool isShut(const std::string& real) const;

    const std::vector<std::string> shut_, open_;
};

}  // namespace pelorus
