// The files that a pattern such as "trades/year=*/**/*.parquet" names.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/user_files.h"

namespace pelorus::parquet_file {

// A file, and what the names of its folders say: year=2024 is the key year with the value 2024.
struct MatchedFile {
    std::string path;
    std::vector<std::pair<std::string, std::string>> keys;
};

// Returns whether a path has characters that stand for others: *, ?, and [ ].
bool isPattern(std::string_view path);
// Returns whether a name, without folders, fits a pattern: * matches any characters, ? for one, [a-c] and [!a-c] for
// one of, or not of, these. Takes time of the product of their lengths at most.
bool fitsPattern(std::string_view name, std::string_view pattern);

// Returns the files, in the order of their paths; ** matches any number of folders. Names that begin with a point or
// an underscore, which programs leave next to their files, fit no pattern that does not begin so. Throws SystemError
// when there is none, UserError beyond kMaxFiles.
constexpr size_t kMaxFiles = 100'000;
std::vector<MatchedFile> matchFiles(UserFiles& files, const std::string& pattern);

}  // namespace pelorus::parquet_file
