// The folders in which the users of a server open files.
#pragma once

#include <memory>

namespace pelorus {

class FileSandbox;
struct NodeSettings;

// Makes the folders that are missing. Throws UserError when the setting fileFolders would open the server's own files.
std::shared_ptr<FileSandbox> openFileFolders(const NodeSettings& settings);

}  // namespace pelorus
