// Reads and stores master keys, which wrap the keys of encrypted tables and backups. Each is a file of 64 hexadecimal
// digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/io/file.h"

namespace pelorus {

// A master key. A plain value.
struct MasterKey {
    std::string bytes;     // 32 bytes
    uint32_t version = 0;  // its fingerprint
};

// Reads a key file. Throws UserError when it is missing or contains no key.
MasterKey readMasterKey(FileSystem& files, const std::string& path);

// Searches the folder of the setting TDEKeyDir for the key of that version; nothing when it is not there. Names of
// files do not matter, and files that are no keys are skipped.
std::optional<MasterKey> findMasterKey(FileSystem& files, const std::string& folder, uint32_t version);
// Writes a copy of the key into the folder, readable by its owner only and synced, unless the folder has the key.
void keepMasterKey(FileSystem& files, const std::string& folder, const MasterKey& key);

}  // namespace pelorus
