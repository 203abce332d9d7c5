#include "storage/encryption/master_key.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <filesystem>

#include "common/error.h"
#include "common/io/cipher.h"

namespace pelorus {

static constexpr size_t kKeyDigits = 64;
static constexpr size_t kLongestFile = 4096;  // includes white space that editors add

static std::optional<MasterKey> keyIn(FileSystem& files, const std::string& path) {
    std::string string(kLongestFile, '\0');
    string.resize(files.openForRead(path)->readAt(0, string.data(), string.size()));
    while (!string.empty() && std::isspace(static_cast<unsigned char>(string.back()))) string.pop_back();
    if (string.size() != kKeyDigits) return std::nullopt;
    MasterKey key;
    for (size_t i = 0; i < kKeyDigits; i += 2) {
        uint8_t byte = 0;
        const char* const end = string.data() + i + 2;
        const auto [stop, error] = std::from_chars(string.data() + i, end, byte, 16);
        if (error != std::errc() || stop != end) return std::nullopt;
        key.bytes += static_cast<char>(byte);
    }
    key.version = fingerprint(key.bytes);
    return key;
}

MasterKey readMasterKey(FileSystem& files, const std::string& path) {
    if (!files.exists(path)) throw UserError("There is no key file " + path + ".");
    if (std::optional<MasterKey> key = keyIn(files, path)) return std::move(*key);
    throw UserError("The file " + path + " holds no master key.",
                    "A master key is a file of 64 hexadecimal digits, as openssl rand -hex 32 prints them.");
}

std::optional<MasterKey> findMasterKey(FileSystem& files, const std::string& folder, uint32_t version) {
    for (const std::string& name : files.list(folder)) {
        try {
            std::optional<MasterKey> key = keyIn(files, joinPath(folder, name));
            if (key && key->version == version) return key;
        } catch (const SystemError&) {
            continue;  // a folder, or not ours to read
        }
    }
    return std::nullopt;
}

void keepMasterKey(FileSystem& files, const std::string& folder, const MasterKey& key) {
    files.makeFolder(folder);
    if (findMasterKey(files, folder, key.version)) return;
    const std::string path = joinPath(folder, fmt::format("{}.key", key.version));
    const std::unique_ptr<File> file = files.create(path);
    // Set before the digits are written: nobody else ever sees them.
    std::error_code ignored;
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write,
                                 ignored);
    std::string digits;
    for (const char byte : key.bytes) digits += fmt::format("{:02x}", static_cast<uint8_t>(byte));
    file->append(digits + "\n");
    file->sync();
    files.syncFolder(folder);
}

}  // namespace pelorus
