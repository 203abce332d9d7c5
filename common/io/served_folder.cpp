#include "common/io/served_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "common/error.h"
#include "common/io/open_file.h"

namespace pelorus {

ServedFolder::ServedFolder(const std::string& path) : folder_(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (!folder_.isOpen()) throwErrno("open the folder", path);
}

std::optional<std::string> ServedFolder::read(const std::string& path, int64_t limitBytes) const {
    const bool isHidden = path.starts_with('.') || path.find("/.") != std::string::npos;
    if (path.empty() || isHidden || path.find('\0') != std::string::npos) return std::nullopt;
    // O_NONBLOCK: a FIFO does not wait for a writer; it is refused below.
    Descriptor file = openBeneath(folder_.number(), path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status = {};
    if (!file.isOpen() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > limitBytes)
        return std::nullopt;
    std::string content(static_cast<size_t>(status.st_size), '\0');
    content.resize(makeFile(std::move(file), path)->readAt(0, content.data(), content.size()));
    return content;
}

}  // namespace pelorus
