#include "database/service/chunk_names.h"

#include <fmt/format.h>

#include "common/io/md5.h"

namespace pelorus {

std::string chunkId(uint64_t table, const std::string& path) {
    const auto digest = md5(fmt::format("{}:{}", table, path));
    std::string string;
    for (size_t i = 0; i < digest.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) string += '-';
        string += fmt::format("{:02x}", digest[i]);
    }
    return string;
}

std::string physicalIndex(uint64_t table) {
    constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string string;
    do {
        string.insert(string.begin(), kDigits[table % 62]);
        table /= 62;
    } while (table > 0);
    return string;
}

}  // namespace pelorus
