// The files of the machine but those that a server keeps for itself: passwords, keys, the log of what was done. Who
// administers a server, but is not its owner, opens files by this class.
//
// A path is judged by where it leads: the kernel opens it, and tells the real path of what was opened. A name that is
// to be removed or replaced is judged by the real path of the folder that it is in.
#pragma once

#include <string>
#include <vector>

#include "common/io/user_files.h"

namespace pelorus {

// Immutable and so thread-safe. Kept by FileSandbox.
class GuardedFiles final : public UserFiles {
public:
    // Real paths: nothing in `shut`, nor what holds it, is opened, removed or replaced, but for what lies in `open`.
    // The system's view of processes and devices is always shut.
    GuardedFiles(std::vector<std::string> shut, std::vector<std::string> open)
        : shut_(std::move(shut)), open_(std::move(open)) {}

    std::string resolve(const std::string& path) override { return path; }

protected:
    Place find(const std::string& path) const override;
    // Sets errno to EXDEV for what is shut.
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
